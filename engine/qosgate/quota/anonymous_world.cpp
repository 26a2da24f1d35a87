// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/anonymous_world.hpp"

#include "qosgate/base/text.hpp"

#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::quota {
namespace {

/// The new name for each old one, in the order in which they are first seen.
class Names {
  public:
    explicit Names(std::string_view prefix, bool has_case = false) : prefix_(prefix), has_case_(has_case) {}

    void replace(std::string& name) {
        if (name.empty() || name == "root") return;
        const auto [place, is_new] = new_names_.try_emplace(key_of(name));
        if (is_new) place->second = text::format("{}{}", prefix_, new_names_.size());
        name = place->second;
    }
    /// The new name that an old one got; null: none.
    [[nodiscard]] const std::string* find(const std::string& name) const {
        const auto found = new_names_.find(key_of(name));
        return found == new_names_.end() ? nullptr : &found->second;
    }

  private:
    [[nodiscard]] std::string key_of(const std::string& name) const {
        return has_case_ ? name : text::lower(name);
    }

    std::string prefix_;
    bool has_case_; ///< whether "GPU" and "gpu" are two names
    std::map<std::string, std::string> new_names_;
};

class Anonymizer {
  public:
    explicit Anonymizer(std::uint32_t slurm_user) : slurm_user_(slurm_user) {}

    void replace(LocalAssociation& association) {
        users_.replace(association.link.user);
        accounts_.replace(association.link.account);
        if (association.link.level == model::AssociationLevel::user) replace_id(association.user_id);
    }
    void replace(UserRecord& user) {
        users_.replace(user.name);
        accounts_.replace(user.default_account);
        replace_accounts(user.coordinates);
        replace_id(user.id);
    }
    /// Many groups have the name of their only user, or of an account: users and accounts come first.
    void replace_groups(UserRecord& user) {
        if (!user.groups) return;
        for (std::string& name : *user.groups)
            replace_group(name);
    }
    void replace(LocalQos& qos) {
        std::map<std::uint32_t, model::Usage> users;
        for (auto& [id, usage] : qos.users) {
            std::uint32_t new_id = id;
            replace_id(new_id);
            users.emplace(new_id, std::move(usage));
        }
        qos.users = std::move(users);
        std::map<std::string, model::Usage> accounts;
        for (auto& [name, usage] : qos.accounts) {
            std::string new_name = name;
            accounts_.replace(new_name);
            accounts.emplace(std::move(new_name), std::move(usage));
        }
        qos.accounts = std::move(accounts);
    }
    void replace(model::Partition& partition) {
        replace_accounts(partition.allow_accounts);
        replace_accounts(partition.deny_accounts);
        for (std::string& name : partition.allow_groups)
            replace_group(name);
    }
    void replace(model::Reservation& reservation) {
        for (std::string& name : reservation.users)
            replace_excluded(users_, name);
        for (std::string& name : reservation.accounts)
            replace_excluded(accounts_, name);
    }

  private:
    /// A group with the name of a user or an account gets the same new one.
    void replace_group(std::string& name) {
        // slurmdbd has its names in small letters.
        const bool may_be_same = name == text::lower(name);
        const std::string* same = may_be_same ? users_.find(name) : nullptr;
        if (same == nullptr && may_be_same) same = accounts_.find(name);
        if (same == nullptr)
            groups_.replace(name);
        else
            name = *same;
    }
    void replace_accounts(std::vector<std::string>& names) {
        for (std::string& name : names)
            accounts_.replace(name);
    }
    /// A minus in front of a name excludes it.
    static void replace_excluded(Names& names, std::string& name) {
        const bool is_excluded = name.starts_with('-');
        std::string bare = name.substr(is_excluded ? 1 : 0);
        names.replace(bare);
        name = (is_excluded ? "-" : "") + bare;
    }
    void replace_id(std::uint32_t& id) {
        if (id == 0 || id == slurm_user_) return;
        const auto [place, is_new] = ids_.try_emplace(id);
        if (is_new) place->second = 100000 + static_cast<std::uint32_t>(ids_.size());
        id = place->second;
    }

    std::uint32_t slurm_user_;
    Names users_{"user"};
    Names accounts_{"account"};
    Names groups_{"group", /*has_case=*/true};
    std::map<std::uint32_t, std::uint32_t> ids_;
};

} // namespace

void make_anonymous(World& world) {
    Anonymizer anonymizer(world.cluster.slurm_user_id);
    // Users first, so that the number in a user's name is that in the id.
    for (UserRecord& user : world.records.users)
        anonymizer.replace(user);
    for (LocalAssociation& association : world.records.associations)
        anonymizer.replace(association);
    for (UserRecord& user : world.records.users)
        anonymizer.replace_groups(user);
    for (LocalQos& qos : world.records.qos)
        anonymizer.replace(qos);
    for (auto& partition : world.partitions) {
        model::Partition copy = *partition;
        anonymizer.replace(copy);
        partition = std::make_shared<const model::Partition>(std::move(copy));
    }
    if (!world.cluster.names) return;
    for (model::Reservation& reservation : world.cluster.names->reservations)
        anonymizer.replace(reservation);
}

} // namespace qg::quota
