// SPDX-License-Identifier: GPL-2.0-or-later
//
// The command as its user typed it. It is only ever asked for the spelling of an option: scripts and the
// environment give options, too, and a word that looks like one may be an argument of the job.
#pragma once

#include <optional>
#include <string_view>

namespace qg::gate {

/// The value that a long option is given last: "2" of "--gpus=1 --gpus=2" or "--gpus 2". Nothing without it.
/// Cost: linear in the line.
std::optional<std::string_view> find_option(std::string_view submit_line, std::string_view option);

/// Whether the command only tests a job (--test-only, shortened or not), as far as its first words tell.
/// Words behind a script, "--" or a free text (--wrap, --comment) are not looked at, and an option that is
/// not known, or shortened, is taken to have no value: in doubt it is a job. Another value with spaces may be
/// mistaken for options. Cost: bounded.
bool is_test_only(std::string_view submit_line);

} // namespace qg::gate
