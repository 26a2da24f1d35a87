// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/use_problems.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::policy {
namespace {

/// The mistake in one entry of a filter: KEY = VALUE.
std::string describe_wrong_entry(const SyntaxTree& tree, std::string_view name, NodeId value) {
    const auto* const found = std::ranges::find(job_filter_keys, name, &JobFilterKey::name);
    if (found == std::end(job_filter_keys)) {
        std::vector<std::string> known;
        for (const JobFilterKey& row : job_filter_keys)
            known.emplace_back(row.name);
        return text::format("view.jobs has no key '{}'{}{}", text::printable(name, 60),
                            text::did_you_mean(name, known), list_of_names(known));
    }
    const LiteralType type = literal_type(tree, value);
    if (type == LiteralType::unknown || type == LiteralType::nothing) return {};
    if (type != LiteralType::text || is_empty_text(tree, value))
        return text::format("view.jobs: {} is a text that is not empty", name);
    const std::string_view written = literal_text(tree, value);
    const bool is_right = found->values.empty() || written.empty() ||
                          std::ranges::find(found->values, written) != found->values.end();
    return is_right ? std::string() : describe_wrong_state(written);
}

/// The first mistake in a filter; empty: there is none, or it is not a table that is written there.
std::string describe_wrong_filter(const SyntaxTree& tree, NodeId filter) {
    if (!tree.is(filter, NodeKind::table)) return {};
    for (const NodeId entry : tree.children(filter)) {
        if (tree.key(entry).empty()) continue;
        std::string problem = describe_wrong_entry(tree, tree.key(entry), tree.child(entry, 1));
        if (!problem.empty()) return problem;
    }
    return {};
}

std::string describe_taken(const ViewFunction& function) {
    const auto taken = [&]() -> std::string_view {
        switch (function.how) {
        case ViewCall::with_name: return "one text";
        case ViewCall::with_nothing:
        case ViewCall::on_itself: break;
        case ViewCall::with_job: return "the rule's job";
        case ViewCall::with_filter: return "one table";
        }
        return "no arguments";
    };
    return text::format("write {}: it takes {}", function.usage, taken());
}

/// Whether a function certainly fails with these arguments.
bool fails_with(const ViewFunction& function, const WrittenArguments& given) {
    const bool takes_nothing = function.how == ViewCall::with_nothing || function.how == ViewCall::on_itself;
    const std::size_t count = takes_nothing ? 0 : 1;
    if (given.has_fewer_than(count) || given.has_more_than(count)) return true;
    const LiteralType type = given.type(0);
    if (takes_nothing || type == LiteralType::unknown) return false;
    if (function.how == ViewCall::with_name) return type != LiteralType::text;
    return function.how == ViewCall::with_job || type != LiteralType::table;
}

/// Whether it is called with a colon.
bool has_colon(const ViewFunction& function) noexcept {
    return function.how == ViewCall::on_itself || function.how == ViewCall::with_job;
}

} // namespace

const ViewFunction* find_called_function(const ExpressionTypes& types, NodeId call) noexcept {
    const ExpressionType& object = types[types.tree().object(call)];
    if (types.tree().is(call, NodeKind::call)) return object.function;
    const bool is_method = types.tree().is(call, NodeKind::method) && object.meaning == Meaning::view;
    return is_method ? find_view_function(object.kind, types.tree().member(call)) : nullptr;
}

UseProblem find_view_call_problem(const ExpressionTypes& types, NodeId call) {
    const SyntaxTree& tree = types.tree();
    const ViewFunction& function = *find_called_function(types, call);
    if (has_colon(function) != tree.is(call, NodeKind::method))
        return UseProblem::failure(
            text::format("write {}, with a {}", function.usage, has_colon(function) ? "colon" : "dot"));
    const WrittenArguments given(tree, call);
    if (fails_with(function, given)) return UseProblem::failure(describe_taken(function));
    const bool has_filter = function.how == ViewCall::with_filter && !given.all.empty();
    return UseProblem::failure(has_filter ? describe_wrong_filter(tree, given.all[0]) : std::string());
}

UseProblem find_view_problem(const ExpressionTypes& types, NodeId use) {
    const SyntaxTree& tree = types.tree();
    const ExpressionType& object = types[tree.object(use)];
    const std::string_view name = tree.member(use);
    if (const ViewFunction* function = find_called_function(types, use)) {
        if (auto problem = find_view_call_problem(types, use); !problem.empty()) return problem;
        if (function->how != ViewCall::with_job || tree.arguments(use).empty()) return {};
        const ExpressionType& job = types[tree.arguments(use)[0]];
        return UseProblem::failure(job.is_known() && job.meaning != Meaning::job ? describe_taken(*function)
                                                                                 : std::string());
    }
    if (object.function != nullptr)
        return UseProblem::failure(
            text::format("{} is a function: write {}", object.function->name, object.function->usage));
    if (name.empty() || object.kind == ViewKind::tres) return {}; // its names are those of the cluster
    const ViewField* field = find_view_field(object.kind, name);
    if (field == nullptr && find_view_function(object.kind, name) == nullptr)
        return UseProblem::failure(describe_unknown_view_field(object.kind, name));
    if (tree.is_target(use)) return UseProblem::failure("view cannot be changed");
    const bool is_called = tree.is(use, NodeKind::method) || tree.is_called(use);
    if (field == nullptr || !is_called) return {};
    return UseProblem::failure(text::format("'{}' is a field and no function: write {}.{}", field->name,
                                            name_of(object.kind), field->name));
}

} // namespace qg::policy
