// SPDX-License-Identifier: GPL-2.0-or-later
//
// Policy: one loaded qosgate.d/, ready to judge jobs: the settings of site.lua and one rule per other *.lua
// file, run in file-name order, with the modules of qosgate.d/lib. What rule authors may write is in
// contrib/doc/rules.md.
//
//   auto policy = load_policy("/etc/slurm/qosgate.d", {});
//   if (!policy) return log(policy.error());
//   RuleOutcome outcome = (*policy)->run(request, facts);
//   if (outcome.rejected) return reject(outcome.reject_message);
//   if (outcome.changed) request = *std::move(outcome.changed);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace qg::policy {

class RuleView;
class Coverage;
namespace compat {
class SiteScript;
}

/// What one rule took for one job.
struct RuleCost {
    std::string_view rule;       ///< its name; lives as long as the policy
    std::int64_t instructions{}; ///< of Lua; fewer than Budget::hook_interval may be missing
    std::chrono::nanoseconds time{};
};

class BudgetClock;
struct RuleInput;

/// Counts a job again that rules have changed.
class JobRecounter {
  public:
    /// What rules may read about the changed job; never null. Errors: if it cannot be counted, with a text
    /// for the message of the failed rule. Threads: not thread-safe; it belongs to one decision.
    [[nodiscard]] virtual Result<std::shared_ptr<const RuleInput>>
    recount(const model::JobRequest& changed) = 0;

  protected:
    ~JobRecounter() = default;
};

/// Tells what the sender of a request may do. Ownership and threads: as RuleInput.
class SenderRights {
  public:
    /// Whether the sender is an operator; false also if it is not known. A second question costs nothing.
    [[nodiscard]] bool is_operator() noexcept {
        if (!is_operator_) {
            try {
                is_operator_ = ask_if_operator();
            } catch (...) { // without memory it is not known
                is_operator_ = false;
            }
        }
        return *is_operator_;
    }

  protected:
    ~SenderRights() = default;

  private:
    /// Asked once at most. An exception means that it is not known.
    [[nodiscard]] virtual bool ask_if_operator() = 0;

    std::optional<bool> is_operator_; ///< empty: nobody has asked
};

/// What rules may read about a job beyond its request. It describes one state of the request; `recounter`
/// describes the job as rules have changed it. Ownership: everything is borrowed for the duration of
/// Policy::run.
struct RuleInput {
    const model::ResolvedJob& counted;
    const model::TresCatalogue& catalogue; ///< the order of counted.tres
    std::string_view user_name;            ///< empty: not known
    std::string_view account;              ///< requested, or the user's default; empty: none
    std::string_view partition;            ///< requested, or the default partition; empty: none
    std::string_view qos;                  ///< requested, or the default QOS; empty: none

    /// Values that are not known yet, shortly after the start of slurmctld or the creation of a partition. A
    /// rule that reads one fails.
    bool knows_accounts = true;   ///< user_name, account and qos
    bool knows_partitions = true; ///< partition, qos, and values in `counted` that depend on a partition

    bool knows_cpus = true; ///< false: the job asks for CPUs per GPU but for no GPUs; reading them fails, too

    SenderRights* sender = nullptr; ///< asked where a rule exempts operators; null: the sender is none

    /// The maximum time of a job without a requested or default time: the longest MaxTime of its partitions.
    /// Empty: it has no partition.
    std::optional<TimeLimit> max_time = {};

    RuleView* view = nullptr; ///< null: rules that read `view` fail

    ClientHost* client = nullptr; ///< whose options rules read instead of a job; null: they read the job

    JobRecounter* recounter = nullptr; ///< null: rules read the same values after they changed the job

    std::vector<RuleCost>* costs = nullptr; ///< gets a line of each rule that runs; null: nobody measures

    const BudgetClock* begun =
        nullptr; ///< the job's clock, if something ran before the rules; null: nothing did

    bool is_trial = false; ///< of a job that may never be: what fails, or does not, is not counted
};

/// A job before a change, for rules that compare it with the job after it. Ownership: borrows for the
/// duration of Policy::run_at_change.
struct JobBefore {
    const model::JobRequest& request;
    const RuleInput& facts;
};

enum class EventKind : std::uint8_t {
    changed,      ///< the rule changed the job
    noted,        ///< the user was told something
    warned,       ///< the user was warned
    rejected,     ///< the rule rejected the job
    error,        ///< the rule failed
    not_enforced, ///< a rule in mode warn gave a message, or would have changed or rejected the job
    shadow,       ///< what a rule in mode shadow would have said or done
};

/// Short stable name of a kind ("changed").
std::string_view to_string(EventKind kind) noexcept;

/// One thing that a rule did, for the decision record.
struct RuleEvent {
    std::string rule;
    std::string file;
    EventKind kind = EventKind::changed;
    std::string text;   ///< "qos: normal -> debug", the message of a rejection, the text of an error
    std::string detail; ///< the Lua call stack of an error, in one line; else empty
};

/// The rule that set a field of the job last.
struct FieldWriter {
    std::string_view field; ///< a name in the table of fields
    std::string rule;
    std::string text; ///< the present value: "QOS small"
};

/// The result of all rules for one job.
struct RuleOutcome {
    bool rejected = false;
    /// For the user; set if and only if rejected. Several lines, with newlines between them, if several rules
    /// reject the job.
    std::string reject_message;
    bool has_failed = false; ///< rejected because a rule failed; the message says whom to tell
    /// Warnings and notes for the user, in the order given; also those of a rejected job.
    std::vector<std::string> warnings;
    std::vector<std::ptrdiff_t> notes; ///< places of the notes among them, ascending: they tell of a job that
                                       ///< is accepted
    std::vector<RuleEvent> events;     ///< in the order they happened
    /// The request as the rules left it; empty: none of them changed it, or it is rejected.
    std::optional<model::JobRequest> changed;
    std::vector<OptionChange> options; ///< of a client, as the rules left them: those that they changed
    std::vector<FieldWriter> writers;  ///< the fields with a noun (fields.hpp) that rules changed
};

/// Takes the notes out of lines that begin with the warnings of an outcome.
inline void drop_notes(std::vector<std::string>& lines, std::span<const std::ptrdiff_t> notes) {
    for (std::size_t i = notes.size(); i-- > 0;)
        lines.erase(lines.begin() + notes[i]);
}

struct LoadOptions {
    std::uint64_t generation = 0;         ///< handed back by Policy::generation()
    std::string cluster_name = "cluster"; ///< for a script for job_submit/lua
    std::optional<uid_t> trusted_user;    ///< who, besides root, may own the files; empty: the effective user
};

/// How a policy is compiled.
struct CompileOptions {
    std::uint64_t generation = 0; ///< handed back by Policy::generation()
    /// Whether failures in a row count (setting rule_failures): for a policy that decides about jobs.
    bool counts_failures = false;
    /// Whether rules rest that certainly do nothing, because they did nothing with the job before, which had
    /// the same values (kept_fields.hpp): for a policy that decides about many jobs.
    bool lets_rules_rest = false;
    /// Whether mistakes in the texts of rules keep the policy from loading. Not in what was in force before:
    /// a newer release may find more.
    bool checks_texts = true;
    /// The most that the setting rule_time_ms gives; empty: any.
    std::optional<std::chrono::milliseconds> max_rule_time = {};
    std::string cluster_name = "cluster"; ///< for a script for job_submit/lua
    Coverage* coverage = nullptr;         ///< notes which lines run; null: nobody asks
};

/// A rule whose last runs failed, or that only warns because too many did.
struct FailingRule {
    std::string name;
    std::string file;
    std::uint64_t failures_in_a_row = 0; ///< up to its last run
    bool only_warns = false;
};

class RuleFailures;
class StatePool;

/// An immutable set of settings and rules, with the Lua states that run it.
/// Threads: any number may call run() at once; each uses a Lua state of its own.
class Policy {
  public:
    /// A policy without rules and with default settings, as for a site without the directory.
    static std::shared_ptr<const Policy> none(std::uint64_t generation = 0);

    Policy(std::shared_ptr<const SourceDirectory> sources, Settings settings, std::vector<RuleInfo> rules,
           std::unique_ptr<StatePool> pool, const CompileOptions& options,
           std::shared_ptr<compat::SiteScript> script = nullptr);
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;
    ~Policy();

    /// The files that it was made from.
    [[nodiscard]] const SourceDirectory& sources() const noexcept { return *sources_; }
    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::vector<RuleInfo>& rules() const noexcept { return rules_; }
    [[nodiscard]] bool has_rules() const noexcept { return !rules_.empty(); }
    /// Whether some rule runs at the event; at a change, for one that sets these parts. Cost: for a change
    /// constant, else linear in the rules.
    [[nodiscard]] bool has_rules_at(JobEvent event,
                                    model::UpdateParts parts = model::UpdateParts::all()) const noexcept;
    /// Whether some of these rules may reject; then no such job, or change, may pass unchecked.
    [[nodiscard]] bool
    has_enforcing_rule_at(JobEvent event,
                          model::UpdateParts parts = model::UpdateParts::all()) const noexcept;
    /// Whether some rule may read the job before a change.
    [[nodiscard]] bool reads_job_before() const noexcept;
    /// Whether some rule may read the groups of users.
    [[nodiscard]] bool reads_groups() const noexcept { return reads_groups_; }
    /// Whether the rules read the QOS of the last job. Those of the next one probably do so, too.
    [[nodiscard]] bool reads_own_qos() const noexcept {
        return reads_own_qos_.load(std::memory_order_relaxed);
    }
    void note_own_qos(bool is_read) const noexcept {
        if (reads_own_qos() != is_read) reads_own_qos_.store(is_read, std::memory_order_relaxed);
    }
    /// Identity by content: equal for equal file names and contents; 0 for a site without the directory.
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// Runs the rules for new jobs over the job. A rejected job goes on to the next rules, so that the user
    /// reads all rejections, unless the rule, or its failure, ends the chain.
    /// Errors: none; a failed rule affects the RuleOutcome as its `on_error` says.
    /// Threads: safe. Cost: no file, socket or clock-dependent result; no lock except the pool's, held for a
    /// vector's push or pop. About 0.3 us per small rule (20 rules: 5 us); at most Settings::rule_time plus
    /// some milliseconds for the step that runs at that moment. The remaining rules are then not run and
    /// count as failed.
    [[nodiscard]] RuleOutcome run(const model::JobRequest& job, const RuleInput& facts) const;

    /// Runs the rules for changes over the job as it would be after one that sets `parts`: those that look
    /// at some of them. `before` may be null if reads_job_before() is false. All else as run().
    [[nodiscard]] RuleOutcome run_at_change(const model::JobRequest& job, const RuleInput& facts,
                                            const JobBefore* before,
                                            model::UpdateParts parts = model::UpdateParts::all()) const;

    /// Runs the rules for clients over the options of a job that is not sent yet (facts.client, not null;
    /// what describes the job is not read). What enforcing rules write is set there, and listed in the
    /// outcome. A rule that fails rejects nothing. All else as run().
    [[nodiscard]] RuleOutcome run_in_client(const model::JobRequest& sender, const RuleInput& facts) const;

    /// The script for job_submit/lua, which runs before the rules; null: there is none.
    [[nodiscard]] compat::SiteScript* script() const noexcept { return script_.get(); }

    /// Replaces spent Lua states and makes some ready. The policy's owner calls it now and then; otherwise
    /// jobs make states in their own time. Not for the submit path. Cost: compiles what is missing.
    void refill() const;

    /// The rules that fail, in their order; empty if failures do not count. Cost: linear in the rules.
    [[nodiscard]] std::vector<FailingRule> failing_rules() const;

    /// How many Lua states jobs had to make because none was ready.
    [[nodiscard]] std::uint64_t states_made_by_jobs() const noexcept;

  private:
    std::shared_ptr<const SourceDirectory> sources_;
    Settings settings_;
    std::vector<RuleInfo> rules_;
    bool reads_groups_;
    mutable std::atomic<bool> reads_own_qos_ = false;
    model::UpdateParts looked_at_;           ///< by some rule for changes
    std::unique_ptr<StatePool> pool_;        ///< null if there are no rules
    std::unique_ptr<RuleFailures> failures_; ///< null if they do not count
    std::shared_ptr<compat::SiteScript> script_;
    std::uint64_t hash_;
    std::uint64_t generation_;
};

/// Reads and compiles the directory `qosgate.d`. A directory that does not exist is a policy without rules.
/// Errors: permission_denied for a file or directory that others could have written (naming it, its mode and
/// the cure), invalid_input for a file that does not compile or declares something unknown, limit_exceeded
/// for a file that does not end, unavailable if a file cannot be read. Cost: reads every file; blocking. Not
/// for the submit path.
Result<std::shared_ptr<const Policy>> load_policy(const std::filesystem::path& directory,
                                                  const LoadOptions& options = {});

/// The same from texts that were read before. Errors: as load_policy, except those of permissions and
/// reading.
Result<std::shared_ptr<const Policy>> compile_policy(SourceDirectory directory,
                                                     const CompileOptions& options = {});

} // namespace qg::policy
