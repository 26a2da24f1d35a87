// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/admin/c_requests.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/spec/strict_json.hpp"

#include <limits>

namespace qg::admin {
namespace {

using spec::Json;
using spec::JsonMembers;
using spec::JsonReader;

/// A request that is read: the members of its outermost object.
class Request {
  public:
    explicit Request(const Json& json) : members_(reader_, json, "request") {}

    std::vector<std::string> texts(std::string_view key) {
        const Json* found = members_.find(key);
        return found == nullptr ? std::vector<std::string>() : reader_.texts(*found, members_.path_of(key));
    }

    std::vector<std::string> names() {
        auto names = reader_.texts(members_.get("names"), members_.path_of("names"));
        if (reader_.ok() && names.empty()) reader_.fail(members_.path_of("names"), "must name a QOS");
        return names;
    }

    std::uint64_t number(std::string_view key, std::uint64_t otherwise, std::uint64_t max) {
        const Json* found = members_.find(key);
        return found == nullptr ? otherwise : reader_.number(*found, members_.path_of(key), max);
    }

    bool flag(std::string_view key) {
        const Json* found = members_.find(key);
        if (found == nullptr) return false;
        if (!found->is_boolean()) reader_.fail(members_.path_of(key), "must be true or false");
        return found->is_boolean() && found->get<bool>();
    }

    JsonReader& reader() { return reader_; }
    JsonMembers& members() { return members_; }

    /// The first thing wrong.
    Result<void> finish() {
        if (reader_.ok()) members_.finish();
        return reader_.ok() ? Result<void>() : reader_.error();
    }

  private:
    JsonReader reader_;
    JsonMembers members_;
};

std::string scalar(const Json& value) {
    return value.is_string() ? value.get<std::string>() : value.dump();
}

/// "MaxWall=8:00:00" from the member "MaxWall" of "set".
std::string assignment(JsonReader& reader, const std::string& field, const Json& value) {
    if (value.is_null()) return field + "=unset";
    std::vector<std::string> parts;
    if (value.is_array()) {
        for (const Json& part : value)
            parts.push_back(scalar(part));
    } else if (value.is_object()) {
        for (const auto& [tres, count] : value.items())
            parts.push_back(tres + "=" + (count.is_null() ? "-1" : scalar(count)));
    } else if (value.is_string() || value.is_number()) {
        parts.push_back(scalar(value));
        if (text::trim(parts[0]) != parts[0]) // QosChange would leave the spaces out
            reader.fail("request.set." + text::printable(field), "must not begin or end with a space");
    } else {
        reader.fail("request.set." + text::printable(field), "must be a text, a number, a list or null");
    }
    return field + "=" + (parts.empty() ? "unset" : text::join(parts, ","));
}

Holder read_user(JsonReader& reader, const Json& json, const std::string& path) {
    JsonMembers members(reader, json, path);
    const auto optional = [&](std::string_view key) {
        const Json* found = members.find(key);
        return found == nullptr ? std::string() : reader.text(*found, members.path_of(key));
    };
    Holder holder;
    holder.user = reader.text(members.get("user"), members.path_of("user"));
    holder.account = optional("account");
    holder.partition = optional("partition");
    members.finish();
    return holder;
}

model::NameSet as_set(const std::vector<std::string>& names) {
    model::NameSet set;
    for (const std::string& name : names)
        set.insert(text::lower(name));
    return set;
}

} // namespace

Result<ListOptions> read_list_options(std::string_view text) {
    ListOptions options;
    if (text.empty()) return options;
    const auto json = spec::parse_json(text);
    if (!json) return json.error();
    Request request(*json);
    constexpr std::uint64_t any = std::numeric_limits<std::uint32_t>::max();
    options.patterns = request.texts("patterns");
    options.min_priority = static_cast<std::uint32_t>(request.number("min_priority", 0, any));
    options.max_priority = static_cast<std::uint32_t>(request.number("max_priority", any, any));
    const auto flags_field = model::get_qos_field("Flags");
    for (const std::string& given : request.texts("flags")) {
        const auto flag = model::parse_allowed_word(*flags_field->field, given);
        if (!flag) return flag.error().in("request.flags");
        options.flags.insert(*flag);
    }
    if (const Json* field = request.members().find("sort_by"))
        options.sort_by = request.reader().text(*field, "request.sort_by");
    options.is_descending = request.flag("descending");
    options.offset = request.number("offset", 0, any);
    options.limit = request.number("limit", options.limit, options.limit);
    if (const auto done = request.finish(); !done) return done.error();
    return options;
}

Result<ChangeRequest> read_change(std::string_view text, const model::TresCatalogue& catalogue) {
    const auto json = spec::parse_json(text);
    if (!json) return json.error();
    Request request(*json);
    ChangeRequest read;
    read.names = request.names();
    std::vector<std::string> assignments;
    if (const Json* set = request.members().find("set")) {
        if (!set->is_object()) return Error{ErrorCode::invalid_input, "request.set: must be an object"};
        for (const auto& [field, value] : set->items())
            assignments.push_back(assignment(request.reader(), field, value));
    }
    if (const auto done = request.finish(); !done) return done.error();
    auto change = model::QosChange::parse(assignments, catalogue);
    if (!change) return change.error().in("request.set");
    read.change = std::move(*change);
    return read;
}

Result<RemovalRequest> read_removal(std::string_view text) {
    const auto json = spec::parse_json(text);
    if (!json) return json.error();
    Request request(*json);
    RemovalRequest read;
    read.names = request.names();
    if (request.flag("also_used")) read.mode = RemovalMode::also_used;
    if (const auto done = request.finish(); !done) return done.error();
    return read;
}

Result<AccessRequest> read_access_change(std::string_view text) {
    const auto json = spec::parse_json(text);
    if (!json) return json.error();
    Request request(*json);
    AccessRequest read;
    const bool is_tree = request.flag("tree");
    for (const std::string& account : request.texts("accounts"))
        read.holders.push_back(
            {.account = account, .reach = is_tree ? Holder::Reach::tree : Holder::Reach::alone});
    if (const Json* users = request.members().find("users"))
        for (Holder& user : request.reader().list_of<Holder>(
                 *users, "request.users", [&](const Json&one, const std::string&path) {
                     return read_user(request.reader(), one, path);
                 }))
            read.holders.push_back(std::move(user));
    read.change.granted = as_set(request.texts("granted"));
    read.change.revoked = as_set(request.texts("revoked"));
    if (const Json* name = request.members().find("default_qos"))
        read.change.default_qos =
            name->is_null() ? "" : text::lower(request.reader().text(*name, "request.default_qos"));
    if (const auto done = request.finish(); !done) return done.error();
    if (read.holders.empty())
        return Error{ErrorCode::invalid_input, "request: names neither accounts nor users"};
    return read;
}

Result<SpecRequest> read_specs(std::string_view text) {
    const auto json = spec::parse_json(text);
    if (!json) return json.error();
    Request request(*json);
    JsonReader& reader = request.reader();
    SpecRequest read;
    read.files = reader.list_of<spec::SourceText>(
        request.members().get("files"), "request.files", [&](const Json& one, const std::string& path) {
            JsonMembers members(reader, one, path);
            spec::SourceText file{reader.text(members.get("file"), members.path_of("file")),
                                  reader.text(members.get("text"), members.path_of("text"))};
            members.finish();
            return file;
        });
    read.options.take_over = request.flag("take_over");
    read.options.prune = request.flag("prune");
    if (const auto done = request.finish(); !done) return done.error();
    return read;
}

} // namespace qg::admin
