// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserReader: what a UserTable's thread does: it asks the directory service, and publishes the answers.
#pragma once

#include "qosgate/base/published.hpp"
#include "records/user_table.hpp"

#include <algorithm>
#include <atomic>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

namespace qg::plugin {

/// Threads: run() is the thread; note(), and what is public and atomic, published or guarded, is for others.
struct UserReader {
    using Clock = std::chrono::steady_clock;
    using DirectoryGroup = model::DirectoryGroup;
    using DirectoryUser = model::DirectoryUser;

    /// An answer of the directory service; null: there is nothing of that name.
    template <typename Record>
    struct Entry {
        std::shared_ptr<const Record> record;
        Clock::time_point read_at;
        unsigned not_found = 0; ///< of a group id: times in a row since then
    };

    template <typename Key, typename Record>
    using Entries = std::map<Key, Entry<Record>, std::less<>>;

    struct Tables {
        Entries<std::string, DirectoryUser> users;
        Entries<std::uint32_t, DirectoryUser> user_ids;
        Entries<std::string, DirectoryGroup> groups;
        std::shared_ptr<const std::vector<std::string>> listed; ///< of accounting, sorted; null: not yet
        std::size_t existing = 0;                               ///< users; counted for the publication

        [[nodiscard]] bool is_listed(std::string_view name) const {
            return listed && std::binary_search(listed->begin(), listed->end(), name, std::less<>());
        }
    };

    /// What a table has of a key.
    template <typename Table, typename Key>
    static auto find_in(const Table& table, const Key& key) -> Known<std::remove_const_t<
        typename std::remove_reference_t<decltype(table.begin()->second.record)>::element_type>> {
        const auto found = table.find(key);
        if (found == table.end()) return {};
        return {true, found->second.record, found->second.read_at};
    }

    /// When to ask again what had no answer.
    struct Retry {
        Clock::time_point next;
        Clock::duration delay{};
        unsigned not_found = 0; ///< times in a row
    };

    /// Groups that a user was in, and since when the service does not tell them any more.
    using Missing = std::map<std::uint32_t, Clock::time_point>;

    UserReader(UserTableOptions options, std::unique_ptr<quota::UserDirectory> directory)
        : names{&Tables::users,
                &UserReader::read_user,
                AskedKeys<std::string>(options.max_users, UserTable::max_absent),
                {}},
          ids{&Tables::user_ids,
              &UserReader::read_user_id,
              AskedKeys<std::uint32_t>(options.max_users, UserTable::max_absent),
              {}},
          groups{&Tables::groups,
                 &UserReader::read_group,
                 AskedKeys<std::string>(options.max_users, UserTable::max_absent),
                 {}},
          directory_(std::move(directory)), options_(std::move(options)) {}

    /// One kind of question.
    template <typename Key, typename Record>
    struct Kind {
        Entries<Key, Record> Tables::*table;
        std::optional<Error> (UserReader::*read)(const Key& key);
        AskedKeys<Key> asked;         ///< guarded by `mutex`
        std::map<Key, Retry> retries; ///< only the thread uses it
    };

    void run(DetachedThread::Link& owner);
    /// Notes that somebody looked for it. Returns whether the thread shall wake.
    template <typename Key, typename Record>
    bool note(Kind<Key, Record> UserReader::*kind, const Key& key, const Known<Record>& found) {
        const bool is_again = may_be_new(found);
        const std::scoped_lock lock(mutex);
        const bool is_new = (this->*kind).asked.note(key);
        return is_new || (is_again && (this->*kind).asked.note_again(key));
    }

    /// How long the service has not answered; empty: not longer than usual.
    [[nodiscard]] std::optional<std::chrono::seconds> hangs_for() const {
        const Clock::rep since = asking_since;
        const auto time = Clock::now() - Clock::time_point(Clock::duration(since));
        if (since == 0 || time < options_.hang_time) return std::nullopt;
        return std::chrono::duration_cast<std::chrono::seconds>(time);
    }
    /// Whether it did not exist, and may meanwhile.
    template <typename Record>
    [[nodiscard]] bool may_be_new(const Known<Record>& found) const {
        return found.is_known && !found.record && Clock::now() - found.read_at >= options_.absent_interval;
    }

    std::atomic<bool> is_needed = false;
    std::atomic<Clock::rep> asking_since = 0; ///< of the question that has no answer yet; 0: there is none
    Published<Tables> published;
    std::atomic<std::time_t> read_at = 0;
    std::mutex mutex; ///< guards what is asked, and `error`
    Kind<std::string, DirectoryUser> names;
    Kind<std::uint32_t, DirectoryUser> ids;
    Kind<std::string, DirectoryGroup> groups;
    std::string error;

  private:
    /// One look: asks about what is missing or old.
    void look();
    void list_users();
    [[nodiscard]] std::set<std::string> names_to_know();
    template <typename Key, typename Record>
    [[nodiscard]] std::vector<Key> asked_keys(const Kind<Key, Record>& kind) {
        const std::scoped_lock lock(mutex);
        return kind.asked.keys();
    }
    [[nodiscard]] bool goes_on() const { return is_running_ && !is_down_; }
    /// How much older an answer that is in doubt is made, so that it is due after a listing_interval.
    [[nodiscard]] std::chrono::milliseconds refresh_early() const {
        return std::max(options_.refresh_interval - options_.listing_interval, std::chrono::milliseconds(0));
    }
    /// Whether an answer is missing or old.
    template <typename Table, typename Key>
    [[nodiscard]] bool is_old(const Table& table, const Key& key) const {
        const auto found = table.find(key);
        return found == table.end() || Clock::now() - found->second.read_at >= options_.refresh_interval;
    }
    template <typename Key, typename Record>
    [[nodiscard]] bool is_due(const Kind<Key, Record>& kind, const Key& key) const {
        const auto retry = kind.retries.find(key);
        return retry != kind.retries.end() ? Clock::now() >= retry->second.next
                                           : is_old(tables_.*kind.table, key);
    }
    /// Whether "not found" says that there is nothing of that name. What was there before does not vanish so:
    /// the service may be down.
    template <typename Answer, typename Table, typename Key>
    bool is_absent(const Answer& answer, const Table& table, const Key& key) const {
        if (answer || answer.error().code != ErrorCode::not_found) return false;
        const auto before = table.find(key);
        return believes_not_found_ || before == table.end() || before->second.record == nullptr;
    }
    /// Asks the directory service, and then waits as long as the answer took: the thread is busy at most half
    /// of the time, and slurmctld's own questions get through.
    template <typename Question>
    auto ask(Question question) -> decltype(question());
    /// Whether the service as a whole answers, although it did not tell about `failing`.
    bool service_answers(std::string_view failing);
    template <typename Key, typename Record>
    void read(Kind<Key, Record>& kind, const Key& key);
    /// What somebody waits for. Returns whether there was something.
    template <typename Key, typename Record>
    bool read_next_asked(Kind<Key, Record>& kind);
    void read_asked();
    template <typename Key, typename Record>
    void settle(Kind<Key, Record>& kind, const Key& key);
    template <typename Key, typename Record>
    void put_off(Kind<Key, Record>& kind, const Key& key, const Error& problem);
    // Each returns why there is no answer.
    std::optional<Error> read_user(const std::string& name);
    /// `id_is_its_own`: the service told that the user's id means this name.
    std::optional<Error> read_user(const std::string& name, bool id_is_its_own);
    std::optional<Error> read_user_id(const std::uint32_t& id);
    std::optional<Error> read_group(const std::string& name);
    /// Empty: the group has no name. Errors: as quota::UserDirectory.
    Result<std::string> name_of_group(std::uint32_t id);
    /// Adds the groups that a directory which is down in part may have left out. Returns whether there are
    /// any.
    bool keep_groups(const std::string& name, DirectoryUser& user);
    /// Null: there is no such user.
    void keep_user(const std::string& name, std::shared_ptr<const DirectoryUser> record,
                   Clock::time_point answered_at, bool id_is_its_own);
    void forget_others();
    void publish();
    void publish_if_due();
    [[nodiscard]] bool is_waited_for();
    void tell(const Error& problem) {
        const std::scoped_lock lock(mutex);
        error = problem.message;
    }
    void tell_exception(const char* what) noexcept;

    // Only the thread uses these.
    std::unique_ptr<quota::UserDirectory> directory_;
    UserTableOptions options_;
    DetachedThread::Link* owner_ = nullptr;
    bool is_running_ = true;          ///< false: the thread must end
    bool is_down_ = false;            ///< the service, in this look
    bool believes_not_found_ = false; ///< in this question
    bool has_logged_ = false;
    Clock::time_point listed_at_;
    Tables tables_;
    std::shared_ptr<const Tables> previous_; ///< so that no submission frees it
    std::map<std::uint32_t, Entry<DirectoryGroup>> group_ids_;
    std::map<std::string, Missing> missing_;
    std::deque<std::string> probes_; ///< users who were answered last
    Clock::time_point pause_until_;  ///< after failures
    Clock::time_point published_at_;
    Clock::duration debt_{}; ///< how long to wait after answers
    unsigned absent_ = 0;    ///< answers since forget_others()
    bool is_changed_ = false;
    bool is_urgent_ = false; ///< somebody waits for the change
};

} // namespace qg::plugin
