// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/own_access.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <iterator>

namespace qg::model {
namespace {

NameSet intersection(const NameSet& a, const NameSet& b) {
    NameSet result;
    std::set_intersection(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
    return result;
}

/// As slurmdbd does it when it gets "-qos".
void take(OwnAccess& own, const std::string& qos) {
    own.whole.erase(qos);
    if (!own.whole.empty()) return;
    own.added.erase(qos);
    own.removed.insert(qos);
}

} // namespace

NameSet difference(const NameSet& a, const NameSet& b) {
    NameSet result;
    std::set_difference(a.begin(), a.end(), b.begin(), b.end(), std::inserter(result, result.end()));
    return result;
}

OwnAccess own_access(const AssociationRecord& record) {
    return {record.own_qos.value_or(NameSet()), record.added_qos, record.removed_qos};
}

void set_own_access(AssociationRecord& record, OwnAccess own) {
    record.own_qos.reset();
    if (!own.whole.empty()) record.own_qos = std::move(own.whole);
    record.added_qos = std::move(own.added);
    record.removed_qos = std::move(own.removed);
}

NameSet usable(const OwnAccess& own, const NameSet& above) {
    if (!own.whole.empty()) return own.whole;
    NameSet qos = difference(above, own.removed);
    qos.insert(own.added.begin(), own.added.end());
    return qos;
}

OwnAccess with_grants(OwnAccess own, const NameSet& granted, const NameSet& above) {
    for (const std::string& qos : difference(granted, usable(own, above))) {
        if (own.whole.empty()) {
            own.removed.erase(qos);
            own.added.insert(qos);
        } else {
            own.whole.insert(qos);
        }
    }
    return own;
}

OwnAccess with_revocations(OwnAccess own, const NameSet& revoked, const NameSet& above) {
    const NameSet taken = intersection(revoked, usable(own, above));
    if (!own.whole.empty()) {
        for (const std::string& qos : taken)
            take(own, qos);
        if (own.whole.empty()) own.removed.insert(above.begin(), above.end());
        return own;
    }
    const NameSet ended = difference(intersection(taken, own.added), above);
    for (const std::string& qos : taken) {
        if (ended.contains(qos))
            own.added.erase(qos);
        else
            take(own, qos);
    }
    return own;
}

OwnAccess without_deleted(OwnAccess own, const NameSet& deleted, const NameSet& above) {
    const bool had_list = !own.whole.empty();
    own = {difference(own.whole, deleted), difference(own.added, deleted), difference(own.removed, deleted)};
    if (had_list && own.whole.empty()) own.removed.insert(above.begin(), above.end());
    return own;
}

bool takes_away(const AccessChange& change, const std::string& qos) {
    if (change.revoked.contains(qos)) return true;
    return change.own && !change.own->whole.contains(qos) && !change.own->added.contains(qos);
}

Result<void> expect_storable(const AccessChange& change) {
    if (!change.own) return {};
    const OwnAccess& own = *change.own;
    const char* what = nullptr;
    if (!change.granted.empty() || !change.revoked.empty())
        what = "a list of its own is set, and something is granted or revoked besides";
    else if (!own.whole.empty() && !(own.added.empty() && own.removed.empty()))
        what = "a list of its own has no differences to the list above";
    else if (!intersection(own.added, own.removed).empty())
        what = "a QOS is added to the list above and removed from it";
    if (what == nullptr) return {};
    return Error{ErrorCode::invalid_input, what};
}

} // namespace qg::model
