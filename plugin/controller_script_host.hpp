// SPDX-License-Identifier: GPL-2.0-or-later
//
// ControllerScriptHost: what a site's script for job_submit/lua sees of slurmctld.
#pragma once

#include "controller_quota.hpp"
#include "host_texts.hpp"
#include "job_snapshot.hpp"
#include "qosgate/model/cluster.hpp"
#include "qosgate/script/records_host.hpp"
#include "user_table.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace qg::plugin {

/// One submission, or one change. Ownership: borrows.
class ControllerScriptHost final : public script::RecordsScriptHost {
  public:
    /// `cluster` is null while it is not known.
    ControllerScriptHost(job_desc_msg_t& job, std::uint32_t submit_uid, const ControllerQuota& quota,
                         const UserTable& users, const JobSnapshot& jobs,
                         const model::Cluster* cluster) noexcept
        : RecordsScriptHost(job, submit_uid, host_texts, quota, cluster), users_(users), jobs_(jobs) {}

    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryUser>>
    find_user(std::string_view name) override;
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryUser>> find_user(std::uint32_t id) override;
    [[nodiscard]] Result<std::string> find_user_name(std::uint32_t id) override;
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryGroup>>
    find_group(std::string_view name) override;

  private:
    [[nodiscard]] Result<SharedRecords> read_jobs() override { return jobs_.current(); }
    [[nodiscard]] Error cluster_not_known(std::string_view what) const override;

    const UserTable& users_;
    const JobSnapshot& jobs_;
};

} // namespace qg::plugin
