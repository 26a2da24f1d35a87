// SPDX-License-Identifier: GPL-2.0-or-later
//
// A user from whom Slurm hides something.
#pragma once

#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

namespace qg::test {

inline constexpr std::uint32_t ana = 1000, operator_id = 7;

/// Ana submits. The root account allows 4 CPUs in total.
struct PrivacySetup : GateSetup {
    PrivacySetup() {
        request.submit_uid = ana;
        records.operators = {operator_id};
        root().limits = model::Limits(records.tres->size());
        root().limits.set(model::TresLimit::grp_tres, tres("cpu"), 4);
    }
    model::Association& root() { return records.associations.at(1).link; }

    std::string first_line() const { return decide().message.at(0); }
    std::string all_lines() const { return text::join(decide().message, "\n"); }
};

} // namespace qg::test
