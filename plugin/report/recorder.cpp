// SPDX-License-Identifier: GPL-2.0-or-later
#include "report/recorder.hpp"

#include "host/host_log.hpp"
#include "qosgate/base/text.hpp"

namespace qg::plugin {
namespace {

using Clock = std::chrono::steady_clock;

constexpr std::uint64_t mib = std::uint64_t{1} << 20;

RecordTarget target_of(const policy::Settings& settings) {
    return {.file = settings.record_file,
            .max_bytes = settings.record_file_mib * mib,
            .kept = static_cast<unsigned>(settings.record_files_kept)};
}

bool is_refused(const model::Decision& decision) noexcept {
    return decision.reject != model::RejectCode::none || decision.forecast.code != model::RejectCode::none;
}

} // namespace

Recording::Recording(Recorder& recorder, const policy::Policy& policy) noexcept
    : recorder_(recorder), policy_(policy), is_on_(!policy.settings().record_file.empty()),
      begin_(Clock::now()) {}

void Recording::finish(model::Decision& decision, const gate::RecordedJob& job) const noexcept {
    if (!is_on_) return;
    try {
        record(decision, job);
    } catch (...) {
        log_error("records: no memory for a record");
    }
}

void Recording::record(model::Decision& decision, const gate::RecordedJob& job) const {
    const auto took = std::chrono::duration_cast<std::chrono::microseconds>(took_);
    const policy::Settings& settings = policy_.settings();
    const bool differs = job.candidate != nullptr && job.candidate->differs();
    if (!differs && !gate::did_something(decision) && !recorder_.is_sampled(settings.record_percent)) return;
    const std::string id = recorder_.next_id();
    if (is_refused(decision) && !decision.message.empty())
        decision.message.push_back("decision " + id + ": name it if you ask about this job");
    recorder_.file_.add(target_of(settings), gate::to_record(id, {std::chrono::system_clock::now(), took},
                                                             job, decision, policy_));
}

std::string Recorder::next_id() {
    return text::format("{:x}-{}", started_at_, ++last_id_);
}

bool Recorder::is_sampled(std::uint64_t percent) noexcept {
    if (percent == 0) return false;
    const std::uint64_t before = passed_.fetch_add(1, std::memory_order_relaxed);
    return (before + 1) * percent / 100 != before * percent / 100;
}

} // namespace qg::plugin
