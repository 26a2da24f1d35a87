// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/declarations.hpp"
#include "qosgate/policy/check/directory_findings.hpp"
#include "qosgate/policy/check/field_dependencies.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/check/name_check.hpp"
#include "qosgate/policy/check/syntax_tree.hpp"
#include "qosgate/policy/compat/client_script.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_findings.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/compat/source_rewrite.hpp"
#include "qosgate/policy/files/modules.hpp"
#include "qosgate/policy/files/trusted_files.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/objects/module_binding.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <tuple>
#include <utility>

namespace qg::policy {
namespace {

/// The place that an error names, "10-debug.lua:3: ...", and the rest of it.
Finding to_finding(const Error& error, const std::string& file) {
    Finding finding{file, 0, error.message};
    std::string_view rest = error.message;
    if (!rest.starts_with(file + ":")) return finding;
    rest.remove_prefix(file.size() + 1);
    const std::size_t digits = std::min(rest.find_first_not_of("0123456789"), rest.size());
    if (digits > 0 && digits < rest.size() && rest[digits] == ':') {
        finding.line = static_cast<int>(text::parse_unsigned(rest.substr(0, digits)).value_or(0));
        rest.remove_prefix(digits + 1);
    }
    finding.message = text::trim(rest);
    return finding;
}

/// The line of the first use of a name; 0: there is none.
int line_of_name(const SourceFile& file, std::string_view name) {
    const auto tokens = read_tokens(file.text);
    const auto found = std::ranges::find_if(tokens, [&](const Token& token) { return token.is_name(name); });
    return found == tokens.end() ? 0 : found->line;
}

/// The line where a file defines a global function of this name; 0: nowhere.
int line_of_global_function(const SourceFile& file, std::string_view name) {
    const SyntaxTree tree(file.text);
    for (NodeId id = 0; id < tree.size(); ++id)
        if (tree.is_global(id, name) && tree.is_target(id) && tree.is(tree.value_of(id), NodeKind::function))
            return tree.line(id);
    return 0;
}

void sort_by_place(std::vector<Finding>& findings) {
    std::ranges::stable_sort(findings, [](const Finding& a, const Finding& b) {
        return std::tie(a.file, a.line) < std::tie(b.file, b.line);
    });
}

/// Checks the files one by one, each in a Lua state of its own.
class SourceCheck {
  public:
    explicit SourceCheck(const SourceDirectory& sources)
        : sources_(std::make_shared<const SourceDirectory>(sources)) {}

    PolicyReport run() {
        report_.hash = hash_of(*sources_);
        if (const SourceFile* site = sources_->find(site_file_name)) check_site(*site);
        check_modules();
        for (const SourceFile& file : sources_->files)
            if (kind_of(file.name) == SourceKind::rule) check_rule(file);
        check_script();
        check_client_script();
        check_together();
        for (Finding& finding : find_unused(*sources_, report_.rules))
            note(std::move(finding));
        sort_by_place(report_.findings);
        report_.names = find_written_names(*sources_);
        return std::move(report_);
    }

  private:
    void note(Finding finding) {
        if (std::ranges::find(report_.findings, finding) == report_.findings.end())
            report_.findings.push_back(std::move(finding));
    }

    /// An error of the file when it was loaded. What its text has shown already is not told twice: then the
    /// line is the same, or the message is.
    void note_error(const Error& error, const std::string& file) {
        Finding finding = to_finding(error, file);
        const bool is_known = std::ranges::any_of(report_.findings, [&](const Finding& other) {
            const bool is_here = other.line == finding.line || other.message == finding.message;
            return other.file == finding.file && other.stops_loading && is_here;
        });
        if (!is_known) report_.findings.push_back(std::move(finding));
    }

    /// Whether the file compiles. If so, notes what its text shows.
    bool check_text(const SourceFile& file, CodeKind kind) {
        const auto state = LuaState::create(
            {.instructions = 1'000'000, .time = std::chrono::seconds(1), .memory = std::size_t{16} << 20u});
        if (!state) {
            note({file.name, 0, "no memory for a Lua state"});
            return false;
        }
        const auto known = list_known_names(*sources_, kind);
        const auto compiled = known ? compile_chunk(*state, file.text, file.name) : known.error();
        if (!compiled) {
            note_error(compiled.error(), file.name);
            return false;
        }
        const std::string writable = text::join(report_.settings.writable_env, ",");
        const CodeFacts facts{kind, modules_ ? &*modules_ : nullptr, knows_settings_ ? &writable : nullptr};
        for (CodeProblem& problem : find_code_problems(file.text, *known, facts))
            note({file.name, problem.line, std::move(problem.message), problem.stops_loading});
        return true;
    }

    void check_site(const SourceFile& file) {
        knows_settings_ = false;
        if (!check_text(file, CodeKind::settings)) return;
        check_setting_names(file);
        auto settings = load_settings(file);
        if (settings)
            report_.settings = *std::move(settings);
        else
            note_error(settings.error(), file.name);
        knows_settings_ = settings.has_value();
    }

    /// The keys in the table of `site { ... }`. Loading stops at the first of the unknown ones.
    void check_setting_names(const SourceFile& file) {
        const SyntaxTree tree(file.text);
        for (NodeId id = 0; id < tree.size(); ++id) {
            const std::string_view name = tree.key(id);
            const bool is_of_site =
                !name.empty() && tree.is_global(tree.object(tree.parent(tree.parent(id))), "site");
            if (!is_of_site) continue;
            if (std::ranges::find(setting_specs(), name, &SettingSpec::name) != setting_specs().end())
                continue;
            Settings scratch;
            if (const auto done = apply_setting(scratch, name, Value()); !done)
                note({file.name, tree.line(id), done.error().message});
        }
    }

    /// Whether all files of data can be read.
    bool check_data() {
        bool are_good = true;
        for (const SourceFile& file : sources_->files) {
            if (kind_of(file.name) != SourceKind::data) continue;
            const auto read = read_data_file(file);
            if (!read) note_error(read.error(), file.name);
            are_good = read && are_good;
        }
        return are_good;
    }

    /// Checks data, and the modules of the site. If they all load, rules can be loaded, too.
    void check_modules() {
        bool are_good = check_data();
        for (const SourceFile& file : sources_->files) {
            if (kind_of(file.name) != SourceKind::module) continue;
            std::string bad_name = describe_bad_module_name(file.name);
            are_good = check_text(file, CodeKind::module) && bad_name.empty() && are_good;
            if (!bad_name.empty()) note({file.name, 0, std::move(bad_name)});
        }
        if (!are_good) return;
        auto sources = make_state_sources(sources_);
        if (!sources) return note_error(sources.error(), file_of(sources.error()));
        state_sources_ = *std::move(sources);
        state_sources_->rules.clear();
        const auto compiled = compile_rules(*state_sources_, report_.settings);
        if (!compiled) {
            state_sources_.reset();
            return note_error(compiled.error(), file_of(compiled.error()));
        }
        auto known = list_modules(*compiled->state, state_sources_->modules);
        if (!known) return note_error(known.error(), {});
        modules_ = *std::move(known);
        // Now it is known, too, what modules use of each other.
        for (const SourceFile& file : sources_->files)
            if (kind_of(file.name) == SourceKind::module) check_text(file, CodeKind::module);
    }

    /// The file that an error names first; empty: none.
    [[nodiscard]] std::string file_of(const Error& error) const {
        for (const SourceFile& file : sources_->files)
            if (error.message.starts_with(file.name + ":")) return file.name;
        return {};
    }

    void check_rule(const SourceFile& file) {
        // Slurm's own plugin has its script beside slurm.conf, so one is easily put beside site.lua.
        constexpr std::string_view function = "slurm_job_submit";
        if (const int line = line_of_global_function(file, function); line != 0)
            return note({file.name, line,
                         text::format("this file defines {}, so it is a script for job_submit/lua and not a "
                                      "rule: move it to {}",
                                      function, compat::script_file_name)});
        if (!check_text(file, CodeKind::rule) || !state_sources_) return;
        state_sources_->rules = {&file};
        auto compiled = compile_rules(*state_sources_, report_.settings);
        if (!compiled) return note_error(compiled.error(), file.name);
        note_field_dependencies(*compiled, *state_sources_);
        RuleInfo& rule = compiled->rules.front();
        const auto same = std::ranges::find(report_.rules, rule.name, &RuleInfo::name);
        if (same != report_.rules.end())
            return note({file.name, line_of_name(file, "rule"),
                         text::format("rule '{}' has the name of the rule in {}", rule.name, same->file)});
        check_exempt(file, rule.exempt);
        report_.rules.push_back(std::move(rule));
    }

    /// A login name that is written like one of the words.
    void check_exempt(const SourceFile& file, const Exempt& exempt) {
        for (const std::string& user : exempt.users)
            for (const std::string_view word : {"root", "operators"})
                if (text::iequals(user, word) || text::iequals(user + "s", word))
                    note({file.name, line_of_name(file, "exempt"),
                          text::format("exempt names a user '{}'{}", user, text::did_you_mean(user, word)),
                          /*stops_loading=*/false});
    }

    /// The script for job_submit/lua: what its text shows, and whether it loads.
    void check_script() {
        const SourceFile* file = sources_->find(compat::script_file_name);
        if (file == nullptr) return;
        const auto state = LuaState::create(load_limits(report_.settings));
        if (!state) return note({file->name, 0, "no memory for a Lua state"});
        const auto compiled = compile_chunk(*state, compat::rewrite_for_lua_5_4(file->text), file->name);
        if (!compiled) return note_error(compiled.error(), file->name);
        const compat::ScriptFiles files(*sources_, report_.settings);
        bool may_load = true;
        for (compat::ScriptFinding& problem : compat::find_script_problems(file->text, &files)) {
            may_load = may_load && !problem.stops_loading;
            note({file->name, problem.line, std::move(problem.message), problem.stops_loading});
        }
        if (!may_load) return;
        const auto script = compat::SiteScript::load(sources_, report_.settings, "cluster");
        if (!script) return note_error(script.error(), file->name);
        report_.script = file->name;
    }

    /// The script for cli_filter/lua, which slurmctld does not load.
    void check_client_script() {
        const SourceFile* file = sources_->find(compat::client_script_name);
        if (file == nullptr) return;
        const auto state = LuaState::create(load_limits(report_.settings));
        if (!state) return note({file->name, 0, "no memory for a Lua state"});
        if (const auto compiled = compile_chunk(*state, compat::rewrite_for_lua_5_4(file->text), file->name);
            !compiled) {
            Finding finding = to_finding(compiled.error(), file->name);
            finding.stops_loading = false;
            return note(std::move(finding));
        }
        for (compat::ScriptFinding& problem : compat::find_client_script_problems(file->text))
            note({file->name, problem.line, std::move(problem.message), problem.stops_loading});
        report_.client_script = file->name;
    }

    /// What only all files together show, for example too little memory.
    void check_together() {
        if (!report_.loads()) return;
        const auto policy = compile_policy(*sources_);
        if (!policy) return note({{}, 0, policy.error().message});
        report_.rules = (*policy)->rules(); // with what they look at
    }

    const std::shared_ptr<const SourceDirectory> sources_;
    std::optional<StateSources> state_sources_; ///< without rules; empty: a module does not load
    std::optional<KnownModules> modules_;       ///< what they give; empty: not known
    bool knows_settings_ = true;                ///< those of site.lua, if there is one
    PolicyReport report_;
};

/// Adds the tests that fail, and those that may prove nothing.
void check_tests(const SourceDirectory& sources, const TestRun& how, PolicyReport& report) {
    const auto policy = compile_policy(sources);
    if (!policy) return; // it did before
    const bool stops_loading = report.settings.run_tests;
    const auto done =
        run_tests(**policy, sources.tests, how, [&](const PolicyTest& test, const TestResult& result) {
            if (!result.has_passed())
                report.findings.push_back(
                    {test.file, test.line, describe_failure(test, result), stops_loading});
            for (const std::string& warning : result.warnings)
                report.findings.push_back(
                    {test.file, test.line,
                     text::format("test '{}': {}", text::printable(test.name, 200), warning),
                     /*stops_loading=*/false});
        });
    if (done) return;
    const auto named = std::ranges::find_if(sources.tests, [&](const SourceFile& file) {
        return done.error().message.starts_with(file.name + ":");
    });
    Finding finding = to_finding(done.error(), named == sources.tests.end() ? std::string() : named->name);
    finding.stops_loading = stops_loading;
    report.findings.push_back(std::move(finding));
}

} // namespace

bool PolicyReport::loads() const noexcept {
    return std::ranges::none_of(findings, &Finding::stops_loading);
}

Result<PolicyReport> check_policy(const std::filesystem::path& directory, const OwnerCheck& owners,
                                  const TestRun& tests) {
    auto read = read_all_sources(directory, owners);
    if (!read) return read.error();
    PolicyReport report = check_sources(read->sources);
    report.findings.insert(report.findings.end(), read->findings.begin(), read->findings.end());
    if (report.loads() && !read->sources.tests.empty()) check_tests(read->sources, tests, report);
    sort_by_place(report.findings);
    return report;
}

Result<PolicyReport> check_script_file(const std::filesystem::path& file) {
    auto content = read_any_file(file, max_file_bytes);
    if (!content) return content.error();
    SourceDirectory sources;
    sources.exists = true;
    const bool is_for_clients = compat::is_client_script(*content);
    sources.files.push_back(
        {std::string(is_for_clients ? compat::client_script_name : compat::script_file_name),
         *std::move(content)});
    PolicyReport report = check_sources(sources);
    for (Finding& finding : report.findings) {
        finding.file = file.string();
        finding.stops_loading = finding.stops_loading || (is_for_clients && report.client_script.empty());
    }
    report.is_for_clients = is_for_clients;
    return report;
}

PolicyReport check_sources(const SourceDirectory& sources) {
    return SourceCheck(sources).run();
}

void compare_names(PolicyReport& report, const ClusterNames& names) {
    for (const WrittenName& written : report.names)
        if (std::string problem = describe_unknown_name(written, names); !problem.empty())
            report.findings.push_back(
                {written.file, written.line, std::move(problem), /*stops_loading=*/false});
    sort_by_place(report.findings);
}

} // namespace qg::policy
