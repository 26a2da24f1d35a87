// SPDX-License-Identifier: GPL-2.0-or-later
//
// Limits that the components of a heterogeneous job exceed together.
#include "qosgate/base/text.hpp"
#include "support/het_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

/// slurmctld 26.05 tells nobody.
constexpr const char* is_kept =
    "slurmctld refuses this job, but keeps this part as a job of its own: cancel that";

BOOST_FIXTURE_TEST_SUITE(het_parts, test::HetSetup)

BOOST_AUTO_TEST_CASE(parts_of_a_het_job_are_judged_together_too) {
    ask_cpus(20);
    deny_on_limit();
    limit_cpus_per_user(40);
    BOOST_TEST(told().empty());
    BOOST_TEST(told().empty());
    const auto third = decide_part();
    BOOST_TEST_REQUIRE(third.message.size() == 1u);
    BOOST_TEST(test::first_line(third.message) ==
               "parts 0, 1 and 2 together exceed a limit: CPUs per user in QOS "
               "normal: limit 40, they ask for 60 (QOSMaxCpuPerUserLimit)");
    BOOST_TEST(third.reject == RejectCode::none);
    BOOST_TEST(third.forecast.code == RejectCode::accounting_policy);
    BOOST_TEST(third.forecast.reason == "QOSMaxCpuPerUserLimit");
    BOOST_TEST(told().empty()); // told only once

    parts.clear();
    limit_cpus_per_user(41);
    BOOST_TEST(decide_part().forecast.code == RejectCode::none);
    BOOST_TEST(decide_part().forecast.code == RejectCode::none); // 40 together
    limit_cpus_per_user(40);
    parts.clear();

    const auto enforcing = test::load_site("site { limits = \"enforce\" }");
    parts.clear();
    ask_cpus(40);
    BOOST_TEST(decide_part(enforcing.get()).reject == RejectCode::none);
    BOOST_TEST(decide_part(enforcing.get()).reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(a_part_behind_one_that_is_refused_would_wait) {
    partitions[0].starts_jobs = false;
    const std::string down = ": partition main is down (PartitionDown)";
    BOOST_TEST(told() == std::vector{"this job will wait" + down});
    deny_on_limit();
    limit_cpus_per_user(40);
    ask_cpus(41);
    BOOST_TEST(decide_part().forecast.code == RejectCode::accounting_policy);
    ask_cpus(1);
    BOOST_TEST(told() == std::vector{"this job would wait" + down});
    parts.clear();
    BOOST_TEST(told() == std::vector{"this job will wait" + down});
}

BOOST_AUTO_TEST_CASE(parts_that_never_run_together_wait_for_ever) {
    ask_cpus(20);
    limit_cpus_per_user(39);
    BOOST_TEST(!decide_part().forecast.never_starts);
    const auto second = decide_part();
    BOOST_TEST(second.forecast.never_starts);
    BOOST_TEST(second.forecast.code == RejectCode::none);
    BOOST_TEST(second.forecast.pending_reason == "QOSMaxCpuPerUserLimit");

    parts.clear();
    limit_cpus_per_user(40);
    decide_part();
    BOOST_TEST(!decide_part().forecast.never_starts);
}

BOOST_AUTO_TEST_CASE(what_a_hidden_partition_gives_one_part_is_not_told_with_another) {
    request.submit_uid = request.user_id;
    request.memory = model::Memory{1000, /*per_cpu=*/false};
    deny_on_limit();
    const model::JobRequest with_memory = request;
    for (const bool is_hidden : {false, true}) {
        partitions[1].is_hidden = is_hidden;
        qos(0).limits.set(TresLimit::max_tres_per_user, tres("mem"), 1999);
        parts.clear();
        request.partition = "viz";
        request.memory.reset(); // the default of the partition
        BOOST_TEST(told().empty());
        request = with_memory;
        BOOST_TEST(told().empty() == is_hidden);
    }
}

BOOST_AUTO_TEST_CASE(parts_under_other_qos_are_added_up_before_26_05_only) {
    ask_cpus(30);
    deny_on_limit();
    limit_cpus_per_user(40);
    const auto second_told = [&](limits::Release asked) {
        release = asked;
        parts.clear();
        request.qos = "moonlight";
        BOOST_TEST(told().empty());
        request.qos = "normal";
        return !told().empty();
    };
    BOOST_TEST(second_told({25, 11}));
    BOOST_TEST(!second_told({26, 5, 0}));
}

BOOST_AUTO_TEST_CASE(each_part_is_tried_beside_those_before_it_from_26_05_on) {
    release = {26, 5, 0};
    const auto code_of_second = [&](std::uint32_t first, std::uint32_t second) {
        parts.clear();
        ask_cpus(first);
        BOOST_TEST(decide_part().forecast.code == RejectCode::none);
        ask_cpus(second);
        return decide_part();
    };
    limit_cpus_per_user(40);                                 // which refuses no other job
    qos(0).user_usage.tres.assign(records.tres->size(), 40); // of other jobs, which do not count
    BOOST_TEST(code_of_second(20, 20).forecast.code == RejectCode::none);
    const auto refused = code_of_second(20, 21);
    BOOST_TEST(refused.forecast.code == RejectCode::accounting_policy);
    BOOST_TEST(refused.forecast.reason == "QOSMaxCpuPerUserLimit");
    BOOST_TEST(!refused.forecast.never_starts);
    BOOST_TEST(refused.forecast.pending_reason == "");
    BOOST_TEST_REQUIRE(refused.message.size() >= 2u);
    BOOST_TEST(refused.message.back() == is_kept);
    BOOST_TEST(
        refused.message.end()[-2].starts_with("parts 0 and 1 together exceed a limit: CPUs per user in QOS "
                                              "normal: limit 40, they ask for 41"));

    limit_cpus_per_user(100);
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 2);
    BOOST_TEST(code_of_second(1, 1).forecast.code == RejectCode::none);
    const auto third = decide_part();
    BOOST_TEST(third.forecast.reason == "QOSMaxJobsPerUserLimit");
    BOOST_TEST(third.message.back() == is_kept);
    BOOST_TEST(third.message.end()[-2].ends_with("limit 2, they are 3 jobs (QOSMaxJobsPerUserLimit)"));
}

BOOST_AUTO_TEST_CASE(a_part_that_never_starts_by_itself_is_refused_from_26_05_on) {
    limit_cpus_per_user(40);
    for (const limits::Release each : {limits::Release(25, 11), limits::Release(26, 5, 0)}) {
        release = each;
        const bool refuses = each >= limits::Release(26, 5, 0);
        parts.clear();
        ask_cpus(40);
        BOOST_TEST(decide_part().forecast.code == RejectCode::none);
        parts.clear();
        ask_cpus(41);
        const auto decision = decide_part();
        BOOST_TEST((decision.forecast.code == RejectCode::accounting_policy) == refuses);
        BOOST_TEST(decision.forecast.never_starts != refuses);
        BOOST_TEST_REQUIRE(decision.message.size() == (refuses ? 2u : 1u));
        BOOST_TEST((decision.message.back() == is_kept) == refuses);
        BOOST_TEST(decision.message.front().starts_with(refuses ? "this job could never start as it is"
                                                                : "this job can never start as it is"));
    }
}

BOOST_AUTO_TEST_CASE(a_part_that_is_too_large_to_be_looked_at_joins_no_sum) {
    ask_cpus(20);
    deny_on_limit();
    limit_cpus_per_user(39);
    for (int i = 1; i <= 64; ++i) {
        partitions.push_back(partitions.front());
        partitions.back().name = "p" + std::to_string(i);
    }
    for (const int named : {1, 64, 65}) {
        parts.clear();
        request.partition = "main";
        for (int i = 1; i < named; ++i)
            *request.partition += ",p" + std::to_string(i);
        BOOST_TEST(told().empty());
        request.partition = "main";
        BOOST_TEST(told().empty() == (named == 65));
    }
}

BOOST_AUTO_TEST_CASE(what_one_part_exceeds_by_itself_is_told_once) {
    ask_cpus(41);
    limit_cpus_per_user(40);
    const std::string of_one =
        "this job can never start as it is: CPUs per user in QOS normal: limit 40, this "
        "job asks for 41 (QOSMaxCpuPerUserLimit)";
    BOOST_TEST(told() == std::vector{of_one});
    ask_cpus(20);
    BOOST_TEST(told().empty()); // 61 together; a smaller first component would help
    ask_cpus(41);
    BOOST_TEST(told() == std::vector{of_one});

    // Another limit is still told.
    ask_cpus(20);
    request.tres_per_node = "gres:gpu:2";
    parts.clear();
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), 3);
    BOOST_TEST(told().empty());
    ask_cpus(41);
    const auto lines = told();
    BOOST_TEST_REQUIRE(lines.size() == 2u);
    BOOST_TEST(lines[0] == of_one);
    BOOST_TEST(lines[1] ==
               "this job can never start as it is: parts 0 and 1 together exceed a limit: GPUs per "
               "user in QOS normal: limit 3, they ask for 4 (QOSMaxGRESPerUser)");
}

BOOST_AUTO_TEST_CASE(a_limit_that_lets_no_job_run_is_told_once) {
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 0);
    const auto by_itself = told().size();
    BOOST_TEST(told().size() == by_itself);
    parts.clear();
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 1);
    BOOST_TEST(told().empty());
    BOOST_TEST(told().size() == 1u);
}

BOOST_AUTO_TEST_CASE(parts_of_a_het_job_are_no_array) {
    qos(0).limits.set(model::CountLimit::max_submit_jobs_per_user, 2);
    for (int part = 0; part < 2; ++part)
        BOOST_TEST(told().empty());
    const auto third = told();
    BOOST_TEST_REQUIRE(third.size() == 1u);
    BOOST_TEST(third.front() ==
               "parts 0, 1 and 2 together exceed a limit: submitted jobs per user in QOS normal: "
               "limit 2, they are 3 jobs (QOSMaxSubmitJobPerUserLimit)");
}

BOOST_AUTO_TEST_CASE(every_limit_that_parts_exceed_together_is_told_once) {
    const std::string never = "this job can never start as it is: parts 0 and 1 together exceed a limit: ";
    ask_cpus(20);
    request.tres_per_node = "gres:gpu:2";
    limit_cpus_per_user(39);
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 1);
    qos(0).limits.set(model::CountLimit::max_submit_jobs_per_user, 3);
    for (const bool exceeds_gpus : {false, true}) {
        parts.clear();
        qos(0).limits.set(TresLimit::max_tres_per_user, tres("gres/gpu"), exceeds_gpus ? 3 : 4);
        BOOST_TEST(told().empty());
        std::vector<std::string> lines = {
            never + "CPUs per user in QOS normal: limit 39, they ask for 40 (QOSMaxCpuPerUserLimit)",
            never + "running jobs per user in QOS normal: limit 1, they are 2 jobs (QOSMaxJobsPerUserLimit)"};
        if (exceeds_gpus)
            lines.insert(lines.begin() + 1, never + "GPUs per user in QOS normal: limit 3, they ask for 4 "
                                                    "(QOSMaxGRESPerUser)");
        BOOST_TEST(told() == lines, boost::test_tools::per_element());
        BOOST_TEST(told().size() == (exceeds_gpus ? 0u : 1u)); // only the GPUs are a new limit
        BOOST_TEST(told() ==
                   std::vector<std::string>{
                       "parts 0, 1, 2 and 3 together exceed a limit: submitted jobs per user in QOS normal: "
                       "limit 3, they are 4 jobs (QOSMaxSubmitJobPerUserLimit)"});
        BOOST_TEST(told().empty());
    }
}

BOOST_AUTO_TEST_CASE(parts_that_exceed_many_limits_are_told_some) {
    // The limit that refuses is told in any case.
    ask_cpus(20);
    request.tres_per_node = "gres:gpu:2";
    for (const TresLimit limit :
         {TresLimit::max_tres_per_user, TresLimit::max_tres_per_account, TresLimit::grp_tres})
        for (const auto& [name, count] : {std::pair{"cpu", 39}, {"gres/gpu", 3}})
            qos(0).limits.set(limit, tres(name), static_cast<std::uint64_t>(count));
    for (const auto limit : {model::CountLimit::max_jobs_per_user, model::CountLimit::max_jobs_per_account,
                             model::CountLimit::grp_jobs})
        qos(0).limits.set(limit, 1);
    qos(0).limits.set(model::CountLimit::max_submit_jobs_per_user, 2);
    BOOST_TEST(told().empty());
    BOOST_TEST(told().size() == 8u);
    const auto third = told();
    BOOST_TEST_REQUIRE(third.size() == 1u);
    BOOST_TEST(third.front().starts_with("parts 0, 1 and 2 together exceed a limit: submitted jobs"));
}

BOOST_AUTO_TEST_CASE(parts_of_a_het_job_that_never_start_together_are_told) {
    ask_cpus(20);
    qos(0).limits.set(TresLimit::grp_tres, tres("cpu"), 40);
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 30); // one component alone exceeds it
    BOOST_TEST(told().empty());
    BOOST_TEST(told().empty());
    const auto third = told();
    BOOST_TEST_REQUIRE(third.size() == 1u);
    BOOST_TEST(third.front() ==
               "this job can never start as it is: parts 0, 1 and 2 together exceed a limit: CPUs "
               "of all running jobs in QOS normal: limit 40, they ask for 60 "
               "(QOSGrpCpuLimit)");
    parts.clear();
    BOOST_TEST(told().empty());
    request.qos = "moonlight"; // has no such limit
    BOOST_TEST(told().empty());
    BOOST_TEST(told().empty());
}

/// Components with accounts hpc-users and guests, QOSs normal and moonlight, partitions main and viz.
struct PartsOfTwo : test::HetSetup {
    PartsOfTwo() {
        ask_cpus(20);
        quota::LocalAssociation other = records.associations[0];
        other.link.account = "guests";
        records.associations.push_back(other);
    }

    /// What the user reads about the second component.
    std::string told_of_second(const char* account, const char* qos_name, const char* partition) {
        parts.clear();
        std::string lines;
        for (const bool is_second : {false, true}) {
            request.account = is_second ? account : "hpc-users";
            request.qos = is_second ? qos_name : "normal";
            request.partition = is_second ? partition : "main";
            lines = text::join(told(), "; ");
        }
        return lines;
    }
};

BOOST_FIXTURE_TEST_CASE(parts_that_share_one_owner_of_a_limit_never_start_together, PartsOfTwo) {
    const std::string never = "this job can never start as it is: parts 0 and 1 together exceed a limit: ";
    const auto unlimited = records;
    const auto forget = [&] { records = unlimited; };

    limit_cpus_per_user(39);
    const std::string of_user =
        never + "CPUs per user in QOS normal: limit 39, they ask for 40 (QOSMaxCpuPerUserLimit)";
    BOOST_TEST(told_of_second("hpc-users", "normal", "viz") == of_user);
    BOOST_TEST(told_of_second("guests", "normal", "main") == of_user);
    BOOST_TEST(told_of_second("hpc-users", "moonlight", "main") == "");
    limit_cpus_per_user(40);
    BOOST_TEST(told_of_second("guests", "normal", "viz") == "");

    forget();
    qos(0).limits.set(TresLimit::max_tres_per_account, tres("cpu"), 39);
    BOOST_TEST(told_of_second("guests", "normal", "viz") == "");
    BOOST_TEST(told_of_second("hpc-users", "normal", "viz").starts_with(never + "CPUs per account in QOS"));

    forget();
    records.associations[0].link.limits = model::Limits(records.tres->size());
    records.associations[0].link.limits.set(TresLimit::grp_tres, tres("cpu"), 39);
    BOOST_TEST(told_of_second("guests", "moonlight", "viz") == "");
    BOOST_TEST(told_of_second("hpc-users", "moonlight", "viz").starts_with(never + "CPUs of all running"));
    records.associations[0].link.limits.set(TresLimit::grp_tres, tres("cpu"), 40);
    BOOST_TEST(told_of_second("hpc-users", "moonlight", "viz") == "");

    forget();
    qos(0).limits.set(model::CountLimit::max_jobs_per_user, 1);
    BOOST_TEST(told_of_second("guests", "normal", "viz").starts_with(never + "running jobs per user"));
    BOOST_TEST(told_of_second("guests", "moonlight", "viz") == "");
}

BOOST_FIXTURE_TEST_CASE(parts_are_submitted_jobs_of_those_whom_they_count_for, PartsOfTwo) {
    const std::string together = "parts 0 and 1 together exceed a limit: submitted jobs ";
    const auto unlimited = records;
    qos(0).limits.set(model::CountLimit::max_submit_jobs_per_user, 1);
    BOOST_TEST(told_of_second("hpc-users", "normal", "viz").starts_with(together + "per user in QOS normal"));
    BOOST_TEST(told_of_second("guests", "normal", "viz").starts_with(together + "per user in QOS normal"));
    BOOST_TEST(told_of_second("hpc-users", "moonlight", "viz") == "");
    qos(0).limits.set(model::CountLimit::max_submit_jobs_per_user, 2);
    BOOST_TEST(told_of_second("hpc-users", "normal", "viz") == "");

    records = unlimited;
    records.associations[0].link.limits = model::Limits(records.tres->size());
    records.associations[0].link.limits.set(model::CountLimit::max_submit_jobs, 1);
    BOOST_TEST(told_of_second("hpc-users", "moonlight", "viz").starts_with(together));
    BOOST_TEST(told_of_second("guests", "moonlight", "viz") == "");
}

BOOST_FIXTURE_TEST_CASE(the_time_limit_of_the_first_part_counts_for_all, PartsOfTwo) {
    deny_on_limit();
    qos(0).limits.set(model::CountLimit::max_wall, 60);
    const auto told_of = [&](std::uint32_t minutes, const char* account, const char* qos_name) {
        request.time_limit = TimeLimit{minutes};
        request.account = account;
        request.qos = qos_name;
        return text::join(told(), "; ");
    };
    for (const std::uint32_t minutes : {60u, 61u})
        for (const char* account : {"hpc-users", "guests"}) {
            parts.clear();
            BOOST_TEST(told_of(minutes, "hpc-users", "moonlight") == "");
            const std::string second = told_of(30, account, "normal");
            const bool is_refused = minutes == 61 && account == std::string("hpc-users");
            BOOST_TEST(second.starts_with("parts 0 and 1 together exceed a limit: wall time") == is_refused,
                       second);
        }
}

BOOST_FIXTURE_TEST_CASE(parts_are_named_as_slurm_counts_them, PartsOfTwo) {
    deny_on_limit();
    qos(0).limits.set(TresLimit::max_tres_per_account, tres("cpu"), 30);
    const auto told_of = [&](std::uint32_t number, const char* account) {
        parts.begin_part(number);
        request.account = account;
        const auto lines = told();
        return lines.empty() ? "" : lines.front();
    };
    BOOST_TEST(told_of(0, "hpc-users") == "");
    BOOST_TEST(told_of(1, "guests") == "");
    // Component 2 was refused by itself.
    BOOST_TEST(
        told_of(3, "hpc-users").starts_with("parts 0 and 3 together exceed a limit: CPUs per account"));
}

BOOST_AUTO_TEST_CASE(parts_that_cannot_all_run_at_once_never_start) {
    const auto unlimited = records;
    const auto second_told = [&](auto set_limit) {
        records = unlimited;
        set_limit(records);
        parts.clear();
        BOOST_TEST(told().empty());
        const auto lines = told();
        return lines.empty() ? "" : lines.front();
    };
    const auto of_qos = [](std::uint64_t jobs) {
        return [jobs](quota::LocalRecords& r) {
            r.qos[0].qos.limits.set(model::CountLimit::max_jobs_per_user, jobs);
        };
    };
    BOOST_TEST(second_told(of_qos(2)) == "");
    BOOST_TEST(second_told(of_qos(1)) ==
               "this job can never start as it is: parts 0 and 1 together exceed a limit: running jobs per "
               "user in QOS normal: limit 1, they are 2 jobs (QOSMaxJobsPerUserLimit)");
    const auto of_user = [](std::uint64_t jobs) {
        return [jobs](quota::LocalRecords& r) {
            r.associations[0].link.limits = model::Limits(r.tres->size());
            r.associations[0].link.limits.set(model::CountLimit::max_jobs, jobs);
            r.associations[0].link.usage.jobs = 5; // of other jobs, which end
        };
    };
    BOOST_TEST(second_told(of_user(2)) == "");
    BOOST_TEST(second_told(of_user(1)) ==
               "this job can never start as it is: parts 0 and 1 together exceed a limit: running jobs of "
               "user ana in account hpc-users: limit 1, they are 2 jobs (AssocMaxJobsLimit)");
}

BOOST_AUTO_TEST_SUITE_END()
