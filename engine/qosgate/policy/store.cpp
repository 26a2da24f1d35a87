// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/store.hpp"

#include "qosgate/policy/files/candidate.hpp"
#include "qosgate/policy/files/policy_watch.hpp"

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

void PolicyStore::start(std::filesystem::path directory) {
    candidate_ = std::make_shared<CandidateWatch>(
        directory, watch_->options(),
        [watch = watch_](LogLevel level, const std::string& text) { watch->log(level, text); });
    watch_->begin(std::move(directory));
    thread_.start("qosgate-policy", [watch = watch_](DetachedThread::Link& owner) {
        watch->first_check();
        while (owner.wait_for(watch->options().poll_interval))
            watch->check();
    });
    candidate_thread_.start("qosgate-next", [candidate = candidate_](DetachedThread::Link& owner) {
        do
            candidate->check();
        while (owner.wait_for(candidate->options().poll_interval));
    });
    if (!watch_->wait_for_first_check(watch_->options().start_patience)) watch_->report_delay();
}

void PolicyStore::stop(std::chrono::milliseconds patience) {
    watch_->cancel_tests();
    if (candidate_) candidate_->cancel_tests();
    const bool candidate_has_ended = candidate_thread_.stop(patience);
    if (!thread_.stop(patience) || !candidate_has_ended) watch_->abandon();
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

std::shared_ptr<const Policy> PolicyStore::candidate() const {
    return candidate_ ? candidate_->current() : nullptr;
}

StoreStatus PolicyStore::status() const {
    StoreStatus now = watch_->status();
    if (candidate_) now.candidate = candidate_->status();
    return now;
}

} // namespace qg::policy
