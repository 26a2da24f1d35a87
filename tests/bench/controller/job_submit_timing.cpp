// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_submit/timing: a plugin for slurmctld that loads two other job_submit plugins and takes the time around
// one's job_submit(). contrib/bench uses it; it is never installed.
//
// slurmctld's environment names the plugins to load and the file for the times:
//   QG_TIMING_FIRST, QG_TIMING_SECOND   the plugins' files
//   QG_TIMING_FILE                      written on demand, a line per timed submission
//
// The mail_user of a job says what happens to it, since no text that qosgate reads is free for that; N is 1
// for the first plugin, 2 for the second, and it alone is asked:
//   timing-drop-N   it is timed, then the job is refused, so that the queue stays as long as it is
//   timing-keep-N   it is timed, the job goes on
//   timing-turn-N   it is asked without being timed, the job is refused
//   timing-skip     nobody is asked, the job goes on
//   timing-write    the times so far are written and forgotten, the job is refused
//   any other       both plugins are asked, and either may refuse
#include "host/host_alloc.hpp"
#include "qosgate/slurm/compat.hpp"

#include <slurm/spank.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include <dlfcn.h>

struct job_record;

namespace {

using JobSubmit = int (*)(job_desc_msg_t* description, std::uint32_t submit_uid, char** err_msg);

constexpr std::size_t plugin_count = 2;
constexpr std::array<const char*, plugin_count> plugin_variables{"QG_TIMING_FIRST", "QG_TIMING_SECOND"};
constexpr std::array<std::string_view, plugin_count> plugin_endings{"-1", "-2"};

/// More timed submissions than one measurement has; the rest is not recorded.
constexpr std::size_t max_samples = 100'000;

std::uint64_t now_ns(clockid_t clock) {
    timespec time{};
    clock_gettime(clock, &time);
    return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000u +
           static_cast<std::uint64_t>(time.tv_nsec);
}

/// What a plugin took for one job. The thread's own time leaves out what other processes took.
struct Sample {
    std::size_t plugin = 0;
    std::uint64_t wall_ns = 0;
    std::uint64_t thread_ns = 0;
};

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

    /// Fills in the times of `sample`.
    int submit(job_desc_msg_t* description, std::uint32_t uid, char** err_msg, Sample& sample) const {
        char* message = nullptr;
        const std::uint64_t thread_begin = now_ns(CLOCK_THREAD_CPUTIME_ID);
        const std::uint64_t begin = now_ns(CLOCK_MONOTONIC);
        const int code = submit_(description, uid, &message);
        sample.wall_ns = now_ns(CLOCK_MONOTONIC) - begin;
        sample.thread_ns = now_ns(CLOCK_THREAD_CPUTIME_ID) - thread_begin;
        if (message != nullptr && err_msg != nullptr)
            qg::plugin::assign_text(*err_msg, *err_msg == nullptr ? std::string(message)
                                                                  : std::string(*err_msg) + "\n" + message);
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
        samples_.reserve(max_samples);
        for (std::size_t i = 0; i < plugin_count; ++i)
            if (!plugins_[i].load(std::getenv(plugin_variables[i]))) return false;
        return true;
    }

    /// Asks one plugin, as a slurmctld does that has no other.
    int ask(std::size_t plugin, job_desc_msg_t* description, std::uint32_t uid, char** err_msg,
            bool is_timed) {
        Sample sample{.plugin = plugin};
        const int code = plugins_[plugin].submit(description, uid, err_msg, sample);
        if (is_timed && samples_.size() < max_samples) samples_.push_back(sample);
        return code;
    }

    /// Asks both, whatever the first one says; the first one to refuse decides.
    int ask_both(job_desc_msg_t* description, std::uint32_t uid, char** err_msg) {
        int code = SLURM_SUCCESS;
        for (std::size_t plugin = 0; plugin < plugin_count; ++plugin) {
            const int answer = ask(plugin, description, uid, err_msg, /*is_timed=*/false);
            if (code == SLURM_SUCCESS) code = answer;
        }
        return code;
    }

    /// Writes "plugin wall thread", the times in nanoseconds, a line per sample, and forgets them.
    void write() {
        const char* const path = std::getenv("QG_TIMING_FILE");
        FILE* const file = path == nullptr ? nullptr : std::fopen(path, "w");
        if (file == nullptr) {
            slurm_error("job_submit/timing: QG_TIMING_FILE cannot be written");
            return;
        }
        for (const Sample& sample : samples_)
            std::fprintf(file, "%zu %ju %ju\n", sample.plugin, std::uintmax_t{sample.wall_ns},
                         std::uintmax_t{sample.thread_ns});
        std::fclose(file);
        samples_.clear();
    }

  private:
    std::array<Plugin, plugin_count> plugins_;
    std::vector<Sample> samples_;
};

/// Never destroyed: slurmctld ends while its threads run.
Timing& timing() {
    static auto* const the_timing = new Timing;
    return *the_timing;
}

std::mutex one_at_a_time; // slurmctld submits from several threads from 23.02 on

int submit(job_desc_msg_t* description, std::uint32_t uid, char** err_msg) {
    constexpr int dropped = ESLURM_ACCESS_DENIED;
    const std::string_view order = description->mail_user == nullptr ? "" : description->mail_user;
    if (order == "timing-skip") return SLURM_SUCCESS;

    const std::scoped_lock lock(one_at_a_time);
    if (order == "timing-write") {
        timing().write();
        return dropped;
    }
    if (!order.starts_with("timing-")) return timing().ask_both(description, uid, err_msg);

    const auto named =
        std::ranges::find_if(plugin_endings, [order](auto end) { return order.ends_with(end); });
    if (named == plugin_endings.end()) return dropped;
    const auto plugin = static_cast<std::size_t>(named - plugin_endings.begin());
    const bool is_timed = !order.starts_with("timing-turn");
    const int code = timing().ask(plugin, description, uid, err_msg, is_timed);
    return order.starts_with("timing-keep") ? code : dropped;
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
