// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records as JSON, for files that are read again. Members are the schema's names, numbers are in the units of
// the schema, and what is not set is left out.
#pragma once

#include "qosgate/model/association_record.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/spec/strict_json.hpp"

namespace qg::spec {

Json record_to_json(const model::QosRecord& record);
model::QosRecord record_from_json(JsonReader& reader, const Json& json, const std::string& path);

/// Without the cluster, which the file names once.
Json association_to_json(const model::AssociationRecord& record);
model::AssociationRecord association_from_json(JsonReader& reader, const Json& json, const std::string& path,
                                               const std::string& cluster);

Json change_to_json(const model::AccessChange& change);
model::AccessChange change_from_json(JsonReader& reader, const Json& json, const std::string& path,
                                     const std::string& cluster);

} // namespace qg::spec
