// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/store.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/source_files.hpp"

#include <exception>
#include <utility>

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

namespace qg::policy {
namespace {

/// Looks in a row that may find the folder still changing before it is read all the same.
constexpr unsigned max_unsettled_looks = 3;
/// Looks after a change at which the files are read although nothing seems to have changed: two writes within
/// one tick of the file system's clock look the same.
constexpr unsigned careful_looks = 6;
/// Every so many quiet looks the files are read in any case (file systems whose times cannot be trusted).
constexpr unsigned full_read_looks = 75;

} // namespace

/// What the folder looked like, and what became of it. Guarded by PolicyStore::look_mutex_.
class PolicyStore::Watch {
  public:
    Watch(LogSink sink, LoadOptions load_options) : log(std::move(sink)), options(std::move(load_options)) {}

    /// Whether the files are to be read at this look: not while they are being written, not while all is
    /// quiet.
    bool is_time_to_read() {
        const std::uint64_t now = stat_signature(folder);
        ++quiet_looks_;
        if (now != signature_) {
            signature_ = now;
            quiet_looks_ = 0;
            return ++unsettled_looks_ >= max_unsettled_looks;
        }
        unsettled_looks_ = 0;
        return quiet_looks_ <= careful_looks || quiet_looks_ % full_read_looks == 0;
    }

    /// Forgets how often the folder was found changing; called after a read.
    void settle() noexcept { unsettled_looks_ = 0; }

    std::filesystem::path folder;
    LogSink log;
    LoadOptions options;
    std::string last_problem;                 ///< content and error that were logged last; empty: none
    std::optional<std::uint64_t> broken_hash; ///< of a content that can never load

  private:
    std::uint64_t signature_ = 0;
    unsigned unsettled_looks_ = 0;
    unsigned quiet_looks_ = 0;
};

PolicyStore::PolicyStore(LogSink log, std::chrono::milliseconds poll_interval, LoadOptions options)
    : watch_(std::make_unique<Watch>(std::move(log), std::move(options))), poll_interval_(poll_interval) {
    published_.publish(Policy::none());
}

PolicyStore::~PolicyStore() {
    stop();
}

void PolicyStore::start(std::filesystem::path folder) {
    QG_CHECK(!thread_.joinable());
    {
        const std::scoped_lock lock(look_mutex_);
        watch_->folder = std::move(folder);
        watch_->is_time_to_read(); // only to remember what it looks like
    }
    refresh();
    // A thread inherits the mask of its creator: no signal of the daemon may end up here.
    sigset_t all;
    sigset_t before;
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    const ScopeExit restore([&] { pthread_sigmask(SIG_SETMASK, &before, nullptr); });
    thread_ = std::thread([this] { run(); });
    pthread_setname_np(thread_.native_handle(), "qosgate-policy");
}

void PolicyStore::stop() {
    {
        const std::scoped_lock lock(stop_mutex_);
        stopping_ = true;
    }
    stop_asked_.notify_all();
    if (thread_.joinable()) thread_.join();
}

void PolicyStore::run() {
    std::unique_lock lock(stop_mutex_);
    while (!stop_asked_.wait_for(lock, poll_interval_, [this] { return stopping_; })) {
        lock.unlock();
        look();
        lock.lock();
    }
}

void PolicyStore::look() noexcept {
    // Out of memory, say: the policy in force stays, the next look tries again.
    try {
        const std::scoped_lock lock(look_mutex_);
        if (watch_->is_time_to_read()) read_folder();
    } catch (...) {
        const std::scoped_lock lock(status_mutex_);
        ++status_.failed_looks;
    }
}

void PolicyStore::refresh() {
    const std::scoped_lock lock(look_mutex_);
    read_folder();
}

void PolicyStore::read_folder() {
    watch_->settle();
    auto sources = read_source_folder(watch_->folder, watch_->options.trusted_user.value_or(geteuid()));
    if (!sources) return keep_last_good(sources.error(), 0);
    const std::uint64_t hash = hash_of(*sources);
    const StoreStatus before = status();
    if (before.generation != 0 && hash == before.hash) return return_to_last_good();
    if (watch_->broken_hash == hash) return;

    const bool had_folder = before.hash != 0;
    const bool has_folder = sources->exists;
    const auto policy = compile_policy(*std::move(sources), before.generation + 1);
    if (!policy) {
        // What was short on memory or time may load later; what does not compile never will.
        if (policy.error().code == ErrorCode::invalid_input) watch_->broken_hash = hash;
        return keep_last_good(policy.error().in(watch_->folder.string()), hash);
    }
    put_in_force(*policy);
    if (has_folder)
        watch_->log(LogLevel::info,
                    text::format("policy {}: generation {} in force: {} rules, limits {}, content {:016x}",
                                 watch_->folder.string(), (*policy)->generation(), (*policy)->rules().size(),
                                 to_string((*policy)->settings().limits), hash));
    else if (had_folder)
        watch_->log(LogLevel::warning, text::format("policy {}: the folder is gone: no rules are in force",
                                                    watch_->folder.string()));
}

void PolicyStore::put_in_force(const std::shared_ptr<const Policy>& policy) {
    watch_->broken_hash.reset();
    watch_->last_problem.clear();
    published_.publish(policy);
    const std::scoped_lock lock(status_mutex_);
    status_.generation = policy->generation();
    status_.hash = policy->hash();
    status_.last_error.reset();
}

void PolicyStore::keep_last_good(const Error& error, std::uint64_t hash) {
    const std::uint64_t generation = status().generation;
    const std::string problem = text::format("{:016x} {}", hash, error.message);
    const bool is_new = watch_->last_problem != problem;
    {
        const std::scoped_lock lock(status_mutex_);
        status_.last_error = error;
        if (is_new) ++status_.failed_loads;
    }
    if (!is_new) return;
    watch_->last_problem = problem;
    const std::string stays = generation == 0 ? std::string("no rules are in force")
                                              : text::format("generation {} stays in force", generation);
    watch_->log(LogLevel::error, text::format("policy not loaded, {}: {}", stays, error.message));
}

void PolicyStore::return_to_last_good() {
    const bool was_broken = !watch_->last_problem.empty();
    watch_->broken_hash.reset();
    watch_->last_problem.clear();
    {
        const std::scoped_lock lock(status_mutex_);
        status_.last_error.reset();
    }
    if (was_broken)
        watch_->log(LogLevel::info, text::format("policy {}: back to generation {}, which is in force",
                                                 watch_->folder.string(), status().generation));
}

std::shared_ptr<const Policy> PolicyStore::current() const {
    return published_.get();
}

StoreStatus PolicyStore::status() const {
    const std::scoped_lock lock(status_mutex_);
    return status_;
}

} // namespace qg::policy
