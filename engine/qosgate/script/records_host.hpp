// SPDX-License-Identifier: GPL-2.0-or-later
//
// RecordsScriptHost: what a site's script for job_submit/lua sees of the cluster, from records that whoever
// runs it has: slurmctld's own, or copies of these.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/policy/compat/script_host.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/script/script_job.hpp"
#include "qosgate/slurm/text_owner.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::script {

/// Reads slurmctld's record of the job that changes. Ownership: what it returns outlives the host.
using ReadRecord = std::function<Result<job_desc_msg_t*>()>;

/// One submission, or one change. What accounting knows is looked up when the script asks for it, and the job
/// before a change is read then. Ownership: borrows.
class RecordsScriptHost : public policy::compat::ScriptHost, private ScriptOwner, private ListedJobs {
  public:
    /// `cluster` is null while it is not known.
    RecordsScriptHost(job_desc_msg_t& job, std::uint32_t submit_uid, slurm::TextOwner& texts,
                      const quota::QuotaProvider& records, const model::Cluster* cluster) noexcept
        : description_(job), texts_(texts), job_(job, *this, texts), submit_uid_(submit_uid),
          records_(records), cluster_(cluster) {}

    void set_before_write(ScriptedJob::BeforeWrite before_write) {
        job_.set_before_write(std::move(before_write));
    }

    /// This is a change of a job.
    void set_record(ReadRecord read_record) { read_record_ = std::move(read_record); }

    /// Whether the script read something that is not known because the job before the change is too new, or
    /// because of its state, or because nobody has asked about its owner yet: a user can choose that moment.
    [[nodiscard]] bool depends_on_moment() const noexcept { return depends_on_moment_; }

    [[nodiscard]] policy::compat::ScriptJob& job() override { return job_; }
    [[nodiscard]] Result<policy::compat::ScriptJob*> record() override;
    [[nodiscard]] std::uint32_t submit_uid() const override { return submit_uid_; }
    [[nodiscard]] Result<const model::ScriptRecords*> partitions() override;
    /// Whether root, or a user, may submit to it as far as its flags and AllowGroups tell.
    [[nodiscard]] Result<bool> may_use(const model::ScriptRecords& partitions, std::size_t index) override;
    [[nodiscard]] Result<const model::ScriptRecords*> jobs() override;
    [[nodiscard]] Result<const model::ScriptRecords*> reservations() override;
    [[nodiscard]] Result<std::optional<double>> qos_priority(std::string_view name) override;

  protected:
    ~RecordsScriptHost() override = default;

    using SharedRecords = std::shared_ptr<const model::ScriptRecords>;
    /// slurm.jobs, with the fields that the script mentions. Called once.
    [[nodiscard]] virtual Result<SharedRecords> read_jobs() = 0;
    /// The error while the cluster is not known. `what` are "partitions".
    [[nodiscard]] virtual Error cluster_not_known(std::string_view what) const = 0;
    /// Empty: accounting does not know the user. Errors: as QuotaProvider::read().
    [[nodiscard]] Result<std::string> name_in_accounting(std::uint32_t id) const;

  private:
    [[nodiscard]] model::ScriptValue read(std::string_view field, const job_desc_msg_t& job,
                                          policy::ErrorText& error) noexcept override;
    [[nodiscard]] model::ScriptValue read(std::uint32_t job_id, std::string_view field,
                                          policy::ErrorText& error) noexcept override;
    /// Errors: as QuotaProvider::read().
    template <typename Copy>
    [[nodiscard]] Result<void> copy_records(const job_desc_msg_t& job, Copy copy) const;

    const job_desc_msg_t& description_;
    slurm::TextOwner& texts_;
    ScriptedJob job_;
    std::uint32_t submit_uid_;
    const quota::QuotaProvider& records_;
    const model::Cluster* cluster_;
    std::string text_;                                      ///< the value that read() returned last
    std::shared_ptr<const model::ScriptRecords> seen_jobs_; ///< null: not asked for yet
    ReadRecord read_record_;                                ///< empty: a submission
    std::optional<ScriptedRecord> record_;
    bool depends_on_moment_ = false;
    std::uint32_t owner_ = description_.user_id; ///< of the job; of a change, once the record is read
};

} // namespace qg::script
