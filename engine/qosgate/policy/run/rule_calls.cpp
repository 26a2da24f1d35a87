// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/run/rule_calls.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/run/rule_keys.hpp"

#include <algorithm>
#include <chrono>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// The instructions after which the caller looks at the job's clock.
constexpr std::int64_t instructions_at_once = 1000;

/// Whether a rule does not look at this sender's requests. An unknown name is not exempt.
[[gnu::noinline]] bool is_exempt(const Exempt& exempt, const ChainInput& input) {
    const model::JobRequest& job = input.job;
    const bool is_root = job.submit_uid == 0;
    if ((exempt.root || exempt.operators) && is_root) return true;
    if (exempt.operators && input.facts.sender != nullptr && input.facts.sender->is_operator()) return true;
    const std::string_view name = input.facts.user_name; // the owner's
    return job.submit_uid == job.user_id && !name.empty() &&
           std::ranges::find(exempt.users, name) != exempt.users.end();
}

/// What is left on the stack when a rule's function returns.
[[gnu::cold]] LuaError bad_return(lua_State* lua, const RuleFunctions& functions, JobEvent event) {
    const bool is_client = event == JobEvent::client;
    LuaError error;
    error.message = describe_bad_return(is_client                         ? "client"
                                        : functions.runs_modify_at(event) ? "modify"
                                                                          : "submit",
                                        describe(to_value(lua, -1)));
    return error;
}

/// Calls in one protected call of Lua.
struct Calls {
    LuaState& state;
    const CompiledRules& compiled;
    std::span<const RuleInfo> rules;
    const ChainInput& input;
    std::size_t next;
    std::size_t end;
    RuleRun& run;
    bool may_rest;          ///< rules that certainly do nothing need not run
    bool has_acted = false; ///< the rule before `next`

    /// Goes on to the next rule that must run. False: there is none.
    [[nodiscard]] bool finds_rule() noexcept {
        for (; next < end; ++next) {
            if (!applies(rules[next], input)) continue;
            if (!may_rest || !state.job_fields.rests(next)) return true;
            note_success(next);
        }
        return false;
    }

    void note_success(std::size_t index) const noexcept {
        if (input.counts_failures()) input.failures->count_success(index);
    }
};

/// Pushes the function of a rule and its arguments: `job`, or in a client `options`, and `view`; for `modify`
/// `before` between them, which is nil if the rule does not take it. Returns the number of arguments.
int push_call(lua_State* lua, const Calls& calls, std::size_t index) {
    const JobEvent event = calls.input.event;
    const RuleFunctions& functions = calls.compiled.functions[index];
    lua_rawgeti(lua, LUA_REGISTRYINDEX, functions.at(event));
    lua_pushvalue(lua, 2);
    int count = 2;
    if (calls.run.before() != nullptr) [[unlikely]] {
        lua_rawgeti(lua, LUA_REGISTRYINDEX, calls.compiled.objects.before);
        ++count;
    } else if (functions.runs_modify_at(event)) {
        lua_pushnil(lua);
        ++count;
    }
    lua_pushvalue(lua, 3);
    return count;
}

/// Pushes what the rules take as arguments, then calls the next one, which must run, and others after it.
/// Returns what the last one returned, or nothing. A rule that fails, or ends itself with job:reject, ends
/// this function, too.
int make_calls(lua_State* lua) {
    auto& calls = *static_cast<Calls*>(lua_touserdata(lua, 1));
    const JobObjects& objects = calls.compiled.objects;
    const bool is_client = calls.input.event == JobEvent::client;
    lua_rawgeti(lua, LUA_REGISTRYINDEX, is_client ? objects.options : objects.job);
    lua_rawgeti(lua, LUA_REGISTRYINDEX, objects.view);
    std::int64_t spent = 0;
    do {
        const std::size_t index = calls.next++;
        const RuleInfo& rule = calls.rules[index];
        ++calls.state.runs;
        calls.state.budget().start_rule();
        calls.run.start_rule(rule.takes_before ? calls.input.before : nullptr);
        calls.has_acted = true; // if it raises an error
        calls.state.job_fields.start_rule(lua, index);
        lua_call(lua, push_call(lua, calls, index), 1);
        if (!lua_isnil(lua, -1) || calls.run.has_acted()) return 1;
        calls.has_acted = false;
        lua_settop(lua, 3);
        calls.note_success(index);
        if (calls.may_rest) calls.state.job_fields.end_idle_rule(!calls.run.has_looked_further());
        if (calls.state.budget().exhausted() != Exhausted::nothing) break;
        spent += calls.state.budget().taken();
    } while (spent < instructions_at_once && calls.finds_rule());
    return 0;
}

CalledRules call_from_to(CompiledRules& compiled, std::span<const RuleInfo> rules, const ChainInput& input,
                         std::size_t first, std::size_t end, RuleRun& run) {
    LuaState& state = *compiled.state;
    // Of a new job, and if nobody measures the rules.
    const bool may_rest = input.event == JobEvent::submit && input.facts.costs == nullptr;
    Calls calls{state, compiled, rules, input, first, end, run, may_rest};
    if (input.event != JobEvent::client) state.job_fields.start_job(run.present(), run.facts() != nullptr);
    if (!calls.finds_rule()) return {calls.next};
    lua_State* lua = state.raw();
    const StackGuard guard(lua);
    const std::size_t begun = calls.next;
    state.run = &run;
    state.rule_ended = false;
    // Before lua_pcall, nothing here allocates in Lua or raises an error.
    push_traceback_handler(lua);
    const int handler = lua_gettop(lua);
    lua_pushcfunction(lua, &make_calls);
    lua_pushlightuserdata(lua, &calls);
    const int status = lua_pcall(lua, 1, 1, handler);
    state.run = nullptr;
    if (status != LUA_OK) { // without memory possibly before the first rule was called
        calls.next = std::max(calls.next, begun + 1);
        calls.has_acted = true;
    }
    CalledRules called{calls.next, calls.has_acted};
    if (!calls.has_acted) return called;
    if (status != LUA_OK && !state.rule_ended)
        called.error = take_error(state);
    else if (status == LUA_OK && !lua_isnil(lua, -1))
        called.error = bad_return(lua, compiled.functions[calls.next - 1], input.event);
    return called;
}

} // namespace

bool applies(const RuleInfo& rule, const ChainInput& input) {
    return rule.runs_at(input.event, input.parts) &&
           !(rule.exempt.has_any() && is_exempt(rule.exempt, input));
}

CalledRules call_rules(CompiledRules& compiled, std::span<const RuleInfo> rules, const ChainInput& input,
                       std::size_t first, RuleRun& run) {
    return call_from_to(compiled, rules, input, first, rules.size(), run);
}

[[gnu::cold]] CalledRules call_measured(CompiledRules& compiled, std::span<const RuleInfo> rules,
                                        const ChainInput& input, std::size_t index, RuleRun& run) {
    if (!applies(rules[index], input)) return {index + 1};
    const auto begin = std::chrono::steady_clock::now();
    CalledRules called = call_from_to(compiled, rules, input, index, index + 1, run);
    const auto end = std::chrono::steady_clock::now();
    input.facts.costs->push_back({rules[index].name, compiled.state->budget().taken(), end - begin});
    return called;
}

} // namespace qg::policy
