// SPDX-License-Identifier: GPL-2.0-or-later
//
// A job as JSON, as Slurm's job description. The keys are the field names of job_desc_msg_t; what is not
// named stays unset, as slurm_init_job_desc_msg() leaves it.
#pragma once

#include "qosgate/slurm/compat.hpp"

#include <nlohmann/json.hpp>

#include <list>
#include <string>

namespace qg::test {

/// A job description with the texts it points to.
class JobDescription {
  public:
    /// `job` names fields: texts, numbers, "UNLIMITED" for a time. "client" says who asks: "sbatch" and
    /// "bare" send a script, "salloc" wants an allocation now. Throws std::invalid_argument for other keys.
    explicit JobDescription(const nlohmann::json& job);
    JobDescription(const JobDescription&) = delete;
    JobDescription& operator=(const JobDescription&) = delete;

    [[nodiscard]] job_desc_msg_t& get() noexcept { return description_; }
    [[nodiscard]] const job_desc_msg_t& get() const noexcept { return description_; }
    [[nodiscard]] bool is_allocation() const noexcept { return is_allocation_; }

  private:
    void set(const std::string& key, const nlohmann::json& value);
    char* keep(std::string text);

    job_desc_msg_t description_;
    std::list<std::string> texts_; ///< addresses stay
    bool is_allocation_ = false;
};

} // namespace qg::test
