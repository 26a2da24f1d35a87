// SPDX-License-Identifier: GPL-2.0-or-later
//
// SpecWriter: the text of a spec file.
#pragma once

#include "qosgate/model/qos_record.hpp"
#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/ownership.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::spec {

/// A QOS to be written.
struct WrittenQos {
    model::QosRecord record; ///< only what is set is written; the description without a mark
    DesiredAccess access = {};
    std::vector<std::string> comments = {}; ///< one line each, before the QOS's fields
    FieldNames left_out = {};               ///< fields that are not written
};

/// The text of a file that defines the QOSs; with an empty owner it has none. What no spec can say is left
/// out, with a comment that says so: a description with line breaks or bytes that are not UTF-8, flags of a
/// newer Slurm.
std::string write_spec(std::string_view owner, std::span<const WrittenQos> qos,
                       std::span<const std::string> comments);

} // namespace qg::spec
