// SPDX-License-Identifier: GPL-2.0-or-later
//
// QOS records as JSON. Keys are the schema's names. Unset is null (of lists and TRES: empty); numbers are in
// the units that `qosgate qos fields` names; mem is in MiB.
#pragma once

#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <nlohmann/json.hpp>

#include <span>
#include <vector>

namespace qg::cli {

using Json = nlohmann::ordered_json;

/// One field's value.
Json field_to_json(const model::QosField& field, const model::QosRecord& record);

/// The fields given, in their order.
Json record_to_json(const model::QosRecord& record, std::span<const model::QosField* const> fields);

/// All fields.
Json record_to_json(const model::QosRecord& record);

/// {"MaxWall":{"before":null,"after":480}, …}: the fields that differ.
Json differences_to_json(const model::QosRecord& before, const model::QosRecord& after);

/// All fields of the schema, by address.
std::vector<const model::QosField*> all_fields();

} // namespace qg::cli
