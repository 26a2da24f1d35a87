// SPDX-License-Identifier: GPL-2.0-or-later
//
// The part of Runtime that lets a candidate decide, too. Apart from records of what would be different,
// nothing comes of it.
#include "controller/runtime.hpp"
#include "host/host_conf.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <optional>
#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;

} // namespace

[[gnu::noinline]] void Runtime::try_job(CandidateTrial& trial, const ClusterNow& now,
                                        const model::JobRequest& request, const Decision& decided) noexcept {
    const ScriptWorld world = script_world(now);
    trial.compare_job({gate_, world, known_cluster(now)}, request, decided);
}

[[gnu::noinline]] void Runtime::try_refused_job(CandidateTrial& trial, const ClusterNow& now,
                                                std::uint32_t het_offset, const model::JobRequest& request,
                                                const Decision& decided) noexcept {
    try {
        if (request.is_het_part)
            if (const auto parts = het_submission_.look(het_offset, request.user_id))
                trial.keep_parts(*parts);
        try_job(trial, now, request, decided);
    } catch (...) { // no memory
        trial.skip();
    }
}

[[gnu::noinline]] void Runtime::try_change(const Asked& asked, const ClusterNow& now, job_desc_msg_t& job,
                                           const model::JobRequest& after, const Decision& decided,
                                           bool is_judged) noexcept {
    const ScriptWorld world = script_world(now);
    const TriedChange change{job, asked.description, after, asked.submit_uid, is_judged};
    asked.trial->compare_change({gate_, world, known_cluster(now)}, change, decided);
}

JobCopy Runtime::copy_for_trial(const Asked& asked, std::optional<std::uint32_t> files_id) {
    if (!files_id) return nullptr;
    const bool by_operator = quota_.is_operator(asked.submit_uid);
    if (!why_not_copied(files_id, asked.submit_uid, by_operator).empty()) return nullptr;
    // Of a job of salloc or srun slurmctld logs that it has no script.
    if (environment_bytes(state_file(""), *files_id) == 0) return nullptr;
    const auto begin = TimeAllowance::Clock::now();
    JobCopy copy = jobs_.copy(asked.job);
    asked.trial->spend(TimeAllowance::Clock::now() - begin);
    return copy;
}

[[gnu::noinline]] void Runtime::try_passed_change(const policy::Policy& policy, const Asked& asked,
                                                  const ScriptEffect* of_script) noexcept {
    CandidateTrial& trial = *asked.trial;
    try {
        const bool script_did_something = of_script != nullptr && !of_script->decision.events.empty();
        if (!script_did_something && !trial.looks_at_change()) return;
        if (!trial.has_time()) return trial.skip();
        const auto files_id = job_files_.find_id(asked.job);
        JobCopy own;
        job_desc_msg_t* job = of_script == nullptr ? nullptr : of_script->job.get();
        if (job == nullptr) {
            own = copy_for_trial(asked, files_id);
            job = own.get();
        }
        if (job == nullptr) return trial.skip();

        const ClusterNow now = cluster_.current();
        const bool is_judged = slurm::asks_only_for_entitled || may_change(asked.submit_uid, *job);
        const model::JobUpdate change = slurm::read_update(*job, asked.description, asked.submit_uid);
        Recording recording = recorder_.begin(policy);
        // The policy in force does not judge this change. It is judged here only because a comparison needs a
        // forecast on both sides.
        Decision decided;
        if (is_judged) decided = gate_.decide_update(change, known_cluster(now), &policy);
        const auto script_took =
            of_script == nullptr ? TimeAllowance::Clock::duration() : of_script->time.took;
        recording.stop_clock(script_took);
        trial.spend(recording.took() - script_took);
        Decision passed;
        passed.forecast = decided.forecast;
        if (script_did_something) prepend_script(decided, of_script->decision, of_script->said);
        try_change(asked, now, *job, change.after, decided, is_judged);
        const gate::Comparison* const found = trial.comparison();
        if (found == nullptr || !found->differs() || script_did_something) return;
        recording.finish(passed, {change.after, files_id.value_or(0), found});
    } catch (...) {
        trial.skip();
    }
}

} // namespace qg::plugin
