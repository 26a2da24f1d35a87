// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/qos_details.hpp"

#include "common/table.hpp"
#include "report/usage_bar.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <set>

#include <unistd.h>

namespace qg::cli {
namespace {

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

} // namespace

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

Json to_json(const QosAccess& access) {
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

Json to_json(const report::QosUse& use, const report::Viewer& viewer) {
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

} // namespace qg::cli
