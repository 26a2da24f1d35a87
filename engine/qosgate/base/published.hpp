// SPDX-License-Identifier: GPL-2.0-or-later
//
// Published<T>: an immutable value that one thread replaces as a whole while others read it.
//
//   Published<Partitions> partitions;              // writer: partitions.publish(std::move(fresh));
//   auto snapshot = partitions.get();              // reader: one snapshot for one whole decision
#pragma once

#include <memory>
#include <mutex>
#include <utility>

namespace qg {

/// Holds a shared_ptr to an immutable T. get() is null until the first publish().
/// Threads: internally locked; the lock covers a pointer copy only.
template <typename T>
class Published {
  public:
    [[nodiscard]] std::shared_ptr<const T> get() const {
        const std::scoped_lock lock(mutex_);
        return value_;
    }

    void publish(std::shared_ptr<const T> fresh) {
        const std::scoped_lock lock(mutex_);
        value_.swap(fresh);
        // If nobody else owns the old value, `fresh` frees it after the lock is released.
    }

  private:
    mutable std::mutex mutex_;
    std::shared_ptr<const T> value_;
};

} // namespace qg
