// SPDX-License-Identifier: GPL-2.0-or-later
//
// record_fields: what a script reads of job_rec, the job before a change, and where it comes from.
#pragma once

#include "qosgate/model/record_field.hpp"

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

} // namespace qg::policy::compat
