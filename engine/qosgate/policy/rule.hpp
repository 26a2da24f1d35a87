// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a rule file declares about its rule, besides the function: name, mode, what a failure means.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::policy {

/// What becomes of a rule's verdict.
enum class RuleMode : std::uint8_t {
    enforce, ///< rejections reject, changes are made
    warn,    ///< a rejection is told as a warning; changes are not made
    shadow,  ///< both are only recorded
};

/// What a rule that fails (error, endless loop, too much memory) means for the job. Only an enforcing rule
/// can reject: in mode `warn` the user is told, in mode `shadow` the failure is recorded.
enum class OnError : std::uint8_t {
    deny,  ///< the job is rejected
    allow, ///< the rule counts as not there; recorded
    warn,  ///< as allow, and the user is told
};

std::string_view to_string(RuleMode mode) noexcept;
std::string_view to_string(OnError on_error) noexcept;
std::optional<RuleMode> parse_rule_mode(std::string_view text) noexcept;
std::optional<OnError> parse_on_error(std::string_view text) noexcept;

/// The declared part of one rule.
struct RuleInfo {
    std::string name; ///< unique in a policy; the file's name without ".lua" where the rule gives none
    std::string file; ///< "10-debug.lua"
    RuleMode mode = RuleMode::enforce;
    OnError on_error = OnError::deny;

    /// Whether its failure rejects the job. Only an enforcing rule may cost a job its acceptance.
    [[nodiscard]] bool denies_on_error() const noexcept {
        return mode == RuleMode::enforce && on_error == OnError::deny;
    }
    friend bool operator==(const RuleInfo&, const RuleInfo&) = default;
};

} // namespace qg::policy
