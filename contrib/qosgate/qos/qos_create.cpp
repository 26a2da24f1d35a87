// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos create NAME... [FIELD=VALUE...]
#include "qos/qos_connection.hpp"

#include "qosgate/admin/qos_manager.hpp"
#include "qosgate/base/text.hpp"

namespace qg::cli {
namespace {

struct CreateOptions : AccessOptions {
    std::vector<std::string> arguments;
    bool dry_run = false;
};

Result<int> create(const CreateOptions& options, Output& output) {
    const auto arguments =
        split_arguments("create", Takes::one_word_of_names_and_assignments, options.arguments);
    if (!arguments) return arguments.error();
    for (const std::string& each : arguments->assignments)
        if (text::istarts_with(each, "RawUsage"))
            return Error{ErrorCode::invalid_input,
                         "RawUsage=0 resets what ended jobs have used, only with 'qos update': a new QOS "
                         "starts without"};
    std::vector<std::string> names;
    for (const std::string& name : arguments->names) {
        auto valid = model::parse_new_qos_name(name);
        if (!valid) return valid.error();
        names.push_back(std::move(*valid));
    }
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto change = model::QosChange::parse(arguments->assignments, (*access)->store().catalogue());
    if (!change) return change.error();

    std::vector<model::QosRecord> records;
    for (const std::string& name : names) {
        model::QosRecord fresh;
        fresh.name = name;
        fresh.description = name; // as sacctmgr does
        records.push_back(change->apply_to(fresh));
    }
    const auto plan_from = [&](std::span<const slurmdb::StoredQos> all) {
        return admin::with_marks(slurmdb::plan_creation(all, records));
    };
    const auto mode = options.dry_run ? slurmdb::WriteMode::check_only : slurmdb::WriteMode::write;
    const auto plan = carry_out(**access, plan_from, mode, output);
    if (!plan) return plan.error();

    std::vector<slurmdb::QosUpdate> report;
    for (const model::QosRecord& record : plan->created) {
        model::QosRecord nothing;
        nothing.name = record.name;
        report.push_back({nothing, record});
    }
    warn_of_mistakes(report, output);
    report_changes(output, "created", report, mode);
    return 0;
}

} // namespace

void add_qos_create(Command qos, Invocation& invocation) {
    auto options = std::make_shared<CreateOptions>();
    Command command =
        add_command(qos, "create", "Create QOSs",
                    "Examples:\n"
                    "  qosgate qos create moonlight MaxWall=8:00:00 MaxTRESPerUser=gpu=2 Flags=DenyOnLimit\n"
                    "  qosgate qos create day,night Priority=10       two of a kind, both or none\n"
                    "  qosgate qos create high Preempt=low --dry-run  show what would be stored\n\n"
                    "A field that is not given keeps Slurm's default: no limit. 'qosgate qos fields' lists\n"
                    "the fields. Nobody may use a new QOS before associations allow it ('sacctmgr modify\n"
                    "account X set qos+=moonlight').\n\n"
                    "Exit status:\n"
                    "  0   done, or nothing to do\n"
                    "  64  the command line is wrong\n"
                    "  65  a field or a value is wrong\n"
                    "  66  a QOS of Preempt does not exist\n"
                    "  69  slurmdbd cannot be reached, or slurm.conf cannot be used\n"
                    "  73  a QOS of that name exists\n"
                    "  74  the output cannot be written; the message says whether the change is stored\n"
                    "  75  somebody else changed it at the same time: nothing was changed\n"
                    "  77  not permitted: root, SlurmUser and administrators of accounting may\n"
                    "  78  Slurm has no slurmdbd, or its release does not know a flag");
    command.add_option("NAME", options->arguments, "Name or names (a,b), and what to set")
        .required()
        .option_text("[FIELD=VALUE ...] REQUIRED");
    command.add_flag("--dry-run", options->dry_run, "Check and show, but change nothing");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return create(*options, output); };
    });
}

} // namespace qg::cli
