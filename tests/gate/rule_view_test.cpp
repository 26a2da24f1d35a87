// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules read as `view`: the time, the cluster, users.
#include "qosgate/quota/user_groups.hpp"
#include "support/texts.hpp"
#include "support/view_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using test::has;

namespace {

/// The groups of root and of one other user, and how often they were asked for.
struct TestedGroups final : quota::UserGroups {
    Result<std::vector<std::string>> of_user = std::vector<std::string>{"staff", "gpu"};
    mutable int questions = 0;

    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const override {
        ++questions;
        if (user_id == 0) return std::vector<std::string>{"root"};
        return of_user;
    }
};

/// Tests run with TZ=UTC.
struct RuleViewSetup : test::ViewSetup {
    RuleViewSetup() {
        request.submit_uid = 1000;
        times = {.now = 1784538245, .cluster_read_at = 1784538240}; // Monday, 2026-07-20 09:04:05
    }

    void set_record(quota::AdminLevel level, std::vector<std::string> coordinates = {}) {
        quota::UserRecord record;
        record.id = 1000;
        record.level = level;
        record.coordinates = std::move(coordinates);
        records.users = {record};
    }

    /// Why a policy with this rule does not load; it must not.
    static std::string load_error(const std::string& rule) {
        const auto policy =
            policy::compile_policy(policy::SourceDirectory{.exists = true, .files = {{"rule.lua", rule}}});
        BOOST_TEST_REQUIRE(!policy.has_value(), rule);
        return policy.error().message;
    }
    static std::string body_error(const std::string& body) {
        return load_error("rule { submit = function(job, view) " + body + " end }");
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rule_view, RuleViewSetup)

BOOST_AUTO_TEST_CASE(now_is_the_time_of_the_decision) {
    BOOST_TEST(value_of("view.now.seconds") == "1784538245");
    BOOST_TEST(value_of("view.now.hour") == "9");
    BOOST_TEST(value_of("view.now.minute") == "4");
    BOOST_TEST(value_of("view.now.weekday") == "1");
    BOOST_TEST(value_of("view.now.day") == "20");
    BOOST_TEST(value_of("view.now.month") == "7");
    BOOST_TEST(value_of("view.now.year") == "2026");
}

BOOST_AUTO_TEST_CASE(a_week_ends_with_sunday) {
    times.now -= 24 * 60 * 60;
    BOOST_TEST(value_of("view.now.weekday") == "7");
    times.now -= 24 * 60 * 60;
    BOOST_TEST(value_of("view.now.weekday") == "6");
}

BOOST_AUTO_TEST_CASE(a_time_that_is_not_known_is_an_error) {
    times = {};
    BOOST_TEST(has(value_of("view.now.hour"), "error: the time of this decision is not known"));
    BOOST_TEST(has(value_of("view.now"), "error: the time of this decision is not known"));
}

BOOST_AUTO_TEST_CASE(the_cluster_tells_its_name_and_age) {
    BOOST_TEST(value_of("view.cluster.name") == "testing");
    BOOST_TEST(value_of("view.cluster.age") == "5");
    times.now = times.cluster_read_at - 1; // the clock was set back
    BOOST_TEST(value_of("view.cluster.age") == "0");
}

BOOST_AUTO_TEST_CASE(the_cluster_tells_what_it_has) {
    default_memory = model::Memory{2000, /*per_cpu=*/true};
    max_memory = model::Memory{64000, /*per_cpu=*/false};
    BOOST_TEST(value_of("view.cluster.default_partition") == "main");
    BOOST_TEST(value_of("table.concat(view.cluster.partitions, ' ')") == "main viz");
    BOOST_TEST(value_of("view.cluster.DefMemPerCPU") == "2000");
    BOOST_TEST(value_of("view.cluster.DefMemPerNode") == "nil");
    BOOST_TEST(value_of("view.cluster.MaxMemPerCPU") == "nil");
    BOOST_TEST(value_of("view.cluster.MaxMemPerNode") == "64000");
    BOOST_TEST(value_of("view.cluster.MaxArraySize") == "1001");
}

BOOST_AUTO_TEST_CASE(a_cluster_that_is_not_known_is_an_error) {
    is_cluster_known = false;
    BOOST_TEST(has(value_of("view.cluster.name"), "error: the cluster is not known yet"));
    BOOST_TEST(value_of("view.now.hour") == "9");
}

BOOST_AUTO_TEST_CASE(a_cluster_without_partitions_has_no_list) {
    partitions.clear();
    BOOST_TEST(value_of("view.cluster.partitions") == "nil");
    BOOST_TEST(value_of("view.cluster.default_partition") == "nil");
}

BOOST_AUTO_TEST_CASE(user_is_the_owner_of_the_job) {
    BOOST_TEST(value_of("view.user.name") == "ana");
    BOOST_TEST(value_of("view.user.uid") == "1000");
    BOOST_TEST(value_of("view.user.admin_level") == "none");
    BOOST_TEST(value_of("view.user.default_account") == "hpc-users");
}

BOOST_AUTO_TEST_CASE(sender_is_who_asks) {
    request.submit_uid = 0;
    BOOST_TEST(value_of("view.sender.uid") == "0");
    BOOST_TEST(value_of("view.sender.admin_level") == "administrator");
    BOOST_TEST(value_of("view.user.admin_level") == "none");
    request.submit_uid = 1000;
    BOOST_TEST(value_of("view.sender.name") == "ana");
}

BOOST_AUTO_TEST_CASE(levels_are_those_of_the_user) {
    records.operators = {1000};
    BOOST_TEST(value_of("view.user.admin_level") == "operator");
    records.operators = {};
    set_record(quota::AdminLevel::administrator);
    BOOST_TEST(value_of("view.user.admin_level") == "administrator");
}

BOOST_AUTO_TEST_CASE(a_user_without_records_has_no_name) {
    request.user_id = request.submit_uid = 4711;
    BOOST_TEST(value_of("view.user.name") == "nil");
    BOOST_TEST(value_of("view.user.default_account") == "nil");
    BOOST_TEST(value_of("view.user.uid") == "4711");
}

BOOST_AUTO_TEST_CASE(coordinators_are_of_accounts) {
    set_record(quota::AdminLevel::none, {"physics"});
    BOOST_TEST(value_of("view.user.coordinates('physics')") == "true");
    BOOST_TEST(value_of("view.user.coordinates('Physics')") == "true");
    BOOST_TEST(value_of("view.user.coordinates('hpc-users')") == "false");
    BOOST_TEST(has(value_of("view.user.coordinates()"), "write view.user.coordinates(account)"));
    BOOST_TEST(has(value_of("view.user.coordinates(7)"), "write view.user.coordinates(account)"));
    BOOST_TEST(
        has(value_of("view.user:coordinates('physics')"), "view.user.coordinates(account), with a dot"));
    records.users.front().coordinates_more = true;
    BOOST_TEST(value_of("view.user.coordinates('physics')") == "true");
    BOOST_TEST(
        has(value_of("view.user.coordinates('hpc-users')"), "coordinates more accounts than rules read"));
}

BOOST_AUTO_TEST_CASE(unknown_names_are_errors) {
    BOOST_TEST(
        has(value_of("view.clustre"), "error: unknown field 'clustre' of view; did you mean cluster?"));
    BOOST_TEST(has(value_of("view.now.hours"), "unknown field 'hours' of view.now; did you mean hour?"));
    BOOST_TEST(has(value_of("view.user[1]"), "unknown field '1' of view.user"));
}

BOOST_AUTO_TEST_CASE(nothing_can_be_written) {
    BOOST_TEST(has(test::ViewSetup::shown(run("local view, _ = view; view.x = 1")),
                   "error: view cannot be changed"));
    BOOST_TEST(has(test::ViewSetup::shown(run("local view, _ = view; view.now.hour = 1")),
                   "view cannot be changed"));
}

BOOST_AUTO_TEST_CASE(names_are_checked_when_the_rules_are_loaded) {
    BOOST_TEST(
        has(body_error("return view.clustre"), "rule.lua:1: unknown field 'clustre' of view; did you"));
    BOOST_TEST(has(body_error("return view.now.hours"), "unknown field 'hours' of view.now"));
    BOOST_TEST(has(body_error("view.now = 1"), "view cannot be changed"));
    BOOST_TEST(has(body_error("return view:now()"), "'now' is a field and no function: write view.now"));
    BOOST_TEST(has(body_error("return view.user:coordinates('x')"),
                   "write view.user.coordinates(account), with a dot"));
    BOOST_TEST(has(body_error("local v = view; return v.clustre"), "unknown field 'clustre' of view"));
    BOOST_TEST(has(body_error("local n = view.now return n.hours"), "unknown field 'hours' of view.now"));
    BOOST_TEST(has(load_error("rule { modify = function(a, b, c) return c.clustre end }"), "of view"));
    BOOST_TEST(has(load_error("local function f(j, v) return v.clustre end rule { submit = f }"), "of view"));
}

BOOST_AUTO_TEST_CASE(groups_are_those_of_the_user) {
    TestedGroups known;
    groups = &known;
    request.submit_uid = 0;

    BOOST_TEST(value_of("table.concat(view.user.groups, ' ')") == "staff gpu");
    BOOST_TEST(value_of("table.concat(view.sender.groups, ' ')") == "root");
    BOOST_TEST(value_of("view.user.in_group('gpu')") == "true");
    BOOST_TEST(value_of("view.user.in_group('staff')") == "true");
    BOOST_TEST(value_of("view.user.in_group('GPU')") == "false");
    BOOST_TEST(value_of("view.user.in_group('root')") == "false");
    BOOST_TEST(value_of("view.sender.in_group('gpu')") == "false");
    BOOST_TEST(has(value_of("view.user.in_group()"), "write view.user.in_group(name)"));
    BOOST_TEST(has(value_of("view.user:in_group('gpu')"), "view.user.in_group(name), with a dot"));
    BOOST_TEST(has(test::first_line(run("view.user.groups[1] = 'x'").message), "a list of view"));
}

BOOST_AUTO_TEST_CASE(a_user_without_groups_has_an_empty_list) {
    TestedGroups known;
    known.of_user = std::vector<std::string>();
    groups = &known;
    BOOST_TEST(value_of("#view.user.groups") == "0");
    BOOST_TEST(value_of("view.user.in_group('gpu')") == "false");
}

BOOST_AUTO_TEST_CASE(groups_that_are_not_known_are_an_error) {
    BOOST_TEST(has(value_of("view.user.groups"), "error: the groups of users are not known here"));
    TestedGroups known;
    known.of_user = Error{ErrorCode::unavailable, "not read yet"};
    groups = &known;
    BOOST_TEST(has(value_of("view.user.groups"), "error: not read yet"));
    BOOST_TEST(has(value_of("view.user.in_group('gpu')"), "error: not read yet"));
    BOOST_TEST(value_of("view.user.name") == "ana");
}

BOOST_AUTO_TEST_CASE(all_rules_of_a_decision_see_the_same_groups_and_others_ask_for_none) {
    TestedGroups known;
    groups = &known;
    BOOST_TEST(run("job:note(view.user.name)").message.size() == 1u);
    BOOST_TEST(known.questions == 0);
    BOOST_TEST(value_of("#view.user.groups + #view.user.groups") == "4");
    BOOST_TEST(known.questions == 1);
}

BOOST_AUTO_TEST_CASE(a_policy_tells_whether_it_reads_groups) {
    const auto reads = [](const std::string& body) {
        return test::load_rule("rule { submit = function(job, view) " + body + " end }")->reads_groups();
    };
    BOOST_TEST(reads("return view.user.groups"));
    BOOST_TEST(reads("return view.sender.in_group('gpu')"));
    BOOST_TEST(!reads("-- groups\nreturn view.user.name"));
    BOOST_TEST(!policy::Policy::none()->reads_groups());
}

BOOST_AUTO_TEST_CASE(names_of_other_tables_are_not_checked_as_those_of_view) {
    BOOST_TEST(run("view = { x = 1 }; if view.x ~= 1 then job:reject('no') end").message.empty());
    BOOST_TEST(
        run("local t = { view = { x = 1 } }; if t.view.x ~= 1 then job:reject('no') end").message.empty());
    BOOST_TEST(value_of("({ now = 5 }).now") == "5");
}

BOOST_AUTO_TEST_CASE(objects_do_not_outlive_their_run) {
    const auto policy = test::load_rules(
        {{"a.lua", "local kept; rule { submit = function(job, view) kept = kept or view.now; "
                   "job:note('%d', kept.hour) end }"}});
    BOOST_TEST(shown(decide(policy.get())) == "9");
    const auto second = decide(policy.get());
    BOOST_TEST(
        has(test::first_line(second.message), "view.now was read by another run of a rule: read it again"));
}

BOOST_AUTO_TEST_CASE(functions_take_as_many_parameters_as_there_are_arguments) {
    BOOST_TEST(has(load_error("rule { submit = function(a, b, c) end }"),
                   "'submit' is called with two arguments, job and view, and this function has 3"));
    BOOST_TEST(has(load_error("rule { modify = function(a, b, c, d) end }"),
                   "'modify' is called with three arguments, job, before and view, and this function has 4"));
}

BOOST_AUTO_TEST_CASE(a_change_shows_the_same) {
    request.account = "hpc-users";
    request.qos = "normal";
    request.partition = "main";
    request.time_limit = TimeLimit{60};
    model::JobUpdate update{.job_id = 1, .before = request, .after = request};
    update.after.time_limit = TimeLimit{30};
    update.after.submit_uid = 0;
    const auto c = cluster();
    const auto change = [&](const std::string& rule) {
        const auto policy = test::load_rule(rule);
        const quota::LocalQuota provider(records);
        const auto known = gate::KnownCluster::as_read(&c, times);
        return gate::Gate(provider, release).decide_update(update, known, policy.get());
    };
    const std::string body =
        " job:note('%d %s %s', view.now.hour, view.user.name, view.sender.admin_level) end }";
    const std::string expected = "9 ana administrator";
    BOOST_TEST(test::first_line(change("rule { submit = function(job, view)" + body).message) == expected);
    BOOST_TEST(test::first_line(change("rule { modify = function(job, before, view)" + body).message) ==
               expected);
    BOOST_TEST(
        test::first_line(change("rule { modify = function(job, ...) local _, view = ..." + body).message) ==
        expected);
}

BOOST_AUTO_TEST_SUITE_END()
