// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/run/compiled_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/declarations.hpp"
#include "qosgate/policy/check/field_dependencies.hpp"
#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/objects/module_binding.hpp"
#include "qosgate/policy/test/coverage.hpp"

#include <algorithm>
#include <string>
#include <utility>

namespace qg::policy {
namespace {

std::span<const ExtraGlobal> globals_of(CodeKind kind) {
    switch (kind) {
    case CodeKind::settings: return site_globals();
    case CodeKind::rule: return rule_globals();
    case CodeKind::module: return module_globals();
    }
    return {};
}

Result<std::unique_ptr<LuaState>> make_state(const BudgetLimits& limits,
                                             std::span<const ExtraGlobal> globals) {
    auto state = LuaState::create(limits);
    if (!state) return Error{ErrorCode::limit_exceeded, "no memory for a Lua state"};
    const auto installed = install_sandbox(*state, globals);
    if (!installed) return installed.error();
    return state;
}

/// Runs one file and takes what it declares. The budget is started before.
Result<void> declare(LuaState& state, const SourceFile& file, Declarations& into, std::string_view function) {
    state.declarations = &into;
    const auto done = run_chunk(state, file.text, file.name);
    state.declarations = nullptr;
    if (!done) return done.error();
    if (!into.is_made)
        return Error{ErrorCode::invalid_input,
                     text::format("{}: declares nothing: it must call {} {{ ... }}", file.name, function)};
    return {};
}

Result<void> add_rule(CompiledRules& compiled, const SourceFile& file) {
    Declarations declared;
    declared.rule.file = file.name;
    declared.rule.name = file.name.substr(0, file.name.size() - std::string_view(".lua").size());
    const auto done = declare(*compiled.state, file, declared, "rule");
    if (!done) return done.error();
    const auto same_name =
        std::find_if(compiled.rules.begin(), compiled.rules.end(),
                     [&](const RuleInfo& other) { return other.name == declared.rule.name; });
    if (same_name != compiled.rules.end())
        return Error{ErrorCode::invalid_input, text::format("{}: rule '{}' has the name of the rule in {}",
                                                            file.name, declared.rule.name, same_name->file)};
    compiled.rules.push_back(std::move(declared.rule));
    compiled.functions.push_back(declared.functions);
    return {};
}

} // namespace

BudgetLimits load_limits(const Settings& settings, const BudgetClock* clock) {
    BudgetLimits limits;
    limits.instructions = 1'000'000;
    limits.time = clock == nullptr ? std::chrono::seconds(1) : settings.rule_time;
    limits.memory = settings.rule_memory_mib << 20u;
    return limits;
}

BudgetLimits run_limits(const Settings& settings) {
    BudgetLimits limits;
    limits.instructions = static_cast<std::int64_t>(settings.rule_instructions);
    limits.time = settings.rule_time;
    limits.memory = settings.rule_memory_mib << 20u;
    return limits;
}

Result<Settings> load_settings(const SourceFile& site) {
    Declarations declared;
    const auto state = make_state(load_limits(declared.settings), site_globals());
    if (!state) return state.error();
    (*state)->budget().start_job();
    (*state)->budget().start_rule();
    const auto done = declare(**state, site, declared, "site");
    if (!done) return done.error();
    return std::move(declared.settings);
}

Result<StateSources> make_state_sources(std::shared_ptr<const SourceDirectory> directory) {
    StateSources sources;
    auto data = read_data_files(*directory);
    if (!data) return data.error();
    sources.data = std::make_shared<const std::vector<DataFile>>(*std::move(data));
    auto modules = order_modules(*directory);
    if (!modules) return modules.error();
    sources.modules = *std::move(modules);
    for (const SourceFile& file : directory->files)
        if (kind_of(file.name) == SourceKind::rule) sources.rules.push_back(&file);
    sources.directory = std::move(directory);
    return sources;
}

std::vector<bool> find_rules_with_state(const StateSources& sources) {
    std::set<std::string, std::less<>> modules;
    for (const Module& module : sources.modules) // each behind those that it requires
        if (!module.is_shipped && may_keep_state(module.text, modules)) modules.insert(module.name);
    std::vector<bool> found;
    for (const SourceFile* rule : sources.rules)
        found.push_back(may_keep_state(rule->text, modules));
    return found;
}

Result<CompiledRules> compile_rules(const StateSources& sources, const Settings& settings,
                                    const BudgetClock* clock) {
    auto state = make_state(load_limits(settings, clock), rule_globals());
    if (!state) return state.error();
    CompiledRules compiled;
    compiled.state = *std::move(state);
    if (sources.coverage != nullptr) sources.coverage->watch(*compiled.state);
    compiled.state->data = sources.data.get();
    compiled.state->writable_env = text::join(settings.writable_env, ",");
    const auto objects = install_job(*compiled.state);
    if (!objects) return objects.error();
    compiled.objects = *objects;
    const auto load = [&](auto body) -> Result<void> {
        // Parsing a file is work that the hook does not see.
        if (clock != nullptr && clock->is_past(settings.rule_time))
            return Error{ErrorCode::limit_exceeded, "no time is left to load the rules"};
        compiled.state->budget().start_job(clock == nullptr ? BudgetClock() : *clock);
        compiled.state->budget().start_rule();
        return body();
    };
    for (const Module& module : sources.modules)
        if (auto done = load([&] { return load_module(*compiled.state, module); }); !done)
            return done.error();
    for (const SourceFile* file : sources.rules)
        if (auto done = load([&] { return add_rule(compiled, *file); }); !done) return done.error();
    compiled.state->budget().set_limits(run_limits(settings));
    const auto tables = make_rule_tables(*compiled.state, sources.keeps_state, compiled.rules.size());
    if (!tables) return tables.error();
    return compiled;
}

Result<KnownNames> list_known_names(const SourceDirectory& sources, CodeKind kind) {
    const auto state = make_state(load_limits(Settings{}), globals_of(kind));
    if (!state) return state.error();
    auto known = list_globals(**state);
    if (!known || kind == CodeKind::settings) return known;
    for (std::string& name : module_names(sources))
        (*known)["require"].insert(std::move(name));
    for (std::string& name : data_names(sources))
        (*known)["data"].insert(std::move(name));
    return known;
}

Result<void> check_rule_names(const StateSources& state_sources, const CompiledRules& compiled) {
    const SourceDirectory& sources = *state_sources.directory;
    const auto modules = list_modules(*compiled.state, state_sources.modules);
    if (!modules) return modules.error();
    for (const CodeKind kind : {CodeKind::module, CodeKind::rule}) {
        const auto known = list_known_names(sources, kind);
        if (!known) return known.error();
        const SourceKind files = kind == CodeKind::module ? SourceKind::module : SourceKind::rule;
        for (const SourceFile& file : sources.files) {
            if (kind_of(file.name) != files) continue;
            auto checked = check_names(file.text, file.name, *known, {kind, &*modules});
            if (!checked) return checked;
        }
    }
    return {};
}

StatePool::StatePool(StateSources sources, Settings settings, CompiledRules first)
    : sources_(std::move(sources)), settings_(std::move(settings)) {
    idle_.reserve(max_idle);
    spent_.reserve(max_spent);
    release(std::make_unique<CompiledRules>(std::move(first)));
}

StatePool::~StatePool() {
    delete ready_.load();
}

Result<std::unique_ptr<CompiledRules>> StatePool::acquire(BudgetClock& clock) {
    if (CompiledRules* const ready = ready_.exchange(nullptr)) [[likely]]
        return std::unique_ptr<CompiledRules>(ready);
    return acquire_locked(clock);
}

[[gnu::noinline]] Result<std::unique_ptr<CompiledRules>> StatePool::acquire_locked(BudgetClock& clock) {
    {
        const std::scoped_lock lock(mutex_);
        if (!idle_.empty()) {
            auto rules = std::move(idle_.back());
            idle_.pop_back();
            return rules;
        }
    }
    clock.start();
    ++made_by_jobs_;
    auto compiled = compile_rules(sources_, settings_, &clock);
    if (!compiled) return compiled.error();
    return std::make_unique<CompiledRules>(*std::move(compiled));
}

void StatePool::release(std::unique_ptr<CompiledRules> rules) {
    CompiledRules* none = nullptr;
    if (ready_.compare_exchange_strong(none, rules.get())) [[likely]] {
        static_cast<void>(rules.release()); // the pool has it
        return;
    }
    release_locked(std::move(rules));
}

[[gnu::noinline]] void StatePool::release_locked(std::unique_ptr<CompiledRules> rules) {
    const std::scoped_lock lock(mutex_);
    if (idle_.size() < max_idle) idle_.push_back(std::move(rules));
    // Otherwise the parameter's destructor frees the state after the lock is released.
}

void StatePool::discard(std::unique_ptr<CompiledRules> rules) {
    const std::scoped_lock lock(mutex_);
    if (spent_.size() < max_spent) spent_.push_back(std::move(rules));
}

void StatePool::refill() {
    std::vector<std::unique_ptr<CompiledRules>> spent;
    spent.reserve(max_spent);
    std::size_t missing = 0;
    {
        const std::scoped_lock lock(mutex_);
        spent.swap(spent_);
        missing = spares - std::min(spares, idle_.size() + (ready_.load() == nullptr ? 0 : 1));
    }
    for (; missing > 0; --missing) {
        auto compiled = compile_rules(sources_, settings_);
        if (!compiled) return; // for example out of memory: try again next time
        release(std::make_unique<CompiledRules>(*std::move(compiled)));
    }
}

} // namespace qg::policy
