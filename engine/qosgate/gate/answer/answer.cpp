// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/answer.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/site_rules.hpp"
#include "qosgate/gate/nodes/node_demand.hpp"
#include "qosgate/gate/predict/accepted_alternative.hpp"
#include "qosgate/gate/predict/forecast.hpp"
#include "qosgate/gate/predict/suggested_options.hpp"
#include "qosgate/gate/predict/suggestion.hpp"
#include "qosgate/gate/size/count_job.hpp"
#include "qosgate/gate/size/tasks_at_once.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/policy/settings.hpp"

#include <algorithm>
#include <array>
#include <functional>
#include <iterator>
#include <unordered_set>
#include <utility>
#include <variant>

namespace qg::gate {

namespace {

using limits::Violation;
using model::JobRequest;
using model::Partition;

/// One thing that blocks a job, before it is put into words: only a few of possibly hundreds are.
/// Ownership: borrows.
using Obstacle = std::variant<const Violation*, const PartitionProblem*>;

limits::Reader reader_of(const ResolvedRequest& asked) {
    return limits::reader_of_job(asked.request.submit_uid, asked.request.user_id);
}

std::string describe(const Obstacle& obstacle, const ResolvedRequest& asked) {
    if (const auto* violation = std::get_if<const Violation*>(&obstacle))
        return limits::describe(**violation, asked.view(), /*names_owner=*/true, reader_of(asked));
    const PartitionProblem& rule = *std::get<const PartitionProblem*>(obstacle);
    return text::format("{} ({})", rule.text, rule.pending);
}

struct ObstacleHash {
    std::size_t operator()(const Obstacle& obstacle) const noexcept {
        if (const auto* violation = std::get_if<const Violation*>(&obstacle))
            return limits::LimitHash()(**violation);
        return std::hash<std::string>()(std::get<const PartitionProblem*>(obstacle)->text);
    }
};
/// The limit of one owner is the same in all partitions, whatever the job asks for in each.
struct IsSameObstacle {
    bool operator()(const Obstacle& a, const Obstacle& b) const {
        if (a.index() != b.index()) return false;
        if (const auto* violation = std::get_if<const Violation*>(&a))
            return (*violation)->same_limit(*std::get<const Violation*>(b));
        const auto& rule = *std::get<const PartitionProblem*>(a);
        const auto& other = *std::get<const PartitionProblem*>(b);
        return rule.text == other.text && rule.pending == other.pending;
    }
};

/// Everything that blocks a job permanently in any of its attempts, each once.
std::vector<Obstacle> list_lasting(std::span<const PendingCause> pending) {
    std::vector<Obstacle> blocking;
    std::unordered_set<Obstacle, ObstacleHash, IsSameObstacle> seen;
    const auto add = [&](const Obstacle& obstacle) {
        if (seen.insert(obstacle).second) blocking.push_back(obstacle);
    };
    for (const PendingCause& cause : pending) {
        for (const Violation& violation : cause.violations)
            if (violation.is_permanent()) add(&violation);
        for (const PartitionProblem& rule : cause.rules)
            add(&rule);
    }
    return blocking;
}

/// Whether the job has partitions that the reader may see and that all satisfy a condition.
template <typename Is>
bool are_all(const model::AccountView& view, Is is) {
    return !view.partitions.empty() &&
           std::ranges::all_of(view.partitions, [&](const model::PartitionChoice& choice) {
               return !choice.is_hidden && is(*choice.partition);
           });
}

/// Whether all of the job's partitions accept jobs but start none.
bool are_all_down(const model::AccountView& view) {
    return are_all(view,
                   [](const Partition& partition) { return partition.takes_jobs && !partition.starts_jobs; });
}

/// The Reason for the refusal, or of the pending job.
std::string_view reason_of(const DetailedForecast& forecast, const model::AccountView& view) {
    if (forecast.summary.code != model::RejectCode::none) return forecast.summary.reason;
    if (are_all_down(view)) return "PartitionDown"; // before anything else
    const PendingCause* cause = forecast.blocking();
    return cause != nullptr ? cause->reason : forecast.summary.reason;
}

/// The first lines about what blocks a job.
struct Lines {
    std::vector<std::string> first; ///< no duplicates; as many as fit under a headline
    std::size_t left = 0;           ///< the number of further ones

    [[nodiscard]] std::size_t count() const noexcept { return first.size() + left; }

    void add(std::string line) {
        if (std::ranges::find(first, line) == first.end()) first.push_back(std::move(line));
    }
    void add(std::span<const Obstacle> blocking, const ResolvedRequest& asked) {
        for (std::size_t i = 0; i < blocking.size(); ++i) {
            left = blocking.size() - i;
            if (first.size() == max_problem_lines - 1) return;
            add(describe(blocking[i], asked));
        }
        left = 0;
    }
};

/// "what: the line", or "what of_several (2 problems):" followed by the lines. Empty without lines.
std::vector<std::string> under_headline(std::string_view what, std::string_view of_several,
                                        std::string_view noun, const Lines& lines) {
    if (lines.first.empty()) return {};
    if (lines.count() == 1) return {text::format("{}: {}", what, lines.first.front())};
    std::vector<std::string> result{text::format("{}{} ({} {}):", what, of_several, lines.count(), noun)};
    for (const std::string& line : lines.first)
        result.push_back("  " + line);
    if (lines.left == 0) return result;
    result.back() = text::format("  and {} more", lines.left + 1);
    return result;
}

bool is_about_time(const Violation& violation) {
    return model::facts_of(violation.limit).is_about_time();
}

/// Whether a limit on time blocks the job.
bool breaks_time(const DetailedForecast& forecast) {
    if (std::ranges::any_of(forecast.refusing, is_about_time)) return true;
    if (forecast.refusal) return model::is_about_time(forecast.refusal->code);
    return std::ranges::any_of(forecast.pending, [](const PendingCause& cause) {
        return std::ranges::any_of(cause.violations, is_about_time) ||
               std::ranges::any_of(
                   cause.rules, [](const PartitionProblem& rule) { return model::is_about_time(rule.code); });
    });
}

/// What a suggestion leads to: of a job that is refused, that never starts, or that waits.
constexpr std::string_view accepted_with = "would be accepted with: ";
constexpr std::string_view accepted_later_with = "would be accepted, and wait for other jobs, with: ";
constexpr std::string_view start_with = "could start with: ";
constexpr std::string_view start_later_with = "could start, when other jobs end, with: ";
constexpr std::string_view start_sooner_with = "could start sooner with: ";

/// Whether a partition accepts no new jobs.
bool is_drained(const Partition& partition) {
    return !partition.takes_jobs;
}

/// "partition viz is down", of the first.
std::string down_line(const model::AccountView& view) {
    return text::format("partition {} is down", view.partitions.front().partition->name);
}

/// Whether the limits that a job waits for now are told. The parts of a heterogeneous job start together, and
/// strict limits refuse them together; later on, other jobs hold the limits.
bool shows_waiting(const ResolvedRequest& asked) {
    return !asked.request.is_het_part && !asked.request.starts_later();
}

/// The limits that a job, which never starts, would wait for in the first attempt: that one gives its Reason.
std::vector<std::string> at_first_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    if (!shows_waiting(asked)) return {};
    std::vector<Obstacle> blocking;
    for (const Violation& violation : forecast.pending.front().violations)
        if (!violation.is_permanent() && violation.is_certain()) blocking.emplace_back(&violation);
    Lines lines;
    lines.add(blocking, asked);
    return under_headline("at first, it would wait", "", "reasons", lines);
}

/// The lines about what blocks a job permanently.
std::vector<std::string> never_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    const model::AccountView& view = asked.view();
    const bool is_in_any = forecast.pending.size() > 1 && view.partitions.size() > 1;
    Lines lines;
    lines.add(list_lasting(forecast.pending), asked);
    auto shown = under_headline("this job can never start as it is",
                                is_in_any ? " in any of its partitions" : "", "problems", lines);
    append(shown, at_first_lines(forecast, asked));
    if (are_all_down(view)) shown.push_back(down_line(view) + ", too (PartitionDown)");
    return shown;
}

/// The limits that a job waits for in the first partition without a permanent problem.
std::span<const Violation> passing_limits(const DetailedForecast& forecast) {
    const auto found = std::ranges::find_if(forecast.pending, [](const PendingCause& cause) {
        return !cause.is_permanent && !cause.violations.empty();
    });
    return found == forecast.pending.end() ? std::span<const Violation>() : found->violations;
}

/// The lines about what a job waits for. If partitions are down, the job may be blocked permanently in
/// others.
std::vector<std::string> wait_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    if (forecast.blocking() == nullptr) return {};
    std::vector<Obstacle> blocking;
    if (std::ranges::any_of(forecast.pending, &PendingCause::is_down))
        blocking = list_lasting(forecast.pending);
    bool is_certain = !blocking.empty();
    const bool starts_later = asked.request.starts_later();
    if (starts_later && are_all_down(asked.view())) return {down_line(asked.view()) + " at present"};
    if (shows_waiting(asked)) {
        // Limits that may not make the job wait are left out if others certainly do.
        const std::span<const Violation> limits = passing_limits(forecast);
        is_certain = is_certain || std::ranges::any_of(limits, &Violation::is_certain);
        for (const Violation& violation : limits)
            if (violation.is_certain() || !is_certain) blocking.emplace_back(&violation);
    }
    Lines lines;
    lines.add(blocking, asked);
    if (starts_later) return under_headline("this job cannot start at present", "", "reasons", lines);
    return under_headline(is_certain ? "this job will wait" : "this job may wait", "", "reasons", lines);
}

/// Where the time limit of a job comes from that blocks it.
std::vector<std::string> time_origin_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    if (asked.request.time_limit == TimeLimit::unlimited()) return {"--time=0 means UNLIMITED"};
    if (asked.request.time_limit) return {};
    const model::AccountView& view = asked.view();
    const bool is_first_known = !view.partitions.empty() && !view.partitions.front().is_hidden;
    const auto given = is_first_known ? view.partitions.front().partition->default_time : std::nullopt;
    if (given && given->minutes != 0)
        return {text::format("this job names no --time: {} is the default of partition {}",
                             units::format_minutes(*given), view.partitions.front().partition->name)};
    const auto& time_limit = forecast.summary.time_limit;
    if (has_hidden_partition(view) || !forecast.summary.time_set_by_limit || !time_limit ||
        time_limit->is_unlimited())
        return {};
    return {text::format("this job names no --time: it gets {} by a limit on time",
                         units::format_minutes(*time_limit))};
}

/// Whether a limit on memory blocks the job.
bool breaks_memory(const DetailedForecast& forecast, const model::AccountView& view) {
    const auto mem = view.tres->find(model::TresKind::mem);
    const auto is_about_memory = [&mem](const Violation& violation) {
        return mem && violation.tres == mem && violation.relation != limits::Relation::asked_too_little;
    };
    return std::ranges::any_of(forecast.refusing, is_about_memory) ||
           std::ranges::any_of(forecast.pending, [&](const PendingCause& cause) {
               return std::ranges::any_of(cause.violations, is_about_memory);
           });
}

/// Where the memory of a job without --mem comes from.
std::vector<std::string> memory_origin_lines(const ResolvedRequest& asked) {
    const model::AccountView& view = asked.view();
    if (asked.request.memory || asked.request.memory_per_tres || view.partitions.empty() ||
        has_hidden_partition(view))
        return {};
    const Partition& first = *view.partitions.front().partition;
    const auto given = default_memory_of(&first, asked.context.cluster);
    if (!given || given->mib == 0) {
        const bool is_alike =
            first.node_memory_mib != 0 && first.node_memory_mib == first.min_node_memory_mib;
        return {"this job names no --mem: it gets all memory of its nodes" +
                (is_alike
                     ? text::format(", {} of each", model::format_tres_count("mem", first.node_memory_mib))
                     : std::string())};
    }
    return {text::format("this job names no --mem: {} per {} is the default of {}",
                         model::format_tres_count("mem", given->mib), given->per_cpu ? "CPU" : "node",
                         first.default_memory ? "partition " + first.name : "this cluster")};
}

/// Whether limits certainly keep the job waiting for other jobs, and it could start now otherwise.
bool waits_for_limits(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    const PendingCause* cause = forecast.blocking();
    return forecast.takes_the_job() && cause != nullptr && !cause->is_down && !cause->violations.empty() &&
           !forecast.summary.may_start && !asked.request.starts_later() && asked.request.priority != 0u;
}

/// What else keeps the job from starting for good, behind what refuses it: a suggestion complies with that,
/// too. Of a job in one partition that the reader may see.
std::vector<std::string> lines_behind(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    if (!forecast.is_refused() || asked.view().partitions.size() != 1) return {};
    const bool is_by_limits = !forecast.refusing.empty();
    const DetailedForecast behind =
        predict(asked, forecast.strictness, {.partitions = is_by_limits, .limits = !is_by_limits});
    std::vector<Obstacle> blocking;
    for (const Violation& violation : behind.refusing)
        blocking.emplace_back(&violation);
    std::ranges::copy(list_lasting(behind.pending), std::back_inserter(blocking));
    std::erase_if(blocking, [&](const Obstacle& obstacle) {
        if (const auto* violation = std::get_if<const Violation*>(&obstacle))
            return std::ranges::any_of(forecast.refusing,
                                       [&](const Violation& shown) { return shown.same_limit(**violation); });
        const std::string& text = std::get<const PartitionProblem*>(obstacle)->text;
        return forecast.refusal &&
               std::ranges::find(forecast.refusal->lines, text) != forecast.refusal->lines.end();
    });
    Lines lines;
    lines.add(blocking, asked);
    return under_headline("beside that", "", "problems", lines);
}

} // namespace

std::vector<std::string> forecast_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    if (forecast.is_refused())
        return forecast.refusal ? forecast.refusal->lines
                                : limits::explain_refusal(forecast.refusing, asked.view(), reader_of(asked));
    if (forecast.never_starts()) return never_lines(forecast, asked);
    auto lines = wait_lines(forecast, asked);
    return lines.empty() ? tasks_at_once_lines(forecast, asked) : lines;
}

bool are_all_drained(const model::AccountView& view) {
    return are_all(view, is_drained);
}

bool are_all_closed(const model::AccountView& view) {
    return are_all_drained(view) || are_all_down(view);
}

std::vector<std::string> origin_lines(const DetailedForecast& forecast, const ResolvedRequest& asked) {
    std::vector<std::string> lines;
    if (breaks_time(forecast)) append(lines, time_origin_lines(forecast, asked));
    if (breaks_memory(forecast, asked.view())) append(lines, memory_origin_lines(asked));
    return lines;
}

std::vector<std::string> suggestion_lines(const DetailedForecast& forecast, const ResolvedRequest& asked,
                                          const RulesRun* rules, const policy::Settings& settings) {
    const bool is_closed = are_all_closed(asked.view());
    const bool is_bad =
        is_closed ? !forecast.is_refused() && !forecast.never_starts() : !forecast.takes_the_job();
    const bool waits = !is_closed && waits_for_limits(forecast, asked);
    SuggestedOptions suggested(asked, rules, forecast.strictness);
    if ((!is_bad && !waits) || !suggested.are_possible()) return {};
    std::optional<SuggestedOptions::Options> options; // of the one that was found good
    const IsGood is_good = [&](const JobRequest& better) {
        options = suggested.say(better, /*starts_now=*/waits);
        return options.has_value();
    };
    if (is_closed) {
        if (!find_open_partition(asked, forecast.strictness, settings, is_good)) return {};
        return {std::string(are_all_drained(asked.view()) ? accepted_with : start_with) + options->text};
    }
    std::vector<std::string> lines;
    const std::string_view at_once = waits                   ? start_sooner_with
                                     : forecast.is_refused() ? accepted_with
                                                             : start_with;
    const std::string_view later = forecast.is_refused() ? accepted_later_with : start_later_with;
    const auto add_line = [&] {
        lines.push_back(std::string(options->waits ? later : at_once) + options->text);
    };
    if (!waits)
        if (const auto better = find_suggestion(forecast, asked); better && is_good(*better)) {
            append(lines, lines_behind(forecast, asked));
            add_line();
        }
    const std::size_t max_names = waits ? max_alternatives_of_waiting : max_alternatives;
    if (find_accepted_alternative(asked, forecast.strictness, settings, is_good, max_names)) add_line();
    return lines;
}

std::vector<std::string> partition_lines(Handling handling, bool knows_reservations,
                                         const DetailedForecast& forecast, const ResolvedRequest& asked,
                                         const RulesRun* rules, const policy::Settings& settings) {
    SuggestedOptions suggested(asked, rules, forecast.strictness);
    if (!suggested.are_possible()) return {};
    std::optional<SuggestedOptions::Options> options;
    const IsGood is_good = [&](const JobRequest& other) {
        options = suggested.say(other);
        return options.has_value();
    };
    if (!find_fitting_partition(asked, forecast.strictness, settings, knows_reservations, is_good)) return {};
    // It selects no nodes for a job that is held, or that its partitions never start. [L22]
    const bool selects_nodes = asked.request.priority != 0u && !forecast.never_starts();
    const bool is_refused = forecast.is_refused() || (handling == Handling::may_refuse && selects_nodes);
    return {std::string(is_refused ? (options->waits ? accepted_later_with : accepted_with)
                                   : (options->waits ? start_later_with : start_with)) +
            options->text};
}

void answer(model::Decision& decision, const DetailedForecast& forecast, const LoggedJob& job,
            std::vector<std::string> lines, Rejects rejects, const policy::Settings& settings,
            std::size_t lines_before) {
    append(decision.message, std::move(lines));
    if (forecast.is_refused() && rejects.refused) decision.reject = forecast.summary.code;
    if (forecast.never_starts() && rejects.never_starting)
        decision.reject = model::RejectCode::accounting_policy;
    if (decision.message.size() > lines_before) {
        const bool refuses = decision.reject != model::RejectCode::none;
        const std::string_view reason = reason_of(forecast, job.view);
        const std::string_view outcome = reason.empty()                     ? ""
                                         : refuses || forecast.is_refused() ? "refused"
                                         : forecast.never_starts()          ? "never starts"
                                                                            : "waits";
        log_limits(decision, job, refuses ? "refused" : "warned", reason,
                   std::span(decision.message).subspan(lines_before), outcome);
    }
    if (forecast.is_refused() || forecast.never_starts()) append_contact(decision.message, settings);
}

std::optional<std::string> blame_site(std::span<const policy::FieldWriter> of_script,
                                      std::span<const policy::FieldWriter> of_rules) {
    std::vector<std::string> parts;
    for (const policy::FieldWriter& writer : of_script)
        if (std::ranges::find(of_rules, writer.field, &policy::FieldWriter::field) == of_rules.end())
            parts.push_back(text::format("{} by script '{}'", writer.text, writer.rule));
    for (const policy::FieldWriter& writer : of_rules)
        parts.push_back(text::format("{} by rule '{}'", writer.text, writer.rule));
    if (parts.empty()) return std::nullopt;
    return "set by the site's rules, not by this request: " + text::join(parts, ", ");
}

void append_contact(std::vector<std::string>& message, const policy::Settings& settings) {
    std::string line = policy::contact_line(settings);
    if (line.empty() || std::ranges::find(message, line) != message.end()) return;
    message.push_back(std::move(line));
}

void word_for_refused(std::span<std::string> lines) {
    using Words = std::pair<std::string_view, std::string_view>; // of a job that is accepted, and refused
    constexpr std::array<Words, 6> all{
        {{"this job will wait", "this job would wait"},
         {"this job may wait", "this job might wait"},
         {"this job can never start as it is", "this job could never start as it is"},
         {"this job cannot start at present", "this job could not start at present"},
         {"slurmctld never starts it as it is", "slurmctld would never start it as it is"},
         {"slurmctld will end this job", "slurmctld would end this job"}}};
    for (std::string& line : lines)
        for (const auto& [accepted, refused] : all)
            if (const auto at = line.find(accepted); at != std::string::npos)
                line.replace(at, accepted.size(), refused);
}

void append(std::vector<std::string>& message, std::vector<std::string> lines) {
    message.insert(message.end(), std::make_move_iterator(lines.begin()),
                   std::make_move_iterator(lines.end()));
}

} // namespace qg::gate
