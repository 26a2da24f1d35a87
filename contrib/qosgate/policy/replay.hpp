// SPDX-License-Identifier: GPL-2.0-or-later
//
// Replay: decides about jobs of the past again, and sums up what would change.
#pragma once

#include "job/judged_world.hpp"
#include "policy/change_sums.hpp"
#include "policy/replayed_job.hpp"

#include "qosgate/gate/gate.hpp"
#include "qosgate/policy/policy.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace qg::cli {

/// The users and accounts that a world has: without them nothing can be said about a job.
class WorldMembers {
  public:
    explicit WorldMembers(const quota::LocalRecords& records);

    /// Why a job cannot be judged in this world; empty: it can.
    [[nodiscard]] std::string_view why_unknown(const ReplayedJob& job) const;

  private:
    bool needs_associations_;
    bool is_anonymous_ = false;
    std::unordered_map<std::uint32_t, std::string> users_; ///< names by id
    std::unordered_set<std::string> accounts_;             ///< in lower case
};

/// The part of a decision that a replay compares.
struct ReplayedDecision {
    /// What a rule did with a job that makes a difference: rule, what, text.
    using Event = std::tuple<std::string, std::string, std::string>;

    std::string outcome;
    std::set<Event> events;
    std::map<std::string, std::string> values; ///< of fields that rules changed, as they were left
    std::string_view pending_reason = {};

    void add(std::string_view rule, std::string_view effect, std::string_view text);
};

/// Ownership: borrows everything. Threads: not thread-safe.
class Replay {
  public:
    /// `unchanged`: the world without the changes of --qos, by which is then compared instead of by the past;
    /// null: there are none.
    Replay(const JudgedWorld& world, const policy::Policy& policy, const WorldMembers& members,
           const JudgedWorld* unchanged);

    /// Decides about the submission of a record.
    void add(const PastRecord& record);
    /// Decides about a job of accounting, which was accepted.
    void add(const slurmdb::PastJob& job);

    [[nodiscard]] std::uint64_t decided() const noexcept { return decided_; }
    [[nodiscard]] const ChangeSums& sums() const noexcept { return sums_; }
    [[nodiscard]] const std::map<std::string, std::uint64_t>& left_out() const noexcept { return left_out_; }

  private:
    class WatchedGroups;
    static constexpr std::size_t max_reasons = 100;

    void leave_out(std::string_view why);
    /// Decides about the job; empty: it is left out.
    std::optional<model::Decision> decide(const JudgedWorld& world, const gate::Gate& gate);
    /// `past` makes the decision of the past.
    template <typename MakePast>
    void compare(MakePast past);
    void describe_job(Change& change) const;

    const JudgedWorld& world_;
    const JudgedWorld* unchanged_;
    const policy::Policy& policy_;
    const WorldMembers& members_;
    limits::Release release_;
    gate::Gate gate_;
    std::optional<gate::Gate> unchanged_gate_;
    ReplayedJob job_;
    std::uint64_t decided_ = 0;
    ChangeSums sums_;
    std::map<std::string, std::uint64_t> left_out_; ///< decisions by the reason
};

} // namespace qg::cli
