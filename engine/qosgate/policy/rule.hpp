// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a rule file declares about its rule, besides the function: name, mode, and the effect of a failure.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::policy {

/// The effect of a rule's verdict.
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

/// The declared part of one rule.
struct RuleInfo {
    std::string name; ///< unique in a policy; default: the file's name without ".lua"
    std::string file; ///< "10-debug.lua"
    RuleMode mode = RuleMode::enforce;
    OnError on_error = OnError::deny;

    /// Whether its failure rejects the job. Only the failure of an enforcing rule can.
    [[nodiscard]] bool denies_on_error() const noexcept {
        return mode == RuleMode::enforce && on_error == OnError::deny;
    }
    friend bool operator==(const RuleInfo&, const RuleInfo&) = default;
};

} // namespace qg::policy
