// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/record_file.hpp"

#include "host/host_log.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"

#include <cerrno>
#include <cstdio>
#include <system_error>
#include <utility>
#include <vector>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

constexpr std::chrono::milliseconds write_interval{250};

Error error_of(const std::string& file, const std::string& what) {
    return {ErrorCode::unavailable, text::format("{}: {}", file, what)};
}
Error error_of(const std::string& file, const std::string& what, int number) {
    return error_of(file, text::format("{}: {}", what, std::generic_category().message(number)));
}

/// An open file that only its owner may write. Owns the descriptor.
class OpenFile {
  public:
    OpenFile() = default;
    OpenFile(const OpenFile&) = delete;
    OpenFile& operator=(const OpenFile&) = delete;
    ~OpenFile() { close(); }

    void close() noexcept {
        if (descriptor_ >= 0) ::close(descriptor_);
        descriptor_ = -1;
    }

    /// Opens the file, unless it is open and still has this name.
    Result<void> open(const std::string& file) {
        if (descriptor_ >= 0 && is_still(file)) return {};
        close();
        // O_NONBLOCK: a pipe without a reader is an error.
        descriptor_ =
            ::open(file.c_str(), O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW | O_CLOEXEC | O_NONBLOCK, 0600);
        if (descriptor_ < 0) {
            if (errno == ELOOP) return error_of(file, "is a symbolic link; name the file itself");
            if (errno == ENOENT)
                return error_of(file,
                                "its directory does not exist; make one that SlurmUser can write, or change "
                                "record_file in site.lua");
            return error_of(file, "cannot be opened", errno);
        }
        struct stat status {};
        if (fstat(descriptor_, &status) != 0) return refuse(file, "cannot be looked at");
        if (!S_ISREG(status.st_mode)) return refuse(file, "is not a regular file");
        if (status.st_uid != geteuid() || (status.st_mode & 022) != 0)
            return refuse(file, "belongs to another user or can be written by others; remove it");
        return {};
    }

    [[nodiscard]] std::uint64_t size() const noexcept {
        struct stat status {};
        return fstat(descriptor_, &status) == 0 ? static_cast<std::uint64_t>(status.st_size) : 0;
    }

    /// Appends all of it. Errors: with how much was written.
    Result<void> write(const std::string& file, std::string_view text) {
        while (!text.empty()) {
            const ssize_t count = ::write(descriptor_, text.data(), text.size());
            if (count < 0 && errno == EINTR) continue;
            if (count < 0) return error_of(file, "cannot be written", errno);
            text.remove_prefix(static_cast<std::size_t>(count));
        }
        return {};
    }

  private:
    [[nodiscard]] bool is_still(const std::string& file) const noexcept {
        struct stat opened {};
        struct stat named {};
        return fstat(descriptor_, &opened) == 0 && lstat(file.c_str(), &named) == 0 &&
               opened.st_dev == named.st_dev && opened.st_ino == named.st_ino;
    }
    Error refuse(const std::string& file, const char* why) {
        close();
        return error_of(file, why);
    }

    int descriptor_ = -1;
};

/// Renames FILE to FILE.1, FILE.1 to FILE.2 and so on; the oldest goes.
Result<void> rotate(const RecordTarget& target) {
    const auto name = [&](unsigned age) {
        return age == 0 ? target.file : text::format("{}.{}", target.file, age);
    };
    for (unsigned age = target.kept; age > 0; --age)
        if (std::rename(name(age - 1).c_str(), name(age).c_str()) != 0 && errno != ENOENT)
            return error_of(name(age - 1), "cannot be renamed", errno);
    return {};
}

} // namespace

class RecordFile::Shared {
  public:
    void add(const RecordTarget& target, std::string record) {
        const std::scoped_lock lock(mutex_);
        if (waiting_.size() >= max_waiting || waiting_bytes_ + record.size() > max_waiting_bytes) {
            ++dropped_;
            ++dropped_since_;
            return;
        }
        if (dropped_since_ != 0 && record.starts_with('{'))
            record.insert(1, text::format("\"dropped_before\": {}, ", dropped_since_));
        dropped_since_ = 0;
        if (!(target_ == target)) target_ = target;
        waiting_bytes_ += record.size();
        waiting_.push_back(std::move(record));
    }

    [[nodiscard]] RecordCounts counts() const {
        const std::scoped_lock lock(mutex_);
        return {written_, dropped_, last_error_};
    }

    /// Writes what waits.
    void write() {
        std::vector<std::string> records;
        {
            const std::scoped_lock lock(mutex_);
            records.swap(waiting_);
            waiting_bytes_ = 0;
            target_in_use_ = target_;
        }
        if (records.empty()) return;
        const auto done = write(records);
        std::string error = done ? std::string() : done.error().message;
        bool is_new = false;
        {
            const std::scoped_lock lock(mutex_);
            (done ? written_ : dropped_) += records.size();
            if (!done) dropped_since_ += records.size();
            is_new = !error.empty() && error != last_error_;
            last_error_ = error;
        }
        if (is_new) log_error(("records: " + error).c_str()); // nobody who adds a record waits for the log
    }

  private:
    Result<void> write(const std::vector<std::string>& records) {
        std::string lines;
        if (is_in_a_line_) lines += '\n';
        for (const std::string& record : records)
            lines += record + '\n';
        if (auto opened = file_.open(target_in_use_.file); !opened) return opened;
        if (const auto size = file_.size(); size != 0 && size + lines.size() > target_in_use_.max_bytes) {
            if (auto rotated = rotate(target_in_use_); !rotated) return rotated;
            if (auto opened = file_.open(target_in_use_.file); !opened) return opened;
        }
        auto written = file_.write(target_in_use_.file, lines);
        is_in_a_line_ = !written;
        return written;
    }

    mutable std::mutex mutex_; ///< guards from here to the next comment
    RecordTarget target_;
    std::vector<std::string> waiting_;
    std::size_t waiting_bytes_ = 0;
    std::uint64_t written_ = 0;
    std::uint64_t dropped_ = 0;
    std::uint64_t dropped_since_ = 0; ///< the last record that was queued
    std::string last_error_;
    // Only the thread uses these.
    RecordTarget target_in_use_;
    OpenFile file_;
    bool is_in_a_line_ = false; ///< the last writing may have ended inside a line
};

RecordFile::RecordFile() : shared_(std::make_shared<Shared>()) {}

void RecordFile::add(const RecordTarget& target, std::string record) noexcept {
    try {
        std::call_once(started_, [this] {
            thread_.start("qosgate-records", [shared = shared_](DetachedThread::Link& owner) {
                for (bool goes_on = true; goes_on;) {
                    goes_on = owner.wait_for(write_interval);
                    try {
                        shared->write();
                    } catch (...) {
                        log_error("records: no memory to write them");
                    }
                }
            });
        });
        shared_->add(target, std::move(record));
    } catch (...) {
        log_error("records: no memory or no thread for a record");
    }
}

RecordCounts RecordFile::counts() const {
    return shared_->counts();
}

void RecordFile::stop(std::chrono::milliseconds patience) {
    thread_.stop(patience);
}

} // namespace qg::plugin
