// SPDX-License-Identifier: GPL-2.0-or-later
//
// expression_types: which expressions of a source certainly are `job`, `before`, `options`, `view`, an object
// or a value that these give, or a module. Such values come from the arguments of a rule's functions and from
// require("NAME"). They are followed through `local j = job` and through calls of the source's own functions:
// `local function NAME`, `local NAME = function`, and, if the source gives the global one value only,
// `function NAME` and `NAME = function`. A function that is also called with other values, or inside
// pcall(function ...), or that is given away as a value, has arguments that are not known; so has one that is
// never called.
#pragma once

#include "qosgate/policy/check/name_check.hpp"
#include "qosgate/policy/check/syntax_tree.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/objects/view_table.hpp"

#include <cstdint>
#include <span>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qg::policy {

enum class Meaning : std::uint8_t {
    unset, ///< nothing gives it a value
    anything,
    job,
    before,
    options,
    view,          ///< or an object that it gives
    view_function, ///< view.qos, without its arguments
    gpu,           ///< job.gpu
    list,          ///< that job or view gives
    field,         ///< another value of a field of the job
    module,
};

struct ExpressionType {
    Meaning meaning = Meaning::unset;
    ViewKind kind = ViewKind::view;         ///< of `view`
    const ViewFunction* function = nullptr; ///< of `view_function`
    const FieldSpec* field = nullptr;       ///< of `gpu`, `list` and `field`, if the job gives it
    const std::pair<const std::string, ModuleMembers>* module = nullptr; ///< its name and members

    [[nodiscard]] bool is_known() const noexcept { return meaning > Meaning::anything; }
    friend bool operator==(const ExpressionType&, const ExpressionType&) = default;
};

/// The key behind which a value stands in rule { ... }, if it is a function's; empty: it does not.
std::string_view rule_key(const SyntaxTree& tree, NodeId value) noexcept;

/// The arguments of a rule's function behind this key, in order; also those of the functions of a script for
/// job_submit/lua, as far as they have a meaning.
std::span<const Meaning> arguments_of(std::string_view rule_key) noexcept;

/// The name by which rules call such an argument.
std::string_view word_for(Meaning meaning) noexcept;

/// Whether a value of this type is a list.
constexpr bool is_list(FieldType type) noexcept {
    return type == FieldType::gpu_list || type == FieldType::arguments || type == FieldType::feature_names ||
           type == FieldType::script_options;
}

/// A parameter with this name is that object, whoever calls its function.
struct ParameterName {
    std::string_view name;
    Meaning meaning;
};

/// What is known of a source besides its tree.
struct KnownParameters {
    std::vector<ParameterName> names;
    std::vector<std::pair<NodeId, std::string_view>> functions; ///< and the keys of their arguments
};

/// Ownership: borrows the tree. Cost: linear to make, then constant. Threads: immutable.
class ExpressionTypes {
  public:
    ExpressionTypes(const SyntaxTree& tree, const CodeFacts& facts);
    ExpressionTypes(const SyntaxTree& tree, const CodeFacts& facts, const KnownParameters& known);

    [[nodiscard]] const SyntaxTree& tree() const noexcept { return tree_; }
    [[nodiscard]] const ExpressionType& operator[](NodeId id) const noexcept { return types_[id]; }
    [[nodiscard]] Meaning meaning(NodeId id) const noexcept { return types_[id].meaning; }
    /// Whether it stands inside pcall(function ... end), or in a function that pcall gets.
    [[nodiscard]] bool is_guarded(NodeId id) const { return is_guarded_[id]; }
    /// The key of the rule whose function this is; empty: it is none, or the function of several.
    [[nodiscard]] std::string_view key_of(NodeId function) const;

  private:
    friend class TypeFinder;

    const SyntaxTree& tree_;
    std::vector<ExpressionType> types_; ///< by node
    std::vector<bool> is_guarded_;      ///< by node
    std::unordered_map<NodeId, std::string_view> keys_;
};

} // namespace qg::policy
