// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/controllers.hpp"

#include "qosgate/base/report_files.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/controller_ping.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace qg::cli {
namespace {

/// The report of a standby that runs; none: there is none, it cannot be read, or it is of an earlier time.
GateReport read_standby(const slurmdb::SlurmConf& conf, const std::string& host, std::time_t now) {
    const auto report = GateReport::read_standby(conf.state_save_location, host);
    return report && report->is_loaded(now) ? *report : GateReport();
}

bool has_same(const GateReport& one, const GateReport& other, const char* key) {
    return one.text(key) == other.text(key);
}

std::string describe_rules(const Controller& controller, const GateReport& in_charge) {
    if (!controller.report.exists()) return "its rules are not known";
    return text::format("hash {}, {}", text::printable(controller.report.text("policy", "?"), 40),
                        has_same(controller.report, in_charge, "policy") ? "the rules in force"
                                                                         : "other rules than in force");
}

} // namespace

std::vector<Controller> look_at_controllers(const slurmdb::SlurmConf& conf, const GateReport& in_charge,
                                            std::time_t now) {
    std::vector<Controller> all;
    if (conf.controllers.size() < 2) return all;
    const bool is_known = in_charge.is_loaded(now);
    const auto answers = slurmdb::ping_controllers(conf, controller_patience);
    for (std::size_t i = 0; i < conf.controllers.size(); ++i) {
        Controller controller{conf.controllers[i], std::nullopt, answers[i], GateReport()};
        if (is_known) controller.is_in_charge = is_same_host(controller.host, in_charge.text("host"));
        controller.report =
            controller.is_in_charge == true ? in_charge : read_standby(conf, controller.host, now);
        all.push_back(std::move(controller));
    }
    return all;
}

std::vector<std::string> find_standby_problems(const Controller& standby, const GateReport& in_charge) {
    const std::string who = text::format("standby {}: ", standby.host);
    const GateReport& report = standby.report;
    if (standby.answers == false) return {who + "its slurmctld does not answer: start it there"};
    if (!report.exists())
        return {who + "its plugin has not reported, so it is not known which rules would be in force after a "
                      "takeover: slurmctld's log there says whether it has loaded the plugin"};
    std::vector<std::string> problems;
    if (!has_same(report, in_charge, "version") || !has_same(report, in_charge, "slurm"))
        problems.push_back(text::format("{}its plugin is {} for Slurm {}, that in charge {} for Slurm {}: "
                                        "install the same on both and restart",
                                        who, report.text("version", "?"), report.text("slurm", "?"),
                                        in_charge.text("version", "?"), in_charge.text("slurm", "?")));
    if (const std::string why = report.text("last_error"); !why.empty())
        problems.push_back(
            text::format("{}policy: {}; correct this there: until then a takeover keeps the rules "
                         "that were in force last",
                         who, why));
    else if (!has_same(report, in_charge, "policy"))
        problems.push_back(
            text::format("{}after a takeover other rules would be in force (hash {}, here {}): "
                         "let the files of {} be the same on both",
                         who, report.text("policy", "?"), in_charge.text("policy", "?"),
                         report.text("policy_directory", "?")));
    return problems;
}

std::string find_changed_rules(const std::vector<Controller>& controllers, const GateReport& in_charge) {
    if (!in_charge.has("taken_over_from")) return "";
    const ReportPart before = in_charge.part("taken_over_from");
    const std::string host = before.text("host", "?");
    const bool reports = std::ranges::any_of(controllers, [&host](const Controller& controller) {
        return is_same_host(controller.host, host) && controller.report.exists();
    });
    if (reports) return "";
    return text::format(
        "other rules are in force than before the takeover (hash {}, on {} {}): let the files of {} be "
        "the same on both",
        in_charge.text("policy", "?"), host, before.text("policy", "?"),
        in_charge.text("policy_directory", "?"));
}

std::string describe_controller(const Controller& controller, const GateReport& in_charge) {
    std::string line = controller.host;
    if (controller.is_in_charge) line += *controller.is_in_charge ? ", in charge" : ", standby";
    if (controller.answers) line += *controller.answers ? ", answers" : ", does not answer";
    if (controller.is_standby()) line += ", " + describe_rules(controller, in_charge);
    return line;
}

} // namespace qg::cli
