// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `qosgate exporter` serves (contrib/qosgate/exporter): names, escapes, bounds, and what is not told.
#include "exporter/limit_samples.hpp"

#include "exporter_cases.hpp"

#include "qosgate/model/limit_facts.hpp"

#include <boost/test/unit_test.hpp>

#include <regex>
#include <set>
#include <sstream>
#include <string>

using namespace qg;
using namespace qg::test;

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
    for (const cli::LimitRow& row : cli::find_qos_rows(state.records, state.release)) {
        found.emplace(row.facts->name);
        BOOST_TEST_CONTEXT(row.facts->name)
        BOOST_TEST(row.used.has_value() == row.facts->counts_others());
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
        {"with_message", 1e300},
        {"results",
         {7,
          nullptr,
          {{"effect", 7}, {"count", 1}},
          {{"effect", "rejected"}, {"count", "x"}},
          {{"effect", "rejected"}, {"rule", "r"}, {"count", 5}}}},
        {"conf_problems", 7},
        {"failing_rules",
         {{{"rule", nullptr}, {"file", 7}}, {{"rule", "r"}, {"failures_in_a_row", "x"}, {"only_warns", 7}}}}};
    const Result<cli::GateReport> gate{cli::GateReport(strange)};

    const std::string text = cli::make_metrics(nullptr, &gate, {}, 0, now);
    BOOST_TEST(has(text, "qosgate_gate_loaded 1"));
    BOOST_TEST(!has(text, "decision_seconds"));
    BOOST_TEST(!has(text, "refused_total"));
    BOOST_TEST(!has(text, "with_message_total"));
    BOOST_TEST(has(text, R"(qosgate_gate_results_total{effect="rejected",rule="r"} 5)"));
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

BOOST_AUTO_TEST_CASE(users_are_named_only_if_wanted_and_only_the_largest) {
    BOOST_TEST(!has(metrics_of(gold(), 0), "ana"));
    const std::string one = metrics_of(gold(), 1);
    BOOST_TEST(has(one, R"(qosgate_qos_user_usage{qos="gold",user="ana",limit="MaxTRESPerUser",tres="cpu")"));
    BOOST_TEST(!has(one, "ben"));
    BOOST_TEST(has(metrics_of(gold(), 2), "ben"));

    BOOST_TEST(!has(page_of(gold()), "ana"));
    BOOST_TEST(has(page_of(gold(), true), "ana <b>5</b>"));
}

BOOST_AUTO_TEST_CASE(a_user_of_a_limit_of_0_counts_as_one_who_uses_all_of_it) {
    cli::ClusterState state = gold();
    quota::LocalQos closed = state.records.qos.front();
    closed.qos.name = "closed";
    closed.qos.limits = model::Limits(state.records.tres->size());
    closed.qos.limits.set(TresLimit::max_tres_per_user, cpu, 0);
    closed.users = {{2, usage(100)}}; // since before the limit
    state.records.qos.push_back(closed);
    BOOST_TEST(has(metrics_of(state, 1), R"(qosgate_qos_user_usage{qos="closed",user="ben")")); // 5 of 6
    state.records.qos.front().users[1] = usage(7);
    const std::string one = metrics_of(state, 1); // 7 of 6
    BOOST_TEST(has(one, R"(qosgate_qos_user_usage{qos="gold",user="ana")"));
    BOOST_TEST(!has(one, "ben"));
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
          {{{"effect", "rejected"}, {"rule", "r"}, {"file", "f"}, {"reason", nullptr}, {"count", 3}},
           {{"effect", "failed"}, {"rule", "r"}, {"file", "f"}, {"reason", nullptr}, {"count", 2}}, // of the
                                                                                                    // three
           {{"effect", "warned"},
            {"rule", nullptr},
            {"file", nullptr},
            {"reason", "QOSGrpCpuLimit"},
            {"outcome", "refused"},
            {"count", 4}},
           {{"effect", "warned"}, {"reason", "QOSGrpCpuLimit"}, {"outcome", "waits"}, {"count", 5}},
           {{"effect", "refused"}, {"reason", "QOSGrpCpuLimit"}, {"outcome", "refused"}, {"count", 6}},
           {{"effect", "warned"}, {"reason", "<b>"}, {"outcome", "never starts"}, {"count", 90}},
           {{"effect", "refused"}, {"reason", nullptr}, {"outcome", nullptr}, {"count", 7}}}},
         {"other_results", 1}}));

    const std::string text = cli::make_metrics(nullptr, &gate, {}, 0, now);
    BOOST_TEST(has(text, "# TYPE qosgate_gate_decision_seconds histogram"));
    BOOST_TEST(has(text, "qosgate_gate_decision_seconds_count 8\n"));
    BOOST_TEST(has(text, "qosgate_gate_decision_seconds_sum 2.5\n"));
    for (const char* bucket : {"1e-05\"} 5", "0.0001\"} 5", "0.001\"} 7"})
        BOOST_TEST(has(text, std::string("qosgate_gate_decision_seconds_bucket{le=\"") + bucket + "\n"),
                   bucket);
    BOOST_TEST(has(text, "qosgate_gate_decision_seconds_bucket{le=\"+Inf\"} 8\n"));
    BOOST_TEST(has(text, R"(qosgate_gate_results_total{effect="rejected",rule="r",file="f"} 3)"));
    BOOST_TEST(has(text, R"(qosgate_gate_results_total{effect="warned",reason="QOSGrpCpuLimit"} 9)"));
    for (const char* series :
         {R"({outcome="refused",reason="QOSGrpCpuLimit"} 10)",
          R"({outcome="waits",reason="QOSGrpCpuLimit"} 5)", R"({outcome="never starts",reason="<b>"} 90)"})
        BOOST_TEST(has(text, std::string("qosgate_gate_limited_jobs_total") + series), series);
    BOOST_TEST(has(text, "qosgate_gate_other_results_total 1\n"));
    const cli::ClusterState state = gold();
    const std::string page = cli::make_page(&state, "", &gate, {}, now);
    BOOST_TEST(has(page, "<tr><td>rejected<td>rule r<td class=\"n\">3</tr>"));
    BOOST_TEST(has(page, "<tr><th>Answer<th>By<th class=\"n\">Jobs</tr>"));
    BOOST_TEST(!has(page, "<td>failed")); // a job counts once
    BOOST_TEST(!has(page, "<td>warned"));
    // Which limit refuses most comes first.
    BOOST_TEST(has(page,
                   "<th>Meaning</tr>\n<tr data-reason=\"QOSGrpCpuLimit\"><td>QOSGrpCpuLimit<td class=\"n\">10"
                   "<td class=\"n\">0<td class=\"n\">5<td>QOS limit: CPUs"));
    BOOST_TEST(has(page, "<td>&lt;b&gt;<td class=\"n\">0<td class=\"n\">90<td class=\"n\">0<td></tr>"));
    BOOST_TEST(has(page, "<td>refused<td>another cause<td class=\"n\">7</tr>"));
    BOOST_TEST(!has(page, "<td>refused<td>QOSGrpCpuLimit")); // a job counts once
}

BOOST_AUTO_TEST_CASE(jobs_of_a_partition_qos_are_those_that_slurmctld_counts) {
    cli::ClusterState state = gold();
    state.queued.clear(); // the jobs have a QOS of their own
    state.queued["normal"] = {.running = 2, .pending = 1};
    state.records.enforce.limits = true;
    state.records.qos.front().qos.usage.jobs = 2;
    state.records.qos.front().qos.usage.submit_jobs = 3;
    state.partitions["gold"] = {"debug", "<b>"};

    const std::string text = metrics_of(state);
    for (const char* qos : {"gold", "normal"}) {
        const std::string name = std::string("qosgate_jobs{qos=\"") + qos;
        BOOST_TEST(has(text, name + R"(",state="running"} 2)"), qos);
        BOOST_TEST(has(text, name + R"(",state="pending"} 1)"), qos);
    }
    BOOST_TEST(has(page_of(state), "2 running, 1 pending; the QOS of partitions debug, &lt;b&gt;<"));

    state.records.enforce.limits = false; // slurmctld counts nothing, so only the queue is known
    BOOST_TEST(has(metrics_of(state), R"(qosgate_jobs{qos="gold",state="running"} 0)"));
    BOOST_TEST(has(metrics_of(state), R"(qosgate_jobs{qos="normal",state="running"} 2)"));
}

BOOST_AUTO_TEST_CASE(what_a_release_does_not_count_has_no_usage) {
    cli::ClusterState state = gold();
    state.records.qos.front().qos.limits.set(TresLimit::max_tres_run_mins_per_user, cpu, 600);
    const auto has_usage = [&state] {
        return has(metrics_of(state), R"(usage{qos="gold",limit="MaxTRESRunMinsPerUser")");
    };

    state.release = limits::Release{24, 5};
    BOOST_TEST(has_usage());
    BOOST_TEST(!has(page_of(state), "does not count it"));
    state.release = limits::Release{23, 11};
    BOOST_TEST(!has_usage());
    BOOST_TEST(has(page_of(state), "this release of Slurm does not count it"));
}

BOOST_AUTO_TEST_CASE(a_plugin_that_nobody_asked_for_is_no_warning) {
    const cli::ClusterState state = gold();
    const Result<cli::GateReport> none{cli::GateReport()};
    const auto page = [&](bool is_expected) {
        return cli::make_page(&state, "", &none, {.expects_plugin = is_expected}, now);
    };

    BOOST_TEST(has(page(true), R"(<p id="gate" class="warning">The plugin is not loaded)"));
    BOOST_TEST(has(page(false), R"(<p id="gate">The plugin is not loaded; JobSubmitPlugins)"));
}

BOOST_AUTO_TEST_SUITE_END()
