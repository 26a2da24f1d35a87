// SPDX-License-Identifier: GPL-2.0-or-later
//
// Suggestions when several limits count the same resource, or resources that depend on one another.
#include "support/suggestion_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::TresLimit;

namespace {

struct SeveralSetup : test::SuggestionSetup {
    void limit(TresLimit which, std::string_view name, std::uint64_t value) {
        qos(0).limits.set(which, tres(name), value);
    }
    void limit_account(TresLimit which, std::string_view name, std::uint64_t value) {
        model::Limits& limits = records.associations[0].link.limits;
        if (!limits.has_any()) limits = model::Limits(records.tres->size());
        limits.set(which, tres(name), value);
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(several_limits, SeveralSetup)

BOOST_AUTO_TEST_CASE(the_strictest_of_several_on_cpus_is_met) {
    ask(9, std::nullopt);
    limit(TresLimit::max_tres_per_job, "cpu", 8);
    for (const std::uint64_t of_user : {32u, 9u, 8u}) { // 32: not exceeded
        limit(TresLimit::max_tres_per_user, "cpu", of_user);
        BOOST_TEST(nearest() == "--ntasks=8");
    }
    limit(TresLimit::max_tres_per_user, "cpu", 7);
    BOOST_TEST(nearest() == "--ntasks=7");
    limit(TresLimit::grp_tres, "cpu", 6);
    limit(TresLimit::max_tres_per_account, "cpu", 7);
    BOOST_TEST(nearest() == "--ntasks=6");
}

BOOST_AUTO_TEST_CASE(also_where_they_let_the_job_wait) {
    qos(0).flags.deny_on_limit = false;
    ask(9, std::nullopt);
    limit(TresLimit::max_tres_per_job, "cpu", 8);
    limit(TresLimit::max_tres_per_user, "cpu", 8);
    BOOST_TEST(suggestion() == "could start with: --ntasks=8");
    ask(2, std::nullopt, 5);
    BOOST_TEST(suggestion() == "could start with: --ntasks=1");
}

BOOST_AUTO_TEST_CASE(of_an_account_and_a_qos) {
    ask(9, std::nullopt);
    limit(TresLimit::max_tres_per_job, "cpu", 8);
    limit_account(TresLimit::grp_tres, "cpu", 8);
    BOOST_TEST(nearest() == "--ntasks=8");
}

BOOST_AUTO_TEST_CASE(less_memory_is_offered_if_it_brought_the_cpus) {
    partitions[0].max_memory = model::Memory{2000, /*per_cpu=*/true};
    limit(TresLimit::max_tres_per_user, "cpu", 4);
    ask(1, std::nullopt);
    request.memory = model::Memory{8000, /*per_cpu=*/false};
    BOOST_TEST(nearest() == "none", "all is well");
    request.memory = model::Memory{8001, /*per_cpu=*/false};
    BOOST_TEST(nearest() == "--mem=8000M");
    ask(3, std::nullopt);
    request.memory = model::Memory{4000, /*per_cpu=*/true};
    BOOST_TEST(nearest() == "--mem-per-cpu=2000M");
    ask(5, std::nullopt); // CPUs of the tasks are too many, too
    BOOST_TEST(nearest().find("--ntasks=") != std::string::npos, nearest());
}

BOOST_AUTO_TEST_CASE(what_a_refusal_hides_is_told_with_the_suggestion_that_complies_with_it) {
    limit(TresLimit::max_tres_per_job, "cpu", 8);
    ask(9, std::nullopt);
    partitions[0].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{60};
    BOOST_TEST(suggestion() == "would be accepted with: --ntasks=8");
    request.time_limit = TimeLimit{61};
    BOOST_TEST(suggestion() ==
               "beside that: wall time per job in partition main: limit 01:00:00, this job asks for 01:01:00 "
               "(PartitionTimeLimit); would be accepted with: --ntasks=8 --time=01:00:00");
    enforce_part_limits = model::EnforcePartLimits::all; // the partition refuses first
    BOOST_TEST(suggestion() == "beside that: CPUs per job in QOS normal: limit 8, this job asks for 9 "
                               "(QOSMaxCpuPerJobLimit); would be accepted with: --ntasks=8 --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(gpus_are_taken_away_once) {
    request.tres_per_job = "gres:gpu:a100:3";
    limit(TresLimit::max_tres_per_job, "gres/gpu", 2);
    limit(TresLimit::max_tres_per_user, "gres/gpu", 2);
    BOOST_TEST(nearest() == "--gpus=a100:2");
    limit(TresLimit::max_tres_per_job, "gres/gpu:a100", 2);
    BOOST_TEST(nearest() == "--gpus=a100:2");
    limit(TresLimit::max_tres_per_job, "gres/gpu:a100", 1);
    BOOST_TEST(nearest() == "--gpus=a100:1");
}

BOOST_AUTO_TEST_CASE(memory_is_taken_away_once) {
    request.memory = model::Memory{5120, /*per_cpu=*/false};
    limit(TresLimit::max_tres_per_job, "mem", 4096);
    limit(TresLimit::max_tres_per_user, "mem", 4096);
    BOOST_TEST(nearest() == "--mem=4G");
}

BOOST_AUTO_TEST_CASE(gpus_of_a_node_and_of_the_job) {
    ask(std::nullopt, 2);
    request.tres_per_node = "gres:gpu:2";
    request.submit_line = "sbatch -N2 --gpus-per-node=2";
    limit(TresLimit::max_tres_per_user, "gres/gpu", 2);
    limit(TresLimit::max_tres_per_node, "gres/gpu", 1);
    BOOST_TEST(nearest() == "--gpus-per-node=1");
}

BOOST_AUTO_TEST_CASE(what_follows_from_fewer_cpus_is_counted_again) {
    ask(16, std::nullopt);
    request.memory = model::Memory{2000, /*per_cpu=*/true};
    request.time_limit = TimeLimit{90};
    limit(TresLimit::max_tres_per_job, "cpu", 8);
    limit(TresLimit::max_tres_per_job, "mem", 16000);
    limit(TresLimit::max_tres_mins_per_job, "cpu", 480);
    BOOST_TEST(nearest() == "--ntasks=8 --time=01:00:00");
    limit(TresLimit::max_tres_per_job, "mem", 8000);
    BOOST_TEST(nearest() == "--ntasks=8 --mem-per-cpu=1000M --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(what_would_wait_for_other_jobs_is_suggested_as_such) {
    qos(0).flags.deny_on_limit = false;
    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 8);
    ask(9, 1);
    BOOST_TEST(suggestion() == "could start with: --ntasks=8");
    model::Usage& usage = records.qos[0].users[1000];
    usage.tres.assign(records.tres->size(), 0);
    usage.tres[tres("cpu")] = 6;
    BOOST_TEST(suggestion() == "could start, when other jobs end, with: --ntasks=8");
    request.begins_later = true; // nobody knows what runs then
    BOOST_TEST(suggestion() == "could start with: --ntasks=8");
    qos(0).flags.deny_on_limit = true;
    BOOST_TEST(suggestion() == "would be accepted with: --ntasks=8");
}

BOOST_AUTO_TEST_SUITE_END()
