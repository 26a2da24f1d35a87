// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScriptedJob: a job description of Slurm, read and written by a script for job_submit/lua. The names are
// those of Slurm's plugin; slurm/script_fields.hpp has most of them.
#pragma once

#include "qosgate/policy/compat/script_host.hpp"
#include "qosgate/slurm/text_owner.hpp"

#include <slurm/slurm.h>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <utility>

namespace qg::script {

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

} // namespace qg::script
