// SPDX-License-Identifier: GPL-2.0-or-later
//
// Associations as slurmdbd stores them, as far as they say who may use a QOS, and changes of that. Plain
// values: names instead of ids.
#pragma once

#include "qosgate/model/qos_record.hpp"

#include <compare>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::model {

/// An association, by its names. An empty user: an account's. An empty partition: for all partitions.
struct AssociationName {
    std::string cluster;
    std::string account;
    std::string user = {};
    std::string partition = {};

    friend auto operator<=>(const AssociationName&, const AssociationName&) = default;
    friend bool operator==(const AssociationName&, const AssociationName&) = default;
};

/// One association and its QOSs.
struct AssociationRecord {
    AssociationName name;
    std::string parent_account = {}; ///< of an account; empty: it is the root's association
    /// Its own list, never without a QOS. Empty: it has the list of the account above, with added_qos and
    /// without removed_qos.
    std::optional<NameSet> own_qos = {};
    NameSet added_qos = {};                          ///< only without a list of its own
    NameSet removed_qos = {};                        ///< the same
    NameSet qos = {};                                ///< what it may use
    std::optional<std::string> default_qos = {};     ///< in force: its own, or the one it inherits
    std::optional<std::string> own_default_qos = {}; ///< empty: it inherits

    friend bool operator==(const AssociationRecord&, const AssociationRecord&) = default;
};

/// What an association stores about its QOSs: own_access.hpp says what follows from it.
struct OwnAccess {
    NameSet whole = {};   ///< a list of its own; empty: it has the list of the account above
    NameSet added = {};   ///< to the list above; only without a list of its own
    NameSet removed = {}; ///< from the list above; the same

    friend bool operator==(const OwnAccess&, const OwnAccess&) = default;
};

/// A change of which QOSs one association may use. Grants add to what it may use now, also where it inherits.
struct AccessChange {
    AssociationName name;
    NameSet granted = {};
    NameSet revoked = {};
    /// Engaged: sets the default QOS; an empty name clears it, so that it inherits.
    std::optional<std::string> default_qos = {};
    /// Engaged: it stores exactly this afterwards, whatever it stored before; nothing is granted or revoked
    /// besides.
    std::optional<OwnAccess> own = {};

    friend bool operator==(const AccessChange&, const AccessChange&) = default;
};

} // namespace qg::model
