// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/name_scopes.hpp"

#include "qosgate/policy/rule_keys.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <set>
#include <unordered_map>
#include <utility>

namespace qg::policy {
namespace {

enum class ScopeKind : std::uint8_t {
    block,
    loop_head, ///< from `for` or `while` to its `do`, which makes a block of it
    table,
    rule_table, ///< the table in rule { ... }
    other_bracket,
};

struct Scope {
    ScopeKind kind = ScopeKind::block;
    bool is_guarded = false;
    std::optional<std::size_t> function;
    std::vector<std::string_view> names;
};

/// Follows scopes, but not expressions.
class ScopeReader {
  public:
    explicit ScopeReader(std::span<const Token> tokens) : tokens_(tokens) {}

    NameScopes run() {
        found_.tokens.resize(tokens_.size());
        for (std::size_t i = 0; i + 2 < tokens_.size(); ++i)
            note_assignment(i);
        scopes_.emplace_back();
        for (; at_ < tokens_.size(); ++at_) {
            found_.tokens[at_].is_guarded = scopes_.back().is_guarded;
            found_.tokens[at_].function = scopes_.back().function;
            step();
        }
        for (Declaration& declaration : found_.declarations)
            declaration.is_assigned = assigned_.contains(declaration.name);
        for (std::size_t i = 0; i < found_.functions.size(); ++i)
            if (found_.functions[i].name && tried_.contains(*found_.functions[i].name)) guard(i);
        return std::move(found_);
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

    static bool names_function(const Token& key) { return key.is_name() && is_function_key(key.text); }

    void note_assignment(std::size_t i) {
        static constexpr std::string_view starts[] = {"do",    "then",  "else", "repeat", ";",
                                                      ")",     "end",   "]",    "}",      "true",
                                                      "false", "break", "nil",  "...",    "::"};
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

    void push(ScopeKind kind) {
        scopes_.push_back({kind, scopes_.back().is_guarded, scopes_.back().function, {}});
    }

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
    /// Declares the current token. Returns its declaration.
    std::size_t declare(std::string_view name) {
        found_.declarations.push_back({.name = name, .at = at_});
        locals_[name].push_back(found_.declarations.size() - 1);
        scopes_.back().names.push_back(name);
        return found_.declarations.size() - 1;
    }
    [[nodiscard]] std::optional<std::size_t> local(std::string_view name) const {
        const auto found = locals_.find(name);
        if (found == locals_.end() || found->second.empty()) return std::nullopt;
        return found->second.back();
    }

    /// After `local` or `for`: names with attributes, up to the first token that is not a name. Returns how
    /// many.
    std::size_t declare_list() {
        for (std::size_t count = 1;; ++count) {
            ++at_;
            if (!token(at_).is_name()) return count - 1;
            declare(token(at_).text);
            if (after(1).is("<")) at_ += 3;
            if (!after(1).is(",")) return count;
            ++at_;
        }
    }

    void declare_locals() {
        // `local x = x`: the value is that of the name outside.
        const bool is_copy = after(2).is("=") && after(1).text == after(3).text && after(3).is_name();
        const auto outside = is_copy ? local(after(3).text) : std::nullopt;
        // Which of two a name means is not certain in the value itself, and behind `until`.
        if (!is_copy && after(1).is_name() && local(after(1).text)) assigned_.insert(after(1).text);
        const std::size_t count = declare_list();
        if (count == 1 && after(1).is("=")) found_.declarations.back().is_single = true;
        if (!is_copy) return;
        at_ += 2;
        if (outside)
            refer(*outside);
        else
            found_.tokens[at_].declaration = local(token(at_).text); // in doubt no global
        found_.tokens[at_].is_reference = true;
        found_.tokens[at_].is_guarded = scopes_.back().is_guarded;
        found_.tokens[at_].function = scopes_.back().function;
    }

    [[nodiscard]] bool opens_rule() const {
        const Token& function = before(1).is("(") ? before(2) : before(1);
        return function.is_name("rule") && !local("rule");
    }

    /// The key in front of the current token in the table of a rule, if it names a function.
    [[nodiscard]] std::string_view rule_key() const {
        const bool is_value = scopes_.back().kind == ScopeKind::rule_table && before(1).is("=");
        return is_value && names_function(before(2)) ? before(2).text : std::string_view();
    }

    void function() {
        const bool is_local = before(1).is("local");
        const bool is_tried = before(1).is("(") && before(2).is_name("pcall");
        FunctionScope made;
        made.begin = at_;
        made.rule_key = rule_key();
        if (!found_.declarations.empty() && before(1).is("=")) {
            const Declaration& last = found_.declarations.back();
            // The name may have an attribute: local f <const> = function
            const bool is_named = last.at + 2 == at_ || (last.at + 5 == at_ && token(last.at + 1).is("<"));
            if (last.is_single && is_named) made.name = found_.declarations.size() - 1;
        }
        // Of several names, before(2) is the last one, and this the first value.
        if (before(1).is("=") && before(2).is_name() && !before(3).is(",") &&
            found_.tokens[at_ - 2].is_reference && !found_.tokens[at_ - 2].declaration)
            made.global = at_ - 2;
        bool is_method = false;
        if (after(1).is_name()) {
            ++at_;
            if (is_local)
                made.name = declare(token(at_).text);
            else
                reference();
            if (!is_local && after(1).is("(") && !found_.tokens[at_].declaration) made.global = at_;
            for (; after(1).is(".") || after(1).is(":"); at_ += 2)
                is_method = after(1).is(":");
        }
        push(ScopeKind::block);
        scopes_.back().is_guarded = scopes_.back().is_guarded || is_tried;
        scopes_.back().function = found_.functions.size();
        if (is_method) declare("self");
        at_ += 2; // after the bracket
        for (; !token(at_).is(")") && token(at_).kind != TokenKind::end; ++at_)
            if (token(at_).is_name()) made.parameters.push_back(declare(token(at_).text));
        made.body = at_ + 1;
        found_.functions.push_back(std::move(made));
    }

    void reference_or_key() {
        const ScopeKind scope = scopes_.back().kind;
        const bool is_in_table = scope == ScopeKind::table || scope == ScopeKind::rule_table;
        const Token& previous = before(1);
        const bool begins_item = previous.is("{") || previous.is(",") || previous.is(";");
        if (is_in_table && begins_item && after(1).is("=")) return;
        reference();
    }

    void reference() {
        TokenScope& here = found_.tokens[at_];
        here.is_reference = true;
        here.is_guarded = scopes_.back().is_guarded;
        here.function = scopes_.back().function;
        if (after(1).is(",") || after(1).is(";") || after(1).is("}")) here.rule_key = rule_key();
        if (const auto declared = local(token(at_).text)) refer(*declared);
    }

    /// Marks what is in a function that is given to pcall by its name, with all functions in it.
    void guard(std::size_t function) {
        const auto is_own = [function](const TokenScope& token) { return token.function == function; };
        const auto first = std::ranges::find_if(found_.tokens, is_own);
        const auto last = std::find_if(found_.tokens.rbegin(), found_.tokens.rend(), is_own);
        for (auto token = first; token != found_.tokens.end() && token != last.base(); ++token)
            token->is_guarded = true;
    }

    void refer(std::size_t declaration) {
        if (before(1).is("(") && before(2).is_name("pcall")) tried_.insert(declaration);
        found_.tokens[at_].declaration = declaration;
        found_.declarations[declaration].is_used = true;
    }

    const std::span<const Token> tokens_;
    NameScopes found_;
    std::size_t at_ = 0;
    std::vector<Scope> scopes_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> locals_; ///< the innermost last
    std::set<std::string_view> assigned_;
    std::set<std::size_t> tried_; ///< declarations of functions that pcall gets
};

} // namespace

NameScopes read_scopes(std::span<const Token> tokens) {
    return ScopeReader(tokens).run();
}

} // namespace qg::policy
