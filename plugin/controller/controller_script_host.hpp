// SPDX-License-Identifier: GPL-2.0-or-later
//
// ControllerScriptHost: what a site's script for job_submit/lua sees of slurmctld.
#pragma once

#include "cluster/cluster_snapshot.hpp"
#include "cluster/job_snapshot.hpp"
#include "qosgate/script/records_host.hpp"
#include "qosgate/slurm/text_owner.hpp"
#include "records/controller_quota.hpp"
#include "records/user_table.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace qg::plugin {

/// What scripts are told about, beside the job. Ownership: borrows.
struct ScriptWorld {
    const ControllerQuota& quota;
    UserTable& users;
    const JobSnapshot& jobs;
    const ClusterNow& now;
};

/// One submission, or one change. Ownership: borrows.
class ControllerScriptHost final : public script::RecordsScriptHost {
  public:
    /// `texts` owns those of the job.
    ControllerScriptHost(job_desc_msg_t& job, slurm::TextOwner& texts, std::uint32_t submit_uid,
                         const ScriptWorld& world, const JobSnapshot::Names& fields_of_jobs) noexcept
        : RecordsScriptHost(job, submit_uid, texts, world.quota, world.now.cluster.get()),
          users_(world.users), jobs_(world.jobs), fields_of_jobs_(fields_of_jobs) {}

    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryUser>>
    find_user(std::string_view name) override;
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryUser>> find_user(std::uint32_t id) override;
    [[nodiscard]] Result<std::string> find_user_name(std::uint32_t id) override;
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryGroup>>
    find_group(std::string_view name) override;

  private:
    [[nodiscard]] Result<SharedRecords> read_jobs() override { return jobs_.current(fields_of_jobs_); }
    [[nodiscard]] Error cluster_not_known(std::string_view what) const override;

    const UserTable& users_;
    const JobSnapshot& jobs_;
    const JobSnapshot::Names& fields_of_jobs_;
};

} // namespace qg::plugin
