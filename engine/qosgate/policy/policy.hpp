// SPDX-License-Identifier: GPL-2.0-or-later
//
// Policy: one loaded qosgate.d/, ready to judge jobs: the settings of site.lua and one rule per other *.lua
// file, run in file-name order. What rule authors may write is in lua/README.md.
//
//   auto policy = load_policy("/etc/slurm/qosgate.d", {});
//   if (!policy) return log(policy.error());
//   Outcome outcome = (*policy)->run(request, facts);
//   if (outcome.rejected) return reject(outcome.reject_message);
//   if (outcome.changed) request = *std::move(outcome.changed);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/job_request.hpp"
#include "qosgate/model/resolved_job.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <cstdint>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <sys/types.h>

namespace qg::policy {

/// What rules may read about a job beyond its request. It holds for the request as it came in: a change that
/// a rule makes (another partition, more tasks) does not change it for the rules after it. Only what the
/// request itself says is read back changed. Ownership: everything is borrowed for the duration of
/// Policy::run.
struct JobFacts {
    const model::ResolvedJob& counted;
    const model::TresCatalogue& catalogue; ///< the order of counted.tres
    std::string_view user_name;            ///< empty: not known
    std::string_view account;              ///< asked for, or the user's default; empty: none
    std::string_view partition;            ///< asked for, or the default partition; empty: none
    std::string_view qos;                  ///< asked for, or the default QOS; empty: none

    /// What nobody knows yet, in the first moments of a slurmctld or of a partition: a rule that reads it
    /// fails.
    bool knows_accounts = true;   ///< user_name, account and qos
    bool knows_partitions = true; ///< partition, qos, and what `counted` has from a partition

    bool knows_cpus = true; ///< else the job asks for CPUs per GPU and for no GPUs: reading them fails, too
};

enum class EventKind : std::uint8_t {
    changed,      ///< the rule changed the job
    warned,       ///< the user was told something
    rejected,     ///< the rule rejected the job
    error,        ///< the rule failed
    not_enforced, ///< what a rule in mode warn said, or would have done
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

/// Who set a field of the job last.
struct FieldWriter {
    std::string_view field; ///< a name in the table of fields
    std::string rule;
};

/// What all rules together made of one job.
struct Outcome {
    bool rejected = false;
    std::string reject_message;        ///< for the user; set if and only if rejected
    std::vector<std::string> warnings; ///< for the user, in the order given
    std::vector<RuleEvent> events;     ///< in the order they happened
    /// The request as the rules left it; nothing: none of them changed it, or it is rejected.
    std::optional<model::JobRequest> changed;
    std::vector<FieldWriter> writers; ///< of what limits depend on: QOS, partition, account and time limit
};

struct LoadOptions {
    std::uint64_t generation = 0;      ///< handed back by Policy::generation()
    std::optional<uid_t> trusted_user; ///< who, besides root, may own the files; nothing: the effective user
};

class StatePool;

/// An immutable set of settings and rules, with the Lua states that run it.
/// Threads: any number may call run() at once; each uses a Lua state of its own.
class Policy {
  public:
    /// A policy without rules and with default settings: what a site without the folder has.
    static std::shared_ptr<const Policy> none(std::uint64_t generation = 0);

    Policy(std::shared_ptr<const SourceFolder> sources, Settings settings, std::vector<RuleInfo> rules,
           std::unique_ptr<StatePool> pool, std::uint64_t generation);
    Policy(const Policy&) = delete;
    Policy& operator=(const Policy&) = delete;
    ~Policy();

    /// What it was made from.
    [[nodiscard]] const SourceFolder& sources() const noexcept { return *sources_; }
    [[nodiscard]] const Settings& settings() const noexcept { return settings_; }
    [[nodiscard]] const std::vector<RuleInfo>& rules() const noexcept { return rules_; }
    [[nodiscard]] bool has_rules() const noexcept { return !rules_.empty(); }
    /// Whether some rule may reject jobs: then none may pass unseen.
    [[nodiscard]] bool has_enforcing_rule() const noexcept;
    /// Identity by content: equal for equal file names and contents; 0 for a site without the folder.
    [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }
    [[nodiscard]] std::uint64_t generation() const noexcept { return generation_; }

    /// Runs every rule over the job, until one rejects it.
    /// Errors: none; a rule that fails shows in the Outcome as its `on_error` says.
    /// Threads: safe. Cost: no file, socket or clock-dependent result; no lock but the pool's, held for a
    /// vector's push or pop. About 0.3 us per small rule (20 rules: 5 us); in any case at most
    /// Settings::rule_time and what is under way then, some milliseconds: the rules after that are not run
    /// and count as failed.
    [[nodiscard]] Outcome run(const model::JobRequest& job, const JobFacts& facts) const;

    /// Replaces Lua states that rules spent, and has some ready. Called now and then by whoever keeps the
    /// policy; without, jobs make them in their own time. Not for the submit path. Cost: compiles what is
    /// missing.
    void refill() const;

    /// How many Lua states jobs had to make because none was ready.
    [[nodiscard]] std::uint64_t states_made_by_jobs() const noexcept;

  private:
    std::shared_ptr<const SourceFolder> sources_;
    Settings settings_;
    std::vector<RuleInfo> rules_;
    std::unique_ptr<StatePool> pool_; ///< null where there are no rules
    std::uint64_t hash_;
    std::uint64_t generation_;
};

/// Reads and compiles the folder `qosgate.d`. A folder that does not exist is a policy without rules.
/// Errors: permission_denied for a file or folder that others could have written (naming it, its mode and the
/// cure), invalid_input for a file that does not compile or declares something unknown, limit_exceeded for
/// one that does not end, unavailable where a file cannot be read. Cost: reads every file; blocking. Not for
/// the submit path.
Result<std::shared_ptr<const Policy>> load_policy(const std::filesystem::path& folder,
                                                  const LoadOptions& options = {});

/// The same from texts that are already read. Errors: as load_policy, but for permissions and reading.
Result<std::shared_ptr<const Policy>> compile_policy(SourceFolder folder, std::uint64_t generation = 0);

} // namespace qg::policy
