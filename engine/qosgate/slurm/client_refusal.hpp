// SPDX-License-Identifier: GPL-2.0-or-later
//
// What qosgate's plugin in a client says of a job that it does not send, and how `qosgate check`, if it has
// started the client, learns that: by functions of a module that it loads into the client (host_symbols.hpp,
// contrib/qosgate/common/client_module.cpp).
#pragma once

#include "qosgate/base/text.hpp"

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::slurm {

/// A line for the user.
struct ClientLine {
    std::string text;
    bool is_error = false; ///< slurmctld, a rule or a script refuses the job
    friend bool operator==(const ClientLine&, const ClientLine&) = default;
};

/// The lines as one text: each begins with its kind and ends with a newline.
inline std::string write_refusal(std::span<const ClientLine> lines) {
    constexpr std::size_t max_line = 2000;
    std::string text;
    for (const ClientLine& line : lines)
        text += text::format("{}{}\n", line.is_error ? 'e' : 'i', text::printable(line.text, max_line));
    return text;
}

/// The lines again. Lines of no kind are left out.
inline std::vector<ClientLine> read_refusal(std::string_view text) {
    std::vector<ClientLine> lines;
    for (const std::string_view line : text::split(text, '\n'))
        if (line.starts_with('e') || line.starts_with('i'))
            lines.push_back({std::string(line.substr(1)), line.front() == 'e'});
    return lines;
}

} // namespace qg::slurm
