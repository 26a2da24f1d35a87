// SPDX-License-Identifier: GPL-2.0-or-later
//
// -o yaml of `qosgate qos list` and `qosgate qos get`: QOSs as a spec without an owner.
#pragma once

#include "common/command.hpp"
#include "qos/qos_connection.hpp"

#include "qosgate/spec/ownership.hpp"

#include <span>
#include <string>
#include <vector>

namespace qg::cli {

/// Adds -o, which --json excludes. `format` is "yaml" then, or empty.
Option add_yaml_option(Command command, std::string& format);

/// What of the QOSs is written.
struct YamlParts {
    spec::FieldNames left_out = {};
    bool has_access = false; ///< also who may use them, which is read from slurmdbd
};

/// Writes the records, which have their marks. `all` are the QOSs that there are. Errors: as
/// Connection::ask().
Result<void> write_yaml(Output& output, QosConnection& connection,
                        const std::vector<model::QosRecord>& records, std::span<const slurmdb::StoredQos> all,
                        const YamlParts& parts);

} // namespace qg::cli
