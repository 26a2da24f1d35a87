// SPDX-License-Identifier: GPL-2.0-or-later
//
// read_access(): who may use a QOS.
#include "qosgate/base/text.hpp"
#include "qosgate/spec/body_reader.hpp"

namespace qg::spec {
namespace {

const std::vector<std::string> access_keys{"accounts", "users", "default_for", "complete"};
const std::vector<std::string> default_keys{"accounts", "users"};
const std::vector<std::string> user_keys{"user", "account", "partition"};

/// A user: a name, or a mapping. Empty: a problem, or skipped.
std::optional<DesiredUser> read_user(const Node& node, std::string_view key, const ReadContext& context) {
    DesiredUser user;
    if (!node.is_mapping()) {
        const auto name = context.name(node, key);
        if (!name) return std::nullopt;
        user.user = *name;
        return user;
    }
    bool is_right = true;
    for (const auto& [part, value] : node.entries) {
        std::string* member = part->text == "user"        ? &user.user
                              : part->text == "account"   ? &user.account
                              : part->text == "partition" ? &user.partition
                                                          : nullptr;
        if (member == nullptr) {
            context.unknown_key(*part, user_keys);
            is_right = false;
            continue;
        }
        const auto name = context.name(*value, part->text);
        is_right = is_right && name.has_value();
        if (name) *member = part->text == "account" ? text::lower(*name) : *name;
    }
    if (node.find("user") == nullptr) {
        context.wrong(node, key, "a mapping here needs 'user', for example {user: bob, account: phys}");
        return std::nullopt;
    }
    if (!user.partition.empty() && user.account.empty() && is_right) {
        context.wrong(node, key, "a partition needs an account: an association has both");
        return std::nullopt;
    }
    return is_right ? std::optional(user) : std::nullopt;
}

std::optional<std::string> read_account(const Node& node, std::string_view key, const ReadContext& context) {
    auto name = context.name(node, key);
    if (name) name = text::lower(*name); // as sacctmgr stores it
    return name;
}

/// The entries of a list, or one entry alone, in the file's order.
template <typename Read>
auto read_list(const Node& node, std::string_view key, const ReadContext& context, Read read) {
    ReadList<typename decltype(read(node, key, context))::value_type> list;
    const auto add = [&](const Node& item) {
        auto entry = read(item, key, context);
        if (entry && list.places.emplace(*entry, context.at(item)).second)
            list.entries.push_back(*std::move(entry));
    };
    if (node.is_scalar()) {
        add(node);
    } else if (node.is_sequence()) {
        for (const NodePtr& item : node.items)
            add(*item);
    } else {
        context.wrong(node, key,
                      text::format("needs a list of names ([] for none), not {}", describe(node.kind)));
    }
    return list;
}

void read_default_for(const Node& node, AccessPart& access, const ReadContext& context) {
    if (!node.is_mapping()) {
        access.default_for_accounts = read_list(node, "default_for", context, read_account);
        return;
    }
    for (const auto& [key, value] : node.entries) {
        if (key->text == "accounts")
            access.default_for_accounts = read_list(*value, key->text, context, read_account);
        else if (key->text == "users")
            access.default_for_users = read_list(*value, key->text, context, read_user);
        else
            context.unknown_key(*key, default_keys);
    }
}

} // namespace

AccessPart read_access(const Node& key, const Node& node, const ReadContext& context) {
    AccessPart access;
    access.position = context.at(key);
    const std::size_t met = context.problems->met();
    if (!node.is_mapping()) {
        context.wrong(node, key.text,
                      "needs a mapping, for example {accounts: [hpc]}; {accounts: [], complete: true} leaves "
                      "the QOS to nobody");
        access.lacks_entries = true;
        return access;
    }
    for (const auto& [part, value] : node.entries) {
        if (part->text == "accounts")
            access.accounts = read_list(*value, part->text, context, read_account);
        else if (part->text == "users")
            access.users = read_list(*value, part->text, context, read_user);
        else if (part->text == "default_for")
            read_default_for(*value, access, context);
        else if (part->text == "complete")
            access.is_complete = context.boolean(*value, part->text);
        else
            context.unknown_key(*part, access_keys);
    }
    access.lacks_entries = context.problems->met() != met;
    return access;
}

} // namespace qg::spec
