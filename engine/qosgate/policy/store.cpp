// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/store.hpp"

#include "qosgate/policy/policy_watch.hpp"

#include <utility>

namespace qg::policy {

std::string_view to_string(Standing standing) noexcept {
    switch (standing) {
    case Standing::in_force: return "in force";
    case Standing::degraded: return "degraded";
    case Standing::closed: return "closed";
    }
    return "closed";
}

PolicyStore::PolicyStore(LogSink log, StoreOptions options)
    : watch_(std::make_shared<PolicyWatch>(std::move(log), std::move(options))) {}

PolicyStore::~PolicyStore() {
    stop();
}

void PolicyStore::start(std::filesystem::path folder) {
    watch_->begin(std::move(folder));
    thread_.start("qosgate-policy", [watch = watch_](DetachedThread::Link& owner) {
        watch->first_check();
        while (owner.wait_for(watch->options().poll_interval))
            watch->check();
    });
    if (!watch_->wait_for_first_check(watch_->options().start_patience)) watch_->report_delay();
}

void PolicyStore::stop(std::chrono::milliseconds patience) {
    watch_->cancel_tests();
    if (!thread_.stop(patience)) watch_->abandon();
}

void PolicyStore::refresh() {
    watch_->refresh();
}

void PolicyStore::mark_active() {
    if (watch_->mark_active()) thread_.wake();
}

bool PolicyStore::is_closed() const noexcept {
    return watch_->is_closed();
}

std::shared_ptr<const Policy> PolicyStore::current() const {
    return watch_->current();
}

StoreStatus PolicyStore::status() const {
    return watch_->status();
}

} // namespace qg::policy
