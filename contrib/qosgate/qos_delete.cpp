// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos delete NAME...
#include "qos_access.hpp"
#include "qos_json.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/qos_uses.hpp"

namespace qg::cli {
namespace {

/// slurmdbd creates it, and gives it to every new cluster.
constexpr std::string_view protected_name = "normal";

struct DeleteOptions : AccessOptions {
    std::vector<std::string> arguments;
    bool dry_run = false;
    bool force = false;
};

/// What keeps the QOSs from being deleted, one sentence each.
struct Objections {
    std::vector<std::string> final;     ///< --force does not help
    std::vector<std::string> forceable; ///< it does
};

Result<Objections> find_objections(QosAccess& access, std::span<const slurmdb::StoredQos> all,
                                   const std::vector<std::string>& names, Output& output) {
    const auto uses = slurmdb::find_uses(access.connection(), all, names);
    if (!uses) return uses.error();
    for (const std::string& unknown : uses->unknown)
        output.warn("cannot tell whether these use it: " + text::printable(unknown));
    Objections found;
    for (const std::string& name : names)
        if (name == protected_name)
            found.forceable.push_back(text::format("QOS {} is what Slurm gives to new clusters", name));
    for (const slurmdb::QosUse& use : uses->found)
        (use.bar.empty() ? found.forceable : found.final)
            .push_back(text::printable(slurmdb::describe(use), 2000));
    return found;
}

Result<void> check(const Objections& objections, bool force) {
    std::string message = text::join(objections.final, "; ");
    if (!objections.forceable.empty() && !force) {
        message += (message.empty() ? "" : "; ") + text::join(objections.forceable, "; ");
        message += "; end these uses first, or give --force: then its pending jobs never start";
    }
    if (message.empty()) return {};
    return Error{ErrorCode::conflict, message};
}

void report(const DeleteOptions& options, const std::vector<std::string>& names,
            const std::vector<std::string>& overruled, Output& output) {
    if (output.json()) {
        output.write({{"deleted", names}, {"in_use", overruled}, {"dry_run", options.dry_run}});
        return;
    }
    for (const std::string& use : overruled)
        output.warn(use);
    for (const std::string& name : names)
        output.text() << name << (options.dry_run ? ": would be deleted\n" : ": deleted\n");
}

Result<int> remove(const DeleteOptions& options, Output& output) {
    const auto arguments = split_arguments(options.arguments);
    if (!arguments) return arguments.error();
    if (!arguments->assignments.empty())
        return Error{ErrorCode::invalid_input, text::format("{}: delete takes names only",
                                                            text::printable(arguments->assignments.front()))};
    const auto access = QosAccess::open(options, output);
    if (!access) return access.error();

    std::vector<std::string> overruled;
    const auto plan_from = [&](std::span<const slurmdb::StoredQos> all) -> Result<slurmdb::QosPlan> {
        auto plan = slurmdb::plan_removal(all, arguments->names);
        if (!plan) return plan;
        const auto found = find_objections(**access, all, arguments->names, output);
        if (!found) return found.error();
        if (const auto done = check(*found, options.force); !done) return done.error();
        overruled = found->forceable;
        return plan;
    };
    const auto mode = options.dry_run ? slurmdb::WriteMode::check_only : slurmdb::WriteMode::write;
    const auto plan = carry_out(**access, plan_from, mode, output);
    if (!plan) return plan.error();
    report(options, arguments->names, overruled, output);
    return 0;
}

} // namespace

void add_qos_delete(CLI::App& qos, Invocation& invocation) {
    auto options = std::make_shared<DeleteOptions>();
    CLI::App* command =
        add_command(qos, "delete", "Delete QOSs that nothing uses",
                    "Examples:\n"
                    "  qosgate qos delete moonlight --dry-run\n"
                    "  qosgate qos delete day night                   both or none\n"
                    "  qosgate qos delete moonlight --force           although it is in use\n\n"
                    "A QOS is in use while an association has it or has it as default, another QOS may\n"
                    "preempt it, or a job or partition of this cluster names it. --force takes it out of\n"
                    "other QOSs' Preempt; it does not help where slurmdbd would leave associations damaged.");
    command->add_option("NAME", options->arguments, "Names")->required();
    command->add_flag("--dry-run", options->dry_run, "Check and show, but change nothing");
    command->add_flag("--force", options->force, "Delete it although it is in use");
    add_access_options(*command, *options, invocation);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return remove(*options, output); };
    });
}

} // namespace qg::cli
