// SPDX-License-Identifier: GPL-2.0-or-later
//
// Texts that Slurm will free, made with Slurm's own allocator: its blocks carry a header, so a block of
// malloc() or new in one of its structs corrupts the heap of slurmctld. Every write of a text into
// job_desc_msg_t or err_msg goes through here.
#pragma once

#include "host/host_log.hpp"
#include "qosgate/base/text.hpp"

#include <cstddef>
#include <optional>
#include <span>
#include <string>

// Exported by every Slurm daemon, declared in no public header.
extern "C" {
void slurm_xfree(void** block);
char* slurm_xstrdup(const char* text);
void* slurm_xrecalloc(void** block, std::size_t count, std::size_t size, bool clear, bool may_fail,
                      const char* file, int line, const char* function);
}

namespace qg::plugin {

/// Replaces a text of Slurm; an empty optional makes it null.
/// Ownership: Slurm owns the text before and after. A NUL inside the text ends it.
inline void assign_text(char*& field, const std::optional<std::string>& text) {
    slurm_xfree(reinterpret_cast<void**>(&field));
    if (text) field = slurm_xstrdup(text->c_str());
}

/// Adds lines below the text that an earlier plugin may have left in `*err_msg`. Lines may contain a user's
/// text and go to terminals, so control characters are removed and long lines are cut. Nothing is added if
/// `err_msg` is null.
inline void append_message(char** err_msg, std::span<const std::string> lines) {
    if (err_msg == nullptr || lines.empty()) return;
    std::string message = *err_msg == nullptr ? "" : *err_msg;
    for (const std::string& line : lines) {
        if (!message.empty()) message += '\n';
        message += text::printable(line, max_line_length);
    }
    assign_text(*err_msg, message);
}

/// Adds a text that is not changed below what is there: what a site's own script says.
inline void append_text(char** err_msg, const std::string& text) {
    if (err_msg == nullptr) return;
    assign_text(*err_msg, *err_msg == nullptr ? text : std::string(*err_msg) + '\n' + text);
}

} // namespace qg::plugin
