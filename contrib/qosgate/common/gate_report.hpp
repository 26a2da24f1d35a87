// SPDX-License-Identifier: GPL-2.0-or-later
//
// GateReport: what slurmctld's plugin writes about itself in StateSaveLocation. Whoever may write there can
// put anything in its place, so nothing of it is trusted: neither the file nor the types and values in it.
//
//   const auto report = GateReport::read(conf.state_save_location);
//   if (report && report->is_loaded(now)) use(report->number("decision_times.sum_us"));
#pragma once

#include "qosgate/base/result.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::cli {

/// A value of the report, most often an object. A member with a value of a wrong type counts as missing.
/// "candidate.compared" is a member of a member.
class ReportPart {
  public:
    using Json = nlohmann::ordered_json;

    /// The largest number: up to here a double is exact.
    static constexpr double max_number = 9007199254740992;

    ReportPart() = default;
    explicit ReportPart(Json value) : value_(std::make_shared<const Json>(std::move(value))) {}

    /// A number from 0 to max_number; nothing if it is missing.
    [[nodiscard]] std::optional<double> number(std::string_view key) const;
    /// The same without its fraction; 0 if it is missing.
    [[nodiscard]] std::uint64_t count(std::string_view key) const;
    /// A text; `otherwise` if it is missing.
    [[nodiscard]] std::string text(std::string_view key, std::string_view otherwise = {}) const;
    /// False if it is missing.
    [[nodiscard]] bool flag(std::string_view key) const;
    /// Whether there is an object.
    [[nodiscard]] bool has(std::string_view key) const;

    /// An object; one without members if it is missing.
    [[nodiscard]] ReportPart part(std::string_view key) const;
    /// The objects, the texts or the numbers in a list; none if it is missing.
    [[nodiscard]] std::vector<ReportPart> parts(std::string_view key) const;
    [[nodiscard]] std::vector<std::string> texts(std::string_view key) const;
    [[nodiscard]] std::vector<double> numbers(std::string_view key) const;

  protected:
    explicit ReportPart(std::shared_ptr<const Json> value) : value_(std::move(value)) {}
    [[nodiscard]] const Json* find(std::string_view key) const;

    std::shared_ptr<const Json> value_; ///< with all of the report; null: there is none
};

class GateReport : public ReportPart {
  public:
    /// The plugin writes at least every half minute; an older report is that of a plugin that is gone. Clocks
    /// of two hosts may differ a little.
    static constexpr std::time_t oldest = 120;
    static constexpr std::time_t newest = 60; ///< ahead of the own clock
    /// On its own host, where there is one clock and the process is seen, a report is late before that.
    static constexpr std::time_t late = 45;

    static constexpr std::uintmax_t max_bytes = std::uintmax_t{4} * 1024 * 1024;
    static constexpr int max_depth = 16; ///< objects in objects

    /// There is none.
    GateReport() = default;
    explicit GateReport(Json report) : ReportPart(std::move(report)) {}

    /// Where the plugin writes it.
    static std::filesystem::path file_in(const std::filesystem::path& state_save_location);

    /// The report in slurmctld's StateSaveLocation; an absent file is no error. Errors: permission_denied,
    /// unavailable; invalid_input for anything but a regular file of at most max_bytes with an object of
    /// JSON. Cost: never waits for another process.
    static Result<GateReport> read(const std::filesystem::path& state_save_location);

    /// The same of the standby controller on `host`: it may remain of an earlier time.
    static Result<GateReport> read_standby(const std::filesystem::path& state_save_location,
                                           std::string_view host);

    [[nodiscard]] bool exists() const noexcept { return value_ != nullptr; }
    /// As it was written; null: there is none.
    [[nodiscard]] Json json() const { return value_ ? *value_ : Json(); }

    /// What is known of the slurmctld that wrote the report.
    enum class Writer : std::uint8_t {
        runs,
        late,   ///< its process runs on this host, but the report is old, or of a time that is still to come
        absent, ///< no report
        gone,   ///< its process is not there any more
        silent, ///< the report is old
        in_future ///< the report is of a time that is still to come
    };
    [[nodiscard]] Writer find_writer(std::time_t now) const;

    /// Whether a slurmctld has the plugin.
    [[nodiscard]] bool is_loaded(std::time_t now) const {
        const Writer writer = find_writer(now);
        return writer == Writer::runs || writer == Writer::late;
    }

    /// Whether a slurmctld of this host wrote it.
    [[nodiscard]] bool is_of_this_host() const;

  private:
    static Result<GateReport> read_file(const std::filesystem::path& file);
    /// Whether its process runs; empty: that is not known from here.
    [[nodiscard]] std::optional<bool> is_running() const;
};

} // namespace qg::cli
