// SPDX-License-Identifier: GPL-2.0-or-later
//
// A plan in words and as JSON.
#pragma once

#include "access/grants.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/spec/plan.hpp"

#include <cstddef>
#include <ostream>
#include <string>
#include <vector>

namespace qg::cli {

/// What the plan changes, field by field; with a line of sums at the end. `permanent` is how much temporary
/// access has no end any more once it is carried out.
void print(const spec::Plan& plan, std::size_t permanent, std::ostream& out);

/// The temporary access that has no end any more once the plan is carried out: a line each.
void print_named(const std::vector<TemporaryGrant>& grants, std::ostream& out);

/// "creates 1 QOS, changes 2, grants 3"; "nothing to change". `permanent` as above.
std::string summary_of(const spec::Plan& plan, std::size_t permanent);

/// created, updated, deleted, granted, revoked, defaults, shares, warnings; made_permanent: `named`, the
/// grants that the plan's files name.
Json to_answer(const spec::Plan& plan, const std::vector<TemporaryGrant>& named);

} // namespace qg::cli
