// SPDX-License-Identifier: GPL-2.0-or-later
//
// The parts ("components" in Slurm) of a heterogeneous job. slurmctld judges them one by one and then
// together (limits/README.md 6.4): up to 25.11 the sum of each association must keep the limits that refuse,
// from 26.05 on each part must fit all limits beside those before it.
#pragma once

#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/limits/violation.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// The parts of one job so far.
/// Threads: not thread-safe.
class HetParts {
  public:
    /// A line for each limit that the parts exceed together.
    struct Lines {
        std::vector<std::string> refusing; ///< limits that refuse them
        std::vector<std::string> lasting;  ///< limits that never let them run together
    };

    /// Forgets all parts.
    void clear() noexcept {
        parts_.clear();
        shown_.clear();
        number_ = 0;
        refusal_ = lasting_ = {};
        is_refused_ = false;
    }

    /// Sets the number of the next part (Slurm counts from 0). The default is one more than that of the last
    /// that was added, which is wrong behind a part that is refused by itself.
    void begin_part(std::uint32_t number) noexcept { number_ = number; }

    /// Adds a part that is accepted by itself. Returns what all parts so far exceed together: each limit
    /// once per job, and none that never lets a part run by itself. Empty beyond max_parts parts. Cost:
    /// copies the part; at most one evaluation for each part so far, of which there are at most 16, and two
    /// for each owner of limits.
    Lines add(const ResolvedRequest& resolved);

    /// slurmctld refuses a part, and so the whole job.
    void note_refused() noexcept { is_refused_ = true; }
    [[nodiscard]] bool is_refused() const noexcept { return is_refused_; }

    /// Slurm's Reason of the limit that refuses the parts so far together, or the last one by itself although
    /// it is accepted as a job; empty: none does, or it is not known.
    [[nodiscard]] std::string_view refusal() const noexcept { return refusal_; }

    /// Slurm's Reason of a limit that never lets the parts so far run together; empty: none is known.
    [[nodiscard]] std::string_view lasting() const noexcept { return lasting_; }

  private:
    struct Part {
        model::AccountView view;
        model::ResolvedJob job;
        std::uint32_t number = 0;
        std::vector<limits::Violation> own; ///< limits that the part exceeds by itself
    };

    /// Some of the parts, in order.
    using Members = std::vector<const Part*>;
    /// A limit that parts exceed together.
    struct Exceeded {
        limits::Violation violation;
        const Part* part; ///< the owner is an index into its view
        Members members;
    };

    /// A limit that the user has read about.
    struct Shown {
        std::size_t part; ///< an index; the owner is an index into its view
        limits::Violation limit;
    };

    /// The parts with the same association.
    [[nodiscard]] Members of_association(const Part& part) const;
    /// The parts that count for an owner in the view of `part`; if the limit is per account, only those
    /// of its account.
    [[nodiscard]] Members counted_by(const Part& part, limits::Owner owner, bool is_per_account) const;
    [[nodiscard]] Members counted_by(const Part& part, const limits::Violation& violation) const;
    /// The sets of parts that count together for an owner in the view of `part`, without duplicates.
    [[nodiscard]] std::vector<Members> counted_together(const Part& part) const;
    /// Whether a part exceeds the limit by itself.
    [[nodiscard]] bool is_of_one(const Part& part, const limits::Violation& violation) const;
    [[nodiscard]] bool may_be_shown(const Part& part, const limits::Violation& violation) const;
    [[nodiscard]] std::vector<Exceeded> find_refusing(limits::Release release) const;
    [[nodiscard]] std::vector<Exceeded> find_refused_trial(limits::Release release) const;
    [[nodiscard]] std::vector<Exceeded> find_lasting(limits::Release release) const;

    std::vector<Part> parts_;
    std::vector<Shown> shown_; ///< each limit once
    std::uint32_t number_ = 0; ///< of the next part
    std::string_view refusal_; ///< a literal
    std::string_view lasting_; ///< likewise
    bool is_refused_ = false;
};

} // namespace qg::gate
