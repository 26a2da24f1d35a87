// SPDX-License-Identifier: GPL-2.0-or-later
//
// StatusFile: keeps a small file up to date from a thread of its own, so that programs see where the plugin
// stands. The file system may hang: only that thread does.
//
//   StatusFile file;
//   file.start("/var/spool/slurmctld/qosgate_status.json", [&] { return describe(); });
//   file.stop(200ms);                         // afterwards describe() is not called, and the file is gone
#pragma once

#include "qosgate/base/detached_thread.hpp"

#include <chrono>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>

namespace qg::plugin {

class StatusFile {
  public:
    /// How often it is written although nothing has changed: a reader knows an old one by that.
    static constexpr std::chrono::seconds longest_age{30};

    StatusFile();
    StatusFile(const StatusFile&) = delete;
    StatusFile& operator=(const StatusFile&) = delete;

    /// Writes {<members>, "written_at": <seconds>} whenever the members change, whole or not at all, and now
    /// and then besides. `describe` makes them, empty: nothing is to be written now; it must not block or
    /// throw.
    /// Errors: throws std::system_error where no thread can be had.
    void start(std::filesystem::path path, std::function<std::string()> describe);

    /// Ends the thread, which removes the file if it wrote it, and waits for that no longer than `patience`.
    void stop(std::chrono::milliseconds patience);

  private:
    class Shared;

    std::shared_ptr<Shared> shared_; ///< with the thread
    DetachedThread thread_;
};

} // namespace qg::plugin
