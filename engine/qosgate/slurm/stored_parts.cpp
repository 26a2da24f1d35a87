// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/stored_parts.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/store_step.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstdint>
#include <ctime>
#include <string_view>
#include <type_traits>
#include <utility>

namespace qg::slurm {
namespace {

/// Calls `visit(member, stored)` for each field of a change that can be stored or refused, but bitflags.
template <typename Visit>
void for_each_field(Visit visit) {
    const auto visit_rows = [&visit](const auto& rows) {
        for (const auto& row : rows)
            visit(row.slurm, row.stored);
    };
    visit_rows(text_fields);
    visit_rows(wide_count_fields);
    visit_rows(narrow_count_fields);
    visit_rows(time_fields);
    visit_rows(text_details);
    visit_rows(short_details);
    visit_rows(count_details);
    visit_rows(time_details);
    // Each of these is read in a way of its own.
    visit(&job_desc_msg_t::pn_min_memory, if_pending(StoreStep::memory));
    visit(&job_desc_msg_t::nice, refusable(StoreStep::nice));
    visit(&job_desc_msg_t::shared, refusable(StoreStep::sharing));
    visit(&job_desc_msg_t::core_spec, refusable(StoreStep::core_spec));
    visit(&job_desc_msg_t::overcommit, not_stored);
    // Rules see none of these, but they can be refused.
    visit(&job_desc_msg_t::end_time, refusable(StoreStep::end_time));
    visit(&job_desc_msg_t::clusters, refusable(StoreStep::clusters));
    visit(&job_desc_msg_t::cluster_features, refusable(StoreStep::clusters));
}

constexpr std::uint64_t all_bits() {
    std::uint64_t bits = 0;
    for (const BitDetail& row : bit_details)
        bits |= row.bit;
    return bits;
}

bool is_named(const char* text) noexcept {
    return text != nullptr;
}
bool is_named(std::time_t time) noexcept {
    return time != 0 && time != static_cast<std::time_t>(NO_VAL);
}
template <typename Int>
requires std::is_unsigned_v<Int>
bool is_named(Int number) noexcept {
    return number != unset_value<Int>;
}

template <typename Value>
void unset(Value& field) noexcept {
    if constexpr (std::is_unsigned_v<Value>)
        field = unset_value<Value>;
    else
        field = {};
}

/// slurmctld changes these only of a pending job; of another one it refuses the whole.
bool must_be_pending(const job_desc_msg_t& current, const job_desc_msg_t& update) noexcept {
    constexpr char* job_desc_msg_t::*gres[] = {
        &job_desc_msg_t::tres_per_job,  &job_desc_msg_t::tres_per_node, &job_desc_msg_t::tres_per_socket,
        &job_desc_msg_t::tres_per_task, &job_desc_msg_t::mem_per_tres,  &job_desc_msg_t::cpus_per_tres};
    const auto sets = [&update](const auto member) { return update.*member != nullptr; };
    return std::ranges::any_of(gres, sets) ||
           (update.partition != nullptr && view_text(update.partition) != view_text(current.partition));
}

/// Everyone may shorten a job's time limit. [S]
bool shortens_time_limit(const job_desc_msg_t& current, const job_desc_msg_t& update) noexcept {
    return is_named(current.time_limit) && update.time_limit != 0 && update.time_limit < current.time_limit;
}

class Steps {
  public:
    void add(StoreStep step) noexcept { bits_ |= bit(step); }
    void remove(StoreStep step) noexcept { bits_ &= ~bit(step); }
    [[nodiscard]] bool has(StoreStep step) const noexcept { return (bits_ & bit(step)) != 0; }
    [[nodiscard]] Steps before(StoreStep step) const noexcept { return Steps(bits_ & (bit(step) - 1)); }
    friend bool operator==(Steps, Steps) = default;

    Steps() = default;

  private:
    explicit Steps(std::uint32_t bits) noexcept : bits_(bits) {}
    static constexpr std::uint32_t bit(StoreStep step) noexcept { return 1u << static_cast<unsigned>(step); }

    std::uint32_t bits_ = 0;
};
static_assert(static_cast<unsigned>(StoreStep::never) < 32);

/// The names of these steps, from one on.
std::string names_from(StoreStep first, Steps steps) {
    std::vector<std::string> names;
    for (auto at = static_cast<std::size_t>(first); at < std::size(step_names); ++at)
        if (steps.has(static_cast<StoreStep>(at))) names.emplace_back(step_names[at]);
    return text::join(names, ", ");
}

job_desc_msg_t part_before(StoreStep step, const job_desc_msg_t& update) {
    job_desc_msg_t part = update;
    for_each_field([&](const auto member, Stored stored) {
        if (stored.at >= step) unset(part.*member);
    });
    part.bitflags &= ~all_bits(); // of StoreStep::never
    return part;
}

} // namespace

job_desc_msg_t without_what_is_never_stored(const job_desc_msg_t& update) {
    return part_before(StoreStep::never, update);
}

std::vector<StoredPart> stored_parts(const job_desc_msg_t& current, const job_desc_msg_t& update) {
    const bool is_pending = must_be_pending(current, update);
    Steps set;
    Steps refusable_steps;
    const auto note = [&](Stored stored) {
        set.add(stored.at);
        if (stored.refusal == LateRefusal::possible ||
            (stored.refusal == LateRefusal::unless_pending && !is_pending))
            refusable_steps.add(stored.at);
    };
    for_each_field([&](const auto member, Stored stored) {
        if (is_named(update.*member)) note(stored);
    });
    if ((update.bitflags & all_bits()) != 0) note(not_stored);
    if (shortens_time_limit(current, update)) refusable_steps.remove(StoreStep::time_limit);

    std::vector<StoredPart> parts;
    Steps last;
    for (std::size_t at = 0; at < std::size(step_names); ++at) {
        const auto step = static_cast<StoreStep>(at);
        const Steps stays = set.before(step);
        if (!refusable_steps.has(step) || stays == last) continue;
        last = stays;
        const job_desc_msg_t part = part_before(step, update);
        if (parts_of_update(part) == model::UpdateParts()) continue;
        parts.push_back({std::make_shared<const job_desc_msg_t>(part), names_from(step, refusable_steps)});
    }
    return parts;
}

} // namespace qg::slurm
