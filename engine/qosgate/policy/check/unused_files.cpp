// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/unused_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/files/data_files.hpp"
#include "qosgate/policy/files/modules.hpp"

#include <algorithm>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace qg::policy {
namespace {

bool is_code(const SourceFile& file) {
    return kind_of(file.name) == SourceKind::rule || kind_of(file.name) == SourceKind::module;
}

/// Adds the names with which a file calls a function. False: one may be any name.
bool add_names_given_to(std::string_view function, const SourceFile& file, std::set<std::string>& names) {
    const SyntaxTree tree(file.text);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, NodeKind::name) || tree.text(id) != function) continue;
        const std::string_view name =
            tree.is_called(id) ? tree.only_text(tree.parent(id)) : std::string_view();
        if (name.empty()) return false;
        names.emplace(name);
    }
    return tree.is_complete();
}

/// The same of all rules, modules and tests. Empty: one may be any name.
std::optional<std::set<std::string>> names_given_to(std::string_view function,
                                                    const SourceDirectory& sources) {
    std::set<std::string> names;
    for (const SourceFile& file : sources.files)
        if (is_code(file) && !add_names_given_to(function, file, names)) return std::nullopt;
    for (const SourceFile& file : sources.tests)
        if (is_source_name(file.name) && !add_names_given_to(function, file, names)) return std::nullopt;
    return names;
}

void find_unused_files(const SourceDirectory& sources, SourceKind kind, std::string_view function,
                       std::string_view complaint, std::vector<Finding>& found) {
    const auto names = names_given_to(function, sources);
    if (!names) return;
    for (const SourceFile& file : sources.files) {
        if (kind_of(file.name) != kind) continue;
        const std::string_view name =
            kind == SourceKind::module ? module_name(file.name)
                                       : std::string_view(file.name).substr(data_directory_name.size() + 1);
        if (!names->contains(std::string(name)))
            found.push_back({file.name, 0, std::string(complaint), /*stops_loading=*/false});
    }
}

/// Whether the rule's only code is submit = function(job) job:stop() end.
bool only_stops(const SourceFile& file) {
    const SyntaxTree tree(file.text);
    const ExpressionTypes types(tree, {});
    NodeId only = no_node;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, NodeKind::function)) continue;
        if (only != no_node) return false;
        only = id;
    }
    if (only == no_node || types.key_of(only) != "submit") return false;
    const auto statements = tree.children(tree.body(only));
    return statements.size() == 1 && tree.is(statements[0], NodeKind::method) &&
           tree.member(statements[0]) == "stop" && tree.arguments(statements[0]).empty() &&
           types.meaning(tree.object(statements[0])) == Meaning::job;
}

void find_unreached_rules(const SourceDirectory& sources, std::span<const RuleInfo> rules,
                          std::vector<Finding>& found) {
    const RuleInfo* last = nullptr;
    for (const RuleInfo& rule : rules) {
        if (last != nullptr) {
            const bool is_reached = (rule.runs_at_submission && !last->runs_at_submission) ||
                                    (rule.runs_at_change && !last->runs_at_change) || rule.runs_in_client;
            if (!is_reached)
                found.push_back(
                    {rule.file, 0,
                     text::format("is never run: the rule in {} ends the chain for every job", last->file),
                     /*stops_loading=*/false});
            continue;
        }
        const SourceFile* file = sources.find(rule.file);
        const bool is_for_all = rule.mode == RuleMode::enforce && !rule.exempt.has_any();
        if (is_for_all && file != nullptr && only_stops(*file)) last = &rule;
    }
}

} // namespace

std::vector<Finding> find_unused(const SourceDirectory& sources, std::span<const RuleInfo> rules) {
    std::vector<Finding> found;
    if (rules.empty()) return found;
    find_unreached_rules(sources, rules, found);
    // A script for job_submit/lua can read all files of the directory.
    if (std::ranges::any_of(sources.files,
                            [](const SourceFile& file) { return kind_of(file.name) == SourceKind::compat; }))
        return found;
    find_unused_files(sources, SourceKind::module, "require",
                      "is not used: no rule, module or test requires it", found);
    find_unused_files(sources, SourceKind::data, "data", "is not used: no rule, module or test reads it",
                      found);
    return found;
}

} // namespace qg::policy
