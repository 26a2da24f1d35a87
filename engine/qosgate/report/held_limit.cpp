// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/report/waiting_job.hpp"

#include <cstddef>
#include <optional>
#include <string>

namespace qg::report {
namespace {

void doubt_counter(HeldLimit& held, std::uint32_t user_id, const QueueContext& context) {
    if (context.doubts == nullptr || !is_of_running_jobs(held.limit, held.tres)) return;
    held.unaccounted = 0;
    if (held.used <= held.holders.most) return;
    const std::string key =
        text::format("{} {} {} {}", user_id, model::name_of(held.limit), held.tres, held.set_by);
    context.doubts->now.insert(key);
    if (context.doubts->before.contains(key)) held.unaccounted = held.used - held.holders.most;
}

void add_holders(HeldLimit& held, const limits::Owner& owner, std::optional<std::size_t> tres,
                 const model::AccountView& view, std::uint32_t user_id, const QueueContext& context) {
    const CountedJobs counted =
        find_counted_jobs(held.limit, owner, tres, view, user_id, context.world.accounting->records(),
                          context.world.cluster->partitions.all());
    held.holders = find_holders(counted, context.holding, {context.now, context.usage_step});
    doubt_counter(held, user_id, context);
}

} // namespace

HeldLimit describe_held(const limits::Violation& violation, const model::AccountView& view,
                        std::uint32_t user_id, const QueueContext& context) {
    HeldLimit held{.text = limits::describe(violation, view, /*names_owner=*/true,
                                            limits::reader_of_job(context.reader, user_id)),
                   .limit = violation.limit,
                   .tres = violation.tres ? view.tres->name(*violation.tres) : std::string(),
                   .set_by = limits::owner_name(violation.owner, view),
                   .hides_numbers = limits::has_hidden_numbers(violation, view),
                   .asked = {},
                   .is_permanent = violation.is_permanent(),
                   .holders = {},
                   .room_at = {}};
    if (held.hides_numbers) return held;
    held.value = violation.limit_value;
    held.used = violation.used;
    held.asked = violation.asked;
    add_holders(held, violation.owner, violation.tres, view, user_id, context);
    const model::LimitMeasure measure = model::facts_of(held.limit).measure;
    const bool is_of_running =
        measure == model::LimitMeasure::tres || measure == model::LimitMeasure::running_jobs;
    if (is_of_running && !held.is_permanent)
        held.room_at = estimate_room(held.holders, held.used, violation.asked, held.value, context.now);
    return held;
}

HeldLimit describe_held(const limits::BindingLimit& limit, const model::AccountView& view,
                        std::uint32_t user_id, const QueueContext& context) {
    const std::string tres = limit.tres ? view.tres->name(*limit.tres) : std::string();
    const limits::Violation as_violation{
        .limit = limit.limit, .owner = limit.owner, .tres = limit.tres, .reason = limit.reason};
    HeldLimit held{.text = {},
                   .limit = limit.limit,
                   .tres = tres,
                   .set_by = limits::owner_name(limit.owner, view),
                   .hides_numbers = limits::has_hidden_numbers(as_violation, view),
                   .asked = {},
                   .holders = {},
                   .room_at = {}};
    const auto number = [&](std::uint64_t value) {
        return limits::format_limit_value(limit.limit, tres, value);
    };
    held.text = text::format("{} ({})", limits::subject_of(limit.limit, tres), held.set_by);
    const model::Association* link =
        limit.owner.kind == limits::OwnerKind::association ? &view.associations[limit.owner.index] : nullptr;
    held.hides_numbers = link != nullptr && (link->hides_limits || link->hides_usage);
    if (held.hides_numbers) return held;
    held.value = limit.value;
    held.used = limit.used;
    held.text += text::format(": limit {}", number(limit.value));
    if (model::facts_of(limit.limit).counts_others())
        held.text += text::format(", in use {}", number(limit.used));
    add_holders(held, limit.owner, limit.tres, view, user_id, context);
    return held;
}

} // namespace qg::report
