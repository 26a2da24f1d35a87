// SPDX-License-Identifier: GPL-2.0-or-later
//
// What callers of the C interface ask for, read from JSON (qosgate.h describes it). Every function's errors:
// invalid_input, naming the member; limit_exceeded.
#pragma once

#include "qosgate/admin/association_manager.hpp"
#include "qosgate/admin/qos_manager.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/load_files.hpp"
#include "qosgate/spec/plan.hpp"

#include <string>
#include <string_view>
#include <vector>

namespace qg::admin {

/// Names, and what to set in all of them.
struct ChangeRequest {
    std::vector<std::string> names;
    model::QosChange change;
};

struct RemovalRequest {
    std::vector<std::string> names;
    RemovalMode mode = RemovalMode::only_unused;
};

struct AccessRequest {
    std::vector<Holder> holders;
    model::AccessChange change;
};

struct SpecRequest {
    std::vector<spec::SourceText> files;
    spec::PlanOptions options;
};

/// An empty text: the defaults.
Result<ListOptions> read_list_options(std::string_view text);
Result<ChangeRequest> read_change(std::string_view text, const model::TresCatalogue& catalogue);
Result<RemovalRequest> read_removal(std::string_view text);
Result<AccessRequest> read_access_change(std::string_view text);
Result<SpecRequest> read_specs(std::string_view text);

} // namespace qg::admin
