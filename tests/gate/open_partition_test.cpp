// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which partition is suggested if the job's own accepts or starts no jobs.
#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

struct ClosedSetup : test::GateSetup {
    ClosedSetup() {
        for (auto& partition : partitions)
            partition.total_cpus = 256;
    }
    void drain() { partitions[0].takes_jobs = false; }
    void take_down() { partitions[0].starts_jobs = false; }
    std::string told() const { return text::join(decide().message, "\n"); }
};

const std::string drained = "partition main is drained: it takes no new jobs";
const std::string down = "this job will wait: partition main is down (PartitionDown)";

} // namespace

BOOST_FIXTURE_TEST_SUITE(open_partition, ClosedSetup)

BOOST_AUTO_TEST_CASE(an_open_partition_is_offered_that_takes_the_job) {
    BOOST_TEST(told() == "");
    drain();
    BOOST_TEST(told() == drained + "\nwould be accepted with: --partition=viz");
    partitions[0].takes_jobs = true;
    take_down();
    BOOST_TEST(told() == down + "\ncould start with: --partition=viz");
}

BOOST_AUTO_TEST_CASE(what_a_rule_takes_back_is_not_offered) {
    const auto told_with = [&](const std::string& body) {
        const auto policy = test::load_rule("rule { submit = function(job) " + body + " end }");
        return text::join(decide(policy.get()).message, "\n");
    };
    const std::string rest = "\ncould start with: --partition=viz";
    take_down();
    BOOST_TEST(told_with("if not job:is_set('partition') then job.partition = 'main' end").ends_with(rest));
    BOOST_TEST(!told_with("job.partition = 'main'").ends_with(rest));
    BOOST_TEST(told_with("if job.partition == 'viz' then job.comment = 'x' end").ends_with(rest));
    BOOST_TEST(!told_with("if job.partition == 'viz' then job.partition = 'main' end").ends_with(rest));
}

BOOST_AUTO_TEST_CASE(a_qos_is_not_offered_that_a_rule_sends_to_a_closed_partition) {
    qos(0).limits.set(model::CountLimit::max_wall, 60);
    request.time_limit = TimeLimit{61};
    const auto offers_qos = [&] {
        const auto policy = test::load_rule("rule { submit = function(job) "
                                            "if job.qos == 'moonlight' then job.partition = 'viz' end end }");
        return text::join(decide(policy.get()).message, "\n").find("--qos=moonlight") != std::string::npos;
    };
    request.array = "1-2"; // no shorter time limit is suggested first
    qos(0).limits.set(model::CountLimit::max_submit_jobs_per_user, 0);
    BOOST_TEST(offers_qos());
    partitions[1].starts_jobs = false;
    BOOST_TEST(!offers_qos());
}

BOOST_AUTO_TEST_CASE(the_default_partition_is_offered_first) {
    request.partition = "viz";
    partitions[1].takes_jobs = false;
    partitions.insert(partitions.begin(), partitions[0]);
    partitions[0].name = "anything";
    partitions[0].is_default = false;
    BOOST_TEST(told().ends_with("--partition=main"));
    partitions[1].is_for_everybody = false;
    BOOST_TEST(told().ends_with("--partition=anything"));
}

BOOST_AUTO_TEST_CASE(none_is_offered_that_does_not_take_the_job) {
    drain();
    request.time_limit = TimeLimit{60};
    partitions[1].max_time = TimeLimit{60};
    BOOST_TEST(told() == drained + "\nwould be accepted with: --partition=viz");
    partitions[1].max_time = TimeLimit{59};
    BOOST_TEST(told() == drained);
    partitions[1].max_time = TimeLimit{60};
    partitions[1].is_for_everybody = false; // open, but not to everybody
    BOOST_TEST(told() == drained);
    partitions[1].is_for_everybody = true;
    request.tres_per_node = "gres:gpu:1"; // its nodes are not known
    BOOST_TEST(told() == drained);
}

BOOST_AUTO_TEST_CASE(nothing_is_offered_while_one_of_its_partitions_is_open) {
    drain();
    request.partition = "main,viz";
    BOOST_TEST(told() == "");
    partitions[1].takes_jobs = false;
    BOOST_TEST(told() == drained);
    partitions[1].takes_jobs = true;
    partitions[1].starts_jobs = false; // which then is the only one left
    partitions.push_back(partitions[0]);
    partitions[2].name = "third";
    partitions[2].is_default = false;
    partitions[2].takes_jobs = true;
    const std::string waits =
        "this job will wait: partition viz is down (PartitionDown)\ncould start with: --partition=third";
    BOOST_TEST(told() == waits);
    request.partition = "viz,main";
    BOOST_TEST(told() == waits);
    partitions[0].alternate = "third"; // takes the job instead
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(one_of_several_that_takes_no_jobs_is_no_partition_of_the_job) {
    enforce_part_limits = model::EnforcePartLimits::all;
    partitions[0].max_time = TimeLimit{30};
    partitions[0].default_time = TimeLimit{20};
    partitions[1].default_time = TimeLimit{10};
    request.partition = "main,viz";
    BOOST_TEST(forecast().time_limit.value() == TimeLimit{20});
    request.time_limit = TimeLimit{60};
    BOOST_TEST(told() != "");
    drain();
    BOOST_TEST(told() == "");
    request.time_limit.reset();
    BOOST_TEST(forecast().time_limit.value() == TimeLimit{10});

    request.time_limit = TimeLimit{60};
    partitions[1].takes_jobs = false; // then all are closed
    BOOST_TEST(told().starts_with(drained));
    request.partition = "viz"; // a single closed partition
    BOOST_TEST(told() != "");
}

BOOST_AUTO_TEST_CASE(what_is_wrong_besides_is_not_mended_in_a_closed_partition) {
    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.tasks = request.min_cpus = 3;
    const std::string over = "QOS normal does not allow this job:\n"
                             "  CPUs per job: limit 2, this job asks for 3 (QOSMaxCpuPerJobLimit)";
    BOOST_TEST(told() ==
               over + "\nwould be accepted with: --ntasks=2\nwould be accepted with: --qos=moonlight");
    drain();
    BOOST_TEST(told() == drained + "\n" + over);
    partitions[0].takes_jobs = true;
    take_down();
    BOOST_TEST(told() == over);
}

BOOST_AUTO_TEST_CASE(a_partition_that_is_down_is_told_beside_what_holds_the_job_for_good) {
    qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.tasks = request.min_cpus = 3;
    const std::string over =
        "this job can never start as it is: CPUs per job in QOS normal: limit 2, this job "
        "asks for 3 (QOSMaxCpuPerJobLimit)";
    BOOST_TEST(told().starts_with(over + "\ncould start with"));
    take_down();
    BOOST_TEST(told() == over + "\npartition main is down, too (PartitionDown)");
    BOOST_TEST(decide().log.back().text.find("PartitionDown") != std::string::npos);
    request.partition = "main,viz"; // which is not
    BOOST_TEST(told().find("PartitionDown") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_that_starts_later_is_told_what_is_down_at_present) {
    request.begins_later = true;
    BOOST_TEST(told() == "");
    take_down();
    BOOST_TEST(told() == "partition main is down at present\ncould start with: --partition=viz");
}

BOOST_AUTO_TEST_CASE(a_list_whose_first_partition_denies_access_starts_no_job_without_nodes) {
    const std::string never =
        "as the first partition of the list it keeps this job from ever starting without a maximum of nodes: "
        "leave the partition out, or add --nodes (PartitionNodeLimit)";
    request.submit_uid = request.user_id;
    request.partition = "viz,main";
    BOOST_TEST(told() == "");
    partitions[1].is_for_root = true;
    BOOST_TEST(told().starts_with("this job can never start as it is: partition viz is for root only; "));
    BOOST_TEST(told().find(never) != std::string::npos);
    BOOST_TEST(pending() == "PartitionNodeLimit");
    request.max_nodes = 1;
    BOOST_TEST(told() == "");
    request.max_nodes.reset();
    request.submit_uid = 0;
    BOOST_TEST(told() == "");
    request.submit_uid = request.user_id;
    request.partition = "main,viz";
    BOOST_TEST(told() == "");

    request.partition = "viz,main";
    qos(0).flags.partition_min_nodes = true;
    BOOST_TEST(told().find(never) != std::string::npos);
    release = limits::Release(26, 5);
    BOOST_TEST(told() == "");
    qos(0).flags.partition_min_nodes = false;
    BOOST_TEST(told().find(never) != std::string::npos);
    partitions[1].is_for_root = false;
    partitions[1].needs_reservation = true;
    BOOST_TEST(told().find(never) != std::string::npos);
    partitions[1].is_hidden = true;
    BOOST_TEST(told() == "");
    partitions[1].is_hidden = false;
    request.reservation = "maint";
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(an_open_partition_is_named_where_the_jobs_own_may_be) {
    drain();
    request.submit_uid = request.user_id;
    partitions[0].is_hidden = true;
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_SUITE_END()
