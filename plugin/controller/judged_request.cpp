// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/judged_request.hpp"

#include "host/host_alloc.hpp"
#include "host/host_log.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurm/reject_codes.hpp"

#include <utility>

namespace qg::plugin {

using model::Decision;

int answer(const Decision& decision, char** err_msg) {
    // The decision is valid even if there is no memory for its messages.
    try {
        for (const LogLine& line : decision.log)
            log_line(line.level, line.text);
        // Up to 22.05 only the log shows a message.
        if (!decision.message.empty()) append_message(err_msg, decision.message);
    } catch (...) {
        log_error("out of memory while formatting the answer");
    }
    return slurm::to_slurm_error(decision.reject);
}

[[gnu::noinline]] void JudgedRequest::begin_trial(std::shared_ptr<const policy::Policy> candidate) {
    trial_ = CandidateTrial::begin(controller_.candidate_runs, std::move(candidate), *policy_, description_);
}

void JudgedRequest::prepend_script_to(Decision& decision) {
    prepend_script(decision, std::move(of_script_->decision), of_script_->said);
}

void JudgedRequest::record_without(std::size_t lines, const Recording& recording, Decision& decision,
                                   const gate::RecordedJob* job) {
    if (job != nullptr) recording.finish(decision, *job);
    controller_.count(decision, is_change_, recording.took());
    auto& message = decision.message;
    message.erase(message.begin(), message.begin() + static_cast<std::ptrdiff_t>(lines));
}

void JudgedRequest::record(const Recording& recording, Decision& decision, const gate::RecordedJob* job) {
    record_without(of_script_ ? of_script_->said.size() : 0, recording, decision, job);
}

int JudgedRequest::conclude(const Recording& recording, Decision& decision, const gate::RecordedJob* job) {
    record(recording, decision, job);
    return answer(decision, err_msg_);
}

int JudgedRequest::end_with_script(const Recording& recording, const gate::RecordedJob* job,
                                   const ScriptCall& call, Decision& decision) {
    record_without(call.said().size(), recording, decision, job);
    answer(decision, err_msg_);
    return call.answer.code;
}

void JudgedRequest::pass_on_lines(const policy::compat::ScriptOutcome& outcome) const {
    try {
        for (const auto& line : outcome.lines)
            log_script_line(line.level, line.text);
        if (outcome.message) append_text(err_msg_, *outcome.message);
    } catch (...) {
        log_error("out of memory while passing on what a script says");
    }
}

} // namespace qg::plugin
