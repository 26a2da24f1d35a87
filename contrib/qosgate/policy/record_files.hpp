// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads decision records (contrib/decision-record.schema.json).
//
//   const auto files = find_record_files(options.files);
//   const auto read = read_records(*files, [&](const nlohmann::json& record) { sum.add(record); });
#pragma once

#include "qosgate/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// The files that the command line names. A directory of rules stands for the files of its setting
/// record_file, the oldest first; no name at all for the directory beside slurm.conf. Errors: not_found if
/// such a directory names no file; as load_policy_to_try and find_policy_directory.
Result<std::vector<std::filesystem::path>> find_record_files(const std::vector<std::string>& named);

/// What was read.
struct RecordsRead {
    std::uint64_t records = 0;
    std::uint64_t unreadable = 0; ///< lines that are no record: half written, or too long
    std::uint64_t lost = 0;       ///< records that were never written (`dropped_before`)
};

/// Calls `take` with each record, in the order of files and lines. Errors: unavailable if a file cannot be
/// read. Cost: holds one line in memory, of at most 4 MiB.
Result<RecordsRead> read_records(const std::vector<std::filesystem::path>& files,
                                 const std::function<void(const nlohmann::json& record)>& take);

/// The same with each line as it is. `take` says how many records were lost before it; empty: the line is no
/// record.
using TakeRecordLine = std::function<std::optional<std::uint64_t>(std::string_view line)>;
Result<RecordsRead> read_record_lines(const std::vector<std::filesystem::path>& files,
                                      const TakeRecordLine& take);

/// A member that is a text; "" if there is none.
std::string text_of(const nlohmann::json& object, const char* key);

/// The members of a list that are texts; empty if there is no list.
std::vector<std::string> texts_of(const nlohmann::json& object, const char* key);

} // namespace qg::cli
