// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/detached_thread.hpp"

#include "qosgate/base/background_thread.hpp"
#include "qosgate/base/scope_exit.hpp"

#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include <pthread.h>

namespace qg {

class DetachedThread::State {
  public:
    std::mutex mutex;
    std::condition_variable changed;
    bool is_running = false; ///< guarded by mutex, as are the others
    bool is_stopping = false;
    bool is_woken = false;
};

bool DetachedThread::Link::wait_for(std::chrono::milliseconds time) {
    std::unique_lock lock(state_.mutex);
    state_.changed.wait_for(lock, time, [this] { return state_.is_stopping || state_.is_woken; });
    state_.is_woken = false;
    return !state_.is_stopping;
}

DetachedThread::DetachedThread() : state_(std::make_shared<State>()) {}

DetachedThread::~DetachedThread() {
    stop(std::chrono::milliseconds(0));
}

void DetachedThread::start(const char* name, std::function<void(Link&)> body) {
    const auto run = [state = state_, body = std::move(body), name] {
        pthread_setname_np(pthread_self(), name);
        const ScopeExit on_exit([&state] {
            const std::scoped_lock lock(state->mutex);
            state->is_running = false;
            state->changed.notify_all();
        });
        Link owner(*state);
        // An exception that leaves a thread ends the process. Bodies handle their own exceptions, but they
        // may run out of memory while they do.
        try {
            body(owner);
        } catch (...) {
            return;
        }
    };
    const std::scoped_lock lock(state_->mutex);
    start_background_thread(run).detach();
    state_->is_running = true;
}

void DetachedThread::wake() {
    const std::scoped_lock lock(state_->mutex);
    state_->is_woken = true;
    state_->changed.notify_all();
}

bool DetachedThread::stop(std::chrono::milliseconds patience) {
    std::unique_lock lock(state_->mutex);
    state_->is_stopping = true;
    state_->changed.notify_all();
    return state_->changed.wait_for(lock, patience, [this] { return !state_->is_running; });
}

} // namespace qg
