// SPDX-License-Identifier: GPL-2.0-or-later
//
// Properties of plans for random files and live states.
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/plan.hpp"
#include "spec/random_spec.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(plan_properties)

BOOST_AUTO_TEST_CASE(what_was_applied_needs_no_change) {
    std::size_t plans = 0;
    std::size_t with_access = 0;
    for (unsigned seed = 0; seed < 300; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            RandomSpec random(seed);
            const LiveState state = random.live_state();
            const Desired wanted = random.desired();
            const Planned planned = make_plan(wanted, state, random.options());
            if (!planned.problems.empty() || !planned.conflicts.empty()) {
                BOOST_TEST(!planned.plan.changes_anything());
                continue;
            }
            ++plans;
            if (!planned.plan.access.empty()) ++with_access;

            const Planned again = make_plan(wanted, apply_to(planned.plan, state), random.options());

            BOOST_TEST(texts_of(again.problems) == std::vector<std::string>{});
            BOOST_TEST(again.conflicts == std::vector<Conflict>{});
            BOOST_TEST(!again.plan.changes_anything());
            if (again.plan.changes_anything()) BOOST_TEST(again.plan == planned.plan);
        }
    }
    BOOST_TEST(plans > 160u);
    BOOST_TEST(with_access > 60u);
}

BOOST_AUTO_TEST_CASE(equal_input_in_any_order_gives_equal_plans) {
    for (unsigned seed = 0; seed < 300; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            RandomSpec random(seed);
            LiveState state = random.live_state();
            Desired wanted = random.desired();
            const Planned first = make_plan(wanted, state, {});

            random.shuffle(state.qos);
            random.shuffle(state.associations);
            random.shuffle(wanted.qos);
            const Planned second = make_plan(wanted, state, {});

            BOOST_TEST(second.plan == first.plan);
            BOOST_TEST(texts_of(second.problems) == texts_of(first.problems));
            BOOST_TEST(second.conflicts == first.conflicts);
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
