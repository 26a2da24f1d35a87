// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/default_checks.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <iterator>

namespace qg::spec {
namespace {

using model::AssociationRecord;

bool has_usable_default(const AssociationRecord& record) {
    return !record.default_qos || record.qos.contains(*record.default_qos);
}

/// A user without any QOS can use no default: theirs gave way, and the one above, which they inherit then,
/// holds up nobody either.
bool lost_all(const AssociationRecord& before, const AssociationRecord& after) {
    return !after.name.user.empty() && after.qos.empty() && before.own_default_qos && !after.own_default_qos;
}

/// How an account gets the default QOS of the account above; empty where that is not this account's to do.
std::string clearing(const AssociationRecord& record) {
    const auto& [cluster, account, user, partition] = record.name;
    const auto is_plain = [](char c) {
        return text::is_lower_letter(c) || text::is_digit(c) || c == '_' || c == '-' || c == '.';
    };
    const bool needs_no_quotes =
        std::ranges::all_of(account, is_plain) && std::ranges::all_of(cluster, is_plain);
    if (!user.empty() || !record.own_default_qos || !needs_no_quotes) return "";
    return text::format(", or clear it: sacctmgr modify account where name={} cluster={} set defaultqos=-1",
                        account, cluster);
}

std::string describe_problem(const AssociationRecord& before, const AssociationRecord& after,
                             const model::NameSet& removed) {
    const std::string& name = *after.default_qos;
    const std::string who = describe(after.name);
    if (removed.contains(name))
        return text::format("QOS '{}': it cannot be removed while it is the default QOS of {}; give that "
                            "another default first{}",
                            text::printable(name), who, clearing(after));
    if (before.default_qos == after.default_qos)
        return text::format("QOS '{}': it cannot be revoked from {} while it is the default QOS there; give "
                            "that another default, or name it in access{}",
                            text::printable(name), who, clearing(after));
    return text::format("QOS '{}': it cannot be the default QOS of {}, which may not use it; name that in "
                        "access, too",
                        text::printable(name), who);
}

} // namespace

std::vector<UnusableDefault> find_unusable_defaults(const AccessTree& before,
                                                    std::span<const AssociationRecord> after,
                                                    const model::NameSet& removed) {
    std::vector<UnusableDefault> problems;
    std::vector<bool> is_broken(before.size());
    for (std::size_t i = 0; i < before.size(); ++i) {
        const bool was_broken =
            !has_usable_default(before[i]) && before[i].default_qos == after[i].default_qos;
        is_broken[i] = !has_usable_default(after[i]) && !was_broken && !lost_all(before[i], after[i]);
        const auto parent = before.parent(i);
        const bool is_said = parent && is_broken[*parent] && !after[i].own_default_qos;
        if (is_broken[i] && !is_said)
            problems.push_back({i, *after[i].default_qos, describe_problem(before[i], after[i], removed)});
    }
    return problems;
}

std::optional<std::string> replaced_default(const AssociationRecord& before, const AssociationRecord& after,
                                            const AssociationRecord* above) {
    const auto& own = after.own_default_qos;
    if (after.name.user.empty() || !own || !before.qos.contains(*own) || after.qos.contains(*own)) return {};
    const auto inherited = above == nullptr ? std::nullopt : above->default_qos;
    if (!inherited || after.qos.contains(*inherited) || after.qos.empty()) return "";
    // A QOS that is new may be stored too late to be a default in the same transaction.
    model::NameSet known;
    std::ranges::set_intersection(before.qos, after.qos, std::inserter(known, known.end()));
    const model::NameSet& choice = known.empty() ? after.qos : known;
    return choice.contains("normal") ? "normal" : *choice.begin();
}

std::optional<std::string> replace_default(const AssociationRecord& before, const AssociationRecord& next,
                                           const AssociationRecord* above, model::AccessChange& change,
                                           AssociationRecord& after) {
    if (change.default_qos) return {};
    const auto replacement = replaced_default(before, after, above);
    if (!replacement) return {};
    const std::string lost = *after.own_default_qos;
    change.default_qos = replacement;
    after = with_change(next, change, above);
    const std::string now = after.default_qos ? "'" + text::printable(*after.default_qos) + "'" : "none";
    return text::format("QOS '{}': it was the default QOS of {}, which may not use it any more: the default "
                        "is {} then",
                        text::printable(lost), describe(after.name), now);
}

} // namespace qg::spec
