// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/waiting_report.hpp"

#include "common/or_null.hpp"
#include "common/output.hpp"
#include "common/table.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>

#include <pwd.h>

namespace qg::cli {
namespace {

using model::QueueState;
using nlohmann::ordered_json;

/// Holders that are named.
constexpr std::size_t max_named = 10;

/// What the holders beyond these have.
report::Holders others_of(const report::Holders& holders) {
    report::Holders others;
    for (std::size_t i = max_named; i < holders.jobs.size(); ++i) {
        others.jobs.push_back(holders.jobs[i]);
        others.sum += holders.jobs[i].amount;
    }
    return others;
}

std::string amount_text(const report::HeldLimit& limit, std::uint64_t amount) {
    return limits::format_limit_value(limit.limit, limit.tres, amount);
}

} // namespace

WaitingReport::WaitingReport(const model::QueuedJob& job, const report::QueueContext& context,
                             bool hides_jobs)
    : job_(job), context_(context), hides_jobs_(hides_jobs),
      waiting_(job.state == QueueState::pending ? report::explain_waiting(job, context)
                                                : report::WaitingJob{}) {}

std::string WaitingReport::user_name(std::uint32_t user_id) const {
    const std::string known = context_.world.name_of(user_id);
    if (known != std::to_string(user_id)) return known;
    const passwd* user = getpwuid(user_id);
    return user == nullptr ? known : user->pw_name;
}

std::string WaitingReport::sentence() const {
    const std::string job = text::format("Job {} of {}", job_.name, text::printable(user_name(job_.user_id)));
    const std::string since = text::local_time(job_.start);
    switch (job_.state) {
    case QueueState::pending:
        return text::format("{} waits: {} (account {}, QOS {}, partition {})", job,
                            text::printable(job_.reason_text.empty() ? job_.reason : job_.reason_text),
                            job_.account.empty() ? "none" : text::printable(job_.account),
                            job_.qos.empty() ? "none" : text::printable(job_.qos),
                            text::printable(job_.partition, 1000));
    case QueueState::running: return text::format("{} runs since {}.", job, since);
    case QueueState::suspended: return text::format("{} is suspended; it started at {}.", job, since);
    case QueueState::over: break;
    }
    return text::format("{} has ended, or is about to end: {}.", job, job_.state_name);
}

/// What jobs hold that the reader is not shown.
std::uint64_t WaitingReport::hidden_amount(const report::HeldLimit& limit) const {
    const model::LimitFacts& facts = model::facts_of(limit.limit);
    const bool is_compared =
        facts.measure == model::LimitMeasure::tres || facts.measure == model::LimitMeasure::running_jobs;
    return hides_jobs_ && is_compared && limit.used > limit.holders.sum ? limit.used - limit.holders.sum : 0;
}

void WaitingReport::print(std::ostream& out) const {
    out << sentence() << '\n';
    for (const report::ExplainedReason& each : waiting_.reasons) {
        if (each.meaning.empty()) {
            out << text::format("  {}: this Reason is not known here\n", text::printable(each.reason));
            continue;
        }
        out << text::format("  {}: {}\n", each.reason, each.meaning);
        for (const std::string& line : each.details)
            out << text::format("    {}\n", line);
        for (const std::string& rule : each.rules)
            out << text::format("    {}\n", rule);
        if (each.limit)
            print(*each.limit, out);
        else if (each.is_of_limit)
            out << (each.is_hidden
                        ? "    This limit is hidden from you (PrivateData, or a hidden partition).\n"
                        : "    This limit does not count for the job any more.\n");
        if (!each.waiting.empty())
            out << text::format("    {}{}{}\n", each.waiting, each.change.empty() ? "" : " ", each.change);
    }
    for (const std::string& line : waiting_.also)
        out << "  Beside that: " << line << '\n';
    for (const std::string& line : waiting_.changes)
        out << text::format("  Lets {} start, as far as limits and partitions decide: {}\n",
                            job_.name.find('[') == job_.name.npos ? "it" : "the next task", line);
}

void WaitingReport::print(const report::HeldLimit& limit, std::ostream& out) const {
    out << "    " << limit.text << '\n';
    if (limit.hides_numbers) {
        out << "    PrivateData hides the numbers, and whose jobs hold the limit.\n";
        return;
    }
    if (!limit.asked) print_room(limit, out);
    print_holders(limit, out);
    if (limit.unaccounted.value_or(0) > 0)
        out << text::format(
            "    The jobs of the queue have at most {} of what is in use, so slurmctld's counter is too "
            "high.\n    An administrator lets it count anew: scontrol reconfigure ('qosgate verify' "
            "shows all such counters)\n",
            amount_text(limit, limit.holders.most));
    if (limit.room_at)
        out << text::format("    Estimate: room at {}, by the time limits of these jobs; earlier if they end "
                            "earlier, later if other jobs are first\n",
                            text::local_time(*limit.room_at));
}

void WaitingReport::print_room(const report::HeldLimit& limit, std::ostream& out) const {
    if (job_.het_id != 0) {
        out << "    There is room now for this part alone: the parts start together or not at all, and count "
               "together.\n";
        return;
    }
    out << "    There is room now for what the job asks for: the Reason is that of the last attempt to start "
           "it, or\n    the job gets more than it asks for (whole nodes, for example).\n";
    // limits/README.md 6.5
    constexpr limits::Release counts_chosen_gpus_only{24, 5, 0};
    if (limit.tres.starts_with("gres/") && job_.request.tres_per_job &&
        context_.release < counts_chosen_gpus_only)
        out << "    Before 24.05 Slurm shows this Reason also for --gpus jobs that wait for free nodes.\n";
}

void WaitingReport::print_holders(const report::HeldLimit& limit, std::ostream& out) const {
    const std::uint64_t hidden = hidden_amount(limit);
    if (limit.holders.jobs.empty()) {
        if (hidden > 0)
            out << text::format("    Held by jobs of others, which PrivateData hides: {}\n",
                                amount_text(limit, hidden));
        return;
    }
    Table table{{{"HELD BY JOB"}, {"USER"}, {"AMOUNT", true}, {"ENDS BY ITS TIME LIMIT"}}, {}};
    for (const report::Holder& holder : limit.holders.jobs) {
        if (table.rows.size() == max_named) break;
        table.rows.push_back({holder.job->name, text::printable(user_name(holder.job->user_id)),
                              amount_text(limit, holder.amount),
                              holder.end ? text::local_time(*holder.end) : "not known"});
    }
    if (const report::Holders others = others_of(limit.holders); !others.jobs.empty())
        table.rows.push_back(
            {text::format("{} more", others.jobs.size()), "", amount_text(limit, others.sum), ""});
    if (hidden > 0) table.rows.push_back({"hidden by PrivateData", "", amount_text(limit, hidden), ""});
    print_aligned(out, table, terminal_width(), "    ");
}

ordered_json WaitingReport::json(const report::HeldLimit& limit) const {
    ordered_json answer{{"text", limit.text},
                        {"limit", model::name_of(limit.limit)},
                        {"tres", limit.tres.empty() ? ordered_json() : ordered_json(limit.tres)},
                        {"set_by", limit.set_by},
                        {"is_hidden", limit.hides_numbers},
                        {"value", nullptr},
                        {"used", nullptr},
                        {"asked", nullptr},
                        {"is_permanent", limit.is_permanent},
                        {"held_by", nullptr},
                        {"others", nullptr},
                        {"hidden", nullptr},
                        {"unaccounted", nullptr},
                        {"room_at", nullptr}};
    if (limit.hides_numbers) return answer;
    auto holders = ordered_json::array();
    for (const report::Holder& holder : limit.holders.jobs) {
        if (holders.size() == max_named) break;
        holders.push_back({{"job", holder.job->name},
                           {"user", user_name(holder.job->user_id)},
                           {"amount", holder.amount},
                           {"ends", or_null(holder.end)}});
    }
    const report::Holders others = others_of(limit.holders);
    answer["value"] = limit.value;
    answer["used"] = limit.used;
    answer["asked"] = or_null(limit.asked);
    answer["held_by"] = holders;
    answer["others"] = {{"jobs", others.jobs.size()}, {"amount", others.sum}};
    answer["hidden"] = hidden_amount(limit);
    answer["unaccounted"] = or_null(limit.unaccounted);
    answer["room_at"] = or_null(limit.room_at);
    return answer;
}

ordered_json WaitingReport::json() const {
    auto reasons = ordered_json::array();
    for (const report::ExplainedReason& each : waiting_.reasons)
        reasons.push_back({{"reason", each.reason},
                           {"meaning", each.meaning},
                           {"waiting", each.waiting},
                           {"change", each.change},
                           {"limit", each.limit ? json(*each.limit) : ordered_json()},
                           {"details", each.details},
                           {"rules", each.rules}});
    return {{"job", job_.name},
            {"state", job_.state_name},
            {"user", user_name(job_.user_id)},
            {"account", job_.account},
            {"qos", job_.qos},
            {"partition", job_.partition},
            {"text", sentence()},
            {"reasons", reasons},
            {"also", waiting_.also},
            {"changes", waiting_.changes},
            {"hides_limits", waiting_.hides_limits}};
}

} // namespace qg::cli
