// SPDX-License-Identifier: GPL-2.0-or-later
//
// RecordFile: a file of records, one in each line. A thread of its own writes it: if the file system hangs,
// only this thread hangs. Nobody waits for it; what does not fit in the queue is dropped and counted.
//
//   RecordFile file;
//   file.add(target, R"({"id": "1"})");       // from job_submit()
//   file.stop(200ms);                         // writes what is left
#pragma once

#include "qosgate/base/detached_thread.hpp"

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>

namespace qg::plugin {

/// Where records go. When the file would grow beyond `max_bytes`, it is renamed to "<file>.1", that one to
/// "<file>.2", and so on; `kept` old ones stay.
struct RecordTarget {
    std::string file;
    std::uint64_t max_bytes = 0;
    unsigned kept = 1;
    friend bool operator==(const RecordTarget&, const RecordTarget&) = default;
};

/// What happened to the records so far.
struct RecordCounts {
    std::uint64_t written = 0;
    std::uint64_t dropped = 0;
    std::string last_error; ///< empty: the last writing succeeded
};

/// Threads: add() and counts() from any number of threads.
class RecordFile {
  public:
    /// Bounds of what waits to be written.
    static constexpr std::size_t max_waiting = 2000;
    static constexpr std::size_t max_waiting_bytes = std::size_t{8} << 20;

    RecordFile();
    RecordFile(const RecordFile&) = delete;
    RecordFile& operator=(const RecordFile&) = delete;

    /// Queues one record, an object of JSON without a newline; starts the thread with the first one. If
    /// records were dropped before it, it gets a member "dropped_before". The file is opened for appending
    /// and made if it is missing, with mode 0600. A symbolic link, anything but a regular file, and a file
    /// that others own or may write is refused. Errors are logged, each once; then records are dropped.
    void add(const RecordTarget& target, std::string record) noexcept;

    [[nodiscard]] RecordCounts counts() const;

    /// Ends the thread, which first writes what waits. Waits for this no longer than `patience`.
    void stop(std::chrono::milliseconds patience);

  private:
    class Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    std::once_flag started_;
    DetachedThread thread_;
};

} // namespace qg::plugin
