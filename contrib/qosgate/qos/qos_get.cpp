// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate qos get NAME...
#include "common/default_release.hpp"
#include "common/table.hpp"
#include "job/judged_world.hpp"
#include "qos/qos_connection.hpp"
#include "qos/qos_json.hpp"
#include "qos/qos_yaml.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/report/qos_usage.hpp"
#include "qosgate/report/user_world.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <ostream>
#include <set>
#include <string>
#include <vector>

#include <unistd.h>

namespace qg::cli {
namespace {

/// The users of one account that may use a QOS.
struct AccountAccess {
    std::string account;
    std::vector<std::string> users;    ///< sorted
    std::vector<std::string> defaults; ///< those whose jobs get it without --qos
};

struct QosAccess {
    bool is_enforced = false; ///< AccountingStorageEnforce has `qos`; else every user may use every QOS
    bool hides_users = false; ///< PrivateData hides other users from the caller, but those they coordinate
    bool knows_partitions = false;
    std::vector<AccountAccess> accounts; ///< by name
    std::vector<std::string> partition_qos_of;
    std::vector<std::string> refused_by; ///< partitions whose AllowQos or DenyQos refuses it
};

void print_access(std::ostream& out, const QosAccess& access);
Json access_to_json(const QosAccess& access);

/// The limits against what is used, by all, by account and by user: those that the viewer may see.
void print_usage(std::ostream& out, const report::QosUse& use, const report::Viewer& viewer);
Json use_to_json(const report::QosUse& use, const report::Viewer& viewer);

using model::LimitScope;

bool lists_qos(const std::vector<std::string>& names, const std::string& name) {
    return std::ranges::any_of(names, [&](const std::string& other) { return text::iequals(other, name); });
}

/// The QOS that a job of this association gets without --qos.
std::string qos_without_option(const report::UserWorld& world, const quota::LocalAssociation& association) {
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    if (const auto& partition = world.cluster->partitions.find(association.link.partition);
        partition != nullptr)
        partitions.push_back(partition);
    quota::Lookup lookup;
    lookup.user_id = association.user_id;
    lookup.account = association.link.account;
    lookup.reader = getuid();
    lookup.lists_alternatives = true;
    lookup.partitions = partitions;
    const auto view = world.accounting->check(lookup);
    return view ? view->default_qos : std::string();
}

std::string names_text(const std::vector<std::string>& names) {
    return names.empty() ? "nobody" : text::printable(text::list_names(names), 1000);
}

/// The rows of what counts together: its jobs, and each limit.
void add_rows(Table& table, const std::string& who, const report::ScopeUse& use, bool colours) {
    const bool is_each = use.scope == LimitScope::job;
    std::vector<std::string> first{who, is_each ? "" : std::to_string(use.running),
                                   is_each ? "" : std::to_string(use.pending)};
    for (const limits::SetLimit& limit : use.limits) {
        const auto share = limit.share();
        auto cells = first;
        for (std::string cell :
             {text::printable(limits::subject_of(limit.facts->limit, limit.tres)), limit.value_text(),
              limit.used_text(), limit.left_text(), share ? usage_bar(*share, colours) : std::string()})
            cells.push_back(std::move(cell));
        table.rows.push_back(std::move(cells));
        first.assign(first.size(), " ");
    }
    if (!use.limits.empty() || is_each) return;
    first.resize(table.columns.size());
    table.rows.push_back(std::move(first));
}

Json scope_to_json(const report::ScopeUse& use) {
    Json limits = Json::array();
    for (const limits::SetLimit& limit : use.limits)
        limits.push_back({{"limit", limit.facts->name},
                          {"tres", limit.tres.empty() ? Json() : Json(limit.tres)},
                          {"value", limit.value},
                          {"used", limit.used ? Json(*limit.used) : Json()},
                          {"share", limit.share() ? Json(*limit.share()) : Json()}});
    return {{"running", use.running}, {"pending", use.pending}, {"limits", limits}};
}

/// Cost: a look-up for each association that may use it.
QosAccess find_access(const report::UserWorld& world, const std::string& qos) {
    const quota::LocalRecords& records = world.accounting->records();
    QosAccess access{.is_enforced = records.enforce.qos,
                     .hides_users = !report::make_viewer(world, getuid()).sees_members,
                     .knows_partitions = world.knows_partitions(),
                     .accounts = {},
                     .partition_qos_of = {},
                     .refused_by = {}};
    std::map<std::string, std::pair<std::set<std::string>, std::set<std::string>>> accounts;
    for (const quota::LocalAssociation& each : records.associations) {
        if (each.link.level != model::AssociationLevel::user) continue;
        if (each.permitted_qos && !lists_qos(*each.permitted_qos, qos)) continue;
        const std::string user =
            each.link.user + (each.link.partition.empty() ? "" : ":" + each.link.partition);
        auto& [users, defaults] = accounts[each.link.account];
        users.insert(user);
        if (text::iequals(qos_without_option(world, each), qos)) defaults.insert(user);
    }
    for (const auto& [account, names] : accounts)
        access.accounts.push_back({.account = account,
                                   .users = {names.first.begin(), names.first.end()},
                                   .defaults = {names.second.begin(), names.second.end()}});
    for (const auto& partition : world.cluster->partitions.all()) {
        if (text::iequals(partition->qos, qos)) access.partition_qos_of.push_back(partition->name);
        const bool is_refused = partition->allow_qos.empty() ? lists_qos(partition->deny_qos, qos)
                                                             : !lists_qos(partition->allow_qos, qos);
        if (is_refused) access.refused_by.push_back(partition->name);
    }
    return access;
}

void print_access(std::ostream& out, const QosAccess& access) {
    out << "  Access\n";
    if (!access.is_enforced)
        out << "    AccountingStorageEnforce does not have 'qos': every user may use it\n";
    for (const AccountAccess& each : access.accounts) {
        out << text::format("    account {}: {}", text::printable(each.account), names_text(each.users));
        if (!each.defaults.empty())
            out << (each.defaults == each.users && each.users.size() > 1
                        ? "; default of all of them"
                        : "; default of " + names_text(each.defaults));
        out << '\n';
    }
    if (access.accounts.empty() && access.is_enforced)
        out << (access.hides_users ? "    you may not use it\n" : "    no user may ask for it\n");
    if (access.hides_users) out << "    PrivateData hides users of accounts that you do not coordinate\n";
    if (!access.partition_qos_of.empty())
        out << "    QOS of partition " << names_text(access.partition_qos_of) << '\n';
    if (!access.refused_by.empty())
        out << "    refused by partition " << names_text(access.refused_by) << '\n';
    if (!access.knows_partitions) out << "    PrivateData hides the partitions\n";
}

Json access_to_json(const QosAccess& access) {
    Json accounts = Json::array();
    for (const AccountAccess& each : access.accounts)
        accounts.push_back({{"account", each.account}, {"users", each.users}, {"defaults", each.defaults}});
    const auto if_known = [&](const std::vector<std::string>& names) {
        return access.knows_partitions ? Json(names) : Json();
    };
    return {{"is_enforced", access.is_enforced},
            {"hides_users", access.hides_users},
            {"accounts", accounts},
            {"partition_qos_of", if_known(access.partition_qos_of)},
            {"refused_by", if_known(access.refused_by)}};
}

void print_usage(std::ostream& out, const report::QosUse& use, const report::Viewer& viewer) {
    const bool colours = takes_colours();
    Table table{{{.heading = "WHO", .may_wrap = true},
                 {.heading = "RUNNING", .is_number = true, .short_heading = "RUN"},
                 {.heading = "PENDING", .is_number = true, .short_heading = "PEND"},
                 {.heading = "LIMITED", .may_wrap = true},
                 {"LIMIT", true},
                 {"USED", true},
                 {"LEFT", true},
                 {.heading = "SHARE", .shorten = without_bar}},
                {}};
    add_rows(table, "all jobs", use.all, colours);
    for (const auto* scopes : {&use.accounts, &use.users})
        for (const report::ScopeUse& each : *scopes) {
            const std::string noun = each.scope == LimitScope::user ? "user" : "account";
            if (each.name.empty()) { // nobody has jobs
                if (!each.limits.empty()) add_rows(table, "each " + noun, each, colours);
            } else if (viewer.sees(each)) {
                add_rows(table, noun + " " + text::printable(each.name), each, colours);
            }
        }
    add_rows(table, "each job", use.job, colours);
    out << "  Usage\n";
    print_aligned(out, table, terminal_width(), "    ");
    if (!viewer.sees_use) out << "    PrivateData hides which accounts and other users have jobs\n";
}

Json use_to_json(const report::QosUse& use, const report::Viewer& viewer) {
    Json json = scope_to_json(use.all);
    json["hides_names"] = !viewer.sees_use;
    const auto list = [&](const std::vector<report::ScopeUse>& scopes, const char* key) {
        Json rows = Json::array();
        for (const report::ScopeUse& each : scopes) {
            if (each.name.empty() || !viewer.sees(each)) continue;
            Json row{{key, each.name}};
            row.update(scope_to_json(each));
            rows.push_back(std::move(row));
        }
        return viewer.sees_use || !rows.empty() ? rows : Json();
    };
    json["accounts"] = list(use.accounts, "account");
    json["users"] = list(use.users, "user");
    return json;
}

struct GetOptions : AccessOptions {
    std::vector<std::string> arguments;
    std::string format;
    bool usage = false;
    bool access = false;
};

/// What slurmctld knows of QOSs.
struct Details {
    report::UserWorld world;
    bool has_usage = false;
    bool has_access = false;

    [[nodiscard]] report::Viewer viewer() const { return report::make_viewer(world, getuid()); }
    /// Empty: slurmctld does not know the QOS.
    [[nodiscard]] std::optional<report::QosUse> use_of(const std::string& name) const {
        const quota::LocalRecords& records = world.accounting->records();
        const auto qos = std::ranges::find_if(
            records.qos, [&](const quota::LocalQos& each) { return text::iequals(each.qos.name, name); });
        if (qos == records.qos.end()) return std::nullopt;
        return report::find_use(*qos, *records.tres, default_release(),
                                [this](std::uint32_t id) { return world.name_of(id); });
    }
};

/// Empty: neither option is given.
Result<std::optional<Details>> read_details(const GetOptions& options) {
    if (!options.usage && !options.access) return std::optional<Details>();
    auto world = read_user_world();
    if (!world) return world.error();
    return std::optional(Details{*std::move(world), options.usage, options.access});
}

void print_details(Output& output, const std::string& name, const Details& details) {
    if (details.has_usage) {
        if (!details.world.accounting->records().enforce.limits)
            output.text() << "  AccountingStorageEnforce does not have 'limits': slurmctld counts nothing\n";
        if (const auto use = details.use_of(name))
            print_usage(output.text(), *use, details.viewer());
        else
            output.text() << "  slurmctld does not know this QOS yet\n";
    }
    if (details.has_access) print_access(output.text(), find_access(details.world, name));
}

void add_details(Json& json, const std::string& name, const Details& details) {
    if (details.has_usage) {
        const auto use = details.use_of(name);
        json["usage"] = use ? use_to_json(*use, details.viewer()) : Json();
    }
    if (details.has_access) json["access"] = access_to_json(find_access(details.world, name));
}

void print_record(Output& output, const model::QosRecord& record) {
    output.text() << text::printable(record.name) << '\n';
    std::vector<const model::QosField*> shown;
    std::size_t width = 0;
    for (const model::QosField& field : model::qos_fields()) {
        if (field.kind == model::FieldKind::name || !model::is_set(field, record)) continue;
        shown.push_back(&field);
        width = std::max(width, field.name.size());
    }
    for (const model::QosField* field : shown)
        output.text() << text::format("  {:<{}}  {}\n", field->name, width,
                                      text::printable(model::format_field(*field, record), 4000));
}

Result<int> get_yaml(const GetOptions& options, QosConnection& access,
                     std::span<const slurmdb::StoredQos> all, const std::vector<model::QosRecord>& records,
                     Output& output) {
    std::vector<model::QosRecord> marked;
    for (const model::QosRecord& record : records)
        marked.push_back(slurmdb::find_qos(all, record.name)->record);
    const auto done = write_yaml(output, access, marked, all, {.has_access = options.access});
    return done ? Result<int>(0) : done.error();
}

Result<int> get_qos(const GetOptions& options, Output& output) {
    const auto arguments = split_arguments("get", Takes::names, options.arguments);
    if (!arguments) return arguments.error();
    const auto access = QosConnection::open(options, output);
    if (!access) return access.error();
    const auto all = (*access)->store().read_all();
    if (!all) return all.error();
    if (const auto done = check_old_words("get", options.arguments, *all); !done) return done.error();
    const auto records = select(*all, arguments->names);
    if (!records) return records.error();
    if (!options.format.empty()) return get_yaml(options, **access, *all, *records, output);
    const auto details = read_details(options);
    if (!details) return details.error();
    if (!output.json()) {
        for (const model::QosRecord& record : *records) {
            print_record(output, record);
            if (*details) print_details(output, record.name, **details);
        }
        return 0;
    }
    Json list = Json::array();
    for (const model::QosRecord& record : *records) {
        list.push_back(record_to_json(record));
        if (*details) add_details(list.back(), record.name, **details);
    }
    output.write({{"qos", list}});
    return 0;
}

} // namespace

void add_qos_get(Command qos, Invocation& invocation) {
    auto options = std::make_shared<GetOptions>();
    Command command = add_command(
        qos, "get", "Show the fields that are set in QOSs",
        "Examples:\n"
        "  qosgate qos get moonlight\n"
        "  qosgate qos get moonlight --usage --access\n"
        "  qosgate qos get day night --json | jq '.qos[].MaxWall'\n"
        "  (echo owner: base; qosgate qos get night --access -o yaml) > night.yaml\n\n"
        "A field that is not shown is at Slurm's default: no limit. In JSON all fields\n"
        "are there, null where unset, in the units that 'qosgate qos fields' names.\n\n"
        "--usage also asks slurmctld: the jobs of the QOS, tasks of arrays one by one, and what\n"
        "all, each account and each user use of its limits. --access: who may use it, and for whom\n"
        "it is the default; 'ana:viz' is ana in partition viz. The answer says what PrivateData\n"
        "hides from you.\n"
        "-o yaml: the fields as a spec, which needs a line 'owner: NAME' before it is planned; with\n"
        "--access, also who may use the QOSs.\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  an argument is not a name\n"
        "  66  there is no such QOS\n"
        "  69  slurmdbd, or for these options slurmctld, cannot be reached; slurm.conf cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  slurm.conf is not readable for you\n"
        "  78  Slurm has no slurmdbd");
    command.add_option("NAME", options->arguments, "Names").required();
    const Option usage = command.add_flag("--usage", options->usage,
                                          "Also what is used of the limits, by all, account and user");
    command.add_flag("--access", options->access, "Also who may use it, and for whom it is the default");
    add_access_options(command, *options, invocation);
    add_yaml_option(command, options->format).excludes(usage);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return get_qos(*options, output); };
    });
}

} // namespace qg::cli
