// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/run/rule_chain.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/objects/client_binding.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"
#include "qosgate/policy/run/rule_calls.hpp"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// Holds a state while it is usable. A state without memory or instructions left is dropped, and the next
/// rule gets a new one. All of a job's states share its clock. Threads: the one of the job.
class StateLease {
  public:
    /// `begun`: the job's clock so far; null: nothing ran for it yet.
    StateLease(StatePool& pool, std::chrono::nanoseconds time, const BudgetClock* begun)
        : pool_(pool), time_(time), clock_(begun == nullptr ? BudgetClock() : *begun) {}
    StateLease(const StateLease&) = delete;
    StateLease& operator=(const StateLease&) = delete;
    ~StateLease() {
        if (!rules_) return;
        pool_.release(std::move(rules_));
    }

    /// Errors: as StatePool::acquire.
    Result<CompiledRules*> get() {
        if (!rules_) {
            auto acquired = pool_.acquire(clock_);
            if (!acquired) return acquired.error();
            rules_ = *std::move(acquired);
            rules_->state->budget().start_job(clock_);
        }
        return rules_.get();
    }

    /// Gives the state up if it has spent a budget.
    void drop_if_spent() {
        if (rules_->state->budget().exhausted() == Exhausted::nothing) return;
        clock_ = rules_->state->budget().clock();
        clock_.start(); // this thread may be the one that frees it
        pool_.discard(std::move(rules_));
    }

    /// Whether the job's time is over.
    [[nodiscard]] bool is_out_of_time() const noexcept {
        return (rules_ ? rules_->state->budget().clock() : clock_).is_past(time_);
    }

  private:
    StatePool& pool_;
    std::chrono::nanoseconds time_;
    std::unique_ptr<CompiledRules> rules_;
    BudgetClock clock_; ///< of the job, from state to state
};

[[gnu::cold]] std::string out_of_time(const Settings& settings) {
    return text::format(
        "the rules before it took more than {} ms of CPU time for this job (setting rule_time_ms)",
        std::chrono::duration_cast<std::chrono::milliseconds>(settings.rule_time).count());
}

/// Whether the user is told that the rule failed; for rules that do not deny.
bool warns_on_error(const RuleInfo& rule) {
    return rule.mode != RuleMode::shadow && rule.on_error != OnError::allow;
}

/// What a failure leads to, and why, for the log.
std::string outcome_of_failure(const RuleInfo& rule, JobEvent event) {
    if (event == JobEvent::client) return "ignored, because a client only gives advice";
    if (rule.mode != RuleMode::enforce)
        return text::format("ignored because of mode = \"{}\"", to_string(rule.mode));
    return text::format("{} because of on_error = \"{}\"",
                        rule.denies_on_error_at(event) ? "rejected" : "ignored", to_string(rule.on_error));
}

/// How to record what an enforcing rule would have done so.
EventKind kind_of(const RuleInfo& rule, EventKind enforced) {
    switch (rule.mode) {
    case RuleMode::enforce: return enforced;
    case RuleMode::warn: return EventKind::not_enforced;
    case RuleMode::shadow: return EventKind::shadow;
    }
    return enforced;
}

/// A rule's message as the user sees it. In mode warn it may mention a change that is not made.
std::string tell(const RuleInfo& rule, const std::string& message) {
    if (rule.mode != RuleMode::warn) return message;
    return text::format("note (not enforced, rule '{}'): {}", rule.name, message);
}

/// A pointer to what somebody else owns.
std::shared_ptr<const RuleInput> unowned(const RuleInput& facts) noexcept {
    return {std::shared_ptr<const RuleInput>(), &facts};
}

/// The chain's state while one job goes through it.
class Chain {
  public:
    /// Fills the outcome.
    Chain(RuleOutcome& outcome, const Settings& settings, const ChainInput& input)
        : settings_(settings), event_(input.event), job_(input.job), asked_(input.facts),
          facts_(unowned(input.facts)), outcome_(outcome) {}

    /// The job as the rules so far have left it.
    [[nodiscard]] const model::JobRequest& current() const noexcept {
        return outcome_.changed ? *outcome_.changed : job_;
    }
    /// What rules read about it; null: it is to be counted again.
    [[nodiscard]] const std::shared_ptr<const RuleInput>& facts() const noexcept { return facts_; }

    /// Keeps what rules that did nothing have counted.
    void keep_facts(const RuleRun& run) noexcept {
        if (facts_ == nullptr) facts_ = run.facts();
    }

    void finish(const RuleInfo& rule, RuleRun& run) {
        if (!run.remarks().empty()) finish_remarks(rule, run);
        if (run.rejection()) return finish_rejection(rule, *run.rejection());
        if (run.draft()) finish_changes(rule, run);
        for (const OptionChange& change : run.option_changes())
            finish_option(rule, *run.client(), change);
        if (run.has_stopped()) stop(rule);
    }

    [[gnu::cold]] void fail(const RuleInfo& rule, const LuaError& error) {
        constexpr std::size_t max_traceback_bytes = 1000;
        const std::string message = text::printable(error.message, 600); // it may contain the job's own texts
        record(rule, EventKind::error, text::format("{}; {}", message, outcome_of_failure(rule, event_)),
               text::printable(error.traceback, max_traceback_bytes));
        const std::string shown = text::printable(without_lists(error.message), 600);
        if (rule.denies_on_error_at(event_)) {
            record(rule, EventKind::rejected, "the rule failed");
            failure_ = text::format("This job was not accepted because the rule '{}' ({}) failed: {}; {}",
                                    rule.name, rule.file, shown, whom_to_tell());
            outcome_.rejected = outcome_.has_failed = has_ended_ = true;
        } else if (warns_on_error(rule))
            warn(text::format("The rule '{}' ({}) was not applied because it failed: {}; {}", rule.name,
                              rule.file, shown, whom_to_tell()));
    }

    /// Records that a rule only warns from now on.
    [[gnu::cold]] void note_switch(const RuleInfo& rule) {
        record(
            rule, EventKind::error,
            text::format("it failed {} times in a row: it only warns from now on, as in mode \"warn\", until "
                         "the rules or settings change (setting rule_failures)",
                         settings_.rule_failures));
    }

    /// Ends the chain when the remaining rules cannot be run. Each one's on_error decides; there is one
    /// record for all. `rules` is not empty.
    [[gnu::cold]] void fail_unrun(std::span<const RuleInfo* const> rules, const std::string& why) {
        const auto denies = [this](const RuleInfo* rule) { return rule->denies_on_error_at(event_); };
        const auto warns = [](const RuleInfo* rule) { return warns_on_error(*rule); };
        auto named = std::ranges::find_if(rules, denies);
        if (named == rules.end()) named = std::ranges::find_if(rules, warns);
        if (named == rules.end()) named = rules.begin();
        const std::string others =
            rules.size() == 1 ? "" : text::format(", nor were {} other rules", rules.size() - 1);
        fail(**named, {text::format("it was not run{}: {}", others, why), {}, Exhausted::nothing});
    }

    [[nodiscard]] bool rejected() const noexcept { return outcome_.rejected; }
    /// Whether no more rules run.
    [[nodiscard]] bool has_ended() const noexcept { return has_ended_; }

    /// Says how much was left out.
    void finish_words() {
        if (unrecorded_.count > 0) [[unlikely]]
            outcome_.events.push_back(
                {unrecorded_.rule,
                 unrecorded_.file,
                 EventKind::noted,
                 text::format("{} more lines of this and later rules about this job are left "
                              "out: a decision has at most {} lines and {} KiB of them",
                              unrecorded_.count, WordBound::max_lines, WordBound::max_bytes / 1024),
                 {}});
        if (hidden_ > 0) [[unlikely]]
            outcome_.warnings.push_back(text::format("... and {} more lines of the site's rules", hidden_));
    }

    /// Ends the chain for a rejected job. Its user reads no notes, for they tell of a job that is accepted.
    [[gnu::cold]] void end_rejected() {
        drop_notes(outcome_.warnings, outcome_.notes);
        outcome_.notes.clear();
        outcome_.reject_message = text::join(rejection_lines(), "\n");
        outcome_.changed.reset();
        outcome_.options.clear();
    }

  private:
    struct Rejection {
        std::string alone;         ///< the only line of the answer
        std::string beside_others; ///< it names the rule
    };
    static constexpr std::size_t max_rejections = 8; ///< that are told

    /// Bounds what one decision says: to print, log and record it takes time in which slurmctld waits, and
    /// rules have a bound of their own for each of them only.
    class WordBound {
      public:
        static constexpr std::size_t max_lines = 200;
        static constexpr std::size_t max_bytes = 65'536;

        /// Whether there is room for so many bytes more, which are taken then.
        bool take(std::size_t bytes) noexcept {
            if (lines_ == max_lines || bytes > max_bytes - bytes_) return false;
            ++lines_;
            bytes_ += bytes;
            return true;
        }

      private:
        std::size_t lines_ = 0;
        std::size_t bytes_ = 0;
    };

    /// What was not recorded, and the first rule of which.
    struct Unrecorded {
        std::size_t count = 0;
        std::string rule;
        std::string file;
    };

    [[gnu::noinline]] void finish_remarks(const RuleInfo& rule, const RuleRun& run) {
        for (const Remark& remark : run.remarks()) {
            if (rule.mode != RuleMode::shadow && warn(tell(rule, remark.text)) && !remark.is_warning)
                outcome_.notes.push_back(std::ssize(outcome_.warnings) - 1);
            record(rule, kind_of(rule, remark.is_warning ? EventKind::warned : EventKind::noted),
                   remark.text);
        }
    }

    [[gnu::noinline]] void finish_changes(const RuleInfo& rule, RuleRun& run) {
        const auto changes = describe_changes(current(), *run.draft(), asked_);
        if (changes.empty()) return;
        for (const std::string& change : changes)
            record(rule, kind_of(rule, EventKind::changed), change);
        if (rule.mode != RuleMode::enforce) return;
        note_writer(rule, *run.draft());
        outcome_.changed = *std::move(run.draft());
        facts_ = run.facts();
    }

    [[gnu::cold]] void finish_option(const RuleInfo& rule, ClientHost& client, const OptionChange& change) {
        const OptionValue before = client.get(change.name);
        if (before == change.value) return;
        record(rule, kind_of(rule, EventKind::changed),
               text::format("{}: {} -> {}", change.name, show(before), show(change.value)));
        if (rule.mode != RuleMode::enforce) return;
        client.set(change);
        add_change(outcome_.options, change);
    }

    void finish_rejection(const RuleInfo& rule, const std::string& given) {
        const std::string message =
            given.empty() ? text::format("rejected by the site's rule '{}'", rule.name) : given;
        const bool is_enforced = rule.mode == RuleMode::enforce;
        record(rule, kind_of(rule, EventKind::rejected), is_enforced ? message : "would reject: " + message);
        if (is_enforced) {
            const bool names_rule = given.empty();
            reject({message, names_rule ? message : text::format("rule '{}': {}", rule.name, message)});
        } else if (rule.mode == RuleMode::warn)
            warn(tell(rule, message));
        if (rule.rejection_stops) stop(rule);
    }

    /// Only an enforcing rule keeps others from running.
    [[gnu::cold]] void stop(const RuleInfo& rule) {
        if (rule.mode == RuleMode::enforce)
            has_ended_ = true;
        else
            record(rule, kind_of(rule, EventKind::noted), "would end the chain of rules");
    }

    void reject(Rejection rejection) {
        outcome_.rejected = true;
        ++rejection_count_;
        if (rejections_.size() < max_rejections) rejections_.push_back(std::move(rejection));
    }

    [[nodiscard]] std::vector<std::string> rejection_lines() const {
        const bool is_alone = rejection_count_ == 1 && failure_.empty();
        std::vector<std::string> lines;
        for (const Rejection& rejection : rejections_)
            lines.push_back(is_alone ? rejection.alone : rejection.beside_others);
        if (rejection_count_ > rejections_.size())
            lines.push_back(text::format("and {} more", rejection_count_ - rejections_.size()));
        if (!failure_.empty()) lines.push_back(failure_);
        return lines;
    }

    void note_writer(const RuleInfo& rule, const model::JobRequest& draft) {
        const auto differs_from_job = changed_by_rule(job_, draft, asked_);
        for (const FieldSpec* field : changed_by_rule(current(), draft, asked_)) {
            std::erase_if(outcome_.writers,
                          [field](const FieldWriter& writer) { return writer.field == field->name; });
            if (std::ranges::find(differs_from_job, field) != differs_from_job.end()) // not put back
                outcome_.writers.push_back({field->name, rule.name, describe_field(*field, draft, asked_)});
        }
    }

    /// Whether the user will read it.
    bool warn(std::string line) {
        const bool has_room = shown_.take(line.size());
        if (has_room)
            outcome_.warnings.push_back(std::move(line));
        else
            ++hidden_;
        return has_room;
    }

    void record(const RuleInfo& rule, EventKind kind, std::string text, std::string detail = {}) {
        // Why a job is rejected is always recorded.
        const bool is_needed = kind == EventKind::rejected && !outcome_.rejected;
        if (!recorded_.take(text.size() + detail.size()) && !is_needed) [[unlikely]] {
            if (unrecorded_.count++ == 0) unrecorded_.rule = rule.name, unrecorded_.file = rule.file;
            return;
        }
        outcome_.events.push_back({rule.name, rule.file, kind, std::move(text), std::move(detail)});
    }

    [[nodiscard]] std::string whom_to_tell() const {
        return settings_.contact.empty() ? std::string("please tell your administrators")
                                         : "please tell " + settings_.contact;
    }

    const Settings& settings_;
    const JobEvent event_;
    const model::JobRequest& job_;
    const RuleInput& asked_; ///< of `job_`
    std::shared_ptr<const RuleInput> facts_;
    RuleOutcome& outcome_;
    std::vector<Rejection> rejections_; ///< the first ones
    std::size_t rejection_count_ = 0;
    std::string failure_; ///< what the user reads of a failure that rejects
    WordBound recorded_;
    WordBound shown_;
    Unrecorded unrecorded_;
    std::size_t hidden_ = 0; ///< lines for the user
    bool has_ended_ = false;
};

[[gnu::cold]] const RuleInfo& warning_only(const RuleInfo& rule, std::optional<RuleInfo>& switched) {
    switched = rule; // in mode enforce, see RuleFailures
    switched->mode = RuleMode::warn;
    return *switched;
}

/// A rule as it runs now. `switched` holds it if it only warns because it failed too often.
const RuleInfo& as_it_runs(const RuleInfo& rule, std::size_t index, const ChainInput& input,
                           std::optional<RuleInfo>& switched) {
    if (input.failures == nullptr || !input.failures->only_warns(index)) [[likely]]
        return rule;
    return warning_only(rule, switched);
}

/// The first rule for such events, from this one on. It may leave this sender's requests alone.
std::size_t first_for(const ChainInput& input, std::span<const RuleInfo> rules, std::size_t from) {
    while (from < rules.size() && !rules[from].runs_at(input.event, input.parts))
        ++from;
    return from;
}

/// Takes what the rule before `called.next` did, or why it failed.
[[gnu::noinline]] void take_result(Chain& chain, std::span<const RuleInfo> rules, const CalledRules& called,
                                   RuleRun& run, const ChainInput& input) {
    const std::size_t index = called.next - 1;
    std::optional<RuleInfo> switched;
    const RuleInfo& rule = as_it_runs(rules[index], index, input, switched);
    if (called.error) {
        chain.fail(rule, *called.error);
        if (input.counts_failures() && input.failures->count_failure(index, rule)) chain.note_switch(rule);
    } else {
        chain.finish(rule, run);
        if (input.counts_failures()) input.failures->count_success(index);
    }
}

[[gnu::cold]] std::vector<const RuleInfo*> that_apply(std::span<const RuleInfo> rules,
                                                      const ChainInput& input) {
    std::vector<const RuleInfo*> found;
    for (const RuleInfo& rule : rules)
        if (applies(rule, input)) found.push_back(&rule);
    return found;
}

} // namespace

RuleOutcome run_chain(StatePool& pool, const std::vector<RuleInfo>& rules, const Settings& settings,
                      const ChainInput& input) {
    RuleOutcome outcome; // the only thing returned, so that it is made in its place
    Chain chain(outcome, settings, input);
    StateLease lease(pool, settings.rule_time, input.facts.begun);
    for (std::size_t next = first_for(input, rules, 0); next < rules.size() && !chain.has_ended();
         next = first_for(input, rules, next)) {
        const auto compiled = lease.get();
        if (!compiled || lease.is_out_of_time()) {
            if (chain.rejected()) break; // the rules that are left cannot change that
            if (const auto unrun = that_apply(std::span(rules).subspan(next), input); !unrun.empty())
                chain.fail_unrun(unrun,
                                 lease.is_out_of_time() ? out_of_time(settings) : compiled.error().message);
            break;
        }
        RuleRun run(chain.current(), chain.facts(), input.facts, input.event);
        const CalledRules called = input.facts.costs == nullptr
                                       ? call_rules(**compiled, rules, input, next, run)
                                       : call_measured(**compiled, rules, input, next, run);
        next = called.next;
        if (called.has_acted)
            take_result(chain, rules, called, run, input);
        else
            chain.keep_facts(run);
        lease.drop_if_spent();
    }
    if (chain.rejected()) chain.end_rejected();
    chain.finish_words();
    return outcome;
}

} // namespace qg::policy
