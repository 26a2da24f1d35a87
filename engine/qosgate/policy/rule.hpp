// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a rule file declares about its rule: name, mode, the effect of a failure, and when it runs.
#pragma once

#include "qosgate/model/update_parts.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// What a rule decides about.
enum class JobEvent : std::uint8_t {
    submit, ///< a new job
    modify, ///< a change of an existing job
    client, ///< sbatch, salloc, srun or scrontab is about to send a job
};

/// What becomes of the rejections and changes of a rule.
enum class RuleMode : std::uint8_t {
    enforce, ///< rejections reject, changes are made
    warn,    ///< a rejection is shown as a warning; changes are not made
    shadow,  ///< both are only recorded
};

/// The effect on the job if a rule fails (error, endless loop, too much memory). Only an enforcing rule can
/// reject: in mode `warn` the user sees a message, in mode `shadow` the failure is only recorded.
enum class OnError : std::uint8_t {
    deny,  ///< the job is rejected
    allow, ///< the rule is ignored; the failure is recorded
    warn,  ///< as allow, and the user sees a message
};

std::string_view to_string(RuleMode mode) noexcept;
std::string_view to_string(OnError on_error) noexcept;
std::optional<RuleMode> parse_rule_mode(std::string_view text) noexcept;
std::optional<OnError> parse_on_error(std::string_view text) noexcept;

/// The senders whose jobs and changes a rule does not look at.
struct Exempt {
    bool root = false;
    bool operators = false;         ///< and administrators, SlurmUser and root
    std::vector<std::string> users; ///< login names

    [[nodiscard]] bool has_any() const noexcept { return root || operators || !users.empty(); }
    friend bool operator==(const Exempt&, const Exempt&) = default;
};

/// The declared part of one rule.
struct RuleInfo {
    std::string name;        ///< unique in a policy; default: the file's name without ".lua"
    std::string file;        ///< "10-debug.lua"
    std::string description; ///< one line of at most 400 bytes; may be empty
    RuleMode mode = RuleMode::enforce;
    OnError on_error = OnError::deny;
    bool runs_at_submission = true;
    bool runs_at_change = true;
    bool runs_in_client = false;
    bool rejection_stops = false; ///< if it rejects, the rules after it do not run
    bool takes_before = false;    ///< at a change it may read the job as it was before

    /// It runs for a change that sets one of these (field_dependencies.hpp).
    model::UpdateParts looks_at = model::UpdateParts::all();

    Exempt exempt;

    /// `parts` are what a change sets.
    [[nodiscard]] bool runs_at(JobEvent event,
                               model::UpdateParts parts = model::UpdateParts::all()) const noexcept {
        if (event == JobEvent::client) return runs_in_client;
        return event == JobEvent::submit ? runs_at_submission : runs_at_change && looks_at.has_any(parts);
    }

    /// Whether its failure rejects the job. Only the failure of an enforcing rule can, and none in a client,
    /// which gives advice.
    [[nodiscard]] bool denies_on_error_at(JobEvent event) const noexcept {
        return event != JobEvent::client && mode == RuleMode::enforce && on_error == OnError::deny;
    }
    friend bool operator==(const RuleInfo&, const RuleInfo&) = default;
};

/// The functions of a rule, as references in the registry of a Lua state.
struct RuleFunctions {
    int submit = 0; ///< 0: there is none
    int modify = 0; ///< likewise; `submit` then runs for a change, too
    int client = 0; ///< 0: there is none

    /// Whether an event runs `modify`.
    [[nodiscard]] bool runs_modify_at(JobEvent event) const noexcept {
        return event == JobEvent::modify && modify != 0;
    }
    /// The one for an event of a rule that runs at that event.
    [[nodiscard]] int at(JobEvent event) const noexcept {
        if (event == JobEvent::client) return client;
        return runs_modify_at(event) ? modify : submit;
    }
};

} // namespace qg::policy
