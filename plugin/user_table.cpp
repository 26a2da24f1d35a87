// SPDX-License-Identifier: GPL-2.0-or-later
#include "user_table.hpp"

#include "host_log.hpp"
#include "qosgate/base/published.hpp"

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <deque>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <type_traits>
#include <utility>

namespace qg::plugin {
namespace {

using Clock = std::chrono::steady_clock;
using model::DirectoryGroup;
using model::DirectoryUser;
using namespace std::chrono_literals;

/// The table is copied for each publication.
constexpr auto min_publish_interval = 100ms;
constexpr auto max_unpublished = 2s; ///< for answers that nobody waits for
constexpr auto max_pause = 100ms;    ///< after one answer
constexpr unsigned max_asked_first = 16;
constexpr unsigned max_probes = 3;
constexpr unsigned looks_until_absent = 3;

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

template <typename Table, typename Key>
auto find_in(const Table& table, const Key& key) -> Known<std::remove_const_t<
    typename std::remove_reference_t<decltype(table.begin()->second.record)>::element_type>> {
    const auto found = table.find(key);
    if (found == table.end()) return {};
    return {true, found->second.record};
}

/// When to ask again what had no answer.
struct Retry {
    Clock::time_point next;
    Clock::duration delay{};
    unsigned not_found = 0; ///< times in a row
};

/// A list of groups that lacks some that were known.
struct Shorter {
    std::vector<std::uint32_t> ids; ///< sorted
    Clock::time_point seen_at;
};

std::vector<std::uint32_t> ids_of(const std::vector<model::GroupName>& groups) {
    std::vector<std::uint32_t> ids;
    for (const model::GroupName& group : groups)
        ids.push_back(group.id);
    std::ranges::sort(ids);
    return ids;
}

} // namespace

struct UserTable::Shared {
    Shared(UserTableOptions options, std::unique_ptr<UserDirectory> directory)
        : names{&Tables::users,
                &Shared::read_user,
                AskedKeys<std::string>(options.max_users, max_absent),
                {}},
          ids{&Tables::user_ids,
              &Shared::read_user_id,
              AskedKeys<std::uint32_t>(options.max_users, max_absent),
              {}},
          groups{&Tables::groups,
                 &Shared::read_group,
                 AskedKeys<std::string>(options.max_users, max_absent),
                 {}},
          directory_(std::move(directory)), options_(std::move(options)) {}

    /// One kind of question.
    template <typename Key, typename Record>
    struct Kind {
        Entries<Key, Record> Tables::*table;
        std::optional<Error> (Shared::*read)(const Key& key);
        AskedKeys<Key> asked;         ///< guarded by `mutex`
        std::map<Key, Retry> retries; ///< only the thread uses it
    };

    void run(DetachedThread::Link& owner);
    /// Notes that somebody looked for it. Returns whether the thread shall wake.
    template <typename Key, typename Record>
    bool note(Kind<Key, Record> Shared::*kind, const Key& key) {
        const std::scoped_lock lock(mutex);
        return (this->*kind).asked.note(key);
    }

    std::atomic<bool> is_needed = false;
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
    std::optional<Error> read_user_id(const std::uint32_t& id);
    std::optional<Error> read_group(const std::string& name);
    /// Empty: the group has no name. Errors: as UserDirectory.
    Result<std::string> name_of_group(std::uint32_t id);
    /// Adds the groups that a directory which is down in part may have left out. Returns whether there are
    /// any.
    bool keep_groups(const std::string& name, DirectoryUser& user);
    /// Null: there is no such user.
    void keep_user(const std::string& name, std::shared_ptr<const DirectoryUser> record,
                   Clock::time_point answered_at);
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
    std::unique_ptr<UserDirectory> directory_;
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
    std::map<std::string, Shorter> shorter_;
    std::deque<std::string> probes_; ///< users who were answered last
    Clock::time_point pause_until_;  ///< after failures
    Clock::time_point published_at_;
    Clock::duration debt_{}; ///< how long to wait after answers
    unsigned absent_ = 0;    ///< answers since forget_others()
    bool is_changed_ = false;
    bool is_urgent_ = false; ///< somebody waits for the change
};

void UserTable::Shared::list_users() {
    const auto now = Clock::now();
    if (tables_.listed && now - listed_at_ < options_.listing_interval) return;
    std::vector<std::string> all;
    if (options_.list_users) all = options_.list_users(options_.max_users);
    std::ranges::sort(all);
    is_changed_ = is_changed_ || !tables_.listed || *tables_.listed != all;
    tables_.listed = std::make_shared<const std::vector<std::string>>(std::move(all));
    listed_at_ = now;
}

std::set<std::string> UserTable::Shared::names_to_know() {
    std::set<std::string> all(tables_.listed->begin(), tables_.listed->end());
    for (std::string& name : asked_keys(names))
        all.insert(std::move(name));
    return all;
}

template <typename Question>
auto UserTable::Shared::ask(Question question) -> decltype(question()) {
    if (!is_running_) return Error{ErrorCode::unavailable, "the table of users ends"};
    const auto asked_at = Clock::now();
    auto answer = question();
    const auto answered_at = Clock::now();
    debt_ = std::min<Clock::duration>(debt_ + (answered_at - asked_at), max_pause);
    is_running_ = owner_->wait_for(std::chrono::floor<std::chrono::milliseconds>(debt_));
    debt_ -= std::min(debt_, Clock::now() - answered_at);
    return answer;
}

bool UserTable::Shared::service_answers(std::string_view failing) {
    bool is_asked = false;
    for (const std::string& name : probes_) {
        if (name == failing) continue;
        is_asked = true;
        const auto user = ask([&] { return directory_->find_user(name); });
        if (user && *user) return true;
    }
    return !is_asked && ask([&] { return directory_->find_user_name(0); }).has_value();
}

template <typename Key, typename Record>
void UserTable::Shared::settle(Kind<Key, Record>& kind, const Key& key) {
    const bool exists = find_in(tables_.*kind.table, key).record != nullptr;
    if (!exists) ++absent_;
    const std::scoped_lock lock(mutex);
    kind.asked.settle(key, exists);
}

template <typename Key, typename Record>
void UserTable::Shared::put_off(Kind<Key, Record>& kind, const Key& key, const Error& problem) {
    Retry& retry = kind.retries[key];
    retry.delay = std::min<Clock::duration>(retry.delay == Clock::duration() ? options_.listing_interval
                                                                             : 2 * retry.delay,
                                            options_.refresh_interval);
    retry.next = Clock::now() + retry.delay;
    retry.not_found = problem.code == ErrorCode::not_found ? retry.not_found + 1 : 0;
}

template <typename Key, typename Record>
void UserTable::Shared::read(Kind<Key, Record>& kind, const Key& key) {
    std::string_view name;
    if constexpr (std::is_same_v<Record, DirectoryUser> && std::is_same_v<Key, std::string>) name = key;
    // If many names vanish at once, one of several services is down.
    const auto retry = kind.retries.find(key);
    const bool are_few = kind.retries.size() <= std::max<std::size_t>(3, (tables_.*kind.table).size() / 20);
    believes_not_found_ = retry != kind.retries.end() && are_few &&
                          retry->second.not_found + 1 >= looks_until_absent && service_answers(name);
    const auto problem = (this->*kind.read)(key);
    believes_not_found_ = false;
    if (!is_running_) return;
    if (!problem) {
        kind.retries.erase(key);
        settle(kind, key);
        is_changed_ = true;
        return;
    }
    tell(*problem);
    if (service_answers(name))
        put_off(kind, key, *problem);
    else
        is_down_ = true;
}

template <typename Key, typename Record>
bool UserTable::Shared::read_next_asked(Kind<Key, Record>& kind) {
    std::optional<Key> key;
    {
        const std::scoped_lock lock(mutex);
        key = kind.asked.next();
    }
    if (!key || !goes_on()) return false;
    if (is_due(kind, *key))
        read(kind, *key);
    else
        settle(kind, *key);
    is_urgent_ = true;
    return true;
}

/// Not all at once: hostile names must not keep the others from their turn.
void UserTable::Shared::read_asked() {
    for (unsigned i = 0; i < max_asked_first && goes_on(); ++i) {
        const bool has_name = read_next_asked(names);
        const bool has_id = read_next_asked(ids);
        const bool has_group = read_next_asked(groups);
        if (!has_name && !has_id && !has_group) break;
        publish_if_due();
    }
    if (absent_ > max_absent) forget_others();
    publish_if_due();
}

Result<std::string> UserTable::Shared::name_of_group(std::uint32_t id) {
    if (is_old(group_ids_, id)) {
        auto found = ask([&] { return directory_->find_group(id); });
        bool is_gone = is_absent(found, group_ids_, id);
        if (!found && !is_gone) {
            if (found.error().code != ErrorCode::not_found || !is_running_) return found.error();
            // Many users may be in a group that was removed: they keep its name for a while, and do not fail.
            Entry<DirectoryGroup>& before = group_ids_.at(id);
            is_gone = ++before.not_found >= looks_until_absent && service_answers({});
            before.read_at = Clock::now() - refresh_early();
            if (!is_gone) return before.record->name;
        }
        auto record =
            !is_gone && *found ? std::make_shared<const DirectoryGroup>(**std::move(found)) : nullptr;
        group_ids_[id] = {record, Clock::now(), 0};
        if (record) tables_.groups[record->name] = {record, Clock::now(), 0};
    }
    const auto& record = group_ids_.at(id).record;
    return record ? record->name : std::string();
}

void UserTable::Shared::keep_user(const std::string& name, std::shared_ptr<const DirectoryUser> record,
                                  Clock::time_point answered_at) {
    const auto before = find_in(tables_.users, name).record;
    if (before && (!record || record->id != before->id) &&
        find_in(tables_.user_ids, before->id).record == before)
        tables_.user_ids.erase(before->id);
    if (record) {
        // Of two users with one id the service tells which one the id means.
        const auto owner = find_in(tables_.user_ids, record->id).record;
        const auto other = owner && owner != before ? find_in(tables_.users, owner->name).record : nullptr;
        if (!other || other != owner) tables_.user_ids[record->id] = {record, answered_at, 0};
        if (!std::ranges::count(probes_, name)) probes_.push_back(name);
        if (probes_.size() > max_probes) probes_.pop_front();
    }
    tables_.users[name] = {std::move(record), answered_at, 0};
}

bool UserTable::Shared::keep_groups(const std::string& name, DirectoryUser& user) {
    const auto before = find_in(tables_.users, name).record;
    const auto fresh = ids_of(user.groups);
    std::vector<model::GroupName> missing;
    if (before && before->id == user.id)
        for (const model::GroupName& group : before->groups)
            if (!std::ranges::binary_search(fresh, group.id)) missing.push_back(group);
    const auto seen = shorter_.find(name);
    const bool is_same = seen != shorter_.end() && seen->second.ids == fresh;
    if (missing.empty() || (is_same && Clock::now() - seen->second.seen_at >= options_.listing_interval)) {
        if (seen != shorter_.end()) shorter_.erase(seen);
        return false;
    }
    if (!is_same) shorter_[name] = {fresh, Clock::now()};
    user.groups.insert(user.groups.end(), missing.begin(), missing.end());
    return true;
}

std::optional<Error> UserTable::Shared::read_user(const std::string& name) {
    auto user = ask([&] { return directory_->find_user(name); });
    const bool is_gone = is_absent(user, tables_.users, name);
    if (!user && !is_gone) return user.error();
    if (is_gone || !*user) {
        keep_user(name, nullptr, Clock::now());
        return std::nullopt;
    }
    const bool are_kept = keep_groups(name, **user);
    for (model::GroupName& group : (*user)->groups) {
        if (!group.name.empty()) continue; // kept
        auto group_name = name_of_group(group.id);
        if (!group_name) return group_name.error();
        group.name = *std::move(group_name);
    }
    keep_user(name, std::make_shared<const DirectoryUser>(**std::move(user)),
              Clock::now() - (are_kept ? refresh_early() : 0ms));
    return std::nullopt;
}

std::optional<Error> UserTable::Shared::read_user_id(const std::uint32_t& id) {
    const auto name = ask([&] { return directory_->find_user_name(id); });
    const bool is_gone = is_absent(name, tables_.user_ids, id);
    if (!name && !is_gone) return name.error();
    std::shared_ptr<const DirectoryUser> record;
    if (!is_gone && *name) {
        if (auto problem = read_user(**name)) return problem;
        record = find_in(tables_.users, **name).record;
    }
    // The name of an id may be one of nobody, or of another id.
    if (record && record->id != id) record = nullptr;
    tables_.user_ids[id] = {record, Clock::now(), 0};
    return std::nullopt;
}

std::optional<Error> UserTable::Shared::read_group(const std::string& name) {
    auto group = ask([&] { return directory_->find_group(name); });
    const bool is_gone = is_absent(group, tables_.groups, name);
    if (!group && !is_gone) return group.error();
    const bool exists = !is_gone && *group;
    tables_.groups[name] = {exists ? std::make_shared<const DirectoryGroup>(**std::move(group)) : nullptr,
                            Clock::now(), 0};
    return std::nullopt;
}

/// Users that neither accounting has nor somebody looked for, and groups.
void UserTable::Shared::forget_others() {
    const auto known = names_to_know();
    const auto is_in = [](const auto& keys) {
        return [&keys](const auto& key) { return std::ranges::binary_search(keys, key); };
    };
    const auto asked_ids = asked_keys(ids);
    const auto asked_groups = asked_keys(groups);
    const auto is_asked_id = is_in(asked_ids);
    const auto is_asked_group = is_in(asked_groups);
    std::erase_if(tables_.user_ids, [&](const auto& row) {
        return !is_asked_id(row.first) && (!row.second.record || !known.contains(row.second.record->name));
    });
    std::erase_if(tables_.users, [&](const auto& row) {
        return !known.contains(row.first) &&
               (!row.second.record || !tables_.user_ids.contains(row.second.record->id));
    });
    const auto is_very_old = [&](const auto& row) {
        return Clock::now() - row.second.read_at >= 4 * options_.refresh_interval;
    };
    std::erase_if(tables_.groups, [&](const auto& row) {
        return !is_asked_group(row.first) && (!row.second.record || is_very_old(row));
    });
    std::erase_if(group_ids_, is_very_old);
    std::erase_if(names.retries, [&](const auto& row) { return !known.contains(row.first); });
    std::erase_if(ids.retries, [&](const auto& row) { return !is_asked_id(row.first); });
    std::erase_if(groups.retries, [&](const auto& row) { return !is_asked_group(row.first); });
    std::erase_if(shorter_, [&](const auto& row) { return !tables_.users.contains(row.first); });
    absent_ = 0;
}

void UserTable::Shared::publish() {
    tables_.existing = static_cast<std::size_t>(
        std::ranges::count_if(tables_.users, [](const auto& row) { return row.second.record != nullptr; }));
    auto fresh = std::make_shared<const Tables>(tables_);
    previous_ = published.get();
    published.publish(std::move(fresh));
    published_at_ = Clock::now();
    is_changed_ = is_urgent_ = false;
}

bool UserTable::Shared::is_waited_for() {
    const std::scoped_lock lock(mutex);
    return names.asked.is_waited_for() || ids.asked.is_waited_for() || groups.asked.is_waited_for();
}

void UserTable::Shared::publish_if_due() {
    const auto age = Clock::now() - published_at_;
    if ((is_urgent_ && age >= min_publish_interval) || (is_changed_ && age >= max_unpublished)) publish();
}

void UserTable::Shared::look() {
    is_down_ = false;
    list_users();
    bool is_listed_read = read_at == 0;
    const auto read_due = [&](auto& kind, const auto& keys, bool are_retries) {
        for (const auto& key : keys) {
            read_asked();
            if (!goes_on()) return;
            if (kind.retries.contains(key) != are_retries || !is_due(kind, key)) continue;
            if constexpr (std::is_same_v<decltype(&kind), decltype(&names)>)
                is_listed_read = is_listed_read || tables_.is_listed(key);
            read(kind, key);
        }
    };
    read_asked();
    const auto all_names = names_to_know();
    const auto all_ids = asked_keys(ids);
    const auto all_groups = asked_keys(groups);
    for (const bool are_retries : {false, true}) {
        read_due(ids, all_ids, are_retries);
        read_due(groups, all_groups, are_retries);
        read_due(names, all_names, are_retries);
    }
    read_asked();
    if (is_changed_ || is_urgent_ || !published.get()) {
        forget_others();
        publish();
    }
    if (is_down_) pause_until_ = Clock::now() + options_.listing_interval;
    if (!goes_on()) return;
    if (is_listed_read) read_at = std::time(nullptr);
    if (!names.retries.empty() || !ids.retries.empty() || !groups.retries.empty()) return;
    const std::scoped_lock lock(mutex);
    error.clear();
}

void UserTable::Shared::tell_exception(const char* what) noexcept {
    believes_not_found_ = false;
    pause_until_ = Clock::now() + options_.listing_interval;
    if (!std::exchange(has_logged_, true)) {
        std::array<char, 256> line{};
        std::snprintf(line.data(), line.size(), "users: a look at the users failed: %s", what);
        log_error(line.data());
    }
    try {
        tell({ErrorCode::unavailable, what});
    } catch (...) {
        return; // out of memory: it is logged
    }
}

void UserTable::Shared::run(DetachedThread::Link& owner) {
    owner_ = &owner;
    const auto rest = std::min<Clock::duration>(min_publish_interval, options_.look_interval);
    for (;;) {
        const bool was_needed = is_needed;
        try {
            if (was_needed && Clock::now() >= pause_until_) {
                look();
                has_logged_ = false;
            }
        } catch (const std::exception& problem) {
            tell_exception(problem.what());
        } catch (...) {
            tell_exception("unknown exception");
        }
        // Hostile names one after the other must not have the table copied for each.
        for (auto left = published_at_ + rest - Clock::now(); left > 0ms && is_running_;
             left = published_at_ + rest - Clock::now())
            is_running_ = owner.wait_for(std::chrono::ceil<std::chrono::milliseconds>(left));
        if (!is_running_) return;
        const bool is_called =
            was_needed ? Clock::now() >= pause_until_ && is_waited_for() : is_needed.load();
        if (!is_called && !owner.wait_for(options_.look_interval)) return;
    }
}

UserTable::UserTable(UserTableOptions options, std::unique_ptr<UserDirectory> directory)
    : shared_(std::make_shared<Shared>(std::move(options), std::move(directory))) {}

UserTable::~UserTable() = default;

void UserTable::start() noexcept {
    try {
        thread_.start("qosgate-users",
                      [shared = shared_](DetachedThread::Link& owner) { shared->run(owner); });
    } catch (const std::exception& error) {
        log_error((std::string("users: no thread: ") + error.what()).c_str());
    }
}

void UserTable::need() const noexcept {
    if (!shared_->is_needed.load() && !shared_->is_needed.exchange(true)) thread_.wake();
}

Known<DirectoryUser> UserTable::find_user(std::string_view name) const {
    need();
    const auto tables = shared_->published.get();
    const auto found = tables ? find_in(tables->users, name) : Known<DirectoryUser>();
    if ((!found.is_known || !tables->is_listed(name)) && shared_->note(&Shared::names, std::string(name)))
        thread_.wake();
    return found;
}

Known<DirectoryUser> UserTable::find_user(std::uint32_t id) const {
    need();
    const auto tables = shared_->published.get();
    const auto found = tables ? find_in(tables->user_ids, id) : Known<DirectoryUser>();
    const bool is_listed = found.record && tables->is_listed(found.record->name);
    if (!is_listed && shared_->note(&Shared::ids, id)) thread_.wake();
    return found;
}

Known<DirectoryGroup> UserTable::find_group(std::string_view name) const {
    need();
    const auto tables = shared_->published.get();
    const auto found = tables ? find_in(tables->groups, name) : Known<DirectoryGroup>();
    if (shared_->note(&Shared::groups, std::string(name))) thread_.wake();
    return found;
}

std::optional<std::vector<std::string>> UserTable::groups_of(std::string_view user_name) const {
    const auto found = find_user(user_name);
    if (found.record == nullptr) return std::nullopt;
    std::vector<std::string> names;
    for (const model::GroupName& group : found.record->groups)
        if (!group.name.empty()) names.push_back(group.name);
    return names;
}

std::size_t UserTable::count() const {
    const auto tables = shared_->published.get();
    return tables ? tables->existing : 0;
}

std::optional<std::time_t> UserTable::read_at() const {
    const std::time_t read_at = shared_->read_at;
    return read_at == 0 ? std::nullopt : std::optional(read_at);
}

std::string UserTable::last_error() const {
    const std::scoped_lock lock(shared_->mutex);
    return shared_->error;
}

void UserTable::stop(std::chrono::milliseconds patience) {
    thread_.stop(patience);
}

} // namespace qg::plugin
