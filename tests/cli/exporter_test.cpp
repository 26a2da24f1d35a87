// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate exporter` serves (contrib/qosgate/exporter): names, escapes, bounds, and what is not told.
#include "exporter/collector.hpp"
#include "exporter/exporter_metrics.hpp"
#include "exporter/exporter_page.hpp"
#include "exporter/html.hpp"
#include "exporter/limit_rows.hpp"
#include "exporter/listen_address.hpp"
#include "exporter/metric_set.hpp"

#include "qosgate/model/limit_facts.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <atomic>
#include <regex>
#include <set>
#include <sstream>
#include <thread>

using namespace qg;
using model::CountLimit;
using model::TresLimit;

namespace {

constexpr std::time_t now = 1'000'000;
constexpr std::size_t cpu = 0;
constexpr std::size_t mem = 1;

model::Usage usage(std::uint64_t cpus, std::uint64_t mib = 0, std::uint64_t jobs = 0) {
    model::Usage made;
    made.tres = {cpus, mib};
    made.jobs = jobs;
    return made;
}

/// QOS gold: 8 CPUs and 4 GiB of all, 6 CPUs per user, 60 minutes per job; ana (1) of astro has 5, ben (2) of
/// bio 2.
cli::ClusterState gold() {
    cli::ClusterState state;
    state.cluster = "c1";
    state.read_at = now;
    state.sees_all = true;
    quota::LocalQos qos;
    qos.qos.name = "gold";
    qos.qos.limits = model::Limits(state.records.tres->size());
    qos.qos.limits.set(TresLimit::grp_tres, cpu, 8);
    qos.qos.limits.set(TresLimit::grp_tres, mem, 4096);
    qos.qos.limits.set(TresLimit::max_tres_per_user, cpu, 6);
    qos.qos.limits.set(CountLimit::max_wall, 60);
    qos.qos.limits.set(CountLimit::grp_jobs, 0);
    qos.qos.usage = usage(7, 1024, 2);
    qos.users = {{1, usage(5)}, {2, usage(2)}};
    qos.accounts = {{"astro", usage(5)}, {"bio", usage(2)}};
    state.records.qos.push_back(qos);
    quota::LocalAssociation lab;
    lab.link.level = model::AssociationLevel::account;
    lab.link.account = "lab";
    lab.link.limits = model::Limits(state.records.tres->size());
    lab.link.limits.set(TresLimit::grp_tres, cpu, 10);
    lab.link.limits.set(CountLimit::max_jobs, 3);
    lab.link.usage = usage(7);
    state.records.associations.push_back(lab);
    state.users = {{1, "ana"}, {2, "ben"}};
    state.jobs["gold"] = {.running = 2, .pending = 3};
    state.pending[{"gold", "QOSGrpCpuLimit"}] = 3;
    return state;
}

std::string metrics_of(const cli::ClusterState& state, std::size_t users = 0) {
    return cli::make_metrics(&state, nullptr, {}, users, now);
}

std::string page_of(const cli::ClusterState& state, bool names_users = false) {
    return cli::make_page(&state, "", nullptr, {.names_users = names_users}, now);
}

bool has(const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
}

std::size_t count(const std::string& text, const std::string& part) {
    std::size_t found = 0;
    for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
        ++found;
    return found;
}

} // namespace

BOOST_AUTO_TEST_SUITE(exporter)

BOOST_AUTO_TEST_CASE(limits_usage_and_headroom_are_in_base_units) {
    const std::string text = metrics_of(gold());

    const std::string group_cpu = R"({qos="gold",limit="GrpTRES",tres="cpu",counts="all"} )";
    const std::string group_mem = R"({qos="gold",limit="GrpTRES",tres="mem",counts="all"} )";
    BOOST_TEST(has(text, "qosgate_qos_limit" + group_cpu + "8\n"));
    BOOST_TEST(has(text, "qosgate_qos_usage" + group_cpu + "7\n"));
    BOOST_TEST(has(text, "qosgate_qos_headroom" + group_cpu + "1\n"));
    BOOST_TEST(has(text, "qosgate_qos_limit" + group_mem + "4294967296\n"));
    BOOST_TEST(has(text, "qosgate_qos_usage" + group_mem + "1073741824\n"));
    BOOST_TEST(has(text, R"(qosgate_qos_limit{qos="gold",limit="MaxWall",counts="job"} 3600)"));
    BOOST_TEST(
        has(text, R"(qosgate_account_headroom{account="lab",limit="GrpTRES",tres="cpu",counts="all"} 3)"));
}

BOOST_AUTO_TEST_CASE(a_limit_per_user_has_the_usage_of_the_user_who_uses_most) {
    const std::string text = metrics_of(gold());

    const std::string per_user = R"({qos="gold",limit="MaxTRESPerUser",tres="cpu",counts="user"} )";
    BOOST_TEST(has(text, "qosgate_qos_usage" + per_user + "5\n"));
    BOOST_TEST(has(text, "qosgate_qos_headroom" + per_user + "1\n"));
    BOOST_TEST(
        has(text, R"(qosgate_qos_account_usage{qos="gold",account="astro",limit="GrpTRES",tres="cpu")"));
    BOOST_TEST(!has(text, R"(account="astro",limit="MaxTRESPerUser")"));
}

BOOST_AUTO_TEST_CASE(zero_is_a_limit_unset_is_none_and_a_limit_of_each_job_has_no_usage) {
    const std::string text = metrics_of(gold());

    BOOST_TEST(has(text, R"(qosgate_qos_limit{qos="gold",limit="GrpJobs",counts="all"} 0)"));
    BOOST_TEST(has(text, R"(qosgate_qos_headroom{qos="gold",limit="GrpJobs",counts="all"} 0)"));
    BOOST_TEST(!has(text, R"(limit="GrpWall")"));
    BOOST_TEST(!has(text, R"(qosgate_qos_usage{qos="gold",limit="MaxWall")"));
    BOOST_TEST(!has(text, R"(limit="MaxJobs",)")); // accounts only pass it on
}

BOOST_AUTO_TEST_CASE(every_limit_of_a_qos_has_a_row) {
    cli::ClusterState state = gold();
    model::Limits& limits = state.records.qos.front().qos.limits;
    std::set<std::string> expected;
    for (const model::LimitFacts& facts : model::limit_facts) {
        if (!facts.is_of_qos()) continue;
        if (const auto* each = std::get_if<CountLimit>(&facts.limit))
            limits.set(*each, 7);
        else
            limits.set(std::get<TresLimit>(facts.limit), mem, 7);
        expected.emplace(facts.name);
    }

    std::set<std::string> found;
    for (const cli::LimitRow& row : cli::find_qos_rows(state.records)) {
        found.emplace(model::name_of(row.limit));
        BOOST_TEST_CONTEXT(model::name_of(row.limit))
        BOOST_TEST(row.used.has_value() == model::facts_of(row.limit).counts_others());
    }
    BOOST_TEST(found == expected);
}

BOOST_AUTO_TEST_CASE(a_report_with_strange_values_is_no_error) {
    const nlohmann::json strange = {
        {"written_at", now},
        {"host", "elsewhere"},
        {"jobs", "x"},
        {"decision_times", {{"bounds_us", {"a"}}, {"counts", 7}, {"sum_us", 1}}},
        {"refused", -1},
        {"told", 1e300},
        {"results",
         {7,
          nullptr,
          {{"did", 7}, {"count", 1}},
          {{"did", "rejected"}, {"count", "x"}},
          {{"did", "rejected"}, {"rule", "r"}, {"count", 5}}}},
        {"conf_problems", 7},
        {"failing_rules",
         {{{"rule", nullptr}, {"file", 7}}, {{"rule", "r"}, {"failures_in_a_row", "x"}, {"only_warns", 7}}}}};
    const Result<cli::GateReport> gate{cli::GateReport(strange)};

    const std::string text = cli::make_metrics(nullptr, &gate, {}, 0, now);
    BOOST_TEST(has(text, "qosgate_gate_loaded 1"));
    BOOST_TEST(!has(text, "decision_seconds"));
    BOOST_TEST(!has(text, "refused_total"));
    BOOST_TEST(!has(text, "told_total"));
    BOOST_TEST(has(text, R"(qosgate_gate_results_total{did="rejected",rule="r"} 5)"));
    BOOST_TEST(has(text, R"(qosgate_gate_rule_failures_in_a_row{rule="r"} 0)"));
    BOOST_TEST(has(cli::make_page(nullptr, "", &gate, {}, now), "The plugin is"));
}

BOOST_AUTO_TEST_CASE(names_follow_the_conventions_of_prometheus) {
    std::istringstream lines(metrics_of(gold(), 5));
    const std::regex type("# TYPE (qosgate(_[a-z]+)+) (gauge|counter)");
    std::smatch match;
    int families = 0;
    for (std::string line; std::getline(lines, line);) {
        if (!line.starts_with("# TYPE")) continue;
        ++families;
        BOOST_TEST_CONTEXT(line) {
            BOOST_TEST_REQUIRE(std::regex_match(line, match, type));
            BOOST_TEST((match[3] == "counter") == match[1].str().ends_with("_total"));
        }
    }
    BOOST_TEST(families > 10);
}

BOOST_AUTO_TEST_CASE(a_family_is_bounded_and_what_is_cut_is_counted) {
    cli::MetricSet metrics(2);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    for (const char* name : {"a", "b", "c", "d"})
        family.add(1, {{"name", name}});

    const std::string text = metrics.text();
    BOOST_TEST(count(text, "\nqosgate_test{") == 2);
    BOOST_TEST(has(text, R"(qosgate_exporter_cut_series{family="qosgate_test"} 2)"));
}

BOOST_AUTO_TEST_CASE(a_family_that_is_just_full_cuts_nothing) {
    cli::MetricSet metrics(2);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    for (const char* name : {"a", "b"})
        family.add(1, {{"name", name}});

    BOOST_TEST(!has(metrics.text(), "cut_series"));
}

BOOST_AUTO_TEST_CASE(two_series_with_the_same_labels_are_one) {
    cli::MetricSet metrics(10);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    family.add(1, {{"name", "a\x01"}});
    family.add(2, {{"name", "a\x02"}});

    const std::string text = metrics.text();
    BOOST_TEST(count(text, "\nqosgate_test{") == 1);
    BOOST_TEST(has(text, R"(cut_series{family="qosgate_test"} 1)"));
}

BOOST_AUTO_TEST_CASE(labels_with_other_names_are_other_labels) {
    cli::MetricSet metrics(10);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    family.add(1, {{"rule", "r"}, {"reason", ""}});
    family.add(2, {{"rule", ""}, {"reason", "r"}});

    const std::string text = metrics.text();
    BOOST_TEST(has(text, R"(qosgate_test{rule="r"} 1)"));
    BOOST_TEST(has(text, R"(qosgate_test{reason="r"} 2)"));
    BOOST_TEST(!has(text, "cut_series"));
}

BOOST_AUTO_TEST_CASE(a_histogram_with_bounds_that_do_not_ascend_is_left_out) {
    cli::MetricSet metrics(10);
    const std::array counts{1.0, 2.0, 3.0};
    metrics.histogram("qosgate_same_seconds", "Help.").add_histogram(std::array{1.0, 1.0}, counts, 6);
    metrics.histogram("qosgate_good_seconds", "Help.").add_histogram(std::array{1.0, 2.0}, counts, 6);

    const std::string text = metrics.text();
    BOOST_TEST(!has(text, "qosgate_same_seconds"));
    BOOST_TEST(has(text, "qosgate_good_seconds_count 6"));
}

BOOST_AUTO_TEST_CASE(label_values_are_escaped_valid_and_short) {
    cli::MetricSet metrics(10);
    metrics.gauge("qosgate_test", "Help.")
        .add(1, {{"a", "q\"b\\s\nn"}, {"b", "\xff"}, {"c", std::string(5000, 'x')}, {"d", ""}});

    const std::string text = metrics.text();
    BOOST_TEST(has(text, R"({a="q\"b\\s?n",b="?",c="xxx)"));
    BOOST_TEST(text.size() < 500);
    BOOST_TEST(!has(text, "d="));
}

BOOST_AUTO_TEST_CASE(users_are_named_only_if_wanted_and_only_the_largest) {
    BOOST_TEST(!has(metrics_of(gold(), 0), "ana"));
    const std::string one = metrics_of(gold(), 1);
    BOOST_TEST(has(one, R"(qosgate_qos_user_usage{qos="gold",user="ana",limit="MaxTRESPerUser",tres="cpu")"));
    BOOST_TEST(!has(one, "ben"));
    BOOST_TEST(has(metrics_of(gold(), 2), "ben"));

    BOOST_TEST(!has(page_of(gold()), "ana"));
    BOOST_TEST(has(page_of(gold(), true), "ana <b>5</b>"));
}

BOOST_AUTO_TEST_CASE(private_data_hides_accounts_and_users) {
    for (bool model::PrivateData::*hidden : {&model::PrivateData::usage, &model::PrivateData::accounts}) {
        cli::ClusterState state = gold();
        state.records.private_data.*hidden = true;
        for (const std::string& text : {metrics_of(state, 5), page_of(state, true)})
            for (const char* name : {"ana", "ben", "astro", "lab"})
                BOOST_TEST(!has(text, name), name);
        BOOST_TEST(has(metrics_of(state), "qosgate_qos_usage{"));
    }
}

BOOST_AUTO_TEST_CASE(private_jobs_hide_users_but_not_accounts) {
    cli::ClusterState state = gold();
    state.hides_jobs = true;

    for (const std::string& text : {metrics_of(state, 5), page_of(state, true)}) {
        BOOST_TEST(!has(text, "ana"));
        BOOST_TEST(has(text, "astro"));
    }
}

BOOST_AUTO_TEST_CASE(the_page_escapes_names_and_reasons) {
    cli::ClusterState state = gold();
    state.cluster = "<i>";
    state.records.qos.front().qos.name = "\"><script>x</script>";
    state.records.qos.front().accounts = {{"<b>&'", usage(5)}};
    state.pending[{"gold", "<img src=x>"}] = 1;

    const std::string page = page_of(state);
    for (const char* tag : {"<script", "<img", "<i>", "<b>&"})
        BOOST_TEST(!has(page, tag), tag);
    BOOST_TEST(has(page, "&quot;&gt;&lt;script&gt;x&lt;/script&gt;"));
    BOOST_TEST(has(page, "&lt;b&gt;&amp;&#39; <b>5</b>"));
}

BOOST_AUTO_TEST_CASE(the_page_has_the_numbers_of_the_records) {
    const std::string page = page_of(gold());

    BOOST_TEST(has(page, "2 running, 3 pending"));
    BOOST_TEST(has(page, "7 of 8"));
    BOOST_TEST(has(page, "1G of 4G"));
    BOOST_TEST(has(page, "width:87%"));
    BOOST_TEST(has(page, "wall time per job: 01:00:00"));
    BOOST_TEST(has(page, "QOS limit: CPUs of all running jobs"));
}

BOOST_AUTO_TEST_CASE(of_very_many_qos_the_page_shows_the_fullest) {
    cli::ClusterState state = gold();
    for (std::size_t i = 0; i < cli::max_page_owners; ++i) {
        quota::LocalQos qos;
        qos.qos.name = "q" + std::to_string(i);
        state.records.qos.insert(state.records.qos.begin(), qos);
    }

    const std::string page = page_of(state);
    BOOST_TEST(has(page, "data-owner=\"gold\""));
    BOOST_TEST(has(page, "1 more QOSs are not shown"));
}

BOOST_AUTO_TEST_CASE(addresses) {
    for (const char* good : {"127.0.0.1:9817", "[::1]:9817", "0.0.0.0:0", "10.1.2.3:65535"})
        BOOST_TEST(cli::ListenAddress::parse(good).value().text() == good);
    BOOST_TEST(cli::ListenAddress::parse("localhost:1").value().text() == "127.0.0.1:1");
    for (const char* bad :
         {"", ":9817", "127.0.0.1", "127.0.0.1:", "127.0.0.1:65536", "127.0.0.1:x", "host:1", "::1:9817",
          "[::1]", "[127.0.0.1]:1", "[::1:1", "1.2.3:4", "127.0.0.1:1,2"})
        BOOST_TEST(!cli::ListenAddress::parse(bad), bad);
    BOOST_TEST(cli::ListenAddress::parse("127.0.0.1:1").value().is_loopback());
    BOOST_TEST(!cli::ListenAddress::parse("0.0.0.0:1").value().is_loopback());
}

BOOST_AUTO_TEST_CASE(hosts_that_a_loopback_server_answers_to) {
    for (const char* good : {"", "localhost", "LOCALHOST:9817", "127.0.0.1:9817", "[::1]:9817", "[::1]"})
        BOOST_TEST(cli::is_local_host_header(good), good);
    for (const char* bad :
         {"evil.example", "evil.example:9817", "localhost.evil.example", "127.0.0.1.evil.example"})
        BOOST_TEST(!cli::is_local_host_header(bad), bad);
    BOOST_TEST(!cli::is_local_host_header(std::string(5000, '1')));
}

BOOST_AUTO_TEST_CASE(a_failed_reading_repeats_nothing_and_the_next_one_is_served_again) {
    std::atomic<bool> is_away = false;
    std::atomic<int> notes = 0;
    cli::Collector collector({.read_cluster = [&]() -> Result<std::shared_ptr<const cli::ClusterState>> {
                                  if (is_away) return Error{ErrorCode::unavailable, "no slurmctld"};
                                  return std::make_shared<const cli::ClusterState>(gold());
                              },
                              .read_gate = [] { return Result<cli::GateReport>(cli::GateReport()); },
                              .note = [&](const std::string&) { ++notes; }},
                             {.interval = std::chrono::seconds(1)});
    const auto wait_for = [&](const char* text) {
        for (int i = 0; i < 500 && !has(*collector.metrics(), text); ++i)
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        BOOST_TEST_REQUIRE(has(*collector.metrics(), text));
    };
    BOOST_TEST(has(*collector.metrics(), "qosgate_up 0"));

    collector.start();
    wait_for("qosgate_up 1");
    BOOST_TEST(has(*collector.page(), "gold"));
    is_away = true;
    wait_for("qosgate_up 0");
    BOOST_TEST(!has(*collector.metrics(), "gold"));
    BOOST_TEST(has(*collector.metrics(), "qosgate_exporter_reading_failures_total 1"));
    BOOST_TEST(!has(*collector.page(), "gold"));
    BOOST_TEST(has(*collector.page(), "no slurmctld"));
    is_away = false;
    wait_for("qosgate_up 1");
    BOOST_TEST(collector.stop(std::chrono::seconds(5)));
    BOOST_TEST(notes == 3);
}

BOOST_AUTO_TEST_CASE(a_reading_that_hangs_ends_what_is_told) {
    const auto ends = std::make_shared<std::atomic<bool>>(false);
    const auto readings = std::make_shared<std::atomic<int>>(0);
    cli::Collector collector({.read_cluster = [=]() -> Result<std::shared_ptr<const cli::ClusterState>> {
                                  if (++*readings > 1)
                                      while (!*ends)
                                          std::this_thread::sleep_for(std::chrono::milliseconds(10));
                                  return std::make_shared<const cli::ClusterState>(gold());
                              },
                              .read_gate = [] { return Result<cli::GateReport>(cli::GateReport()); },
                              .note = [](const std::string&) {}},
                             {.interval = std::chrono::seconds(1)});
    const auto is_told = [&] { return has(*collector.metrics(), "gold") && has(*collector.page(), "gold"); };

    collector.start();
    for (int i = 0; i < 1000 && *readings < 2; ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    BOOST_TEST(is_told());
    for (int i = 0; i < 1000 && is_told(); ++i)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    BOOST_TEST(!is_told());
    BOOST_TEST(has(*collector.metrics(), "qosgate_up 0"));
    BOOST_TEST(!collector.stop(std::chrono::milliseconds(50)));
    *ends = true;
    BOOST_TEST(collector.stop(std::chrono::seconds(5)));
}

BOOST_AUTO_TEST_CASE(the_plugins_report) {
    const auto written = [](std::time_t at) {
        return cli::GateReport(
            {{"written_at", at},
             {"host", "elsewhere"},
             {"jobs", 7},
             {"refused", 2},
             {"standing", "degraded"},
             {"last_error", "<x>"},
             {"conf_problems", {"a"}},
             {"failing_rules", {{{"rule", "r"}, {"file", "f"}, {"failures_in_a_row", 3}}}}});
    };
    const auto metrics = [&](const Result<cli::GateReport>& gate) {
        return cli::make_metrics(nullptr, &gate, {}, 0, now);
    };

    const std::string text = metrics(written(now - cli::GateReport::oldest));
    BOOST_TEST(has(text, "qosgate_gate_loaded 1"));
    BOOST_TEST(has(text, R"(qosgate_gate_decisions_total{event="submission"} 7)"));
    BOOST_TEST(has(text, "qosgate_gate_refused_total 2"));
    BOOST_TEST(has(text, R"(qosgate_gate_standing{standing="degraded"} 1)"));
    BOOST_TEST(has(text, R"(qosgate_gate_problem{problem="policy"} 1)"));
    BOOST_TEST(has(text, R"(qosgate_gate_problem{problem="slurm_conf"} 1)"));
    BOOST_TEST(has(text, R"(qosgate_gate_rule_failures_in_a_row{rule="r",file="f"} 3)"));

    const std::string old = metrics(written(now - cli::GateReport::oldest - 1));
    BOOST_TEST(has(old, "qosgate_gate_loaded 0"));
    BOOST_TEST(!has(old, "decisions"));
    BOOST_TEST(has(metrics(Error{ErrorCode::permission_denied, "no"}), "qosgate_gate_readable 0"));
}

BOOST_AUTO_TEST_CASE(times_and_results_of_the_plugins_report) {
    const Result<cli::GateReport> gate(cli::GateReport(
        {{"written_at", now},
         {"host", "elsewhere"},
         {"decision_times",
          {{"bounds_us", {10, 100, 1000}}, {"counts", {5, 0, 2, 1}}, {"sum_us", 2'500'000}}},
         {"results",
          {{{"did", "rejected"}, {"rule", "r"}, {"file", "f"}, {"reason", nullptr}, {"count", 3}},
           {{"did", "warned"},
            {"rule", nullptr},
            {"file", nullptr},
            {"reason", "QOSGrpCpuLimit"},
            {"count", 4}}}},
         {"other_results", 1}}));

    const std::string text = cli::make_metrics(nullptr, &gate, {}, 0, now);
    BOOST_TEST(has(text, "# TYPE qosgate_gate_decision_seconds histogram"));
    BOOST_TEST(has(text, "qosgate_gate_decision_seconds_count 8\n"));
    BOOST_TEST(has(text, "qosgate_gate_decision_seconds_sum 2.5\n"));
    for (const char* bucket : {"1e-05\"} 5", "0.0001\"} 5", "0.001\"} 7"})
        BOOST_TEST(has(text, std::string("qosgate_gate_decision_seconds_bucket{le=\"") + bucket + "\n"),
                   bucket);
    BOOST_TEST(has(text, "qosgate_gate_decision_seconds_bucket{le=\"+Inf\"} 8\n"));
    BOOST_TEST(has(text, R"(qosgate_gate_results_total{did="rejected",rule="r",file="f"} 3)"));
    BOOST_TEST(has(text, R"(qosgate_gate_results_total{did="warned",reason="QOSGrpCpuLimit"} 4)"));
    BOOST_TEST(has(text, "qosgate_gate_other_results_total 1\n"));
    const cli::ClusterState state = gold();
    const std::string page = cli::make_page(&state, "", &gate, {}, now);
    BOOST_TEST(has(page, "<tr><td>rejected<td>rule r<td class=\"n\">3</tr>"));
    BOOST_TEST(!has(page, "<td>warned"));
}

BOOST_AUTO_TEST_SUITE_END()
