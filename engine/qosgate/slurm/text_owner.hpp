// SPDX-License-Identifier: GPL-2.0-or-later
//
// TextOwner: who owns the texts of a job description, so that they can be replaced: Slurm's own allocator
// inside slurmctld, or a copy of the description.
#pragma once

#include <slurm/slurm.h>

#include <optional>
#include <string>

namespace qg::slurm {

/// Errors: std::bad_alloc, and what an owner says.
class TextOwner {
  public:
    /// Replaces a text of the description; empty: it becomes null.
    virtual void assign(char*& text, const std::optional<std::string>& value) = 0;
    /// Adds a null in front of the variables of the environment, which must not be null, and counts it.
    virtual void add_variable(job_desc_msg_t& job) = 0;

  protected:
    ~TextOwner() = default;
};

} // namespace qg::slurm
