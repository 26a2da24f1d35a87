// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_run.hpp"

#include <algorithm>

namespace qg::policy::compat {

void ScriptRun::tell(std::string_view text) noexcept {
    try {
        if (message_.size() + text.size() >= max_message) return;
        if (has_told_) message_ += '\n';
        message_ += text;
        has_told_ = true;
    } catch (...) { // out of memory: a job must not depend on a message
        return;
    }
}

void ScriptRun::log(int level, std::string_view text) noexcept {
    try {
        if (write_ != nullptr)
            write_(level, std::string(text.substr(0, std::min(text.size(), max_line))).c_str());
        else if (lines_.size() < max_lines)
            lines_.push_back({level, std::string(text.substr(0, std::min(text.size(), max_line)))});
    } catch (...) {
        return;
    }
}

} // namespace qg::policy::compat
