// SPDX-License-Identifier: GPL-2.0-or-later
//
// The arguments after a verb of `qosgate qos`: names and assignments. For sacctmgr's syntax the error shows
// the command to type.
#pragma once

#include "qosgate/base/result.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// "a,b c MaxWall=8:00:00": the QOSs and the changes.
struct NamesAndAssignments {
    std::vector<std::string> names; ///< lower case, each once, in the order given
    std::vector<std::string> assignments;
};

/// What a verb accepts.
enum class Takes { names, names_and_assignments, one_word_of_names_and_assignments };

/// Whether it stands between sacctmgr's arguments: "set" or "where".
bool is_sacctmgrs(const std::string& word);

/// The error for sacctmgr's word, with the command to type: the arguments without its "set" and "where".
Error takes_no_such_word(std::string_view verb, const std::string& word,
                         const std::vector<std::string>& arguments);

/// The patterns of `list`: "gpu*", or several joined by commas.
/// Errors: invalid_input for sacctmgr's "where", "format=" and their like, with the command to type.
Result<std::vector<std::string>> split_patterns(const std::vector<std::string>& arguments);

/// Separates names from assignments, which have a '='. `verb` is for the commands in the errors.
/// Errors: invalid_input if there is no name or an empty one, if a name is given twice, for sacctmgr's "set"
/// and "where", for a field without a '=' or with spaces around it, and for arguments that the verb does not
/// accept.
Result<NamesAndAssignments> split_arguments(std::string_view verb, Takes takes,
                                            const std::vector<std::string>& arguments);

} // namespace qg::cli
