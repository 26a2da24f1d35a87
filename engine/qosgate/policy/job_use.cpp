// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/job_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/field_use.hpp"
#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/gpu_request.hpp"
#include "qosgate/policy/job_binding.hpp"
#include "qosgate/policy/unknown_name.hpp"
#include "qosgate/policy/writable_env.hpp"
#include "qosgate/policy/wrong_use.hpp"

#include <algorithm>
#include <string_view>
#include <vector>

namespace qg::policy {
namespace {

bool is_job_function(std::string_view name) {
    return std::ranges::find(job_functions(), name) != job_functions().end();
}

/// One use: tokens from the object's name on.
class Use {
  public:
    Use(Tokens tokens, JobName object)
        : tokens_(tokens), is_before_(object == JobName::before), word_(is_before_ ? "before" : "job") {}

    [[nodiscard]] const Token& after(std::size_t ahead) const noexcept { return token_at(tokens_, ahead); }
    [[nodiscard]] Tokens rest(std::size_t ahead) const noexcept { return tokens_from(tokens_, ahead); }

    [[nodiscard]] bool is_call() const { return after(1).is(":") && after(2).is_name(); }
    /// job["NAME"]
    [[nodiscard]] bool is_index() const {
        return after(1).is("[") && after(2).kind == TokenKind::text && after(3).is("]");
    }
    [[nodiscard]] bool names_member() const {
        return (after(1).is(".") && after(2).is_name()) || (is_index() && !after(2).text.empty());
    }
    [[nodiscard]] std::size_t member_length() const { return is_index() ? 4 : 3; }
    [[nodiscard]] bool is_written() const { return after(member_length()).is("="); }

    [[nodiscard]] std::string describe_member(bool has_string_library) const {
        const std::string_view name = after(2).text;
        if (is_job_function(name)) {
            if (is_missing(name)) return describe_read_only(name);
            if (is_index() || !calls_without_job(has_string_library)) return {};
            return text::format("write {}:{}(...), with a colon", word_, name);
        }
        const FieldSpec* field = find_job_field(name);
        if (field == nullptr) return describe_unknown_field(name, word_);
        if (is_written() && (is_before_ || field->write == nullptr))
            return text::format("{}.{} cannot be changed", word_, field->name);
        return {};
    }

    [[nodiscard]] std::string describe_call() const {
        const std::string_view name = after(2).text;
        if (find_job_field(name) != nullptr)
            return text::format("'{}' is a field and no function: write {}.{}", name, word_, name);
        if (!is_job_function(name)) return describe_unknown_function(name);
        if (is_missing(name)) return describe_read_only(name);
        const bool has_bracket = after(3).is("(");
        const Token& argument = after(has_bracket ? 4 : 3);
        const bool is_literal = argument.kind == TokenKind::text && !argument.text.empty();
        if ((name == "is_set" || name == "add") && is_literal && find_job_field(argument.text) == nullptr)
            return describe_unknown_field(argument.text, word_);
        return {};
    }

    [[nodiscard]] std::string_view word() const { return word_; }

  private:
    /// Whether it is a function of `job` that `before` does not have.
    [[nodiscard]] bool is_missing(std::string_view function) const {
        return is_before_ && function != "is_set";
    }

    [[nodiscard]] std::string describe_unknown_function(std::string_view name) const {
        std::vector<std::string> functions;
        for (const std::string_view function : job_functions())
            if (!is_missing(function)) functions.emplace_back(function);
        return text::format("unknown function '{}:{}'{}{}", word_, text::printable(name, 60),
                            text::did_you_mean(name, functions), list_of_names(functions));
    }

    /// Whether the argument of `job.NAME(...)` is certainly not `job`: a literal, a text that a library
    /// makes, a member, or a single name. Another name for `job` itself is not reported.
    [[nodiscard]] bool calls_without_job(bool has_string_library) const {
        if (after(3).kind == TokenKind::text || after(3).is("{")) return true;
        if (!after(3).is("(")) return false;
        const Token& first = after(4);
        if (first.is("(")) return after(5).kind == TokenKind::text;
        if (!first.is_name()) return first.kind != TokenKind::symbol || first.is(")") || first.is("{");
        if (first.is_name("string") && has_string_library) return true;
        const bool is_job = first.text == after(0).text;
        return after(5).is(".") ? is_job : after(5).is(")") && !is_job;
    }

    Tokens tokens_;
    bool is_before_;
    std::string_view word_;
};

/// job.env.NAME = VALUE of a variable that rules may not write. It depends on site.lua, so it is no mistake
/// of the rule's text alone.
UseProblem find_written_variable(const Use& use, const std::string& writable_env) {
    const Use variable(use.rest(use.member_length() - 1), JobName::job);
    if (!variable.names_member() || !variable.is_written()) return {};
    ErrorText error;
    check_variable(writable_env, variable.after(2).text, {}, error);
    return UseProblem::warning(error.c_str());
}

} // namespace

UseProblem find_job_problem(Tokens source, std::size_t at, JobName object, const JobUseFacts& facts) {
    const Use use(tokens_from(source, at), object);
    if (use.is_call()) {
        if (auto unknown = use.describe_call(); !unknown.empty()) return UseProblem::failure(unknown);
        return find_wrong_call(use.rest(2), use.word());
    }
    if (!use.names_member()) return {};
    if (auto unknown = use.describe_member(facts.has_string_library); !unknown.empty())
        return UseProblem::failure(unknown);
    const FieldSpec* field = find_job_field(use.after(2).text);
    if (field == nullptr) return {};
    if (field->type == FieldType::environment && facts.writable_env != nullptr)
        return find_written_variable(use, *facts.writable_env);
    if (field->type == FieldType::gpu) {
        if (auto problem = find_gpu_problem(use.rest(use.member_length() - 1)); !problem.empty())
            return problem;
    }
    if (use.is_written()) {
        // Of several targets the value is another one.
        const bool is_listed = at > 0 && source[at - 1].is(",");
        return is_listed ? UseProblem() : find_wrong_value(*field, use.rest(use.member_length() + 1));
    }
    return find_field_problem(source, at, use.member_length(), *field, facts.text_functions);
}

UseProblem find_gpu_problem(Tokens use) {
    const Token& sign = token_at(use, 1);
    const Token& name = token_at(use, 2);
    if ((!sign.is(".") && !sign.is(":")) || !name.is_name()) return {};
    if (const std::string unknown = describe_unknown_gpu_field(name.text); !unknown.empty())
        return UseProblem::failure(unknown);
    if (sign.is(":"))
        return UseProblem::failure(
            text::format("'{0}' is a field and no function: write job.gpu.{0}", name.text));
    return token_at(use, 3).is("=") ? UseProblem::failure("job.gpu cannot be changed") : UseProblem();
}

} // namespace qg::policy
