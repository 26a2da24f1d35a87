// SPDX-License-Identifier: GPL-2.0-or-later
//
// What export and import write is what load reads.
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/export.hpp"
#include "qosgate/spec/import.hpp"
#include "qosgate/spec/load_files.hpp"
#include "spec/random_spec.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

Desired loaded(const std::string& text) {
    const std::vector<SourceText> files{{"f.yaml", text}};
    Loaded read = load(files, nullptr);
    BOOST_TEST(to_text(read.problems) == to_text(std::vector<Problem>{}));
    return std::move(read.desired);
}

} // namespace

BOOST_AUTO_TEST_SUITE(export_load)

BOOST_AUTO_TEST_CASE(an_export_plans_to_no_change_but_adoption) {
    for (unsigned seed = 0; seed < 200; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            RandomSpec random(seed);
            const LiveState state = random.live_state();
            const std::string text = export_spec(state, {"base"}).value();

            const Planned planned = make_plan(loaded(text), state, {});

            BOOST_TEST_CONTEXT(text) {
                BOOST_TEST(texts_of(planned.problems) == std::vector<std::string>{});
                BOOST_TEST(planned.conflicts == std::vector<Conflict>{});
                BOOST_TEST(planned.plan.created.empty());
                BOOST_TEST(planned.plan.removed.empty());
                BOOST_TEST(planned.plan.access == std::vector<model::AccessChange>{});
                for (const PlannedUpdate& update : planned.plan.updated)
                    BOOST_TEST(is_mark_only(update));
            }
        }
    }
}

BOOST_AUTO_TEST_CASE(hard_texts_and_names_survive) {
    const std::vector<std::string> texts{"unset", "-1",  "null", "{account}",   "a: b # c",
                                         "'",     "\"",  "\\",   "caf\xc3\xa9", "%s %d",
                                         "- x",   "[x]", "true", "007",         std::string(4096, 'x')};
    for (const std::string& text : texts) {
        model::QosRecord record = stored_qos("night");
        record.description = text;
        const LiveState state = live({record, stored_qos("yes"), stored_qos("1e3"), stored_qos("a:b@c")});

        const Desired wanted = loaded(export_spec(state, {"base"}).value());

        BOOST_TEST_REQUIRE(wanted.qos.size() == 4u);
        const Plan made = plan_of(wanted.qos, state);
        for (const PlannedUpdate& update : made.updated)
            BOOST_TEST(is_mark_only(update));
    }
}

BOOST_AUTO_TEST_CASE(a_qos_that_was_deleted_comes_back) {
    std::size_t compared = 0;
    for (unsigned seed = 0; seed < 100; ++seed) {
        RandomSpec random(seed);
        for (const model::QosRecord& record : random.live_state().qos) {
            const LiveState without = live({stored_qos("normal"), stored_qos("night")});
            if (record.name == "normal" || record.name == "night") continue;
            BOOST_TEST_CONTEXT("seed " << seed << " " << record.name) {
                const Plan made = plan_of(loaded(spec_for(record, {}, "base")).qos, without);
                BOOST_TEST_REQUIRE(made.created.size() == 1u);
                BOOST_TEST(without_mark(made.created[0]) == without_mark(record));
                ++compared;
            }
        }
    }
    BOOST_TEST(compared > 100u);
}

BOOST_AUTO_TEST_CASE(an_import_can_be_planned) {
    const SourceText table{"t", "Name|Priority|MaxWall|GrpTRES|Preempt|PreemptExemptTime\n"
                                "normal|0||||\nnight|5|01:00:00|cpu=5,mem=2G|normal|00:00:30\n"};
    const Plan made =
        plan_of(loaded(import_spec(std::span(&table, 1), "base").spec).qos, live({stored_qos("normal")}));
    BOOST_TEST_REQUIRE(made.created.size() == 1u);
    BOOST_TEST(without_mark(made.created[0]) ==
               stored_qos("night", {"Priority=5", "MaxWall=60", "GrpTRES=cpu=5,mem=2G", "Preempt=normal",
                                    "PreemptExemptTime=00:00:30"}));
}

BOOST_AUTO_TEST_SUITE_END()
