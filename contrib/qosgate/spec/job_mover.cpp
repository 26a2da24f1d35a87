// SPDX-License-Identifier: GPL-2.0-or-later
#include "spec/job_mover.hpp"

#include "common/output.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

using slurmdb::JobMove;

bool has(std::span<const model::QosRecord> records, const std::string& name) {
    return std::ranges::any_of(records, [&](const auto& record) { return record.name == name; });
}

} // namespace

JobMover::JobMover(const spec::Plan& plan, std::string target, const slurmdb::Session& session)
    : target_(text::lower(target)), session_(session), plan_(plan) {
    for (const model::QosRecord& record : plan.removed)
        from_.push_back(record.name);
}

Result<void> JobMover::check_target(const spec::LiveState& live) const {
    if (target_.empty()) return {};
    const std::string option = "--move-jobs-to " + text::quoted(target_, 64);
    if (has(plan_.removed, target_))
        return Error{ErrorCode::invalid_input, option + ": the plan deletes this QOS; name one that stays"};
    if (has(plan_.created, target_))
        return Error{ErrorCode::invalid_input,
                     option + ": the plan creates this QOS, and jobs are moved before that; name one that "
                              "exists, or create it with an earlier plan"};
    if (has(live.qos, target_)) return {};
    std::vector<std::string> names;
    for (const model::QosRecord& record : live.qos)
        names.push_back(record.name);
    return Error{ErrorCode::not_found,
                 text::format("{}: there is no such QOS{}", option, text::did_you_mean(target_, names))};
}

Result<std::vector<JobMove>> JobMover::find() const {
    if (!moves_anything()) return std::vector<JobMove>();
    return slurmdb::find_moves(session_, from_, target_);
}

Result<void> JobMover::move() {
    if (!moves_anything()) return {};
    const auto moves = slurmdb::move_jobs(session_, from_, target_);
    if (!moves) return moves.error();
    moved_.insert(moved_.end(), moves->begin(), moves->end());
    return {};
}

std::string JobMover::move_back() {
    if (moved_.empty()) return {};
    const auto left = slurmdb::move_back(session_, moved_);
    const std::size_t back = moved_.size() - left.size();
    moved_ = left;
    return text::format("; {} moved back to where they were", text::count_of(back, "job")) + stay();
}

std::string JobMover::stay() const {
    if (moved_.empty()) return {};
    std::vector<std::string> jobs;
    for (const JobMove& move : moved_)
        jobs.push_back(std::to_string(move.job));
    return text::format("; these jobs are in QOS {} now: {}", text::printable(target_),
                        text::list_names(jobs));
}

std::string JobMover::sentence(std::string_view verb, std::span<const JobMove> moves) const {
    std::vector<std::string> names;
    for (const JobMove& move : moves)
        if (std::ranges::find(names, move.from) == names.end()) names.push_back(move.from);
    return text::format("{} {} of {} {} to {}.", verb, text::count_of(moves.size(), "pending job"),
                        names.size() == 1 ? "QOS" : "QOSs", text::printable(text::list_names(names)),
                        text::printable(target_));
}

} // namespace qg::cli
