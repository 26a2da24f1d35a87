// SPDX-License-Identifier: GPL-2.0-or-later
//
// RecordsScriptHost: what a site's script for job_submit/lua sees of the cluster, from records that whoever
// runs it has: slurmctld's own, or copies of these.
#pragma once

#include "qosgate/model/cluster.hpp"
#include "qosgate/policy/compat/script_host.hpp"
#include "qosgate/quota/provider.hpp"
#include "qosgate/slurm/text_owner.hpp"

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <slurm/slurm.h>

namespace qg::script {

// ---- Slurm's job description ---------------------------------------------------------------------------
// A job description of Slurm, read and written by a script for job_submit/lua. The names are those of Slurm's
// plugin; slurm/script_fields.hpp has most of them.

/// What accounting knows of a job's owner, as the fields of job_desc show it.
class ScriptOwner {
  public:
    /// Nothing for names that are not about the owner. Sets `error` if it is not known.
    [[nodiscard]] virtual model::ScriptValue read(std::string_view field, const job_desc_msg_t& job,
                                                  policy::ErrorText& error) noexcept = 0;

  protected:
    ~ScriptOwner() = default;
};

/// The jobs that were read in the background.
class ListedJobs {
  public:
    /// Sets `error` if there is no answer. Ownership: the text lives as long as the object.
    [[nodiscard]] virtual model::ScriptValue read(std::uint32_t job_id, std::string_view field,
                                                  policy::ErrorText& error) noexcept = 0;

  protected:
    ~ListedJobs() = default;
};

/// What is written reaches the description at once, as with Slurm's plugin. Ownership: borrows.
class ScriptedJob : public policy::compat::ScriptJob {
  public:
    /// Called before the script writes for the first time. Errors: an exception keeps it from writing.
    using BeforeWrite = std::function<void()>;

    ScriptedJob(job_desc_msg_t& job, ScriptOwner& owner, slurm::TextOwner& texts) noexcept
        : job_(job), owner_(owner), texts_(texts) {}
    ScriptedJob(const ScriptedJob&) = delete;
    ScriptedJob& operator=(const ScriptedJob&) = delete;
    virtual ~ScriptedJob() = default;

    void set_before_write(BeforeWrite before_write) { before_write_ = std::move(before_write); }

    [[nodiscard]] model::ScriptValue read(std::string_view field, policy::ErrorText& error) noexcept override;
    [[nodiscard]] policy::compat::FieldType type_of(std::string_view field) const noexcept override;
    void write(std::string_view field, const model::ScriptValue& value,
               policy::ErrorText& error) noexcept override;

    [[nodiscard]] std::size_t count(policy::compat::WordList list) const noexcept override;
    [[nodiscard]] model::ScriptValue word(policy::compat::WordList list,
                                          std::size_t index) const noexcept override;

    [[nodiscard]] bool has_environment() const noexcept override { return job_.environment != nullptr; }
    [[nodiscard]] model::ScriptValue variable(std::string_view name,
                                              policy::Budget& budget) const noexcept override;
    void set_variable(std::string_view name, std::string_view value, policy::Budget& budget,
                      policy::ErrorText& error) noexcept override;

  private:
    void begin_write();

    job_desc_msg_t& job_;
    ScriptOwner& owner_;
    slurm::TextOwner& texts_;
    BeforeWrite before_write_; ///< empty: nobody asks, or it was called
};

/// slurmctld's record of a job as job_rec shows it: from a copy of the record, and what that lacks from the
/// listed jobs. A field that Slurm's plugin shows and neither has is an error.
class ScriptedRecord final : public ScriptedJob {
  public:
    ScriptedRecord(job_desc_msg_t& copy, std::uint32_t job_id, ScriptOwner& owner, ListedJobs& listed,
                   slurm::TextOwner& texts) noexcept
        : ScriptedJob(copy, owner, texts), copy_(copy), job_id_(job_id), listed_(listed) {}

    [[nodiscard]] model::ScriptValue read(std::string_view field, policy::ErrorText& error) noexcept override;

  private:
    const job_desc_msg_t& copy_;
    std::uint32_t job_id_;
    ListedJobs& listed_;
};

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
