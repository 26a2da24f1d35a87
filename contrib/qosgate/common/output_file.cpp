// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/output_file.hpp"

#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"

#include <sys/stat.h>

namespace qg::cli {

Result<void> write_output_file(const std::string& path, std::string_view content, mode_t mode) {
    struct stat facts {};
    if (lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
        return Error{ErrorCode::invalid_input,
                     text::format("{}: is no regular file, and would be replaced: name another file",
                                  text::printable(path, 1000))};
    return replace_file(path, content, mode, Durability::on_disk);
}

} // namespace qg::cli
