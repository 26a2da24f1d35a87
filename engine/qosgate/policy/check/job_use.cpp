// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/use_problems.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/lib/message_format.hpp"
#include "qosgate/policy/lua/writable_env.hpp"
#include "qosgate/policy/objects/gpu_request.hpp"
#include "qosgate/policy/objects/job_binding.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <initializer_list>
#include <optional>
#include <vector>

namespace qg::policy {
namespace {

bool is_one_of(std::string_view word, std::initializer_list<std::string_view> words) {
    return std::ranges::find(words, word) != words.end();
}

bool is_job_function(std::string_view name) {
    return std::ranges::find(job_functions(), name) != job_functions().end();
}

// ---- calls ---------------------------------------------------------------------------------------------

bool is_no_text(const WrittenArguments& arguments, std::size_t place) {
    const LiteralType type = arguments.type(place);
    return type != LiteralType::unknown && type != LiteralType::text;
}

UseProblem find_wrong_is_set(std::string_view object, const WrittenArguments& arguments) {
    if (arguments.all.empty())
        return UseProblem::failure(
            text::format("{0}:is_set() needs the name of a field: write {0}:is_set(\"qos\")", object));
    if (is_no_text(arguments, 0))
        return UseProblem::failure(text::format("{}:is_set takes the name of a field as a text, and not {}",
                                                object, arguments.show(0)));
    const std::string_view name = arguments.text(0);
    const FieldSpec* field = find_job_field(name);
    if (field != nullptr && field->is_set == nullptr)
        return UseProblem::failure(text::format("{}:is_set: '{}' is not something that a request asks for{}",
                                                object, name, why_no_request(*field)));
    if (arguments.has_more_than(1))
        return UseProblem::warning(text::format(
            "{}:is_set takes the name of one field, and here are {} values", object, arguments.all.size()));
    return {};
}

UseProblem find_wrong_add(const WrittenArguments& arguments) {
    if (arguments.has_more_than(2) || arguments.has_fewer_than(2))
        return UseProblem::failure("job:add takes a field and a text: write job:add(\"features\", \"fast\")");
    for (std::size_t i = 0; i < arguments.all.size(); ++i)
        if (is_no_text(arguments, i))
            return UseProblem::failure(
                text::format("job:add takes a field and a text, and not {}", arguments.show(i)));
    const std::string_view name = arguments.text(0);
    const FieldSpec* field = find_job_field(name);
    if (field == nullptr || field->list != ListForm::none) return {};
    return UseProblem::failure(text::format("job:add: '{}' is no list", name));
}

UseProblem find_wrong_message(std::string_view object, std::string_view function,
                              const WrittenArguments& arguments) {
    if (arguments.all.empty() || is_empty_text(arguments.tree, arguments.all[0]))
        return UseProblem::warning(
            text::format("{}:{}() has no message{}", object, function,
                         function == "reject" ? ": users read only the rule's name" : ""));
    const std::string_view format = arguments.text(0);
    if (format.empty()) return {};
    const std::size_t places = count_places(format);
    const std::size_t values = arguments.all.size() - 1;
    if (values < places && !arguments.is_open())
        return UseProblem::warning(text::format(
            "{}:{}: the message shows {} {}, and here {} {}: users read '(missing)'", object, function,
            places, places == 1 ? "value" : "values", values == 1 ? "is" : "are", values));
    if (arguments.least() > 1 && arguments.least() - 1 > places)
        return UseProblem::warning(text::format("{}:{}: the message shows {} {}, and here are {}", object,
                                                function, places, places == 1 ? "value" : "values", values));
    return {};
}

UseProblem find_wrong_stop(std::string_view object, const WrittenArguments& arguments) {
    if (arguments.least() == 0) return {};
    const LiteralType type = arguments.type(0);
    const std::string message = text::format("{}:stop() takes no arguments", object);
    const bool fails = type != LiteralType::unknown && type != LiteralType::nothing;
    return fails ? UseProblem::failure(message) : UseProblem::warning(message);
}

/// A number as Lua reads it; empty: too large for a look here, or hexadecimal.
std::optional<Value> number_value(std::string_view digits, bool is_negative) {
    if (const auto whole = text::parse_unsigned(digits)) {
        if (*whole > 0x7fffffffffffffffU) return std::nullopt;
        const auto number = static_cast<std::int64_t>(*whole);
        return Value{Value::Kind::integer, is_negative ? -number : number, {}};
    }
    const std::string copy(digits);
    char* end = nullptr;
    const double number = std::strtod(copy.c_str(), &end);
    const bool is_fraction = *end == '\0' && std::isfinite(number) && number != std::floor(number);
    if (!is_fraction || copy.find_first_of("xX") != std::string::npos) return std::nullopt;
    return Value{Value::Kind::other, 0, digits};
}

/// A literal as Lua reads it; empty for everything else.
std::optional<Value> literal_value(const SyntaxTree& tree, NodeId value) {
    switch (literal_type(tree, value)) {
    case LiteralType::text:
        if (tree.text(value).empty()) return std::nullopt; // also one that is not known
        return Value::of_text(tree.text(value));
    case LiteralType::flag: return Value::of_flag(tree.text(value) == "true");
    case LiteralType::number: {
        const bool is_negative = tree.is(value, NodeKind::unary);
        return number_value(tree.text(is_negative ? tree.child(value, 0) : value), is_negative);
    }
    case LiteralType::table: return Value{Value::Kind::other, 0, "a table"};
    case LiteralType::nothing:
    case LiteralType::unknown: break;
    }
    return std::nullopt;
}

/// The mistake in a call of one of an object's functions: wrong number or types of arguments, a format and
/// values that do not fit. `object` is "job", "before" or "options".
UseProblem find_wrong_call(const SyntaxTree& tree, NodeId method, std::string_view object) {
    const WrittenArguments arguments(tree, method);
    const std::string_view function = tree.member(method);
    if (function == "is_set") return find_wrong_is_set(object, arguments);
    if (function == "add") return find_wrong_add(arguments);
    if (function == "stop") return find_wrong_stop(object, arguments);
    if (function == "warn" || function == "note" || function == "reject")
        return find_wrong_message(object, function, arguments);
    return {};
}

/// The mistake in `job.FIELD = VALUE` if the value is a literal that the field does not take. The field is
/// one that can be written. no_node: the value is not known.
UseProblem find_wrong_value(const FieldSpec& field, const SyntaxTree& tree, NodeId value) {
    const auto literal = literal_value(tree, value);
    if (!literal) return {};
    model::JobRequest scratch;
    const auto written = write_field(field, scratch, *literal);
    return written ? UseProblem() : UseProblem::failure(written.error().message);
}

// ---- uses of the objects -------------------------------------------------------------------------------

/// A use of `job` or `before`.
class JobUse {
  public:
    JobUse(const ExpressionTypes& types, NodeId use)
        : types_(types), tree_(types.tree()), use_(use), name_(tree_.member(use)),
          is_before_(types.meaning(tree_.object(use)) == Meaning::before),
          word_(is_before_ ? "before" : "job") {}

    [[nodiscard]] UseProblem find_problem_of_call() const {
        const FieldSpec* field = find_job_field(name_);
        if (field != nullptr)
            return UseProblem::failure(
                text::format("'{}' is a field and no function: write {}.{}", name_, word_, name_));
        if (!is_job_function(name_)) return UseProblem::failure(describe_unknown_function());
        if (is_missing()) return UseProblem::failure(describe_read_only(name_));
        const WrittenArguments given(tree_, use_);
        const std::string_view argument = given.text(0);
        if (is_one_of(name_, {"is_set", "add"}) && !argument.empty() && find_job_field(argument) == nullptr)
            return UseProblem::failure(describe_unknown_field(argument, word_));
        return find_wrong_call(tree_, use_, word_);
    }

    [[nodiscard]] UseProblem find_problem_of_member() const {
        if (name_.empty()) return {};
        if (is_job_function(name_)) {
            if (is_missing()) return UseProblem::failure(describe_read_only(name_));
            const bool is_wrong = tree_.is_dotted(use_) && tree_.is_called(use_) && is_called_without_job();
            return UseProblem::failure(is_wrong ? text::format("write {}:{}(...), with a colon", word_, name_)
                                                : std::string());
        }
        const FieldSpec* field = find_job_field(name_);
        if (field == nullptr) return UseProblem::failure(describe_unknown_field(name_, word_));
        if (!tree_.is_target(use_)) return {};
        if (is_before_ || field->write == nullptr)
            return UseProblem::failure(text::format("{}.{} cannot be changed", word_, field->name));
        return find_wrong_value(*field, tree_, tree_.value_of(use_));
    }

  private:
    /// Whether it is a function of `job` that `before` does not have.
    [[nodiscard]] bool is_missing(std::string_view function) const {
        return is_before_ && function != "is_set";
    }
    [[nodiscard]] bool is_missing() const { return is_missing(name_); }

    [[nodiscard]] std::string describe_unknown_function() const {
        std::vector<std::string> functions;
        for (const std::string_view function : job_functions())
            if (!is_missing(function)) functions.emplace_back(function);
        return text::format("unknown function '{}:{}'{}{}", word_, text::printable(name_, 60),
                            text::did_you_mean(name_, functions), list_of_names(functions));
    }

    /// Whether the first argument is certainly not `job`: a literal, a text that a library makes, a member,
    /// or a single name. Another name for `job` itself is not reported.
    [[nodiscard]] bool is_called_without_job() const {
        const auto given = tree_.arguments(tree_.parent(use_));
        if (given.empty()) return true;
        const NodeId first = given[0];
        if (types_[first].is_known()) return types_.meaning(first) != Meaning::job;
        if (literal_type(tree_, first) != LiteralType::unknown) return true;
        const NodeId object = tree_.object(first);
        if (tree_.is(first, NodeKind::name))
            return given.size() == 1 && tree_.text(first) != tree_.text(tree_.object(use_));
        if (tree_.is(first, NodeKind::call)) return tree_.is_global(tree_.object(object), "string");
        if (tree_.is(first, NodeKind::method)) return tree_.is(tree_.child(object, 0), NodeKind::text);
        return tree_.is(first, NodeKind::binary) && tree_.text(first) == "..";
    }

    const ExpressionTypes& types_;
    const SyntaxTree& tree_;
    const NodeId use_;
    const std::string_view name_;
    const bool is_before_;
    const std::string_view word_;
};

// ---- values of fields ----------------------------------------------------------------------------------

/// The type of a field's values, which may also be nil.
LiteralType type_of(const FieldSpec& field) {
    if (field.type == FieldType::text) return LiteralType::text;
    if (field.type == FieldType::count || field.type == FieldType::minutes) return LiteralType::number;
    return field.type == FieldType::flag ? LiteralType::flag : LiteralType::table;
}

std::string_view name_of(LiteralType type) {
    switch (type) {
    case LiteralType::text: return "a text";
    case LiteralType::number: return "a number";
    case LiteralType::flag: return "true or false";
    case LiteralType::table: return "an object with fields";
    case LiteralType::nothing: return "nil";
    case LiteralType::unknown: break;
    }
    return {};
}

/// job.env.NAME = VALUE of a variable that rules may not write. It depends on site.lua, so it is no mistake
/// of the rule's text alone.
UseProblem find_written_variable(const SyntaxTree& tree, NodeId use, const std::string& writable_env) {
    if (!tree.is_target(use) || tree.member(use).empty()) return {};
    ErrorText error;
    check_variable(writable_env, tree.member(use), {}, error);
    return UseProblem::warning(error.c_str());
}

UseProblem find_gpu_problem(const SyntaxTree& tree, NodeId use) {
    const std::string_view name = tree.member(use);
    if (name.empty()) return {};
    if (const std::string unknown = describe_unknown_gpu_field(name); !unknown.empty())
        return UseProblem::failure(unknown);
    if (tree.is(use, NodeKind::method))
        return UseProblem::failure(text::format("'{0}' is a field and no function: write job.gpu.{0}", name));
    return UseProblem::failure(tree.is_target(use) ? "job.gpu cannot be changed" : "");
}

UseProblem find_text_problem(const FieldSpec& field, const SyntaxTree& tree, NodeId use,
                             const std::set<std::string>& text_functions) {
    const std::string_view name = tree.member(use);
    if (text_functions.contains(std::string(name))) return {};
    const std::string complaint =
        text::format("job.{} is a text and has no '{}'", field.name, text::printable(name, 60));
    if (!tree.is(use, NodeKind::method)) return UseProblem::warning(complaint); // nil, unless the field is
    if (name == "add" && field.list != ListForm::none)
        return UseProblem::failure(text::format("{}: write job:add(\"{}\", ...)", complaint, field.name));
    const std::vector<std::string> known(text_functions.begin(), text_functions.end());
    return UseProblem::failure(complaint + text::did_you_mean(name, known));
}

/// How messages call a list.
std::string describe_list(const ExpressionTypes& types, NodeId list) {
    const SyntaxTree& tree = types.tree();
    if (tree.is(list, NodeKind::group)) return describe_list(types, tree.child(list, 0));
    if (tree.is(list, NodeKind::name)) return std::string(tree.text(list));
    if (types[list].field != nullptr) return text::format("job.{}", types[list].field->name);
    const ExpressionType& object = types[tree.object(list)];
    if (object.function != nullptr) return std::string(object.function->usage);
    if (tree.is(list, NodeKind::index)) return text::format("{}.{}", name_of(object.kind), tree.member(list));
    return std::string(find_view_function(object.kind, tree.member(list))->usage);
}

} // namespace

UseProblem find_job_problem(const ExpressionTypes& types, NodeId use) {
    const JobUse job(types, use);
    return types.tree().is(use, NodeKind::method) ? job.find_problem_of_call() : job.find_problem_of_member();
}

UseProblem find_option_problem(const ExpressionTypes& types, NodeId use) {
    const SyntaxTree& tree = types.tree();
    const std::string_view name = tree.member(use);
    const bool is_function = std::ranges::find(option_functions, name) != option_functions.end();
    if (tree.is(use, NodeKind::method)) {
        if (is_function) return find_wrong_call(tree, use, "options");
        const std::vector<std::string> names(option_functions.begin(), option_functions.end());
        return UseProblem::failure(text::format("unknown function 'options:{}'{}{}",
                                                text::printable(name, 60), text::did_you_mean(name, names),
                                                list_of_names(names)));
    }
    const bool is_wrong = is_function && tree.is_dotted(use) && tree.is_called(use);
    return UseProblem::failure(is_wrong ? text::format("write options:{}(...), with a colon", name)
                                        : std::string());
}

UseProblem find_list_problem(const ExpressionTypes& types, NodeId use) {
    const std::string_view name = types.tree().member(use);
    if (name.empty()) return {};
    const std::string message =
        text::format("{0} is a list and has no '{1}': write for _, one in ipairs({0}) do ... end",
                     describe_list(types, types.tree().object(use)), text::printable(name, 60));
    // A member that is read is nil, and nil cannot be called.
    return types.tree().is(use, NodeKind::method) ? UseProblem::failure(message)
                                                  : UseProblem::warning(message);
}

UseProblem find_field_problem(const ExpressionTypes& types, NodeId use, const UseFacts& facts) {
    const SyntaxTree& tree = types.tree();
    const FieldSpec& field = *types[tree.object(use)].field;
    const std::string_view name = tree.member(use);
    const LiteralType type = type_of(field);
    if (field.type == FieldType::gpu) return find_gpu_problem(tree, use);
    if (field.type == FieldType::environment && facts.writable_env != nullptr)
        return find_written_variable(tree, use, *facts.writable_env);
    if (type == LiteralType::table || name.empty()) return {};
    if (type != LiteralType::text)
        return UseProblem::failure(text::format("job.{} is {} and has no '{}'", field.name, name_of(type),
                                                text::printable(name, 60)));
    return facts.text_functions == nullptr ? UseProblem()
                                           : find_text_problem(field, tree, use, *facts.text_functions);
}

UseProblem find_operand_problem(const ExpressionTypes& types, NodeId binary, std::size_t operand) {
    const SyntaxTree& tree = types.tree();
    const std::string_view sign = tree.text(binary);
    const FieldSpec* field = types[tree.child(binary, operand)].field;
    if (field == nullptr) return {};
    const LiteralType own = type_of(*field);
    const std::string what = text::format("job.{} is {}", field->name, name_of(own));
    if (is_one_of(sign, {"+", "-", "*", "/", "//", "%", "^"}))
        return UseProblem::failure(own == LiteralType::number ? std::string()
                                                              : what + ": it is no number to calculate with");
    const NodeId literal = tree.child(binary, 1 - operand);
    const LiteralType other = literal_type(tree, literal);
    if (other == LiteralType::unknown || other == LiteralType::nothing) return {};
    if (is_one_of(sign, {"==", "~="}))
        return UseProblem::warning(
            own == other ? std::string()
                         : text::format("{} and never equals {}", what, show_literal(tree, literal)));
    const bool has_order = own == LiteralType::text || own == LiteralType::number;
    if (!is_one_of(sign, {"<", ">", "<=", ">="}) || (has_order && own == other)) return {};
    return UseProblem::failure(text::format("{} and cannot be compared with {}{}", what,
                                            show_literal(tree, literal),
                                            field->type == FieldType::gpu ? ": write job.gpus" : ""));
}

} // namespace qg::policy
