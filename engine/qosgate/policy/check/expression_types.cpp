// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/expression_types.hpp"

#include "qosgate/policy/check/use_problems.hpp"
#include "qosgate/policy/run/rule_keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>

namespace qg::policy {
namespace {

constexpr ExpressionType anything{.meaning = Meaning::anything};

/// What rules call the arguments of their functions.
constexpr ParameterName words[] = {{"job", Meaning::job},
                                   {"before", Meaning::before},
                                   {"view", Meaning::view},
                                   {"options", Meaning::options}};

ExpressionType type_of_field(const FieldSpec& field) {
    if (field.type == FieldType::gpu) return {.meaning = Meaning::gpu, .field = &field};
    return {.meaning = is_list(field.type) ? Meaning::list : Meaning::field, .field = &field};
}

template <typename Member>
ExpressionType type_of_view(const Member& member) {
    if (is_list(member.type)) return {.meaning = Meaning::list};
    return member.type == ViewType::object ? ExpressionType{.meaning = Meaning::view, .kind = member.kind}
                                           : anything;
}

ExpressionType type_of_member(const ExpressionType& object, std::string_view name) {
    if (object.meaning == Meaning::job || object.meaning == Meaning::before) {
        const FieldSpec* field = find_job_field(name);
        return field == nullptr ? anything : type_of_field(*field);
    }
    if (object.meaning != Meaning::view || object.kind == ViewKind::tres) return anything;
    if (const ViewField* field = find_view_field(object.kind, name)) return type_of_view(*field);
    const ViewFunction* function = find_view_function(object.kind, name);
    return function == nullptr ? anything
                               : ExpressionType{.meaning = Meaning::view_function, .function = function};
}

} // namespace

class TypeFinder {
  public:
    TypeFinder(ExpressionTypes& found, const CodeFacts& facts, const KnownParameters& known)
        : found_(found), tree_(found.tree_), facts_(facts), known_(known), target_(tree_.size(), no_node),
          locals_(tree_.declarations().size()), has_values_(tree_.declarations().size()) {
        found_.types_.resize(tree_.size());
        found_.is_guarded_.resize(tree_.size());
        for (const auto& [function, key] : known.functions)
            found_.keys_[function] = key;
    }

    void run() {
        note_guarded();
        add_functions();
        for (std::uint32_t local = 0; local < locals_.size(); ++local)
            add_value(local);
        for (NodeId id = 0; id < tree_.size(); ++id)
            set(id, find_type(id));
        while (!changed_.empty()) {
            const NodeId id = changed_.back();
            changed_.pop_back();
            if (target_[id] != no_node) give(target_[id], found_.types_[id]);
            const NodeId parent = tree_.parent(id);
            if (parent != no_node && tree_[id].place == 0) set(parent, find_type(parent));
        }
    }

  private:
    using Local = std::uint32_t; ///< a Declaration

    // ---- functions ---------------------------------------------------------------------------------------

    /// Marks functions that pcall gets, and then all that is in them.
    void note_guarded() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            const NodeId called = tree_.is(id, NodeKind::call) ? tree_.object(id) : no_node;
            const NodeId tried = tree_.child(id, 1);
            if (!tree_.is(called, NodeKind::name) || tree_.text(called) != "pcall" || tried == no_node)
                continue;
            const NodeId function = tree_.is(tried, NodeKind::name) ? bound_to(tried) : tried;
            if (tree_.is(function, NodeKind::function)) found_.is_guarded_[function] = true;
        }
        for (NodeId id = tree_.size(); id-- > 0;) {
            const NodeId function = tree_[id].function;
            if (function != no_node && found_.is_guarded_[function]) found_.is_guarded_[id] = true;
        }
    }
    [[nodiscard]] NodeId bound_to(NodeId name) const {
        return tree_[name].local == no_node ? no_node : tree_.declarations()[tree_[name].local].value;
    }

    void add_functions() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (!tree_.is(id, NodeKind::function)) continue;
            if (const std::string_view key = rule_key(tree_, id); !key.empty()) found_.keys_[id] = key;
            if (const auto key = found_.keys_.find(id); key != found_.keys_.end())
                give_arguments(id, key->second);
            else
                give_names(id);
        }
        const auto globals = tree_.global_values();
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (!tree_.is_global(id) || tree_.is_target(id)) continue;
            if (const auto bound = globals.find(tree_.text(id)); bound != globals.end())
                uses_[bound->second].push_back(id);
        }
        for (const auto& [name, function] : globals)
            follow(function, uses_[function]);
        for (const Declaration& local : tree_.declarations())
            if (!local.is_assigned) follow(local.value, local.uses);
    }

    /// A function, and all uses of the name that it has.
    void follow(NodeId function, const std::vector<NodeId>& uses) {
        if (!tree_.is(function, NodeKind::function) || has_arguments(function)) return;
        for (const NodeId parameter : tree_.parameters(function))
            if (tree_[parameter].local != no_node) has_values_[tree_[parameter].local] = true;
        for (const NodeId use : uses)
            add_reference(use, function);
    }
    /// Whether it is known what calls it.
    [[nodiscard]] bool has_arguments(NodeId function) const {
        return !rule_key(tree_, function).empty() ||
               std::ranges::find(known_.functions, function, &std::pair<NodeId, std::string_view>::first) !=
                   known_.functions.end();
    }

    void add_reference(NodeId use, NodeId function) {
        if (const std::string_view key = rule_key(tree_, use); !key.empty()) {
            const auto [place, is_new] = found_.keys_.emplace(function, key);
            if (!is_new && place->second != key) place->second = {};
            return give_arguments(function, key);
        }
        const bool is_followed = tree_.is_called(use) && !found_.is_guarded_[use];
        const auto given = is_followed ? tree_.arguments(tree_.parent(use)) : std::span<const NodeId>();
        for (const NodeId parameter : tree_.parameters(function)) {
            const Local local = tree_[parameter].local;
            if (local == no_node || meaning_by_name(local) != Meaning::unset) continue;
            if (tree_[parameter].place < given.size())
                target_[given[tree_[parameter].place]] = local;
            else
                give(local, anything);
        }
    }

    void give_arguments(NodeId function, std::string_view key) {
        const auto known = arguments_of(key);
        for (const NodeId parameter : tree_.parameters(function)) {
            if (tree_[parameter].local == no_node) continue;
            const std::size_t place = tree_[parameter].place;
            give(tree_[parameter].local,
                 {.meaning = place < known.size() ? known[place] : Meaning::anything});
            has_values_[tree_[parameter].local] = true;
        }
    }
    void give_names(NodeId function) {
        for (const NodeId parameter : tree_.parameters(function)) {
            const Local local = tree_[parameter].local;
            const Meaning known = local == no_node ? Meaning::unset : meaning_by_name(local);
            if (known == Meaning::unset) continue;
            give(local, {.meaning = known});
            has_values_[local] = true;
        }
    }
    [[nodiscard]] Meaning meaning_by_name(Local local) const {
        const auto known =
            std::ranges::find(known_.names, tree_.declarations()[local].name, &ParameterName::name);
        return known == known_.names.end() ? Meaning::unset : known->meaning;
    }

    // ---- values ------------------------------------------------------------------------------------------

    /// Names whose values come from elsewhere, such as those of a loop, are anything.
    void add_value(Local local) {
        const Declaration& declaration = tree_.declarations()[local];
        // Of several names it is not certain which values they get.
        const bool is_single = tree_[tree_.parent(declaration.node)].split == 1;
        const NodeId value = is_single ? declaration.value : no_node;
        // In a guarded place names may be missing, and the use of what they give may be guarded elsewhere.
        if (declaration.is_assigned || (value != no_node && found_.is_guarded_[value]))
            give(local, anything);
        else if (value != no_node)
            target_[value] = local;
        else if (!has_values_[local])
            give(local, anything);
    }

    void give(Local local, ExpressionType value) {
        ExpressionType& own = locals_[local];
        if (value.meaning == Meaning::unset || own == value) return;
        // A function of view is known only where it is called.
        const bool is_new = own.meaning == Meaning::unset && value.meaning != Meaning::view_function;
        own = is_new ? value : anything;
        for (const NodeId use : tree_.declarations()[local].uses)
            set(use, own);
    }

    void set(NodeId id, const ExpressionType& type) {
        if (found_.types_[id] == type) return;
        found_.types_[id] = type;
        changed_.push_back(id);
    }

    [[nodiscard]] ExpressionType find_type(NodeId id) const {
        const NodeKind kind = tree_.kind(id);
        if (kind == NodeKind::name) return tree_[id].local == no_node ? anything : locals_[tree_[id].local];
        if (kind == NodeKind::group) return found_.types_[tree_.child(id, 0)];
        const NodeId front = tree_.object(id);
        if (front == no_node) return anything;
        if (kind == NodeKind::call && tree_.is_global(front, "require")) return required_module(id);
        const ExpressionType& object = found_.types_[front];
        if (!object.is_known()) return object;
        if (kind == NodeKind::index) return type_of_member(object, tree_.member(id));
        const ViewFunction* function = find_called_function(found_, id);
        const bool is_right = function != nullptr && find_view_call_problem(found_, id).empty();
        return is_right ? type_of_view(*function) : anything;
    }

    /// What require("NAME") gives.
    [[nodiscard]] ExpressionType required_module(NodeId call) const {
        if (facts_.modules == nullptr) return anything;
        const auto found = facts_.modules->find(tree_.only_text(call));
        if (found == facts_.modules->end()) return anything;
        return {.meaning = Meaning::module, .module = &*found};
    }

    ExpressionTypes& found_;
    const SyntaxTree& tree_;
    const CodeFacts& facts_;
    const KnownParameters& known_;
    std::vector<Local> target_;          ///< the local that gets the value of a node; no_node: none
    std::vector<ExpressionType> locals_; ///< by declaration
    std::vector<bool> has_values_;       ///< whether all values of a declaration are followed
    std::unordered_map<NodeId, std::vector<NodeId>> uses_; ///< of global functions
    std::vector<NodeId> changed_;                          ///< nodes whose parents must be looked at again
};

ExpressionTypes::ExpressionTypes(const SyntaxTree& tree, const CodeFacts& facts)
    : ExpressionTypes(tree, facts,
                      facts.kind == CodeKind::module
                          ? KnownParameters{.names = {words, words + 3}, .functions = {}} // without options
                          : KnownParameters()) {}

ExpressionTypes::ExpressionTypes(const SyntaxTree& tree, const CodeFacts& facts, const KnownParameters& known)
    : tree_(tree) {
    TypeFinder(*this, facts, known).run();
}

std::string_view ExpressionTypes::key_of(NodeId function) const {
    const auto found = keys_.find(function);
    return found == keys_.end() ? std::string_view() : found->second;
}

std::string_view rule_key(const SyntaxTree& tree, NodeId value) noexcept {
    const NodeId entry = tree.parent(value);
    if (!tree.is(entry, NodeKind::entry) || tree[value].place != 1) return {};
    const NodeId call = tree.parent(tree.parent(entry));
    const std::string_view key = tree.key(entry);
    const bool is_rule = tree.is(call, NodeKind::call) && tree.is_global(tree.object(call), "rule");
    return is_rule && is_function_key(key) ? key : std::string_view();
}

std::span<const Meaning> arguments_of(std::string_view rule_key) noexcept {
    static constexpr std::array submit{Meaning::job, Meaning::view};
    static constexpr std::array modify{Meaning::job, Meaning::before, Meaning::view};
    static constexpr std::array client{Meaning::options, Meaning::view};
    if (rule_key == "modify") return modify;
    if (rule_key == "client") return client;
    if (rule_key == "slurm_job_submit") return std::span(modify).first(1);
    if (rule_key == "slurm_job_modify") return std::span(modify).first(2);
    return submit;
}

std::string_view word_for(Meaning meaning) noexcept {
    const auto* found = std::ranges::find(words, meaning, &ParameterName::meaning);
    return found == std::end(words) ? std::string_view() : found->name;
}

} // namespace qg::policy
