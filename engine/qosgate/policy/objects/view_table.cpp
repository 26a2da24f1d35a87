// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/view_table.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/objects/option_writes.hpp"
#include "qosgate/policy/objects/view_answers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace qg::policy {
namespace {

using view::as;
using view::ask;
using view::number;
using view::text;

// ---- view.now ------------------------------------------------------------------------------------------

ViewAnswer read_now(RuleView& view, const ViewObject& /*object*/, ErrorText& error) noexcept {
    const auto time = ask(error, [&] { return view.local_time(); });
    return {.object = {ViewKind::now, time.value_or(nullptr)}};
}

ViewAnswer read_seconds(RuleView& view, const ViewObject& /*object*/, ErrorText& error) noexcept {
    return number(static_cast<std::uint64_t>(ask(error, [&] { return view.now(); }).value_or(0)));
}

/// A part of the local time, and the number of its first value where std::tm has 0.
template <int std::tm::*part, int first = 0>
ViewAnswer read_time(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(static_cast<std::uint64_t>(as<std::tm>(object).*part + first));
}

ViewAnswer read_weekday(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    const int from_sunday = as<std::tm>(object).tm_wday;
    return number(from_sunday == 0 ? 7u : static_cast<std::uint64_t>(from_sunday));
}

// ---- view.cluster --------------------------------------------------------------------------------------

ViewAnswer read_cluster(RuleView& view, const ViewObject& /*object*/, ErrorText& error) noexcept {
    const auto facts = ask(error, [&] { return view.cluster(); });
    return {.object = {ViewKind::cluster, facts.value_or(nullptr)}};
}

ViewAnswer read_cluster_name(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return text(as<ClusterFacts>(object).cluster->name);
}
ViewAnswer read_age(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(as<ClusterFacts>(object).age);
}
ViewAnswer read_default_partition(RuleView& /*view*/, const ViewObject& object,
                                  ErrorText& /*error*/) noexcept {
    return text(as<ClusterFacts>(object).default_partition);
}
ViewAnswer read_partitions(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return {.names = as<ClusterFacts>(object).partitions};
}

/// MiB per node or per CPU; nil if the other one, or none, is set.
template <std::optional<model::Memory> model::Cluster::*member, bool per_cpu>
ViewAnswer read_cluster_memory(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    const auto& memory = as<ClusterFacts>(object).cluster->*member;
    return memory && memory->per_cpu == per_cpu ? number(memory->mib) : ViewAnswer{};
}

ViewAnswer read_max_array_size(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(as<ClusterFacts>(object).cluster->max_array_size);
}

// ---- view.user, view.sender ----------------------------------------------------------------------------

template <WhichUser which>
ViewAnswer read_user(RuleView& view, const ViewObject& /*object*/, ErrorText& error) noexcept {
    const auto record = ask(error, [&] { return view.user(which); });
    return {.object = {ViewKind::user, record.value_or(nullptr)}};
}

template <std::string quota::UserRecord::*member>
ViewAnswer read_user_text(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return text(as<quota::UserRecord>(object).*member);
}
ViewAnswer read_uid(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(as<quota::UserRecord>(object).id);
}
ViewAnswer read_admin_level(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    switch (as<quota::UserRecord>(object).level) {
    case quota::AdminLevel::none: break;
    case quota::AdminLevel::operators: return text("operator");
    case quota::AdminLevel::administrator: return text("administrator");
    }
    return text("none");
}

ViewAnswer read_groups(RuleView& view, const ViewObject& object, ErrorText& error) noexcept {
    const auto names = ask(error, [&] { return view.groups(as<quota::UserRecord>(object).id); });
    return {.names = names.value_or(std::span<const std::string>())};
}

ViewAnswer find_group(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                      ErrorText& error) noexcept {
    const auto names = read_groups(view, object, error).names;
    return view::flag(std::ranges::find(names, arguments.name) != names.end());
}

ViewAnswer find_coordinated(RuleView& /*view*/, const ViewObject& object, const CallArguments& arguments,
                            ErrorText& error) noexcept {
    const auto& user = as<quota::UserRecord>(object);
    const auto is_named = [&](const std::string& own) { return qg::text::iequals(own, arguments.name); };
    const bool is_found = std::ranges::any_of(user.coordinates, is_named);
    if (!is_found && user.coordinates_more)
        error.assign(
            "whether the user coordinates this account is not known: the user coordinates more accounts "
            "than rules read");
    return view::flag(is_found);
}

// ---- view.client ---------------------------------------------------------------------------------------

ViewAnswer read_client(RuleView& view, const ViewObject& /*object*/, ErrorText& error) noexcept {
    if (view.client == nullptr)
        error.assign("view.client is known only while client = function(options, view) is run");
    return {.object = {ViewKind::client, view.client}};
}

ViewAnswer read_command(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return text(as<ClientHost>(object).command());
}
ViewAnswer read_interactive(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return view::flag(as<ClientHost>(object).is_interactive());
}
ViewAnswer read_work_dir(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return text(as<ClientHost>(object).work_dir());
}

ViewAnswer find_variable(RuleView& /*view*/, const ViewObject& object, const CallArguments& arguments,
                         ErrorText& error) noexcept {
    const auto value = as<ClientHost>(object).variable(arguments.name);
    if (!value) return {};
    if (value->size() > max_option_bytes) error.assign("the value of this variable is too long for a rule");
    return {.value = {Value::Kind::text, 0, *value}}; // also an empty one
}

// ---- tables --------------------------------------------------------------------------------------------

constexpr auto fields_of_view = std::to_array<ViewField>({
    {"now", ViewType::object, "the time of the decision", &read_now, ViewKind::now},
    {"cluster", ViewType::object, "the cluster", &read_cluster, ViewKind::cluster},
    {"user", ViewType::object, "the job's owner", &read_user<WhichUser::owner>, ViewKind::user},
    {"sender", ViewType::object, "the user who sends the request", &read_user<WhichUser::sender>,
     ViewKind::user},
    {"client", ViewType::object, "the command that is run; only in client = function(options, view)",
     &read_client, ViewKind::client},
});

constexpr auto fields_of_now = std::to_array<ViewField>({
    {"seconds", ViewType::count, "seconds since 1970", &read_seconds},
    {"hour", ViewType::count, "0 to 23", &read_time<&std::tm::tm_hour>},
    {"minute", ViewType::count, "0 to 59", &read_time<&std::tm::tm_min>},
    {"weekday", ViewType::count, "1 is Monday, 7 is Sunday", &read_weekday},
    {"day", ViewType::count, "of the month, from 1", &read_time<&std::tm::tm_mday>},
    {"month", ViewType::count, "1 to 12", &read_time<&std::tm::tm_mon, 1>},
    {"year", ViewType::count, "with four digits", &read_time<&std::tm::tm_year, 1900>},
});

constexpr auto fields_of_cluster = std::to_array<ViewField>({
    {"name", ViewType::text, "ClusterName", &read_cluster_name},
    {"age", ViewType::count, "seconds since slurmctld last told what it has", &read_age},
    {"default_partition", ViewType::text, "its name; nil: there is none", &read_default_partition},
    {"partitions", ViewType::names, "the names of all partitions, also of hidden ones", &read_partitions},
    {"DefMemPerCPU", ViewType::count, "in MiB; nil: not set",
     &read_cluster_memory<&model::Cluster::default_memory, true>},
    {"DefMemPerNode", ViewType::count, "the same; nil: not set",
     &read_cluster_memory<&model::Cluster::default_memory, false>},
    {"MaxMemPerCPU", ViewType::count, "in MiB; nil: unlimited",
     &read_cluster_memory<&model::Cluster::max_memory, true>},
    {"MaxMemPerNode", ViewType::count, "the same; nil: unlimited",
     &read_cluster_memory<&model::Cluster::max_memory, false>},
    {"MaxArraySize", ViewType::count, "one more than the highest index of an array", &read_max_array_size},
});

constexpr auto fields_of_user = std::to_array<ViewField>({
    {"name", ViewType::text, "the login name; nil: accounting does not know the user",
     &read_user_text<&quota::UserRecord::name>},
    {"uid", ViewType::count, "the user id", &read_uid},
    {"admin_level", ViewType::text, "AdminLevel: none, operator or administrator", &read_admin_level},
    {"default_account", ViewType::text, "the default account; nil: none",
     &read_user_text<&quota::UserRecord::default_account>},
    {"groups", ViewType::some_names, "the names of the user's Linux groups, the primary one first",
     &read_groups},
});
constexpr auto functions_of_user = std::to_array<ViewFunction>({
    {"coordinates", "view.user.coordinates(account)", "whether the user coordinates the account",
     ViewType::flag, &find_coordinated},
    {"in_group", "view.user.in_group(name)", "whether the user is in the Linux group", ViewType::flag,
     &find_group, ViewCall::with_name, 100},
});

constexpr auto fields_of_client = std::to_array<ViewField>({
    {"command", ViewType::text, "sbatch, salloc, srun or scrontab", &read_command},
    {"interactive", ViewType::flag, "whether the command reads from a terminal", &read_interactive},
    {"work_dir", ViewType::text, "the directory in which the command was started; nil: it cannot be told",
     &read_work_dir},
});
constexpr auto functions_of_client = std::to_array<ViewFunction>({
    {"env", "view.client.env(name)", "a variable of the user's environment; nil: it is not set",
     ViewType::text, &find_variable, ViewCall::with_name, 200},
});

constexpr auto functions_of_view = std::to_array<ViewFunction>({
    {"partition", "view.partition(name)", "a partition; nil: there is none of this name", ViewType::object,
     &view::find_partition, ViewCall::with_name, 20, ViewKind::partition},
    {"qos", "view.qos(name)", "a QOS; nil: there is none of this name", ViewType::object, &view::find_qos,
     ViewCall::with_name, 500, ViewKind::qos},
    {"qos_allowed", "view.qos_allowed()", "the names of the QOSs that the job's association may use",
     ViewType::some_names, &view::list_allowed_qos, ViewCall::with_nothing, 500},
    {"accounts", "view.accounts()", "the names of the accounts in which the job's owner has an association",
     ViewType::some_names, &view::list_accounts, ViewCall::with_nothing, 500},
    {"association", "view.association()", "the job's association; nil: there is none", ViewType::object,
     &view::find_association, ViewCall::with_nothing, 500, ViewKind::association},
    {"jobs", "view.jobs{ ... }", "how many jobs there are of a QOS, account or user", ViewType::count,
     &view::count_jobs, ViewCall::with_filter, 500},
    {"reservation", "view.reservation(name)", "a reservation; nil: there is none of this name",
     ViewType::object, &view::find_reservation, ViewCall::with_name, 100, ViewKind::reservation},
});

constexpr std::array own_tables{
    view::KindTable{ViewKind::view, "view", fields_of_view, functions_of_view},
    view::KindTable{ViewKind::now, "view.now", fields_of_now},
    view::KindTable{ViewKind::cluster, "view.cluster", fields_of_cluster},
    view::KindTable{ViewKind::user, "view.user", fields_of_user, functions_of_user},
    view::KindTable{ViewKind::client, "view.client", fields_of_client, functions_of_client},
    view::KindTable{ViewKind::tres, "view.tres", {}},
};

const view::KindTable& table_of(ViewKind kind) noexcept {
    static const auto tables = [] {
        std::array<const view::KindTable*, view_kind_count> by_kind{};
        for (std::size_t i = 0; i < view_kind_count; ++i) {
            const auto one = static_cast<ViewKind>(i);
            by_kind[i] = view::find_record_table(one);
            if (by_kind[i] == nullptr)
                by_kind[i] = std::ranges::find(own_tables, one, &view::KindTable::kind);
        }
        return by_kind;
    }();
    return *tables[static_cast<std::size_t>(kind)];
}

template <typename Row>
const Row* find_named(std::span<const Row> rows, std::string_view name) noexcept {
    const auto found = std::ranges::find(rows, name, &Row::name);
    return found == rows.end() ? nullptr : &*found;
}

bool may_be_nil(ViewType type, std::string_view description) noexcept {
    return type == ViewType::names || description.find("nil: ") != std::string_view::npos;
}

} // namespace

std::span<const ViewField> view_fields(ViewKind kind) noexcept {
    return table_of(kind).fields;
}

const ViewField* find_view_field(ViewKind kind, std::string_view name) noexcept {
    return find_named(view_fields(kind), name);
}

std::span<const ViewFunction> view_functions(ViewKind kind) noexcept {
    return table_of(kind).functions;
}

const ViewFunction* find_view_function(ViewKind kind, std::string_view name) noexcept {
    return find_named(view_functions(kind), name);
}

const char* name_of(ViewKind kind) noexcept {
    return table_of(kind).name;
}

bool may_be_nil(const ViewField& field) noexcept {
    return field.is_limit || may_be_nil(field.type, field.description);
}

bool may_be_nil(const ViewFunction& function) noexcept {
    return may_be_nil(function.type, function.description);
}

std::string describe_unknown_view_field(ViewKind kind, std::string_view name) {
    std::vector<std::string> names;
    for (const ViewField& field : view_fields(kind))
        names.emplace_back(field.name);
    for (const ViewFunction& function : view_functions(kind))
        names.emplace_back(function.name);
    return qg::text::format("unknown field '{}' of {}{}{}", qg::text::printable(name, 60), name_of(kind),
                            qg::text::did_you_mean(name, names), list_or_pointer(names));
}

} // namespace qg::policy
