// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/rule_chain.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/rule_run.hpp"

#include <algorithm>
#include <chrono>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// A state for as long as it is good: one that failed for want of memory or instructions is dropped, and the
/// next rule gets a fresh one. All of a job's states share its clock.
class Lease {
  public:
    Lease(StatePool& pool, std::chrono::nanoseconds time) : pool_(pool), time_(time) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        if (rules_) pool_.release(std::move(rules_));
    }

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
        clock_.start(); // what frees it may be this thread
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

/// What is left on the stack when a rule's function comes back.
LuaError bad_return(lua_State* lua) {
    LuaError error;
    error.message =
        text::format("submit returned {}: a rule returns nothing; to refuse a job, call job:reject(...)",
                     describe(to_value(lua, -1)));
    return error;
}

/// A call stack as one record of a log: the innermost call first.
std::string in_one_line(std::string_view traceback) {
    constexpr std::size_t most_bytes = 1000;
    std::vector<std::string> calls;
    text::for_each_part(traceback, '\n', [&](std::string_view call) { calls.emplace_back(call); });
    return text::printable(text::join(calls, "; "), most_bytes);
}

/// Calls one rule's function. Nothing: it came to its end, or ended itself with job:reject.
std::optional<LuaError> call_submit(CompiledRules& compiled, std::size_t index, RuleRun& run) {
    LuaState& state = *compiled.state;
    lua_State* lua = state.raw();
    const StackGuard guard(lua);
    state.run = &run;
    state.rule_ended = false;
    state.budget().start_rule();
    // Nothing here allocates in Lua or raises before lua_pcall protects it.
    push_traceback_handler(lua);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, compiled.submit[index]);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, compiled.job);
    const int status = lua_pcall(lua, 1, 1, -3);
    state.run = nullptr;
    if (status == LUA_OK) {
        if (lua_isnil(lua, -1)) return std::nullopt;
        return bad_return(lua);
    }
    if (state.rule_ended) return std::nullopt;
    return take_error(state);
}

std::string out_of_time(const Settings& settings) {
    return text::format(
        "the rules before it took more than {} ms of CPU time for this job (setting rule_time_ms)",
        std::chrono::duration_cast<std::chrono::milliseconds>(settings.rule_time).count());
}

/// Of a rule that does not deny.
bool warns_on_error(const RuleInfo& rule) {
    return rule.mode != RuleMode::shadow && rule.on_error != OnError::allow;
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

/// What the user reads of a rule's message. Of a rule in mode warn it may speak of a change that is not made.
std::string tell(const RuleInfo& rule, const std::string& message) {
    if (rule.mode != RuleMode::warn) return message;
    return text::format("note (not enforced, rule '{}'): {}", rule.name, message);
}

/// The chain's state while one job goes through it.
class Chain {
  public:
    Chain(const Settings& settings, const model::JobRequest& job, const JobFacts& facts)
        : settings_(settings), job_(job), facts_(facts) {}

    /// The job as the rules so far have left it.
    [[nodiscard]] const model::JobRequest& current() const noexcept {
        return outcome_.changed ? *outcome_.changed : job_;
    }

    void finish(const RuleInfo& rule, RuleRun& run) {
        for (const std::string& warning : run.warnings()) {
            if (rule.mode != RuleMode::shadow) outcome_.warnings.push_back(tell(rule, warning));
            record(rule, kind_of(rule, EventKind::warned), warning);
        }
        if (run.rejection()) return finish_rejection(rule, *run.rejection());
        if (!run.draft()) return;
        const auto changes = describe_changes(current(), *run.draft(), facts_);
        if (changes.empty()) return;
        for (const std::string& change : changes)
            record(rule, kind_of(rule, EventKind::changed), change);
        if (rule.mode != RuleMode::enforce) return;
        note_writer(rule, *run.draft());
        outcome_.changed = std::move(run.draft());
    }

    void fail(const RuleInfo& rule, const LuaError& error) {
        const std::string message = text::printable(error.message, 600); // it may quote the job's own texts
        record(rule, EventKind::error, message, in_one_line(error.traceback));
        if (rule.denies_on_error())
            reject(text::format("This job was not accepted because the rule '{}' ({}) failed: {}; {}",
                                rule.name, rule.file, message, whom_to_tell()));
        else if (warns_on_error(rule))
            outcome_.warnings.push_back(
                text::format("The rule '{}' ({}) was not applied because it failed: {}; {}", rule.name,
                             rule.file, message, whom_to_tell()));
    }

    /// Ends the chain with rules that cannot be run: as each one's on_error says, in one record.
    void fail_unrun(std::span<const RuleInfo> rules, const std::string& why) {
        auto named = std::ranges::find_if(rules, &RuleInfo::denies_on_error);
        if (named == rules.end()) named = std::ranges::find_if(rules, &warns_on_error);
        if (named == rules.end()) named = rules.begin();
        const std::string others =
            rules.size() == 1 ? "" : text::format(", nor were {} other rules", rules.size() - 1);
        fail(*named, {text::format("it was not run{}: {}", others, why), {}, Exhausted::nothing});
    }

    [[nodiscard]] bool rejected() const noexcept { return outcome_.rejected; }

    /// Ends the chain.
    Outcome take() { return std::move(outcome_); }

  private:
    void finish_rejection(const RuleInfo& rule, const std::string& given) {
        const std::string message =
            given.empty() ? text::format("rejected by the site's rule '{}'", rule.name) : given;
        const bool is_enforced = rule.mode == RuleMode::enforce;
        record(rule, kind_of(rule, EventKind::rejected), is_enforced ? message : "would reject: " + message);
        if (is_enforced)
            reject(message);
        else if (rule.mode == RuleMode::warn)
            outcome_.warnings.push_back(tell(rule, message));
    }

    void note_writer(const RuleInfo& rule, const model::JobRequest& draft) {
        const auto note = [&](std::string_view field, auto member) {
            if (current().*member == draft.*member) return;
            std::erase_if(outcome_.writers,
                          [field](const FieldWriter& writer) { return writer.field == field; });
            outcome_.writers.push_back({field, rule.name});
        };
        note("qos", &model::JobRequest::qos);
        note("partition", &model::JobRequest::partition);
        note("account", &model::JobRequest::account);
        note("time_limit", &model::JobRequest::time_limit);
    }

    void reject(std::string message) {
        outcome_.rejected = true;
        outcome_.reject_message = std::move(message);
        outcome_.changed.reset();
    }

    void record(const RuleInfo& rule, EventKind kind, std::string text, std::string detail = {}) {
        outcome_.events.push_back({rule.name, rule.file, kind, std::move(text), std::move(detail)});
    }

    [[nodiscard]] std::string whom_to_tell() const {
        return settings_.contact.empty() ? std::string("please tell your administrators")
                                         : "please tell " + settings_.contact;
    }

    const Settings& settings_;
    const model::JobRequest& job_;
    const JobFacts& facts_;
    Outcome outcome_;
};

} // namespace

Outcome run_chain(StatePool& pool, const std::vector<RuleInfo>& rules, const Settings& settings,
                  const model::JobRequest& job, const JobFacts& facts) {
    Chain chain(settings, job, facts);
    Lease lease(pool, settings.rule_time);
    for (std::size_t i = 0; i < rules.size() && !chain.rejected(); ++i) {
        const auto compiled = lease.get();
        if (!compiled || lease.is_out_of_time()) {
            chain.fail_unrun(std::span(rules).subspan(i),
                             lease.is_out_of_time() ? out_of_time(settings) : compiled.error().message);
            break;
        }
        RuleRun run(chain.current(), facts);
        const auto error = call_submit(**compiled, i, run);
        if (error)
            chain.fail(rules[i], *error);
        else
            chain.finish(rules[i], run);
        lease.drop_if_spent();
    }
    return chain.take();
}

} // namespace qg::policy
