// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/view_table.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/objects/client_binding.hpp"
#include "qosgate/policy/objects/view_answers.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>
#include <vector>

namespace qg::policy {
namespace {

using model::Association;
using model::LimitFacts;
using model::Partition;
using model::Reservation;
using model::Usage;
using quota::UserRecord;
using view::as;
using view::field;
using view::function;
using view::TresTable;

using Names = std::span<const std::string>;

/// MiB per node or per CPU; empty if the other one, or none, is set.
std::optional<std::uint64_t> memory_per(const std::optional<model::Memory>& memory, bool per_cpu) {
    return memory && memory->per_cpu == per_cpu ? std::optional(memory->mib) : std::nullopt;
}

// ---- view.now ------------------------------------------------------------------------------------------

Result<const std::tm*> get_now(RuleView& view, const ViewObject& /*object*/) {
    return view.local_time();
}
Result<std::uint64_t> get_seconds(RuleView& view, const ViewObject& /*object*/) {
    const auto now = view.now();
    if (!now) return now.error();
    return static_cast<std::uint64_t>(*now);
}
/// A part of the local time, and the number of its first value where std::tm has 0.
template <int std::tm::*part, int first = 0>
std::uint64_t get_time(const std::tm& time) {
    return static_cast<std::uint64_t>(time.*part + first);
}
std::uint64_t get_weekday(const std::tm& time) {
    return time.tm_wday == 0 ? 7u : static_cast<std::uint64_t>(time.tm_wday); // from Sunday on
}

constexpr auto fields_of_now = std::to_array<ViewField>({
    field<&get_seconds>("seconds", "seconds since 1970"),
    field<&get_time<&std::tm::tm_hour>>("hour", "0 to 23"),
    field<&get_time<&std::tm::tm_min>>("minute", "0 to 59"),
    field<&get_weekday>("weekday", "1 is Monday, 7 is Sunday"),
    field<&get_time<&std::tm::tm_mday>>("day", "of the month, from 1"),
    field<&get_time<&std::tm::tm_mon, 1>>("month", "1 to 12"),
    field<&get_time<&std::tm::tm_year, 1900>>("year", "with four digits"),
});

// ---- view.cluster --------------------------------------------------------------------------------------

Result<const ClusterFacts*> get_cluster(RuleView& view, const ViewObject& /*object*/) {
    return view.cluster();
}
std::string_view get_cluster_name(const ClusterFacts& facts) {
    return facts.cluster->name;
}
std::uint64_t get_max_array_size(const ClusterFacts& facts) {
    return facts.cluster->max_array_size;
}
template <std::optional<model::Memory> model::Cluster::*member, bool per_cpu>
std::optional<std::uint64_t> get_cluster_memory(const ClusterFacts& facts) {
    return memory_per(facts.cluster->*member, per_cpu);
}

constexpr auto fields_of_cluster = std::to_array<ViewField>({
    field<&get_cluster_name>("name", "ClusterName"),
    field<&ClusterFacts::age>("age", "seconds since slurmctld last reported what it has"),
    field<&ClusterFacts::default_partition>("default_partition", "its name; nil: there is none"),
    field<&ClusterFacts::partitions>("partitions", "the names of all partitions, also of hidden ones"),
    field<&get_cluster_memory<&model::Cluster::default_memory, true>>("DefMemPerCPU", "in MiB; nil: not set"),
    field<&get_cluster_memory<&model::Cluster::default_memory, false>>("DefMemPerNode",
                                                                       "the same; nil: not set"),
    field<&get_cluster_memory<&model::Cluster::max_memory, true>>("MaxMemPerCPU", "in MiB; nil: unlimited"),
    field<&get_cluster_memory<&model::Cluster::max_memory, false>>("MaxMemPerNode",
                                                                   "the same; nil: unlimited"),
    field<&get_max_array_size>("MaxArraySize", "one more than the highest index of an array"),
});

// ---- view.user, view.sender ----------------------------------------------------------------------------

template <WhichUser which>
Result<const UserRecord*> get_user(RuleView& view, const ViewObject& /*object*/) {
    return view.user(which);
}
std::string_view get_admin_level(const UserRecord& user) {
    switch (user.level) {
    case quota::AdminLevel::none: break;
    case quota::AdminLevel::operators: return "operator";
    case quota::AdminLevel::administrator: return "administrator";
    }
    return "none";
}
Result<Names> get_groups(RuleView& view, const ViewObject& object) {
    return view.groups(as<UserRecord>(object).id);
}
Result<bool> is_in_group(RuleView& view, const ViewObject& object, const CallArguments& arguments) {
    const auto names = get_groups(view, object);
    if (!names) return names.error();
    return std::ranges::find(*names, arguments.name) != names->end();
}
Result<bool> is_coordinated(RuleView& /*view*/, const ViewObject& object, const CallArguments& arguments) {
    const auto& user = as<UserRecord>(object);
    const auto is_named = [&](const std::string& own) { return text::iequals(own, arguments.name); };
    const bool is_found = std::ranges::any_of(user.coordinates, is_named);
    if (!is_found && user.coordinates_more)
        return Error{ErrorCode::unavailable,
                     "whether the user coordinates this account is not known: the user coordinates more "
                     "accounts than rules read"};
    return is_found;
}

constexpr auto fields_of_user = std::to_array<ViewField>({
    field<&UserRecord::name>("name", "the login name; nil: accounting does not know the user"),
    field<&UserRecord::id>("uid", "the user id"),
    field<&get_admin_level>("admin_level", "AdminLevel: none, operator or administrator"),
    field<&UserRecord::default_account>("default_account", "the default account; nil: none"),
    field<&get_groups>("groups", "the names of the user's Linux groups, the primary one first"),
});
constexpr auto functions_of_user = std::to_array<ViewFunction>({
    function<&is_coordinated>("coordinates", "view.user.coordinates(account)",
                              "whether the user coordinates the account", ViewCall::with_name, 20),
    function<&is_in_group>("in_group", "view.user.in_group(name)", "whether the user is in the Linux group",
                           ViewCall::with_name, 100),
});

// ---- view.client ---------------------------------------------------------------------------------------

Result<const ClientHost*> get_client(RuleView& view, const ViewObject& /*object*/) {
    if (view.client != nullptr) return view.client;
    return Error{ErrorCode::unavailable,
                 "view.client is known only while client = function(options, view) is run"};
}
std::string_view get_command(const ClientHost& client) {
    return client.command();
}
bool is_interactive(const ClientHost& client) {
    return client.is_interactive();
}
std::string_view get_work_dir(const ClientHost& client) {
    return client.work_dir();
}
Result<view::PossibleText> get_variable(RuleView& /*view*/, const ViewObject& object,
                                        const CallArguments& arguments) {
    const auto value = as<ClientHost>(object).variable(arguments.name);
    if (value && value->size() > max_option_bytes)
        return Error{ErrorCode::limit_exceeded, "the value of this variable is too long for a rule"};
    return value;
}

constexpr auto fields_of_client = std::to_array<ViewField>({
    field<&get_command>("command", "sbatch, salloc, srun or scrontab"),
    field<&is_interactive>("interactive", "whether the command reads from a terminal"),
    field<&get_work_dir>("work_dir", "the directory in which the command was started; nil: it is not known"),
});
constexpr auto functions_of_client = std::to_array<ViewFunction>({
    function<&get_variable>("env", "view.client.env(name)",
                            "a variable of the user's environment; nil: it is not set", ViewCall::with_name,
                            200),
});

// ---- partitions ----------------------------------------------------------------------------------------

template <std::optional<std::uint32_t> Partition::*member>
view::Maximum get_maximum(const Partition& partition) {
    return {partition.*member};
}
template <std::optional<model::Memory> Partition::*member, bool per_cpu>
std::optional<std::uint64_t> get_memory(const Partition& partition) {
    return memory_per(partition.*member, per_cpu);
}
std::string_view get_state(const Partition& partition) {
    if (partition.takes_jobs) return partition.starts_jobs ? "UP" : "DOWN";
    return partition.starts_jobs ? "DRAIN" : "INACTIVE";
}

constexpr auto fields_of_partition = std::to_array<ViewField>({
    field<&Partition::name>("name", "its name"),
    field<&Partition::is_default>("Default", "whether jobs get it that name none"),
    field<&get_state>("State", "UP, DOWN, DRAIN or INACTIVE"),
    field<&Partition::max_time>("MaxTime", "math.huge: unlimited"),
    field<&Partition::default_time>("DefaultTime", "nil: not set, jobs get MaxTime"),
    field<&Partition::min_nodes>("MinNodes", "of a job"),
    field<&get_maximum<&Partition::max_nodes>>("MaxNodes", "of a job; math.huge: unlimited"),
    field<&get_maximum<&Partition::max_cpus_per_node>>("MaxCPUsPerNode", "of a job; math.huge: unlimited"),
    field<&get_memory<&Partition::default_memory, true>>("DefMemPerCPU",
                                                         "in MiB; nil: not set here, see view.cluster"),
    field<&get_memory<&Partition::default_memory, false>>("DefMemPerNode", "in MiB; nil: likewise"),
    field<&get_memory<&Partition::max_memory, true>>("MaxMemPerCPU", "in MiB; nil: likewise"),
    field<&get_memory<&Partition::max_memory, false>>("MaxMemPerNode", "in MiB; nil: likewise"),
    field<&Partition::cpus_per_gpu>("DefCpuPerGPU",
                                    "CPUs for each GPU of a job that asks for none; nil: not set"),
    field<&Partition::memory_per_gpu_mib>("DefMemPerGPU", "memory likewise, in MiB; nil: not set"),
    field<&Partition::qos>("QoS", "the partition's QOS; nil: none"),
    field<&Partition::allow_qos>("AllowQos", "nil: all"),
    field<&Partition::deny_qos>("DenyQos", "nil: none"),
    field<&Partition::allow_accounts>("AllowAccounts", "nil: every account"),
    field<&Partition::deny_accounts>("DenyAccounts", "nil: no account"),
    field<&Partition::allow_groups>("AllowGroups", "Linux groups; nil: everybody"),
    field<&Partition::is_hidden>("Hidden", "whether users do not see it"),
    field<&Partition::is_for_root>("RootOnly", "whether only root may use it"),
    field<&Partition::needs_reservation>("ReqResv", "whether jobs must name a reservation"),
    field<&Partition::priority_tier>("PriorityTier", "partitions with a higher one are tried first"),
    field<&Partition::priority_job_factor>(
        "PriorityJobFactor", "what it adds to the priority of its jobs, by PriorityWeightPartition"),
    field<&Partition::total_nodes>("TotalNodes", "nodes that it has"),
    field<&Partition::total_cpus>("TotalCPUs", "CPUs of these"),
});

// ---- limits --------------------------------------------------------------------------------------------

const model::Limits& limits_of(const QosFacts& facts) noexcept {
    return facts.qos.limits;
}
const model::Limits& limits_of(const Association& association) noexcept {
    return association.limits;
}

template <model::TresLimit limit>
std::optional<std::uint64_t> count_limit(const void* limits, std::size_t index) noexcept {
    return static_cast<const model::Limits*>(limits)->get(limit, index);
}

template <typename Owner, std::size_t row>
auto get_limit(const Owner& owner) {
    constexpr model::LimitId limit = model::limit_facts[row].limit;
    const model::Limits& limits = limits_of(owner);
    if constexpr (std::holds_alternative<model::TresLimit>(limit))
        return TresTable{&limits, &count_limit<std::get<model::TresLimit>(limit)>};
    else
        return limits.get(std::get<model::CountLimit>(limit));
}

template <typename Owner, std::size_t row>
constexpr ViewField limit_field() {
    const LimitFacts& facts = model::limit_facts[row];
    ViewField limit = field<&get_limit<Owner, row>>(facts.name, facts.words.meaning);
    limit.is_limit = limit.type != ViewType::object;
    if (limit.is_limit && facts.measure == model::LimitMeasure::wall) limit.type = ViewType::minutes;
    return limit;
}

using IsSetBy = bool (LimitFacts::*)() const noexcept;

/// Some fields and a field for each limit that this kind of owner can set.
template <typename Owner, IsSetBy is_set_by, std::size_t count>
constexpr auto with_limits(const std::array<ViewField, count>& others) noexcept {
    constexpr auto limits = static_cast<std::size_t>(std::ranges::count_if(model::limit_facts, is_set_by));
    std::array<ViewField, count + limits> all{};
    auto at = std::ranges::copy(others, all.begin()).out;
    [&]<std::size_t... row>(std::index_sequence<row...>) {
        ((std::invoke(is_set_by, model::limit_facts[row]) ? void(*at++ = limit_field<Owner, row>()) : void()),
         ...);
    }
    (std::make_index_sequence<model::limit_facts.size()>());
    return all;
}

// ---- usage, and what limits leave ----------------------------------------------------------------------

template <model::TresCounts Usage::*member>
TresTable get_used(const Usage& usage) {
    return {&usage, [](const void* data, std::size_t index) noexcept {
                return std::optional(model::count_at(static_cast<const Usage*>(data)->*member, index));
            }};
}
template <QosHeadroom::Counts QosHeadroom::*member>
TresTable get_left(const QosHeadroom& headroom) {
    return {&headroom, [](const void* data, std::size_t index) noexcept {
                const QosHeadroom::Counts& counts = static_cast<const QosHeadroom*>(data)->*member;
                return index < counts.size() ? counts[index] : std::nullopt;
            }};
}

constexpr auto fields_of_usage = std::to_array<ViewField>({
    field<&Usage::jobs>("jobs", "running jobs"),
    field<&Usage::submit_jobs>("submit_jobs", "pending and running jobs, array tasks counted singly"),
    field<&get_used<&Usage::tres>>("tres", "TRES of the running jobs"),
    field<&get_used<&Usage::tres_run_minutes>>("tres_run_minutes",
                                               "TRES times minutes that running jobs may still use"),
    field<&get_used<&Usage::tres_minutes>>("tres_minutes", "TRES times minutes used so far"),
    field<&Usage::wall_minutes>("wall_minutes", "minutes that jobs have run"),
});

constexpr auto fields_of_headroom = std::to_array<ViewField>({
    field<&QosHeadroom::jobs>("jobs", "more jobs that may run; nil: unlimited"),
    field<&QosHeadroom::submit_jobs>("submit_jobs", "more jobs that may be submitted; nil: unlimited"),
    field<&get_left<&QosHeadroom::tres>>("tres", "more TRES that running jobs may use"),
    field<&get_left<&QosHeadroom::tres_run_minutes>>(
        "tres_run_minutes", "more TRES times minutes that running jobs may still use"),
    field<&get_left<&QosHeadroom::tres_minutes>>("tres_minutes", "what is left of TRES times minutes"),
    field<&QosHeadroom::wall_minutes>("wall_minutes", "minutes that jobs may still run; nil: unlimited"),
});

// ---- QOSs ----------------------------------------------------------------------------------------------

std::string_view get_qos_name(const QosFacts& facts) {
    return facts.qos.name;
}
std::uint32_t get_priority(const QosFacts& facts) {
    return facts.qos.priority;
}
const model::QosFlags* get_flags(const QosFacts& facts) {
    return &facts.qos.flags;
}
/// The facts of a QOS, which belong to the view and keep what is asked of them.
QosFacts& facts_of(const ViewObject& object) noexcept {
    return *static_cast<QosFacts*>(const_cast<void*>(object.data)); // RuleView::qos() gave it
}
template <Usage model::Qos::*member>
Result<const Usage*> get_qos_usage(RuleView& view, const ViewObject& object) {
    const auto qos = view.with_usage(facts_of(object));
    if (!qos) return qos.error();
    return &((*qos)->*member);
}

constexpr auto fields_of_qos = with_limits<QosFacts, &LimitFacts::is_of_qos>(std::to_array<ViewField>({
    field<&get_qos_name>("name", "its name as accounting writes it"),
    field<&get_priority>("Priority", "of its jobs"),
    field<&get_flags>("Flags", "its flags"),
    field<&get_qos_usage<&model::Qos::usage>>("usage", "of all its jobs"),
    field<&get_qos_usage<&model::Qos::user_usage>>("user_usage", "of the jobs of the user"),
    field<&get_qos_usage<&model::Qos::account_usage>>("account_usage", "of the jobs of the account"),
}));

constexpr auto flags_on_the_way = [](const model::QosFlagFacts& facts) { return facts.member != nullptr; };

/// A field for each flag that may affect a job's way.
constexpr auto fields_of_flags = [] {
    std::array<ViewField, std::ranges::count_if(model::qos_flag_facts, flags_on_the_way)> all{};
    auto at = all.begin();
    [&]<std::size_t... row>(std::index_sequence<row...>) {
        const auto add = [&]<std::size_t one>() {
            constexpr model::QosFlagFacts facts = model::qos_flag_facts[one];
            if constexpr (facts.member != nullptr) *at++ = field<facts.member>(facts.name, facts.help);
        };
        (add.template operator()<row>(), ...);
    }
    (std::make_index_sequence<model::qos_flag_facts.size()>());
    return all;
}();

const QosHeadroom* get_headroom(RuleView& /*view*/, const ViewObject& object,
                                const CallArguments& /*arguments*/) {
    QosFacts& facts = facts_of(object);
    if (!facts.headroom) facts.headroom = headroom_of(facts.qos, facts.enforces_safe);
    return &*facts.headroom;
}
Result<view::Verdict> judge_fit(RuleView& view, const ViewObject& object, const CallArguments& arguments) {
    const auto why_not = view.why_not(*arguments.job, facts_of(object));
    if (!why_not) return why_not.error();
    return view::Verdict{*why_not};
}

constexpr auto functions_of_qos = std::to_array<ViewFunction>({
    function<&get_headroom>("headroom", "qos:headroom()", "what its limits leave for the user now",
                            ViewCall::on_itself, 100),
    function<&judge_fit>("fits", "qos:fits(job)",
                         "whether the job would be accepted and start in this QOS; if not, also why",
                         ViewCall::with_job, 5000),
});

// ---- associations and reservations ---------------------------------------------------------------------

const Usage* get_association_usage(const Association& association) {
    return &association.usage;
}
const Association* get_parent(const Association& association) {
    return association.level == model::AssociationLevel::root ? nullptr : &association + 1;
}

constexpr auto fields_of_association =
    with_limits<Association, &LimitFacts::is_of_association>(std::to_array<ViewField>({
        field<&Association::account>("account", "its account"),
        field<&Association::user>("user", "its user; nil: it is an account's"),
        field<&Association::partition>("partition", "its partition; nil: it is for all"),
        field<&get_association_usage>("usage", "of its jobs, and of those below it"),
        field<&get_parent>("parent", "the association above it; nil: it is the root"),
    }));

constexpr auto fields_of_reservation = std::to_array<ViewField>({
    field<&Reservation::name>("name", "its name"),
    field<&Reservation::users>("Users",
                               "who may use it; a minus in front excludes; nil: the accounts decide"),
    field<&Reservation::accounts>("Accounts", "the same for accounts; nil: the users decide"),
    field<&Reservation::partition>("PartitionName", "its partition; nil: none is named"),
    field<&Reservation::start_time>("StartTime",
                                    "in seconds since 1970; of a repeated one the next; nil: not known"),
    field<&Reservation::end_time>("EndTime", "the same; nil: not known"),
});

// ---- view ----------------------------------------------------------------------------------------------

Result<const Partition*> find_partition(RuleView& view, const ViewObject& /*object*/,
                                        const CallArguments& arguments) {
    return view.partition(arguments.name);
}
Result<QosFacts*> find_qos(RuleView& view, const ViewObject& /*object*/, const CallArguments& arguments) {
    return view.qos(arguments.name);
}
Result<Names> list_allowed_qos(RuleView& view, const ViewObject& /*object*/,
                               const CallArguments& /*arguments*/) {
    return view.allowed_qos();
}
Result<Names> list_accounts(RuleView& view, const ViewObject& /*object*/,
                            const CallArguments& /*arguments*/) {
    return view.accounts();
}
Result<const Association*> find_association(RuleView& view, const ViewObject& /*object*/,
                                            const CallArguments& /*arguments*/) {
    const auto chain = view.associations();
    if (!chain) return chain.error();
    return chain->empty() ? nullptr : &chain->front();
}
Result<std::uint64_t> count_jobs(RuleView& view, const ViewObject& /*object*/,
                                 const CallArguments& arguments) {
    return view.count_jobs(arguments.filter);
}
Result<const Reservation*> find_reservation(RuleView& view, const ViewObject& /*object*/,
                                            const CallArguments& arguments) {
    return view.reservation(arguments.name);
}

constexpr auto fields_of_view = std::to_array<ViewField>({
    field<&get_now>("now", "the time of the decision"),
    field<&get_cluster>("cluster", "the cluster"),
    field<&get_user<WhichUser::owner>>("user", "the job's owner"),
    field<&get_user<WhichUser::sender>>("sender", "the user who sends the request"),
    field<&get_client>("client", "the command that is run; only in client = function(options, view)"),
});
constexpr auto functions_of_view = std::to_array<ViewFunction>({
    function<&find_partition>("partition", "view.partition(name)",
                              "a partition; nil: there is none of this name", ViewCall::with_name, 20),
    function<&find_qos>("qos", "view.qos(name)", "a QOS; nil: there is none of this name",
                        ViewCall::with_name, 500),
    function<&list_allowed_qos>("qos_allowed", "view.qos_allowed()",
                                "the names of the QOSs that the job's association may use",
                                ViewCall::with_nothing, 500),
    function<&list_accounts>("accounts", "view.accounts()",
                             "the names of the accounts in which the job's owner has an association",
                             ViewCall::with_nothing, 500),
    function<&find_association>("association", "view.association()",
                                "the job's association; nil: there is none", ViewCall::with_nothing, 500),
    function<&count_jobs>("jobs", "view.jobs{ ... }", "how many jobs there are of a QOS, account or user",
                          ViewCall::with_filter, 500),
    function<&find_reservation>("reservation", "view.reservation(name)",
                                "a reservation; nil: there is none of this name", ViewCall::with_name, 100),
});

// ---- kinds ---------------------------------------------------------------------------------------------

struct KindTable {
    ViewKind kind;
    const char* name;
    std::span<const ViewField> fields = {};
    std::span<const ViewFunction> functions = {};
};

constexpr std::array kinds{
    KindTable{ViewKind::view, "view", fields_of_view, functions_of_view},
    KindTable{ViewKind::now, "view.now", fields_of_now},
    KindTable{ViewKind::cluster, "view.cluster", fields_of_cluster},
    KindTable{ViewKind::user, "view.user", fields_of_user, functions_of_user},
    KindTable{ViewKind::partition, "view.partition", fields_of_partition},
    KindTable{ViewKind::qos, "view.qos", fields_of_qos, functions_of_qos},
    KindTable{ViewKind::association, "view.association", fields_of_association},
    KindTable{ViewKind::reservation, "view.reservation", fields_of_reservation},
    KindTable{ViewKind::usage, "view.usage", fields_of_usage},
    KindTable{ViewKind::headroom, "view.headroom", fields_of_headroom},
    KindTable{ViewKind::flags, "view.flags", fields_of_flags},
    KindTable{ViewKind::client, "view.client", fields_of_client, functions_of_client},
    KindTable{ViewKind::tres, "view.tres"},
};

constexpr const KindTable& table_of(ViewKind kind) noexcept {
    return kinds[static_cast<std::size_t>(kind)];
}
static_assert(kinds.size() == view_kind_count &&
                  std::ranges::all_of(kinds,
                                      [](const KindTable& table) { return &table == &table_of(table.kind); }),
              "the tables are in the order of ViewKind");

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
    return text::format("unknown field '{}' of {}{}{}", text::printable(name, 60), name_of(kind),
                        text::did_you_mean(name, names), list_or_pointer(names));
}

} // namespace qg::policy
