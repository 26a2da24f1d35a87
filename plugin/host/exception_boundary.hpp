// SPDX-License-Identifier: GPL-2.0-or-later
//
// The boundary of every exported function: no exception leaves it, because the caller is C and the process is
// slurmctld. An exception is logged, and the function returns its fallback.
//
//   return guarded("job_submit", [&] { return runtime.submit(…); }, [&] { return runtime.failed(…);
//   });
#pragma once

#include "host/host_log.hpp"
#include "qosgate/base/check.hpp"

#include <cstdio>
#include <exception>

namespace qg::plugin {

/// Logs what went wrong in an entry point, without allocating.
inline void log_caught(const char* entry, const char* kind, const char* what) noexcept {
    char line[1024];
    std::snprintf(line, sizeof line, "%s: %s: %s", entry, kind, what);
    log_error(line);
}

/// The result of `work`; of `fallback` if `work` throws; 0 if both throw. 0 means "go on" in every entry
/// point of Slurm.
template <typename Work, typename Fallback>
int guarded(const char* entry, Work work, Fallback fallback) noexcept {
    try {
        return work();
    } catch (const InternalError& error) {
        log_caught(entry, "a bug, please report it", error.what());
    } catch (const std::exception& error) {
        log_caught(entry, "failed", error.what());
    } catch (...) {
        log_caught(entry, "failed", "unknown exception");
    }
    try {
        return fallback();
    } catch (...) {
        log_caught(entry, "failed", "so did its fallback; the job goes on unchecked");
        return 0;
    }
}

/// The same for an entry point whose failure means "go on".
template <typename Work>
int guarded(const char* entry, Work work) noexcept {
    return guarded(entry, work, [] { return 0; });
}

} // namespace qg::plugin
