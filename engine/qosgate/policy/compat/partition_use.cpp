// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/partition_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/script_field_names.hpp"

#include <algorithm>
#include <cstddef>
#include <set>
#include <string>

namespace qg::policy::compat {
namespace {

/// What a script does with the partitions in part_list.
class PartitionUse {
  public:
    explicit PartitionUse(const SyntaxTree& tree)
        : tree_(tree), is_list_(tree.declarations().size()), is_partition_(tree.declarations().size()) {
        note_lists(submit_function, 1);
        note_lists(modify_function, 2);
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (tree_.is(id, NodeKind::generic_loop)) note_loop(id);
            if (tree_.is_dotted(id) && tree_.is_target(id)) set_.insert(tree_.member(id));
        }
        // local PARTITION = LIST[...]
        for (std::size_t i = 0; i < is_partition_.size(); ++i)
            if (is_member_of_list(tree_.declarations()[i].value)) note(is_partition_, i);
    }

    void find(std::vector<ScriptFinding>& findings) const {
        const std::vector<std::string> names(model::partition_record_fields.begin(),
                                             model::partition_record_fields.end());
        for (NodeId id = 0; id < tree_.size(); ++id) {
            const std::string_view field = tree_.is_dotted(id) ? tree_.member(id) : std::string_view();
            if (field.empty() || !is_partition(tree_.object(id))) continue;
            // The script may give its own fields to the table.
            if (std::ranges::binary_search(model::partition_record_fields, field) || set_.contains(field))
                continue;
            findings.push_back({tree_.line(tree_.child(id, 1)),
                                text::format("a partition has no field '{}', so this is always nil{}", field,
                                             text::did_you_mean(field, names)),
                                false});
        }
    }

  private:
    /// Marks a local that keeps its value.
    void note(std::vector<bool>& locals, std::size_t local) const {
        locals[local] = !tree_.declarations()[local].is_assigned;
    }
    /// The names of that parameter in all functions are lists: the script's own mostly get what it got.
    void note_lists(std::string_view function, std::size_t parameter) {
        const NodeId found = tree_.find_function(function);
        if (found == no_node || tree_.parameters(found).size() <= parameter) return;
        const std::string_view name = tree_.text(tree_.parameters(found)[parameter]);
        for (std::size_t i = 0; i < is_list_.size(); ++i) {
            const Declaration& local = tree_.declarations()[i];
            if (local.name == name && tree_.is(tree_.parent(local.node), NodeKind::function))
                note(is_list_, i);
        }
    }
    /// for NAME, PARTITION in pairs(LIST)
    void note_loop(NodeId loop) {
        const NodeId call = tree_.child(loop, tree_[loop].split);
        const bool is_right = tree_[loop].split > 1 && tree_.is(call, NodeKind::call) &&
                              tree_.is_global(tree_.object(call), "pairs") && is_list(tree_.child(call, 1));
        if (is_right) note(is_partition_, tree_[tree_.child(loop, 1)].local);
    }
    [[nodiscard]] bool is_list(NodeId id) const {
        return tree_.is(id, NodeKind::name) && tree_[id].local != no_node && is_list_[tree_[id].local];
    }
    [[nodiscard]] bool is_member_of_list(NodeId id) const {
        return tree_.is(id, NodeKind::index) && is_list(tree_.object(id));
    }
    [[nodiscard]] bool is_partition(NodeId id) const {
        const bool is_local = tree_.is(id, NodeKind::name) && tree_[id].local != no_node;
        return is_local ? is_partition_[tree_[id].local] : is_member_of_list(id);
    }

    const SyntaxTree& tree_;
    std::vector<bool> is_list_;      ///< by declaration
    std::vector<bool> is_partition_; ///< likewise
    std::set<std::string_view> set_; ///< fields of any table that the source sets
};

/// Whether a function may look at a parameter.
bool may_read(const SyntaxTree& tree, NodeId function, std::size_t parameter) {
    const auto parameters = tree.parameters(function);
    if (parameters.empty()) return false;
    const NodeId own = parameters[std::min(parameter, parameters.size() - 1)];
    if (tree.is(own, NodeKind::dots)) return true;
    return parameter < parameters.size() && !tree.declarations()[tree[own].local].uses.empty();
}

} // namespace

std::span<const std::string_view> partition_field_names() noexcept {
    return model::partition_record_fields;
}

void find_partition_fields(const SyntaxTree& tree, std::vector<ScriptFinding>& findings) {
    PartitionUse(tree).find(findings);
}

bool reads_partitions(std::string_view source) {
    const SyntaxTree tree(source);
    const NodeId submit = tree.find_function(submit_function);
    const NodeId modify = tree.find_function(modify_function);
    return !tree.is_complete() || submit == no_node || may_read(tree, submit, 1) ||
           (modify != no_node && may_read(tree, modify, 2));
}

} // namespace qg::policy::compat
