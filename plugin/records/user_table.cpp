// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/user_table.hpp"

#include "host/host_log.hpp"
#include "qosgate/base/text.hpp"
#include "records/user_reader.hpp"

#include <exception>
#include <utility>

namespace qg::plugin {

using model::DirectoryGroup;
using model::DirectoryUser;

namespace {

std::string in_brackets(const std::string& text) {
    return text.empty() ? text : " (" + text + ")";
}

} // namespace

UserTable::UserTable(UserTableOptions options, std::unique_ptr<quota::UserDirectory> directory)
    : reader_(std::make_shared<UserReader>(std::move(options), std::move(directory))) {}

UserTable::~UserTable() = default;

void UserTable::start() noexcept {
    try {
        thread_.start("qosgate-users",
                      [reader = reader_](DetachedThread::Link& owner) { reader->run(owner); });
    } catch (const std::exception& error) {
        log_error((std::string("users: no thread: ") + error.what()).c_str());
    }
}

void UserTable::need() const noexcept {
    if (!reader_->is_needed.load() && !reader_->is_needed.exchange(true)) thread_.wake();
}

Known<DirectoryUser> UserTable::find_user(std::string_view name) const {
    need();
    const auto tables = reader_->published.get();
    const auto found = tables ? UserReader::find_in(tables->users, name) : Known<DirectoryUser>();
    const bool is_settled = found.record && tables->is_listed(name);
    if (!is_settled && reader_->note(&UserReader::names, std::string(name), found)) thread_.wake();
    return found;
}

Known<DirectoryUser> UserTable::find_user(std::uint32_t id) const {
    need();
    const auto tables = reader_->published.get();
    const auto found = tables ? UserReader::find_in(tables->user_ids, id) : Known<DirectoryUser>();
    const bool is_listed = found.record && tables->is_listed(found.record->name);
    if (!is_listed && reader_->note(&UserReader::ids, id, found)) thread_.wake();
    return found;
}

Known<DirectoryGroup> UserTable::find_group(std::string_view name) const {
    need();
    const auto tables = reader_->published.get();
    const auto found = tables ? UserReader::find_in(tables->groups, name) : Known<DirectoryGroup>();
    if (reader_->note(&UserReader::groups, std::string(name), found)) thread_.wake();
    return found;
}

Result<std::vector<std::string>> UserTable::groups_of(std::uint32_t user_id) const {
    const auto found = find_user(user_id);
    if (!found.is_known)
        return Error{
            ErrorCode::unavailable,
            text::format("the groups of user {} are not read yet; submit the job again in some seconds{}",
                         user_id, in_brackets(describe_hang()))};
    if (found.record == nullptr) return quota::no_such_user(user_id);
    return quota::names_of_groups(*found.record);
}

std::size_t UserTable::count() const {
    const auto tables = reader_->published.get();
    return tables ? tables->existing : 0;
}

std::optional<std::time_t> UserTable::read_at() const {
    const std::time_t read_at = reader_->read_at;
    return read_at == 0 ? std::nullopt : std::optional(read_at);
}

std::string UserTable::last_error() const {
    std::string hang = describe_hang();
    if (!hang.empty()) return hang;
    const std::scoped_lock lock(reader_->mutex);
    return reader_->error;
}

std::string UserTable::describe_hang() const {
    const auto time = reader_->hangs_for();
    if (!time) return {};
    return text::format("the directory service has not answered for {} seconds", time->count());
}

void UserTable::watch() {
    const std::string hang = describe_hang();
    if (hung_ == !hang.empty()) return;
    hung_ = !hang.empty();
    if (hung_)
        log_error(("users: " + hang +
                   ": the users and groups that are known stay, and for others rules and the "
                   "script that ask for them fail")
                      .c_str());
    else
        log_line(LogLevel::info, "users: the directory service answers again");
}

void UserTable::stop(std::chrono::milliseconds patience) {
    thread_.stop(patience);
}

} // namespace qg::plugin
