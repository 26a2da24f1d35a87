// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/field_dependencies.hpp"

#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/check/syntax_tree.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// Where the code of a function begins.
struct CodePlace {
    std::string_view file;
    int line = 0;
};

CodePlace place_of(lua_State* lua, int function) {
    lua_Debug facts{};
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    lua_getinfo(lua, ">S", &facts); // raises no error, and allocates nothing
    return {std::string_view(facts.source).substr(1), facts.linedefined};
}

/// One file, and what was found out about its locals.
struct SearchedFile {
    SearchedFile(std::string_view its_name, std::string_view text) : name(its_name), tree(text) {}

    using Members = std::unordered_map<std::string_view, NodeId>; ///< functions; no_node: another value

    std::string_view name;
    SyntaxTree tree;
    std::map<std::uint32_t, std::optional<Members>> tables =
        {};                                              ///< of local TABLE = {}; empty: it is another
    std::map<std::uint32_t, SearchedFile*> modules = {}; ///< of require("NAME"); null: it is another
};

struct FunctionPlace {
    SearchedFile* file = nullptr;
    NodeId function = no_node;
};

class Search {
  public:
    explicit Search(const StateSources& sources) : sources_(sources) {}

    model::UpdateParts run(CodePlace function, std::size_t objects) {
        SearchedFile* const file = open(function.file);
        if (file == nullptr || !file->tree.is_complete()) return model::UpdateParts::all();
        bool is_found = false;
        for (NodeId id = 0; id < file->tree.size(); ++id) {
            if (!file->tree.is(id, NodeKind::function) || file->tree.line(id) != function.line) continue;
            is_found = true;
            for (std::size_t place = 0; place < objects; ++place)
                follow({file, id}, place);
        }
        if (!is_found) doubt();
        while (!open_.empty() && !is_in_doubt_) {
            const auto [of, local] = open_.back();
            open_.pop_back();
            for (const NodeId use : of->tree.declarations()[local].uses)
                note_use(*of, use);
        }
        return is_in_doubt_ ? model::UpdateParts::all() : parts_;
    }

  private:
    void doubt() noexcept { is_in_doubt_ = true; }

    /// The file of this name, or of the module that is required with it; null: there is none.
    SearchedFile* open(std::string_view name) {
        for (const SourceFile* rule : sources_.rules)
            if (rule->name == name) return open(rule->name, rule->text);
        for (const Module& module : sources_.modules)
            if (module.file == name || module.name == name) return open(module.file, module.text);
        return nullptr;
    }
    SearchedFile* open(std::string_view file, std::string_view text) {
        const auto known = std::ranges::find(files_, file, &SearchedFile::name);
        return known != files_.end() ? &*known : &files_.emplace_back(file, text);
    }

    // ---- uses of the job ---------------------------------------------------------------------------------

    void note_field(std::string_view name) {
        const FieldSpec* const field = find_job_field(name);
        if (field == nullptr) return doubt();
        if (field->part) parts_.add(*field->part);
    }

    void note_use(SearchedFile& file, NodeId job) {
        const SyntaxTree& tree = file.tree;
        const NodeId use = tree.parent(job);
        const bool is_object = tree[job].place == 0;
        if (is_object && tree.is(use, NodeKind::index)) {
            const bool is_written = tree.is_target(use) && !tree.member(use).empty();
            return is_written ? void() : note_field(tree.member(use));
        }
        if (is_object && tree.is(use, NodeKind::method)) {
            const std::string_view function = tree.member(use);
            if (function != "is_set" && function != "add") return; // the others tell something
            const NodeId field = tree.child(use, 1);
            return tree.is(field, NodeKind::text) ? note_field(tree.text(field)) : doubt();
        }
        if (!is_object && tree.is(use, NodeKind::call)) return note_argument(file, use, tree[job].place - 1);
        doubt();
    }

    /// The job as an argument of a call, behind arguments that are no functions.
    void note_argument(SearchedFile& file, NodeId call, std::size_t place) {
        const auto is_function = [&](NodeId id) { return file.tree.is(id, NodeKind::function); };
        const auto called = find_called(file, file.tree.object(call));
        if (!called || std::ranges::any_of(file.tree.arguments(call).first(place), is_function))
            return doubt();
        follow(*called, place);
    }

    /// The job is given to a parameter.
    void follow(FunctionPlace called, std::size_t place) {
        const SyntaxTree& tree = called.file->tree;
        const auto parameters = tree.parameters(called.function);
        const bool is_behind = place >= parameters.size();
        if (parameters.empty() || (is_behind && !tree.is(parameters.back(), NodeKind::dots))) return;
        const NodeId parameter = is_behind ? parameters.back() : parameters[place];
        if (tree.is(parameter, NodeKind::dots) || tree.text(parameter) == "_ENV") return doubt();
        if (followed_.emplace(called.file, tree[parameter].local).second)
            open_.emplace_back(called.file, tree[parameter].local);
    }

    // ---- functions ---------------------------------------------------------------------------------------

    /// The function that is certainly called: local function NAME, or function TABLE.NAME.
    std::optional<FunctionPlace> find_called(SearchedFile& file, NodeId callee) {
        const SyntaxTree& tree = file.tree;
        if (tree.is(callee, NodeKind::name) && tree[callee].local != no_node) {
            const Declaration& local = tree.declarations()[tree[callee].local];
            const bool is_certain = tree.is(local.value, NodeKind::function) && !local.is_assigned &&
                                    tree.tokens()[tree[local.value].begin - 1].is("local");
            return is_certain ? std::optional(FunctionPlace{&file, local.value}) : std::nullopt;
        }
        const NodeId table = tree.is_dotted(callee) ? tree.object(callee) : no_node;
        if (!tree.is(table, NodeKind::name) || tree[table].local == no_node) return std::nullopt;
        if (SearchedFile* const module = find_module(file, tree[table].local))
            return find_member(*module, returned_by(module->tree), tree.member(callee));
        return find_member(file, tree[table].local, tree.member(callee));
    }

    /// The local that a module returns; no_node: it is something else.
    static std::uint32_t returned_by(const SyntaxTree& tree) {
        const auto statements = tree.children(tree.size() - 1);
        const NodeId last = statements.empty() ? no_node : statements.back();
        const bool is_single = tree.is(last, NodeKind::return_statement) && tree[last].count == 1;
        const NodeId value = is_single ? tree.child(last, 0) : no_node;
        return tree.is(value, NodeKind::name) ? tree[value].local : no_node;
    }

    /// Whether all uses of a local are TABLE.NAME, but for the `return` of the file.
    static bool is_constant(const SyntaxTree& tree, const Declaration& local) {
        return std::ranges::all_of(local.uses, [&](NodeId use) {
            const NodeId parent = tree.parent(use);
            const bool is_object = tree[use].place == 0 && tree.is_dotted(parent);
            return is_object ||
                   (tree.is(parent, NodeKind::return_statement) && tree[parent].function == no_node);
        });
    }

    /// local NAME = require("NAME"); null: it is something else.
    SearchedFile* find_module(SearchedFile& file, std::uint32_t local) {
        const auto [known, is_new] = file.modules.try_emplace(local);
        if (!is_new) return known->second;
        const SyntaxTree& tree = file.tree;
        const NodeId call = tree.declarations()[local].value;
        const bool is_required =
            tree.is(call, NodeKind::call) && tree.is_global(tree.object(call), "require");
        if (is_required && is_constant(tree, tree.declarations()[local]))
            known->second = open(tree.only_text(call));
        return known->second;
    }

    /// The only function TABLE.NAME of a local TABLE = {}, if no other value is ever given to it.
    static std::optional<FunctionPlace> find_member(SearchedFile& file, std::uint32_t local,
                                                    std::string_view name) {
        if (local == no_node) return std::nullopt;
        const auto [known, is_new] = file.tables.try_emplace(local);
        if (is_new) known->second = find_members(file.tree, file.tree.declarations()[local]);
        if (!known->second) return std::nullopt;
        const auto found = known->second->find(name);
        if (found == known->second->end() || found->second == no_node) return std::nullopt;
        return FunctionPlace{&file, found->second};
    }
    static std::optional<SearchedFile::Members> find_members(const SyntaxTree& tree,
                                                             const Declaration& table) {
        const bool is_empty = tree.is(table.value, NodeKind::table) && tree[table.value].count == 0;
        if (!is_empty || !is_constant(tree, table)) return std::nullopt;
        SearchedFile::Members members;
        for (const NodeId use : table.uses) {
            const NodeId member = tree.parent(use);
            if (!tree.is_dotted(member) || !tree.is_target(member)) continue;
            const bool is_declared = tree.text(tree.parent(member)) == "function";
            const auto [known, is_new] =
                members.try_emplace(tree.member(member), is_declared ? tree.value_of(member) : no_node);
            if (!is_new) known->second = no_node;
        }
        return members;
    }

    const StateSources& sources_;
    std::deque<SearchedFile> files_;                             // their addresses stay
    std::set<std::pair<SearchedFile*, std::uint32_t>> followed_; ///< locals that are the job
    std::vector<std::pair<SearchedFile*, std::uint32_t>> open_;  ///< those whose uses are to be looked at
    model::UpdateParts parts_{model::UpdatePart::limits};
    bool is_in_doubt_ = false;
};

model::UpdateParts find_looked_at(const StateSources& sources, lua_State* lua,
                                  const RuleFunctions& functions) {
    return Search(sources).run(place_of(lua, functions.at(JobEvent::modify)),
                               functions.runs_modify_at(JobEvent::modify) ? 2 : 1);
}

} // namespace

void note_field_dependencies(CompiledRules& compiled, const StateSources& sources) {
    for (std::size_t i = 0; i < compiled.rules.size(); ++i)
        if (compiled.rules[i].runs_at_change)
            compiled.rules[i].looks_at =
                find_looked_at(sources, compiled.state->raw(), compiled.functions[i]);
}

// ---- whether functions keep something ------------------------------------------------------------------

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
