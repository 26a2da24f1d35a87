// SPDX-License-Identifier: GPL-2.0-or-later
//
// Guesses: what an expensive search found last time, as a first guess for the next. slurmctld tells nobody
// when its records change, so a guess is checked against the record it leads to, and wrong ones cost one
// search.
#pragma once

#include <mutex>
#include <optional>
#include <unordered_map>

namespace qg::plugin {

/// Remembers one value per key for ever; keys are only ever things that were found, so there are not many.
/// Threads: internally locked.
template <typename Key, typename Value>
class Guesses {
  public:
    [[nodiscard]] std::optional<Value> find(const Key& key) const {
        const std::scoped_lock lock(mutex_);
        const auto found = values_.find(key);
        return found == values_.end() ? std::nullopt : std::optional(found->second);
    }

    void remember(const Key& key, const Value& value) {
        const std::scoped_lock lock(mutex_);
        values_.insert_or_assign(key, value);
    }

  private:
    mutable std::mutex mutex_;
    std::unordered_map<Key, Value> values_;
};

} // namespace qg::plugin
