// SPDX-License-Identifier: GPL-2.0-or-later
//
// TriedJob: what would become of a job, and what each rule did with it.
#pragma once

#include "common/client_request.hpp"
#include "job/judged_world.hpp"
#include "policy/tried_script.hpp"

#include "qosgate/gate/partitions/closed_partitions.hpp"
#include "qosgate/gate/predict/het_parts.hpp"
#include "qosgate/model/decision.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/queued_job.hpp"
#include "qosgate/policy/policy.hpp"

#include <nlohmann/json_fwd.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <ostream>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

enum class TriedStatus : std::uint8_t {
    accepted,
    refused, ///< by the client, a rule, qosgate, or slurmctld
    blocked, ///< slurmctld refuses it or never starts it, for another reason than limits
};
std::string_view to_string(TriedStatus status) noexcept;

/// A job, or one part of a heterogeneous job.
struct TriedPart {
    model::JobRequest request; ///< as slurmctld gets it
    std::string account = {};  ///< as the rules left it, or the default; so are the next two
    std::string partition = {};
    std::string qos = {};
    model::Decision decision = {};
    policy::RuleOutcome rules = {};
    std::vector<policy::RuleCost> costs = {}; ///< of each rule that ran, in order
    std::vector<std::string> blocked_by =
        {}; ///< lines of gate/answer/advice.hpp and gate/partitions/closed_partitions.hpp
    std::string groups_not_judged = {}; ///< what AllowGroups may do to it and is not known; empty: nothing
    gate::ClosedError closed_error = gate::ClosedError::none; ///< with which a closed partition refuses it
    bool is_blocked_for_ever = false; ///< slurmctld accepts it, and because of `blocked_by` never starts it
    std::vector<std::string> not_looked_at = {}; ///< lines of gate/answer/not_looked_at.hpp
    std::uint64_t places = 0;                    ///< that it takes in slurmctld's table of jobs; 0: not known
    bool hides_limits = false; ///< PrivateData hides limits of accounts, or a partition, from who asks
    /// A rule or a script for clients refuses it and says this. Nothing else is known then.
    std::optional<std::vector<slurm::ClientLine>> client_refusal = {};
    std::optional<TriedScript> script = {}; ///< empty: the site has none

    [[nodiscard]] TriedStatus status() const noexcept;
    /// Whether slurmctld certainly accepts it, as far as it is judged.
    [[nodiscard]] bool is_let_in() const noexcept;
    /// Whether slurmctld certainly accepts it and never starts it as it is, as far as it is judged.
    [[nodiscard]] bool never_starts() const noexcept;
    /// Why slurmctld refuses it; none: it does not.
    [[nodiscard]] model::RejectCode refusal() const noexcept;
    /// What slurmctld says of that, or of a closed partition; empty: it does not refuse the job.
    [[nodiscard]] std::string refusal_text() const;
    /// Why limits were not judged; empty: they were.
    [[nodiscard]] std::string_view why_unchecked() const noexcept;
    /// "client", "script", "rules", "qosgate" or "slurmctld"; empty: it is not refused.
    [[nodiscard]] std::string_view refused_by() const noexcept;
};

struct TriedJob {
    /// Not empty; several are those of a heterogeneous job, up to the first that qosgate refuses.
    std::vector<TriedPart> parts;
    std::string client = "sbatch"; ///< or "salloc", "srun"

    /// Whether limits that may decide were not judged, because they are hidden.
    [[nodiscard]] bool hides_limits() const noexcept;
    /// What AllowGroups may do to some part and is not known; empty: nothing.
    [[nodiscard]] std::string_view groups_not_judged() const noexcept;
    /// Why the site's script was not run for some part; empty: it ran, or there is none.
    [[nodiscard]] std::string_view why_script_not_run() const noexcept;
    /// The part whose status is that of the job.
    [[nodiscard]] const TriedPart& decisive() const noexcept;
    /// Whether slurmctld certainly accepts it, as far as it is judged: all its parts.
    [[nodiscard]] bool is_let_in() const noexcept;
    /// What is said of a part, in words that are true for what becomes of the job.
    [[nodiscard]] std::vector<std::string> words_about(const TriedPart& part) const;
    /// What the user reads, line by line, as the client prints it.
    [[nodiscard]] std::vector<std::string> user_reads() const;
};

/// Decides about a job as the plugin inside slurmctld would. `requests` are the parts of a heterogeneous job,
/// or one job, as a script left them; what they borrow must outlive the result. `scripts` is what the site's
/// script did with each, up to the first that it refuses; empty: there is none.
TriedJob try_job(std::span<const model::JobRequest> requests, std::span<const TriedScript> scripts,
                 const JudgedWorld& world, const policy::Policy& policy);

/// Refuses the parts for which slurmctld's table of jobs has no room (limits/README.md 8.6), unless something
/// refuses the job before that is looked at.
void refuse_without_room(TriedJob& job, const model::JobTable& table);

/// Refuses a job that must start at once (--immediate) and certainly has to wait. Others may find no free
/// nodes, which is not looked at.
void refuse_what_waits(TriedJob& job);

/// Drops the parts behind the first that slurmctld refuses: for salloc and srun it creates each part before
/// it looks at the next, so plugins are not asked about those.
void end_at_refusal(TriedJob& job);

/// What a rule took, begun microseconds counted as whole ones.
inline std::int64_t microseconds_of(const policy::RuleCost& cost) {
    return std::chrono::ceil<std::chrono::microseconds>(cost.time).count();
}

/// A job that its client does not send, because a rule or a script for clients refuses it with these words.
TriedJob refused_by_client(std::vector<slurm::ClientLine> lines);

/// For people: with what each rule did, or the answer alone.
void print(const TriedJob& job, const policy::Policy& policy, std::ostream& out);
void print_answer(const TriedJob& job, std::ostream& out);
/// The members of an answer in JSON, likewise.
nlohmann::ordered_json to_json(const TriedJob& job, const policy::Policy& policy);
nlohmann::ordered_json answer_json(const TriedJob& job);

} // namespace qg::cli
