// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/advice.hpp"

#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

/// Partition main has nodes with 250G, 64 CPUs and 8 GPUs. Some names of each kind are known.
struct AdviceSetup : test::GateSetup {
    AdviceSetup() {
        request.submit_uid = request.user_id;
        names = model::KnownNames{.reservations = {{.name = "maint", .users = {"ana"}}},
                                  .licenses = {{"matlab", 10}},
                                  .gres = {{"gpu", "gpu:v100"}},
                                  .features = {{"big", "fast"}},
                                  .reservations_read_at = 0};
        partitions[0].node_kinds = {{.count = 4, .cpus = 64, .memory_mib = 256000, .gres = {{"gpu", "", 8}}}};
        partitions[0].total_cpus = 256;
        partitions[0].min_node_cpus = 64;
    }

    std::string advice() const {
        const auto decision = decide();
        BOOST_TEST(decision.reject == RejectCode::none); // advice never refuses
        BOOST_TEST(decision.forecast.code == RejectCode::none);
        return text::join(decision.message, "\n");
    }

    /// Whether slurmctld certainly accepts the job.
    bool is_accepted() const {
        const auto c = cluster();
        const quota::LocalQuota provider(records);
        const gate::Advice found = gate::find_advice(gate::resolve(request, {c, provider, release}),
                                                     /*knows_reservations=*/true);
        BOOST_TEST(!found.lines.empty());
        return found.handling == gate::Handling::accepts;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(advice, AdviceSetup)

BOOST_AUTO_TEST_CASE(a_time_limit_that_does_not_fit_before_the_deadline_is_told) {
    request.minutes_to_deadline = 30;
    BOOST_TEST(advice() == ""); // the job gets the time that is left
    request.time_limit = TimeLimit{30};
    BOOST_TEST(advice() == "");
    request.time_limit = TimeLimit{31};
    const std::string does_not_fit =
        "a time limit of 00:31:00 does not fit: the deadline (--deadline) is in 00:30:00";
    const std::string shorter = "\nshorten --time, or add --time-min with the minimum that the job needs";
    BOOST_TEST(advice() == does_not_fit + "; slurmctld will end this job at once" + shorter);
    request.priority = 0;
    BOOST_TEST(advice() == does_not_fit + "; slurmctld will end this job before it starts" + shorter);
    request.priority.reset();
    release = limits::Release(23, 2);
    BOOST_TEST(advice() == does_not_fit + shorter); // and is refused
    release = limits::Release(22, 5);
    request.time_min = TimeLimit{30}; // short enough
    BOOST_TEST(advice() == "");
    request.time_min = TimeLimit{31}; // refused by all releases
    BOOST_TEST(advice() == does_not_fit + "\nshorten --time-min, or choose a later --deadline");
    request.minutes_to_deadline = 0;
    BOOST_TEST(advice() == "the deadline (--deadline) has passed, or less than a minute is left until then");
    request.begins_later = true;
    BOOST_TEST(advice() == "less than a minute is left from --begin to the deadline (--deadline)");
    request.minutes_to_deadline = 30;
    BOOST_TEST(advice().starts_with(
        "a time limit of 00:31:00 does not fit: the deadline (--deadline) is 00:30:00 after --begin"));
    request.time_min.reset();
    BOOST_TEST(advice().find("; slurmctld will end this job before it starts") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_job_that_is_accepted_all_the_same_is_known) {
    request.minutes_to_deadline = 30;
    request.time_limit = TimeLimit{31};
    BOOST_TEST(is_accepted());
    request.features = "fastt"; // a second problem, and slurmctld refuses the job
    BOOST_TEST(!is_accepted());
    request.features.reset();
    release = limits::Release(23, 2);
    BOOST_TEST(!is_accepted());
    release = limits::Release(22, 5);
    request.time_min = TimeLimit{31};
    BOOST_TEST(!is_accepted());

    request.minutes_to_deadline.reset();
    request.memory = model::Memory{256001, /*per_cpu=*/false};
    BOOST_TEST(!is_accepted()); // no node has as much
    partitions[0].max_memory = model::Memory{255999, /*per_cpu=*/false};
    BOOST_TEST(!is_accepted()); // 24.11 refuses it, 22.05 does not
    request.memory->mib = 256000;
    BOOST_TEST(is_accepted());
    enforce_part_limits = model::EnforcePartLimits::all;
    BOOST_TEST(!is_accepted());
}

BOOST_AUTO_TEST_CASE(level_enforce_rejects_what_slurmctld_accepts_and_never_starts) {
    const auto enforcing = test::load_site("site { limits = 'enforce' }");
    const auto is_rejected = [&] { return decide(enforcing.get()).reject != RejectCode::none; };
    request.minutes_to_deadline = 0;
    BOOST_TEST(is_rejected());
    request.minutes_to_deadline = 30;
    request.time_limit = TimeLimit{30};
    BOOST_TEST(!is_rejected());
    request.time_limit = TimeLimit{31};
    BOOST_TEST(decide(enforcing.get()).reject == RejectCode::invalid_time_limit);
    BOOST_TEST(decide().reject == RejectCode::none);
    const std::string told = text::join(decide(enforcing.get()).message, "\n");
    BOOST_TEST(told.find("slurmctld would end this job at once") != std::string::npos);
    const auto log = decide(enforcing.get()).log;
    BOOST_TEST_REQUIRE(log.size() == 1u);
    BOOST_TEST(log[0].text.starts_with("refused"));
    request.features = "fastt"; // slurmctld refuses the job
    BOOST_TEST(!is_rejected());
    request.features.reset();
    release = limits::Release(23, 2); // likewise
    BOOST_TEST(!is_rejected());

    request.minutes_to_deadline.reset();
    request.memory = model::Memory{256000, /*per_cpu=*/false};
    BOOST_TEST(!is_rejected());
    partitions[0].max_memory = model::Memory{255999, /*per_cpu=*/false};
    BOOST_TEST(decide(enforcing.get()).reject == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(a_name_that_is_repeated_is_told_once_and_looked_at_a_few_times) {
    request.features = "fastt&fastt";
    BOOST_TEST(advice() == "no feature 'fastt' is known; did you mean fast?");
    request.features = "x&x&x&x&x&x&x&fastt"; // the eighth name
    BOOST_TEST(advice().find("'fastt'") != std::string::npos);
    request.features = "x&x&x&x&x&x&x&x&fastt";
    BOOST_TEST(advice().find("'fastt'") == std::string::npos);
    BOOST_TEST(advice().find("'x'") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_preferred_feature_that_no_node_has_is_told) {
    request.prefer = "fast";
    BOOST_TEST(advice() == "");
    request.prefer = "fastt";
    BOOST_TEST(advice() == "no feature 'fastt' is known; did you mean fast?");
}

BOOST_AUTO_TEST_CASE(a_partition_that_takes_no_jobs_is_told) {
    partitions[0].takes_jobs = false;
    BOOST_TEST(advice() == "partition main is drained: it takes no new jobs");
    partitions[0].starts_jobs = false;
    BOOST_TEST(advice() == "partition main is inactive: it takes no new jobs");

    partitions[0].alternate = "viz";
    BOOST_TEST(advice() == "");
    partitions[0].alternate.clear();
    request.partition = "main,viz"; // the other partition is open
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(nothing_is_suggested_to_a_job_that_is_refused_for_something_else_as_well) {
    const auto suggests = [this] {
        return text::join(decide().message, "\n").find("would be accepted") != std::string::npos;
    };
    qos(1).flags.deny_on_limit = true;
    qos(1).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.qos = "moonlight";
    request.tasks = request.min_cpus = 3;

    request.reservation = "maint";
    BOOST_TEST(suggests());
    request.min_nodes = request.max_nodes = 2; // the job may get only one of them
    BOOST_TEST(!suggests());
    request.min_nodes = 1;
    request.max_nodes.reset();
    request.reservation = "nope";
    BOOST_TEST(!suggests());
}

BOOST_AUTO_TEST_CASE(a_partition_that_is_down_lets_jobs_wait) {
    partitions[0].starts_jobs = false;
    BOOST_TEST(advice() == "this job will wait: partition main is down (PartitionDown)");
    const auto log = decide().log;
    BOOST_TEST_REQUIRE(log.size() == 1u);
    BOOST_TEST(log[0].text.starts_with("warned"));
    BOOST_TEST(log[0].text.find(": PartitionDown: this job will wait") != std::string::npos);

    request.is_het_part = true;
    BOOST_TEST(advice() == "this job will wait: partition main is down (PartitionDown)");
    request.is_het_part = false;
    request.partition = "main,viz";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_job_that_is_refused_would_wait_and_does_not) {
    const auto told = [this] { return text::join(decide().message, "\n"); };
    const auto tells = [&](std::string_view words) { return told().find(words) != std::string::npos; };
    const auto limit_cpus = [this](std::uint64_t max) {
        qos(0).limits.set(model::TresLimit::max_tres_per_job, tres("cpu"), max);
    };
    request.tasks = request.min_cpus = 3;

    // What is refused, and what its limits would do to it otherwise.
    partitions[0].starts_jobs = false;
    BOOST_TEST(tells("this job will wait: partition main is down"));
    request.features = "fastt";
    BOOST_TEST(tells("this job would wait: partition main is down"));
    BOOST_TEST(!tells("will wait"));
    partitions[0].starts_jobs = true;
    limit_cpus(2);
    BOOST_TEST(tells("this job could never start as it is: CPUs per job"));
    BOOST_TEST(!tells("can never"));
    request.features.reset();
    BOOST_TEST(tells("this job can never start as it is: CPUs per job"));

    // slurmctld accepts it, and ends it at once, unless something refuses it.
    request.minutes_to_deadline = 30;
    request.time_limit = TimeLimit{31};
    BOOST_TEST(tells("slurmctld will end this job at once"));
    BOOST_TEST(tells("this job can never start as it is: CPUs per job"));
    request.features = "fastt";
    BOOST_TEST(tells("slurmctld would end this job at once"));
    request.features.reset();
    qos(0).flags.deny_on_limit = true;
    BOOST_TEST(tells("slurmctld would end this job at once"));
}

BOOST_AUTO_TEST_CASE(a_job_is_not_told_to_wait_for_a_partition_where_it_can_never_start) {
    partitions[0].starts_jobs = false;
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 5;
    const auto told = decide().message;
    BOOST_TEST_REQUIRE(!told.empty());
    BOOST_TEST(told.front() == "this job can never start as it is: partition main has 4 nodes; this job asks "
                               "for 5 (PartitionNodeLimit)");
    BOOST_TEST(text::join(told, "\n").find("will wait") == std::string::npos);

    enforce_part_limits = model::EnforcePartLimits::all;
    BOOST_TEST(test::first_line(decide().message) == "partition main has 4 nodes; this job asks for 5");

    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 4;
    BOOST_TEST(advice() == "this job will wait: partition main is down (PartitionDown)");
    request.begins_later = true;
    BOOST_TEST(advice() == "partition main is down at present");
}

BOOST_AUTO_TEST_CASE(a_partition_that_is_closed_to_the_user_is_told) {
    partitions[0].needs_reservation = true;
    BOOST_TEST(advice() == "partition main is for jobs in a reservation: add --reservation=NAME");
    request.reservation = "maint";
    BOOST_TEST(advice() == "");

    partitions[0].is_for_root = true;
    BOOST_TEST(advice() == "partition main is for jobs that root submits");
    request.submit_uid = 0;
    const std::string of_root = "partition main is for jobs of root, and this is one of ana";
    BOOST_TEST(advice() == of_root + "; slurmctld never starts it as it is (PartitionConfig)");
    enforce_part_limits = model::EnforcePartLimits::all;
    BOOST_TEST(advice() == of_root);
    request.user_id = 0;
    records.associations[0].user_id = 0;
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(a_misspelt_reservation_is_told_with_the_near_one) {
    request.reservation = "maitn";
    BOOST_TEST(advice() == "no reservation 'maitn' is known; did you mean maint?");
    records.private_data.reservations = true;
    BOOST_TEST(advice() == "no reservation 'maitn' is known");
    request.reservation = "maint";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(only_reservations_that_the_user_may_use_are_named) {
    const std::string none = "no reservation 'x-12345' is known";
    const std::string known = none + " (known: maint)";
    const auto told = [&](std::vector<std::string> users, std::vector<std::string> accounts,
                          bool has_groups = false) {
        names->reservations = {{"maint", std::move(users), std::move(accounts), has_groups}};
        return advice();
    };
    request.reservation = "x-12345";
    BOOST_TEST(told({"ben", "ana"}, {}) == known);
    BOOST_TEST(told({"ben"}, {}) == none);
    BOOST_TEST(told({}, {"hpc-users"}) == known);
    BOOST_TEST(told({}, {"root"}) == known); // a parent account
    BOOST_TEST(told({}, {"bio"}) == none);
    BOOST_TEST(told({"ana"}, {"bio"}) == none); // both lists apply
    BOOST_TEST(told({"ana"}, {"hpc-users"}) == known);
    BOOST_TEST(told({"-ben"}, {}) == known); // everybody except ben
    BOOST_TEST(told({"-ben", "-ana"}, {}) == none);
    BOOST_TEST(told({"-ben"}, {"-hpc-users"}) == none);
    BOOST_TEST(told({}, {}, true) == none); // nobody knows who is in a group
    BOOST_TEST(told({"ana"}, {}, true) == none);
    BOOST_TEST(told({}, {}) == none);

    records.operators = {7};
    request.submit_uid = 7;
    BOOST_TEST(told({"ben"}, {}) == known);
}

BOOST_AUTO_TEST_CASE(a_reservation_with_fewer_nodes_than_asked_for_is_told) {
    const auto told = [&](std::optional<std::uint32_t> has, std::uint32_t asked) {
        names->reservations = {{.name = "maint", .users = {"ana"}, .nodes = has}};
        request.min_nodes = asked;
        return advice();
    };
    request.reservation = "maint";
    BOOST_TEST(told(1, 2) == "reservation maint has 1 node; this job asks for 2");
    BOOST_TEST(told(1, 1) == "");
    BOOST_TEST(told(std::nullopt, 2) == "");
    records.private_data.reservations = true;
    BOOST_TEST(told(1, 2) == "reservation maint has 1 node; this job asks for 2"); // it is ana's
    names->reservations[0].has_groups = true;
    BOOST_TEST(advice() == "");
    records.private_data.reservations = false;
    BOOST_TEST(advice() == "reservation maint has 1 node; this job asks for 2");
    partitions[0].min_nodes = 3;
    BOOST_TEST(told(2, 2) == "reservation maint has 2 nodes; this job gets the MinNodes of its partition, 3");
    BOOST_TEST(told(3, 2) == "");
    partitions[0].min_nodes = 0;
    names->reservations[0] = {.name = "maint", .users = {"ana"}, .nodes = 1};
    request.reservation = "maint,other"; // the other one may be large enough
    names->reservations.push_back({.name = "other", .users = {"ana"}});
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(licenses_are_told_by_name_and_number) {
    request.licenses = "matlba:1";
    BOOST_TEST(advice() == "no license 'matlba' is known; did you mean matlab?");
    request.licenses = "matlab:11";
    BOOST_TEST(advice() == "this cluster has 10 matlab licenses; this job asks for 11");
    request.licenses = "matlab:10";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(gres_are_told_by_name_and_type) {
    request.tres_per_node = "gres:gpu:a100:1";
    BOOST_TEST(advice() == "no gres 'gpu:a100' is known; did you mean gpu:v100?");
    request.tres_per_node = "gres:gpuu:1";
    BOOST_TEST(advice() == "no gres 'gpuu' is known; did you mean gpu?");
    request.tres_per_node = "gres:gpu:v100:1,gres:gpu:2";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(each_feature_of_a_constraint_is_looked_up) {
    request.features = "fasr";
    BOOST_TEST(advice() == "no feature 'fasr' is known; did you mean fast?");
    request.features = "[big*2&fast*4]";
    BOOST_TEST(advice() == "");
    request.features = "(big|typo)&fast";
    BOOST_TEST(advice() == "no feature 'typo' is known (known: big, fast)");
}

BOOST_AUTO_TEST_CASE(more_than_any_node_has_is_told) {
    request.memory = model::Memory{9999 * 1024, /*per_cpu=*/false};
    BOOST_TEST(
        advice() ==
        "no node of partition main has that much memory: the largest has 250G, this job asks for 9999G");
    request.memory = model::Memory{256000, /*per_cpu=*/false};
    BOOST_TEST(advice() == "");
    request.cpus_per_task = 65;
    BOOST_TEST(advice() ==
               "no node of partition main has that many CPUs: the largest has 64, this job asks for 65");
    request.cpus_per_task = 64;
    BOOST_TEST(advice() == "");
    request.tres_per_node = "gres:gpu:9";
    BOOST_TEST(advice() ==
               "no node of partition main has that many GPUs: the largest has 8, this job asks for 9");
    names->gres.all = {"gpu", "gpu:a100", "gpu:v100"};
    request.tres_per_node = "gres:gpu:a100:4,gres:gpu:9,gres:gpu:v100:4";
    BOOST_TEST(advice() == "");
    request.tres_per_node = "gres:gpu:a100:5,gres:gpu:v100:4";
    BOOST_TEST(advice() ==
               "no node of partition main has that many GPUs: the largest has 8, this job asks for 9");
    request.tres_per_node =
        "gres:gpu:5,gres:gpu:4"; // of --gres=gpu:5 --gpus-per-node=4, slurmctld uses only one
    BOOST_TEST(advice() == "");
    partitions[0].node_kinds.clear(); // not known
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(where_no_names_are_known_none_is_missed) {
    names.reset();
    request.reservation = "maitn";
    request.features = "typo";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(preferred_features_are_looked_at_too) {
    request.prefer = "fast&bigg";
    BOOST_TEST(advice() == "no feature 'bigg' is known; did you mean big?");
    request.prefer = "fast&big";
    BOOST_TEST(advice() == "");
}

BOOST_AUTO_TEST_CASE(names_that_only_hidden_nodes_have_are_not_told_but_known) {
    names->features = model::NamesOfNodes{.all = {"big", "fast", "secret"}, .hidden = {"secret"}};
    names->gres = model::NamesOfNodes{.all = {"gpu", "gpu:h100"}, .hidden = {"gpu:h100"}};
    request.features = "secert";
    BOOST_TEST(advice() == "no feature 'secert' is known (known: big, fast)");
    request.features = "secret";
    BOOST_TEST(advice() == "");
    request.features.reset();
    request.tres_per_node = "gres:gpu:h200:1";
    BOOST_TEST(advice() == "no gres 'gpu:h200' is known (known: gpu)");

    for (const bool hides_nodes : {true, false}) { // names that Slurm shows to nobody
        records.private_data = {};
        (hides_nodes ? records.private_data.nodes : records.private_data.partitions) = true;
        BOOST_TEST(advice() == "no gres 'gpu:h200' is known");
    }
}

BOOST_AUTO_TEST_CASE(a_reservation_that_may_have_been_made_since_is_not_called_unknown) {
    request.reservation = "maitn";
    may_have_new_reservations = true;
    BOOST_TEST(advice() == "");
    may_have_new_reservations = false;
    BOOST_TEST(advice() == "no reservation 'maitn' is known; did you mean maint?");
}

BOOST_AUTO_TEST_CASE(whom_to_ask_stands_below_once) {
    const auto policy = test::load_site("site { contact = 'help@hpc' }");
    const auto told = [&] { return text::join(decide(policy.get()).message, "\n"); };
    BOOST_TEST(told() == "");
    request.features = "bigg";
    BOOST_TEST(told() == "no feature 'bigg' is known; did you mean big?\nquestions: help@hpc");
    request.min_nodes = request.max_nodes = request.tasks = request.min_cpus = 5;
    BOOST_TEST(told() ==
               "no feature 'bigg' is known; did you mean big?\n"
               "this job could never start as it is: partition main has 4 nodes; this job asks for 5 "
               "(PartitionNodeLimit)\n"
               "questions: help@hpc");
}

BOOST_AUTO_TEST_SUITE_END()
