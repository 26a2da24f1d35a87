// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/status_file.hpp"
#include "report/status_report.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"
#include "support/comes_true.hpp"

#include <boost/test/unit_test.hpp>

#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <fstream>
#include <future>
#include <memory>
#include <sstream>
#include <thread>

using namespace qg;
using namespace std::chrono_literals;
using test::comes_true;

namespace {

using Text = plugin::StatusFile::Text;

std::string read(const std::filesystem::path& path) {
    std::ostringstream content;
    content << std::ifstream(path).rdbuf();
    return content.str();
}

struct Directory {
    Directory() {
        std::string made = (std::filesystem::temp_directory_path() / "qosgate-XXXXXX").string();
        BOOST_TEST_REQUIRE(mkdtemp(made.data()) != nullptr);
        path = made;
    }
    ~Directory() { std::filesystem::remove_all(path); }
    std::filesystem::path path;
};

} // namespace

BOOST_AUTO_TEST_SUITE(status)

BOOST_AUTO_TEST_CASE(a_report_quotes_what_would_end_a_text) {
    policy::StoreStatus policy;
    policy.last_error = Error{ErrorCode::invalid_input, "say \"rule\" \\ here\n"};
    plugin::DecisionCounts counts;
    model::Decision refused;
    refused.reject = model::RejectCode::access_denied;
    counts.count(refused, /*is_change=*/false);
    counts.count({}, /*is_change=*/true);
    const std::string partitions_error;

    const std::string json =
        plugin::StatusReport{
            1,      policy,           policy::Level::explain,   std::nullopt, partitions_error,
            counts, {"a \"b\"", "c"}, {3, 2, "/r: is \"full\""}}
            .to_json()
            .text();

    BOOST_TEST(
        json.find(R"("records_written": 3, "records_dropped": 2, "records_error": "/r: is \"full\"")") !=
        std::string::npos);
    BOOST_TEST(json.find(R"("last_error": "say \"rule\" \\ here?")") != std::string::npos);
    BOOST_TEST(json.find(text::format(R"("pid": {}, "process_start": {}, )", getpid(),
                                      process_start(getpid()).value())) != std::string::npos);
    BOOST_TEST(json.find(R"("partitions_read_at": null, "partitions_error": null)") != std::string::npos);
    BOOST_TEST(json.find(R"("conf_problems": ["a \"b\"", "c"])") != std::string::npos);
    BOOST_TEST(json.find(R"("standing": "in force", "is_testing": false)") != std::string::npos);
    BOOST_TEST(json.find(R"("jobs": 1, "changes": 1, "refused": 1)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(times_of_decisions_are_counted_up_to_their_bounds) {
    using std::chrono::microseconds;
    plugin::DecisionResults results;
    for (const auto took : {microseconds(0), microseconds(10), microseconds(11), microseconds(100'000),
                            microseconds(100'001), microseconds(-1)})
        results.count({}, took);

    BOOST_TEST(results.to_json().text().find(
                   R"("counts": [3, 1, 0, 0, 0, 0, 0, 0, 0, 1, 1], "sum_us": 200022})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(results_are_counted_by_rule_and_reason_and_are_bounded) {
    plugin::DecisionResults results;
    const auto count = [&](std::string rule, std::string reason, std::string_view outcome = {}) {
        model::Decision decision;
        decision.events.push_back({.effect = "refused",
                                   .rule = std::move(rule),
                                   .file = {},
                                   .reason = std::move(reason),
                                   .text = {},
                                   .outcome = outcome});
        results.count(decision, std::chrono::microseconds(1));
    };
    BOOST_TEST(results.to_json().text().ends_with(R"("results": [], "other_results": 0)"));
    count("say \"no\"", "");
    count("say \"no\"", "");
    count("", "QOSGrpCpuLimit", "refused");
    count("", "QOSGrpCpuLimit", "waits");

    const std::string json = results.to_json().text();
    BOOST_TEST(
        json.find(
            R"({"effect": "refused", "rule": "say \"no\"", "file": null, "reason": null, "outcome": null, "count": 2})") !=
        std::string::npos);
    for (const std::string outcome : {"refused", "waits"})
        BOOST_TEST(json.find(R"("rule": null, "file": null, "reason": "QOSGrpCpuLimit", "outcome": ")" +
                             outcome + R"(", "count": 1})") != std::string::npos);
    for (std::size_t i = 3; i < plugin::DecisionResults::max_kinds + 3; ++i)
        count("r" + std::to_string(i), "");
    BOOST_TEST(results.to_json().text().ends_with(R"("other_results": 3)"));
    count("", "QOSGrpCpuLimit", "waits"); // is told apart already
    BOOST_TEST(results.to_json().text().find(
                   R"("reason": "QOSGrpCpuLimit", "outcome": "waits", "count": 2})") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(lua_behind_qosgate_is_a_problem_and_before_it_is_none) {
    const auto has_problem = [](std::string_view plugins) {
        const auto problems = plugin::find_conf_problems({plugins}, policy::Level::off);
        BOOST_TEST(problems.size() <= 1u);
        return !problems.empty() && problems[0].find("write lua,qosgate") != std::string::npos;
    };
    for (const char* plugins :
         {"qosgate,lua", "qosgate, lua", "qosgate,throttle,lua", "job_submit/qosgate,lua"})
        BOOST_TEST_CONTEXT(plugins) BOOST_TEST(has_problem(plugins));
    for (const char* plugins : {"qosgate", "lua,qosgate", "qosgate,luau", ""})
        BOOST_TEST_CONTEXT(plugins) BOOST_TEST(!has_problem(plugins));
}

BOOST_AUTO_TEST_CASE(a_plugin_that_is_named_twice_is_a_problem) {
    const auto has_problem = [](std::string_view plugins) {
        const auto problems = plugin::find_conf_problems({plugins}, policy::Level::off);
        BOOST_TEST(problems.size() <= 1u);
        return !problems.empty() && problems[0].find("names qosgate more than once") != std::string::npos;
    };
    for (const char* plugins : {"qosgate,qosgate", "qosgate,job_submit/qosgate", "lua,qosgate,all,qosgate"})
        BOOST_TEST_CONTEXT(plugins) BOOST_TEST(has_problem(plugins));
    for (const char* plugins : {"qosgate", "lua,lua,qosgate", "qosgate,qosgate2", ""})
        BOOST_TEST_CONTEXT(plugins) BOOST_TEST(!has_problem(plugins));
}

BOOST_AUTO_TEST_CASE(a_limit_on_a_tres_that_slurm_does_not_track_is_a_problem_where_limits_are_checked) {
    const model::Enforce all{.associations = true, .limits = true, .qos = true, .safe = false};
    const std::vector<std::string> names{"gpu", "gpu2"};
    const auto problems = [&](const std::optional<model::Enforce>& enforced, policy::Level level) {
        return plugin::find_conf_problems({"qosgate", enforced, names}, level);
    };
    BOOST_TEST_REQUIRE(problems(all, policy::Level::explain).size() == 1u);
    BOOST_TEST(problems(all, policy::Level::explain)[0].find("limited by QOS gpu, gpu2 (") !=
               std::string::npos);
    BOOST_TEST(problems(all, policy::Level::off).empty());
    BOOST_TEST(problems(std::nullopt, policy::Level::explain).empty());
    model::Enforce without_limits = all; // Slurm enforces no limit anyway
    without_limits.limits = false;
    BOOST_TEST_REQUIRE(problems(without_limits, policy::Level::explain).size() == 1u);
    BOOST_TEST(problems(without_limits, policy::Level::explain)[0].find("no 'limits'") != std::string::npos);
    BOOST_TEST(plugin::find_conf_problems({"qosgate", all}, policy::Level::explain).empty());
}

BOOST_AUTO_TEST_CASE(the_log_and_the_status_call_things_alike) {
    policy::StoreStatus policy;
    policy.hash = 0xab;
    policy.rules = 1;
    const plugin::DecisionCounts counts;
    const std::string no_error;
    const plugin::StatusReport report{1,  policy, policy::Level::explain, std::nullopt, no_error, counts,
                                      {}, {}};

    BOOST_TEST(report.to_line().ends_with(": limits explain, 1 rule, hash 00000000000000ab, in force"));
}

BOOST_AUTO_TEST_CASE(limits_that_slurm_does_not_enforce_are_a_problem_where_they_shall_be_checked) {
    using policy::Level;
    const model::Enforce all{.associations = true, .limits = true, .qos = true, .safe = false};
    model::Enforce without_limits = all, without_qos = all;
    without_limits.limits = false;
    without_qos.qos = false;
    const auto problem = [](const std::optional<model::Enforce>& enforced, Level level) {
        const auto problems = plugin::find_conf_problems({"qosgate", enforced}, level);
        BOOST_TEST(problems.size() <= 1u);
        return problems.empty() ? "" : problems[0].substr(0, problems[0].find(':'));
    };
    for (const Level level : {Level::explain, Level::enforce}) {
        BOOST_TEST(problem(all, level) == "");
        BOOST_TEST(problem(without_limits, level) == "AccountingStorageEnforce has no 'limits'");
        BOOST_TEST(problem(without_qos, level) == "AccountingStorageEnforce has no 'qos'");
        BOOST_TEST(problem(std::nullopt, level) == ""); // not known
    }
    BOOST_TEST(problem(without_limits, Level::off) == "");
    model::Enforce without_both = without_limits;
    without_both.qos = false;
    BOOST_TEST(plugin::find_conf_problems({"qosgate", without_both}, Level::explain).size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_file_is_written_once_there_is_something_to_say_and_gone_at_the_end) {
    const Directory directory;
    const auto path = directory.path / "status.json";
    auto words = std::make_shared<std::string>("\"a\": 1");
    plugin::StatusFile file;
    file.start({path, {}}, {[words] { return Text{*words}; }});
    BOOST_TEST_REQUIRE(comes_true([&] { return !read(path).empty(); }));

    BOOST_TEST(read(path).starts_with("{\"a\": 1, \"written_at\": "));
    BOOST_TEST(read(path).ends_with("}\n"));
    BOOST_TEST(std::filesystem::status(path).permissions() == std::filesystem::perms(0644));

    file.stop(1s);
    BOOST_TEST(!std::filesystem::exists(path));
}

BOOST_AUTO_TEST_CASE(it_is_written_again_at_once_when_the_clock_is_set) {
    const Directory directory;
    const auto path = directory.path / "status.json";
    auto shift = std::make_shared<std::atomic<int>>(0);
    const auto wall_clock = [shift] { return std::time(nullptr) + *shift; };
    const auto is_of = [&](int seconds) {
        const std::string text = read(path);
        const auto at = text.rfind(' ');
        if (at == std::string::npos) return false;
        const long age = wall_clock() - std::stol(text.substr(at));
        return age >= 0 && age < seconds;
    };
    plugin::StatusFile file;
    file.start({path, {}}, {.describe = [] { return Text{"\"a\": 1"}; }, .wall_clock = wall_clock});
    BOOST_TEST_REQUIRE(comes_true([&] { return !read(path).empty(); }));
    for (const int set : {3600, -3600, 0}) {
        *shift = set;
        BOOST_TEST(comes_true([&] { return is_of(30); }), set);
    }

    // Slow corrections are no reason to write.
    const auto time_of = [&] { return std::filesystem::last_write_time(path).time_since_epoch().count(); };
    const auto written = time_of();
    *shift = 1;
    std::atomic<int> looks = 0;
    file.stop(1s);
    plugin::StatusFile again;
    again.start({path, {}}, {.describe =
                                 [&looks] {
                                     ++looks;
                                     return Text{"\"a\": 1"};
                                 },
                             .wall_clock = wall_clock});
    BOOST_TEST_REQUIRE(comes_true([&] { return looks >= 2; }));
    const auto first = time_of();
    BOOST_TEST(first > written);
    *shift = 2;
    const int seen = looks;
    BOOST_TEST_REQUIRE(comes_true([&] { return looks >= seen + 2; }));
    BOOST_TEST(time_of() == first);
    again.stop(1s);
}

BOOST_AUTO_TEST_CASE(what_an_earlier_process_left_half_written_is_taken_away_at_the_start) {
    const Directory directory;
    const auto left = directory.path / "status.json.AbC123";
    std::ofstream(left) << "half";
    std::filesystem::last_write_time(left, std::filesystem::file_time_type::clock::now() - 1h);
    plugin::StatusFile file;
    file.start({directory.path / "status.json", {}}, {[] { return Text(); }});
    BOOST_TEST(comes_true([&] { return !std::filesystem::exists(left); }));
    file.stop(1s);
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_not_at_work_yet_writes_nothing) {
    const Directory directory;
    plugin::StatusFile file;
    auto asked = std::make_shared<std::atomic<int>>(0);
    file.start({directory.path / "status.json", {}}, {[asked] {
                   ++*asked;
                   return Text();
               }});
    BOOST_TEST(comes_true([&] { return *asked >= 2; })); // the first report was made
    BOOST_TEST(std::filesystem::is_empty(directory.path));

    std::ofstream(directory.path / "status.json") << "the other's";
    file.stop(1s);
    BOOST_TEST(read(directory.path / "status.json") == "the other's");
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_not_at_work_is_asked_less_and_less) {
    const Directory directory;
    std::atomic<int> asked = 0;
    plugin::StatusFile file;
    file.start({directory.path / "status.json", {}}, {[&] {
                   ++asked;
                   return Text();
               }});
    std::this_thread::sleep_for(2s);
    file.stop(1s);
    BOOST_TEST(asked <= 25); // 50 ms, 60 ms and so on; each 50 ms it would be 40 times
}

BOOST_AUTO_TEST_CASE(a_controller_that_is_a_standby_again_leaves_the_other_ones_file_alone) {
    const Directory directory;
    const auto path = directory.path / "status.json";
    std::atomic<bool> is_standby = false;
    std::atomic<int> looks_of_standby = 0;
    plugin::StatusFile file;
    file.start({path, {}}, {[&] {
                   if (!is_standby) return Text{"\"a\": 1"};
                   ++looks_of_standby;
                   return Text();
               }});
    BOOST_TEST_REQUIRE(comes_true([&] { return !read(path).empty(); }));
    is_standby = true;
    BOOST_TEST_REQUIRE(comes_true([&] { return looks_of_standby >= 2; })); // one is over
    std::ofstream(path) << "the other's";

    file.stop(1s);

    BOOST_TEST(read(path) == "the other's");
}

BOOST_AUTO_TEST_CASE(a_standby_has_its_own_file_until_it_is_in_charge) {
    const Directory directory;
    const auto in_charge = directory.path / "status.json", standby = directory.path / "standby.json";
    std::ofstream(in_charge) << "the other's";
    std::atomic<bool> is_standby = true;
    plugin::StatusFile file;
    file.start({in_charge, standby}, {[&] { return Text{"\"a\": 1", is_standby}; }});
    BOOST_TEST_REQUIRE(comes_true([&] { return !read(standby).empty(); }));
    BOOST_TEST(read(standby).starts_with("{\"a\": 1, \"written_at\": "));
    BOOST_TEST(read(in_charge) == "the other's");

    is_standby = false;
    BOOST_TEST(comes_true([&] { return !std::filesystem::exists(standby); }));
    BOOST_TEST(comes_true([&] { return read(in_charge).starts_with('{'); }));
    BOOST_TEST(read(in_charge).starts_with("{\"a\": 1"));

    is_standby = true; // and another controller is in charge
    BOOST_TEST_REQUIRE(comes_true([&] { return std::filesystem::exists(standby); }));
    std::ofstream(in_charge) << "the other's";
    file.stop(1s);
    BOOST_TEST(!std::filesystem::exists(standby));
    BOOST_TEST(read(in_charge) == "the other's");
}

BOOST_AUTO_TEST_CASE(it_stops_although_what_it_prepares_waits_for_a_lock) {
    struct Waiting {
        std::promise<void> is_reached, may_go_on;
        std::atomic<bool> has_described = false;
    };
    const auto waiting = std::make_shared<Waiting>();
    const Directory directory;
    plugin::StatusFile file;
    file.start({directory.path / "status.json", {}}, {.describe =
                                                          [waiting] {
                                                              waiting->has_described = true;
                                                              return Text();
                                                          },
                                                      .prepare =
                                                          [waiting] {
                                                              waiting->is_reached.set_value();
                                                              waiting->may_go_on.get_future().wait();
                                                          }});
    waiting->is_reached.get_future().wait();

    file.stop(1ms); // returns, or this test never ends

    waiting->may_go_on.set_value();
    std::this_thread::sleep_for(50ms);
    BOOST_TEST(!waiting->has_described);
}

BOOST_AUTO_TEST_SUITE_END()
