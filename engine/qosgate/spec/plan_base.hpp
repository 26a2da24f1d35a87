// SPDX-License-Identifier: GPL-2.0-or-later
//
// expect_base: whether what a plan touches is still as it was when the plan was made.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/spec/plan.hpp"

#include <span>
#include <string>

namespace qg::spec {

/// Compares the plan's base with what is stored now. Without changes of access, `associations` may be empty.
/// Errors: conflict, with what differs.
Result<void> expect_base(const Plan& plan, std::span<const model::QosRecord> qos,
                         std::span<const model::AssociationRecord> associations);

/// The first sentences, and how many are left out: "a; b; and 3 more".
std::string list_sentences(std::span<const std::string> sentences);

} // namespace qg::spec
