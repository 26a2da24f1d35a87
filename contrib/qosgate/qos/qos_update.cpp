// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos update NAME... FIELD=VALUE...
#include "qos/qos_connection.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/admin/qos_manager.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/slurmdb/usage_reset.hpp"
#include "qosgate/spec/changes.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

struct UpdateOptions : AccessOptions {
    std::vector<std::string> arguments;
    bool dry_run = false;
};

/// Takes RawUsage=0 out of the assignments. It is no field: slurmctld keeps the usage.
/// Errors: invalid_input for any other value.
Result<bool> take_reset(std::vector<std::string>& assignments) {
    constexpr std::string_view name = "RawUsage";
    bool is_there = false;
    for (const std::string& each : assignments) {
        if (!text::istarts_with(each, name)) continue;
        if (each.substr(name.size()) != "=0")
            return Error{
                ErrorCode::invalid_input,
                text::format("{}: usage can only be reset: write RawUsage=0", text::printable(each))};
        is_there = true;
    }
    std::erase_if(assignments, [&](const std::string& each) { return text::istarts_with(each, name); });
    return is_there;
}

/// Resets the usage of the QOSs named, and says so. What it returns are members for JSON.
Result<Json> reset(QosConnection& access, const std::vector<std::string>& names, slurmdb::WriteMode mode,
                   Output& output) {
    const auto all = access.store().read_all();
    if (!all) return all.error();
    std::vector<const slurmdb::StoredQos*> targets;
    for (const std::string& name : names) {
        targets.push_back(slurmdb::find_qos(*all, name));
        if (targets.back() == nullptr) return slurmdb::unknown_qos(*all, name);
    }
    const bool is_dry = mode == slurmdb::WriteMode::check_only;
    const auto done = slurmdb::reset_usage(access.connection(), targets, is_dry);
    if (!done) return done.error();
    if (!is_dry) output.note_stored();
    if (!output.json()) {
        for (const std::string& name : names)
            output.text() << text::format("{}: past usage {} 0 in cluster {}\n", name,
                                          is_dry ? "would be set to" : "is", text::printable(*done));
    }
    return Json{{"usage_reset", names}, {"cluster", *done}};
}

/// A field that a spec manages will be said to have drifted, and set back by the next apply.
void warn_of_owners(const slurmdb::QosPlan& plan, Output& output) {
    for (const slurmdb::QosUpdate& update : plan.updated) {
        const spec::Ownership ownership = spec::read_mark(update.before.description).ownership;
        for (const model::FieldDifference& change : spec::differences({update.before, update.after})) {
            const std::string owner = ownership.owner_of(change.field->name);
            if (!owner.empty())
                output.warn(
                    text::format("QOS {}: {} is managed by the spec of {}, whose next apply sets it back",
                                 update.after.name, change.field->name, owner));
        }
    }
}

Result<int> update(const UpdateOptions& options, Output& output) {
    auto arguments = split_arguments("update", Takes::names_and_assignments, options.arguments);
    if (!arguments) return arguments.error();
    if (arguments->assignments.empty())
        return Error{ErrorCode::invalid_input,
                     "nothing to set: write Field=value, for example MaxWall=8:00:00"};
    const auto resets = take_reset(arguments->assignments);
    if (!resets) return resets.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto mode = options.dry_run ? slurmdb::WriteMode::check_only : slurmdb::WriteMode::write;
    slurmdb::QosPlan plan;
    if (!arguments->assignments.empty()) {
        const auto change = model::QosChange::parse(arguments->assignments, (*access)->store().catalogue());
        if (!change) return change.error();
        const auto plan_from = [&](std::span<const slurmdb::StoredQos> all) {
            if (const auto done = check_old_words("update", options.arguments, all); !done)
                return Result<slurmdb::QosPlan>(done.error());
            return admin::with_marks(slurmdb::plan_update(all, arguments->names, *change));
        };
        auto carried_out = carry_out(**access, plan_from, mode, output);
        if (!carried_out) return carried_out.error();
        plan = *std::move(carried_out);
        warn_of_owners(plan, output);
        warn_of_mistakes(plan.updated, output);
    }
    Json more;
    if (*resets) {
        auto done = reset(**access, arguments->names, mode, output);
        if (!done && plan.updated.empty()) return done.error();
        if (!done)
            return Error{
                done.error().code,
                text::format("the fields are updated, but the usage is not reset: {}", done.error().message)};
        more = *std::move(done);
    }
    report_changes(output, "updated", plan.updated, mode, more);
    return 0;
}

} // namespace

void add_qos_update(Command qos, Invocation& invocation) {
    auto options = std::make_shared<UpdateOptions>();
    Command command = add_command(
        qos, "update", "Change QOSs",
        "Examples:\n"
        "  qosgate qos update moonlight MaxWall=12:00:00 GrpTRES=cpu=24,mem=1T\n"
        "  qosgate qos update day night Flags+=NoDecay Flags-=DenyOnLimit\n"
        "  qosgate qos update moonlight MaxWall=unset GrpTRES=gpu=-1\n"
        "  qosgate qos update moonlight MaxTRESPerUser=gpu=4 --dry-run\n"
        "  qosgate qos update moonlight RawUsage=0\n\n"
        "FIELD=VALUE  sets. Of a TRES field only the TRES named change, as with sacctmgr;\n"
        "             TRES=-1 clears that one. Flags= and Preempt= replace the whole list.\n"
        "FIELD=unset  clears the field (also FIELD=-1): no limit of this QOS. 0 is a limit of 0.\n"
        "FIELD+=LIST  adds to Flags or Preempt; FIELD-=LIST removes.\n"
        "RawUsage=0   forgets what ended jobs have used (GrpTRESMins, GrpWall), in the cluster of "
        "slurm.conf, and\n"
        "             at once: it is no part of the transaction.\n"
        "             With some releases of Slurm only sacctmgr can do it (exit status 78).\n\n"
        "Exit status:\n"
        "  0   done, or nothing to do\n"
        "  64  the command line is wrong\n"
        "  65  a field or a value is wrong\n"
        "  66  there is no such QOS\n"
        "  69  slurmdbd cannot be reached, or slurm.conf cannot be used\n"
        "  74  the output cannot be written; the message says whether the change is stored\n"
        "  75  somebody else changed it at the same time: nothing was changed\n"
        "  77  not permitted: root, SlurmUser and administrators of accounting may\n"
        "  78  Slurm has no slurmdbd, or its release does not know a flag or cannot reset usage");
    command.add_option("NAME", options->arguments, "Names, and what to set")
        .required()
        .option_text("FIELD=VALUE ... REQUIRED");
    command.add_flag("--dry-run", options->dry_run, "Check and show old and new values, but change nothing");
    add_access_options(command, *options, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return update(*options, output); };
    });
}

} // namespace qg::cli
