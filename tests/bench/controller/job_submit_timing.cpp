// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_submit/timing: a plugin for slurmctld that loads two other job_submit plugins and takes the time around
// each one's job_submit(). contrib/bench uses it; it is never installed.
//
// slurmctld's environment says what to load and where the times go:
//   QG_TIMING_FIRST, QG_TIMING_SECOND   the plugins' files
//   QG_TIMING_FILE                      written on demand, a line per submission
//
// The name of a job says what happens to it:
//   timing-drop    both plugins are timed, then the job is refused, so that the queue stays as long as it is
//   timing-keep    both plugins are timed, the job goes on
//   timing-skip    nobody is asked, the job goes on
//   timing-write   the times so far are written and forgotten, the job is refused
//   any other      both plugins are asked, as if both were in JobSubmitPlugins
#include "host_alloc.hpp"
#include "qosgate/slurm/compat.hpp"

#include <slurm/spank.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string_view>
#include <vector>

#include <dlfcn.h>

struct job_record;

namespace {

using JobSubmit = int (*)(job_desc_msg_t* description, std::uint32_t submit_uid, char** err_msg);

constexpr std::size_t plugin_count = 2;
constexpr std::array<const char*, plugin_count> plugin_variables{"QG_TIMING_FIRST", "QG_TIMING_SECOND"};

/// More submissions than one measurement has; the rest is not recorded.
constexpr std::size_t most_samples = 100'000;

std::uint64_t now_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

/// What one plugin took for one job. The thread's own time leaves out what other processes took.
struct Times {
    std::uint64_t wall_ns = 0;
    std::uint64_t thread_ns = 0;
};

using Sample = std::array<Times, plugin_count>;

/// One of the two plugins, for ever loaded.
class Plugin {
  public:
    /// Loads and initialises it as slurmctld would. Errors: logged; false.
    bool load(const char* file) {
        void* const library = file == nullptr ? nullptr : dlopen(file, RTLD_LAZY);
        if (library == nullptr) {
            slurm_error("job_submit/timing: %s", file == nullptr ? "no plugin is named" : dlerror());
            return false;
        }
        submit_ = reinterpret_cast<JobSubmit>(dlsym(library, "job_submit"));
        const auto init = reinterpret_cast<int (*)()>(dlsym(library, "init"));
        if (submit_ == nullptr || (init != nullptr && init() != SLURM_SUCCESS)) {
            slurm_error("job_submit/timing: %s: does not start", file);
            return false;
        }
        return true;
    }

    int submit(job_desc_msg_t* description, std::uint32_t uid, char** err_msg, Times& times) const {
        char* message = nullptr;
        const std::uint64_t thread_begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t begin = now_ns(CLOCK_MONOTONIC);
        const int code = submit_(description, uid, &message);
        times.wall_ns = now_ns(CLOCK_MONOTONIC) - begin;
        times.thread_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - thread_begin;
        if (message != nullptr) qg::plugin::append_message(err_msg, message);
        slurm_xfree(reinterpret_cast<void**>(&message));
        return code;
    }

  private:
    JobSubmit submit_ = nullptr;
};

/// Both plugins and their times. Threads: not thread-safe.
class Timing {
  public:
    bool load() {
        samples_.reserve(most_samples);
        for (std::size_t i = 0; i < plugin_count; ++i)
            if (!plugins_[i].load(std::getenv(plugin_variables[i]))) return false;
        return true;
    }

    /// Asks both plugins; the first one to refuse decides. They take turns in going first, since the first
    /// one finds the processor's caches cold.
    int ask(job_desc_msg_t* description, std::uint32_t uid, char** err_msg, Sample& sample) {
        second_begins_ = !second_begins_;
        int code = SLURM_SUCCESS;
        for (std::size_t turn = 0; turn < plugin_count; ++turn) {
            const std::size_t i = second_begins_ ? plugin_count - 1 - turn : turn;
            const int answer = plugins_[i].submit(description, uid, err_msg, sample[i]);
            if (code == SLURM_SUCCESS) code = answer;
        }
        return code;
    }

    void record(const Sample& sample) {
        if (samples_.size() < most_samples) samples_.push_back(sample);
    }

    /// Writes "wall thread wall thread" in nanoseconds, a line per sample, and forgets them.
    void write() {
        const char* const path = std::getenv("QG_TIMING_FILE");
        FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
        if (file == nullptr) {
            slurm_error("job_submit/timing: QG_TIMING_FILE cannot be written");
            return;
        }
        for (const auto& [first, second] : samples_)
            std::fprintf(file, "%ju %ju %ju %ju\n", std::uintmax_t{first.wall_ns},
                         std::uintmax_t{first.thread_ns}, std::uintmax_t{second.wall_ns},
                         std::uintmax_t{second.thread_ns});
        std::fclose(file);
        samples_.clear();
    }

  private:
    std::array<Plugin, plugin_count> plugins_;
    std::vector<Sample> samples_;
    bool second_begins_ = false;
};

/// Never destroyed: slurmctld ends while its threads run.
Timing& timing() {
    static auto* const the_timing = new Timing;
    return *the_timing;
}

std::mutex one_at_a_time; // slurmctld submits from several threads from 23.02 on

int submit(job_desc_msg_t* description, std::uint32_t uid, char** err_msg) {
    constexpr int dropped = ESLURM_ACCESS_DENIED;
    const std::string_view name = description->name == nullptr ? "" : description->name;
    if (name == "timing-skip") return SLURM_SUCCESS;

    const std::scoped_lock lock(one_at_a_time);
    if (name == "timing-write") {
        timing().write();
        return dropped;
    }
    Sample sample;
    const int code = timing().ask(description, uid, err_msg, sample);
    if (name != "timing-drop" && name != "timing-keep") return code;
    timing().record(sample);
    return name == "timing-drop" ? dropped : code;
}

} // namespace

#define QG_EXPORT __attribute__((visibility("default")))

extern "C" {

extern QG_EXPORT const char plugin_name[];
extern QG_EXPORT const char plugin_type[];
extern QG_EXPORT const std::uint32_t plugin_version;

const char plugin_name[] = "times two other job_submit plugins";
const char plugin_type[] = "job_submit/timing";
const std::uint32_t plugin_version = SLURM_VERSION_NUMBER;

QG_EXPORT int init() {
    return timing().load() ? SLURM_SUCCESS : SLURM_ERROR;
}

QG_EXPORT int job_submit(job_desc_msg_t* description, std::uint32_t submit_uid, char** err_msg) {
    return submit(description, submit_uid, err_msg);
}

#if QG_JOB_MODIFY_HAS_MESSAGE
QG_EXPORT int job_modify(job_desc_msg_t*, job_record*, std::uint32_t, char**) {
    return SLURM_SUCCESS;
}
#else
QG_EXPORT int job_modify(job_desc_msg_t*, job_record*, std::uint32_t) {
    return SLURM_SUCCESS;
}
#endif

} // extern "C"
