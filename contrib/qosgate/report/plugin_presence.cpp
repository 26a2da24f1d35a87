// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/plugin_presence.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/without_gate.h"
#include "qosgate/slurm/plugin_list.hpp"

#include <chrono>
#include <cstdint>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <thread>

#include <sys/statvfs.h>
#include <unistd.h>

namespace qg::cli {
namespace {

/// ", but 'qosgaet'; did you mean qosgate?"
std::string hint_for_misspelt(const slurmdb::SlurmConf& conf) {
    const std::string own[] = {"qosgate", "job_submit/qosgate"};
    for (const std::string_view name : text::split(conf.job_submit_plugins, ','))
        if (const std::string hint = text::did_you_mean(name, own); !hint.empty())
            return text::format(", but {}{}", text::quoted(name, 64), hint);
    return "";
}

/// The process id of the slurmctld that runs on this host, by its pid file. Empty if none runs or if that is
/// not known.
std::optional<pid_t> find_slurmctld(const slurmdb::SlurmConf& conf) {
    pid_t process = 0;
    std::string name;
    if (!(std::ifstream(conf.slurmctld_pid_file) >> process)) return std::nullopt;
    if (!(std::ifstream(text::format("/proc/{}/comm", process)) >> name)) return std::nullopt;
    const bool is_alive = process_start(process).has_value(); // a zombie has a name, too
    return name == "slurmctld" && is_alive ? std::optional(process) : std::nullopt;
}

/// What a process has of the plugin in its memory.
struct MappedPlugin {
    bool loader = false;
    bool gate = false; ///< for its branch of Slurm
};

MappedPlugin find_mapped_plugin(pid_t process) {
    MappedPlugin found;
    std::ifstream maps(text::format("/proc/{}/maps", process));
    for (std::string line; std::getline(maps, line);) {
        found.loader = found.loader || line.find(text::format("/{}", plugin_file)) != std::string::npos;
        found.gate = found.gate || line.find("/qosgate/job_submit-") != std::string::npos;
    }
    return found;
}

/// Whether the plugin cannot write its report there for want of room.
bool is_full(const std::string& directory) {
    constexpr std::uint64_t enough_bytes = 65'536;
    struct statvfs space {};
    if (statvfs(directory.c_str(), &space) != 0) return false;
    return std::uint64_t{space.f_bavail} * space.f_frsize < enough_bytes ||
           (space.f_files > 0 && space.f_favail == 0);
}

/// The standbys that answer, "head2, head3", while none is in charge.
std::string find_ready(const std::vector<Controller>& controllers) {
    std::vector<std::string> ready;
    for (const Controller& controller : controllers)
        if (!controller.is_in_charge && controller.answers == true) ready.push_back(controller.host);
    return text::join(ready, ", ");
}

/// The reason why no slurmctld of this host has the plugin that slurm.conf names, and what to do.
std::string describe_slurmctld(const slurmdb::SlurmConf& conf, const std::vector<Controller>& controllers) {
    constexpr std::string_view how = "run scontrol reconfigure; if that does not help, slurmctld's log says "
                                     "why it has not loaded the plugin";
    if (const auto process = find_slurmctld(conf))
        return text::format("slurmctld runs without the plugin, as process {}: {}", *process, how);
    if (const std::string ready = find_ready(controllers); !ready.empty())
        return text::format("no slurmctld has reported that it is in charge; {} answers, and takes over when "
                            "SlurmctldTimeout has passed",
                            ready);
    return text::format(
        "slurmctld does not run on this host, or it runs without the plugin: start it or, if it runs, {}",
        how);
}

/// What to do about a report of another host that is not of now.
constexpr std::string_view look_there =
    "compare the clocks of both hosts, and look there whether it runs, and into its log";

/// Why no slurmctld has the plugin, which slurm.conf names.
std::string why_not_loaded(const StatusFinding& finding, const slurmdb::SlurmConf& conf) {
    using Writer = GateReport::Writer;
    const GateReport& report = finding.report;
    const Writer writer = report.find_writer(std::time(nullptr));
    if (writer == Writer::in_future)
        return text::format("the report of slurmctld on {} is of {}, which is still to come: {}",
                            report.text("host", "?"), show_time(report.number("written_at")), look_there);
    if (writer == Writer::silent)
        return text::format("slurmctld on {} has not reported since {}: {}", report.text("host", "?"),
                            show_time(report.number("written_at")), look_there);
    if (const std::string directories = find_missing_file(conf); !directories.empty())
        return text::format(
            "no job is accepted by a slurmctld that has read this slurm.conf, and none starts "
            "with it: JobSubmitPlugins names qosgate, and PluginDir ({}) has no {}; install the "
            "file, or take the name out, and run scontrol reconfigure",
            directories, plugin_file);
    const std::string what =
        writer == Writer::absent
            ? text::format("there is no {}", GateReport::file_in(conf.state_save_location).string())
            : text::format("the slurmctld that had it, process {}, is gone", report.count("pid"));
    return text::format("{}; {}", what, describe_slurmctld(conf, finding.controllers));
}

/// The slurmctld of this host that has loaded the plugin and cannot write its report; empty: none is seen.
std::optional<pid_t> find_mute_slurmctld(const slurmdb::SlurmConf& conf) {
    const auto process = find_slurmctld(conf);
    const bool is_mute = process && slurm::loads_qosgate(conf.job_submit_plugins) &&
                         is_full(conf.state_save_location) && find_mapped_plugin(*process).gate;
    return is_mute ? process : std::nullopt;
}

/// Whether slurmctld has just started on this host, so that its first report may be a moment away.
bool is_starting(const slurmdb::SlurmConf& conf) {
    constexpr std::chrono::seconds first_report{5};
    const auto process = slurm::loads_qosgate(conf.job_submit_plugins) ? find_slurmctld(conf) : std::nullopt;
    const auto age = process ? process_age(*process) : std::nullopt;
    return age && *age < first_report;
}

/// The slurmctld of this host that has loaded the plugin, which has no gate that it may call; empty: none is
/// seen.
std::optional<pid_t> find_inert_slurmctld(const slurmdb::SlurmConf& conf) {
    const auto process = slurm::loads_qosgate(conf.job_submit_plugins) ? find_slurmctld(conf) : std::nullopt;
    const MappedPlugin plugin = process ? find_mapped_plugin(*process) : MappedPlugin();
    return plugin.loader && !plugin.gate ? process : std::nullopt;
}

std::string describe_inert(pid_t process, bool refuses) {
    return text::format(
        "slurmctld, process {}, has loaded the plugin, which has no gate that it may call: {}; "
        "slurmctld's log says why: install the gate of this branch, and restart slurmctld "
        "(\"{}\" in the file qosgate-without-gate beside slurm.conf {} until then, if "
        "SlurmUser can read it)",
        process,
        refuses ? "all jobs are refused, but for those of root, SlurmUser and operators"
                : "all jobs pass unchecked",
        refuses ? "pass" : "refuse", refuses ? "lets jobs pass" : "refuses jobs");
}

} // namespace

std::string describe_missing_name(const slurmdb::SlurmConf& conf) {
    const std::string_view clients =
        slurm::loads_qosgate(conf.cli_filter_plugins)
            ? "; clients load qosgate (CliFilterPlugins), and that is not looked at here"
            : "";
    return text::format("{}: JobSubmitPlugins does not name qosgate{}{}", conf.path.string(),
                        hint_for_misspelt(conf), clients);
}

std::string find_missing_file(const slurmdb::SlurmConf& conf) {
    const std::string directories = conf.plugin_dir.empty() ? QG_SLURM_PLUGIN_DIR : conf.plugin_dir;
    for (const std::string_view directory : text::split(directories, ':')) {
        std::error_code problem;
        if (std::filesystem::exists(std::filesystem::path(directory) / plugin_file, problem) || problem)
            return {};
    }
    return directories;
}

std::string describe_unwritten(const slurmdb::SlurmConf& conf) {
    return is_full(conf.state_save_location)
               ? text::format("StateSaveLocation {} is full: make room there", conf.state_save_location)
               : text::format("slurmctld's log says whether it cannot write into {}",
                              conf.state_save_location);
}

Result<GateReport> read_report(const slurmdb::SlurmConf& conf) {
    constexpr std::chrono::milliseconds look_interval{100};
    while (true) {
        auto report = GateReport::read(conf.state_save_location);
        if (!report || report->is_loaded(std::time(nullptr)) || !is_starting(conf)) return report;
        std::this_thread::sleep_for(look_interval);
    }
}

void judge_not_loaded(StatusFinding& finding, const slurmdb::SlurmConf& conf) {
    if (const auto inert = find_inert_slurmctld(conf))
        finding.add(not_loaded, describe_inert(*inert, qosgate_refuses_without_gate(conf.path.c_str())));
    else if (const auto process = find_mute_slurmctld(conf))
        finding.add(degraded,
                    text::format("slurmctld, process {}, has loaded the plugin and cannot report, so "
                                 "what is in force is not known: {}",
                                 *process, describe_unwritten(conf)));
    else if (!slurm::loads_qosgate(conf.job_submit_plugins))
        finding.add(not_loaded, describe_missing_name(conf));
    else
        finding.add(not_loaded, why_not_loaded(finding, conf));
}

} // namespace qg::cli
