// SPDX-License-Identifier: GPL-2.0-or-later
//
// The tables of `view` for QOSs, associations and reservations.
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/policy/objects/view_answers.hpp"

#include <array>
#include <string>
#include <vector>

namespace qg::policy::view {
namespace {

using model::Association;
using model::LimitFacts;
using model::LimitMeasure;
using model::Usage;

/// An object of the kind `tres`.
ViewAnswer tres(const void* data,
                std::optional<std::uint64_t> (*count)(const void* data, std::size_t tres) noexcept) noexcept {
    return {.object = {.kind = ViewKind::tres, .data = data, .count = count}};
}

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
ViewAnswer read_limit(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    constexpr model::LimitId limit = model::limit_facts[row].limit;
    const model::Limits& limits = limits_of(as<Owner>(object));
    if constexpr (std::holds_alternative<model::TresLimit>(limit))
        return tres(&limits, &count_limit<std::get<model::TresLimit>(limit)>);
    else
        return number(limits.get(std::get<model::CountLimit>(limit)));
}

constexpr ViewType type_of(const LimitFacts& facts) noexcept {
    if (std::holds_alternative<model::TresLimit>(facts.limit)) return ViewType::object;
    return facts.measure == LimitMeasure::wall ? ViewType::minutes : ViewType::count;
}

using IsSetBy = bool (LimitFacts::*)() const noexcept;

template <IsSetBy is_set_by>
constexpr std::size_t number_of_limits() noexcept {
    std::size_t count = 0;
    for (const LimitFacts& facts : model::limit_facts)
        count += (facts.*is_set_by)() ? 1 : 0;
    return count;
}

/// Some fields and a field for each limit that this kind of owner can set.
template <typename Owner, IsSetBy is_set_by, std::size_t count>
constexpr auto with_limits(const std::array<ViewField, count>& others) noexcept {
    std::array<ViewField, count + number_of_limits<is_set_by>()> all{};
    std::size_t at = 0;
    for (const ViewField& other : others)
        all[at++] = other;
    const auto add = [&]<std::size_t row>() {
        const LimitFacts& facts = model::limit_facts[row];
        if ((facts.*is_set_by)())
            all[at++] = {facts.name,          type_of(facts),
                         facts.words.meaning, &read_limit<Owner, row>,
                         ViewKind::tres,      type_of(facts) != ViewType::object};
    };
    [&]<std::size_t... row>(std::index_sequence<row...>) {
        (add.template operator()<row>(), ...);
    }
    (std::make_index_sequence<model::limit_facts.size()>());
    return all;
}

// ---- usage, and what limits leave ----------------------------------------------------------------------

template <std::uint64_t Usage::*member>
ViewAnswer read_used(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(as<Usage>(object).*member);
}
template <model::TresCounts Usage::*member>
ViewAnswer read_used_tres(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return tres(object.data, [](const void* usage, std::size_t index) noexcept {
        return std::optional(model::count_at(static_cast<const Usage*>(usage)->*member, index));
    });
}

constexpr auto fields_of_usage = std::to_array<ViewField>({
    {"jobs", ViewType::count, "running jobs", &read_used<&Usage::jobs>},
    {"submit_jobs", ViewType::count, "pending and running jobs, array tasks counted singly",
     &read_used<&Usage::submit_jobs>},
    {"tres", ViewType::object, "TRES of the running jobs", &read_used_tres<&Usage::tres>, ViewKind::tres},
    {"tres_run_minutes", ViewType::object, "TRES times minutes that running jobs may still use",
     &read_used_tres<&Usage::tres_run_minutes>, ViewKind::tres},
    {"tres_minutes", ViewType::object, "TRES times minutes used so far",
     &read_used_tres<&Usage::tres_minutes>, ViewKind::tres},
    {"wall_minutes", ViewType::count, "minutes that jobs have run", &read_used<&Usage::wall_minutes>},
});

template <std::optional<std::uint64_t> QosHeadroom::*member>
ViewAnswer read_headroom(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(as<QosHeadroom>(object).*member);
}
template <QosHeadroom::Counts QosHeadroom::*member>
ViewAnswer read_tres_headroom(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return tres(object.data, [](const void* headroom, std::size_t index) noexcept {
        const QosHeadroom::Counts& counts = static_cast<const QosHeadroom*>(headroom)->*member;
        return index < counts.size() ? counts[index] : std::nullopt;
    });
}

constexpr auto fields_of_headroom = std::to_array<ViewField>({
    {"jobs", ViewType::count, "more jobs that may run; nil: unlimited", &read_headroom<&QosHeadroom::jobs>},
    {"submit_jobs", ViewType::count, "more jobs that may be submitted; nil: unlimited",
     &read_headroom<&QosHeadroom::submit_jobs>},
    {"tres", ViewType::object, "more TRES that running jobs may use", &read_tres_headroom<&QosHeadroom::tres>,
     ViewKind::tres},
    {"tres_run_minutes", ViewType::object, "more TRES times minutes that running jobs may still use",
     &read_tres_headroom<&QosHeadroom::tres_run_minutes>, ViewKind::tres},
    {"tres_minutes", ViewType::object, "what is left of TRES times minutes",
     &read_tres_headroom<&QosHeadroom::tres_minutes>, ViewKind::tres},
    {"wall_minutes", ViewType::count, "minutes that jobs may still run; nil: unlimited",
     &read_headroom<&QosHeadroom::wall_minutes>},
});

// ---- QOSs ----------------------------------------------------------------------------------------------

ViewAnswer read_qos_name(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return text(as<QosFacts>(object).qos.name);
}
ViewAnswer read_priority(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return number(std::uint64_t{as<QosFacts>(object).qos.priority});
}
ViewAnswer read_flags(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return {.object = {.kind = ViewKind::flags, .data = &as<QosFacts>(object).qos.flags}};
}
/// The facts of a QOS, which belong to the view and keep what is asked of them.
QosFacts& facts_of(const ViewObject& object) noexcept {
    return *static_cast<QosFacts*>(const_cast<void*>(object.data)); // RuleView::qos() gave it
}
template <Usage model::Qos::*member>
ViewAnswer read_qos_usage(RuleView& view, const ViewObject& object, ErrorText& error) noexcept {
    const auto qos = ask(error, [&] { return view.with_usage(facts_of(object)); });
    return {.object = {.kind = ViewKind::usage, .data = qos ? &((*qos)->*member) : nullptr}};
}

constexpr auto fields_of_qos = with_limits<QosFacts, &LimitFacts::is_of_qos>(std::to_array<ViewField>({
    {"name", ViewType::text, "its name as accounting writes it", &read_qos_name},
    {"Priority", ViewType::count, "of its jobs", &read_priority},
    {"Flags", ViewType::object, "its flags", &read_flags, ViewKind::flags},
    {"usage", ViewType::object, "of all its jobs", &read_qos_usage<&model::Qos::usage>, ViewKind::usage},
    {"user_usage", ViewType::object, "of the jobs of the user", &read_qos_usage<&model::Qos::user_usage>,
     ViewKind::usage},
    {"account_usage", ViewType::object, "of the jobs of the account",
     &read_qos_usage<&model::Qos::account_usage>, ViewKind::usage},
}));

template <std::size_t row>
ViewAnswer read_flag(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    return flag(as<model::QosFlags>(object).*model::qos_flag_facts[row].member);
}

constexpr std::size_t flag_count = [] {
    std::size_t count = 0;
    for (const model::QosFlagFacts& facts : model::qos_flag_facts)
        count += facts.member != nullptr ? 1 : 0;
    return count;
}();

/// A field for each flag that may affect a job's way.
constexpr auto fields_of_flags = [] {
    std::array<ViewField, flag_count> all{};
    std::size_t at = 0;
    const auto add = [&]<std::size_t row>() {
        constexpr model::QosFlagFacts facts = model::qos_flag_facts[row];
        if constexpr (facts.member != nullptr)
            all[at++] = {facts.name, ViewType::flag, facts.help, &read_flag<row>};
    };
    [&]<std::size_t... row>(std::index_sequence<row...>) {
        (add.template operator()<row>(), ...);
    }
    (std::make_index_sequence<model::qos_flag_facts.size()>());
    return all;
}();

ViewAnswer give_headroom(RuleView& /*view*/, const ViewObject& object, const CallArguments& /*arguments*/,
                         ErrorText& error) noexcept {
    QosFacts& facts = facts_of(object);
    try {
        if (!facts.headroom) facts.headroom = headroom_of(facts.qos, facts.enforces_safe);
    } catch (...) {
        error.assign("out of memory");
        return {};
    }
    return {.object = {.kind = ViewKind::headroom, .data = &*facts.headroom}};
}

ViewAnswer judge_fit(RuleView& view, const ViewObject& object, const CallArguments& arguments,
                     ErrorText& error) noexcept {
    const auto why = ask(error, [&] { return view.why_not(*arguments.job, facts_of(object)); });
    return {.value = Value::of_flag(why && why->empty()), .reason = why.value_or(std::string_view())};
}

constexpr auto functions_of_qos = std::to_array<ViewFunction>({
    {"headroom", "qos:headroom()", "what its limits leave for the user now", ViewType::object, &give_headroom,
     ViewCall::on_itself, 100, ViewKind::headroom},
    {"fits", "qos:fits(job)", "whether the job would be accepted and start in this QOS; if not, also why",
     ViewType::flag, &judge_fit, ViewCall::with_job, 5000},
});

// ---- associations --------------------------------------------------------------------------------------

template <std::string Association::*member>
ViewAnswer read_association_text(RuleView& /*view*/, const ViewObject& object,
                                 ErrorText& /*error*/) noexcept {
    return text(as<Association>(object).*member);
}
ViewAnswer read_association_usage(RuleView& /*view*/, const ViewObject& object,
                                  ErrorText& /*error*/) noexcept {
    return {.object = {.kind = ViewKind::usage, .data = &as<Association>(object).usage}};
}
ViewAnswer read_parent(RuleView& /*view*/, const ViewObject& object, ErrorText& /*error*/) noexcept {
    const auto& association = as<Association>(object);
    const bool is_last = association.level == model::AssociationLevel::root;
    return {.object = {.kind = ViewKind::association, .data = is_last ? nullptr : &association + 1}};
}

constexpr auto fields_of_association =
    with_limits<Association, &LimitFacts::is_of_association>(std::to_array<ViewField>({
        {"account", ViewType::text, "its account", &read_association_text<&Association::account>},
        {"user", ViewType::text, "its user; nil: it is an account's",
         &read_association_text<&Association::user>},
        {"partition", ViewType::text, "its partition; nil: it is for all",
         &read_association_text<&Association::partition>},
        {"usage", ViewType::object, "of its jobs, and of those below it", &read_association_usage,
         ViewKind::usage},
        {"parent", ViewType::object, "the association above it; nil: it is the root", &read_parent,
         ViewKind::association},
    }));

// ---- reservations --------------------------------------------------------------------------------------

using model::Reservation;

template <std::string Reservation::*member>
ViewAnswer read_reservation_text(RuleView& /*view*/, const ViewObject& object,
                                 ErrorText& /*error*/) noexcept {
    return text(as<Reservation>(object).*member);
}
template <std::optional<std::uint64_t> Reservation::*member>
ViewAnswer read_reservation_time(RuleView& /*view*/, const ViewObject& object,
                                 ErrorText& /*error*/) noexcept {
    return number(as<Reservation>(object).*member);
}
template <std::vector<std::string> Reservation::*member>
ViewAnswer read_reservation_names(RuleView& /*view*/, const ViewObject& object,
                                  ErrorText& /*error*/) noexcept {
    return {.names = as<Reservation>(object).*member};
}

constexpr auto fields_of_reservation = std::to_array<ViewField>({
    {"name", ViewType::text, "its name", &read_reservation_text<&Reservation::name>},
    {"Users", ViewType::names, "who may use it; a minus in front excludes; nil: the accounts decide",
     &read_reservation_names<&Reservation::users>},
    {"Accounts", ViewType::names, "the same for accounts; nil: the users decide",
     &read_reservation_names<&Reservation::accounts>},
    {"PartitionName", ViewType::text, "its partition; nil: none is named",
     &read_reservation_text<&Reservation::partition>},
    {"StartTime", ViewType::count, "in seconds since 1970; of a repeated one the next; nil: not known",
     &read_reservation_time<&Reservation::start_time>},
    {"EndTime", ViewType::count, "the same; nil: not known", &read_reservation_time<&Reservation::end_time>},
});

} // namespace

const KindTable* find_record_table(ViewKind kind) noexcept {
    static const std::array tables{
        KindTable{ViewKind::partition, "view.partition", partition_fields()},
        KindTable{ViewKind::qos, "view.qos", fields_of_qos, functions_of_qos},
        KindTable{ViewKind::association, "view.association", fields_of_association},
        KindTable{ViewKind::reservation, "view.reservation", fields_of_reservation},
        KindTable{ViewKind::usage, "view.usage", fields_of_usage},
        KindTable{ViewKind::headroom, "view.headroom", fields_of_headroom},
        KindTable{ViewKind::flags, "view.flags", fields_of_flags},
    };
    for (const KindTable& table : tables)
        if (table.kind == kind) return &table;
    return nullptr;
}

ViewAnswer find_partition(RuleView& view, const ViewObject& /*object*/, const CallArguments& arguments,
                          ErrorText& error) noexcept {
    const auto found = ask(error, [&] { return view.partition(arguments.name); });
    return {.object = {.kind = ViewKind::partition, .data = found.value_or(nullptr)}};
}

ViewAnswer find_qos(RuleView& view, const ViewObject& /*object*/, const CallArguments& arguments,
                    ErrorText& error) noexcept {
    const auto found = ask(error, [&] { return view.qos(arguments.name); });
    return {.object = {.kind = ViewKind::qos, .data = found.value_or(nullptr)}};
}

ViewAnswer list_allowed_qos(RuleView& view, const ViewObject& /*object*/, const CallArguments& /*arguments*/,
                            ErrorText& error) noexcept {
    const auto names = ask(error, [&] { return view.allowed_qos(); });
    return {.names = names.value_or(std::span<const std::string>())};
}

ViewAnswer list_accounts(RuleView& view, const ViewObject& /*object*/, const CallArguments& /*arguments*/,
                         ErrorText& error) noexcept {
    const auto names = ask(error, [&] { return view.accounts(); });
    return {.names = names.value_or(std::span<const std::string>())};
}

ViewAnswer find_association(RuleView& view, const ViewObject& /*object*/, const CallArguments& /*arguments*/,
                            ErrorText& error) noexcept {
    const auto chain = ask(error, [&] { return view.associations(); });
    return {.object = {.kind = ViewKind::association,
                       .data = chain && !chain->empty() ? &chain->front() : nullptr}};
}

ViewAnswer count_jobs(RuleView& view, const ViewObject& /*object*/, const CallArguments& arguments,
                      ErrorText& error) noexcept {
    return number(ask(error, [&] { return view.count_jobs(arguments.filter); }).value_or(0));
}

ViewAnswer find_reservation(RuleView& view, const ViewObject& /*object*/, const CallArguments& arguments,
                            ErrorText& error) noexcept {
    const auto found = ask(error, [&] { return view.reservation(arguments.name); });
    return {.object = {.kind = ViewKind::reservation, .data = found.value_or(nullptr)}};
}

} // namespace qg::policy::view
