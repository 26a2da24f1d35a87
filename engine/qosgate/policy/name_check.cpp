// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/name_check.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/job_use.hpp"
#include "qosgate/policy/library_use.hpp"
#include "qosgate/policy/name_meanings.hpp"
#include "qosgate/policy/name_scopes.hpp"
#include "qosgate/policy/option_use.hpp"
#include "qosgate/policy/rule_keys.hpp"
#include "qosgate/policy/sandbox.hpp"
#include "qosgate/policy/unknown_name.hpp"
#include "qosgate/policy/view_use.hpp"
#include "qosgate/policy/wrong_use.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qg::policy {
namespace {

template <typename Names>
std::string did_you_mean(std::string_view wrong, const Names& names) {
    return text::did_you_mean(wrong, std::vector<std::string>(names.begin(), names.end()));
}

/// Goes through the tokens of one source.
class Checker {
  public:
    Checker(std::string_view source, const KnownNames& known, const CodeFacts& facts)
        : tokens_(read_tokens(source)), scopes_(read_scopes(tokens_)),
          meanings_(find_meanings(tokens_, scopes_, facts)), known_(known), facts_(facts) {
        if (const auto found = known.find("string"); found != known.end()) text_functions_ = &found->second;
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            const Token& token = tokens_[i];
            has_environment_ = has_environment_ || token.is_name("_ENV");
            has_other_ = has_other_ || token.is_name("modify") || token.is_name("client");
            note_given(scopes_.tokens[i]);
        }
    }

    /// All mistakes, or only the first one that keeps the file from loading.
    std::vector<CodeProblem> run(bool finds_all) {
        std::size_t function = 0;
        for (at_ = 0; at_ < tokens_.size(); ++at_) {
            if (function < scopes_.functions.size() && scopes_.functions[function].begin == at_)
                check_function(scopes_.functions[function++]);
            check_token();
            if (finds_all || problems_.empty()) continue;
            if (problems_.back().stops_loading) return {std::move(problems_.back())};
            problems_.clear();
        }
        return std::move(problems_);
    }

  private:
    [[nodiscard]] const Token& after(std::size_t ahead) const noexcept {
        return token_at(tokens_, at_ + ahead);
    }
    [[nodiscard]] const Token& before() const noexcept {
        static constexpr Token nothing;
        return at_ == 0 ? nothing : tokens_[at_ - 1];
    }
    /// The tokens from the one `ahead` of the current one on.
    [[nodiscard]] Tokens rest(std::size_t ahead) const { return tokens_from(tokens_, at_ + ahead); }

    void check_token() {
        const TokenScope& here = scopes_.tokens[at_];
        if (here.is_guarded) return;
        if (after(0).is("return")) return check_return(here);
        if (after(0).is("(")) return check_text_method();
        if (!here.is_reference) return;
        if (here.declaration)
            check_local(meanings_[*here.declaration]);
        else if (!has_environment_)
            check_global();
    }

    // ---- functions of rules ------------------------------------------------------------------------------

    /// Notes the key behind which a local function stands in rule { ... }.
    void note_given(const TokenScope& name) {
        if (!name.declaration || name.rule_key.empty()) return;
        const auto [place, is_new] = given_.emplace(*name.declaration, name.rule_key);
        if (!is_new && place->second != name.rule_key) place->second = {};
    }

    /// The key of the rule whose function this is; empty: it is none, or the function of several.
    [[nodiscard]] std::string_view key_of(const FunctionScope& function) const {
        if (!function.rule_key.empty() || !function.name) return function.rule_key;
        const auto given = given_.find(*function.name);
        const bool is_known = given != given_.end() && !scopes_.declarations[*function.name].is_assigned;
        return is_known ? given->second : std::string_view();
    }

    void check_function(const FunctionScope& function) {
        const std::string_view key = key_of(function);
        if (key.empty()) return;
        if (!has_other_ && has_empty_body(function.body))
            suspect("submit does nothing, so the rule never does anything");
        const auto arguments = arguments_of(key);
        for (std::size_t i = 0; i < std::min(arguments.size(), function.parameters.size()); ++i)
            check_parameter(scopes_.declarations[function.parameters[i]], key, arguments[i]);
    }

    /// Whether nothing, or an empty `return`, is in the body.
    [[nodiscard]] bool has_empty_body(std::size_t body) const {
        if (!token_at(tokens_, body).is("return")) return token_at(tokens_, body).is("end");
        return token_at(tokens_, body + (token_at(tokens_, body + 1).is(";") ? 2 : 1)).is("end");
    }

    /// A parameter with the name of another argument: modify = function(job, view).
    void check_parameter(const Declaration& parameter, std::string_view key, Meaning argument) {
        const bool is_a_word = std::ranges::any_of(
            std::to_array({Meaning::job, Meaning::before, Meaning::options, Meaning::view}),
            [&](Meaning other) { return other != argument && word_for(other) == parameter.name; });
        if (!is_a_word || !parameter.is_used) return;
        std::vector<std::string> words;
        for (const Meaning one : arguments_of(key))
            words.emplace_back(word_for(one));
        suspect(text::format("{} is called with {}: '{}' is {} here", key, text::join(words, ", "),
                             parameter.name, word_for(argument)));
    }

    /// A literal behind the `return` of a rule's function.
    void check_return(const TokenScope& here) {
        if (!here.function) return;
        const std::string_view key = key_of(scopes_.functions[*here.function]);
        const std::size_t size = after(1).is("-") ? 2 : 1;
        const Token& next = after(1 + size);
        const bool is_whole =
            next.is("end") || next.is("else") || next.is("elseif") || next.is("until") || next.is(";");
        const Tokens value = rest(1).first(std::min(size, rest(1).size()));
        const LiteralType type = literal_type(value);
        if (key.empty() || !is_whole || type == LiteralType::unknown || type == LiteralType::nothing) return;
        complain(describe_bad_return(key, show_literal(value)));
    }

    // ---- names -------------------------------------------------------------------------------------------

    /// ("text"):NAME(...)
    void check_text_method() {
        const bool is_call = before().is_name() || before().kind == TokenKind::text || before().is(")") ||
                             before().is("]") || before().is("}");
        const bool is_method =
            after(1).kind == TokenKind::text && after(2).is(")") && after(3).is(":") && after(4).is_name();
        if (is_call || !is_method || text_functions_ == nullptr) return;
        if (text_functions_->contains(std::string(after(4).text))) return;
        complain(text::format("a text has no '{}'{}", text::printable(after(4).text, 60),
                              did_you_mean(after(4).text, *text_functions_)));
    }

    void check_global() {
        const std::string_view name = after(0).text;
        const auto found = known_.find(name);
        if (found == known_.end()) return check_unknown(name);
        const std::set<std::string>& members = found->second;
        if (name == "require") return check_require(members);
        if (name == "data") return check_literal("data has no file", members);
        const bool names_member = (after(1).is(".") || after(1).is(":")) && after(2).is_name();
        if (!members.empty() && names_member && !members.contains(std::string(after(2).text)))
            return complain(text::format("{} has no '{}'{}", name, text::printable(after(2).text, 60),
                                         did_you_mean(after(2).text, members)));
        note(find_library_problem(rest(0)));
    }

    void check_unknown(std::string_view name) {
        if (const std::string_view foreign = describe_foreign_name(name); !foreign.empty())
            return complain(std::string(foreign));
        if (undeclared_.contains(name)) return;
        if (after(1).is("=") || before().is("function")) {
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
        const Token* name = literal_argument(rest(1));
        if (name == nullptr || known.contains(std::string(name->text))) return;
        const std::vector<std::string> names(known.begin(), known.end());
        complain(text::format("{} '{}'{}{}", complaint, text::printable(name->text, 60),
                              text::did_you_mean(name->text, names), list_of_names(names)));
    }

    void check_require(const std::set<std::string>& known) {
        check_literal("there is no module", known);
        const Token* name = literal_argument(rest(1));
        if (name == nullptr || facts_.modules == nullptr) return;
        const auto module = facts_.modules->find(name->text);
        const auto call = read_arguments(rest(1));
        if (module != facts_.modules->end() && call)
            note(find_module_problem(rest(0), 1 + call->length, *module));
    }

    void check_local(const NameMeaning& object) {
        switch (object.meaning) {
        case Meaning::unset:
        case Meaning::anything: return;
        case Meaning::job: return check_job(JobName::job);
        case Meaning::before: return check_job(JobName::before);
        case Meaning::options: return note(find_option_problem(rest(0)));
        case Meaning::view: return check_view(object.kind);
        case Meaning::gpu: return note(find_gpu_problem(rest(0)));
        case Meaning::list: return note(find_list_problem(rest(1), after(0).text));
        case Meaning::module: return note(find_module_problem(rest(0), 1, *object.module));
        }
    }

    void check_job(JobName name) {
        const auto string = known_.find("string");
        const bool has_library = string != known_.end() && !hides_string();
        note(find_job_problem(tokens_, at_, name, {has_library, text_functions_, facts_.writable_env}));
    }

    /// Whether `string` is a local, in the argument of job.NAME(string...).
    [[nodiscard]] bool hides_string() const {
        return after(4).is_name("string") &&
               scopes_.tokens[std::min(at_ + 4, tokens_.size() - 1)].declaration;
    }

    void check_view(ViewKind kind) {
        const ViewUse use = read_view_use(rest(0), kind);
        if (!use.problem.empty()) return note(use.problem);
        if (use.with_job == nullptr) return;
        const auto argument = scopes_.tokens[at_ + use.job_argument].declaration;
        if (argument && meanings_[*argument].is_known() && meanings_[*argument].meaning != Meaning::job)
            complain(describe_call_with_job(*use.with_job));
    }

    // ---- findings ----------------------------------------------------------------------------------------

    void note(UseProblem problem) {
        if (!problem.empty())
            problems_.push_back({after(0).line, std::move(problem.message), problem.is_failure});
    }
    void complain(std::string what) { note(UseProblem::failure(std::move(what))); }
    /// A mistake that does not keep the file from loading.
    void suspect(std::string what) { note(UseProblem::warning(std::move(what))); }

    const std::vector<Token> tokens_;
    const NameScopes scopes_;
    const std::vector<NameMeaning> meanings_;
    const KnownNames& known_;
    const CodeFacts& facts_;
    const std::set<std::string>* text_functions_ = nullptr; ///< of `string`; null: not known
    std::size_t at_ = 0;
    std::unordered_map<std::size_t, std::string_view> given_; ///< declarations to keys; empty: to several
    std::set<std::string_view> undeclared_; ///< globals that were set; their uses follow from that
    bool has_environment_ = false;
    bool has_other_ = false; ///< the rule may have another function
    std::vector<CodeProblem> problems_;
};

} // namespace

Result<void> check_names(std::string_view source, std::string_view file, const KnownNames& known,
                         const CodeFacts& facts) {
    const auto problems = Checker(source, known, facts).run(/*finds_all=*/false);
    if (problems.empty()) return {};
    const CodeProblem& first = problems.front();
    return Error{ErrorCode::invalid_input, text::format("{}:{}: {}", file, first.line, first.message)};
}

std::vector<CodeProblem> find_code_problems(std::string_view source, const KnownNames& known,
                                            const CodeFacts& facts) {
    return Checker(source, known, facts).run(/*finds_all=*/true);
}

} // namespace qg::policy
