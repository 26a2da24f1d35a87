// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/export.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/access_tree.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/spec_writer.hpp"

#include <algorithm>
#include <functional>
#include <map>
#include <tuple>

namespace qg::spec {
namespace {

using model::AssociationRecord;

class Exporter {
  public:
    Exporter(const LiveState& live, std::string owner)
        : live_(live), owner_(std::move(owner)), tree_(live.associations) {
        for (std::size_t i = 0; i < tree_.size(); ++i) {
            const auto parent = tree_.parent(i);
            const AssociationRecord* above = parent ? &tree_[*parent] : nullptr;
            for (const std::string& qos : tree_[i].qos)
                if (has_itself(tree_[i], above, qos)) granted_[qos].push_back(i);
            if (tree_[i].own_default_qos) defaults_[*tree_[i].own_default_qos].push_back(i);
        }
    }

    /// With its access, and without what others manage.
    [[nodiscard]] WrittenQos write(const model::QosRecord& record) const {
        WrittenQos written = begin(record, owner_);
        for (const auto& [owner, fields] : read_mark(record.description).ownership.managed)
            if (owner != owner_) written.left_out.insert(fields.begin(), fields.end());
        if (!written.left_out.contains(access_field) && !live_.hides_associations)
            add_access(record, written);
        return written;
    }

    /// A comment for each owner other than `owner`.
    static WrittenQos begin(const model::QosRecord& record, const std::string& owner) {
        WrittenQos written{without_mark(record)};
        for (const auto& [other, fields] : read_mark(record.description).ownership.managed) {
            if (other == owner || fields.empty()) continue;
            const std::vector<std::string> names(fields.begin(), fields.end());
            written.comments.push_back(text::format("managed by {}: {}", other, text::join(names, ", ")));
        }
        return written;
    }

    void add_access(const model::QosRecord& record, WrittenQos& written) const {
        add(find(granted_, record.name), written, written.access.accounts, written.access.users, "access",
            [&](const AssociationRecord& other) { return other.qos.contains(record.name); });
        add(find(defaults_, record.name), written, written.access.default_for_accounts,
            written.access.default_for_users, "default_for",
            [&](const AssociationRecord& other) { return other.default_qos == record.name; });
    }

  private:
    using Places = std::vector<std::size_t>;

    static Places find(const std::map<std::string, Places>& places, const std::string& qos) {
        const auto found = places.find(qos);
        return found == places.end() ? Places{} : found->second;
    }

    /// Names the associations. A user without a partition stands for all partitions, so that all of them must
    /// have it.
    void add(const Places& places, WrittenQos& written, std::vector<std::string>& accounts,
             std::vector<DesiredUser>& users, std::string_view list,
             const std::function<bool(const AssociationRecord&)>& has_it) const {
        for (const std::size_t place : places) {
            const model::AssociationName& name = tree_[place].name;
            if (name.user.empty()) {
                accounts.push_back(name.account);
                continue;
            }
            const auto same = tree_.find_user(name.user, name.account, name.partition);
            if (std::all_of(same.begin(), same.end(), [&](std::size_t i) { return has_it(tree_[i]); }))
                users.push_back({name.user, name.account, name.partition});
            else
                written.comments.push_back(
                    text::format("{}: {} is left out, because without a partition it would stand for all "
                                 "partitions",
                                 list, describe(name)));
        }
        std::sort(accounts.begin(), accounts.end());
        std::sort(users.begin(), users.end());
    }

    const LiveState& live_;
    std::string owner_;
    AccessTree tree_;
    std::map<std::string, Places> granted_;
    std::map<std::string, Places> defaults_;
};

} // namespace

Result<std::string> export_spec(const LiveState& live, const ExportOptions& options) {
    if (!is_owner(options.owner))
        return Error{ErrorCode::invalid_input, text::format("'{}' cannot be an owner: {}",
                                                            text::printable(options.owner), owner_rule())};
    std::map<std::string, const model::QosRecord*> records;
    std::vector<std::string> names;
    for (const model::QosRecord& record : live.qos)
        records.emplace(record.name, &record);
    for (const auto& [name, record] : records)
        names.push_back(name);
    for (const std::string& name : options.qos)
        if (!records.contains(text::lower(name)))
            return Error{ErrorCode::not_found, text::format("there is no QOS '{}'{}", text::printable(name),
                                                            text::did_you_mean(name, names))};
    const auto is_chosen = [&](const std::string& name) {
        return options.qos.empty() ||
               std::any_of(options.qos.begin(), options.qos.end(),
                           [&](const std::string& one) { return text::iequals(one, name); });
    };
    const Exporter exporter(live, options.owner);
    std::vector<WrittenQos> written;
    for (const auto& [name, record] : records)
        if (is_chosen(name)) written.push_back(exporter.write(*record));
    std::vector<std::string> comments{
        text::format("QOSs of cluster {}. Fields that are not named stay as they are.", live.cluster)};
    if (live.hides_associations)
        comments.push_back(text::format("Access is left out: {}.", hidden_associations));
    return write_spec(options.owner, written, comments);
}

std::string spec_for(const model::QosRecord& record, const std::vector<AssociationRecord>& associations,
                     const std::string& owner) {
    const LiveState live{{}, {without_mark(record)}, associations, {}};
    const std::vector written{Exporter(live, owner).write(live.qos.front())};
    return write_spec(owner, written, {});
}

std::string write_records(const std::vector<model::QosRecord>& records,
                          const std::vector<AssociationRecord>* associations, const FieldNames& left_out) {
    const LiveState live{
        {}, {}, associations == nullptr ? std::vector<AssociationRecord>() : *associations, {}};
    const Exporter exporter(live, {});
    std::vector<WrittenQos> all;
    for (const model::QosRecord& record : records) {
        WrittenQos written = Exporter::begin(record, {});
        written.left_out = left_out;
        if (associations != nullptr) exporter.add_access(record, written);
        all.push_back(std::move(written));
    }
    const std::vector<std::string> comments{"To plan it, put \"owner: NAME\" here."};
    return write_spec({}, all, comments);
}

} // namespace qg::spec
