// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/status_file.hpp"

#include "controller/start_wait.hpp"
#include "host/host_log.hpp"
#include "qosgate/base/replace_file.hpp"

#include <atomic>
#include <ctime>
#include <mutex>
#include <optional>
#include <utility>

#include <unistd.h>

namespace qg::plugin {
namespace {

constexpr std::chrono::seconds report_interval{1};
/// The wait until there is something to write, from 50 ms up to a second: the file should exist when
/// slurmctld answers.
constexpr int start_wait_factor = 10;

/// Seconds by which the wall clock may part from the steady one, as it is slowly corrected.
constexpr std::time_t clock_tolerance = 2;

std::time_t to_seconds(std::chrono::steady_clock::time_point time) {
    return std::chrono::duration_cast<std::chrono::seconds>(time.time_since_epoch()).count();
}

} // namespace

class StatusFile::Shared {
  public:
    Shared(StatusFile::Paths paths, StatusFile::Source source)
        : paths_(std::move(paths)), describe_(std::move(source.describe)),
          prepare_(std::move(source.prepare)), wall_clock_(std::move(source.wall_clock)) {}

    /// The data that describe() borrows may be destroyed.
    void forget() {
        const std::scoped_lock lock(mutex_);
        describe_ = nullptr;
    }

    void remove_leftovers() const noexcept {
        qg::remove_leftovers(paths_.in_charge);
        qg::remove_leftovers(paths_.standby);
    }

    void write_if_due() {
        if (prepare_) prepare_();
        std::optional<StatusFile::Text> described = describe();
        if (!described) return;
        std::string members = std::move(described->members);
        const auto now = std::chrono::steady_clock::now();
        if (members.empty() || described->is_standby != is_standby_) leave();
        is_standby_ = described->is_standby;
        const std::time_t time = wall_clock_();
        const std::time_t offset = time - to_seconds(now);
        const bool is_clock_set = offset < offset_ - clock_tolerance || offset > offset_ + clock_tolerance;
        if (members.empty() || (members == written_ && now < due_ && !is_clock_set)) return;
        const auto done =
            replace_file(path(), "{" + members + ", \"written_at\": " + std::to_string(time) + "}\n", 0644,
                         Durability::cached);
        if (!done && !has_failed_) log_error(("status: " + done.error().message).c_str());
        has_failed_ = !done;
        written_ = std::move(members);
        due_ = now + max_age;
        offset_ = offset;
    }

    [[nodiscard]] std::chrono::milliseconds next_look() {
        return written_.empty() || is_standby_ ? wait_.next(/*has_partitions=*/false)
                                               : std::chrono::milliseconds(report_interval);
    }

    /// The thread hangs. A plugin that is loaded again meanwhile writes the same file.
    void leave_file() noexcept { is_left_ = true; }

    /// Removes the file if this process wrote it; a standby controller leaves another controller's file.
    void remove() const {
        if (!written_.empty() && !is_left_) unlink(path().c_str());
    }

  private:
    /// Empty: it was forgotten.
    std::optional<StatusFile::Text> describe() {
        const std::scoped_lock lock(mutex_);
        return describe_ ? std::optional(describe_()) : std::nullopt;
    }

    [[nodiscard]] const std::filesystem::path& path() const {
        return is_standby_ ? paths_.standby : paths_.in_charge;
    }

    /// Ends the role that it had. The file of the controller in charge belongs to another one by now.
    void leave() {
        if (is_standby_) remove();
        written_.clear();
    }

    StatusFile::Paths paths_;
    std::mutex mutex_;
    std::function<StatusFile::Text()> describe_; ///< guarded by mutex_
    std::atomic<bool> is_left_ = false;
    // Only the thread uses these.
    std::function<void()> prepare_;
    std::function<std::time_t()> wall_clock_;
    StartWait wait_{start_wait_factor};
    bool is_standby_ = false; ///< when it was asked last
    std::string written_;     ///< to path(); empty: nothing
    std::chrono::steady_clock::time_point due_;
    std::time_t offset_ = 0; ///< of the wall clock from the steady one, when it was written last
    bool has_failed_ = false;
};

StatusFile::StatusFile() = default;

void StatusFile::start(Paths paths, Source source) {
    shared_ = std::make_shared<Shared>(std::move(paths), std::move(source));
    thread_.start("qosgate-status", [shared = shared_](DetachedThread::Link& owner) {
        shared->remove_leftovers();
        do {
            try {
                shared->write_if_due();
            } catch (const std::exception& error) {
                log_error((std::string("status: ") + error.what()).c_str());
            }
        } while (owner.wait_for(shared->next_look()));
        shared->remove();
    });
}

void StatusFile::stop(std::chrono::milliseconds patience) {
    if (shared_ != nullptr) shared_->forget();
    if (!thread_.stop(patience)) shared_->leave_file();
}

} // namespace qg::plugin
