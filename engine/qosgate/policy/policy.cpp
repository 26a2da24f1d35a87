// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/policy.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/field_dependencies.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/compat/client_script.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"
#include "qosgate/policy/run/rule_chain.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace qg::policy {
namespace {

/// Without a script, a file of another name would not run, and nobody would notice. Beside a script it may be
/// one that the script reads.
Result<void> check_script_name(const SourceDirectory& sources) {
    if (sources.find(compat::script_file_name) != nullptr ||
        sources.find(compat::client_script_name) != nullptr)
        return {};
    for (const SourceFile& file : sources.files)
        // Other files are only read by the script.
        if (kind_of(file.name) == SourceKind::compat && is_source_name(file.name) &&
            !file.name.starts_with('/'))
            return Error{
                ErrorCode::invalid_input,
                text::format("{}: the script for job_submit/lua is {}, and for cli_filter/lua {}: rename the "
                             "file, or move it away",
                             file.name, compat::script_file_name, compat::client_script_name)};
    return {};
}

/// True also for some that read none.
bool may_read_groups(const SourceDirectory& sources) {
    return std::ranges::any_of(sources.files, [](const SourceFile& file) {
        const SourceKind kind = kind_of(file.name);
        if (kind != SourceKind::rule && kind != SourceKind::module) return false;
        return std::ranges::any_of(read_tokens(file.text), [](const Token& token) {
            return token.is_name("groups") || token.is_name("in_group");
        });
    });
}

model::UpdateParts looked_at_by(const std::vector<RuleInfo>& rules) {
    model::UpdateParts parts;
    for (const RuleInfo& rule : rules)
        if (rule.runs_at_change) parts.add(rule.looks_at);
    return parts;
}

} // namespace

std::string_view to_string(EventKind kind) noexcept {
    switch (kind) {
    case EventKind::changed: return "changed";
    case EventKind::noted: return "noted";
    case EventKind::warned: return "warned";
    case EventKind::rejected: return "rejected";
    case EventKind::error: return "error";
    case EventKind::not_enforced: return "not enforced";
    case EventKind::shadow: return "shadow";
    }
    return "error";
}

std::shared_ptr<const Policy> Policy::none(std::uint64_t generation) {
    return std::make_shared<const Policy>(std::make_shared<const SourceDirectory>(), Settings{},
                                          std::vector<RuleInfo>{}, nullptr,
                                          CompileOptions{.generation = generation});
}

Policy::Policy(std::shared_ptr<const SourceDirectory> sources, Settings settings, std::vector<RuleInfo> rules,
               std::unique_ptr<StatePool> pool, const CompileOptions& options,
               std::shared_ptr<compat::SiteScript> script)
    : sources_(std::move(sources)), settings_(std::move(settings)), rules_(std::move(rules)),
      reads_groups_(may_read_groups(*sources_)), looked_at_(looked_at_by(rules_)), pool_(std::move(pool)),
      failures_(options.counts_failures
                    ? std::make_unique<RuleFailures>(rules_.size(), settings_.rule_failures)
                    : nullptr),
      script_(std::move(script)), hash_(hash_of(*sources_)), generation_(options.generation) {}

Policy::~Policy() = default;

bool Policy::has_rules_at(JobEvent event, model::UpdateParts parts) const noexcept {
    if (event == JobEvent::modify) return looked_at_.has_any(parts);
    return std::ranges::any_of(rules_, [event](const RuleInfo& rule) { return rule.runs_at(event); });
}

bool Policy::has_enforcing_rule_at(JobEvent event, model::UpdateParts parts) const noexcept {
    return std::ranges::any_of(rules_, [event, parts](const RuleInfo& rule) {
        return rule.runs_at(event, parts) && rule.mode == RuleMode::enforce;
    });
}

bool Policy::reads_job_before() const noexcept {
    return std::ranges::any_of(rules_, &RuleInfo::takes_before);
}

RuleOutcome Policy::run(const model::JobRequest& job, const RuleInput& facts) const {
    if (!pool_) return {};
    return run_chain(*pool_, rules_, settings_, {JobEvent::submit, job, facts, nullptr, failures_.get()});
}

RuleOutcome Policy::run_at_change(const model::JobRequest& job, const RuleInput& facts,
                                  const JobBefore* before, model::UpdateParts parts) const {
    if (!pool_) return {};
    return run_chain(*pool_, rules_, settings_,
                     {JobEvent::modify, job, facts, before, failures_.get(), parts});
}

RuleOutcome Policy::run_in_client(const model::JobRequest& sender, const RuleInput& facts) const {
    if (!pool_) return {};
    return run_chain(*pool_, rules_, settings_, {JobEvent::client, sender, facts, nullptr, failures_.get()});
}

void Policy::refill() const {
    if (pool_) pool_->refill();
    if (script_) script_->refill();
}

std::vector<FailingRule> Policy::failing_rules() const {
    std::vector<FailingRule> found;
    if (!failures_) return found;
    for (std::size_t i = 0; i < rules_.size(); ++i) {
        const FailingRule rule{rules_[i].name, rules_[i].file, failures_->in_a_row(i),
                               failures_->only_warns(i)};
        if (rule.failures_in_a_row > 0 || rule.only_warns) found.push_back(rule);
    }
    return found;
}

std::uint64_t Policy::states_made_by_jobs() const noexcept {
    return pool_ ? pool_->made_by_jobs() : 0;
}

Result<std::shared_ptr<const Policy>> load_policy(const std::filesystem::path& directory,
                                                  const LoadOptions& options) {
    auto sources = read_source_directory(directory, options.trusted_user.value_or(geteuid()));
    if (!sources) return sources.error();
    return compile_policy(*std::move(sources),
                          {.generation = options.generation, .cluster_name = options.cluster_name});
}

Result<std::shared_ptr<const Policy>> compile_policy(SourceDirectory directory,
                                                     const CompileOptions& options) {
    if (!directory.exists) return Policy::none(options.generation);
    auto sources = std::make_shared<const SourceDirectory>(std::move(directory));
    Settings settings;
    if (const SourceFile* site = sources->find(site_file_name)) {
        auto loaded = load_settings(*site);
        if (!loaded) return loaded.error();
        settings = *std::move(loaded);
    }
    settings.rule_time = std::min(settings.rule_time, options.max_rule_time.value_or(settings.rule_time));
    auto state_sources = make_state_sources(sources);
    if (!state_sources) return state_sources.error();
    if (options.lets_rules_rest) state_sources->keeps_state = find_rules_with_state(*state_sources);
    state_sources->coverage = options.coverage;
    auto compiled = compile_rules(*state_sources, settings);
    if (!compiled) return compiled.error();
    if (options.checks_texts)
        if (const auto checked = check_rule_names(*state_sources, *compiled); !checked)
            return checked.error();
    if (const auto checked = check_script_name(*sources); !checked) return checked.error();
    std::shared_ptr<compat::SiteScript> script;
    if (sources->find(compat::script_file_name) != nullptr) {
        auto loaded = compat::SiteScript::load(sources, settings, options.cluster_name);
        if (!loaded) return loaded.error();
        script = *std::move(loaded);
    }
    note_field_dependencies(*compiled, *state_sources);
    std::vector<RuleInfo> rules = compiled->rules;
    std::unique_ptr<StatePool> pool;
    if (!rules.empty())
        pool = std::make_unique<StatePool>(*std::move(state_sources), settings, *std::move(compiled));
    return std::make_shared<const Policy>(std::move(sources), std::move(settings), std::move(rules),
                                          std::move(pool), options, std::move(script));
}

} // namespace qg::policy
