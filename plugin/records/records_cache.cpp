// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/records_cache.hpp"

#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <utility>
#include <vector>

namespace qg::plugin {
namespace {

constexpr std::chrono::seconds max_generation_age{1};

} // namespace

Generation RecordsCache::generation(const std::optional<RecordsState>& state, Clock::time_point now) {
    const std::scoped_lock lock(generation_mutex_);
    if (!state) {
        state_.reset();
        return no_generation;
    }
    if (state_ != state || now - begin_ >= max_generation_age) {
        state_ = state;
        begin_ = now;
        ++generation_;
    }
    return generation_;
}

std::shared_ptr<const model::TresCatalogue> RecordsCache::tres(Generation now, std::span<char*> names) {
    // Load the generation before the catalogue: a newer catalogue is harmless, an older one is not.
    const Generation compared = tres_generation_.load(std::memory_order_acquire);
    auto known = tres_.get();
    if (compared == now && now != no_generation) return known;

    const auto is_same = [](const std::string& before, const char* name) {
        return before.compare(name == nullptr ? "" : name) == 0;
    };
    if (known == nullptr || !std::ranges::equal(known->names(), names, is_same)) {
        std::vector<std::string> copied;
        for (const char* name : names)
            copied.emplace_back(slurm::view_text(name));
        known = std::make_shared<const model::TresCatalogue>(std::move(copied));
        tres_.publish(known);
    }
    tres_generation_.store(now, std::memory_order_release);
    return known;
}

std::optional<std::string> RecordsCache::find_default_account(std::uint32_t user_id) const {
    const std::scoped_lock lock(accounts_mutex_);
    const auto found = default_accounts_.find(user_id);
    return found == default_accounts_.end() ? std::nullopt : std::optional(found->second);
}

void RecordsCache::remember_default_account(std::uint32_t user_id, const std::string& account) {
    const std::scoped_lock lock(accounts_mutex_);
    default_accounts_.insert_or_assign(user_id, account);
}

} // namespace qg::plugin
