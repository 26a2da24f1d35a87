// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate status: whether slurmctld has the plugin, and where that stands. It reads what the plugin keeps in
// StateSaveLocation, and speaks to nobody.
#include "command.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdint>
#include <cstring>
#include <ctime>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

/// Where the plugin stands, the worse the later.
enum Standing : std::uint8_t { in_force, degraded, closed, not_loaded };

struct Wording {
    std::string_view name;     ///< in JSON
    std::string_view headline; ///< for people
    int exit_status;
};

constexpr std::array<Wording, 4> wordings{{
    {"in force", "qosgate is in force", 0},
    {"degraded", "qosgate is degraded", 1},
    {"closed", "qosgate refuses all jobs: the site's rules do not load", 2},
    {"not loaded", "qosgate is not loaded", 2},
}};

/// The plugin writes at least every half a minute.
constexpr std::time_t oldest = 120;

/// What the command found, and what it means.
struct Finding {
    Standing standing = in_force;
    std::vector<std::string> reasons; ///< why it is not in force
    ordered_json report;              ///< the plugin's; null: there is none

    void add(Standing worse, std::string reason) {
        standing = std::max(standing, worse);
        reasons.push_back(std::move(reason));
    }

    const Wording& wording() const { return wordings.at(standing); }
};

bool names_plugin(const slurmdb::SlurmConf& conf) {
    return std::ranges::any_of(text::split(conf.job_submit_plugins, ','), [](std::string_view name) {
        name = text::trim(name);
        return name == "qosgate" || name == "job_submit/qosgate";
    });
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

/// Whether the slurmctld that wrote the report runs: its number may be another process's by now.
bool is_alive(const ordered_json& report) {
    const auto start = process_start(report.value("pid", pid_t{0}));
    const ordered_json reported = report.value("process_start", ordered_json());
    return start && (!reported.is_number_unsigned() || reported.get<std::uint64_t>() == *start);
}

std::string show_time(const ordered_json& seconds) {
    if (!seconds.is_number()) return "never";
    const auto time = seconds.get<std::time_t>();
    std::tm parts{};
    std::array<char, 64> shown{};
    localtime_r(&time, &parts);
    return std::strftime(shown.data(), shown.size(), "%Y-%m-%d %H:%M:%S", &parts) == 0 ? "?" : shown.data();
}

/// Why slurmctld does not run the plugin that wrote the report, or what is wrong with it.
void judge(Finding& finding) {
    const ordered_json& report = finding.report;
    const auto error_of = [&report](const char* key) {
        return report.value(key, ordered_json()).is_string() ? report.at(key).get<std::string>() : "";
    };
    const bool is_here = report.value("host", "") == host_name();
    if (is_here && !is_alive(report)) {
        finding.add(not_loaded, text::format("the slurmctld that had it, process {}, is gone",
                                             report.value("pid", pid_t{0})));
        return;
    }
    if (std::time(nullptr) - report.value("written_at", std::time_t{0}) > oldest) {
        finding.add(not_loaded,
                    text::format("slurmctld on {} has not reported since {}", report.value("host", "?"),
                                 show_time(report.value("written_at", ordered_json()))));
        return;
    }
    if (const std::string why = error_of("last_error"); !why.empty())
        finding.add(report.value("standing", "") == "closed" ? closed : degraded,
                    text::format("policy {}: {}", report.value("standing", "?"), why));
    if (const std::string why = error_of("keep_error"); !why.empty())
        finding.add(degraded, "a restart would not find the policy in force: " + why);
    if (const std::string why = error_of("partitions_error"); !why.empty())
        finding.add(degraded, "partitions: " + why);
}

Result<Finding> look() {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    Finding finding;
    if (!names_plugin(*conf)) {
        finding.add(not_loaded, text::format("{}: JobSubmitPlugins does not name qosgate", path->string()));
        return finding;
    }
    const auto file = std::filesystem::path(conf->state_save_location) / "qosgate_status.json";
    errno = 0;
    std::ifstream in(file);
    if (!in && errno == EACCES)
        return Error{ErrorCode::permission_denied, text::format("{}: {}; ask as root or {}", file.string(),
                                                                std::strerror(errno), conf->slurm_user)};
    if (!in) {
        finding.add(not_loaded, text::format("{}: {}; run scontrol reconfigure; if that does not help, "
                                             "slurmctld's log says why it has not loaded the plugin",
                                             file.string(), std::strerror(errno)));
        return finding;
    }
    std::ostringstream content;
    content << in.rdbuf();
    finding.report = ordered_json::parse(content.str(), nullptr, /*allow_exceptions=*/false);
    if (!finding.report.is_object())
        return Error{ErrorCode::invalid_input, file.string() + ": not a report of the plugin"};
    judge(finding);
    return finding;
}

void print(const Finding& finding, std::ostream& out) {
    out << finding.wording().headline << '\n';
    for (const std::string& reason : finding.reasons)
        out << "  " << text::printable(reason, 1000) << '\n';
    if (finding.report.is_null()) return;
    const ordered_json& report = finding.report;
    const auto number = [&report](const char* key) { return report.value(key, std::uint64_t{0}); };
    out << text::format("Plugin:     {} for Slurm {}, process {} on {}, since {}\n",
                        report.value("version", "?"), report.value("slurm", "?"), number("pid"),
                        report.value("host", "?"), show_time(report.value("started_at", ordered_json())))
        << text::format("Policy:     limits {}, rules {}, hash {}, generation {}, loaded {}{}\n",
                        report.value("limits", "?"), number("rules"), report.value("policy", "?"),
                        number("generation"), show_time(report.value("loaded_at", ordered_json())),
                        report.value("is_kept_copy", false) ? ", the copy of an earlier run" : "")
        << text::format("Folder:     {}\n", report.value("policy_folder", "?"))
        << text::format("Partitions: read {}\n",
                        show_time(report.value("partitions_read_at", ordered_json())))
        << text::format(
               "Decisions:  {} jobs and {} changes; refused {}, changed by rules {}, told something {}, "
               "failing rules {}\n",
               number("jobs"), number("changes"), number("refused"), number("changed_by_rules"),
               number("told"), number("rule_failed"));
}

Result<int> show_status(Output& output) {
    const auto finding = look();
    if (!finding) return finding.error();
    if (output.json())
        output.write({{"status", finding->wording().name},
                      {"reasons", finding->reasons},
                      {"plugin", finding->report}});
    else
        print(*finding, output.text());
    return finding->wording().exit_status;
}

} // namespace

void add_status(CLI::App& app, Invocation& invocation) {
    CLI::App* command =
        add_command(app, "status", "Show whether slurmctld has loaded the plugin, and its state",
                    "Exit status: 0 in force, 1 degraded (an older policy decides, or what is known "
                    "is old), 2 not loaded,\n"
                    "or loaded and refusing all jobs but those of operators, because the site's rules do not "
                    "load.\n"
                    "It reads StateSaveLocation: ask as root or SlurmUser, on a controller.\n\n"
                    "Examples:\n"
                    "  qosgate status\n"
                    "  qosgate status --json");
    add_json_flag(*command, invocation);
    command->callback([&invocation] { invocation.action = show_status; });
}

} // namespace qg::cli
