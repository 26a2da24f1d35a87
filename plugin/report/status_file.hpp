// SPDX-License-Identifier: GPL-2.0-or-later
//
// StatusFile: keeps a small file up to date, so that programs see the plugin's state. A thread of its own
// writes it: if the file system hangs, only this thread hangs.
//
//   StatusFile file;
//   file.start({active_path, standby_path}, {[&] { return describe(); }});
//   file.stop(200ms);                         // afterwards describe() is not called
#pragma once

#include "qosgate/base/detached_thread.hpp"

#include <chrono>
#include <ctime>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace qg::plugin {

class StatusFile {
  public:
    /// How often it is written although nothing has changed: a reader recognises an old file by its age.
    static constexpr std::chrono::seconds max_age{30};

    StatusFile();
    StatusFile(const StatusFile&) = delete;
    StatusFile& operator=(const StatusFile&) = delete;

    /// Where it is written. Controllers share the first file, which only the one in charge writes; each
    /// standby has its own.
    struct Paths {
        std::filesystem::path in_charge;
        std::filesystem::path standby;
    };

    struct Text {
        std::string members; ///< empty: nothing is written now
        bool is_standby = false;
    };

    /// What the thread calls in turn.
    struct Source {
        /// Must not block or throw: stop() waits for it.
        std::function<Text()> describe;
        /// Called before each `describe`; may be empty. It may wait for slurmctld's locks, and must own
        /// everything that it uses: stop() does not wait for it.
        std::function<void()> prepare = {};
        /// Seconds since 1970, in tests of another clock.
        std::function<std::time_t()> wall_clock = [] { return std::time(nullptr); };
    };

    /// Writes {<members>, "written_at": <seconds>} whenever the members change, atomically, also when the
    /// clock was set, because readers go by the age, and at regular intervals. A standby that is in charge
    /// removes its file as a standby. Errors: throws std::system_error if no thread can be created.
    void start(Paths paths, Source source);

    /// Ends the thread, which removes the file if it wrote it. Waits for this no longer than `patience`;
    /// after that, the file stays: it may be another plugin's by then.
    void stop(std::chrono::milliseconds patience);

  private:
    class Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
};

} // namespace qg::plugin
