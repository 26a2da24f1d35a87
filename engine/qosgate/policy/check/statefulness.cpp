// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/statefulness.hpp"

#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/check/syntax_tree.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace qg::policy {
namespace {

/// Looks for a sign that something may be kept.
class StateSearch {
  public:
    StateSearch(const SyntaxTree& tree, const std::set<std::string, std::less<>>& stateful_modules)
        : tree_(tree), stateful_modules_(stateful_modules) {
        for (const Declaration& local : tree.declarations())
            locals_.emplace(tree[local.node].function, local.name);
    }

    [[nodiscard]] bool finds_state() const {
        static constexpr std::array<std::string_view, 4> shadowed{"_ENV", "require", "rule", "table"};
        for (const Declaration& local : tree_.declarations())
            if (std::ranges::find(shadowed, local.name) != shadowed.end()) return true;
        for (NodeId id = 0; id < tree_.size(); ++id)
            if (has_state(id)) return true;
        return false;
    }

  private:
    [[nodiscard]] bool has_state(NodeId id) const {
        if (tree_.is_target(id) && !may_set(id)) return true;
        if (tree_.is(id, NodeKind::name)) return is_stateful_name(id);
        if (tree_.is(id, NodeKind::text)) return tree_.text(id) == "gmatch" && !is_called_by_loop(id);
        return tree_.is(id, NodeKind::method) && tree_.member(id) == "gmatch" && !is_iterator(id);
    }

    /// What gmatch returns changes with each call. A loop over it alone does not give it away.
    [[nodiscard]] bool is_iterator(NodeId call) const {
        const NodeId loop = tree_.parent(call);
        return tree_.is(loop, NodeKind::generic_loop) && tree_[loop].count - tree_[loop].split == 2;
    }
    /// Of the NAME in string.NAME(...).
    [[nodiscard]] bool is_called_by_loop(NodeId name) const {
        const NodeId member = tree_.parent(name);
        return tree_[name].place == 1 && tree_.is_dotted(member) && tree_.is_called(member) &&
               is_iterator(tree_.parent(member));
    }

    [[nodiscard]] bool is_stateful_name(NodeId id) const {
        static constexpr std::array<std::string_view, 3> harmless{"concat", "pack", "unpack"};
        const std::string_view name = tree_.text(id);
        const NodeId parent = tree_.parent(id);
        const bool is_object = tree_[id].place == 0 && tree_.is_dotted(parent);
        if (name == "string") return !is_object;
        if (name == "table")
            return !is_object || std::ranges::find(harmless, tree_.member(parent)) == harmless.end();
        if (name != "require") return name == "_ENV" || name == "gmatch";
        const std::string_view module = tree_.is_called(id) ? tree_.only_text(parent) : std::string_view();
        return module.empty() || stateful_modules_.contains(module);
    }

    /// Whether the target of an assignment is a local of this very call, or a field of the job that submit
    /// gets, or what the file sets while it loads.
    [[nodiscard]] bool may_set(NodeId target) const {
        const NodeId function = tree_[target].function;
        if (function == no_node) return true;
        const NodeId variable = tree_.is(target, NodeKind::name) ? target : tree_.object(target);
        if (!tree_.is(variable, NodeKind::name) || tree_[variable].local == no_node) return false;
        const Declaration& local = tree_.declarations()[tree_[variable].local];
        const bool is_job = rule_key(tree_, function) == "submit" && tree_.child(function, 0) == local.node;
        if (variable != target) return is_job && !local.is_assigned && tree_.is_dotted(target);
        return !is_job && is_own(local, function);
    }
    /// Whether no enclosing function has a local of that name: in doubt it is meant.
    [[nodiscard]] bool is_own(const Declaration& local, NodeId function) const {
        if (tree_[local.node].function != function) return false;
        while (function != no_node) {
            function = tree_[function].function;
            if (locals_.contains({function, local.name})) return false;
        }
        return true;
    }

    const SyntaxTree& tree_;
    const std::set<std::string, std::less<>>& stateful_modules_;
    std::set<std::pair<NodeId, std::string_view>> locals_; ///< of each function; no_node: of the file
};

} // namespace

bool may_keep_state(std::string_view source, const std::set<std::string, std::less<>>& stateful_modules) {
    const SyntaxTree tree(source);
    return !tree.is_complete() || StateSearch(tree, stateful_modules).finds_state();
}

} // namespace qg::policy
