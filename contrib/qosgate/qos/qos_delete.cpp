// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos delete NAME...
#include "job/rule_mentions.hpp"
#include "qos/qos_connection.hpp"
#include "qos/qos_json.hpp"
#include "qos/qos_objections.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/export.hpp"
#include "qosgate/spec/ownership.hpp"

#include <algorithm>
#include <sstream>

namespace qg::cli {
namespace {

struct DeleteOptions : AccessOptions {
    std::vector<std::string> arguments;
    bool dry_run = false;
    bool force = false;
};

/// The command that creates the QOS again.
std::string command_to_create(const model::QosRecord& record) {
    std::string command = "qosgate qos create " + text::shell_word(record.name);
    for (const std::string& assignment : model::assignments_for(record))
        command += " " + text::shell_word(assignment);
    return command;
}

/// The spec that brings it back, for its creator. Empty: no spec created it.
std::string spec_of(const model::QosRecord& record) {
    const std::string creator = spec::read_mark(record.description).ownership.creator;
    return creator.empty() ? std::string() : spec::spec_for(record, {}, creator);
}

/// QOSs that others may preempt come first, so that all can be created again in this order.
std::vector<model::QosRecord> in_order_of_creation(std::vector<model::QosRecord> records) {
    std::vector<model::QosRecord> ordered;
    while (!records.empty()) {
        const auto names_none_left = [&](const model::QosRecord& record) {
            return std::none_of(records.begin(), records.end(), [&](const model::QosRecord& other) {
                return record.preempt.contains(other.name);
            });
        };
        auto next = std::find_if(records.begin(), records.end(), names_none_left);
        if (next == records.end()) next = records.begin(); // they preempt each other: any order
        ordered.push_back(std::move(*next));
        records.erase(next);
    }
    return ordered;
}

void report_deletion(const DeleteOptions& options, const slurmdb::QosPlan& plan, const Objections& overruled,
                     Output& output) {
    const auto removed = in_order_of_creation(plan.removed);
    if (output.json()) {
        Json list = Json::array();
        for (const model::QosRecord& record : removed) {
            const model::QosRecord shown = spec::without_mark(record);
            const std::string spec = spec_of(record);
            list.push_back({{"Name", shown.name},
                            {"record", record_to_json(shown)},
                            {"create", command_to_create(shown)},
                            {"spec", spec.empty() ? Json() : Json(spec)}});
        }
        output.write({{"deleted", list}, {"uses", to_json(overruled)["uses"]}, {"dry_run", options.dry_run}});
        return;
    }
    for (const model::QosRecord& record : removed) {
        const std::string command = command_to_create(spec::without_mark(record));
        output.text() << text::printable(record.name)
                      << (options.dry_run ? ": would be deleted\n" : ": deleted\n")
                      << "  to create it again: " << text::printable(command, std::string::npos) << '\n';
        const std::string spec = spec_of(record);
        if (!spec.empty()) output.text() << "  or, as a spec:\n";
        std::istringstream lines(spec); // their indentation counts
        for (std::string line; std::getline(lines, line);)
            output.text() << "    " << text::printable(line, std::string::npos) << '\n';
    }
    if (!plan.updated.empty())
        report_changes(output, "updated", plan.updated,
                       options.dry_run ? slurmdb::WriteMode::check_only : slurmdb::WriteMode::write);
}

Result<int> delete_qos(const DeleteOptions& options, Output& output) {
    const auto arguments = split_arguments("delete", Takes::names, options.arguments);
    if (!arguments) return arguments.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();

    std::optional<Objections> found;
    const auto plan_from = [&](std::span<const slurmdb::StoredQos> all) -> Result<slurmdb::QosPlan> {
        if (const auto done = check_old_words("delete", options.arguments, all); !done) return done.error();
        auto plan = slurmdb::plan_removal(all, arguments->names);
        if (!plan) return plan;
        auto uses = slurmdb::find_uses((*access)->connection(), all, arguments->names);
        if (!uses) return uses.error();
        const bool is_said = found.has_value();
        found.emplace(std::move(*uses));
        if (found->forbid(options.force))
            return found->error(options.force ? Force::is_given : Force::is_possible);
        if (!found->empty() && !is_said) output.warn(found->warning());
        if (!is_said) warn_of_rules(plan->removed, output);
        return plan;
    };
    const auto mode = options.dry_run ? slurmdb::WriteMode::check_only : slurmdb::WriteMode::write;
    const auto plan = carry_out(**access, plan_from, mode, output);
    if (plan) {
        report_deletion(options, *plan, *found, output);
        return 0;
    }
    if (!found || !found->forbid(options.force)) return plan.error();
    output.fail(to_string(plan.error().code), plan.error().message, to_json(*found));
    return exit_status(plan.error().code);
}

} // namespace

void add_qos_delete(Command qos, Invocation& invocation) {
    auto options = std::make_shared<DeleteOptions>();
    Command command = add_command(
        qos, "delete", "Delete QOSs that nothing uses",
        "Examples:\n"
        "  qosgate qos delete moonlight --dry-run\n"
        "  qosgate qos delete day night                   both or none\n"
        "  qosgate qos delete moonlight --force           even though it is in use\n\n"
        "A QOS is in use while an association may use it or has it as default, another QOS may\n"
        "preempt it, or a job or partition of this cluster names it. Jobs and partitions of other\n"
        "clusters are not looked at. If slurmctld cannot be reached, nothing is deleted. The error\n"
        "shows the commands that end the uses. Rules that name it are no use, but a warning shows\n"
        "them on a host that has the rules: slurmctld refuses the jobs to which they give a QOS that\n"
        "does not exist. Tables in data/ are not looked at.\n"
        "--force deletes it anyway and says beforehand what will happen; it does not help where\n"
        "slurmdbd would leave associations damaged. What was deleted is printed as the command\n"
        "that creates it again.\n\n"
        "Exit status:\n"
        "  0   done\n"
        "  64  the command line is wrong\n"
        "  65  an argument is not a name\n"
        "  66  there is no such QOS\n"
        "  69  slurmdbd cannot be reached, or slurmctld, which knows the uses; slurm.conf cannot be used\n"
        "  74  the output cannot be written; the message says whether the change is stored\n"
        "  75  it is in use, or somebody else changed it at the same time: nothing was deleted\n"
        "  77  not permitted: root, SlurmUser and administrators of accounting may\n"
        "  78  Slurm has no slurmdbd");
    command.add_option("NAME", options->arguments, "Names").required();
    command.add_flag("--dry-run", options->dry_run, "Check and show, but change nothing");
    command.add_flag("--force", options->force, "Delete even if in use, or if its uses are unknown");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return delete_qos(*options, output); };
    });
}

} // namespace qg::cli
