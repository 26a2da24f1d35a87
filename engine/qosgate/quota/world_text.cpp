// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/world_text.hpp"

#include "qosgate/base/enumerators.hpp"
#include "qosgate/base/json_text.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/quota/world_fields.hpp"

#include <algorithm>
#include <concepts>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace qg::quota {
namespace {

constexpr std::size_t max_text = std::size_t{1} << 20u;

std::string json_string(std::string_view text) {
    return json::quote(text, max_text);
}

/// Readers take whole numbers up to this one.
std::string number(std::uint64_t value) {
    constexpr auto largest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    return std::to_string(std::min(value, largest));
}

std::string write(const std::string& value) {
    return json_string(value);
}
std::string write(bool value) {
    return json::flag(value);
}
std::string write(TimeLimit value) {
    return value.is_unlimited() ? "\"UNLIMITED\"" : number(value.minutes);
}
template <std::unsigned_integral Number>
std::string write(Number value) {
    return number(value);
}
template <typename Enum>
requires std::is_enum_v<Enum> std::string write(Enum value) {
    for (const auto& [each, word] : scenario::words_of<Enum>)
        if (each == value) return json_string(word);
    return json_string("");
}
template <typename T>
std::string write(const std::optional<T>& value);
template <typename T>
std::string write(const std::vector<T>& values);
template <scenario::FieldRecord Record>
std::string write(const Record& record);

/// The value must be there: one that is not is left out.
template <typename T>
std::string write(const std::optional<T>& value) {
    return value ? write(*value) : "";
}
template <typename T>
std::string write(const std::vector<T>& values) {
    std::vector<std::string> elements;
    for (const T& value : values)
        elements.push_back(write(value));
    return json::list(elements);
}
template <scenario::FieldRecord Record>
std::string write(const Record& record) {
    static const Record nothing{};
    json::Members members;
    std::apply(
        [&](const auto&... field) {
            const auto add = [&](const auto& row) {
                const std::string value = write(record.*row.member);
                if (value != write(nothing.*row.member)) members.add(row.key, value);
            };
            (add(field), ...);
        },
        scenario::fields_of<Record>);
    return members.object();
}

class WorldWriter {
  public:
    explicit WorldWriter(const World& world) : world_(world), tres_(*world.records.tres) {}

    std::string write_all() const {
        const LocalRecords& records = world_.records;
        json::Members members;
        const auto names = tres_.names();
        members.add("tres", write(std::vector<std::string>(names.begin(), names.end())));
        if (world_.captured_at != 0) members.add("captured_at", std::to_string(world_.captured_at));
        members.add("enforce", enforce());
        members.add("private_data", write(records.private_data));
        members.add("cluster", write(world_.cluster));
        members.add("qos", lines(records.qos, [&](const LocalQos& qos) { return write_qos(qos); }));
        members.add("associations", lines(records.associations, [&](const LocalAssociation& association) {
                        return write_association(association);
                    }));
        members.add("users", lines(records.users, [](const UserRecord& user) { return write(user); }));
        members.add("partitions", lines(world_.partitions, [](const auto& p) { return write(*p); }));
        return members.object() + "\n";
    }

  private:
    template <typename Elements, typename Write>
    static std::string lines(const Elements& elements, Write write_element) {
        std::vector<std::string> texts;
        for (const auto& element : elements)
            texts.push_back("\n" + write_element(element));
        return json::list(texts, ",");
    }

    std::string enforce() const {
        const model::Enforce& enforce = world_.records.enforce;
        std::vector<std::string> names;
        if (enforce.associations) names.push_back(json_string("associations"));
        if (enforce.limits) names.push_back(json_string("limits"));
        if (enforce.qos) names.push_back(json_string("qos"));
        if (enforce.safe) names.push_back(json_string("safe"));
        return json::list(names);
    }

    /// The counts that are not 0.
    std::string write_counts(const model::TresCounts& counts) const {
        json::Members members;
        for (std::size_t i = 0; i < tres_.size(); ++i)
            if (const std::uint64_t count = model::count_at(counts, i); count != 0)
                members.add(tres_.name(i), number(count));
        return members.is_empty() ? "" : members.object();
    }

    void add_usage(json::Members& members, const model::Usage& usage) const {
        const auto add = [&members](std::string_view key, std::uint64_t count) {
            if (count != 0) members.add(key, number(count));
        };
        const auto add_counts = [&](std::string_view key, const model::TresCounts& counts) {
            if (const std::string text = write_counts(counts); !text.empty()) members.add(key, text);
        };
        add("jobs", usage.jobs);
        add("submit_jobs", usage.submit_jobs);
        add("wall_minutes", usage.wall_minutes);
        add_counts("tres", usage.tres);
        add_counts("tres_run_minutes", usage.tres_run_minutes);
        add_counts("tres_minutes", usage.tres_minutes);
    }

    std::string write_usage(const model::Usage& usage) const {
        json::Members members;
        add_usage(members, usage);
        return members.object();
    }

    void add_limits(json::Members& members, const model::Limits& limits) const {
        for (std::size_t i = 0; i < model::count_limit_count; ++i) {
            const auto limit = static_cast<model::CountLimit>(i);
            if (const auto value = limits.get(limit)) members.add(model::name_of(limit), number(*value));
        }
        limits.which().for_each_tres_limit([&](model::TresLimit limit) {
            json::Members values;
            for (std::size_t i = 0; i < tres_.size(); ++i)
                if (const auto value = limits.get(limit, i)) values.add(tres_.name(i), number(*value));
            members.add(model::name_of(limit), values.object());
        });
    }

    std::string write_qos(const LocalQos& local) const {
        const model::Qos& qos = local.qos;
        json::Members members;
        members.add("name", json_string(qos.name));
        std::vector<std::string> flags;
        for (const model::QosFlagFacts& flag : model::qos_flag_facts)
            if (flag.member != nullptr && qos.flags.*flag.member) flags.push_back(json_string(flag.name));
        if (!flags.empty()) members.add("flags", json::list(flags));
        if (qos.priority != 0) members.add("priority", number(qos.priority));
        if (qos.usage_factor != 1.0) members.add("UsageFactor", text::format("{}", qos.usage_factor));
        if (qos.limit_factor) members.add("LimitFactor", text::format("{}", *qos.limit_factor));
        add_limits(members, qos.limits);
        json::Members usage;
        add_usage(usage, qos.usage);
        json::Members users, accounts;
        for (const auto& [id, used] : local.users)
            users.add(std::to_string(id), write_usage(used));
        for (const auto& [name, used] : local.accounts)
            accounts.add(name, write_usage(used));
        if (!users.is_empty()) usage.add("users", users.object());
        if (!accounts.is_empty()) usage.add("accounts", accounts.object());
        if (!usage.is_empty()) members.add("usage", usage.object());
        return members.object();
    }

    std::string write_association(const LocalAssociation& association) const {
        const model::Association& link = association.link;
        json::Members members;
        using model::AssociationLevel;
        members.add("level", link.level == AssociationLevel::user      ? "\"user\""
                             : link.level == AssociationLevel::account ? "\"account\""
                                                                       : "\"root\"");
        if (link.level == AssociationLevel::user) members.add("user", number(association.user_id));
        if (!link.user.empty()) members.add("user_name", json_string(link.user));
        members.add("account", json_string(link.account));
        if (!link.partition.empty()) members.add("partition", json_string(link.partition));
        if (association.parent) members.add("parent", number(*association.parent));
        if (association.default_qos) members.add("default_qos", json_string(*association.default_qos));
        if (association.permitted_qos) members.add("permitted_qos", write(*association.permitted_qos));
        add_limits(members, link.limits);
        json::Members usage;
        add_usage(usage, link.usage);
        if (!usage.is_empty()) members.add("usage", usage.object());
        return members.object();
    }

    const World& world_;
    const model::TresCatalogue& tres_;
};

} // namespace

std::string to_json(const World& world) {
    return WorldWriter(world).write_all();
}

} // namespace qg::quota
