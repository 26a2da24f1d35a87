// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/name_check.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/check/use_problems.hpp"
#include "qosgate/policy/lua/sandbox.hpp"
#include "qosgate/policy/run/rule_keys.hpp"

#include <algorithm>
#include <array>
#include <utility>
#include <vector>

namespace qg::policy {
namespace {

template <typename Names>
std::string did_you_mean(std::string_view wrong, const Names& names) {
    return text::did_you_mean(wrong, std::vector<std::string>(names.begin(), names.end()));
}

/// Goes through the nodes of one source.
class Checker {
  public:
    Checker(std::string_view source, const KnownNames& known, const CodeFacts& facts)
        : tree_(source), types_(tree_, facts), known_(known), uses_{nullptr, facts.writable_env} {
        if (const auto found = known.find("string"); found != known.end())
            uses_.text_functions = &found->second;
        for (const Token& token : tree_.tokens()) {
            has_environment_ = has_environment_ || token.is_name("_ENV");
            has_other_ = has_other_ || token.is_name("modify") || token.is_name("client");
        }
    }

    /// All mistakes, in the order of the source.
    std::vector<CodeProblem> run() {
        if (!tree_.is_complete()) return {};
        for (at_ = 0; at_ < tree_.size(); ++at_)
            check_node();
        std::ranges::stable_sort(found_, {}, &Found::begin);
        std::vector<CodeProblem> problems;
        for (Found& found : found_)
            problems.push_back(std::move(found.problem));
        return problems;
    }

  private:
    void check_node() {
        if (tree_.is(at_, NodeKind::function)) return check_function();
        if (types_.is_guarded(at_)) return;
        if (tree_.is(at_, NodeKind::return_statement)) return check_return();
        if (tree_.is_global(at_) && !has_environment_) return check_global();
        if (tree_.is(at_, NodeKind::binary)) {
            note(find_operand_problem(types_, at_, 0), tree_.child(at_, 0));
            return note(find_operand_problem(types_, at_, 1), tree_.child(at_, 1));
        }
        if (tree_.object(at_) != no_node) check_use(types_[tree_.object(at_)]);
    }

    // ---- functions of rules ------------------------------------------------------------------------------

    void check_function() {
        const std::string_view key = types_.key_of(at_);
        if (key.empty()) return;
        if (!has_other_ && has_empty_body()) suspect("submit does nothing, so the rule never does anything");
        const auto arguments = arguments_of(key);
        const auto parameters = tree_.parameters(at_);
        for (std::size_t i = 0; i < std::min(arguments.size(), parameters.size()); ++i)
            if (tree_.is(parameters[i], NodeKind::declared))
                check_parameter(tree_.declarations()[tree_[parameters[i]].local], key, arguments[i]);
    }

    /// Whether nothing, or an empty `return`, is in the body.
    [[nodiscard]] bool has_empty_body() const {
        const auto statements = tree_.children(tree_.body(at_));
        if (statements.empty()) return true;
        return tree_.is(statements[0], NodeKind::return_statement) && tree_.children(statements[0]).empty();
    }

    /// A parameter with the name of another argument: modify = function(job, view).
    void check_parameter(const Declaration& parameter, std::string_view key, Meaning argument) {
        const bool is_a_word = std::ranges::any_of(
            std::to_array({Meaning::job, Meaning::before, Meaning::options, Meaning::view}),
            [&](Meaning other) { return other != argument && word_for(other) == parameter.name; });
        if (!is_a_word || parameter.uses.empty()) return;
        std::vector<std::string> words;
        for (const Meaning one : arguments_of(key))
            words.emplace_back(word_for(one));
        suspect(text::format("{} is called with {}: '{}' is {} here", key, text::join(words, ", "),
                             parameter.name, word_for(argument)));
    }

    /// A literal behind the `return` of a rule's function.
    void check_return() {
        const NodeId function = tree_[at_].function;
        const auto values = tree_.children(at_);
        if (function == no_node || values.size() != 1 || types_.key_of(function).empty()) return;
        const LiteralType type = literal_type(tree_, values[0]);
        if (type == LiteralType::unknown || type == LiteralType::nothing) return;
        complain(describe_bad_return(types_.key_of(function), show_literal(tree_, values[0])));
    }

    // ---- names -------------------------------------------------------------------------------------------

    void check_global() {
        const std::string_view name = tree_.text(at_);
        const auto found = known_.find(name);
        if (found == known_.end()) return check_unknown(name);
        const std::set<std::string>& members = found->second;
        const bool is_called = tree_.is_called(at_);
        if (name == "require") return is_called ? check_literal("there is no module", members) : void();
        if (name == "data") return is_called ? check_literal("data has no file", members) : void();
        const NodeId use = tree_.object(tree_.parent(at_)) == at_ ? tree_.parent(at_) : no_node;
        if (is_called) return note(find_library_problem(tree_, use));
        const std::string_view member = tree_.member(use);
        if (!members.empty() && !member.empty() && !members.contains(std::string(member)))
            return complain(text::format("{} has no '{}'{}", name, text::printable(member, 60),
                                         did_you_mean(member, members)));
        if (tree_.is_dotted(use) && tree_.is_called(use))
            note(find_library_problem(tree_, tree_.parent(use)));
    }

    void check_unknown(std::string_view name) {
        if (const std::string_view foreign = describe_foreign_name(name); !foreign.empty())
            return complain(std::string(foreign));
        if (undeclared_.contains(name)) return;
        const bool is_function = tree_[at_].token > 0 && tree_.tokens()[tree_[at_].token - 1].is("function");
        if (tree_.is_target(at_) || is_function) {
            undeclared_.insert(name);
            return complain(text::format(
                "'{}' is not declared; write 'local {} = ...' (globals cannot be set)", name, name));
        }
        std::vector<std::string> globals;
        for (const auto& [global, members] : known_)
            globals.push_back(global);
        complain(text::format("unknown name '{}'{}", text::printable(name, 60), did_you_mean(name, globals)));
    }

    /// After a function that takes one of these names as a literal.
    void check_literal(std::string_view complaint, const std::set<std::string>& known) {
        const std::string name(tree_.only_text(tree_.parent(at_)));
        if (name.empty() || known.contains(name)) return;
        const std::vector<std::string> names(known.begin(), known.end());
        complain(text::format("{} '{}'{}{}", complaint, text::printable(name, 60),
                              text::did_you_mean(name, names), list_of_names(names)));
    }

    // ---- values ------------------------------------------------------------------------------------------

    void check_use(const ExpressionType& object) {
        const bool is_call = tree_.is(at_, NodeKind::call);
        if (is_call && object.meaning != Meaning::view_function) return;
        switch (object.meaning) {
        case Meaning::job:
        case Meaning::before: return note(find_job_problem(types_, at_));
        case Meaning::options: return note(find_option_problem(types_, at_));
        case Meaning::gpu:
        case Meaning::field: return note(find_field_problem(types_, at_, uses_));
        case Meaning::list: return note(find_list_problem(types_, at_));
        case Meaning::module: return note(find_module_problem(tree_, at_, *object.module));
        case Meaning::unset:
        case Meaning::anything: return check_text_method();
        case Meaning::view:
        case Meaning::view_function: return note(find_view_problem(types_, at_));
        }
    }

    /// ("text"):NAME(...)
    void check_text_method() {
        const NodeId object = tree_.object(at_);
        const bool is_text = tree_.is(at_, NodeKind::method) && tree_.is(object, NodeKind::group) &&
                             tree_.is(tree_.child(object, 0), NodeKind::text);
        const std::string_view name = tree_.member(at_);
        if (!is_text || uses_.text_functions == nullptr || uses_.text_functions->contains(std::string(name)))
            return;
        complain(text::format("a text has no '{}'{}", text::printable(name, 60),
                              did_you_mean(name, *uses_.text_functions)));
    }

    // ---- findings ----------------------------------------------------------------------------------------

    void note(UseProblem problem, NodeId where) {
        if (!problem.empty())
            found_.push_back(
                {tree_[where].begin, {tree_.line(where), std::move(problem.message), problem.is_failure}});
    }
    void note(UseProblem problem) { note(std::move(problem), at_); }
    void complain(std::string what) { note(UseProblem::failure(std::move(what))); }
    /// A mistake that does not keep the file from loading.
    void suspect(std::string what) { note(UseProblem::warning(std::move(what))); }

    struct Found {
        std::uint32_t begin; ///< a token
        CodeProblem problem;
    };

    const SyntaxTree tree_;
    const ExpressionTypes types_;
    const KnownNames& known_;
    UseFacts uses_;
    NodeId at_ = 0;
    std::set<std::string_view> undeclared_; ///< globals that were set; their uses follow from that
    bool has_environment_ = false;
    bool has_other_ = false; ///< the rule may have another function
    std::vector<Found> found_;
};

} // namespace

Result<void> check_names(std::string_view source, std::string_view file, const KnownNames& known,
                         const CodeFacts& facts) {
    const auto problems = find_code_problems(source, known, facts);
    const auto first = std::ranges::find_if(problems, &CodeProblem::stops_loading);
    if (first == problems.end()) return {};
    return Error{ErrorCode::invalid_input, text::format("{}:{}: {}", file, first->line, first->message)};
}

std::vector<CodeProblem> find_code_problems(std::string_view source, const KnownNames& known,
                                            const CodeFacts& facts) {
    return Checker(source, known, facts).run();
}

} // namespace qg::policy
