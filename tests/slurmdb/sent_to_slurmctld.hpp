// SPDX-License-Identifier: GPL-2.0-or-later
//
// SentToSlurmctld: what slurmdbd stores and slurmctld has after calls that change associations, by
// slurm/README.md 4.5.
#pragma once

#include "qosgate/slurmdb/association_tree.hpp"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace qg::test {

class SentToSlurmctld {
  public:
    /// What slurmctld has of a user.
    struct Access {
        model::NameSet qos;
        std::optional<std::string> default_qos;
        friend bool operator==(const Access&, const Access&) = default;
    };

    explicit SentToSlurmctld(const std::vector<slurmdb::StoredAssociation>& all) : stored_(sorted(all)) {
        restart();
    }

    [[nodiscard]] slurmdb::AssociationTree tree() const { return slurmdb::AssociationTree(stored_); }

    [[nodiscard]] const std::vector<slurmdb::StoredAssociation>& stored() const { return stored_; }

    /// slurmctld reads what slurmdbd has.
    void restart() {
        users_ = should_have();
        for (const auto& [name, access] : users_)
            lists_[name] = {access.qos.begin(), access.qos.end()};
    }

    /// Whether no list has a QOS twice.
    [[nodiscard]] bool has_each_once() const {
        return std::ranges::all_of(
            users_, [&](const auto& user) { return lists_.at(user.first).size() == user.second.qos.size(); });
    }

    /// slurmctld has no default that the user may not use.
    [[nodiscard]] std::map<model::AssociationName, Access> should_have() const {
        std::map<model::AssociationName, Access> all;
        for (const auto& record : tree().records()) {
            if (record.name.user.empty()) continue;
            Access& access = all[record.name] = {record.qos, record.default_qos};
            if (access.default_qos && !access.qos.contains(*access.default_qos)) access.default_qos.reset();
        }
        return all;
    }

    [[nodiscard]] const std::map<model::AssociationName, Access>& has() const { return users_; }

    /// The calls that slurmdbd 23.11 and later would have refused: after them a default was not among the
    /// QOSs. It looks at the users of a call, and at an account with its own users.
    [[nodiscard]] const std::vector<std::string>& refused() const { return refused_; }

    /// One transaction.
    void commit(const std::vector<slurmdb::AccessWrite>& writes) {
        for (const slurmdb::AccessWrite& write : writes) {
            for (const std::uint32_t id : write.ids)
                make(write, *std::ranges::find(stored_, id, &slurmdb::StoredAssociation::id));
            check_defaults(write);
        }
        for (auto message = messages_.rbegin(); message != messages_.rend(); ++message)
            hear(*message);
        messages_.clear();
    }

  private:
    using Kind = slurmdb::AccessWrite::Kind;
    using Words = std::vector<std::string>;

    struct Message {
        model::AssociationName user;
        Words words;
        std::optional<std::optional<std::string>> default_qos;
    };

    static std::vector<slurmdb::StoredAssociation>
    sorted(const std::vector<slurmdb::StoredAssociation>& all) {
        const slurmdb::AssociationTree tree(all);
        return {tree.stored().begin(), tree.stored().end()};
    }

    void make(const slurmdb::AccessWrite& write, slurmdb::StoredAssociation& one) {
        if (write.kind == Kind::set_default) {
            const std::string& name = write.qos.front();
            one.own_default = name.empty() ? std::nullopt : std::optional(name);
            std::optional<std::string> told = one.own_default;
            if (!told)
                for (const auto* upper = above(one); upper != nullptr && !told; upper = above(*upper))
                    told = upper->own_default;
            return tell_default(one, told, true);
        }
        const bool clears = write.kind == Kind::end || write.kind == Kind::tell;
        Words words;
        for (const std::string& word : write.qos) {
            if (write.kind == Kind::grant)
                words.push_back("+" + word);
            else if (write.kind == Kind::revoke)
                words.push_back("-" + word);
            else if (write.kind == Kind::set_list)
                words.push_back("=" + word);
            else
                words.push_back(word);
        }
        for (const std::string& word : words)
            store(one, word[0], word.substr(1));
        if (write.kind == Kind::set_list) {
            one.whole = {write.qos.begin(), write.qos.end()};
            one.added.clear();
            one.removed.clear();
        }
        tell(one, words);
        if (!clears) return;
        one.whole.clear();
        one.added.clear();
        one.removed.clear();
    }

    void check_defaults(const slurmdb::AccessWrite& write) {
        model::NameSet accounts;
        model::NameSet users;
        for (const slurmdb::StoredAssociation& one : stored_) {
            if (std::ranges::find(write.ids, one.id) == write.ids.end()) continue;
            accounts.insert(one.name.account);
            if (!one.name.user.empty()) users.insert(one.name.user);
        }
        for (const auto& record : tree().records())
            if (accounts.contains(record.name.account) &&
                (users.empty() || users.contains(record.name.user)) && record.default_qos &&
                !record.qos.contains(*record.default_qos))
                refused_.push_back(*record.default_qos + " of " + slurmdb::describe(record.name) +
                                   " at a call of kind " + std::to_string(static_cast<int>(write.kind)));
    }

    static void store(slurmdb::StoredAssociation& one, char sign, const std::string& qos) {
        const bool has_list = !one.whole.empty();
        if (sign == '-') {
            one.whole.erase(qos);
            if (!one.whole.empty()) return;
            one.added.erase(qos);
            one.removed.insert(qos);
        } else if (sign == '+' && has_list) {
            one.whole.insert(qos);
        } else if (sign == '+') {
            one.removed.erase(qos);
            one.added.insert(qos);
        }
    }

    /// To the user, or to the users below that have no list, but for what their differences deny.
    void tell(const slurmdb::StoredAssociation& one, const Words& words) {
        if (!one.name.user.empty()) {
            messages_.push_back({one.name, words, {}});
            return;
        }
        for (const slurmdb::StoredAssociation& child : stored_) {
            if (above(child) != &one || !child.whole.empty()) continue;
            Words passed;
            for (const std::string& word : words)
                if (!(word[0] == '+' && child.removed.contains(word.substr(1))) &&
                    !(word[0] == '-' && child.added.contains(word.substr(1))))
                    passed.push_back(word);
            if (!passed.empty()) tell(child, passed);
        }
    }

    void tell_default(const slurmdb::StoredAssociation& one, const std::optional<std::string>& name,
                      bool is_first) {
        if (!is_first && one.own_default) return;
        if (!one.name.user.empty()) {
            messages_.push_back({one.name, {}, name});
            return;
        }
        for (const slurmdb::StoredAssociation& child : stored_)
            if (above(child) == &one) tell_default(child, name, false);
    }

    /// slurmctld goes on from what it found, and starts anew only after an addition or a removal.
    void hear(const Message& message) {
        auto& list = lists_[message.user];
        std::size_t from = 0;
        bool is_new_list = false;
        for (const std::string& word : message.words) {
            const std::string qos = word.substr(1);
            if (word[0] == '=') {
                if (!std::exchange(is_new_list, true)) list.clear();
                list.push_back(qos);
                continue;
            }
            const auto found = std::find(
                list.begin() + static_cast<std::ptrdiff_t>(std::min(from, list.size())), list.end(), qos);
            from = 0;
            if (word[0] == '-' && found != list.end()) list.erase(found);
            if (word[0] != '+') continue;
            if (found == list.end())
                list.push_back(qos);
            else
                from = static_cast<std::size_t>(found - list.begin()) + 1;
        }
        Access& user = users_[message.user];
        user.qos = {list.begin(), list.end()};
        if (message.default_qos) user.default_qos = *message.default_qos;
        if (user.default_qos && !user.qos.contains(*user.default_qos)) user.default_qos.reset();
    }

    [[nodiscard]] const slurmdb::StoredAssociation* above(const slurmdb::StoredAssociation& one) const {
        const std::string& account = one.name.user.empty() ? one.parent_account : one.name.account;
        for (const slurmdb::StoredAssociation& other : stored_)
            if (other.name.user.empty() && other.name.account == account && !account.empty()) return &other;
        return nullptr;
    }

    std::vector<slurmdb::StoredAssociation> stored_;
    std::map<model::AssociationName, Access> users_;
    std::map<model::AssociationName, Words> lists_; ///< the same in slurmctld's order
    std::vector<Message> messages_;
    std::vector<std::string> refused_;
};

} // namespace qg::test
