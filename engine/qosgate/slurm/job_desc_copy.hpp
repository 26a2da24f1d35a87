// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobDescCopy: a copy of a job description, as far as read_job_desc(), rules and scripts read it: made from
// bytes of another process, or in this process to keep the job as it was sent.
//
//   write(pipe, pack_job_desc(description));           // inside sbatch
//   auto copy = JobDescCopy::unpack(bytes);            // in the process that judges
//   model::JobRequest request = copy->request(uid);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/slurm/text_owner.hpp"

#include <slurm/slurm.h>

#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::slurm {

/// A description as bytes for another process of this machine and this build. It calls slurm_api_version() of
/// the library that the process uses. Cost: copies the texts, the script and the environment.
std::string pack_job_desc(const job_desc_msg_t& description);

/// Threads: as a value.
class JobDescCopy final : public TextOwner {
  public:
    /// Reads one description and removes it from the beginning of `bytes`. Errors: unsupported if the other
    /// process uses a libslurm of another release than this one; internal for bytes that pack_job_desc() did
    /// not make.
    static Result<JobDescCopy> unpack(std::string_view& bytes);
    /// Copies a description of this process. Cost: copies the texts, the script and the environment.
    static JobDescCopy of(const job_desc_msg_t& description);
    /// Whether the texts and words of a copy take at most `max_bytes`: each its length and a std::string.
    /// Words are arguments and variables. Cost: linear in `max_bytes`.
    static bool takes_at_most(std::size_t max_bytes, const job_desc_msg_t& description) noexcept;

    /// The bound on what a script may write into one copy: a loop ends there.
    static constexpr std::size_t max_written = std::size_t{16} << 20;

    JobDescCopy(JobDescCopy&&) = default;
    JobDescCopy& operator=(JobDescCopy&&) = default;
    ~JobDescCopy() = default;

    /// The same as bytes again.
    [[nodiscard]] std::string pack() const { return pack_job_desc(description_); }

    /// The request. Ownership: its details borrow this copy.
    [[nodiscard]] model::JobRequest request(std::uint32_t submit_uid) const;

    [[nodiscard]] std::uint32_t user_id() const noexcept { return description_.user_id; }
    /// The clusters that the job may run on; empty: this one.
    [[nodiscard]] std::string_view clusters() const noexcept;

    /// The job is another user's. An empty group is not known.
    void set_user(std::uint32_t user_id, std::optional<std::uint32_t> group_id) noexcept {
        description_.user_id = user_id;
        description_.group_id = group_id.value_or(NO_VAL);
    }
    /// The job is this part of a heterogeneous job. Clients leave that to slurmctld.
    void set_part(std::uint32_t number) noexcept { description_.het_job_offset = number; }
    /// The job is no part of a heterogeneous job.
    void set_alone() noexcept { description_.het_job_offset = NO_VAL; }

    /// slurmctld takes the priority of nobody but operators.
    void clear_priority() noexcept { description_.priority = NO_VAL; }

    /// For what reads and writes it as Slurm's plugins do. Ownership: texts are assigned by this object.
    [[nodiscard]] job_desc_msg_t& description() noexcept { return description_; }
    /// The text that was there lives as long as the copy: requests borrow it. Errors: std::length_error if
    /// all that was assigned takes more than `max_written` bytes.
    void assign(char*& text, const std::optional<std::string>& value) override;
    void add_variable(job_desc_msg_t& job) override;

  private:
    JobDescCopy() = default;
    /// Lets the description have the lists of words.
    void set_words();

    /// Pointers that nobody reads may dangle.
    job_desc_msg_t description_{};
    std::deque<std::string> texts_; ///< what pointers of the description point to
    std::vector<char*> arguments_;
    std::vector<char*> environment_; ///< with the null at its end
    std::vector<char*> spank_environment_;
    std::size_t written_ = 0; ///< bytes of texts that were assigned
};

} // namespace qg::slurm
