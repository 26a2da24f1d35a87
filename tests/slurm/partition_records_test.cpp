// SPDX-License-Identifier: GPL-2.0-or-later
#include "partition_setup.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/values.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>

using namespace qg;
using namespace qg::slurm;
using namespace qg::test;
using model::EnforcePartLimits;
using model::Memory;
using model::Partition;

BOOST_AUTO_TEST_SUITE(partition_records)

BOOST_AUTO_TEST_CASE(a_partition_without_limits_reads_as_unlimited) {
    const Partition partition = read(plain_partition());

    BOOST_TEST(partition.name == "main");
    BOOST_TEST(!partition.is_default);
    BOOST_TEST(!partition.is_hidden);
    BOOST_TEST(partition.is_open());
    BOOST_TEST(partition.allow_groups.empty());
    BOOST_TEST(partition.priority_job_factor == 1u);
    BOOST_TEST(!partition.cpus_per_gpu.has_value());
    BOOST_TEST(!partition.memory_per_gpu_mib.has_value());
    BOOST_TEST(partition.qos.empty());
    BOOST_TEST(partition.max_time.is_unlimited());
    BOOST_TEST(!partition.default_time.has_value());
    BOOST_TEST(partition.min_nodes == 0u);
    BOOST_TEST(!partition.max_nodes.has_value());
    BOOST_TEST(!partition.default_memory.has_value());
    BOOST_TEST(partition.allow_qos.empty());
    BOOST_TEST(partition.billing_weights.empty());
}

BOOST_AUTO_TEST_CASE(every_field_is_read) {
    std::string qos = "partqos", allow = "normal,small", deny = "large", accounts = "astro , bio",
                weights = "CPU=1";
    partition_info_t raw = plain_partition();
    raw.flags = PART_FLAG_DEFAULT | PART_FLAG_HIDDEN | PART_FLAG_ROOT_ONLY | PART_FLAG_REQ_RESV;
    raw.state_up = PARTITION_DRAIN;
    raw.alternate = qos.data();
    raw.qos_char = qos.data();
    raw.max_time = 60;
    raw.default_time = 30;
    raw.min_nodes = 2;
    raw.max_nodes = 8;
    raw.total_nodes = 10;
    raw.total_cpus = 640;
    raw.def_mem_per_cpu = 1000 | MEM_PER_CPU;
    raw.allow_qos = allow.data();
    raw.deny_qos = deny.data();
    raw.allow_accounts = accounts.data();
    raw.deny_accounts = deny.data();
    raw.allow_groups = accounts.data();
    raw.billing_weights_str = weights.data();
    raw.priority_job_factor = 7;
    job_defaults_t cpus{JOB_DEF_CPU_PER_GPU, 4}, memory{JOB_DEF_MEM_PER_GPU, 2048};
    const OwnedList defaults = make_borrowing_list();
    append(defaults, &cpus);
    append(defaults, &memory);
    raw.job_defaults_list = defaults.get();
    std::string tres = "cpu=640,gres/gpu=8";
    raw.tres_fmt_str = tres.data();

    const Partition partition = read(raw);

    BOOST_TEST(partition.tres == tres);

    BOOST_TEST(partition.is_default);
    BOOST_TEST(partition.is_hidden);
    BOOST_TEST(partition.allow_groups == (std::vector<std::string>{"astro", "bio"}));
    BOOST_TEST(partition.priority_job_factor == 7u);
    BOOST_TEST(*partition.cpus_per_gpu == 4u);
    BOOST_TEST(*partition.memory_per_gpu_mib == 2048u);
    BOOST_TEST(partition.is_for_root);
    BOOST_TEST(partition.needs_reservation);
    BOOST_TEST(!partition.takes_jobs);
    BOOST_TEST(partition.starts_jobs);
    BOOST_TEST(partition.alternate == qos);
    BOOST_TEST(partition.qos == "partqos");
    BOOST_TEST(partition.max_time.minutes == 60u);
    BOOST_TEST(partition.default_time->minutes == 30u);
    BOOST_TEST(partition.min_nodes == 2u);
    BOOST_TEST(*partition.max_nodes == 8u);
    BOOST_TEST(partition.total_nodes == 10u);
    BOOST_TEST(partition.total_cpus == 640u);
    BOOST_TEST(partition.default_memory == (Memory{1000, true}));
    BOOST_TEST(partition.allow_qos == (std::vector<std::string>{"normal", "small"}));
    BOOST_TEST(partition.deny_qos == std::vector<std::string>{"large"});
    BOOST_TEST(partition.allow_accounts == (std::vector<std::string>{"astro", "bio"}));
    BOOST_TEST(partition.deny_accounts == std::vector<std::string>{"large"});
    BOOST_TEST(partition.billing_weights == "CPU=1");
}

BOOST_AUTO_TEST_CASE(a_partition_without_nodes_has_none_and_unknown_totals_are_not_known) {
    partition_info_t raw = plain_partition();
    raw.total_nodes = raw.total_cpus = 0;
    BOOST_TEST(!read(raw).has_no_nodes); // it lists some
    raw.node_inx = test::no_nodes;
    BOOST_TEST(read(raw).has_no_nodes);
    raw.total_nodes = raw.total_cpus = NO_VAL;
    BOOST_TEST(!read(raw).has_no_nodes);
    raw.total_nodes = raw.total_cpus = 1;
    BOOST_TEST(!read(raw).has_no_nodes);
}

BOOST_AUTO_TEST_CASE(an_infinite_default_time_is_unlimited_and_zero_is_zero) {
    partition_info_t raw = plain_partition();
    raw.default_time = INFINITE;
    BOOST_TEST(read(raw).default_time->is_unlimited());
    raw.default_time = 0;
    BOOST_TEST(read(raw).default_time->minutes == 0u);
}

BOOST_AUTO_TEST_CASE(default_memory_of_zero_is_one_if_it_is_for_each_cpu) {
    partition_info_t raw = plain_partition();
    for (const std::uint64_t value : {std::uint64_t{0}, std::uint64_t{NO_VAL64}, std::uint64_t{INFINITE64}}) {
        raw.def_mem_per_cpu = value;
        BOOST_TEST(!read(raw).default_memory.has_value());
    }
    raw.def_mem_per_cpu = MEM_PER_CPU;
    const auto none = read(raw).default_memory;
    BOOST_TEST_REQUIRE(none.has_value());
    BOOST_TEST(none->mib == 0u);
    BOOST_TEST(none->per_cpu);
}

BOOST_AUTO_TEST_CASE(a_list_of_all_is_no_list) {
    std::string all = "ALL", none;
    partition_info_t raw = plain_partition();
    raw.allow_qos = all.data();
    raw.allow_accounts = none.data();

    BOOST_TEST(read(raw).allow_qos.empty());
    BOOST_TEST(read(raw).allow_accounts.empty());
}

BOOST_AUTO_TEST_CASE(a_partition_may_allocate_other_units_than_the_cluster) {
    using model::AllocatedUnit;
    partition_info_t raw = plain_partition();
    BOOST_TEST(!read(raw).selection.has_value());
    raw.cr_type = CR_SOCKET;
    const auto selects = [&raw](AllocatedUnit unit, bool shares_out_memory) {
        return read(raw).selection == model::Selection{unit, shares_out_memory};
    };
    BOOST_TEST(selects(AllocatedUnit::socket, /*shares_out_memory=*/false));
    raw.cr_type = CR_CORE | CR_MEMORY;
    BOOST_TEST(selects(AllocatedUnit::core, /*shares_out_memory=*/true));
    BOOST_TEST(!selects(AllocatedUnit::core, /*shares_out_memory=*/false));
}

BOOST_AUTO_TEST_CASE(a_partition_that_nobody_shares_nodes_in_gives_whole_ones) {
    partition_info_t raw = plain_partition();
    for (const auto share : {1, 4, SHARED_FORCE | 1, SHARED_FORCE | 4}) {
        raw.max_share = static_cast<std::uint16_t>(share);
        BOOST_TEST(!read(raw).gives_whole_nodes);
    }
    raw.flags = PART_FLAG_EXCLUSIVE_USER; // one user's jobs share them
    BOOST_TEST(!read(raw).gives_whole_nodes);
    raw.max_share = 0; // OverSubscribe=EXCLUSIVE
    BOOST_TEST(read(raw).gives_whole_nodes);
}

BOOST_AUTO_TEST_CASE(a_partition_is_for_everybody_unless_something_keeps_some_out) {
    std::string some = "some";
    partition_info_t open = plain_partition();
    open.state_up = PARTITION_UP;
    BOOST_TEST(read(open).is_for_everybody);

    const auto is_open_after = [&open](auto change) {
        partition_info_t changed = open;
        change(changed);
        return read(changed).is_for_everybody;
    };
    BOOST_TEST(!is_open_after([](auto& p) { p.state_up = PARTITION_DRAIN; }));
    BOOST_TEST(!is_open_after([](auto& p) { p.flags = PART_FLAG_HIDDEN; }));
    BOOST_TEST(!is_open_after([](auto& p) { p.flags = PART_FLAG_ROOT_ONLY; }));
    BOOST_TEST(!is_open_after([](auto& p) { p.flags = PART_FLAG_REQ_RESV; }));
    BOOST_TEST(!is_open_after([&](auto& p) { p.allow_groups = some.data(); }));
    BOOST_TEST(!is_open_after([&](auto& p) { p.allow_alloc_nodes = some.data(); }));
}

BOOST_AUTO_TEST_CASE(any_bytes_can_be_read) {
    for (int byte = 0; byte < 256; ++byte) {
        partition_info_t raw;
        std::memset(static_cast<void*>(&raw), byte, sizeof raw);
        raw.name = raw.qos_char = raw.allow_qos = raw.deny_qos = nullptr;
        raw.allow_accounts = raw.deny_accounts = raw.billing_weights_str = nullptr;
        raw.allow_groups = raw.alternate = nullptr;
        raw.allow_alloc_nodes = raw.tres_fmt_str = nullptr;
        raw.node_inx = nullptr;
        raw.job_defaults_list = nullptr;

        const Partition partition = read(raw);

        BOOST_TEST_CONTEXT("byte " << byte) {
            BOOST_TEST(partition.name.empty());
            BOOST_TEST(partition.nodes.empty());
            BOOST_TEST(partition.max_nodes.has_value() == is_count(raw.max_nodes));
        }
    }
}

BOOST_AUTO_TEST_CASE(a_cluster_has_its_partitions_and_lines_of_slurm_conf) {
    partition_info_t raw = plain_partition();
    raw.flags = PART_FLAG_DEFAULT;
    partition_info_msg_t partitions{};
    partitions.record_count = 1;
    partitions.partition_array = &raw;
    auto nodes = two_nodes();
    node_info_msg_t all{};
    all.record_count = static_cast<std::uint32_t>(nodes.size());
    all.node_array = nodes.data();
    slurm_conf_t conf{};
    conf.def_mem_per_cpu = 500;
    conf.enforce_part_limits = PARTITION_ENFORCE_ANY;
    conf.max_array_sz = 2001;
    conf.priority_flags = PRIORITY_FLAGS_MAX_TRES | PRIORITY_FLAGS_FAIR_TREE;
    conf.select_type_param = CR_CORE | CR_MEMORY | CR_ONE_TASK_PER_CORE;
    job_defaults_t cpus{JOB_DEF_CPU_PER_GPU, 4}, memory{JOB_DEF_MEM_PER_GPU, 2048};
    const OwnedList defaults = make_borrowing_list();
    append(defaults, &cpus);
    append(defaults, &memory);
    conf.job_defaults_list = defaults.get();

    const model::Cluster cluster = read_cluster(partitions, &all, &conf);

    BOOST_TEST_REQUIRE(cluster.partitions.default_partition() != nullptr);
    BOOST_TEST(cluster.partitions.default_partition()->name == "main");
    BOOST_TEST(cluster.partitions.default_partition()->node_memory_mib == 60000u);
    BOOST_TEST(cluster.default_memory == (Memory{500, false}));
    BOOST_TEST(cluster.enforce_part_limits == EnforcePartLimits::any);
    BOOST_TEST(cluster.max_array_size == 2001u);
    BOOST_TEST(cluster.billing == model::Billing::largest);
    BOOST_TEST(cluster.shares_out_memory);
    BOOST_TEST(cluster.allocated_unit == model::AllocatedUnit::core);
    BOOST_TEST(cluster.gives_cores_to_tasks);
    BOOST_TEST(cluster.cpus_per_gpu.value() == 4u);
    BOOST_TEST(cluster.memory_per_gpu_mib.value() == 2048u);

    conf.select_type_param = CR_CPU;
    conf.job_defaults_list = nullptr;
    const model::Cluster plain = read_cluster(partitions, &all, &conf);
    BOOST_TEST(plain.allocated_unit == model::AllocatedUnit::cpu);
    BOOST_TEST(!plain.gives_cores_to_tasks);
    BOOST_TEST(!plain.cpus_per_gpu.has_value());
    BOOST_TEST(!plain.memory_per_gpu_mib.has_value());
    BOOST_TEST(read_allocated_unit(CR_SOCKET | CR_MEMORY) == model::AllocatedUnit::socket);
}

BOOST_AUTO_TEST_CASE(what_only_nodes_of_hidden_partitions_have_is_hidden) {
    auto nodes = two_nodes();
    std::string common = "big", special = "new", some = "wheel";
    nodes[0].features = common.data();
    nodes[1].features = special.data();
    node_info_msg_t all{};
    all.record_count = static_cast<std::uint32_t>(nodes.size());
    all.node_array = nodes.data();
    std::int32_t first[] = {0, 0, -1}, second[] = {1, 1, -1};
    partition_info_t raw[] = {plain_partition(), plain_partition()};
    raw[0].node_inx = first;
    raw[1].node_inx = second;
    partition_info_msg_t partitions{};
    partitions.record_count = 2;
    partitions.partition_array = raw;
    const auto hidden = [&] { return read_cluster(partitions, &all, nullptr).names.value().features.hidden; };
    using Names = std::vector<std::string>;

    BOOST_TEST(hidden().empty());
    raw[1].flags = PART_FLAG_HIDDEN;
    BOOST_TEST(hidden() == (Names{"new"}));
    raw[1].flags = 0;
    raw[1].allow_groups = some.data(); // nobody knows who is in them
    BOOST_TEST(hidden() == (Names{"new"}));
}

BOOST_AUTO_TEST_CASE(priority_flags_say_how_jobs_are_billed) {
    BOOST_TEST(read_billing(0) == model::Billing::sum);
    BOOST_TEST(read_billing(PRIORITY_FLAGS_FAIR_TREE) == model::Billing::sum);
    BOOST_TEST(read_billing(PRIORITY_FLAGS_MAX_TRES) == model::Billing::largest);
    BOOST_TEST(read_billing(1u << 11) == model::Billing::largest_and_gres);
}

BOOST_AUTO_TEST_CASE(usage_lasts_where_it_neither_decays_nor_is_reset) {
    const partition_info_msg_t none{};
    const auto lasts = [&none](std::uint32_t half_life, std::uint16_t reset) {
        slurm_conf_t conf{};
        conf.priority_decay_hl = half_life;
        conf.priority_reset_period = reset;
        return read_cluster(none, nullptr, &conf).usage_lasts;
    };

    BOOST_TEST(lasts(0, PRIORITY_RESET_NONE));
    BOOST_TEST(!lasts(604800, PRIORITY_RESET_NONE));
    BOOST_TEST(!lasts(0, PRIORITY_RESET_MONTHLY));
    BOOST_TEST(!read_cluster(none, nullptr, nullptr).usage_lasts);
}

BOOST_AUTO_TEST_CASE(slurm_conf_says_what_takes_whole_nodes) {
    const partition_info_msg_t none{};
    slurm_conf_t conf{};
    const auto cluster = [&] { return read_cluster(none, nullptr, &conf); };
    BOOST_TEST(!cluster().gives_whole_nodes);
    BOOST_TEST(!cluster().allows_spec_resources);

    conf.conf_flags = ~conf_flag_spec_resources;
    std::string select = "select/cons_tres";
    conf.select_type = select.data();
    BOOST_TEST(!cluster().gives_whole_nodes);
    BOOST_TEST(!cluster().allows_spec_resources);

    conf.conf_flags = conf_flag_spec_resources;
    BOOST_TEST(cluster().allows_spec_resources);
    select = "select/linear";
    conf.select_type = select.data();
    BOOST_TEST(cluster().gives_whole_nodes);
}

BOOST_AUTO_TEST_CASE(a_cluster_can_be_read_without_nodes_and_slurm_conf) {
    const partition_info_msg_t none{};

    const model::Cluster cluster = read_cluster(none, nullptr, nullptr);

    BOOST_TEST(cluster.partitions.all().empty());
    BOOST_TEST(cluster.enforce_part_limits == EnforcePartLimits::no);
    BOOST_TEST(cluster.max_array_size == 1001u);
}

BOOST_AUTO_TEST_CASE(enforce_part_limits_follows_slurms_numbers) {
    BOOST_TEST(read_enforce_part_limits(PARTITION_ENFORCE_NONE) == EnforcePartLimits::no);
    BOOST_TEST(read_enforce_part_limits(PARTITION_ENFORCE_ALL) == EnforcePartLimits::all);
    BOOST_TEST(read_enforce_part_limits(PARTITION_ENFORCE_ANY) == EnforcePartLimits::any);
    BOOST_TEST(read_enforce_part_limits(NO_VAL16) == EnforcePartLimits::no);
}

BOOST_AUTO_TEST_SUITE_END()
