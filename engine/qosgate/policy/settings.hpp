// SPDX-License-Identifier: GPL-2.0-or-later
//
// Settings: what `site { ... }` in qosgate.d/site.lua may contain. One table (setting_specs) holds each name,
// type, default, range and meaning; the reader, the error texts and contrib/doc/rules-reference.md follow it.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/rule.hpp"
#include "qosgate/policy/value.hpp"

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// How the gate uses the verdict on limits.
enum class Level : std::uint8_t {
    explain, ///< adds explanations, never changes Slurm's own decision
    enforce, ///< also rejects what can never start
    off,     ///< limits are not checked
};

std::string_view to_string(Level level) noexcept;

/// Where the plugin of sbatch, salloc and srun (cli_filter) judges jobs.
enum class ClientUse : std::uint8_t {
    automatic, ///< where slurmctld has no qosgate
    on,
    off,
};
std::string_view to_string(ClientUse use) noexcept;

/// The site's settings, with their defaults.
struct Settings {
    Level limits = Level::explain;
    std::string contact;                       ///< whom users ask
    std::uint64_t rule_instructions = 100'000; ///< Lua instructions that one rule may spend on one job
    std::uint64_t rule_memory_mib = 8;         ///< memory of one Lua state, all rules in it
    std::chrono::milliseconds rule_time{50};   ///< CPU time of all rules for one job
    /// After how many failures in a row a rule only warns, if its on_error is not `deny`; 0: never.
    std::uint64_t rule_failures = 0;
    OnError compat_on_error = OnError::deny; ///< if the script compat/job_submit.lua fails; deny or allow
    /// Files and directories elsewhere that the script may read; normal paths.
    std::vector<std::string> compat_files = {};
    /// "COMMAND > FILE": what io.popen of the script reads; see program_outputs.hpp.
    std::vector<std::string> compat_programs = {};
    bool compat_writes_to_log = false; ///< what the script writes into files goes into slurmctld's log
    /// The variables that rules may write: "OMP_*", "SITE_PROJECT".
    std::vector<std::string> writable_env = {};
    bool run_tests = true;            ///< whether a failed test keeps a policy from coming into force
    std::string record_file;          ///< of decisions; empty: none are recorded
    std::uint64_t record_percent = 0; ///< of the decisions that did nothing; the others are all recorded
    std::uint64_t record_file_mib = 64;
    std::uint64_t record_files_kept = 4; ///< old ones, beside the present one
    ClientUse client = ClientUse::automatic;
    std::chrono::milliseconds client_timeout{300}; ///< how long a client waits for its plugin's answer
    /// The names that suggestions may name, in this order; empty: all.
    std::optional<std::vector<std::string>> suggest_qos = {};
    std::optional<std::vector<std::string>> suggest_partition = {};
    friend bool operator==(const Settings&, const Settings&) = default;
};

/// One line of the table of settings.
struct SettingSpec {
    std::string_view name;
    std::string_view default_text; ///< as one would write it in site.lua
    std::string_view allowed; ///< for people: `"explain", "enforce" or "off"`, `a whole number from 1 to 9`
    std::string_view description;
    /// Null for a list.
    Result<void> (*set)(Settings& settings, const SettingSpec& spec, const Value& value);
    Value (*get)(const Settings& settings); ///< borrows from `settings`; null for a list
    /// Null for what is no list.
    Result<void> (*set_list)(Settings& settings, const SettingSpec& spec,
                             std::span<const Value> items) = nullptr;
    /// The result is null if the list is not set and has no default.
    const std::vector<std::string>* (*get_list)(const Settings& settings) = nullptr;
};

/// All settings, in the order they are documented.
std::span<const SettingSpec> setting_specs() noexcept;

/// Sets one setting by name.
/// Errors: invalid_input for an unknown name (with the near miss and the names there are) and for a value of
/// the wrong type or out of range (with what is allowed).
Result<void> apply_setting(Settings& settings, std::string_view name, const Value& value);

/// Sets one setting by name to a list. Errors: the same, also for settings that are no lists.
Result<void> apply_setting(Settings& settings, std::string_view name, std::span<const Value> items);

/// A setting as one would write it in site.lua.
std::string describe_setting(const SettingSpec& spec, const Settings& settings);

// ---- the line that ends a refusal: whom users ask ------------------------------------------------------

/// Empty: the site names nobody.
inline std::string contact_line(const Settings& settings) {
    return settings.contact.empty() ? std::string() : "questions: " + settings.contact;
}

} // namespace qg::policy
