// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/rule_chain.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/rule_run.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// A state for as long as it is good: one that failed for want of memory, time or instructions is dropped,
/// and the next rule gets a fresh one.
class Lease {
  public:
    explicit Lease(StatePool& pool) : pool_(pool) {}
    Lease(const Lease&) = delete;
    Lease& operator=(const Lease&) = delete;
    ~Lease() {
        if (rules_) pool_.release(std::move(rules_));
    }

    Result<CompiledRules*> get() {
        if (!rules_) {
            auto acquired = pool_.acquire();
            if (!acquired) return acquired.error();
            rules_ = *std::move(acquired);
            rules_->state->budget().start_job(clock_);
        }
        return rules_.get();
    }

    /// Frees the state if it has spent a budget.
    void drop_if_spent() noexcept {
        if (rules_->state->budget().exhausted() == Exhausted::nothing) return;
        clock_ = rules_->state->budget().clock();
        rules_.reset();
    }

  private:
    StatePool& pool_;
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
        const bool speaks = rule.mode != RuleMode::shadow;
        for (const std::string& warning : run.warnings()) {
            if (speaks) outcome_.warnings.push_back(warning);
            record(rule, speaks ? EventKind::warned : EventKind::shadow, warning);
        }
        if (run.rejection()) return finish_rejection(rule, *run.rejection());
        if (!run.draft()) return;
        const auto changes = describe_changes(current(), *run.draft(), facts_);
        if (changes.empty()) return;
        const bool enforced = rule.mode == RuleMode::enforce;
        for (const std::string& change : changes)
            record(rule, enforced ? EventKind::changed : EventKind::shadow, change);
        if (enforced) outcome_.changed = std::move(run.draft());
    }

    void fail(const RuleInfo& rule, const LuaError& error) {
        const std::string message = text::printable(error.message, 600); // it may quote the job's own texts
        record(rule, EventKind::error, message, in_one_line(error.traceback));
        // Only an enforcing rule may cost a job its acceptance, whatever on_error says.
        const bool denies = rule.mode == RuleMode::enforce && rule.on_error == OnError::deny;
        const bool warns = rule.mode != RuleMode::shadow && rule.on_error != OnError::allow;
        if (denies)
            reject(text::format("This job was not accepted because the rule '{}' ({}) failed: {}; {}",
                                rule.name, rule.file, message, whom_to_tell()));
        else if (warns)
            outcome_.warnings.push_back(
                text::format("The rule '{}' ({}) was not applied because it failed: {}; {}", rule.name,
                             rule.file, message, whom_to_tell()));
    }

    [[nodiscard]] bool rejected() const noexcept { return outcome_.rejected; }

    /// Ends the chain.
    Outcome take() { return std::move(outcome_); }

  private:
    void finish_rejection(const RuleInfo& rule, const std::string& given) {
        const std::string message =
            given.empty() ? text::format("rejected by the site's rule '{}'", rule.name) : given;
        switch (rule.mode) {
        case RuleMode::enforce:
            record(rule, EventKind::rejected, message);
            reject(message);
            return;
        case RuleMode::warn:
            outcome_.warnings.push_back(message);
            record(rule, EventKind::shadow, "would reject: " + message);
            return;
        case RuleMode::shadow: record(rule, EventKind::shadow, "would reject: " + message); return;
        }
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
    Lease lease(pool);
    for (std::size_t i = 0; i < rules.size() && !chain.rejected(); ++i) {
        const auto compiled = lease.get();
        if (!compiled) {
            chain.fail(rules[i], {compiled.error().message, {}, Exhausted::nothing});
            continue;
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
