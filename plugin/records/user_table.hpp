// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserTable: users and their groups, as the host's directory service knows them. A thread asks the service
// beforehand about all users of slurmctld's accounting records, and again every few minutes; no submission
// waits for it. It starts to ask when something in force needs users, or looks for one. If the service hangs,
// only the thread hangs with it, and what was known stays.
//
//   UserTable users({.list_users = …});
//   users.start();                                // in init()
//   users.need();                                 // a script or rule in force asks for users
//   if (const auto groups = users.groups_of(1001)) …    // an error: not known, or not known yet
//
// Names that accounting does not have are asked about soon after somebody looked for them, before all others.
// What a failing service may have left out is not believed at once:
//   * "not found" about a known user counts from the third look in a row on, if others are answered;
//   * a list of groups that lacks some counts from the second look on.
// Who does not exist may have come meanwhile: the service is asked again if somebody looks after ten seconds.
#pragma once

#include "qosgate/base/detached_thread.hpp"
#include "qosgate/model/directory.hpp"
#include "qosgate/quota/user_directory.hpp"
#include "qosgate/quota/user_groups.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <ctime>
#include <deque>
#include <functional>
#include <list>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::plugin {

struct UserReader;

/// What the table knows about one name.
template <typename Record>
struct Known {
    bool is_known = false;                ///< false: it was not asked about yet, or there was no answer
    std::shared_ptr<const Record> record; ///< null: there is nothing of that name, or it is not known
    std::chrono::steady_clock::time_point read_at = {};
};

/// How a table works; the defaults are those of the plugin.
struct UserTableOptions {
    std::chrono::milliseconds look_interval{1000};      ///< between two looks for what is missing
    std::chrono::milliseconds listing_interval{10'000}; ///< between two looks into accounting
    std::chrono::milliseconds refresh_interval{300'000};
    std::chrono::milliseconds absent_interval{10'000}; ///< for what does not exist, if somebody looks for it
    std::chrono::milliseconds hang_time{10'000};       ///< of a question: from then on the service hangs
    std::size_t max_users = 20'000; ///< of accounting; as many others, those looked for last
    /// The names of at most that many users of accounting; null: none.
    std::function<std::vector<std::string>(std::size_t max_users)> list_users = {};
};

/// Keys, of which those looked for last stay. Cost: one look-up in a map. Threads: not safe.
template <typename Key>
class RecentKeys {
  public:
    explicit RecentKeys(std::size_t max) : max_(max) {}

    /// Returns whether the key is there; then it becomes the latest.
    bool touch(const Key& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return false;
        order_.splice(order_.begin(), order_, found->second);
        return true;
    }
    void add(const Key& key) {
        if (touch(key)) return;
        order_.push_front(key);
        places_.emplace(key, order_.begin());
        if (places_.size() > max_) remove(Key(order_.back()));
    }
    /// Returns whether it was there.
    bool remove(const Key& key) {
        const auto found = places_.find(key);
        if (found == places_.end()) return false;
        order_.erase(found->second);
        places_.erase(found);
        return true;
    }
    /// Appends them, sorted.
    void append_to(std::vector<Key>& keys) const {
        for (const auto& row : places_)
            keys.push_back(row.first);
    }

  private:
    std::size_t max_;
    std::list<Key> order_; ///< the latest first
    std::map<Key, typename std::list<Key>::iterator> places_;
};

/// Keys that somebody looked for. Those that exist have a place of their own, so that invented ones do not
/// drive them out. Threads: not safe.
template <typename Key>
class AskedKeys {
  public:
    AskedKeys(std::size_t max_existing, std::size_t max_others)
        : max_waiting_(max_others), existing_(max_existing), others_(max_others) {}

    /// Somebody looks for it. Returns whether it is new, and waits for an answer.
    bool note(const Key& key) {
        if (existing_.touch(key) || others_.touch(key)) return false;
        if (waiting_.size() >= max_waiting_) return false;
        waiting_.push_back(key);
        others_.add(key);
        return true;
    }
    /// Somebody looks for what did not exist. Returns whether it waits for another answer from now on.
    bool note_again(const Key& key) {
        if (waiting_.size() >= max_waiting_ || !again_.insert(key).second) return false;
        waiting_.push_back(key);
        return true;
    }
    /// Whether the key that waited is one of note_again(). Then it is none any more.
    bool take_again(const Key& key) { return again_.erase(key) != 0; }
    /// There is an answer. A key that nobody looked for stays out.
    void settle(const Key& key, bool exists) {
        auto& from = exists ? others_ : existing_;
        if (from.remove(key)) (exists ? existing_ : others_).add(key);
    }
    /// The key that waits longest; it waits no more.
    std::optional<Key> next() {
        if (waiting_.empty()) return std::nullopt;
        Key key = std::move(waiting_.front());
        waiting_.pop_front();
        return key;
    }
    [[nodiscard]] bool is_waited_for() const { return !waiting_.empty(); }
    /// Sorted.
    [[nodiscard]] std::vector<Key> keys() const {
        std::vector<Key> all;
        existing_.append_to(all);
        const auto middle = static_cast<std::ptrdiff_t>(all.size());
        others_.append_to(all);
        std::inplace_merge(all.begin(), all.begin() + middle, all.end());
        return all;
    }

  private:
    std::size_t max_waiting_;
    RecentKeys<Key> existing_;
    RecentKeys<Key> others_; ///< that do not exist, or have no answer yet
    std::deque<Key> waiting_;
    std::set<Key> again_; ///< those of note_again() among them
};

/// Threads: safe. Owns one DetachedThread.
class UserTable final : public quota::UserGroups {
  public:
    /// How many names that do not exist, or have no answer yet, are remembered.
    static constexpr std::size_t max_absent = 1000;

    explicit UserTable(UserTableOptions options, std::unique_ptr<quota::UserDirectory> directory =
                                                     std::make_unique<quota::SystemDirectory>());
    ~UserTable() override;

    /// Starts the thread, once. If it cannot be created, this is logged and no user is known.
    void start() noexcept;

    /// From now on the directory service is asked. Cost: the first call wakes the thread.
    void need() const noexcept;

    /// Each calls need(). Cost: look-ups in maps; the first look for an unknown name wakes the thread.
    [[nodiscard]] Known<model::DirectoryUser> find_user(std::string_view name) const;
    [[nodiscard]] Known<model::DirectoryUser> find_user(std::uint32_t id) const;
    [[nodiscard]] Known<model::DirectoryGroup> find_group(std::string_view name) const;

    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const override;

    /// How many users are known that exist.
    [[nodiscard]] std::size_t count() const;
    /// When a look ended that asked about each user of accounting whose answer was old; empty: not yet.
    [[nodiscard]] std::optional<std::time_t> read_at() const;
    /// What the directory service answered last instead of a user, or that it hangs; empty: no problem.
    [[nodiscard]] std::string last_error() const;
    /// That the service has not answered for hang_time; empty: it has.
    [[nodiscard]] std::string describe_hang() const;
    /// Logs when the service begins to hang, and when it answers again. To be called every few seconds, by
    /// one thread.
    void watch();

    /// Asks the thread to end and waits for it, but not longer than `patience`.
    void stop(std::chrono::milliseconds patience);

  private:
    std::shared_ptr<UserReader> reader_; ///< with the thread
    mutable DetachedThread thread_;
    bool hung_ = false; ///< when watch() looked last
};

} // namespace qg::plugin
