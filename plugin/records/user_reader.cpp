// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/user_reader.hpp"

#include "host/host_log.hpp"

#include <array>
#include <cstdio>
#include <exception>

namespace qg::plugin {
namespace {

using Clock = UserReader::Clock;
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

std::vector<std::uint32_t> ids_of(const std::vector<model::GroupName>& groups) {
    std::vector<std::uint32_t> ids;
    for (const model::GroupName& group : groups)
        ids.push_back(group.id);
    std::ranges::sort(ids);
    return ids;
}

} // namespace

void UserReader::list_users() {
    const auto now = Clock::now();
    // slurmctld reads its accounting records only after its plugins have started.
    const bool has_some = tables_.listed && !tables_.listed->empty();
    if (has_some && now - listed_at_ < options_.listing_interval) return;
    std::vector<std::string> all;
    if (options_.list_users) all = options_.list_users(options_.max_users);
    std::ranges::sort(all);
    is_changed_ = is_changed_ || !tables_.listed || *tables_.listed != all;
    tables_.listed = std::make_shared<const std::vector<std::string>>(std::move(all));
    listed_at_ = now;
}

std::set<std::string> UserReader::names_to_know() {
    std::set<std::string> all(tables_.listed->begin(), tables_.listed->end());
    for (std::string& name : asked_keys(names))
        all.insert(std::move(name));
    return all;
}

template <typename Question>
auto UserReader::ask(Question question) -> decltype(question()) {
    if (!is_running_) return Error{ErrorCode::unavailable, "the table of users ends"};
    const auto asked_at = Clock::now();
    asking_since = asked_at.time_since_epoch().count();
    auto answer = question();
    asking_since = 0;
    const auto answered_at = Clock::now();
    debt_ = std::min<Clock::duration>(debt_ + (answered_at - asked_at), max_pause);
    is_running_ = owner_->wait_for(std::chrono::floor<std::chrono::milliseconds>(debt_));
    debt_ -= std::min(debt_, Clock::now() - answered_at);
    return answer;
}

bool UserReader::service_answers(std::string_view failing) {
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
void UserReader::settle(Kind<Key, Record>& kind, const Key& key) {
    const bool exists = find_in(tables_.*kind.table, key).record != nullptr;
    if (!exists) ++absent_;
    const std::scoped_lock lock(mutex);
    kind.asked.settle(key, exists);
}

template <typename Key, typename Record>
void UserReader::put_off(Kind<Key, Record>& kind, const Key& key, const Error& problem) {
    Retry& retry = kind.retries[key];
    retry.delay = std::min<Clock::duration>(retry.delay == Clock::duration() ? options_.listing_interval
                                                                             : 2 * retry.delay,
                                            options_.refresh_interval);
    retry.next = Clock::now() + retry.delay;
    retry.not_found = problem.code == ErrorCode::not_found ? retry.not_found + 1 : 0;
}

template <typename Key, typename Record>
void UserReader::read(Kind<Key, Record>& kind, const Key& key) {
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
bool UserReader::read_next_asked(Kind<Key, Record>& kind) {
    std::optional<Key> key;
    bool is_again = false;
    {
        const std::scoped_lock lock(mutex);
        key = kind.asked.next();
        is_again = key && kind.asked.take_again(*key);
    }
    if (!key || !goes_on()) return false;
    if (is_due(kind, *key) || (is_again && may_be_new(find_in(tables_.*kind.table, *key))))
        read(kind, *key);
    else
        settle(kind, *key);
    is_urgent_ = true;
    return true;
}

/// Not all at once: hostile names must not keep the others from their turn.
void UserReader::read_asked() {
    for (unsigned i = 0; i < max_asked_first && goes_on(); ++i) {
        const bool has_name = read_next_asked(names);
        const bool has_id = read_next_asked(ids);
        const bool has_group = read_next_asked(groups);
        if (!has_name && !has_id && !has_group) break;
        publish_if_due();
    }
    if (absent_ > UserTable::max_absent) forget_others();
    publish_if_due();
}

Result<std::string> UserReader::name_of_group(std::uint32_t id) {
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

void UserReader::keep_user(const std::string& name, std::shared_ptr<const DirectoryUser> record,
                           Clock::time_point answered_at, bool id_is_its_own) {
    const auto before = find_in(tables_.users, name).record;
    if (before && (!record || record->id != before->id) &&
        find_in(tables_.user_ids, before->id).record == before)
        tables_.user_ids.erase(before->id);
    if (record) {
        if (id_is_its_own) tables_.user_ids[record->id] = {record, answered_at, 0};
        if (!std::ranges::count(probes_, name)) probes_.push_back(name);
        if (probes_.size() > max_probes) probes_.pop_front();
    }
    tables_.users[name] = {std::move(record), answered_at, 0};
}

bool UserReader::keep_groups(const std::string& name, DirectoryUser& user) {
    const auto before = find_in(tables_.users, name).record;
    const auto fresh = ids_of(user.groups);
    const Missing seen = std::move(missing_[name]);
    Missing& missing = missing_[name];
    missing.clear();
    if (before && before->id == user.id)
        for (const model::GroupName& group : before->groups) {
            if (std::ranges::binary_search(fresh, group.id)) continue;
            // At the second time it is believed, whatever else has changed.
            const auto since = seen.find(group.id);
            if (since != seen.end() && Clock::now() - since->second >= options_.listing_interval) continue;
            missing[group.id] = since == seen.end() ? Clock::now() : since->second;
            user.groups.push_back(group);
        }
    if (!missing.empty()) return true;
    missing_.erase(name);
    return false;
}

std::optional<Error> UserReader::read_user(const std::string& name) {
    return read_user(name, /*id_is_its_own=*/false);
}

std::optional<Error> UserReader::read_user(const std::string& name, bool id_is_its_own) {
    auto user = ask([&] { return directory_->find_user(name); });
    const bool is_gone = is_absent(user, tables_.users, name);
    if (!user && !is_gone) return user.error();
    if (is_gone || !*user) {
        keep_user(name, nullptr, Clock::now(), /*id_is_its_own=*/false);
        return std::nullopt;
    }
    const bool are_kept = keep_groups(name, **user);
    for (model::GroupName& group : (*user)->groups) {
        if (!group.name.empty()) continue; // kept
        auto group_name = name_of_group(group.id);
        if (!group_name) return group_name.error();
        group.name = *std::move(group_name);
    }
    // Several names may have one id; the service tells which one the id means.
    const auto owner = find_in(tables_.user_ids, (*user)->id).record;
    id_is_its_own = id_is_its_own || (owner && owner->name == name);
    if (!id_is_its_own) {
        const auto named = ask([&] { return directory_->find_user_name((*user)->id); });
        if (!named && named.error().code != ErrorCode::not_found) return named.error();
        id_is_its_own = named && *named && **named == name;
    }
    keep_user(name, std::make_shared<const DirectoryUser>(**std::move(user)),
              Clock::now() - (are_kept ? refresh_early() : 0ms), id_is_its_own);
    return std::nullopt;
}

std::optional<Error> UserReader::read_user_id(const std::uint32_t& id) {
    const auto name = ask([&] { return directory_->find_user_name(id); });
    const bool is_gone = is_absent(name, tables_.user_ids, id);
    if (!name && !is_gone) return name.error();
    std::shared_ptr<const DirectoryUser> record;
    if (!is_gone && *name) {
        if (auto problem = read_user(**name, /*id_is_its_own=*/true)) return problem;
        record = find_in(tables_.users, **name).record;
    }
    // The name of an id may be one of nobody, or of another id.
    if (record && record->id != id) record = nullptr;
    tables_.user_ids[id] = {record, Clock::now(), 0};
    return std::nullopt;
}

std::optional<Error> UserReader::read_group(const std::string& name) {
    auto group = ask([&] { return directory_->find_group(name); });
    const bool is_gone = is_absent(group, tables_.groups, name);
    if (!group && !is_gone) return group.error();
    const bool exists = !is_gone && *group;
    tables_.groups[name] = {exists ? std::make_shared<const DirectoryGroup>(**std::move(group)) : nullptr,
                            Clock::now(), 0};
    return std::nullopt;
}

/// Users that neither accounting has nor somebody looked for, and groups.
void UserReader::forget_others() {
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
    std::erase_if(missing_, [&](const auto& row) { return !tables_.users.contains(row.first); });
    absent_ = 0;
}

void UserReader::publish() {
    tables_.existing = static_cast<std::size_t>(
        std::ranges::count_if(tables_.users, [](const auto& row) { return row.second.record != nullptr; }));
    auto fresh = std::make_shared<const Tables>(tables_);
    previous_ = published.get();
    published.publish(std::move(fresh));
    published_at_ = Clock::now();
    is_changed_ = is_urgent_ = false;
}

bool UserReader::is_waited_for() {
    const std::scoped_lock lock(mutex);
    return names.asked.is_waited_for() || ids.asked.is_waited_for() || groups.asked.is_waited_for();
}

void UserReader::publish_if_due() {
    const auto age = Clock::now() - published_at_;
    if ((is_urgent_ && age >= min_publish_interval) || (is_changed_ && age >= max_unpublished)) publish();
}

void UserReader::look() {
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
    if (is_listed_read && !all_names.empty()) read_at = std::time(nullptr);
    if (!names.retries.empty() || !ids.retries.empty() || !groups.retries.empty()) return;
    const std::scoped_lock lock(mutex);
    error.clear();
}

void UserReader::tell_exception(const char* what) noexcept {
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

void UserReader::run(DetachedThread::Link& owner) {
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

} // namespace qg::plugin
