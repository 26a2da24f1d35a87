// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much work a piece of code is, by instructions and not by the clock: the same on a busy machine.
#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <ctime>

namespace qg::test {

/// Counts what this thread does. Where the kernel or the machine lets nobody count instructions, it takes the
/// thread's processor time for them, at a low three a nanosecond.
class WorkMeter {
  public:
    WorkMeter() {
        perf_event_attr attributes{};
        attributes.size = sizeof attributes;
        attributes.type = PERF_TYPE_HARDWARE;
        attributes.config = PERF_COUNT_HW_INSTRUCTIONS;
        attributes.exclude_kernel = 1;
        attributes.exclude_hv = 1;
        constexpr int this_thread = 0, any_cpu = -1, no_group = -1;
        counter_ = static_cast<int>(
            syscall(SYS_perf_event_open, &attributes, this_thread, any_cpu, no_group, PERF_FLAG_FD_CLOEXEC));
    }
    WorkMeter(const WorkMeter&) = delete;
    WorkMeter& operator=(const WorkMeter&) = delete;
    ~WorkMeter() {
        if (counts_instructions()) close(counter_);
    }

    [[nodiscard]] bool counts_instructions() const noexcept { return counter_ >= 0; }

    /// The instructions of one call. Time differs from call to call: it is the shortest of some.
    template <typename Work>
    [[nodiscard]] std::uint64_t measure(Work work) const {
        std::uint64_t least = UINT64_MAX;
        for (int left = counts_instructions() ? 1 : 5; left > 0; --left) {
            const std::uint64_t before = now();
            work();
            least = std::min(least, now() - before);
        }
        return least;
    }

  private:
    [[nodiscard]] std::uint64_t now() const noexcept {
        std::uint64_t count = 0;
        if (counts_instructions() && read(counter_, &count, sizeof count) == sizeof count) return count;
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return 3 * (static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
                    static_cast<std::uint64_t>(time.tv_nsec));
    }

    int counter_ = -1;
};

} // namespace qg::test
