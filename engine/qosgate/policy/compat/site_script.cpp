// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/site_script.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/partition_use.hpp"
#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/compat/script_library.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"

#include <algorithm>
#include <utility>

#include <lua.hpp>

namespace qg::policy::compat {
namespace {

const SourceFile& script_of(const SourceDirectory& sources) {
    const SourceFile* file = sources.find(script_file_name);
    QG_CHECK(file != nullptr);
    return *file;
}

/// Upvalues: none. The first value that the file returned is on top: Slurm refuses other numbers than 0.
void check_result(lua_State* lua) {
    const int code = int_at(lua, -1);
    if (code != 0) luaL_error(lua, "the script returned %d when it was loaded", code);
}

int check_functions(lua_State* lua) {
    lua_getglobal(lua, submit_function);
    if (lua_isfunction(lua, -1) == 0)
        return luaL_error(lua, "missing required function %s(job_desc, part_list, submit_uid)",
                          submit_function);
    return 0;
}

/// One call of a function of the script.
struct Call {
    const char* function;
    void (*push_arguments)(lua_State* lua);
    bool may_be_missing;
    int code = 0;
    bool has_number = false;
};

int call_function(lua_State* lua) {
    auto& call = *static_cast<Call*>(lua_touserdata(lua, 1));
    lua_getglobal(lua, call.function);
    if (lua_isnil(lua, -1) && call.may_be_missing) {
        call.has_number = true; // it has no objection
        return 0;
    }
    const int function = lua_gettop(lua);
    call.push_arguments(lua);
    lua_call(lua, lua_gettop(lua) - function, 1);
    call.has_number = lua_isnumber(lua, -1) != 0;
    if (call.has_number) call.code = int_at(lua, -1);
    return 0;
}

/// Empty: the function returned.
std::optional<LuaError> run_call(LuaState& state, Call& call) {
    lua_State* lua = state.raw();
    const StackGuard guard(lua);
    push_traceback_handler(lua);
    lua_pushcfunction(lua, &call_function);
    lua_pushlightuserdata(lua, &call);
    if (lua_pcall(lua, 1, 0, -3) == LUA_OK) return std::nullopt;
    return take_error(state);
}

/// Sets LuaState::script as long as it lives.
class Running {
  public:
    Running(LuaState& state, ScriptRun& run) noexcept : state_(state) { state_.script = &run; }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() { state_.script = nullptr; }

  private:
    LuaState& state_;
};

std::shared_ptr<const SiteScript::Names> find_fields_of_jobs(const SourceDirectory& sources) {
    SiteScript::Names mentioned;
    SiteScript::Names listed;
    for (const SourceFile& file : sources.files) {
        if (kind_of(file.name) != SourceKind::compat || !is_source_name(file.name)) continue;
        add_mentioned_names(file.text, mentioned);
        add_listed_fields(file.text, listed);
    }
    if (mentioned.contains("jobs")) return std::make_shared<const SiteScript::Names>(std::move(mentioned));
    if (!mentioned.contains(modify_function) || listed.empty()) return nullptr;
    return std::make_shared<const SiteScript::Names>(std::move(listed));
}

} // namespace

SiteScript::SiteScript(std::shared_ptr<const SourceDirectory> sources, const Settings& settings,
                       std::string cluster_name)
    : sources_(std::move(sources)), settings_(settings), cluster_name_(std::move(cluster_name)),
      files_(*sources_, settings_),
      asks_for_users_(std::ranges::any_of(sources_->files,
                                          [](const SourceFile& file) {
                                              return kind_of(file.name) == SourceKind::compat &&
                                                     is_source_name(file.name) &&
                                                     compat::asks_for_users(file.text);
                                          })),
      reads_partitions_(compat::reads_partitions(script_of(*sources_).text)),
      fields_of_jobs_(find_fields_of_jobs(*sources_)) {}

Result<std::shared_ptr<SiteScript>> SiteScript::load(std::shared_ptr<const SourceDirectory> sources,
                                                     const Settings& settings, std::string cluster_name) {
    std::shared_ptr<SiteScript> script(new SiteScript(std::move(sources), settings, std::move(cluster_name)));
    const SourceFile& file = script_of(*script->sources_);
    if (file.text.size() > max_file_bytes)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: larger than {} KiB", file.name, max_file_bytes >> 10u)};
    if (const auto found = find_sure_host_access(file.text, &script->files_))
        return Error{ErrorCode::invalid_input,
                     text::format("{}:{}: {}", file.name, found->line, found->message)};
    auto state = script->make_state(nullptr, &script->lines_of_load_);
    if (!state) return state.error();
    script->state_ = *std::move(state);
    return script;
}

Result<SiteScript::State> SiteScript::make_state(const BudgetClock* clock,
                                                 std::vector<ScriptLine>* lines) const {
    auto state = LuaState::create(load_limits(settings_, clock));
    if (!state) return Error{ErrorCode::limit_exceeded, "no memory for a Lua state"};
    if (auto done = install_old_lua(*state); !done) return done.error();
    if (auto done = install_script_library(*state, cluster_name_); !done) return done.error();
    const SourceFile& file = script_of(*sources_);
    ScriptRun loading(nullptr, files_);
    const Running running(*state, loading);
    state->budget().start_job(clock == nullptr ? BudgetClock() : *clock);
    state->budget().start_rule();
    const auto done = run_script(*state, file.text, file.name, &check_result);
    if (!done) return done.error();
    if (const auto whole = protected_call(*state, &check_functions, nullptr); !whole)
        return whole.error().in(file.name);
    state->budget().set_limits(run_limits(settings_));
    if (loading.has_message()) loading.log(0, "lua: " + loading.message());
    if (lines != nullptr) *lines = std::move(loading.lines());
    return state;
}

Result<void> SiteScript::prepare(BudgetClock& clock) {
    if (state_ != nullptr) return {};
    module_credit_ = ScriptRun::full_module_credit;
    state_ = std::move(spare_);
    if (state_ != nullptr) return {};
    clock.start();
    auto made = make_state(&clock);
    if (!made) return made.error();
    state_ = *std::move(made);
    return {};
}

/// A function of the script.
struct SiteScript::Function {
    const char* name;
    void (*push_arguments)(lua_State* lua);
    bool may_be_missing;
};

ScriptOutcome SiteScript::submit(ScriptHost& host) {
    return call(host, {submit_function, &push_submit_arguments, /*may_be_missing=*/false});
}

ScriptOutcome SiteScript::modify(ScriptHost& host) {
    return call(host, {modify_function, &push_modify_arguments, /*may_be_missing=*/true});
}

ScriptOutcome SiteScript::call(ScriptHost& host, const Function& function) {
    ScriptOutcome outcome = call_locked(host, function);
    count(outcome);
    return outcome;
}

void SiteScript::count(const ScriptOutcome& outcome) {
    const std::scoped_lock lock(failures_mutex_);
    ++failures_.calls;
    if (!outcome.failure) {
        failures_.failures_in_a_row = 0;
        return;
    }
    ++failures_.failures;
    ++failures_.failures_in_a_row;
    failures_.last = outcome.failure->message;
    failures_.last_at = std::chrono::system_clock::now();
}

ScriptFailures SiteScript::failures() const {
    const std::scoped_lock lock(failures_mutex_);
    return failures_;
}

ScriptOutcome SiteScript::call_locked(ScriptHost& host, const Function& function) {
    const std::scoped_lock lock(mutex_);
    ScriptOutcome outcome;
    BudgetClock clock;
    if (const auto ready = prepare(clock); !ready) {
        outcome.failure = LuaError{ready.error().message, {}, Exhausted::nothing};
        return outcome;
    }
    ScriptRun run(&host, files_);
    run.module_credit() = module_credit_;
    {
        const Running running(*state_, run);
        ++state_->runs;
        state_->budget().start_job(clock);
        state_->budget().start_rule();
        Call made{.function = function.name,
                  .push_arguments = function.push_arguments,
                  .may_be_missing = function.may_be_missing};
        outcome.failure = run_call(*state_, made);
        outcome.code = outcome.failure ? 0 : made.code;
        if (!outcome.failure && !made.has_number)
            run.log(0, text::format("{}: non-numeric return code", script_file_name));
    }
    module_credit_ = run.module_credit();
    outcome.clock = state_->budget().clock();
    if (run.has_message()) outcome.message = run.message();
    outcome.lines = std::move(run.lines());
    if (state_->budget().exhausted() != Exhausted::nothing) {
        spent_.swap(state_); // refill() frees it
        state_.reset();
    }
    return outcome;
}

void SiteScript::refill() {
    State old;
    bool is_missing = false;
    {
        const std::scoped_lock lock(mutex_);
        old = std::move(spent_);
        is_missing = spare_ == nullptr;
    }
    if (!is_missing) return;
    auto made = make_state();
    if (!made) return; // for example out of memory: try again next time
    const std::scoped_lock lock(mutex_);
    spare_ = *std::move(made);
}

std::string SiteScript::describe_failure(const LuaError& failure) const {
    const std::string whom =
        settings_.contact.empty() ? "please tell your administrators" : "please tell " + settings_.contact;
    return text::format("This job was not accepted because the site's script {} failed: {}; {}",
                        script_file_name, text::printable(failure.message, 600), whom);
}

} // namespace qg::policy::compat
