// SPDX-License-Identifier: GPL-2.0-or-later
//
// The check follows scopes, but not expressions. A local is taken as visible from its name on, and that of a
// repeat loop also beyond its end: in doubt a name counts as a local, not as a global.
#include "qosgate/policy/name_check.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/job_use.hpp"
#include "qosgate/policy/lua_tokens.hpp"
#include "qosgate/policy/option_use.hpp"
#include "qosgate/policy/rule_keys.hpp"
#include "qosgate/policy/sandbox.hpp"
#include "qosgate/policy/unknown_name.hpp"
#include "qosgate/policy/view_use.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <unordered_map>
#include <vector>

namespace qg::policy {
namespace {

/// The meaning of a local name.
enum class Meaning : std::uint8_t { anything, job, before, options, view };

/// A local name in scope.
struct Local {
    Meaning meaning = Meaning::anything;
    ViewKind kind = ViewKind::view; ///< of `view`, and of what it gave
};

/// The arguments of a rule's function, in order.
using Arguments = std::vector<Meaning>;

enum class ScopeKind : std::uint8_t {
    block,
    loop_head, ///< from `for` or `while` to its `do`, which makes a block of it
    table,
    rule_table, ///< the table in rule { ... }
    other_bracket,
};

struct Scope {
    ScopeKind kind = ScopeKind::block;
    bool is_guarded = false; ///< inside pcall(function ... end)
    std::vector<std::string_view> names;
};

template <typename Names>
std::string did_you_mean(std::string_view wrong, const Names& names) {
    return text::did_you_mean(wrong, std::vector<std::string>(names.begin(), names.end()));
}

class Checker {
  public:
    Checker(std::string_view source, const KnownNames& known, CodeKind kind, bool finds_all,
            const std::string* writable_env = nullptr)
        : tokens_(read_tokens(source)), known_(known), kind_(kind), finds_all_(finds_all),
          writable_env_(writable_env) {}

    /// Without finds_all at most one.
    std::vector<CodeProblem> run() {
        read_ahead();
        scopes_.emplace_back();
        while (at_ < tokens_.size() && (finds_all_ || problems_.empty())) {
            step();
            ++at_;
        }
        return std::move(problems_);
    }

  private:
    [[nodiscard]] const Token& token(std::size_t index) const noexcept {
        return tokens_[std::min(index, tokens_.size() - 1)]; // the last one is the end
    }
    /// The one `back` tokens before the current one.
    [[nodiscard]] const Token& before(std::size_t back) const noexcept {
        static constexpr Token nothing;
        return back > at_ ? nothing : tokens_[at_ - back];
    }
    [[nodiscard]] const Token& after(std::size_t ahead) const noexcept { return token(at_ + ahead); }

    /// Finds code that makes names uncertain, and the functions that a rule names as its own.
    void read_ahead() {
        for (std::size_t i = 0; i + 2 < tokens_.size(); ++i) {
            const Token& first = tokens_[i];
            has_environment_ = has_environment_ || first.is_name("_ENV");
            has_other_ = has_other_ || first.is_name("modify") || first.is_name("client");
            const bool is_given = names_function(first) && tokens_[i + 1].is("=") && tokens_[i + 2].is_name();
            if (is_given) add_given(tokens_[i + 2].text, first);
            const bool is_declared =
                i > 0 && (first.is_name() && (tokens_[i - 1].is("function") || tokens_[i - 1].is("local")));
            if (is_declared) ++declarations_[first.text];
            note_assignment(i);
        }
    }

    static bool names_function(const Token& key) { return key.is_name() && is_function_key(key.text); }
    static Arguments arguments_of(const Token& key) {
        if (key.is_name("modify")) return {Meaning::job, Meaning::before, Meaning::view};
        if (key.is_name("client")) return {Meaning::options, Meaning::view};
        return {Meaning::job, Meaning::view};
    }
    /// A function that is given twice has the first argument that both agree on, and no other.
    void add_given(std::string_view function, const Token& key) {
        const auto [place, is_new] = given_.emplace(function, arguments_of(key));
        const Meaning first = place->second.front();
        if (!is_new) place->second = {first == arguments_of(key).front() ? first : Meaning::anything};
    }

    void note_assignment(std::size_t i) {
        static constexpr std::string_view starts[] = {"do", "then", "else", "repeat", ";",
                                                      ")",  "end",  "]",    "}"};
        const Token& name = tokens_[i];
        if (!name.is_name() || i == 0) return;
        const Token& previous = tokens_[i - 1];
        const bool is_member = previous.is(".") || previous.is(":");
        // The key of a rule's table, mostly.
        if (names_function(name) && (previous.is("{") || previous.is(",") || previous.is(";"))) return;
        if (tokens_[i + 1].is("=") && !is_member && !previous.is("local")) assigned_.insert(name.text);
        // The first of several: a, b = ...
        const bool starts_statement =
            previous.kind != TokenKind::symbol ||
            std::find(std::begin(starts), std::end(starts), previous.text) != std::end(starts);
        if (tokens_[i + 1].is(",") && (starts_statement || previous.is(","))) assigned_.insert(name.text);
    }

    void step() {
        const Token& current = token(at_);
        if (current.is_name()) return reference_or_key();
        if (current.kind != TokenKind::symbol) return;
        const std::string_view word = current.text;
        if (word == "function") {
            function();
        } else if (word == "local") {
            if (!after(1).is("function")) declare_locals();
        } else if (word == "for") {
            push(ScopeKind::loop_head);
            declare_list();
        } else if (word == "while") {
            push(ScopeKind::loop_head);
        } else if (word == "do") {
            if (scopes_.back().kind == ScopeKind::loop_head)
                scopes_.back().kind = ScopeKind::block;
            else
                push(ScopeKind::block);
        } else if (word == "if" || word == "repeat") {
            push(ScopeKind::block);
        } else if (word == "else" || word == "elseif") {
            forget_names();
        } else if (word == "end" || word == ")" || word == "}" || word == "]") {
            pop();
        } else if (word == "until") {
            end_repeat();
        } else if (word == "(" || word == "[") {
            push(ScopeKind::other_bracket);
        } else if (word == "{") {
            push(opens_rule() ? ScopeKind::rule_table : ScopeKind::table);
        } else if (word == "." || word == ":" || word == "goto") {
            ++at_; // a member is checked together with its table
        } else if (word == "::") {
            at_ += 2;
        }
    }

    // ---- scopes ------------------------------------------------------------------------------------------

    void push(ScopeKind kind) { scopes_.push_back({kind, scopes_.back().is_guarded, {}}); }

    void forget_names() {
        for (const std::string_view name : scopes_.back().names)
            locals_[name].pop_back();
        scopes_.back().names.clear();
    }
    void pop() {
        forget_names();
        if (scopes_.size() > 1) scopes_.pop_back();
    }
    /// The condition after `until` still sees the names of the loop.
    void end_repeat() {
        if (scopes_.size() < 2) return;
        const std::vector<std::string_view> names = std::move(scopes_.back().names);
        scopes_.pop_back();
        scopes_.back().names.insert(scopes_.back().names.end(), names.begin(), names.end());
    }
    void declare(std::string_view name, Meaning meaning = Meaning::anything) {
        locals_[name].push_back({meaning});
        scopes_.back().names.push_back(name);
    }
    [[nodiscard]] std::optional<Local> local(std::string_view name) const {
        const auto found = locals_.find(name);
        if (found == locals_.end() || found->second.empty()) return std::nullopt;
        return found->second.back();
    }

    /// After `local` or `for`: names with attributes, up to the first token that is not a name.
    void declare_list() {
        for (;;) {
            ++at_;
            if (!token(at_).is_name()) return;
            declare(token(at_).text);
            if (after(1).is("<")) at_ += 3;
            if (!after(1).is(",")) return;
            ++at_;
        }
    }

    void declare_locals() {
        declare_list();
        if (!before(1).is("local") || !after(1).is("=") || assigned_.contains(token(at_).text)) return;
        const auto source = local(after(2).text);
        if (!after(2).is_name() || !source || source->meaning != Meaning::view) return;
        const ViewUse use = read_view_use(rest(2), source->kind);
        if (use.problem.empty() && use.kind && ends_expression(after(2 + use.length)))
            locals_[token(at_).text].back() = {Meaning::view, *use.kind};
    }

    [[nodiscard]] bool opens_rule() const {
        const Token& function = before(1).is("(") ? before(2) : before(1);
        return function.is_name("rule") && !local("rule");
    }

    void function() {
        const bool is_local = before(1).is("local");
        const bool is_tried = before(1).is("(") && before(2).is_name("pcall");
        const Arguments arguments = arguments_here(is_local);
        bool is_method = false;
        if (after(1).is_name()) {
            ++at_;
            if (is_local)
                declare(token(at_).text);
            else
                reference();
            for (; after(1).is(".") || after(1).is(":"); at_ += 2)
                is_method = after(1).is(":");
        }
        push(ScopeKind::block);
        scopes_.back().is_guarded = scopes_.back().is_guarded || is_tried;
        if (is_method) declare("self");
        at_ += 2; // after the bracket
        std::size_t place = 0;
        for (; !token(at_).is(")") && token(at_).kind != TokenKind::end; ++at_) {
            if (!token(at_).is_name()) continue;
            const std::string_view name = token(at_).text;
            const Meaning meaning = place < arguments.size() ? arguments[place] : meaning_by_name(name);
            declare(name, assigned_.contains(name) ? Meaning::anything : meaning);
            ++place;
        }
        if (finds_all_ && !arguments.empty() && !has_other_ && has_empty_body())
            suspect("submit does nothing, so the rule never does anything");
    }

    /// Whether nothing, or an empty `return`, follows the current token, which ends a function's parameters.
    [[nodiscard]] bool has_empty_body() const {
        if (!after(1).is("return")) return after(1).is("end");
        return after(after(2).is(";") ? 3 : 2).is("end");
    }

    /// The arguments if this is submit = function or modify = function in the table of a rule, or the local
    /// function whose name stands there. Empty: not known.
    [[nodiscard]] Arguments arguments_here(bool is_local) const {
        if (scopes_.back().kind == ScopeKind::rule_table && before(1).is("=") && names_function(before(2)))
            return arguments_of(before(2));
        if (!is_local || !after(1).is_name()) return {};
        const auto given = given_.find(after(1).text);
        if (given == given_.end() || assigned_.contains(after(1).text)) return {};
        const auto declared = declarations_.find(after(1).text);
        return declared != declarations_.end() && declared->second == 1 ? given->second : Arguments();
    }

    /// The meaning of a parameter of any function.
    [[nodiscard]] Meaning meaning_by_name(std::string_view name) const {
        if (kind_ != CodeKind::module) return Meaning::anything;
        if (name == "job") return Meaning::job;
        if (name == "view") return Meaning::view;
        return name == "before" ? Meaning::before : Meaning::anything;
    }

    // ---- names -------------------------------------------------------------------------------------------

    void reference_or_key() {
        const ScopeKind scope = scopes_.back().kind;
        const bool is_in_table = scope == ScopeKind::table || scope == ScopeKind::rule_table;
        const Token& previous = before(1);
        const bool begins_item = previous.is("{") || previous.is(",") || previous.is(";");
        if (is_in_table && begins_item && after(1).is("=")) return;
        reference();
    }

    void reference() {
        if (const auto found = local(token(at_).text)) {
            if (found->meaning != Meaning::anything && !scopes_.back().is_guarded) check_argument(*found);
            return;
        }
        if (!has_environment_ && !scopes_.back().is_guarded) check_global();
    }

    void check_global() {
        const std::string_view name = token(at_).text;
        const auto found = known_.find(name);
        if (found == known_.end()) {
            if (const std::string_view foreign = describe_foreign_name(name); !foreign.empty())
                return complain(std::string(foreign));
            if (undeclared_.contains(name)) return;
            if (after(1).is("=") || before(1).is("function")) {
                undeclared_.insert(name);
                return complain(text::format(
                    "'{}' is not declared; write 'local {} = ...' (globals cannot be set)", name, name));
            }
            std::vector<std::string> globals;
            for (const auto& [global, members] : known_)
                globals.push_back(global);
            return complain(
                text::format("unknown name '{}'{}", text::printable(name, 60), did_you_mean(name, globals)));
        }
        const std::set<std::string>& members = found->second;
        if (name == "require") return check_literal("there is no module", members);
        if (name == "data") return check_literal("data has no file", members);
        const bool names_member = (after(1).is(".") || after(1).is(":")) && after(2).is_name();
        if (members.empty() || !names_member || members.contains(std::string(after(2).text))) return;
        complain(text::format("{} has no '{}'{}", name, text::printable(after(2).text, 60),
                              did_you_mean(after(2).text, members)));
    }

    /// After a function that takes one of these names as a literal.
    void check_literal(std::string_view complaint, const std::set<std::string>& known) {
        const Token* name = literal_argument(rest(1));
        if (name == nullptr || known.contains(std::string(name->text))) return;
        const std::vector<std::string> names(known.begin(), known.end());
        complain(text::format("{} '{}'{}{}", complaint, text::printable(name->text, 60),
                              text::did_you_mean(name->text, names), list_of_names(names)));
    }

    void check_argument(const Local& object) {
        if (object.meaning == Meaning::options)
            return note_use(describe_unknown_option_use(rest(0)), describe_suspicious_option_use(rest(0)));
        if (object.meaning == Meaning::view) return note_use(read_view_use(rest(0), object.kind).problem, {});
        check_job(object.meaning);
    }

    void check_job(Meaning object) {
        const JobName name = object == Meaning::before ? JobName::before : JobName::job;
        note_use(describe_unknown_use(rest(0), name, /*has_string_library=*/!local("string")),
                 finds_all_ ? describe_suspicious_use(rest(0), name, writable_env_) : std::string());
    }

    /// Mistakes of one use: the first keeps the file from loading, the second does not.
    void note_use(std::string unknown, std::string suspicious) {
        if (!unknown.empty()) return complain(std::move(unknown));
        if (finds_all_) suspect(std::move(suspicious));
    }

    void complain(std::string what) { problems_.push_back({token(at_).line, std::move(what), true}); }

    /// A mistake that does not keep the file from loading; empty: there is none.
    void suspect(std::string what) {
        if (!what.empty()) problems_.push_back({token(at_).line, std::move(what), false});
    }

    /// The tokens from the one `ahead` of the current one on.
    [[nodiscard]] std::span<const Token> rest(std::size_t ahead) const {
        return std::span(tokens_).subspan(std::min(at_ + ahead, tokens_.size() - 1));
    }

    const std::vector<Token> tokens_;
    const KnownNames& known_;
    CodeKind kind_;
    bool finds_all_;
    const std::string* writable_env_;
    std::size_t at_ = 0;
    std::vector<Scope> scopes_;
    std::unordered_map<std::string_view, std::vector<Local>> locals_; ///< the innermost last
    std::unordered_map<std::string_view, int> declarations_;
    std::unordered_map<std::string_view, Arguments> given_; ///< functions that a rule names as its own
    std::set<std::string_view> assigned_;
    std::set<std::string_view> undeclared_; ///< globals that were set; their uses follow from that
    bool has_environment_ = false;
    bool has_other_ = false; ///< the rule may have another function
    std::vector<CodeProblem> problems_;
};

} // namespace

Result<void> check_names(std::string_view source, std::string_view file, const KnownNames& known,
                         CodeKind kind) {
    const auto problems = Checker(source, known, kind, /*finds_all=*/false).run();
    if (problems.empty()) return {};
    const CodeProblem& first = problems.front();
    return Error{ErrorCode::invalid_input, text::format("{}:{}: {}", file, first.line, first.message)};
}

std::vector<CodeProblem> find_code_problems(std::string_view source, const KnownNames& known, CodeKind kind,
                                            const std::string* writable_env) {
    return Checker(source, known, kind, /*finds_all=*/true, writable_env).run();
}

} // namespace qg::policy
