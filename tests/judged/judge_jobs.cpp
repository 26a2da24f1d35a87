// SPDX-License-Identifier: GPL-2.0-or-later
//
// Sends jobs to the plugin for slurmctld without a slurmctld: this program exports the names that slurmctld
// would, with records that tests have made. Each run does the same, so its instructions can be counted.
//
//   judge_jobs PLUGIN DIRECTORY STREAM COUNT
//
// DIRECTORY has rules in qosgate.d/, and the plugin's files of state go there. STREAM is
//   accepted   jobs that differ in name and time limit, and are accepted
//   refused    jobs that exceed a limit
//   mixed      these, and others that people send, some of which are told something: for counts of a first
//   build
// Exit codes: 1 if a job of `accepted` is told something, one of `refused` is not, or all or none of `mixed`
// are; 2 if the plugin cannot be used.
#include "host/host_alloc.hpp"
#include "plugin/fake_controller.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <ctime>
#include <iostream>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include <dlfcn.h>
#include <unistd.h>

namespace {

qg::test::FakeController& records() {
    static qg::test::FakeController controller;
    return controller;
}

constexpr const char* partition_name = "main";
constexpr std::uint32_t node_cpus = 64;
std::atomic<int> conf_reads = 0;

/// One partition of four nodes. Everything is as large as the program lives.
partition_info_msg_t* make_partitions() {
    static partition_info_t partition{};
    static partition_info_msg_t message{};
    partition.name = const_cast<char*>(partition_name);
    partition.nodes = const_cast<char*>("n[1-4]");
    partition.allow_accounts = partition.allow_groups = partition.allow_qos = nullptr;
    partition.max_time = 7 * 24 * 60;
    partition.default_time = 60;
    partition.max_nodes = INFINITE;
    partition.min_nodes = 1;
    partition.total_nodes = 4;
    partition.total_cpus = 4 * node_cpus;
    partition.max_cpus_per_node = INFINITE;
    partition.state_up = PARTITION_UP;
    partition.max_share = 1; // no whole nodes
    partition.flags = PART_FLAG_DEFAULT;
    partition.tres_fmt_str = const_cast<char*>("cpu=256,mem=1T,node=4");
    message.last_update = std::time(nullptr);
    message.record_count = 1;
    message.partition_array = &partition;
    return &message;
}

node_info_msg_t* make_nodes() {
    static std::array<node_info_t, 4> nodes{};
    static std::array<std::string, 4> names{"n1", "n2", "n3", "n4"};
    static node_info_msg_t message{};
    for (std::size_t i = 0; i < nodes.size(); ++i) {
        nodes[i].name = names[i].data();
        nodes[i].cpus = node_cpus;
        nodes[i].real_memory = 256 * 1024;
        nodes[i].boards = 1;
        nodes[i].sockets = 2;
        nodes[i].cores = node_cpus / 2;
        nodes[i].threads = 1;
        nodes[i].node_state = NODE_STATE_IDLE;
    }
    message.last_update = std::time(nullptr);
    message.record_count = nodes.size();
    message.node_array = nodes.data();
    return &message;
}

} // namespace

// What slurmctld exports to its plugins, and the requests that the plugin would send it.
#pragma GCC visibility push(default)
extern "C" {

slurm_conf_t slurm_conf{};
std::time_t last_part_update = 1, last_resv_update = 1;
qg::slurm::ListHandle part_list = nullptr, job_list = nullptr;
qg::slurm::ListHandle assoc_mgr_qos_list = nullptr, assoc_mgr_user_list = nullptr;
slurmdb_assoc_rec_t* assoc_mgr_root_assoc = nullptr;
char** assoc_mgr_tres_name_array = nullptr;
std::uint32_t g_tres_count = 0, g_qos_count = 0;
std::uint16_t accounting_enforce = 0, running_cache = 0;

void acct_policy_validate() {}
void assoc_mgr_lock(qg::slurm::AssocMgrLocks* locks) {
    records().symbols().lock(locks);
}
void assoc_mgr_unlock(qg::slurm::AssocMgrLocks* locks) {
    records().symbols().unlock(locks);
}
int assoc_mgr_fill_in_assoc(void* connection, slurmdb_assoc_rec_t* wanted, int enforce,
                            slurmdb_assoc_rec_t** found, bool is_locked) {
    return records().symbols().fill_in_assoc(connection, wanted, enforce, found, is_locked);
}

int slurm_load_partitions(std::time_t, partition_info_msg_t** message, std::uint16_t) {
    *message = make_partitions();
    return SLURM_SUCCESS;
}
int slurm_load_node(std::time_t, node_info_msg_t** message, std::uint16_t) {
    *message = make_nodes();
    return SLURM_SUCCESS;
}
int slurm_load_ctl_conf(std::time_t newer_than, slurm_conf_t** message) {
    ++conf_reads;
    *message = newer_than == 0 ? &slurm_conf : nullptr;
    errno = SLURM_NO_CHANGE_IN_DATA;
    return newer_than == 0 ? SLURM_SUCCESS : SLURM_ERROR;
}
int slurm_load_reservations(std::time_t, reserve_info_msg_t** message) {
    static reserve_info_msg_t none{};
    *message = &none;
    return SLURM_SUCCESS;
}
int slurm_load_licenses(std::time_t, license_info_msg_t** message, std::uint16_t) {
    static license_info_msg_t none{};
    *message = &none;
    return SLURM_SUCCESS;
}
void slurm_free_partition_info_msg(partition_info_msg_t*) {}
void slurm_free_node_info_msg(node_info_msg_t*) {}
void slurm_free_ctl_conf(slurm_conf_t*) {}
void slurm_free_reservation_info_msg(reserve_info_msg_t*) {}
void slurm_free_license_info_msg(license_info_msg_t*) {}

} // extern "C"
#pragma GCC visibility pop

namespace {

void make_records(const std::string& directory) {
    auto& all = records();
    all.add_qos("normal", 1);
    slurmdb_qos_rec_t& small = all.add_qos("small", 2);
    small.max_wall_pj = 120;
    small.flags = QOS_FLAG_DENY_LIMIT;
    for (std::uint32_t id = 3; id <= 10; ++id)
        all.add_qos(("q" + std::to_string(id)).c_str(), id);
    all.root = &all.add_association("root", nullptr, nullptr, {1});
    auto& account = all.add_association("bench", nullptr, all.root, {1, 2});
    auto& user = all.add_user("bench", geteuid() + 1000, "bench");
    all.add_association("bench", &user, &account, {1, 2}).def_qos_id = 1;
    const auto symbols = all.symbols();
    assoc_mgr_qos_list = *symbols.qos_list;
    assoc_mgr_user_list = *symbols.user_list;
    assoc_mgr_root_assoc = all.root;
    assoc_mgr_tres_name_array = *symbols.tres_names;
    g_tres_count = *symbols.tres_count;
    g_qos_count = *symbols.after_max_qos_id;
    accounting_enforce = *symbols.enforce;

    static std::string file = directory + "/slurm.conf", state = directory;
    slurm_conf.slurm_conf = file.data();
    slurm_conf.state_save_location = state.data();
    slurm_conf.cluster_name = const_cast<char*>("bench");
    slurm_conf.job_submit_plugins = const_cast<char*>("qosgate");
    slurm_conf.accounting_storage_type = const_cast<char*>("accounting_storage/slurmdbd");
    slurm_conf.accounting_storage_enforce = accounting_enforce;
    slurm_conf.accounting_storage_tres = const_cast<char*>("cpu,mem,energy,node,billing,gres/gpu");
    slurm_conf.select_type = const_cast<char*>("select/cons_tres");
    slurm_conf.slurm_user_id = geteuid();
    slurm_conf.slurm_user_name = const_cast<char*>("root");
    slurm_conf.max_array_sz = 1001;
    slurm_conf.max_job_cnt = 10000;
    slurm_conf.control_cnt = 1;
}

/// Functions of the plugin.
struct Plugin {
    int (*init)();
    int (*submit)(job_desc_msg_t* job, std::uint32_t uid, char** message);
};

template <typename Function>
void find(void* plugin, const char* name, Function& function) {
    function = reinterpret_cast<Function>(dlsym(plugin, name));
    if (function != nullptr) return;
    std::cerr << "judge_jobs: the plugin has no " << name << "()\n";
    std::exit(2);
}

/// What differs from job to job.
struct Kind {
    const char* qos = "normal";
    std::uint32_t tasks = 1;
    std::uint32_t minutes = 0; ///< 0: one of eight
    const char* gpus = nullptr;
};

/// Whether the plugin accepts a job of this kind without a word. It refuses what rules forbid; what exceeds a
/// limit it explains, and leaves the refusal to slurmctld.
bool is_accepted(const Plugin& plugin, const Kind& kind, std::uint32_t number) {
    constexpr std::uint32_t time_limits = 8;
    std::string name = "run-" + std::to_string(number), qos = kind.qos, partition = partition_name;
    std::string account = "bench", script = "#!/bin/sh\ntrue\n", directory = "/", variable = "PATH=/bin";
    std::string gpus = kind.gpus == nullptr ? "" : kind.gpus;
    char* environment[] = {variable.data()};
    job_desc_msg_t job;
    slurm_init_job_desc_msg(&job);
    job.name = name.data();
    job.account = account.data();
    job.qos = qos.data();
    job.partition = partition.data();
    job.script = script.data();
    job.work_dir = directory.data();
    job.environment = environment;
    job.env_size = 1;
    job.user_id = geteuid() + 1000;
    job.group_id = getegid();
    job.het_job_offset = NO_VAL; // as clients send it
    job.time_limit = kind.minutes != 0 ? kind.minutes : 30 + 15 * (number % time_limits);
    job.num_tasks = kind.tasks;
    job.min_cpus = kind.tasks;
    if (kind.gpus != nullptr) job.tres_per_node = gpus.data();
    char* message = nullptr;
    const bool is_accepted =
        plugin.submit(&job, job.user_id, &message) == SLURM_SUCCESS && message == nullptr;
    slurm_xfree(reinterpret_cast<void**>(&message));
    return is_accepted;
}

constexpr Kind beyond_limit{.qos = "small", .minutes = 600};
constexpr std::array kinds{Kind{},
                           Kind{.tasks = 4},
                           Kind{.qos = "small", .minutes = 60},
                           beyond_limit,
                           Kind{.qos = "unknown"},
                           Kind{.tasks = 1000},
                           Kind{.gpus = "gres:gpu:2"},
                           Kind{.minutes = 100'000}};

/// Whether the plugin knows partitions and limits: it explains what a limit of QOS small forbids.
bool becomes_ready(const Plugin& plugin) {
    using namespace std::chrono_literals;
    for (int looks = 0; looks < 500; ++looks, std::this_thread::sleep_for(20ms))
        if (conf_reads > 0 && !is_accepted(plugin, beyond_limit, 0) && is_accepted(plugin, kinds[0], 0))
            return true;
    return false;
}

} // namespace

int main(int count, char** arguments) {
    if (count != 5) {
        std::cerr << "usage: judge_jobs PLUGIN DIRECTORY accepted|refused|mixed COUNT\n";
        return 2;
    }
    make_records(arguments[2]);
    void* const library = dlopen(arguments[1], RTLD_LAZY);
    if (library == nullptr) {
        std::cerr << "judge_jobs: " << dlerror() << "\n";
        return 2;
    }
    Plugin plugin{};
    find(library, "init", plugin.init);
    find(library, "job_submit", plugin.submit);
    if (plugin.init() != SLURM_SUCCESS || !becomes_ready(plugin)) {
        std::cerr << "judge_jobs: the plugin does not know its cluster after 10 seconds\n";
        return 2;
    }
    const std::string_view stream = arguments[3];
    const long jobs = std::atol(arguments[4]);
    long silent = 0;
    for (long i = 0; i < jobs; ++i) {
        const auto number = static_cast<std::size_t>(i);
        const Kind& kind = stream == "mixed"     ? kinds[number % kinds.size()]
                           : stream == "refused" ? beyond_limit
                                                 : kinds[0];
        if (is_accepted(plugin, kind, static_cast<std::uint32_t>(i))) ++silent;
    }
    std::cout << silent << " of " << jobs << " jobs were accepted without a word\n";
    const bool is_right = stream == "mixed"     ? silent > 0 && silent < jobs
                          : stream == "refused" ? silent == 0
                                                : silent == jobs;
    return is_right ? 0 : 1;
}
