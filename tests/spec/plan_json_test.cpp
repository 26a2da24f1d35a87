// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan_json.hpp"

#include "qosgate/spec/strict_json.hpp"
#include "spec/random_spec.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

Plan a_plan() {
    Plan made;
    made.cluster = "c";
    made.created = {stored_qos("night", {"MaxWall=60", "GrpTRES=cpu=5,gres/gpu=2", "Flags=NoReserve"})};
    made.updated = {
        {stored_qos("a"), stored_qos("a", {"UsageFactor=0.1", "Priority=4294967", "Preempt=night"})}};
    made.removed = {stored_qos("old")};
    made.access = {{{"c", "physics", "ana", "gpu"}, {"night"}, {"old"}, ""}};
    made.access_base = {{.name = {"c", "physics", "ana", "gpu"},
                         .added_qos = {"old"},
                         .removed_qos = {"night"},
                         .qos = {"old"},
                         .default_qos = "old"}};
    made.access.push_back({.name = {"c", "sub"}, .own = model::OwnAccess{{"night"}}});
    made.access_base.push_back({.name = {"c", "sub"}, .added_qos = {"a"}, .qos = {"a"}});
    made.shares = {{"night", "GrpTRES", "cpu", {12.5, "gpu"}, 5}};
    made.warnings = {"QOS 'old': \"quoted\""};
    made.named = {{{"c", "physics", "ana", "gpu"}, {"night"}}, {{"c", "chemistry"}, {"a", "night"}}};
    return made;
}

/// The plan's file with its contents changed, and a sum that fits.
std::string forged(const std::string& from, const std::string& to) {
    Json frame = Json::parse(plan_to_text(a_plan()));
    std::string contents = frame["plan"].dump();
    const auto at = contents.find(from);
    BOOST_TEST_REQUIRE(at != std::string::npos);
    contents.replace(at, from.size(), to);
    frame["plan"] = Json::parse(contents);
    frame["checksum"] = checksum_of("\"c\"" + frame["plan"].dump());
    return frame.dump();
}

std::string error_of(const std::string& text, const std::string& cluster = "c") {
    const auto read = plan_from_text(text, cluster);
    BOOST_TEST_REQUIRE(!read.has_value());
    return read.error().message;
}

} // namespace

BOOST_AUTO_TEST_SUITE(plan_json)

BOOST_AUTO_TEST_CASE(a_plan_is_known_by_its_text) {
    BOOST_TEST(is_plan(plan_to_text(a_plan())));
    BOOST_TEST(is_plan(Json::parse(plan_to_text(a_plan())).dump()));
    BOOST_TEST(!is_plan("# qosgate-plan\nowner: base\n"));
    BOOST_TEST(!is_plan("{\"owner\": \"base\", \"qos\": {}}"));
    BOOST_TEST(!is_plan(""));
}

BOOST_AUTO_TEST_CASE(a_plan_is_read_as_it_was_written) {
    const auto read = plan_from_text(plan_to_text(a_plan()), "c");
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(*read == a_plan());
    BOOST_TEST(plan_from_text(plan_to_text(a_plan()), "").has_value());
}

BOOST_AUTO_TEST_CASE(any_plan_is_read_as_it_was_written) {
    std::size_t plans = 0;
    for (unsigned seed = 0; seed < 200; ++seed) {
        RandomSpec random(seed);
        const LiveState state = random.live_state();
        const Planned planned = make_plan(random.desired(), state, random.options());
        if (!planned.plan.changes_anything()) continue;
        ++plans;
        BOOST_TEST_CONTEXT("seed " << seed) {
            const auto read = plan_from_text(plan_to_text(planned.plan), "c");
            BOOST_TEST_REQUIRE(read.has_value());
            BOOST_TEST(*read == planned.plan);
        }
    }
    BOOST_TEST(plans > 30u);
}

BOOST_AUTO_TEST_CASE(texts_that_are_no_utf8_survive) {
    Plan made = a_plan();
    made.created[0].description = "caf\xe9";
    const auto read = plan_from_text(plan_to_text(made), "c");
    BOOST_TEST_REQUIRE(read.has_value());
    BOOST_TEST(*read == made);
}

/// What is wrong with a plan; empty: nothing.
std::string wrong_with_plan(const Plan& made) {
    const auto read = plan_from_text(plan_to_text(made), "c");
    return read ? std::string() : read.error().message;
}

/// The same for one that creates this QOS.
std::string wrong_with(const model::QosRecord& created) {
    Plan made = a_plan();
    made.created = {created};
    return wrong_with_plan(made);
}

BOOST_AUTO_TEST_CASE(a_plan_writes_only_what_a_spec_could) {
    for (const char* name : {"e\x1b[31m", "e'1", "e,1", "c\"x", "17", "all", "c/%j", "Night", ""})
        BOOST_TEST(wrong_with(stored_qos(name)) != "", name);
    BOOST_TEST(wrong_with(stored_qos("night")) == "");

    model::QosRecord record = stored_qos("night");
    record.description = "a\x1b[31m";
    BOOST_TEST(wrong_with(record).find("qos night: Description: ") == 0u);
    record = stored_qos("night");
    record.flags = {"Bogus"};
    BOOST_TEST(wrong_with(record).find("qos night: Flags: ") == 0u);
    record.flags = {"NoReserve"};
    BOOST_TEST(wrong_with(record) == "");
    record.preempt_mode = {"Bogus"};
    BOOST_TEST(wrong_with(record).find("qos night: PreemptMode: ") == 0u);
}

BOOST_AUTO_TEST_CASE(a_plan_does_not_say_the_same_twice_or_both_ways) {
    const model::QosRecord night = stored_qos("night");
    const model::QosRecord longer = stored_qos("night", {"MaxWall=60"});
    Plan made = a_plan();
    made.updated = {{night, longer}, {night, longer}};
    BOOST_TEST(wrong_with_plan(made) == "qos night: it is changed twice");
    made.updated = {{night, longer}};
    BOOST_TEST(wrong_with_plan(made) == "");

    made.access = {{.name = {"c", "astro", {}, {}}, .granted = {"night"}, .revoked = {"night"}}};
    made.access_base = {model::AssociationRecord{.name = {"c", "astro", {}, {}}}};
    BOOST_TEST(wrong_with_plan(made) == "qos night: it is granted to and revoked from account astro");
    made.access[0].revoked = {"day"};
    BOOST_TEST(wrong_with_plan(made) == "");
}

BOOST_AUTO_TEST_CASE(who_created_a_qos_stays) {
    Plan made = a_plan();
    model::QosRecord before = stored_qos("night");
    model::QosRecord after = before;
    after.description = "night [qosgate:evil*]";
    made.updated = {{before, after}};
    BOOST_TEST(wrong_with_plan(made) == "qos night: a plan does not change who created a QOS");
    before.description = "night [qosgate:evil*=8]";
    made.updated = {{before, after}};
    BOOST_TEST(wrong_with_plan(made) == "");
}

BOOST_AUTO_TEST_CASE(counts_are_bounded_by_what_slurmdbd_stores) {
    BOOST_TEST(wrong_with(stored_qos("night", {"GrpTRES=cpu=9223372036854775807"})) == "");
    Plan made = a_plan();
    made.created = {stored_qos("night", {"GrpTRES=cpu=9223372036854775807"})};
    std::string text = plan_to_text(made);
    Json frame = Json::parse(text);
    frame["plan"]["created"][0]["GrpTRES"]["cpu"] = 9223372036854775808u;
    frame["checksum"] = checksum_of("\"c\"" + frame["plan"].dump());
    BOOST_TEST(error_of(frame.dump()) == "qos night: GrpTRES: cpu: at most 9223372036854775807");
}

BOOST_AUTO_TEST_CASE(what_a_plan_leaves_as_it_was_may_be_anything) {
    Plan made = a_plan();
    PlannedUpdate& update = made.updated[0];
    update.before.flags = update.after.flags = {"OfANewerSlurm"};
    BOOST_TEST(plan_from_text(plan_to_text(made), "c").has_value());
    update.before.flags = {};
    BOOST_TEST(!plan_from_text(plan_to_text(made), "c").has_value());
}

BOOST_AUTO_TEST_CASE(a_plan_for_another_cluster_is_refused) {
    const auto read = plan_from_text(plan_to_text(a_plan()), "d");
    BOOST_TEST_REQUIRE(!read.has_value());
    BOOST_TEST(read.error().code == ErrorCode::conflict);
    BOOST_TEST(read.error().message == "cluster: it is for 'c', and this is 'd'");
}

BOOST_AUTO_TEST_CASE(an_altered_file_is_refused_and_another_indentation_is_not) {
    std::string text = plan_to_text(a_plan());
    BOOST_TEST(plan_from_text(Json::parse(text).dump(), "c").has_value());
    text.replace(text.find("\"MaxWall\": 60"), 13, "\"MaxWall\": 61");
    BOOST_TEST(error_of(text).find("checksum: the contents were changed after they were written") == 0u);
}

BOOST_AUTO_TEST_CASE(the_cluster_is_part_of_what_is_summed) {
    std::string text = plan_to_text(a_plan());
    text.replace(text.find("\"cluster\": \"c\""), 14, "\"cluster\": \"d\"");
    BOOST_TEST(error_of(text, "d").find("checksum") == 0u);
}

BOOST_AUTO_TEST_CASE(another_version_is_unsupported) {
    std::string text = plan_to_text(a_plan());
    text.replace(text.find("\"version\": 1"), 12, "\"version\": 2");
    BOOST_TEST(plan_from_text(text, "c").error().code == ErrorCode::unsupported);
    BOOST_TEST(error_of(text) == "version: this program reads version 1, not 2");
}

struct Forgery {
    std::string from, to, error;
};
std::ostream& operator<<(std::ostream& out, const Forgery& forgery) {
    return out << forgery.from << " -> " << forgery.to;
}

const std::vector<Forgery> forgeries{
    {R"("MaxWall":60)", R"("MaxWal":60)",
     "plan.created[0].MaxWal: there is no such member; did you mean MaxWall?"},
    {R"("MaxWall":60)", R"("MaxWall":"60")",
     "plan.created[0].MaxWall: must be a whole number from 0 to 4294967295"},
    {R"("MaxWall":60)", R"("MaxWall":4294967296)",
     "plan.created[0].MaxWall: must be a whole number from 0 to 4294967295"},
    {R"("MaxWall":60)", R"("MaxWall":-1)",
     "plan.created[0].MaxWall: must be a whole number from 0 to 4294967295"},
    {R"("MaxWall":60)", R"("MaxWall":null)",
     "plan.created[0].MaxWall: must be a whole number from 0 to 4294967295"},
    {R"("gres/gpu":2)", R"("gres/gpu":2.5)",
     "plan.created[0].GrpTRES.gres/gpu: must be a whole number from 0 to 18446744073709551615"},
    {R"("Flags":["NoReserve"])", R"("Flags":"NoReserve")", "plan.created[0].Flags: must be a list"},
    {R"("Flags":["NoReserve"])", R"("Flags":[1])", "plan.created[0].Flags[0]: must be a text"},
    {R"("UsageFactor":0.1)", R"("UsageFactor":-0.1)",
     "plan.updated[0].after.UsageFactor: must be a number, not negative"},
    {R"("after":{"Name":"a")", R"("after":{"Name":"b")",
     "plan.updated[0]: the names before and after must be equal"},
    {R"("removed":[{"Name":"old",)", R"("removed":[{)", "plan.removed[0].Name: is missing"},
    {R"("granted":["night"])", R"("grant":["night"])", "plan.access[0].granted: is missing"},
    {R"("account":"physics")", R"("account":"phys")",
     "plan.access_base: must be of the associations in 'access'"},
    {R"("own":{"whole":["night"])", R"("own":{"hole":["night"])", "plan.access[1].own.whole: is missing"},
    {R"("own":{"whole":["night"])", R"("own":{"whole":"night")", "plan.access[1].own.whole: must be a list"},
    {R"("whole":["night"],"added":[])", R"("whole":["night"],"added":["a"])",
     "plan.access[1]: a list of its own has no differences to the list above"},
    {R"("whole":["night"],"added":[],"removed":[])", R"("whole":[],"added":["a"],"removed":["a"])",
     "plan.access[1]: a QOS is added to the list above and removed from it"},
    {R"("account":"sub","granted":[])", R"("account":"sub","granted":["a"])",
     "plan.access[1]: a list of its own is set, and something is granted or revoked besides"},
    {R"("own":{"whole":["night"])", R"("own":{"whole":["old"])",
     "qos old: it is deleted, and account sub names it in its own list"},
    {R"("default_qos":"")", R"("default_qos":7)", "plan.access[0].default_qos: must be a text"},
    {R"("percent":12.5)", R"("percent":"12.5")", "plan.shares[0].percent: must be a number, not negative"},
    {R"("Description":"old")", R"("Description":{"bytes":"c"})",
     "plan.removed[0].Description: must be a text"},
};

BOOST_DATA_TEST_CASE(reading_is_strict, boost::unit_test::data::make(forgeries)) {
    BOOST_TEST(error_of(forged(sample.from, sample.to)) == sample.error);
}

BOOST_AUTO_TEST_CASE(reading_is_bounded) {
    BOOST_TEST(error_of("") == "this is not JSON, or not all of it");
    BOOST_TEST(error_of(R"({"format": "a", "plan": {"created": [{"x": 1}, {"x": 1, "y": [], "x": 1}]}})") ==
               "an object has the member 'x' twice");
    BOOST_TEST(error_of("[]") == "must be an object");
    BOOST_TEST(error_of(plan_to_text(a_plan()) + "x") == "this is not JSON, or not all of it");
    const auto nested = [](std::size_t depth) { return std::string(depth, '[') + std::string(depth, ']'); };
    BOOST_TEST(parse_json(nested(JsonBounds::max_depth)).has_value());
    BOOST_TEST(parse_json(nested(JsonBounds::max_depth + 1)).error().code == ErrorCode::limit_exceeded);
    BOOST_TEST(parse_json("\"" + std::string(100, '[') + "\\\"" + std::string(100, '[') + "\"").has_value());
}

BOOST_AUTO_TEST_SUITE_END()
