// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/assoc_records.hpp"

#include <algorithm>
#include <map>
#include <ranges>

namespace qg::slurm {
namespace {

using model::AssociationLevel;

quota::LocalQos to_local(const QosRow& row) {
    return {.qos = row.qos,
            .users = {row.users.begin(), row.users.end()},
            .accounts = {row.accounts.begin(), row.accounts.end()}};
}

class Converter {
  public:
    explicit Converter(const AssocRecords& records) : records_(records) {
        for (const auto& [id, row] : records.associations)
            places_.emplace(id, 0);
        std::size_t next = 0;
        for (auto& [id, place] : places_)
            place = next++;
    }

    quota::LocalAssociation to_local(const AssociationRow& row) const {
        quota::LocalAssociation local;
        local.link = row.link;
        local.user_id = row.user_id;
        if (const auto parent = places_.find(row.parent_id); parent != places_.end())
            local.parent = parent->second;
        // slurmctld uses a user's default QOS, and lets the user have any QOS, only if it knows the list.
        const bool is_user = row.link.level == AssociationLevel::user;
        if (row.default_qos && (!is_user || row.permitted_qos)) local.default_qos = name_of(*row.default_qos);
        if (is_user) local.permitted_qos = permitted(row);
        return local;
    }

    /// By id.
    [[nodiscard]] auto ids() const { return std::views::keys(places_); }

  private:
    std::optional<std::string> name_of(std::uint32_t qos) const {
        const auto found = records_.qos.find(qos);
        return found == records_.qos.end() ? std::nullopt : std::optional(found->second.qos.name);
    }
    std::vector<std::string> permitted(const AssociationRow& row) const {
        std::vector<std::string> names;
        for (const auto& [id, qos] : records_.qos)
            if (row.permitted_qos && id < row.permitted_qos->size() && (*row.permitted_qos)[id])
                names.push_back(qos.qos.name);
        return names;
    }

    const AssocRecords& records_;
    std::map<std::uint32_t, std::size_t> places_; ///< by association id
};

} // namespace

quota::LocalRecords to_local_records(const AssocRecords& records) {
    quota::LocalRecords local;
    local.tres = records.tres;
    local.enforce = records.conf.enforce;
    local.private_data = records.conf.private_data;
    for (const auto& [id, row] : records.qos)
        local.qos.push_back(to_local(row));
    const Converter converter(records);
    for (const std::uint32_t id : converter.ids())
        local.associations.push_back(converter.to_local(records.associations.at(id)));
    for (const auto& [id, user] : std::map(records.users.begin(), records.users.end())) {
        local.users.push_back(user);
        local.users.back().id = id;
        if (id == records.conf.slurm_user_id) local.users.back().level = quota::AdminLevel::administrator;
    }
    if (!records.users.contains(records.conf.slurm_user_id))
        local.users.push_back({.id = records.conf.slurm_user_id, .level = quota::AdminLevel::administrator});
    return local;
}

} // namespace qg::slurm
