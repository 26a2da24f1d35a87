// SPDX-License-Identifier: GPL-2.0-or-later
//
// ViewSetup: rules that read `view`, over the small cluster of GateSetup.
#pragma once

#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <string>

namespace qg::test {

struct ViewSetup : GateSetup {
    /// What the gate answers to a rule with this body.
    [[nodiscard]] model::Decision run(const std::string& body) const {
        const auto policy = load_rule("rule { submit = function(job, view)\n" + body + "\nend }");
        return decide(policy.get());
    }

    /// The value of an expression, as tostring shows it; "error: ..." if the rule fails.
    [[nodiscard]] std::string value_of(const std::string& expression) const {
        // Another name for `view`, so that only the check at run time sees it.
        const auto decision = run("local view, _ = view; job:warn('%s', tostring(" + expression + "))");
        return shown(decision);
    }

    /// The first line of an answer, which is "error: ..." if a rule failed.
    [[nodiscard]] static std::string shown(const model::Decision& decision) {
        BOOST_TEST_REQUIRE(!decision.message.empty());
        const std::string& line = decision.message.front();
        if (decision.reject == model::RejectCode::none) return line;
        const auto where = line.find("rule.lua:");
        const auto begin = where == std::string::npos ? where : line.find(": ", where);
        return begin == std::string::npos ? "error: " + line : "error" + line.substr(begin);
    }
};

} // namespace qg::test
