// SPDX-License-Identifier: GPL-2.0-or-later
//
// What spec files say: the QOSs that an owner wants, and who may use them. Templates, defaults and for_each
// are resolved; percentages are not, because they depend on the cluster.
#pragma once

#include "qosgate/model/association_record.hpp"
#include "qosgate/model/qos_fields.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace qg::spec {

/// A place in a file. Lines and columns count from 1; 0: unknown.
struct Position {
    std::string file;
    std::size_t line = 0;
    std::size_t column = 0;

    friend bool operator==(const Position&, const Position&) = default;
};

/// Where the entries of a list or a mapping stand.
template <typename Entry>
using Places = std::map<Entry, Position>;

/// A share of what the cluster, or one partition, has of a TRES.
struct Share {
    double percent = 0;         ///< of 100
    std::string partition = {}; ///< empty: the cluster
    friend bool operator==(const Share&, const Share&) = default;
};

/// A count of one TRES: a number in Slurm's units, a share, or nothing (no limit).
using DesiredCount = std::variant<std::monostate, std::uint64_t, Share>;

/// TRES counts by full name. With `is_whole`, what is not named is to be unset; else it stays as it is.
struct DesiredTres {
    std::map<std::string, DesiredCount, model::TresOrder> counts = {};
    bool is_whole = true;
    friend bool operator==(const DesiredTres&, const DesiredTres&) = default;
};

/// What a field is to be. An empty FieldValue: unset.
struct DesiredField {
    std::variant<model::FieldValue, DesiredTres> value = {};
    Position position = {};
    Places<std::string> entries = {}; ///< of counts by the full name of the TRES, of Preempt by QOS
    friend bool operator==(const DesiredField&, const DesiredField&) = default;
};

/// A user in an account, or, with an empty account, the user in all accounts.
struct DesiredUser {
    std::string user;
    std::string account = {};
    std::string partition = {}; ///< empty: for all partitions
    friend auto operator<=>(const DesiredUser&, const DesiredUser&) = default;
};

/// Where the entries of DesiredAccess stand.
struct AccessPlaces {
    Places<std::string> accounts = {};
    Places<DesiredUser> users = {};
    Places<std::string> default_for_accounts = {};
    Places<DesiredUser> default_for_users = {};
    friend bool operator==(const AccessPlaces&, const AccessPlaces&) = default;
};

/// Who may use a QOS. What is not named stays as it is, unless `is_complete`: then it is revoked.
struct DesiredAccess {
    std::vector<std::string> accounts = {};
    std::vector<DesiredUser> users = {};
    std::vector<std::string> default_for_accounts = {};
    std::vector<DesiredUser> default_for_users = {};
    bool is_complete = false;
    Position position = {};
    AccessPlaces entries = {};
    bool lacks_entries = false; ///< some of the entries were wrong, and are not here
    friend bool operator==(const DesiredAccess&, const DesiredAccess&) = default;
};

/// Where an entry stands, or, if that is not known, what it belongs to.
template <typename Entry>
const Position& place_of(const Places<Entry>& places, const Entry& entry, const Position& otherwise) {
    const auto found = places.find(entry);
    return found == places.end() ? otherwise : found->second;
}

/// One QOS as a spec wants it. Fields that are not named are unmanaged, unless `is_complete`: then they are
/// to be unset.
struct DesiredQos {
    std::string name; ///< lower case
    std::string owner;
    std::map<const model::QosField*, DesiredField> fields = {}; ///< never the name
    std::optional<DesiredAccess> access = {};
    bool is_complete = false;
    Position position = {};
    friend bool operator==(const DesiredQos&, const DesiredQos&) = default;
};

/// A finding of `qosgate lint` that is not to be shown.
struct Silenced {
    std::string code;
    std::string reason;
    std::string qos = {}; ///< empty: of all QOSs
    Position position = {};
    friend bool operator==(const Silenced&, const Silenced&) = default;
};

/// All that the files say, sorted by name. One QOS stands in one place only: two definitions are an error of
/// the loader, with both places.
struct Desired {
    std::vector<DesiredQos> qos = {};
    std::vector<Silenced> silenced = {};
    /// Owners whose QOSs are removed if no file names them any more.
    std::vector<std::string> pruned_owners = {};
    friend bool operator==(const Desired&, const Desired&) = default;
};

} // namespace qg::spec
