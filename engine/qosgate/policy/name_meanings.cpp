// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/name_meanings.hpp"

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/own_functions.hpp"
#include "qosgate/policy/view_use.hpp"
#include "qosgate/policy/wrong_use.hpp"

#include <array>
#include <optional>
#include <utility>

namespace qg::policy {
namespace {

constexpr NameMeaning anything{Meaning::anything};

/// The value of an expression that begins with a name: what it is, and how many tokens it has.
struct Derived {
    NameMeaning value;
    std::size_t length = 1;
};

Derived derive(const NameMeaning& name, Tokens use) {
    const bool has_member = token_at(use, 1).is(".") || token_at(use, 1).is(":") || token_at(use, 1).is("[");
    if (name.meaning == Meaning::view) {
        const ViewUse read = read_view_use(use, name.kind);
        if (read.problem.empty() && read.is_list) return {{Meaning::list}, read.length};
        if (!read.problem.empty() || !read.kind) return {anything, read.length};
        return {{Meaning::view, *read.kind}, read.length};
    }
    if (!has_member) return {name};
    const bool is_field =
        name.meaning == Meaning::job && token_at(use, 1).is(".") && token_at(use, 2).is_name();
    const FieldSpec* const field = is_field ? find_job_field(token_at(use, 2).text) : nullptr;
    if (field == nullptr) return {anything, 3};
    if (field->type == FieldType::gpu) return {{Meaning::gpu}, 3};
    return {is_list(field->type) ? NameMeaning{Meaning::list} : anything, 3};
}

/// A value that goes to a name.
struct Flow {
    std::optional<std::size_t> source; ///< a declaration
    NameMeaning value;                 ///< without a source
    Tokens use;                        ///< of the source
    std::optional<std::size_t> length; ///< of the whole expression; empty: it ends where it can end
    std::size_t target = 0;            ///< a declaration
};

class Finder {
  public:
    Finder(Tokens tokens, const NameScopes& scopes, const CodeFacts& facts,
           std::span<const ParameterName> names)
        : tokens_(tokens), scopes_(scopes), facts_(facts), names_(names), own_(tokens, scopes),
          meanings_(scopes.declarations.size()), from_(scopes.declarations.size()),
          has_values_(scopes.declarations.size()) {}

    std::vector<NameMeaning> run() {
        for (const FunctionScope& function : scopes_.functions)
            add_function(function);
        for (std::size_t i = 0; i < scopes_.declarations.size(); ++i)
            add_value(i);
        for (std::size_t at = 0; at < tokens_.size(); ++at)
            if (const FunctionScope* function = own_.named_at(at)) add_reference(at, *function);
        for (const std::size_t flow : constant_)
            follow(flows_[flow]);
        while (!changed_.empty()) {
            const std::size_t source = changed_.back();
            changed_.pop_back();
            for (const std::size_t flow : from_[source])
                follow(flows_[flow]);
        }
        return std::move(meanings_);
    }

  private:
    void add(Flow flow) {
        if (flow.source)
            from_[*flow.source].push_back(flows_.size());
        else
            constant_.push_back(flows_.size());
        flows_.push_back(flow);
    }
    void give(std::size_t declaration, NameMeaning value) {
        add({.source = {}, .value = value, .use = {}, .length = {}, .target = declaration});
    }
    /// An expression that begins at a token: the value of `declaration` as far as it is known.
    void give_expression(std::size_t declaration, std::size_t at, std::optional<std::size_t> length) {
        const TokenScope& first = scopes_.tokens[at];
        if (first.declaration)
            return add({.source = first.declaration,
                        .value = {},
                        .use = tokens_from(tokens_, at),
                        .length = length,
                        .target = declaration});
        give(declaration, required_module(at, length));
    }

    /// What require("NAME") gives.
    [[nodiscard]] NameMeaning required_module(std::size_t at, std::optional<std::size_t> length) const {
        if (facts_.modules == nullptr || !token_at(tokens_, at).is_name("require")) return anything;
        const auto call = read_arguments(tokens_from(tokens_, at + 1));
        const Token* name = literal_argument(tokens_from(tokens_, at + 1));
        if (!call || name == nullptr) return anything;
        const std::size_t end = call->length + 1;
        if (length ? *length != end : !ends_expression(token_at(tokens_, at + end))) return anything;
        const auto found = facts_.modules->find(name->text);
        if (found == facts_.modules->end()) return anything;
        return {.meaning = Meaning::module, .module = &*found};
    }

    void add_function(const FunctionScope& function) {
        if (!function.rule_key.empty()) return give_arguments(function, function.rule_key);
        const bool is_followed = own_.follows(function);
        for (const std::size_t parameter : function.parameters)
            has_values_[parameter] = is_followed;
        for (const std::size_t parameter : function.parameters)
            if (const Meaning known = meaning_by_name(parameter); known != Meaning::unset) {
                give(parameter, {known});
                has_values_[parameter] = true;
            }
    }

    [[nodiscard]] Meaning meaning_by_name(std::size_t parameter) const {
        for (const ParameterName& known : names_)
            if (scopes_.declarations[parameter].name == known.name) return known.meaning;
        return Meaning::unset;
    }

    void give_arguments(const FunctionScope& function, std::string_view rule_key) {
        const auto known = arguments_of(rule_key);
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            give(function.parameters[i], {i < known.size() ? known[i] : Meaning::anything});
            has_values_[function.parameters[i]] = true;
        }
    }

    /// `local NAME = VALUE`; all names whose values come from elsewhere, such as those of a loop, are
    /// anything.
    void add_value(std::size_t index) {
        const Declaration& declaration = scopes_.declarations[index];
        if (declaration.is_assigned) return give(index, anything);
        if (!declaration.is_single) {
            if (!has_values_[index]) give(index, anything);
            return;
        }
        const std::size_t sign = declaration.at + (token_at(tokens_, declaration.at + 1).is("<") ? 4 : 1);
        const std::size_t value = sign + 1;
        // In a guarded place names may be missing, and the use of what they give may be guarded elsewhere.
        if (!token_at(tokens_, value).is_name() || scopes_.tokens[value].is_guarded)
            return give(index, anything);
        give_expression(index, value, std::nullopt);
    }

    void add_reference(std::size_t at, const FunctionScope& function) {
        const TokenScope& here = scopes_.tokens[at];
        if (!here.rule_key.empty()) return give_arguments(function, here.rule_key);
        const auto call = read_arguments(tokens_from(tokens_, at + 1));
        for (std::size_t i = 0; i < function.parameters.size(); ++i) {
            const std::size_t parameter = function.parameters[i];
            if (meaning_by_name(parameter) != Meaning::unset) continue;
            if (!call || here.is_guarded || i >= call->all.size() || !call->all[i][0].is_name())
                give(parameter, anything);
            else
                give_expression(parameter, static_cast<std::size_t>(call->all[i].data() - tokens_.data()),
                                call->all[i].size());
        }
    }

    void follow(const Flow& flow) {
        NameMeaning value = flow.value;
        if (flow.source) {
            value = meanings_[*flow.source];
            if (value.meaning == Meaning::unset) return;
            const Derived derived = derive(value, flow.use);
            const bool is_whole = flow.length ? derived.length == *flow.length
                                              : ends_expression(token_at(flow.use, derived.length));
            value = is_whole ? derived.value : anything;
        }
        NameMeaning& target = meanings_[flow.target];
        const NameMeaning joined = target.meaning == Meaning::unset || target == value ? value : anything;
        if (joined == target) return;
        target = joined;
        changed_.push_back(flow.target);
    }

    const Tokens tokens_;
    const NameScopes& scopes_;
    const CodeFacts& facts_;
    const std::span<const ParameterName> names_;
    const OwnFunctions own_;
    std::vector<NameMeaning> meanings_;
    std::vector<Flow> flows_;
    std::vector<std::size_t> constant_;          ///< flows without a source
    std::vector<std::vector<std::size_t>> from_; ///< the flows of each declaration
    std::vector<bool> has_values_;               ///< whether all values of a declaration are followed
    std::vector<std::size_t> changed_;           ///< declarations whose flows must be followed again
};

constexpr std::array module_names{ParameterName{"job", Meaning::job},
                                  ParameterName{"before", Meaning::before},
                                  ParameterName{"view", Meaning::view}};

} // namespace

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
    switch (meaning) {
    case Meaning::job: return "job";
    case Meaning::before: return "before";
    case Meaning::options: return "options";
    case Meaning::view: return "view";
    case Meaning::gpu: return "job.gpu";
    case Meaning::list: return "a list";
    case Meaning::module: return "a module";
    case Meaning::unset:
    case Meaning::anything: break;
    }
    return {};
}

std::vector<NameMeaning> find_meanings(std::span<const Token> tokens, const NameScopes& scopes,
                                       const CodeFacts& facts) {
    const std::span<const ParameterName> none;
    return find_meanings(tokens, scopes, facts, facts.kind == CodeKind::module ? module_names : none);
}

std::vector<NameMeaning> find_meanings(std::span<const Token> tokens, const NameScopes& scopes,
                                       const CodeFacts& facts, std::span<const ParameterName> names) {
    return Finder(tokens, scopes, facts, names).run();
}

} // namespace qg::policy
