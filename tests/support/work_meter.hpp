// SPDX-License-Identifier: GPL-2.0-or-later
//
// Measures how much work a piece of code does. The result is the same on a busy or slow machine, and for code
// that is not optimized.
#pragma once

#include <linux/perf_event.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <ctime>
#include <numeric>
#include <string>

namespace qg::test {

/// Typical work of the gate with a hostile request: it compares names by edit distance. It has its own code,
/// so that it does not change with the code under test.
struct ReferenceWork {
    static constexpr std::uint64_t instructions = 250'000; ///< if optimized

    static void run() {
        volatile std::size_t sum = 0;
        for (std::size_t turn = 0; turn < 8; ++turn)
            sum = sum + distance(std::string(40, 'a') + std::to_string(turn), std::string(40, 'b'));
    }

  private:
    static std::size_t distance(const std::string& wrong, const std::string& name) {
        std::array<std::size_t, 64> row;
        std::iota(row.begin(), row.end(), std::size_t{0});
        for (std::size_t i = 1; i <= wrong.size(); ++i) {
            std::size_t diagonal = row[0];
            row[0] = i;
            for (std::size_t j = 1; j <= name.size(); ++j) {
                const std::size_t substituted = diagonal + (wrong[i - 1] == name[j - 1] ? 0 : 1);
                diagonal = row[j];
                row[j] = std::min({row[j] + 1, row[j - 1] + 1, substituted});
            }
        }
        return row[name.size()];
    }
};

/// Measures work in instructions of optimized code, by comparison with the reference work: a slow machine, or
/// missing optimization, slows both. It counts instructions. If the kernel or the machine does not allow
/// that, it measures the thread's processor time.
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

    /// The work of one call. If instructions are counted, `work` is called once. Otherwise it is called until
    /// three turns in a row were not shorter; the shortest turns of work and reference count.
    template <typename Work>
    [[nodiscard]] std::uint64_t measure(Work work) const {
        const int enough_turns = counts_instructions() ? 1 : 4;
        std::uint64_t of_work = UINT64_MAX, of_reference = UINT64_MAX;
        for (int idle_turns = 0; idle_turns < enough_turns; ++idle_turns) {
            const bool is_better = improve(of_work, one_turn(work));
            if (improve(of_reference, one_turn(&ReferenceWork::run)) || is_better) idle_turns = 0;
        }
        return static_cast<std::uint64_t>(static_cast<double>(of_work) / static_cast<double>(of_reference) *
                                          ReferenceWork::instructions);
    }

  private:
    template <typename Work>
    [[nodiscard]] std::uint64_t one_turn(Work work) const {
        const std::uint64_t before = now();
        work();
        return now() - before;
    }

    /// Whether a turn was clearly shorter than the shortest so far.
    static bool improve(std::uint64_t& least, std::uint64_t turn) {
        const bool is_shorter = turn < least - least / 32;
        least = std::min(least, turn);
        return is_shorter;
    }

    [[nodiscard]] std::uint64_t now() const noexcept {
        std::uint64_t count = 0;
        if (counts_instructions() && read(counter_, &count, sizeof count) == sizeof count) return count;
        timespec time{};
        clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
        return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
               static_cast<std::uint64_t>(time.tv_nsec);
    }

    int counter_ = -1;
};

} // namespace qg::test
