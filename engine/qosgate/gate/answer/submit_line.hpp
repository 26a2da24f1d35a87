// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command as the user typed it. Only used to find the spelling of an option: scripts and the environment
// also set options, and a word that looks like an option may be an argument of the job.
#pragma once

#include <optional>
#include <string_view>

namespace qg::gate {

/// The last value of a long option: "2" of "--gpus=1 --gpus=2" or "--gpus 2". Empty without the option.
/// Cost: linear in the line.
std::optional<std::string_view> find_option(std::string_view submit_line, std::string_view option);

/// Whether the command only tests a job (--test-only, shortened or not), judged by its first words. Words
/// after the script, "--" or a free text (--wrap, --comment) are ignored. Unknown and shortened options count
/// as options without a value; in doubt the command is a real job. Other values with spaces may be mistaken
/// for options. Cost: bounded.
bool is_test_only(std::string_view submit_line);

} // namespace qg::gate
