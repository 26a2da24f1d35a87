// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/compat/client_objects.hpp"
#include "qosgate/policy/compat/client_script.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/partition_use.hpp"
#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/compat/script_library.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

namespace qg::policy::compat {
namespace {

/// The text of a script, and what its names mean.
class ReadScript {
  public:
    explicit ReadScript(std::string_view source)
        : tree(source), submit(tree.find_function(submit_function)),
          modify(tree.find_function(modify_function)), types(tree, {}, known_parameters()) {}

    const SyntaxTree tree;
    const NodeId submit; ///< no_node: the text has none
    const NodeId modify; ///< likewise
    const ExpressionTypes types;

  private:
    [[nodiscard]] KnownParameters known_parameters() const {
        KnownParameters known;
        if (submit != no_node) known.functions.emplace_back(submit, submit_function);
        if (modify != no_node) known.functions.emplace_back(modify, modify_function);
        // Functions of the script's own mostly call an object as slurmctld's function does.
        for (const auto& [function, key] : known.functions) {
            const auto parameters = tree.parameters(function);
            const auto meanings = arguments_of(key);
            for (std::size_t i = 0; i < std::min(parameters.size(), meanings.size()); ++i)
                known.names.push_back({tree.text(parameters[i]), meanings[i]});
        }
        return known;
    }
};

/// Whether no end of the block can be reached without a return.
bool returns(const SyntaxTree& tree, NodeId block) {
    const auto statements = tree.children(block);
    if (statements.empty()) return false;
    const NodeId last = statements.back();
    const auto parts = tree.children(last);
    if (tree.is(last, NodeKind::return_statement)) return true;
    if (tree.is(last, NodeKind::do_block)) return returns(tree, parts[0]);
    const bool has_else = tree.is(last, NodeKind::conditional) && parts.size() % 2 == 1;
    return has_else && std::ranges::all_of(parts, [&](NodeId part) {
               return !tree.is(part, NodeKind::block) || returns(tree, part);
           });
}

std::string describe_unknown(std::string_view field, bool is_written) {
    const std::vector<std::string> names(model::job_desc_fields.begin(), model::job_desc_fields.end());
    return text::format("job_desc has no field '{}', {}{}", field,
                        is_written ? "so this sets nothing" : "so this is always nil",
                        text::did_you_mean(field, names));
}

/// What differs from Slurm's plugin for a field of job_rec; empty: nothing.
std::string describe_record_field(std::string_view name) {
    switch (record_field(name)) {
    case RecordField::copied: break;
    case RecordField::listed:
        return text::format("job_rec.{} comes from the copy of slurm.jobs here, 2 seconds old or more (20 "
                            "times as long as reading it takes); a change of a newer job is refused",
                            name);
    case RecordField::withheld: return text::format("job_rec.{} cannot be read here: the call fails", name);
    case RecordField::unknown:
        const std::vector<std::string> names(record_field_names().begin(), record_field_names().end());
        return text::format("job_rec has no field '{}', so this is always nil{}", name,
                            text::did_you_mean(name, names));
    }
    return {};
}

/// Uses of fields that do not exist, or are not simply there.
void find_fields(const ReadScript& script, std::vector<ScriptFinding>& findings) {
    const SyntaxTree& tree = script.tree;
    for (NodeId id = 0; id < tree.size(); ++id) {
        const std::string_view field = tree.is(id, NodeKind::index) ? tree.member(id) : std::string_view();
        if (field.empty()) continue;
        const Meaning object = script.types.meaning(tree.object(id));
        std::string what;
        if (object == Meaning::before)
            what = describe_record_field(field);
        else if (object == Meaning::job && !std::ranges::binary_search(model::job_desc_fields, field))
            what = describe_unknown(field, tree.is_target(id));
        if (!what.empty()) findings.push_back({tree.line(tree.child(id, 1)), std::move(what), false});
    }
}

/// Whether it is slurm.NAME.
bool is_of_slurm(const SyntaxTree& tree, NodeId id) {
    return tree.is_dotted(id) && tree.is(tree.object(id), NodeKind::name) &&
           tree.text(tree.object(id)) == "slurm";
}

void find_uses_of_jobs(const SyntaxTree& tree, std::vector<ScriptFinding>& findings) {
    for (NodeId id = 0; id < tree.size(); ++id)
        if (is_of_slurm(tree, id) && tree.member(id) == "jobs")
            findings.push_back({tree.line(id),
                                "slurm.jobs is a copy here, 2 seconds old or more (20 times as long as "
                                "reading it takes): a user who "
                                "submits fast passes a bound on it; view.jobs of a rule counts exactly",
                                false});
}

/// Whether a script may give the table `slurm` names in a way that cannot be followed here.
bool may_extend_slurm(const SyntaxTree& tree) {
    static constexpr std::array<std::string_view, 5> loaders{"require", "dofile", "loadfile", "loadstring",
                                                             "load"};
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, NodeKind::name)) continue;
        const bool loads_code = std::ranges::find(loaders, tree.text(id)) != loaders.end();
        const bool is_member = tree.is_dotted(tree.parent(id)) && tree[id].place == 0;
        if (loads_code || (tree.text(id) == "slurm" && !is_member)) return true;
    }
    return false;
}

/// Whether slurm.NAME is assigned, or only looked for: `if slurm.x then`, `slurm.x or y`.
bool may_be_missing(const SyntaxTree& tree, NodeId id) {
    static constexpr std::array<std::string_view, 5> signs{"or", "and", "==", "~=", "not"};
    const NodeId parent = tree.parent(id);
    if (tree.is_target(id) || tree.is(parent, NodeKind::conditional)) return true;
    const bool is_operand = tree.is(parent, NodeKind::binary) || tree.is(parent, NodeKind::unary);
    return is_operand && std::ranges::find(signs, tree.text(parent)) != signs.end();
}

/// Uses of names that the table `slurm` does not have, unless the script may give it one. `known` are those
/// that it has.
void find_unknown_slurm_names(const SyntaxTree& tree, std::vector<std::string> known,
                              std::vector<ScriptFinding>& findings) {
    if (may_extend_slurm(tree)) return;
    std::vector<NodeId> uses;
    for (NodeId id = 0; id < tree.size(); ++id)
        if (is_of_slurm(tree, id) && tree.is_global(tree.object(id))) uses.push_back(id);
    for (const NodeId use : uses)
        if (may_be_missing(tree, use)) known.emplace_back(tree.member(use));
    std::ranges::sort(known);
    for (const NodeId use : uses)
        if (!std::ranges::binary_search(known, tree.member(use)))
            findings.push_back({tree.line(tree.child(use, 1)),
                                text::format("slurm has no '{}', so this is nil{}", tree.member(use),
                                             text::did_you_mean(tree.member(use), known)),
                                false});
}

/// Calls of setmetatable for the job description, as scripts for the first releases of the plugin have them.
void find_metatables(const ReadScript& script, std::vector<ScriptFinding>& findings) {
    const SyntaxTree& tree = script.tree;
    for (NodeId id = 0; id < tree.size(); ++id) {
        const NodeId object = tree.child(id, 1);
        if (tree.is(id, NodeKind::call) && tree.is_global(tree.object(id), "setmetatable") &&
            object != no_node && script.types.meaning(object) == Meaning::job)
            findings.push_back(
                {tree.line(id),
                 text::format(
                     "setmetatable of {} fails, and is not needed: remove it. In Slurm's plugin such "
                     "a script has no effect either: it reads no field",
                     tree.text(object)),
                 false});
    }
}

void check_return(const SyntaxTree& tree, NodeId function, std::string_view name,
                  std::vector<ScriptFinding>& findings) {
    if (function != no_node && !returns(tree, tree.body(function)))
        findings.push_back({tree.line(function),
                            text::format("{} ends without a return: the job is then accepted", name), false});
}

} // namespace

std::vector<ScriptFinding> find_script_problems(std::string_view source, const ScriptFiles* files) {
    const ReadScript script(source);
    std::vector<ScriptFinding> findings;
    for (HostAccess& access : find_host_access(script.tree, files))
        findings.push_back({access.line, std::move(access.message), access.is_sure});
    find_uses_of_jobs(script.tree, findings);
    find_unknown_slurm_names(script.tree, slurm_names(), findings);
    check_return(script.tree, script.submit, submit_function, findings);
    check_return(script.tree, script.modify, modify_function, findings);
    if (script.modify == no_node)
        findings.push_back({0, "has no slurm_job_modify: all changes of jobs are accepted", false});
    find_fields(script, findings);
    find_metatables(script, findings);
    find_partition_fields(script.tree, findings);
    std::ranges::stable_sort(findings, {}, &ScriptFinding::line);
    return findings;
}

bool is_client_script(std::string_view source) {
    const SyntaxTree tree(source);
    return tree.find_function(submit_function) == no_node &&
           std::ranges::any_of(client_functions,
                               [&](const char* name) { return tree.find_function(name) != no_node; });
}

std::vector<ScriptFinding> find_client_script_problems(std::string_view source) {
    const SyntaxTree tree(source);
    std::vector<ScriptFinding> findings;
    for (const char* const name : client_functions) {
        const NodeId function = tree.find_function(name);
        check_return(tree, function, name, findings);
        if (function == no_node)
            findings.push_back(
                {0,
                 text::format("there is no function {}: Slurm's own plugin does not load such a script",
                              name),
                 false});
    }
    find_unknown_slurm_names(tree, client_slurm_names(), findings);
    std::ranges::stable_sort(findings, {}, &ScriptFinding::line);
    return findings;
}

} // namespace qg::policy::compat
