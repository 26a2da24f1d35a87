// SPDX-License-Identifier: GPL-2.0-or-later
//
// record_fields: what a script reads of job_rec, the job before a change, and where it comes from.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/script_field_names.hpp"
#include "qosgate/model/script_value.hpp"
#include "qosgate/policy/compat/script_host.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <cstddef>
#include <cstdint>
#include <set>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy::compat {

using model::RecordField;

[[nodiscard]] RecordField record_field(std::string_view name) noexcept;

/// The names of all fields, sorted.
[[nodiscard]] std::span<const std::string_view> record_field_names() noexcept;

/// Adds the listed fields that a source may read of a record: behind a point, or as a literal. Those that
/// job_desc has, too, do not count behind the name job_desc.
void add_listed_fields(std::string_view source, std::set<std::string, std::less<>>& names);

// ---- a field of a partition, a reservation or a job that was read in the background --------------------

/// Nothing for a name that records of Slurm's plugin do not have, either. Sets `error` if there may be a
/// value and it is not known; ScriptValue::Kind::unknown if that is because of the state of this record.
/// `noun` is that of one record. Ownership: the text is borrowed from the records.
model::ScriptValue read_listed_field(const model::ScriptRecords& records, std::size_t index,
                                     std::string_view name, std::string_view noun, ErrorText& error) noexcept;

// ---- groups of a partition -----------------------------------------------------------------------------
// Whether AllowGroups of a partition lets a user in, as Slurm's plugin for scripts answers it.

/// `allow_groups` are names with commas; empty: the partition is shown to everybody. So it is if none of the
/// groups exists: Slurm's plugin then finds no list of users. Errors: unavailable if the user is not known
/// yet, or a group, unless the user is in another one. Cost: one look-up for each group.
Result<bool> is_shown_to(std::string_view allow_groups, std::uint32_t user_id, ScriptHost& host);

} // namespace qg::policy::compat
