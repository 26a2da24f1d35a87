// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/plan_report.hpp"

#include "common/output.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/spec/changes.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

constexpr std::size_t max_plan_words = 4000;

/// A new QOS as a change of nothing.
spec::PlannedUpdate update_from_nothing(const model::QosRecord& record) {
    model::QosRecord nothing;
    nothing.name = record.name;
    return {nothing, record};
}

void print_update(const spec::PlannedUpdate& update, std::string_view what, std::ostream& out) {
    out << text::format("{}: {}\n", text::printable(update.after.name), what);
    for (const model::FieldDifference& change : spec::differences(update))
        out << text::format("  {}: {} -> {}\n", change.field->name,
                            text::printable(change.before, max_plan_words),
                            text::printable(change.after, max_plan_words));
    const std::string owners = spec::describe_owner_changes(update);
    if (!owners.empty()) out << text::format("  owners: {}\n", text::printable(owners, max_plan_words));
}

std::string share_text(const spec::ResolvedShare& share) {
    return text::format("{}: {}: {} is {:g}% of {}: {}", text::printable(share.qos),
                        text::printable(share.field), text::printable(share.tres), share.share.percent,
                        share.share.partition.empty() ? "the cluster"
                                                      : "partition " + text::printable(share.share.partition),
                        model::format_tres_count(share.tres, share.count));
}

/// {"own_qos", "added_qos", "removed_qos"}
Json own_to_json(const model::OwnAccess& own) {
    return {{"own_qos", own.whole.empty() ? Json() : Json(own.whole)},
            {"added_qos", own.added},
            {"removed_qos", own.removed}};
}

/// One entry for each association: {"qos", "account", "user", "partition"}.
void add_associations(Json& list, const std::string& qos, const std::vector<model::AssociationName>& names) {
    for (const model::AssociationName& name : names) {
        Json entry{{"qos", qos}};
        entry.update(to_json(name));
        list.push_back(std::move(entry));
    }
}

Json changes_to_json(const spec::PlannedUpdate& update) {
    Json owners = Json::array();
    for (const spec::OwnerChange& change : spec::owner_changes(update)) {
        const auto owner = [](const std::string& name) { return name.empty() ? Json() : Json(name); };
        owners.push_back(
            {{"field", change.field}, {"before", owner(change.before)}, {"after", owner(change.after)}});
    }
    return {
        {"Name", update.after.name},
        {"changes", differences_to_json(spec::without_mark(update.before), spec::without_mark(update.after))},
        {"owners", owners}};
}

} // namespace

std::string summary_of(const spec::Plan& plan, std::size_t permanent) {
    std::size_t granted = 0;
    std::size_t revoked = 0;
    std::size_t defaults = 0;
    std::size_t cleared = 0;
    std::size_t lists = 0;
    for (const model::AccessChange& change : plan.access) {
        granted += change.granted.size();
        revoked += change.revoked.size();
        if (change.own) ++lists;
        if (change.default_qos) ++(change.default_qos->empty() ? cleared : defaults);
    }
    std::vector<std::string> parts;
    const auto add = [&](std::size_t count, std::string_view verb, std::string_view noun) {
        if (count > 0) parts.push_back(text::format("{} {}", verb, text::count_of(count, noun)));
    };
    add(plan.created.size(), "creates", "QOS");
    add(plan.updated.size(), "changes", "QOS");
    add(plan.removed.size(), "deletes", "QOS");
    add(granted, "grants access", "time");
    add(revoked, "revokes access", "time");
    add(lists, "sets own lists", "time");
    add(defaults, "sets defaults", "time");
    add(cleared, "clears defaults", "time");
    add(permanent, "makes temporary access permanent", "time");
    return parts.empty() ? "nothing to change" : text::join(parts, ", ");
}

void print(const spec::Plan& plan, std::size_t permanent, std::ostream& out) {
    for (const model::QosRecord& record : plan.created)
        print_update(update_from_nothing(record), "create", out);
    for (const spec::PlannedUpdate& update : plan.updated)
        print_update(update, spec::is_mark_only(update) ? "change of owners" : "change", out);
    for (const model::QosRecord& record : plan.removed)
        out << text::format("{}: delete\n", text::printable(record.name));
    for (const spec::AccessSummary& access : spec::summarize_access(plan)) {
        const auto line = [&](std::string_view verb, const std::vector<model::AssociationName>& names) {
            if (names.empty()) return;
            const std::string all = spec::list_associations(names); // a reviewer must see each
            out << text::format("{}: {} {}\n", text::printable(access.qos), verb,
                                text::printable(all, all.size()));
        };
        line("grant to", access.granted);
        line("revoke from", access.revoked);
        line("make it the default of", access.default_for);
        line("no longer the default, which is inherited again, of", access.cleared_for);
    }
    for (const spec::ListChange& change : spec::list_changes(plan))
        out << spec::describe(change) << '\n';
    if (!plan.shares.empty()) out << "Shares:\n";
    for (const spec::ResolvedShare& share : plan.shares)
        out << "  " << share_text(share) << '\n';
    for (const std::string& warning : plan.warnings)
        out << "Warning: " << text::printable(warning, max_plan_words) << '\n';
    std::string sums = summary_of(plan, permanent);
    sums.front() = static_cast<char>(std::toupper(static_cast<unsigned char>(sums.front())));
    out << sums << ".\n";
}

void print_named(const std::vector<TemporaryGrant>& grants, std::ostream& out) {
    for (const TemporaryGrant& grant : grants)
        out << text::format("{}: granted until {}; once applied, it has no end any more\n", describe(grant),
                            text::local_time(grant.until));
}

Json to_answer(const spec::Plan& plan, const std::vector<TemporaryGrant>& named) {
    Json permanent = Json::array();
    for (const TemporaryGrant& grant : named)
        permanent.push_back(to_json(grant));
    Json created = Json::array();
    for (const model::QosRecord& record : plan.created)
        created.push_back(changes_to_json(update_from_nothing(record)));
    Json updated = Json::array();
    for (const spec::PlannedUpdate& update : plan.updated)
        updated.push_back(changes_to_json(update));
    Json deleted = Json::array();
    for (const model::QosRecord& record : plan.removed)
        deleted.push_back({{"Name", record.name}, {"record", record_to_json(spec::without_mark(record))}});
    Json granted = Json::array();
    Json revoked = Json::array();
    for (const spec::AccessSummary& access : spec::summarize_access(plan)) {
        add_associations(granted, access.qos, access.granted);
        add_associations(revoked, access.qos, access.revoked);
    }
    Json lists = Json::array();
    for (const spec::ListChange& change : spec::list_changes(plan)) {
        Json entry = to_json(change.name);
        entry["before"] = own_to_json(change.before);
        entry["after"] = own_to_json(change.after);
        lists.push_back(std::move(entry));
    }
    Json defaults = Json::array();
    for (const model::AccessChange& change : plan.access) {
        if (!change.default_qos) continue;
        Json entry{{"qos", change.default_qos->empty() ? Json() : Json(*change.default_qos)}};
        entry.update(to_json(change.name));
        defaults.push_back(std::move(entry));
    }
    Json shares = Json::array();
    for (const spec::ResolvedShare& share : plan.shares)
        shares.push_back({{"qos", share.qos},
                          {"field", share.field},
                          {"tres", share.tres},
                          {"percent", share.share.percent},
                          {"partition", share.share.partition.empty() ? Json() : Json(share.share.partition)},
                          {"count", share.count}});
    return {{"created", created},         {"updated", updated}, {"deleted", deleted},
            {"granted", granted},         {"revoked", revoked}, {"lists", lists},
            {"defaults", defaults},       {"shares", shares},   {"warnings", plan.warnings},
            {"made_permanent", permanent}};
}

} // namespace qg::cli
