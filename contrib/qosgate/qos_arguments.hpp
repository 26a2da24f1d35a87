// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the words after a verb of `qosgate qos` mean: names and assignments. Old habits from sacctmgr are
// answered with the command to type.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// "a,b c MaxWall=8:00:00": which QOSs, and what to make of them.
struct NamesAndAssignments {
    std::vector<std::string> names; ///< lower case, each once, in the order given
    std::vector<std::string> assignments;
};

/// What a verb takes.
enum class Takes { names, names_and_assignments, one_word_of_names_and_assignments };

/// Tells names from assignments: those have a '='. `verb` is for the commands in the errors.
/// Errors: invalid_input where there is no name or an empty one, where a name is given twice, for sacctmgr's
/// "set" and "where", for a field without a '=', and for what the verb does not take.
Result<NamesAndAssignments> split_arguments(std::string_view verb, Takes takes,
                                            const std::vector<std::string>& arguments);

} // namespace qg::cli
