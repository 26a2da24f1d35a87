// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/controller.hpp"

#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/running_release.hpp"
#include "qosgate/base/report_files.hpp"
#include "qosgate/gate/rules/test_world.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/values.hpp"
#include "records/controller_users.hpp"

namespace qg::plugin {
namespace {

std::string cluster_name() {
    const slurm_conf_t* conf = host_conf();
    return conf == nullptr ? std::string() : std::string(slurm::view_text(conf->cluster_name));
}

JobSnapshot::Names fields_of_jobs(const policy::Policy* policy) {
    return policy == nullptr || policy->script() == nullptr ? nullptr : policy->script()->fields_of_jobs();
}

} // namespace

std::filesystem::path kept_policy_file() {
    return state_file("qosgate_policy");
}

bool has_backups() {
    const slurm_conf_t* conf = host_conf();
    return conf != nullptr && conf->control_cnt > 1;
}

Controller::Controller(const Result<AssocMgr>& manager)
    : policies(log_line,
               {.kept_file = kept_policy_file(),
                .host = has_backups() ? own_host_name() : std::string(),
                .cluster_name = cluster_name(),
                .log_of_script = log_script_line,
                .make_world = [] { return std::make_unique<gate::ScenarioWorld>(running_release()); }}),
      quota(manager),
      users({.list_users =
                 [manager](std::size_t max_users) {
                     return manager ? list_user_names(*manager, max_users) : std::vector<std::string>();
                 }}),
      script_jobs(options_in_slurmctld(cluster.is_read())), gate(quota, running_release()) {}

gate::KnownCluster Controller::known_cluster(const ClusterNow& now) const {
    const gate::DecisionTimes times{.now = std::time(nullptr), .cluster_read_at = now.confirmed_at};
    return {now.cluster.get(), now.may_have_changed, now.may_have_new_reservations, times, &users};
}

void Controller::want_jobs(const policy::Policy& policy, const policy::Policy* candidate) {
    script_jobs.want(fields_of_jobs(&policy), fields_of_jobs(candidate));
}

bool Controller::may_change(std::uint32_t user_id, const job_desc_msg_t& job) const {
    return quota.may_change(user_id, job.user_id, slurm::view_text(job.account));
}

} // namespace qg::plugin
