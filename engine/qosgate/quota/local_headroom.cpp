// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/local_headroom.hpp"

#include "qosgate/quota/limit_headroom.hpp"

namespace qg::quota {
namespace {

using model::LimitScope;
using model::Usage;

/// The usage of other jobs, as limit_headroom.hpp reads it. Ownership: borrows.
class OthersUsage {
  public:
    explicit OthersUsage(const Usage& usage)
        : jobs(usage.jobs), submit_jobs(usage.submit_jobs), usage_(usage) {}

    std::uint64_t jobs;
    std::uint64_t submit_jobs;
    [[nodiscard]] std::uint64_t running(std::size_t tres) const { return model::count_at(usage_.tres, tres); }
    [[nodiscard]] std::uint64_t run_minutes(std::size_t tres) const {
        return model::count_at(usage_.tres_run_minutes, tres);
    }
    [[nodiscard]] std::uint64_t past_minutes(std::size_t tres) const {
        return model::count_at(usage_.tres_minutes, tres);
    }
    [[nodiscard]] std::uint64_t wall_minutes() const { return usage_.wall_minutes; }

  private:
    const Usage& usage_;
};

const Usage& no_usage() {
    static const Usage none;
    return none;
}

/// The usage under a key; none if there is no such key.
template <typename Map>
const Usage& usage_in(const Map& usages, const typename Map::key_type& key) {
    const auto found = usages.find(key);
    return found == usages.end() ? no_usage() : found->second;
}

/// Whether each limit that `counts(limit)` leaves room. `used(scope)` is the usage of other jobs.
template <typename Counts, typename Used>
bool has_room_within(const model::ResourceBounds& bounds, const model::Limits& limits, Counts counts,
                     Used used) {
    if (!limits.has_any()) return true;
    bool has_room = true;
    limits.which().for_each_tres_limit([&](model::TresLimit limit) {
        if (!has_room || !counts(limit)) return;
        const headroom::Meaning& meaning = headroom::meaning_of(limit);
        const auto find_value = [&](std::size_t tres) { return limits.get(limit, tres); };
        has_room = headroom::has_room_for_tres(bounds, meaning, find_value, OthersUsage(used(meaning.scope)));
    });
    for (std::size_t i = 0; has_room && i < model::count_limit_count; ++i) {
        const auto limit = static_cast<model::CountLimit>(i);
        const auto value = limits.get(limit);
        if (!value || !counts(limit)) continue;
        const headroom::Meaning& meaning = headroom::meaning_of(limit);
        has_room = headroom::has_room(bounds, meaning, *value, OthersUsage(used(meaning.scope)));
    }
    return has_room;
}

} // namespace

bool LocalHeadroom::suffices_for(const LocalQos& qos) const {
    if (qos.qos.limit_factor || qos.qos.flags.usage_factor_safe) return false;
    return has_room_within(
        bounds_, qos.qos.limits, [](auto /*limit*/) { return true; },
        [&](LimitScope scope) -> const Usage& {
            switch (scope) {
            case LimitScope::job:
            case LimitScope::node: break;
            case LimitScope::user: return usage_in(qos.users, user_id_);
            case LimitScope::account: return usage_in(qos.accounts, std::string(account_));
            case LimitScope::group: return qos.qos.usage;
            }
            return no_usage();
        });
}

bool LocalHeadroom::suffices_for(const LocalAssociation& association) const {
    const bool is_users = association.link.level == model::AssociationLevel::user;
    return has_room_within(
        bounds_, association.link.limits,
        [is_users](auto limit) { return is_users || !model::facts_of(limit).is_of_users_alone(); },
        [&](LimitScope scope) -> const Usage& {
            return scope == LimitScope::group ? association.link.usage : no_usage();
        });
}

} // namespace qg::quota
