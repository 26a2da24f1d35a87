// SPDX-License-Identifier: GPL-2.0-or-later
//
// listed_field: a field of a partition, a reservation or a job that was read in the background.
#pragma once

#include "qosgate/model/script_value.hpp"
#include "qosgate/policy/lua/lua_state.hpp"

#include <cstddef>
#include <string_view>

namespace qg::policy::compat {

/// Nothing for a name that records of Slurm's plugin do not have, either. Sets `error` if there may be a
/// value and it is not known; ScriptValue::Kind::unknown if that is because of the state of this record.
/// `noun` is that of one record. Ownership: the text is borrowed from the records.
model::ScriptValue read_listed_field(const model::ScriptRecords& records, std::size_t index,
                                     std::string_view name, std::string_view noun, ErrorText& error) noexcept;

} // namespace qg::policy::compat
