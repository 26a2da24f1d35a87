// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos update NAME... FIELD=VALUE...
#include "qos_connection.hpp"

namespace qg::cli {
namespace {

struct UpdateOptions : AccessOptions {
    std::vector<std::string> arguments;
    bool dry_run = false;
};

Result<int> update(const UpdateOptions& options, Output& output) {
    const auto arguments = split_arguments("update", Takes::names_and_assignments, options.arguments);
    if (!arguments) return arguments.error();
    if (arguments->assignments.empty())
        return Error{ErrorCode::invalid_input,
                     "nothing to set: write Field=value, for example MaxWall=8:00:00"};
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto change = model::QosChange::parse(arguments->assignments, (*access)->store().catalogue());
    if (!change) return change.error();

    const auto plan_from = [&](std::span<const slurmdb::StoredQos> all) {
        if (const auto done = check_old_words("update", options.arguments, all); !done)
            return Result<slurmdb::QosPlan>(done.error());
        return slurmdb::plan_update(all, arguments->names, *change);
    };
    const auto mode = options.dry_run ? slurmdb::WriteMode::check_only : slurmdb::WriteMode::write;
    const auto plan = carry_out(**access, plan_from, mode, output);
    if (!plan) return plan.error();
    report_changes(output, "updated", plan->updated, mode);
    return 0;
}

} // namespace

void add_qos_update(CLI::App& qos, Invocation& invocation) {
    auto options = std::make_shared<UpdateOptions>();
    CLI::App* command = add_command(
        qos, "update", "Change QOSs",
        "Examples:\n"
        "  qosgate qos update moonlight MaxWall=12:00:00 GrpTRES=cpu=24,mem=1T\n"
        "  qosgate qos update day night Flags+=NoDecay Flags-=DenyOnLimit\n"
        "  qosgate qos update moonlight MaxWall=unset GrpTRES=gpu=-1\n"
        "  qosgate qos update moonlight MaxTRESPerUser=gpu=4 --dry-run\n\n"
        "FIELD=VALUE  sets. Of a TRES field only the TRES named change, as with sacctmgr;\n"
        "             TRES=-1 clears that one. Flags= and Preempt= replace the whole list.\n"
        "FIELD=unset  clears the field (also FIELD=-1): no limit of this QOS. 0 is a limit of 0.\n"
        "FIELD+=LIST  adds to Flags or Preempt; FIELD-=LIST removes.");
    command->add_option("NAME", options->arguments, "Names, and what to set")
        ->required()
        ->option_text("FIELD=VALUE ... REQUIRED");
    command->add_flag("--dry-run", options->dry_run, "Check and show old and new values, but change nothing");
    add_access_options(*command, *options, invocation);
    command->callback([&invocation, options] {
        invocation.action = [options](Output& output) { return update(*options, output); };
    });
}

} // namespace qg::cli
