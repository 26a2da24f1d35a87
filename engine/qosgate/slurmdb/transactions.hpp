// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmdbd's log of transactions: who changed a QOS, and when.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/slurmdb/connection.hpp"

#include <ctime>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::slurmdb {

/// One entry of the log. The texts are those of slurmdbd's SQL.
struct LoggedChange {
    std::time_t time = 0;
    std::string actor;
    std::string where;           ///< "(name='night')"; of an addition or removal: "night"
    std::string set;             ///< "max_wall_duration_per_job=720"
    bool is_qos_removal = false; ///< `where` has ids only: "id='8'"
};

/// The entries since a time, the earliest first. For operators and administrators: slurmdbd tells others
/// nothing. Errors: as Connection::ask().
Result<std::vector<LoggedChange>> read_log(Connection& connection, std::time_t since);

/// The latest entry that changed a field of a QOS ("MaxWall"), or the QOS as a whole if the field is empty.
/// Null: there is none, or a QOS has no such field. An entry names a QOS exactly as slurmdbd writes it; a
/// name with a quote is not found.
const LoggedChange* find_change(std::span<const LoggedChange> log, std::string_view qos,
                                std::string_view field);

/// The entry that removed a QOS that does not exist any more. The log names what is removed by ids, and tells
/// nowhere whose they are, so it is found only if all removals of QOSs after the last entry that names this
/// one are the same. Empty: it is not known.
const LoggedChange* find_removal(std::span<const LoggedChange> log, std::string_view qos);

} // namespace qg::slurmdb
