// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/read_file.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>

namespace qg {

Result<std::string> read_file(const std::string& path, std::size_t max_bytes) {
    const std::string name = text::printable(path, 4000);
    const auto fail = [&] {
        return Error{ErrorCode::unavailable,
                     text::format("{}: cannot be read: {}", name, std::strerror(errno == 0 ? EIO : errno))};
    };
    errno = 0;
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail();
    constexpr std::size_t step = std::size_t{1} << 16u;
    std::string content;
    while (content.size() <= max_bytes) {
        const std::size_t before = content.size();
        content.resize(before + std::min(step, max_bytes + 1 - before));
        in.read(content.data() + before, static_cast<std::streamsize>(content.size() - before));
        content.resize(before + static_cast<std::size_t>(in.gcount()));
        if (in.bad()) return fail();
        if (in.eof()) return content;
    }
    return Error{ErrorCode::invalid_input, text::format("{}: larger than {} KiB", name, max_bytes >> 10u)};
}

Result<bool> read_line(std::istream& in, std::string& line, std::size_t max_bytes) {
    constexpr int end_of_file = std::istream::traits_type::eof();
    line.clear();
    const std::istream::sentry ready(in, /*noskipws=*/true);
    if (!ready) return false;
    for (int c = in.rdbuf()->sbumpc(); c != '\n'; c = in.rdbuf()->sbumpc()) {
        if (c == end_of_file) {
            in.setstate(std::ios::eofbit);
            return !line.empty();
        }
        if (line.size() >= max_bytes)
            return Error{ErrorCode::invalid_input, text::format("longer than {} KiB", max_bytes >> 10u)};
        line += static_cast<char>(c);
    }
    return true;
}

} // namespace qg
