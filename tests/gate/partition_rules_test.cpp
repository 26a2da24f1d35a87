// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/attempt.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::EnforcePartLimits;
using model::RejectCode;
using model::TresLimit;

namespace {

/// Ana's job in "main": "" if it starts, else its Reason; and the refusal if rules of partitions are
/// enforced.
struct PartitionSetup : test::GateSetup {
    std::string_view waits() {
        enforce_part_limits = EnforcePartLimits::no;
        const auto forecast = decide().forecast;
        BOOST_TEST(forecast.code == RejectCode::none);
        return forecast.pending_reason;
    }
    RejectCode refused() {
        enforce_part_limits = EnforcePartLimits::all;
        return decide().forecast.code;
    }
    /// Why slurmctld refuses the job for its size even if rules of partitions are not enforced.
    std::string too_small() const {
        const auto c = cluster();
        const quota::LocalQuota provider(records);
        const auto asked = gate::resolve(request, {c, provider, release});
        return text::join(gate::find_too_small_partitions(
                              asked, gate::size_at_attempt(asked.counter, asked.job, asked.view())),
                          "|");
    }
    bool passes() { return waits().empty() && refused() == RejectCode::none; }

    model::Partition& main = partitions[0];
    model::QosFlags& flags = qos(0).flags; ///< of the job's QOS
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(partition_rules, PartitionSetup)

BOOST_AUTO_TEST_CASE(of_several_partitions_one_whose_sizes_and_times_fit_gives_the_reason) {
    qos(0).limits.set(model::CountLimit::max_wall, 120);
    request.time_limit = TimeLimit{130};
    partitions[1].max_time = TimeLimit{60};
    for (const auto& [named, reason] : {std::pair{"main", "QOSMaxWallDurationPerJobLimit"},
                                        {"viz", "PartitionTimeLimit"},
                                        {"main,viz", "QOSMaxWallDurationPerJobLimit"},
                                        {"viz,main", "QOSMaxWallDurationPerJobLimit"}}) {
        request.partition = named;
        BOOST_TEST(pending() == reason, named);
    }
    partitions[0].max_time = TimeLimit{60};
    BOOST_TEST(pending() == "PartitionTimeLimit");
}

BOOST_AUTO_TEST_CASE(max_time_holds_what_is_longer_unless_the_qos_may_pass) {
    main.max_time = TimeLimit{60};
    request.time_limit = TimeLimit{60};
    BOOST_TEST(passes());

    request.time_limit = TimeLimit{61};
    BOOST_TEST(waits() == "PartitionTimeLimit");
    BOOST_TEST(refused() == RejectCode::invalid_time_limit);

    flags.partition_time_limit = true;
    BOOST_TEST(passes());
}

BOOST_AUTO_TEST_CASE(max_nodes_holds_what_is_larger_unless_the_qos_may_pass) {
    main.max_nodes = 2;
    request.tasks = request.min_cpus = 3;
    request.min_nodes = request.max_nodes = 2;
    BOOST_TEST(passes());

    request.min_nodes = request.max_nodes = 3;
    BOOST_TEST(waits() == "PartitionNodeLimit");
    BOOST_TEST(refused() == RejectCode::invalid_node_count);

    flags.partition_max_nodes = true;
    BOOST_TEST(passes());
}

BOOST_AUTO_TEST_CASE(min_nodes_refuses_what_is_smaller_and_else_raises_it_unless_the_qos_may_pass) {
    main.min_nodes = 2;
    request.min_nodes = 2;
    BOOST_TEST(passes());

    request.min_nodes = 1;
    BOOST_TEST(waits() == ""); // on two nodes
    BOOST_TEST(refused() == RejectCode::invalid_node_count);

    request.max_nodes = 1; // so it may not be raised
    BOOST_TEST(waits() == "PartitionNodeLimit");

    flags.partition_min_nodes = true;
    BOOST_TEST(passes());
}

BOOST_AUTO_TEST_CASE(the_flags_of_the_partitions_own_qos_let_nobody_pass) {
    qos(2).flags.partition_time_limit = true;
    main.qos = "secret";
    main.max_time = TimeLimit{60};
    request.time_limit = TimeLimit{61};

    BOOST_TEST(waits() == "PartitionTimeLimit");
}

BOOST_AUTO_TEST_CASE(lists_of_qos_let_in_or_shut_out) {
    main.allow_qos = {"moonlight", "NORMAL"};
    BOOST_TEST(passes());

    main.allow_qos = {"moonlight"};
    BOOST_TEST(waits() == "QOSNotAllowed");
    BOOST_TEST(refused() == RejectCode::invalid_qos);

    main.allow_qos.clear();
    main.deny_qos = {"moonlight"};
    BOOST_TEST(passes());
    main.deny_qos = {"moonlight", "normal"};
    BOOST_TEST(waits() == "QOSNotAllowed");
    BOOST_TEST(refused() == RejectCode::invalid_qos);

    main.allow_qos = {"normal"}; // DenyQos is then ignored
    BOOST_TEST(passes());
}

BOOST_AUTO_TEST_CASE(a_job_without_a_qos_is_on_no_list) {
    records.enforce.qos = false;
    request.qos = "nosuch";
    main.deny_qos = {"normal"};
    BOOST_TEST(passes());

    main.allow_qos = {"normal"};
    BOOST_TEST(waits() == "QOSNotAllowed");
}

BOOST_AUTO_TEST_CASE(lists_of_accounts_let_in_or_shut_out) {
    main.allow_accounts = {"others", "hpc-users"};
    BOOST_TEST(passes());

    main.allow_accounts = {"others"};
    BOOST_TEST(waits() == "AccountNotAllowed");
    BOOST_TEST(refused() == RejectCode::invalid_account);

    main.allow_accounts.clear();
    main.deny_accounts = {"others"};
    BOOST_TEST(passes());
    main.deny_accounts = {"hpc-users"};
    BOOST_TEST(waits() == "AccountNotAllowed");
    BOOST_TEST(refused() == RejectCode::invalid_account);
}

BOOST_AUTO_TEST_CASE(more_nodes_or_cpus_than_there_are_never_start) {
    main.total_nodes = 2;
    main.total_cpus = 8;
    request.min_nodes = 2;
    request.tasks = request.min_cpus = 8;
    BOOST_TEST(passes());

    request.tasks = request.min_cpus = 9;
    BOOST_TEST(waits() == "PartitionConfig");
    BOOST_TEST(refused() == RejectCode::too_many_cpus);

    request.tasks = request.min_cpus = 8;
    request.min_nodes = 3;
    BOOST_TEST(waits() == "PartitionNodeLimit");
    BOOST_TEST(refused() == RejectCode::invalid_node_count);
}

BOOST_AUTO_TEST_CASE(a_default_time_is_the_jobs_time_and_none_is_none) {
    BOOST_TEST(!decide().forecast.time_limit.has_value());
    main.default_time = TimeLimit{30};
    BOOST_TEST(decide().forecast.time_limit.value() == TimeLimit{30});

    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::CountLimit::max_wall, 30);
    BOOST_TEST(decide().forecast.code == RejectCode::none);
    main.default_time = TimeLimit{31};
    BOOST_TEST(decide().forecast.reason == "QOSMaxWallDurationPerJobLimit");
    request.time_limit = TimeLimit{30};
    BOOST_TEST(decide().forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_default_time_of_zero_demands_one) {
    main.default_time = TimeLimit{0};
    const auto decision = decide();
    BOOST_TEST(decision.forecast.code == RejectCode::invalid_time_limit);
    BOOST_TEST(decision.message.at(0) == "partition main requires a time limit: add --time");

    request.time_limit = TimeLimit{1};
    BOOST_TEST(decide().forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(default_memory_is_the_partitions_else_the_clusters_else_all_of_the_node) {
    qos(0).flags.deny_on_limit = true;
    request.tasks = request.min_cpus = 2;
    const auto fits_in = [&](std::uint64_t mib) {
        qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), mib);
        return decide().forecast.code == RejectCode::none;
    };
    BOOST_TEST(fits_in(2000)); // 1000 per CPU
    BOOST_TEST(!fits_in(1999));

    main.default_memory = model::Memory{3000, /*per_cpu=*/false};
    BOOST_TEST(fits_in(3000));
    BOOST_TEST(!fits_in(2999));

    main.default_memory.reset();
    default_memory = model::Memory{700, /*per_cpu=*/true};
    BOOST_TEST(fits_in(1400));
    BOOST_TEST(!fits_in(1399));

    default_memory.reset();
    BOOST_TEST(fits_in(256000));
    BOOST_TEST(!fits_in(255999));
}

BOOST_AUTO_TEST_CASE(memory_asked_for_counts_per_node_per_cpu_or_per_gpu) {
    qos(0).flags.deny_on_limit = true;
    request.tasks = request.min_cpus = 4;
    request.min_nodes = 2;
    request.tres_per_node = "gres:gpu:3";
    const auto asked = [&] {
        qos(0).limits.set(TresLimit::max_tres_per_job, tres("mem"), 0);
        const std::string line = decide().message.at(1);
        const auto at = line.find("asks for ") + 9;
        return line.substr(at, line.find(' ', at) - at);
    };
    request.memory = model::Memory{1024, /*per_cpu=*/false};
    BOOST_TEST(asked() == "2G");
    request.memory = model::Memory{1024, /*per_cpu=*/true};
    BOOST_TEST(asked() == "4G");
    request.memory = model::Memory{0, /*per_cpu=*/false}; // --mem=0: all memory of two nodes
    BOOST_TEST(asked() == "500G");
    request.memory.reset();
    request.memory_per_tres = "gres:gpu:1024";
    BOOST_TEST(asked() == "6G");
}

BOOST_AUTO_TEST_CASE(the_time_limit_of_each_partition_is_named) {
    request.partition = "main,viz";
    main.max_time = TimeLimit{30};
    partitions[1].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{60};
    BOOST_TEST(waits() == "");

    request.time_limit = TimeLimit{61};
    BOOST_TEST(waits() == "PartitionTimeLimit");
    const auto told = decide().message;
    BOOST_TEST_REQUIRE(told.size() >= 3u);
    BOOST_TEST(told[0] == "this job can never start as it is in any of its partitions (2 problems):");
    BOOST_TEST(told[1] == "  wall time per job in partition main: limit 00:30:00, this job asks for 01:01:00 "
                          "(PartitionTimeLimit)");
    BOOST_TEST(told[2] == "  wall time per job in partition viz: limit 01:00:00, this job asks for 01:01:00 "
                          "(PartitionTimeLimit)");

    BOOST_TEST(refused() == RejectCode::invalid_time_limit);
    const auto of_both = decide().message;
    BOOST_TEST_REQUIRE(of_both.size() >= 2u);
    BOOST_TEST(of_both[1] ==
               "wall time per job in partition viz: limit 01:00:00, this job asks for 01:01:00");
    enforce_part_limits = EnforcePartLimits::any;
    BOOST_TEST(decide().forecast.code == RejectCode::invalid_time_limit);
    request.time_limit = TimeLimit{60};
    BOOST_TEST(decide().forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_least_time_is_compared_with_the_most_generous_partition_and_named) {
    request.partition = "main,viz";
    main.max_time = TimeLimit{30};
    partitions[1].max_time = TimeLimit{60};
    request.time_min = TimeLimit{61};
    request.time_limit = TimeLimit{90};
    BOOST_TEST(test::first_line(decide().message) ==
               "wall time per job in partition viz: limit 01:00:00, this job asks for 01:01:00 (--time-min)");
    request.time_min = TimeLimit{60};
    BOOST_TEST(decide().message.empty());
}

BOOST_AUTO_TEST_CASE(everything_that_holds_a_job_for_good_is_told) {
    main.max_time = TimeLimit{60};
    request.time_limit = TimeLimit{61};
    qos(0).limits.set(TresLimit::max_tres_per_job, tres("cpu"), 2);
    request.tasks = request.min_cpus = 3;
    BOOST_TEST(waits() == "PartitionTimeLimit");
    const auto told = decide().message;
    BOOST_TEST_REQUIRE(told.size() >= 3u);
    BOOST_TEST(told[0] == "this job can never start as it is (2 problems):");
    BOOST_TEST(told[1] ==
               "  CPUs per job in QOS normal: limit 2, this job asks for 3 (QOSMaxCpuPerJobLimit)");
    BOOST_TEST(told[2] == "  wall time per job in partition main: limit 01:00:00, this job asks for 01:01:00 "
                          "(PartitionTimeLimit)");

    request.tasks = request.min_cpus = 2;
    BOOST_TEST(
        test::first_line(decide().message).starts_with("this job can never start as it is: wall time"));
}

BOOST_AUTO_TEST_CASE(of_many_problems_the_first_are_told_in_eight_lines) {
    main.max_time = TimeLimit{60};
    request.time_limit = TimeLimit{61};
    request.tasks = request.min_cpus = 3;
    for (const model::TresLimit limit :
         {TresLimit::max_tres_per_job, TresLimit::max_tres_per_node, TresLimit::max_tres_per_user,
          TresLimit::max_tres_per_account, TresLimit::grp_tres})
        for (const char* what : {"cpu", "mem"})
            qos(0).limits.set(limit, tres(what), 2);
    const auto told = decide().message;
    BOOST_TEST_REQUIRE(told.size() == 10u);
    BOOST_TEST(told[0] == "this job can never start as it is (11 problems):");
    BOOST_TEST(told[7] == "  and 5 more");
    BOOST_TEST(told[8] == "this job names no --mem: 1000M per CPU is the default of partition main");
    BOOST_TEST(told[9] == "could start with: --ntasks=2 --nodes=2 --mem=1M --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(a_job_is_told_all_limits_that_it_waits_for) {
    for (const char* what : {"cpu", "mem"}) {
        qos(0).limits.set(TresLimit::max_tres_per_user, tres(what), 4000);
        records.qos[0].users[1000].tres.resize(records.tres->size());
        records.qos[0].users[1000].tres[tres(what)] = 4000;
    }
    const auto told = decide().message;
    BOOST_TEST_REQUIRE(told.size() == 4u);
    BOOST_TEST(told[3] == "could start sooner with: --qos=moonlight");
    BOOST_TEST(told[0] == "this job will wait (2 reasons):");
    BOOST_TEST(told[1].starts_with("  CPUs per user in QOS normal: limit 4000, in use 4000"));
    BOOST_TEST(told[2].starts_with("  memory per user in QOS normal: limit"));
}

BOOST_AUTO_TEST_CASE(a_range_of_nodes_is_told_as_one) {
    main.max_nodes = 2;
    request.min_nodes = 1;
    request.max_nodes = 4;
    BOOST_TEST(waits() == "PartitionNodeLimit");
    BOOST_TEST(test::first_line(decide().message) ==
               "this job can never start as it is: partition main allows at most 2 nodes per job; this job "
               "asks for 1-4 (PartitionNodeLimit)");
    request.max_nodes = 2;
    BOOST_TEST(waits() == "");
}

BOOST_AUTO_TEST_CASE(a_job_in_a_partition_without_nodes_waits_for_ever) {
    main.total_nodes = main.total_cpus = 0; // not known
    BOOST_TEST(waits() == "");
    main.has_no_nodes = true;
    BOOST_TEST(waits() == "PartitionConfig");
    BOOST_TEST(forecast().never_starts);
    BOOST_TEST(test::first_line(decide().message) ==
               "this job can never start as it is: partition main has no nodes (PartitionConfig)");
    enforce_part_limits = model::EnforcePartLimits::all;
    BOOST_TEST(forecast().code == RejectCode::too_many_cpus);
}

BOOST_AUTO_TEST_CASE(a_partition_without_nodes_has_too_few_for_a_job_that_sends_no_cpus) {
    main.total_nodes = main.total_cpus = 0;
    main.has_no_nodes = true;
    release = limits::Release(22, 5);
    request.min_cpus.reset();
    request.min_nodes = 1;
    BOOST_TEST(refused() == RejectCode::invalid_node_count);
    BOOST_TEST(test::first_line(decide().message) == "partition main has no nodes");
    request.min_nodes.reset();
    BOOST_TEST(refused() == RejectCode::partition_limits); // once slurmctld tries to start it
}

BOOST_AUTO_TEST_CASE(slurmctld_looks_for_nodes_beyond_the_bounds_of_several_partitions_or_a_new_release) {
    main.total_cpus = 64;
    request.min_nodes = request.max_nodes = 4;
    request.tasks = request.min_cpus = 64;
    release = limits::Release(24, 11, 5);
    BOOST_TEST(too_small() == "");

    request.tasks = request.min_cpus = 65;
    const std::string cpus = "partition main has 64 CPUs; this job asks for 65";
    BOOST_TEST(too_small() == cpus);
    BOOST_TEST(waits() == "PartitionConfig");
    for (const limits::Release other : {limits::Release(24, 5), limits::Release(24, 11, 6)}) {
        release = other;
        BOOST_TEST(too_small() == ""); // it stays pending
    }
    release = limits::Release(24, 11, 5);
    request.priority = 0;
    BOOST_TEST(too_small() == "");
    request.priority.reset();

    request.tasks = request.min_cpus = 5;
    request.min_nodes = request.max_nodes = 5;
    const std::string nodes = "partition main has 4 nodes; this job asks for 5";
    BOOST_TEST(too_small() == nodes);
    release = limits::Release(25, 11, 1);
    BOOST_TEST(too_small() == nodes);
    release = limits::Release(25, 11, 2);
    BOOST_TEST(too_small() == "");
    release = limits::Release(24, 11, 5);
    main.max_nodes = 4; // this is looked at before the nodes
    BOOST_TEST(too_small() == "");
    main.max_nodes.reset();

    release = limits::Release(22, 5);
    BOOST_TEST(too_small() == "");
    request.partition = "main,viz";
    const std::string both = nodes + "|partition viz has 4 nodes; this job asks for 5";
    BOOST_TEST(too_small() == both);
    main.total_cpus = 4; // is enough to look for nodes in viz
    request.tasks = request.min_cpus = 5;
    release = limits::Release(25, 11, 1);
    BOOST_TEST(
        too_small() ==
        "partition main has 4 CPUs; this job asks for 5|partition viz has 4 nodes; this job asks for 5");
    release = limits::Release(25, 11, 2);
    BOOST_TEST(too_small() == "");
    main.total_cpus = 64;
    BOOST_TEST(too_small() == "");
    release = limits::Release(22, 5);
    partitions[1].total_nodes = 5; // it may wait for this one
    BOOST_TEST(too_small() == "");
}

BOOST_AUTO_TEST_SUITE_END()
