// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/job_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/fields.hpp"
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
    Use(std::span<const Token> tokens, JobName object)
        : tokens_(tokens), is_before_(object == JobName::before), word_(is_before_ ? "before" : "job") {}

    [[nodiscard]] const Token& after(std::size_t ahead) const noexcept {
        return tokens_[std::min(ahead, tokens_.size() - 1)]; // the last one is the end
    }
    [[nodiscard]] std::span<const Token> rest(std::size_t ahead) const noexcept {
        return tokens_.subspan(std::min(ahead, tokens_.size() - 1));
    }

    [[nodiscard]] bool is_call() const { return after(1).is(":") && after(2).is_name(); }
    /// job["NAME"]
    [[nodiscard]] bool is_index() const {
        return after(1).is("[") && after(2).kind == TokenKind::text && after(3).is("]");
    }
    [[nodiscard]] bool names_member() const {
        return (after(1).is(".") && after(2).is_name()) || (is_index() && !after(2).text.empty());
    }
    [[nodiscard]] bool is_written() const { return after(is_index() ? 4 : 3).is("="); }
    [[nodiscard]] std::span<const Token> written_value() const { return rest(is_index() ? 5 : 4); }

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

    std::span<const Token> tokens_;
    bool is_before_;
    std::string_view word_;
};

/// job.env.NAME = VALUE of a variable that rules may not write; empty: it is none.
std::string describe_written_variable(const Use& use, const std::string& writable_env) {
    const Use variable(use.rest(use.is_index() ? 3 : 2), JobName::job);
    if (!variable.names_member() || !variable.is_written()) return {};
    ErrorText error;
    check_variable(writable_env, variable.after(2).text, {}, error);
    return error.c_str();
}

} // namespace

std::string describe_unknown_use(std::span<const Token> tokens, JobName object, bool has_string_library) {
    const Use use(tokens, object);
    if (use.is_call()) return use.describe_call();
    return use.names_member() ? use.describe_member(has_string_library) : std::string();
}

std::string describe_suspicious_use(std::span<const Token> tokens, JobName object,
                                    const std::string* writable_env) {
    const Use use(tokens, object);
    if (use.is_call()) return describe_wrong_call(use.rest(2));
    if (use.names_member() && use.after(2).text == "env" && writable_env != nullptr)
        return describe_written_variable(use, *writable_env);
    if (!use.names_member() || !use.is_written()) return {};
    const FieldSpec* field = find_job_field(use.after(2).text);
    return field == nullptr ? std::string() : describe_wrong_value(*field, use.written_value());
}

} // namespace qg::policy
