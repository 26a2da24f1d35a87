// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/client_script.hpp"

#include "qosgate/base/check.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/client_objects.hpp"
#include "qosgate/policy/compat/old_lua.hpp"
#include "qosgate/policy/compat/script_library.hpp"
#include "qosgate/policy/lua/lib/old_numbers.hpp"

#include <chrono>

#include <lua.hpp>

namespace qg::policy::compat {

/// One call of a hook.
struct ClientScript::Call {
    const char* function;
    bool has_options = false;
    bool early = false;
    std::vector<double> numbers = {}; ///< the arguments behind the options
    int code = 0;
    bool has_number = false;
};

namespace {

/// Sets what LuaState points to as long as it lives.
class Running {
  public:
    Running(LuaState& state, ScriptRun& run, ClientScriptHost* host) noexcept : state_(state) {
        state_.script = &run;
        state_.client_script = host;
    }
    Running(const Running&) = delete;
    Running& operator=(const Running&) = delete;
    ~Running() {
        state_.script = nullptr;
        state_.client_script = nullptr;
    }

  private:
    LuaState& state_;
};

} // namespace

BudgetLimits ClientScript::limits() {
    return {
        .instructions = 10'000'000'000, .time = std::chrono::seconds(2), .memory = std::size_t{256} << 20u};
}

Result<std::unique_ptr<ClientScript>> ClientScript::load(std::shared_ptr<const SourceDirectory> sources,
                                                         const Settings& settings,
                                                         const std::string& cluster_name,
                                                         void (*write)(int level, const char* line)) {
    const SourceFile* file = sources->find(client_script_name);
    QG_CHECK(file != nullptr);
    std::unique_ptr<ClientScript> script(new ClientScript(std::move(sources), settings, write));
    script->state_ = LuaState::create(limits());
    if (script->state_ == nullptr) return Error{ErrorCode::limit_exceeded, "no memory for a Lua state"};
    LuaState& state = *script->state_;
    if (const auto done = install_old_lua(state); !done) return done.error();
    if (const auto done = install_script_library(state, cluster_name); !done) return done.error();
    if (const auto done = install_client_library(state); !done) return done.error();
    ScriptRun loading(nullptr, script->files_);
    loading.write_to(write);
    const Running running(state, loading, nullptr);
    state.budget().start_job({});
    state.budget().start_rule();
    if (const auto done = run_script(state, file->text, file->name, nullptr); !done) return done.error();
    return script;
}

ClientScriptOutcome ClientScript::setup_defaults(ClientScriptHost& host, bool early) {
    Call made{.function = client_functions[0], .has_options = true, .early = early};
    made.numbers = {};
    return call(host, made);
}

ClientScriptOutcome ClientScript::pre_submit(ClientScriptHost& host, int part) {
    Call made{.function = client_functions[1], .has_options = true};
    made.numbers = {static_cast<double>(part)};
    return call(host, made);
}

ClientScriptOutcome ClientScript::post_submit(ClientScriptHost& host, int part, std::uint32_t job,
                                              std::uint32_t step) {
    Call made{.function = client_functions[2]};
    made.numbers = {static_cast<double>(part), static_cast<double>(job), static_cast<double>(step)};
    return call(host, made);
}

ClientScriptOutcome ClientScript::call(ClientScriptHost& host, Call& call) {
    ClientScriptOutcome outcome;
    if (state_ == nullptr) return outcome;
    ScriptRun run(nullptr, files_);
    run.write_to(write_);
    {
        const Running running(*state_, run, &host);
        state_->budget().start_job({});
        state_->budget().start_rule();
        const auto body = [](lua_State* lua) {
            auto& made = *static_cast<Call*>(lua_touserdata(lua, 1));
            lua_getglobal(lua, made.function);
            if (lua_isnil(lua, -1)) {
                made.has_number = true; // Slurm's plugin does not load such a script; here it changes nothing
                return 0;
            }
            const int function = lua_gettop(lua);
            if (made.has_options) push_options(lua, made.early);
            // Slurm's plugin leaves a boolean out: early is known to the object alone.
            for (const double number : made.numbers)
                lua_pushnumber(lua, number);
            lua_call(lua, lua_gettop(lua) - function, 1);
            made.has_number = lua_isnumber(lua, -1) != 0;
            if (made.has_number) made.code = int_at(lua, -1);
            return 0;
        };
        lua_State* lua = state_->raw();
        const StackGuard guard(lua);
        push_traceback_handler(lua);
        lua_pushcfunction(lua, +body);
        lua_pushlightuserdata(lua, &call);
        if (lua_pcall(lua, 1, 0, -3) != LUA_OK)
            outcome.failure = take_error(*state_);
        else
            outcome.code = call.code;
        if (!outcome.failure && !call.has_number)
            run.log(0, text::format("{}: {}: non-numeric return code", client_script_name, call.function));
    }
    // A spent state may be in the middle of anything.
    if (state_->budget().exhausted() != Exhausted::nothing) state_.reset();
    if (run.has_message()) run.log(0, run.message());
    return outcome;
}

} // namespace qg::policy::compat
