// SPDX-License-Identifier: GPL-2.0-or-later
//
// What people read of a TriedJob.
#include "policy/tried_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/submit_line.hpp"
#include "qosgate/policy/lua/budget.hpp"

#include <algorithm>

namespace qg::cli {
namespace {

using model::RejectCode;

constexpr std::size_t max_job_words = 4000;

std::string show_words(std::string_view words) {
    return text::printable(words, max_job_words);
}

/// Few instructions are not counted one by one.
std::string count_of_instructions(std::int64_t taken) {
    constexpr std::int64_t step = policy::Budget::hook_interval;
    return taken < step ? text::format("under {} instructions", step)
                        : text::format("about {} instructions", taken);
}

void print_rule(const TriedPart& part, const policy::RuleInfo& rule, std::ostream& out) {
    out << text::format("  {} ({})", show_words(rule.name), show_words(rule.file));
    if (rule.mode != policy::RuleMode::enforce) out << ", mode " << policy::to_string(rule.mode);
    const auto cost = std::ranges::find(part.costs, rule.name, &policy::RuleCost::rule);
    if (cost == part.costs.end()) {
        const bool is_of_client = rule.runs_in_client && !rule.runs_at_submission;
        out << (is_of_client ? ": runs in the client, before the job is sent\n" : ": did not run\n");
    } else {
        out << text::format(": {}, {} us\n", count_of_instructions(cost->instructions),
                            microseconds_of(*cost));
    }
    bool did_something = false;
    for (const policy::RuleEvent& event : part.rules.events) {
        if (event.rule != rule.name) continue;
        did_something = true;
        out << text::format("    {}: {}\n", policy::to_string(event.kind), show_words(event.text));
        if (!event.detail.empty()) out << "      " << show_words(event.detail) << '\n';
    }
    if (!did_something && cost != part.costs.end()) out << "    did nothing\n";
}

/// ": no node has that", of the lines that the message does not have.
std::string why_blocked(const TriedPart& part) {
    std::vector<std::string> lines = part.blocked_by;
    const auto& shown = part.decision.message;
    std::erase_if(
        lines, [&shown](const std::string& line) { return std::ranges::find(shown, line) != shown.end(); });
    return lines.empty() ? "" : ": " + show_words(text::join(lines, "; "));
}

/// Whether the job is an array of several tasks.
bool has_several_tasks(const TriedPart& part) {
    return part.request.array && part.places > 1;
}

/// How long the job waits because of its first limit, and when that begins.
std::string_view how_it_waits(const TriedPart& part) {
    const model::Forecast& forecast = part.decision.forecast;
    const bool starts_later = part.request.starts_later();
    if (forecast.never_starts)
        return starts_later ? "never starts: when it may start, it waits for ever, at first"
                            : "waits for ever, at first";
    if (forecast.may_start) return starts_later ? "may wait, when it may start," : "may wait";
    return starts_later ? "waits, when it may start," : "waits";
}

/// Whether slurmctld would only test the job, and submit nothing.
bool is_tested(const TriedPart& part) {
    return gate::is_test_only(part.request.submit_line);
}

/// Who refuses the job if it is submitted. Of a tested job qosgate says what slurmctld would say, for
/// slurmctld drops the messages.
std::string_view who_refuses(const TriedPart& part) {
    const bool is_of_limits = part.decision.forecast.code != RejectCode::none;
    return is_tested(part) && part.refused_by() == "qosgate" && is_of_limits ? "slurmctld"
                                                                             : part.refused_by();
}

/// "; not looked at: --switches"
std::string tell_not_looked_at(const TriedPart& part) {
    return part.not_looked_at.empty() ? "" : "; not looked at: " + text::join(part.not_looked_at, ", ");
}

/// What becomes of it, in a sentence.
std::string describe_part(const TriedPart& part) {
    const model::Forecast& forecast = part.decision.forecast;
    const std::string reason = forecast.reason.empty() ? "" : text::format(" ({})", forecast.reason);
    if (part.refused_by() == "client") return "not sent: the site's rules for clients refuse it";
    if (part.refused_by() == "script") return "refused by the site's script";
    if (part.refused_by() == "rules") return "refused by the site's rules";
    if (part.status() == TriedStatus::refused)
        return text::format("refused by {}{}{}", who_refuses(part), reason, why_blocked(part));
    if (part.status() == TriedStatus::blocked && part.is_let_in())
        return text::format("accepted, but slurmctld never starts it{}{}",
                            part.request.minutes_to_deadline ? "" : ": it waits for ever", why_blocked(part));
    if (part.status() == TriedStatus::blocked)
        return text::format("refused by slurmctld{}{}",
                            part.refusal_text().empty() ? ", or never started" : "", why_blocked(part));
    if (!forecast.pending_reason.empty())
        return text::format("accepted, but it {} because of {} ('qosgate reason {}' explains that){}",
                            how_it_waits(part), forecast.pending_reason, forecast.pending_reason,
                            tell_not_looked_at(part));
    if (!part.why_unchecked().empty())
        return text::format("accepted by the rules; limits are not judged: {}",
                            show_words(part.why_unchecked()));
    return text::format(
        "accepted, as far as rules, limits and partitions decide{}; none of these keeps {} waiting{}",
        part.hides_limits ? " that you may see" : "", has_several_tasks(part) ? "its first task" : "it",
        tell_not_looked_at(part));
}

void print_place(const TriedPart& part, std::ostream& out) {
    const auto or_none = [](const std::string& name) { return name.empty() ? "none" : show_words(name); };
    out << text::format("Account {}, partition {}, QOS {}\n", or_none(part.account), or_none(part.partition),
                        or_none(part.qos));
}

void print_rules(const TriedPart& part, const policy::Policy& policy, std::ostream& out) {
    if (part.client_refusal) {
        out << "The client does not send the job, so rules for jobs are not asked.\n\n";
        return;
    }
    if (part.script) print(*part.script, out);
    if (part.script && part.script->is_refused) {
        out << "\nThe script refuses the job, so rules are not asked.\n\n";
        return;
    }
    out << "\nRules:\n";
    if (policy.rules().empty()) out << "  there are none\n";
    for (const policy::RuleInfo& rule : policy.rules())
        print_rule(part, rule, out);
    out << '\n';
}

/// Each part's place, and what `print_more` writes about it.
template <typename PrintMore>
void print_parts(const TriedJob& job, std::ostream& out, PrintMore print_more) {
    for (std::size_t i = 0; i < job.parts.size(); ++i) {
        if (job.parts[i].request.is_het_part) out << "Part " << i << ": ";
        if (!job.parts[i].client_refusal) print_place(job.parts[i], out);
        print_more(job.parts[i]);
    }
}

void print_decision(const TriedJob& job, std::ostream& out) {
    const std::string sentence =
        (is_tested(job.decisive()) ? "With --test-only nothing is submitted. Without it, the job is "
                                   : "The job is ") +
        describe_part(job.decisive());
    out << '\n' << sentence << (sentence.ends_with('?') ? "\n" : ".\n");
}

} // namespace

void print(const TriedJob& job, const policy::Policy& policy, std::ostream& out) {
    print_parts(job, out, [&](const TriedPart& part) { print_rules(part, policy, out); });
    out << "The user reads:\n";
    const auto lines = job.user_reads();
    if (lines.empty()) out << "  nothing\n";
    for (const std::string& line : lines)
        out << "  " << show_words(line) << '\n';
    print_decision(job, out);
    if (!job.why_script_not_run().empty()) // the part has said why
        out << "Not judged: the site's job_submit.lua is not run here, and may refuse or change the job.\n";
    if (const std::string_view why = job.groups_not_judged(); !why.empty())
        out << "Not judged: " << show_words(why) << ".\n";
}

void print_answer(const TriedJob& job, std::ostream& out) {
    print_parts(job, out, [&](const TriedPart& part) {
        if (part.client_refusal) return; // the client has said why
        for (const std::string& line : job.words_about(part))
            out << "  " << show_words(line) << '\n';
    });
    print_decision(job, out);
}

} // namespace qg::cli
