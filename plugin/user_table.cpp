// SPDX-License-Identifier: GPL-2.0-or-later
#include "user_table.hpp"

#include "host_log.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <atomic>
#include <charconv>
#include <exception>
#include <map>
#include <mutex>
#include <set>
#include <utility>

namespace qg::plugin {
namespace {

using Clock = std::chrono::steady_clock;
using model::DirectoryGroup;
using model::DirectoryUser;

/// An answer of the directory service; null: there is nothing of that name.
template <typename Record>
struct Entry {
    std::shared_ptr<const Record> record;
    Clock::time_point read_at;
};

template <typename Key, typename Record>
using Entries = std::map<Key, Entry<Record>, std::less<>>;

struct Tables {
    Entries<std::string, DirectoryUser> users;
    Entries<std::uint32_t, DirectoryUser> user_ids;
    Entries<std::string, DirectoryGroup> groups;
};

template <typename Table, typename Key>
auto find_in(const Table& table, const Key& key) -> Known<std::remove_const_t<
    typename std::remove_reference_t<decltype(table.begin()->second.record)>::element_type>> {
    const auto found = table.find(key);
    if (found == table.end()) return {};
    return {true, found->second.record};
}

/// Whether "not found" says that there is nothing of that name. What was there before does not vanish so: the
/// service may be down.
template <typename Answer, typename Table, typename Key>
bool is_absent(const Answer& answer, const Table& table, const Key& key) {
    if (answer || answer.error().code != ErrorCode::not_found) return false;
    const auto before = table.find(key);
    return before == table.end() || before->second.record == nullptr;
}

/// Names that somebody looked for, and when last.
template <typename Key>
class Asked {
  public:
    /// Returns whether the name is new.
    bool note(const Key& key, Clock::time_point now) {
        const bool is_new = times_.insert_or_assign(key, now).second;
        if (times_.size() > UserTable::max_asked)
            times_.erase(std::ranges::min_element(times_, {}, [](const auto& row) { return row.second; }));
        return is_new;
    }
    [[nodiscard]] std::vector<Key> keys() const {
        std::vector<Key> all;
        for (const auto& row : times_)
            all.push_back(row.first);
        return all;
    }

  private:
    std::map<Key, Clock::time_point> times_;
};

} // namespace

struct UserTable::Shared {
    Shared(UserTableOptions options, std::unique_ptr<UserDirectory> directory)
        : directory_(std::move(directory)), options_(std::move(options)) {}

    void run(DetachedThread::Link& owner);
    template <typename Key>
    bool ask(Asked<Key> Shared::*asked, const Key& key) {
        const std::scoped_lock lock(mutex);
        return (this->*asked).note(key, Clock::now());
    }

    std::atomic<bool> is_needed = false;
    Published<Tables> published;
    std::atomic<std::time_t> read_at = 0;
    std::mutex mutex; ///< guards what follows
    Asked<std::string> asked_names;
    Asked<std::uint32_t> asked_ids;
    Asked<std::string> asked_groups;
    std::string error;

  private:
    /// One look: asks about what is missing or old. False: the thread must end.
    bool look(DetachedThread::Link& owner);
    void list_users();
    [[nodiscard]] std::set<std::string> names_to_know();
    /// Whether it is time to ask about an entry (again).
    template <typename Table, typename Key>
    [[nodiscard]] bool is_due(const Table& table, const Key& key) const {
        const auto found = table.find(key);
        return found == table.end() || Clock::now() - found->second.read_at >= options_.refresh_interval;
    }
    bool read_user(const std::string& name);
    bool read_user_id(std::uint32_t id);
    bool read_group(const std::string& name);
    /// Empty: the group has no name. Errors: as UserDirectory.
    Result<std::string> name_of_group(std::uint32_t id);
    bool fail(const Error& problem);
    /// Null: there is no such user. Returns true.
    bool keep_user(const std::string& name, std::shared_ptr<const DirectoryUser> record);
    void forget_others(const std::set<std::string>& names);
    void publish() { published.publish(std::make_shared<const Tables>(tables_)); }

    // Only the thread uses these.
    std::unique_ptr<UserDirectory> directory_;
    UserTableOptions options_;
    std::vector<std::string> listed_;
    Clock::time_point listed_at_;
    bool has_listed_ = false;
    Tables tables_;
    std::map<std::uint32_t, Entry<DirectoryGroup>> group_ids_;
    Clock::time_point pause_until_; ///< after failures
};

void UserTable::Shared::list_users() {
    const auto now = Clock::now();
    if (has_listed_ && now - listed_at_ < options_.listing_interval) return;
    std::vector<std::string> names;
    if (options_.list_users) names = options_.list_users(options_.max_users);
    listed_ = std::move(names);
    listed_at_ = now;
    has_listed_ = true;
}

std::set<std::string> UserTable::Shared::names_to_know() {
    std::set<std::string> names(listed_.begin(), listed_.end());
    const std::scoped_lock lock(mutex);
    for (std::string& name : asked_names.keys())
        names.insert(std::move(name));
    return names;
}

bool UserTable::Shared::fail(const Error& problem) {
    const std::scoped_lock lock(mutex);
    error = problem.message;
    return false;
}

Result<std::string> UserTable::Shared::name_of_group(std::uint32_t id) {
    if (is_due(group_ids_, id)) {
        auto found = directory_->find_group(id);
        const bool is_gone = is_absent(found, group_ids_, id);
        if (!found && !is_gone) return found.error();
        auto record =
            !is_gone && *found ? std::make_shared<const DirectoryGroup>(**std::move(found)) : nullptr;
        group_ids_[id] = {record, Clock::now()};
        if (record) tables_.groups[record->name] = {record, Clock::now()};
    }
    const auto& record = group_ids_.at(id).record;
    return record ? record->name : std::string();
}

bool UserTable::Shared::keep_user(const std::string& name, std::shared_ptr<const DirectoryUser> record) {
    const auto now = Clock::now();
    if (record) tables_.user_ids[record->id] = {record, now};
    tables_.users[name] = {std::move(record), now};
    return true;
}

/// False: there was no answer.
bool UserTable::Shared::read_user(const std::string& name) {
    auto user = directory_->find_user(name);
    if (is_absent(user, tables_.users, name)) return keep_user(name, nullptr);
    if (!user) return fail(user.error());
    if (*user)
        for (model::GroupName& group : (*user)->groups) {
            auto group_name = name_of_group(group.id);
            if (!group_name) return fail(group_name.error());
            group.name = *std::move(group_name);
        }
    return keep_user(name, *user ? std::make_shared<const DirectoryUser>(**std::move(user)) : nullptr);
}

bool UserTable::Shared::read_user_id(std::uint32_t id) {
    const auto name = directory_->find_user_name(id);
    const bool is_gone = is_absent(name, tables_.user_ids, id);
    if (!name && !is_gone) return fail(name.error());
    if (!is_gone && *name) return read_user(**name);
    tables_.user_ids[id] = {nullptr, Clock::now()};
    return true;
}

bool UserTable::Shared::read_group(const std::string& name) {
    auto group = directory_->find_group(name);
    const bool is_gone = is_absent(group, tables_.groups, name);
    if (!group && !is_gone) return fail(group.error());
    const bool exists = !is_gone && *group;
    tables_.groups[name] = {exists ? std::make_shared<const DirectoryGroup>(**std::move(group)) : nullptr,
                            Clock::now()};
    return true;
}

/// Users that neither accounting has nor somebody looked for.
void UserTable::Shared::forget_others(const std::set<std::string>& names) {
    std::vector<std::uint32_t> ids;
    {
        const std::scoped_lock lock(mutex);
        ids = asked_ids.keys();
    }
    std::erase_if(tables_.user_ids, [&](const auto& row) {
        const bool is_asked = std::ranges::binary_search(ids, row.first);
        return !is_asked && (row.second.record == nullptr || !names.contains(row.second.record->name));
    });
    std::erase_if(tables_.users, [&](const auto& row) {
        return !names.contains(row.first) &&
               (row.second.record == nullptr || !tables_.user_ids.contains(row.second.record->id));
    });
    const auto is_old = [&](const auto& row) {
        return Clock::now() - row.second.read_at >= 4 * options_.refresh_interval;
    };
    std::erase_if(tables_.groups, is_old);
    std::erase_if(group_ids_, is_old);
}

bool UserTable::Shared::look(DetachedThread::Link& owner) {
    constexpr unsigned publish_every = 200;
    constexpr unsigned max_failures = 10;
    list_users();
    const auto names = names_to_know();
    unsigned read = 0;
    unsigned failures = 0;
    unsigned failures_in_a_row = 0; // then the service as a whole does not answer
    bool goes_on = true;
    const auto note = [&](bool is_answered) {
        failures += is_answered ? 0 : 1;
        failures_in_a_row = is_answered ? 0 : failures_in_a_row + 1;
        if (is_answered && ++read % publish_every == 0) publish();
        goes_on = owner.wait_for(std::chrono::milliseconds(0));
    };
    const auto read_all = [&](const auto& keys, const auto& table, auto read_one) {
        for (const auto& key : keys)
            if (goes_on && failures_in_a_row < max_failures && is_due(table, key))
                note((this->*read_one)(key));
    };
    std::vector<std::uint32_t> ids;
    std::vector<std::string> groups;
    {
        const std::scoped_lock lock(mutex);
        ids = asked_ids.keys();
        groups = asked_groups.keys();
    }
    // What somebody waits for comes first; ids of listed users come with their names.
    read_all(ids, tables_.user_ids, &Shared::read_user_id);
    read_all(groups, tables_.groups, &Shared::read_group);
    read_all(names, tables_.users, &Shared::read_user);
    if (read > 0 || published.get() == nullptr) {
        forget_others(names);
        publish();
    }
    if (failures == 0) {
        if (read > 0 || read_at == 0) read_at = std::time(nullptr);
        const std::scoped_lock lock(mutex);
        error.clear();
    } else {
        pause_until_ = Clock::now() + options_.listing_interval;
    }
    return goes_on;
}

void UserTable::Shared::run(DetachedThread::Link& owner) {
    do {
        if (!is_needed || Clock::now() < pause_until_) continue;
        try {
            if (!look(owner)) return;
        } catch (const std::exception& problem) {
            fail({ErrorCode::unavailable, problem.what()});
        }
    } while (owner.wait_for(options_.look_interval));
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

void UserTable::need() noexcept {
    if (!shared_->is_needed.load() && !shared_->is_needed.exchange(true)) thread_.wake();
}

Known<DirectoryUser> UserTable::find_user(std::string_view name) const {
    const auto tables = shared_->published.get();
    const auto found = tables ? find_in(tables->users, name) : Known<DirectoryUser>();
    if (!found.is_known && shared_->ask(&Shared::asked_names, std::string(name))) thread_.wake();
    return found;
}

Known<DirectoryUser> UserTable::find_user(std::uint32_t id) const {
    const auto tables = shared_->published.get();
    const auto found = tables ? find_in(tables->user_ids, id) : Known<DirectoryUser>();
    if (!found.is_known && shared_->ask(&Shared::asked_ids, id)) thread_.wake();
    return found;
}

Known<DirectoryGroup> UserTable::find_group(std::string_view name) const {
    const auto tables = shared_->published.get();
    const auto found = tables ? find_in(tables->groups, name) : Known<DirectoryGroup>();
    if (!found.is_known && shared_->ask(&Shared::asked_groups, std::string(name))) thread_.wake();
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
    return tables ? tables->users.size() : 0;
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
