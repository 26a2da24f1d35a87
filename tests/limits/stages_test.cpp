// SPDX-License-Identifier: GPL-2.0-or-later
//
// The stages behind submission, row by row: for each row of the tables what passes, what does not and the
// boundary between them; and what keeps a row from being looked at. A row without a line in `cases` fails.
#include "qosgate/limits/schedule.hpp"
#include "stages_cases.hpp"
#include "support/scenarios.hpp"

#include <sstream>

#include <boost/test/unit_test.hpp>

using namespace qg;
using boost::test_tools::tt_detail::print_helper;
using limits::OwnerKind;
using limits::Release;
using namespace qg::test::stages;
using nlohmann::json;

namespace {

/// A job, with what is in use, at a limit.
struct Step {
    bool passes;
    json job;
    json usage = json::object();
    bool safe = false; ///< `safe` is enforced
};
/// The boundary of a check: the first step passes, the last does not.
struct Line {
    std::uint64_t limit;
    std::vector<Step> steps;
};

json cpus(std::uint64_t count, std::uint64_t nodes = 1) {
    return {{"tres", {{"cpu", count}, {"node", nodes}}}};
}
json minutes(const json& time) {
    return {{"time_limit", time}};
}

/// What a comparison passes and refuses. By default the job asks for 1 CPU for 10 minutes.
struct CheckLine {
    const char* name;
    limits::Check check;
    Line line;
};

const json any = json::object();
const std::vector<CheckLine> check_lines{
    {"running_count",
     checks::running_count,
     {3, {{true, any, {{"jobs", 2}}}, {false, any, {{"jobs", 3}}}, {false, any, {{"jobs", 4}}}}}},
    {"wall_asked", checks::wall_asked, {60, {{true, minutes(60)}, {false, minutes(61)}}}},
    // a job without a time limit gets this one
    {"wall_time",
     checks::wall_time,
     {60, {{true, minutes(nullptr), any, true}, {false, minutes(61), any, true}}}},
    {"wall_used",
     checks::wall_used,
     {60,
      {{true, any, {{"wall_minutes", 59}}},
       {false, any, {{"wall_minutes", 60}}},
       {true, any, {{"wall_minutes", 50}}, true},
       {false, any, {{"wall_minutes", 51}}, true}}}},
    {"request_alone", checks::request_alone, {8, {{true, cpus(8)}, {false, cpus(9)}}}},
    {"per_node", checks::per_node, {8, {{true, cpus(16, 2)}, {true, cpus(17, 2)}, {false, cpus(18, 2)}}}},
    {"minimum", checks::minimum, {8, {{true, cpus(9)}, {true, cpus(8)}, {false, cpus(7)}}}},
    {"with_usage",
     checks::with_usage,
     {8,
      {{true, cpus(8)},
       {false, cpus(9)},
       {true, cpus(5), {{"tres", {{"cpu", 3}}}}},
       {false, cpus(5), {{"tres", {{"cpu", 4}}}}}}}},
    {"fewest_nodes",
     checks::fewest_nodes,
     {4, {{true, cpus(9, 3)}, {true, cpus(9, 4)}, {false, cpus(9, 5)}}}},
    {"minutes_used",
     checks::minutes_used,
     {600,
      {{true, any, {{"tres_minutes", {{"cpu", 599}}}}},
       {false, any, {{"tres_minutes", {{"cpu", 600}}}}},
       {true, any, {{"tres_minutes", {{"cpu", 590}}}}, true},
       {false, any, {{"tres_minutes", {{"cpu", 591}}}}, true},
       {true, any, {{"tres_minutes", {{"cpu", 90}}}, {"tres_run_minutes", {{"cpu", 500}}}}, true},
       {false, any, {{"tres_minutes", {{"cpu", 90}}}, {"tres_run_minutes", {{"cpu", 501}}}}, true}}}},
    {"run_minutes",
     checks::run_minutes,
     {600,
      {{true, cpus(60)},
       {false, cpus(61)},
       {true, any, {{"tres_run_minutes", {{"cpu", 590}}}}},
       {false, any, {{"tres_run_minutes", {{"cpu", 591}}}}}}}},
    {"minutes_of_job", checks::minutes_of_job, {600, {{true, cpus(60)}, {false, cpus(61)}}}},
};

const CheckLine& find_line(const limits::Check& check) {
    for (const CheckLine& known : check_lines)
        if (known.check == check) return known;
    throw std::logic_error("this check has no line: give it one");
}
const Line& line_of(const limits::Check& check) {
    return find_line(check).line;
}

/// What a test changes of the records around a step.
struct Twist {
    bool limits_account = false; ///< the limit stands on the account instead of its user
    json more_of_qos = json::object();
    json more_of_job = json::object();
    std::optional<json> usage = {};         ///< instead of the step's own
    std::optional<json> partition_qos = {}; ///< another QOS, that of the partition
    Release release{26, 5};
};

json limit_value(const Case& row, std::uint64_t value) {
    if (!model::find_tres_limit(row.limit)) return value;
    return {{row.stage == StageId::node_count ? "node" : "cpu", value}};
}

/// Usage in the place where a limit of a QOS reads it.
json usage_for(const Case& row, const json& usage) {
    if (row.owner == association) return usage;
    if (row.limit.ends_with("PerUser")) return {{"users", {{"1000", usage}}}};
    if (row.limit.ends_with("PerAccount")) return {{"accounts", {{"acct", usage}}}};
    return usage;
}

/// The Reason of the row's stage; "" if the job passes it.
std::string judge(const Case& row, const Step& step, const Twist& twist = {}) {
    const json limited{{row.limit, limit_value(row, line_of(row.check).limit)},
                       {"usage", twist.usage.value_or(usage_for(row, step.usage))}};
    json of_qos = twist.more_of_qos;
    json chain = {{{"level", "user"}, {"user", 1000}, {"account", "acct"}},
                  {{"level", "account"}, {"account", "acct"}},
                  {{"level", "root"}, {"account", "root"}}};
    (row.owner == qos ? of_qos : chain[twist.limits_account ? 1 : 0]).update(limited);
    json enforce{"associations", "limits", "qos"};
    if (step.safe) enforce.push_back("safe");
    json job = step.job;
    job.update(twist.more_of_job);
    json root{{"associations", chain}, {"enforce", enforce}};
    if (twist.partition_qos) {
        of_qos["name"] = "q";
        root["qos"] = json::array({of_qos, *twist.partition_qos});
        root["qos"][1]["name"] = "of_partition";
        root["partitions"] = json::array({{{"name", "p1"}, {"qos", "of_partition"}}});
    }
    const auto s = test::make_scenario(of_qos.dump(), job.dump(), root.dump());

    const auto verdict = limits::evaluate_schedule(s.view, s.job, s.job.time_limit, false, twist.release);

    if (row.stage == StageId::node_count)
        return std::string(verdict.breaks_node_limit() ? verdict.node_limit->reason : "");
    const auto& found = row.stage == StageId::pre_select ? verdict.pre_select : verdict.post_select;
    BOOST_TEST(found.size() <= 1u);
    return std::string(found.empty() ? "" : found.front().reason);
}

/// Calls `body(row, a step that the row refuses)` for each row.
template <typename Body>
void for_each_refusal(Body body) {
    for (const Case& row : cases) {
        BOOST_TEST_CONTEXT(row.reason) {
            const Line& line = line_of(row.check);
            body(row, line.steps.back());
        }
    }
}

/// "pre_select qos wall_time MaxWall"
std::string key(StageId stage, OwnerKind owner, const limits::Check& check, std::string_view limit) {
    std::ostringstream text;
    text << print_helper(stage) << ' ' << print_helper(owner) << ' ' << find_line(check).name << ' ' << limit;
    return text.str();
}

} // namespace

BOOST_AUTO_TEST_SUITE(stages)

BOOST_AUTO_TEST_CASE(every_row_has_a_case_and_every_case_a_row) {
    std::vector<std::string> rows, tested;
    for (const StageId stage : {pre, node, post})
        for (const OwnerKind owner : {qos, association})
            for (const limits::Row& row : owner == qos ? table_of(stage).qos : table_of(stage).association)
                rows.push_back(key(stage, owner, row.check,
                                   std::visit([](auto limit) { return name_of(limit); }, row.limit)));
    for (const Case& row : cases)
        tested.push_back(key(row.stage, row.owner, row.check, row.limit));

    BOOST_TEST(tested == rows);
}

BOOST_AUTO_TEST_CASE(each_row_passes_up_to_its_limit_and_refuses_beyond) {
    for (const Case& row : cases)
        for (const Step& step : line_of(row.check).steps)
            BOOST_TEST_CONTEXT(row.reason << " job " << step.job << " usage " << step.usage)
    BOOST_TEST(judge(row, step) == (step.passes ? "" : row.reason));
}

BOOST_AUTO_TEST_CASE(a_limit_on_an_account_binds_unless_it_is_of_the_user_alone) {
    for_each_refusal([](const Case& row, const Step& step) {
        if (row.owner == association)
            BOOST_TEST(judge(row, step, {.limits_account = true}) == (row.is.user_only ? "" : row.reason));
    });
}

BOOST_AUTO_TEST_CASE(limit_factor_widens_some_limits_of_associations) {
    for_each_refusal([](const Case& row, const Step& step) {
        BOOST_TEST(judge(row, step, {.more_of_qos = {{"LimitFactor", 2.0}}}) ==
                   (row.is.scaled ? "" : row.reason));
        if (!row.is.scaled) return;
        const Twist half{.more_of_qos = {{"LimitFactor", 0.5}}};
        BOOST_TEST(judge(row, line_of(row.check).steps.front(), half) == row.reason);
    });
}

// limits/README.md 3.4: the QOS of the partition is the first, that of the job the second.
BOOST_AUTO_TEST_CASE(the_limit_factor_of_the_second_qos_counts_but_not_for_the_number_of_nodes) {
    const json none = json::object(), twice{{"LimitFactor", 2.0}}, over = json::array({"OverPartQOS"});
    for_each_refusal([&](const Case& row, const Step& step) {
        if (!row.is.scaled) return;
        const std::string of_second = row.stage == StageId::node_count ? row.reason : "";
        BOOST_TEST(judge(row, step, {.partition_qos = none}) == row.reason);
        BOOST_TEST(judge(row, step, {.more_of_qos = twice, .partition_qos = none}) == of_second);
        BOOST_TEST(judge(row, step, {.partition_qos = twice}) == "");
        // The other way round the job's is the first.
        const json first{{"LimitFactor", 2.0}, {"flags", over}};
        BOOST_TEST(judge(row, step, {.more_of_qos = first, .partition_qos = none}) == "");
        BOOST_TEST(judge(row, step, {.more_of_qos = {{"flags", over}}, .partition_qos = twice}) == of_second);
    });
}

BOOST_AUTO_TEST_CASE(what_an_operator_set_is_exempt_from_most_rows) {
    for_each_refusal([](const Case& row, const Step& step) {
        const Twist set{.more_of_job = {{"operator_set", {"time", "cpu", "node"}}}};
        BOOST_TEST(judge(row, step, set) == (row.is.operator_passes ? "" : row.reason));
    });
}

BOOST_AUTO_TEST_CASE(a_limit_of_the_qos_hides_that_of_an_association) {
    for_each_refusal([](const Case& row, const Step& step) {
        for (const std::string& hider : row.is.overridden_by) {
            const Case of_qos{row.stage, qos, row.check, hider, ""};
            const json wide = limit_value(of_qos, 1'000'000);
            BOOST_TEST(judge(row, step, {.more_of_qos = {{hider, wide}}}) == "", hider);
        }
    });
}

BOOST_AUTO_TEST_CASE(only_the_releases_that_look_at_a_row_refuse) {
    for_each_refusal([](const Case& row, const Step& step) {
        BOOST_TEST(judge(row, step, {.release = row.is.since}) == row.reason);
        const bool is_old = row.is.since == Release(22, 5);
        if (!is_old) BOOST_TEST(judge(row, step, {.release = Release(23, 11)}) == "");
    });
}

BOOST_AUTO_TEST_CASE(usage_counts_only_against_the_limit_it_is_for) {
    for_each_refusal([](const Case& row, const Step& step) {
        if (row.owner != qos || step.usage.empty()) return;
        const bool per_user = row.limit.ends_with("PerUser"), per_account = row.limit.ends_with("PerAccount");
        json elsewhere = per_user || per_account ? step.usage : json::object();
        elsewhere["users"] = {{per_user ? "1001" : "1000", step.usage}};
        elsewhere["accounts"] = {{per_account ? "other" : "acct", step.usage}};
        BOOST_TEST(judge(row, step, {.usage = elsewhere}) == "");
    });
}

BOOST_AUTO_TEST_SUITE_END()
