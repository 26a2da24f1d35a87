// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules and limits judge a request as slurmctld completes it: with the partition of its reservation, the
// alternate of a closed partition, and the nodes between those of a contiguous list.
#include "qosgate/gate/partitions/completed_request.hpp"
#include "qosgate/model/looked_up_names.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::JobDetail;
using model::RejectCode;

namespace {

/// Partitions main and viz, both with nodes node1 to node6; reservations: "plain" has no partition, "for viz"
/// and "for main" have one. A rule tells the partition and the nodes of each job.
struct Completed : test::GateSetup {
    Completed()
        : policy(test::load_rule(R"(rule { name = "tell",
              submit = function(job) job:warn("%s %d", job.partition, job.nodes) end })")) {
        names.emplace();
        names->reservations = {{.name = "for main", .partition = "main"},
                               {.name = "for viz", .partition = "viz"},
                               {.name = "plain"}};
        names->nodes = {"node1", "node2", "node3", "node4", "node5", "node6"};
        names->node_indices = {0, 1, 2, 3, 4, 5};
        for (model::Partition& partition : partitions) {
            partition.total_nodes = 6;
            partition.nodes = {{0, 5}};
        }
    }

    /// What the rule reads; the answer if no rule ran.
    std::string read() const { return test::first_line(decide(policy.get()).message); }

    /// The same of a job that names these nodes, and no number of them.
    std::string read_nodes(const char* list) {
        request.min_nodes.reset();
        request.required_nodes = list;
        return read();
    }

    RejectCode change(const model::JobUpdate& update) const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::Gate(provider, release).decide_update(update, known(c), policy.get()).reject;
    }

    std::shared_ptr<const policy::Policy> policy;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(completed_request, Completed)

BOOST_AUTO_TEST_CASE(a_job_without_a_partition_gets_that_of_its_reservation) {
    BOOST_TEST(read() == "main 1");
    request.reservation = "for viz";
    BOOST_TEST(read() == "viz 1");
    request.partition = "main"; // the job's own takes precedence
    BOOST_TEST(read() == "main 1");
    request.partition.reset();
    for (const char* without : {"plain", "nosuch", ""}) {
        request.reservation = without;
        BOOST_TEST(read() == "main 1");
    }
}

BOOST_AUTO_TEST_CASE(limits_of_the_partition_of_the_reservation_count) {
    partitions[1].qos = "moonlight";
    qos(1).limits.set(model::CountLimit::max_wall, 10);
    qos(1).flags.deny_on_limit = true;
    request.time_limit = TimeLimit{11};
    BOOST_TEST(forecast().reason == "");
    request.reservation = "for viz";
    BOOST_TEST(forecast().reason == "QOSMaxWallDurationPerJobLimit");
    request.time_limit = TimeLimit{10};
    BOOST_TEST(forecast().reason == "");
}

BOOST_AUTO_TEST_CASE(a_partition_that_only_the_start_decides_is_refused_where_rules_run) {
    constexpr std::string_view refused = "slurmctld may start this job in the partition of whichever of its";
    for (const char* list : {"for main,for viz", "plain,for viz", ",for viz", "for viz,", "plain,nosuch"}) {
        request.reservation = list;
        BOOST_TEST(read().starts_with(refused), list);
        BOOST_TEST(decide(policy.get()).reject == RejectCode::access_denied);
        BOOST_TEST(decide().reject == RejectCode::none); // nobody is bound by anything
    }
    request.partition = "main";
    BOOST_TEST(read() == "main 1");
    request.partition.reset();
    for (const char* list : {"plain,plain", "plain,for main"}) {
        request.reservation = list;
        BOOST_TEST(read() == "main 1");
    }
    partitions[0].takes_jobs = false; // it is judged in the alternate, and may start in the closed one
    partitions[0].alternate = "viz";
    BOOST_TEST(read().starts_with(refused));
}

BOOST_AUTO_TEST_CASE(a_list_of_no_partition_means_the_default_one_in_some_releases) {
    model::note_empty_name(request, &model::JobRequest::partition);
    request.has_default_partition = true;
    release = limits::Release{25, 5};
    BOOST_TEST(forecast().code == RejectCode::invalid_partition);
    release = limits::Release{25, 11, 0};
    BOOST_TEST(forecast().code == RejectCode::none);
    BOOST_TEST(read() == "main 1");
    request.reservation = "for viz"; // slurmctld takes the partition of one of several only
    BOOST_TEST(read() == "main 1");
    request.reservation = "plain,for viz";
    BOOST_TEST(decide(policy.get()).reject == RejectCode::access_denied);
    request.reservation = "plain,for main";
    BOOST_TEST(read() == "main 1");
}

BOOST_AUTO_TEST_CASE(a_change_to_a_list_of_no_partition_may_take_that_of_a_reservation) {
    model::JobUpdate update{.job_id = 17, .before = request, .after = request};
    update.before.partition = "main";
    update.before.reservation = update.after.reservation = "plain,for viz";
    update.after.partition.reset();
    BOOST_TEST(change(update) == RejectCode::none); // as before
    update.after.has_default_partition = true;
    BOOST_TEST(change(update) == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(where_limits_are_enforced_it_is_refused_too_but_not_of_an_operator) {
    const auto enforced = test::load_site("site { limits = 'enforce' }");
    request.reservation = "plain,for viz";
    request.submit_uid = 1000;
    BOOST_TEST(decide(enforced.get()).reject == RejectCode::access_denied);
    request.reservation = "plain";
    BOOST_TEST(decide(enforced.get()).reject == RejectCode::none);
    request.reservation = "plain,for viz";
    records.operators = {request.submit_uid};
    BOOST_TEST(decide(enforced.get()).reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_reservation_that_may_be_newer_must_be_asked_for_again) {
    request.reservation = "for viz";
    may_have_new_reservations = true;
    BOOST_TEST(decide(policy.get()).reject == RejectCode::try_again);
    BOOST_TEST(decide().reject == RejectCode::none);
    request.partition = "viz";
    BOOST_TEST(read() == "viz 1");
    request.partition.reset();
    may_have_new_reservations = false;
    is_cluster_known = false;
    BOOST_TEST(decide(policy.get()).reject == RejectCode::try_again);
    is_cluster_known = true;
    BOOST_TEST(read() == "viz 1");
}

BOOST_AUTO_TEST_CASE(a_change_to_such_a_list_is_refused_for_a_job_that_named_no_partition) {
    policy = test::load_rule("rule { name = 'all', submit = function() end }");
    request.partition = "main";
    request.reservation = "plain";
    model::JobUpdate update{.job_id = 17, .before = request, .after = request};
    update.before.has_default_partition = update.after.has_default_partition = true;
    update.after.reservation = "plain,for viz";
    BOOST_TEST(change(update) == RejectCode::access_denied);
    update.after.has_default_partition = false; // it named main
    BOOST_TEST(change(update) == RejectCode::none);
    update.after.has_default_partition = true;
    update.after.reservation = "for viz"; // main stays
    BOOST_TEST(change(update) == RejectCode::none);
    update.before.reservation = update.after.reservation = "plain,for viz"; // it had that list
    update.after.time_limit = TimeLimit{10};
    BOOST_TEST(change(update) == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(the_alternate_of_a_closed_partition_takes_its_place) {
    partitions.push_back(partitions[1]);
    partitions[2].name = "third";
    request.partition = "viz";
    partitions[1].alternate = "main";
    BOOST_TEST(read() == "viz 1"); // open
    partitions[1].takes_jobs = false;
    BOOST_TEST(read() == "main 1");
    request.partition = "viz,third";
    BOOST_TEST(read() == "main,third 1");
    partitions[1].alternate = "third"; // an alternate's alternate
    partitions[2].takes_jobs = false;
    partitions[2].alternate = "main";
    request.partition = "viz";
    BOOST_TEST(read() == "main 1");
    partitions[0].takes_jobs = false;
    partitions[0].alternate = "third"; // no way out: slurmctld refuses
    BOOST_TEST(read() == "viz 1");
    partitions[1].alternate = "nosuch";
    BOOST_TEST(read() == "viz 1");
    request.partition = "viz,nosuch";
    partitions[0].takes_jobs = true;
    partitions[1].alternate = "main";
    BOOST_TEST(forecast().code == RejectCode::invalid_partition);
}

BOOST_AUTO_TEST_CASE(the_closed_partition_of_a_reservation_has_its_alternate) {
    partitions[1].takes_jobs = false;
    partitions[1].alternate = "main";
    request.reservation = "for viz";
    BOOST_TEST(read() == "main 1");
}

BOOST_AUTO_TEST_CASE(a_contiguous_list_stands_for_the_nodes_between_its_own) {
    BOOST_TEST(read_nodes("node1,node4") == "main 2");
    request.details.set(JobDetail::contiguous, 1);
    BOOST_TEST(read_nodes("node1,node4") == "main 4");
    BOOST_TEST(read_nodes("node4,node1") == "main 4");
    BOOST_TEST(read_nodes("node[1-2]") == "main 2");
    BOOST_TEST(read_nodes("node3") == "main 1");
    BOOST_TEST(read_nodes("node1,nosuch") == "main 2"); // slurmctld refuses it
    request.min_nodes = 2;
    BOOST_TEST(read() == "main 2");
    request.required_nodes = "node1,node3";
    BOOST_TEST(read() == "main 3");
    request.details.set(JobDetail::contiguous, 0);
    BOOST_TEST(read() == "main 2");
    request.details.set(JobDetail::contiguous, 1);
    request.has_counted_cpus = true; // an existing job that gets another partition
    BOOST_TEST(read() == "main 2");
}

BOOST_AUTO_TEST_CASE(the_order_of_nodes_is_that_of_slurmctld) {
    names->node_indices = {0, 5, 1, 2, 3, 4};
    request.details.set(JobDetail::contiguous, 1);
    BOOST_TEST(read_nodes("node1,node3") == "main 2");
    BOOST_TEST(read_nodes("node1,node2") == "main 6");
}

BOOST_AUTO_TEST_CASE(of_nodes_that_are_not_known_no_fewer_are_counted_than_a_partition_has) {
    request.details.set(JobDetail::contiguous, 1);
    names->nodes.clear();
    names->node_indices.clear();
    BOOST_TEST(read_nodes("node1,node3") == "main 6");
    names.reset();
    BOOST_TEST(read_nodes("node1,node3") == "main 6");
    BOOST_TEST(read_nodes("node[1-9]") == "main 9");
}

BOOST_AUTO_TEST_CASE(from_23_02_on_the_nodes_between_may_be_taken_and_need_not) {
    release = {23, 2};
    request.details.set(JobDetail::contiguous, 1);
    request.min_nodes = 2;
    request.required_nodes = "node1,node4";
    BOOST_TEST(read() == "main 2");
}

BOOST_AUTO_TEST_SUITE_END()
