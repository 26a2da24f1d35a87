// SPDX-License-Identifier: GPL-2.0-or-later
//
// GateReport: what slurmctld's plugin writes about itself, the report that `qosgate status` shows.
#pragma once

#include "qosgate/base/result.hpp"

#include <nlohmann/json.hpp>

#include <ctime>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace qg::cli {

class GateReport {
  public:
    /// The plugin writes at least every half minute; an older report is that of a plugin that is gone.
    static constexpr std::time_t oldest = 120;

    GateReport() = default;
    explicit GateReport(nlohmann::json report) : report_(std::move(report)) {}

    /// The report in slurmctld's StateSaveLocation. Errors: permission_denied, unavailable, invalid_input.
    static Result<GateReport> read(const std::filesystem::path& state_save_location);

    /// Whether a slurmctld has the plugin.
    [[nodiscard]] bool is_loaded(std::time_t now) const;

    /// A number; empty if the report has none. "candidate.compared" is a member of a member.
    [[nodiscard]] std::optional<double> number(std::string_view key) const;
    /// A text; empty if the report has none.
    [[nodiscard]] std::string text(std::string_view key) const;
    /// The members of a list; none if the report has no such list.
    [[nodiscard]] const nlohmann::json& list(std::string_view key) const;
    [[nodiscard]] bool flag(std::string_view key) const;

  private:
    [[nodiscard]] const nlohmann::json* find(std::string_view key) const;

    nlohmann::json report_; ///< null: there is none
};

} // namespace qg::cli
