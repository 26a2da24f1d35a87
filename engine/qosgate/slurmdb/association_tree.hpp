// SPDX-License-Identifier: GPL-2.0-or-later
//
// AssociationTree: the associations of a cluster as slurmdbd stores them, what follows from them, and what
// slurmdbd makes of a change (slurm/README.md 4.5). Nothing here talks to slurmdbd.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/association_record.hpp"

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::slurmdb {

/// Whether the changes mix grants, revocations and defaults, so that one association may get several that
/// differ, or set lists, and the order in which slurmctld hears of them matters (slurm/README.md 4.5).
bool depends_on_order(std::span<const model::AccessChange> changes);

/// "user ana in account astro, partition gpu of cluster c", for messages.
std::string describe(const model::AssociationName& name);

/// One association as it is stored. With an empty `whole` it has the list of the account above, with what is
/// added to that and removed from it.
struct StoredAssociation {
    std::uint32_t id = 0;
    model::AssociationName name;
    std::string parent_account = {}; ///< of an account; empty: it is the root's
    model::NameSet whole = {};
    model::NameSet added = {};
    model::NameSet removed = {};
    std::optional<std::string> own_default = {};

    friend bool operator==(const StoredAssociation&, const StoredAssociation&) = default;
};

/// One call that changes associations: all in `ids` in the same way.
struct AccessWrite {
    enum class Kind : std::uint8_t {
        grant,
        set_default,
        rewrite, ///< differences that are stored already, written once more
        set_list,
        unlist, ///< ends the list that set_list made, and leaves differences that have a default
        revoke,
        end,     ///< ends the own list and the differences; slurmctld is told what it gains and loses
        tell,    ///< what it inherits, for slurmctld only; ends the differences, so restore must follow
        restore, ///< the differences that it has from then on
    };
    Kind kind = Kind::grant;
    bool is_of_users = false;
    /// In this order. Of grant, set_list and revoke: names. Of set_default: one name, or empty, which clears
    /// it. Of the others: "+name" and "-name".
    std::vector<std::string> qos;
    std::vector<std::uint32_t> ids;
};

struct AccessPlan;
class AccessWrites;

/// The tree of one cluster. Threads: as any value.
class AssociationTree {
  public:
    explicit AssociationTree(std::vector<StoredAssociation> all);

    /// Accounts before their users, sorted by name.
    [[nodiscard]] std::span<const StoredAssociation> stored() const noexcept { return all_; }

    /// The same with what they inherit.
    [[nodiscard]] std::vector<model::AssociationRecord> records() const;

    /// Null: there is none.
    [[nodiscard]] const StoredAssociation* find(const model::AssociationName& name) const;

    /// The calls that make the changes, and the tree after them. No association may be left with a default
    /// QOS that it may not use, unless it is so already.
    /// What grants and revocations store: model/own_access.hpp. Below an account that gets a list of its own,
    /// the differences are written once more, and defaults that are not in that list: slurmctld drops both.
    /// Errors: not_found (an association, with the near miss), invalid_input (a default QOS, a change that
    /// cannot be stored).
    [[nodiscard]] Result<AccessPlan> plan(std::span<const model::AccessChange> changes) const;

    /// The calls that tell slurmctld once more what the changes made. This tree must be that after them, and
    /// the calls must be committed after them. They store nothing new.
    /// Empty if the order in which slurmctld hears of the changes does not matter.
    [[nodiscard]] std::vector<AccessWrite> repeat(std::span<const model::AccessChange> changes) const;

    /// The calls that tell slurmctld what users of accounts below the changed ones inherit, for a slurmdbd
    /// that does not (slurm/compat.hpp, sends_one_level_below). This tree must be that after the changes; the
    /// calls come after them, in the same transaction or a later one, and store nothing new. `every_qos` are
    /// the names of all QOSs.
    [[nodiscard]] std::vector<AccessWrite> tell_below(std::span<const model::AccessChange> changes,
                                                      const model::NameSet& every_qos) const;

  private:
    struct Access {
        model::NameSet qos;
        std::optional<std::string> default_qos;
    };

    [[nodiscard]] StoredAssociation* find(const model::AssociationName& name);
    [[nodiscard]] const StoredAssociation* above(const StoredAssociation& one) const;
    [[nodiscard]] std::size_t depth_of(const StoredAssociation& one) const;
    [[nodiscard]] Access access_of(const StoredAssociation& one) const;
    [[nodiscard]] std::optional<std::string> default_of(const StoredAssociation& one) const;
    [[nodiscard]] bool has_default_among(const StoredAssociation& one, const model::NameSet& names) const;
    [[nodiscard]] Error unknown(const model::AssociationName& name) const;
    [[nodiscard]] Result<void> expect_usable_defaults(const AssociationTree& before) const;
    [[nodiscard]] model::NameSet above_of(const StoredAssociation& one) const;
    void plan_own(const StoredAssociation& one, const model::OwnAccess& target, AccessWrites& writes) const;
    void plan_revocations(const StoredAssociation& one, const model::NameSet& revoked,
                          const model::OwnAccess& left, AccessWrites& writes) const;
    void plan_unlisting(const StoredAssociation& one, const model::OwnAccess& left,
                        const model::NameSet& above, AccessWrites& writes) const;
    void set_lists(const std::set<model::AssociationName>& of, AccessWrites& writes) const;

    std::vector<StoredAssociation> all_;
};

struct AccessPlan {
    std::vector<AccessWrite> writes; ///< in the order in which they must be made
    AssociationTree after;
};

} // namespace qg::slurmdb
