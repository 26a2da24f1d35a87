// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/kept_state.hpp"

#include "qosgate/policy/lua_tokens.hpp"

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>
#include <vector>

namespace qg::policy {
namespace {

enum class BracketKind : std::uint8_t {
    block,
    function,
    loop_head, ///< from `for` to its `do`, which makes a block of it
    table,
    rule_table, ///< the table in rule { ... }
    other,
};

/// A function that the walk is in; the first one is the file.
struct Frame {
    std::set<std::string_view> names; ///< of its locals, wherever they are declared
    std::string_view job;             ///< the first parameter of a rule's submit; empty: it is another one
};

/// Goes through the tokens once and stops at the first sign that something may be kept.
class Walk {
  public:
    Walk(std::string_view source, const std::set<std::string, std::less<>>& stateful_modules)
        : tokens_(read_tokens(source)), stateful_modules_(stateful_modules), frames_(1) {}

    bool finds_state() {
        while (at_ < tokens_.size() && !has_state_) {
            step();
            ++at_;
        }
        return has_state_;
    }

  private:
    [[nodiscard]] const Token& ahead(std::size_t count) const noexcept {
        return tokens_[std::min(at_ + count, tokens_.size() - 1)]; // the last one is the end
    }
    [[nodiscard]] const Token& back(std::size_t count) const noexcept {
        static constexpr Token nothing;
        return count > at_ ? nothing : tokens_[at_ - count];
    }
    [[nodiscard]] bool is_in_function() const noexcept { return frames_.size() > 1; }
    static bool is_member(const Token& before) { return before.is(".") || before.is(":"); }

    void step() {
        const Token& token = tokens_[at_];
        if (token.is_name()) return name(token.text);
        if (token.kind == TokenKind::text && token.text == "gmatch") has_state_ = true;
        if (token.kind != TokenKind::symbol) return;
        const std::string_view word = token.text;
        if (word == "function") {
            function();
        } else if (word == "local") {
            if (!ahead(1).is("function")) declare_list();
        } else if (word == "for") {
            declare_list();
            brackets_.push_back(BracketKind::loop_head);
            head_ = {};
        } else if (word == "," && is_in(BracketKind::loop_head)) {
            head_.has_comma = true;
            if (head_.has_gmatch) has_state_ = true;
        } else if (word == "if" || word == "do" || word == "repeat") {
            if (is_in(BracketKind::loop_head)) brackets_.pop_back();
            brackets_.push_back(BracketKind::block);
        } else if (word == "(" || word == "[") {
            brackets_.push_back(BracketKind::other);
        } else if (word == "{") {
            brackets_.push_back(opens_rule() ? BracketKind::rule_table : BracketKind::table);
        } else if (word == "end" || word == "until" || word == ")" || word == "]" || word == "}") {
            close();
        } else if (word == "=") {
            if (is_in_function() && !is_in_table()) assign();
        }
    }

    [[nodiscard]] bool is_in(BracketKind kind) const noexcept {
        return !brackets_.empty() && brackets_.back() == kind;
    }
    [[nodiscard]] bool is_in_table() const noexcept {
        return is_in(BracketKind::table) || is_in(BracketKind::rule_table);
    }

    [[nodiscard]] bool opens_rule() const {
        const std::size_t place = back(1).is("(") ? 2 : 1;
        return back(place).is_name("rule") && !is_member(back(place + 1));
    }

    void close() {
        if (brackets_.empty()) return;
        if (brackets_.back() == BracketKind::function) frames_.pop_back();
        brackets_.pop_back();
    }

    /// The name at the current token.
    void name(std::string_view name) {
        static constexpr std::array<std::string_view, 3> harmless{"concat", "pack", "unpack"};
        if (name == "gmatch") note_gmatch();
        if (is_member(back(1))) return;
        if (name == "_ENV" || (name == "string" && !ahead(1).is("."))) has_state_ = true;
        if (name == "table")
            has_state_ = has_state_ || !ahead(1).is(".") ||
                         std::ranges::find(harmless, ahead(2).text) == harmless.end();
        if (name == "require") require();
    }

    /// What gmatch returns changes with each call. A loop over it alone does not give it away.
    void note_gmatch() {
        head_.has_gmatch = true;
        if (!is_in(BracketKind::loop_head) || head_.has_comma) has_state_ = true;
    }

    void require() {
        const Token* module =
            literal_argument(std::span(tokens_).subspan(std::min(at_ + 1, tokens_.size() - 1)));
        has_state_ = has_state_ || module == nullptr || stateful_modules_.contains(module->text);
    }

    void declare(std::string_view name) {
        Frame& frame = frames_.back();
        frame.names.insert(name);
        if (name == frame.job) frame.job = {};
        if (name == "rule" || name == "require" || name == "table") has_state_ = true;
    }

    /// After `local` or `for`: names with attributes, and the "=" or "in" behind them.
    void declare_list() {
        for (;;) {
            ++at_;
            if (!tokens_[std::min(at_, tokens_.size() - 1)].is_name()) return;
            declare(tokens_[at_].text);
            if (ahead(1).is("<")) at_ += 3;
            if (!ahead(1).is(",")) break;
            ++at_;
        }
        if (ahead(1).is("=")) ++at_;
    }

    void function() {
        const bool is_submit = is_in(BracketKind::rule_table) && back(1).is("=") && back(2).is_name("submit");
        const bool is_local = back(1).is("local");
        bool is_method = false;
        if (ahead(1).is_name()) {
            if (is_local)
                declare(ahead(1).text);
            else
                has_state_ = has_state_ || is_in_function(); // it replaces a function
            for (++at_; is_member(ahead(1)); at_ += 2)
                is_method = ahead(1).is(":");
        }
        brackets_.push_back(BracketKind::function);
        frames_.emplace_back();
        if (is_method) declare("self");
        at_ += 2; // after the bracket
        std::string_view first;
        for (; at_ < tokens_.size() && !tokens_[at_].is(")"); ++at_) {
            if (!tokens_[at_].is_name()) continue;
            if (first.empty()) first = tokens_[at_].text;
            declare(tokens_[at_].text);
        }
        if (is_submit) frames_.back().job = first;
    }

    /// An assignment in a function, at its "=".
    void assign() { has_state_ = !(sets_own_local() || sets_field_of_job()); }

    [[nodiscard]] bool starts_target(std::size_t count) const {
        return !is_member(back(count + 1)) && !back(count + 1).is(",");
    }

    /// name = ..., where the name can only be a local of this very call. Blocks are not told apart, so a name
    /// that an enclosing function has, too, is in doubt.
    [[nodiscard]] bool sets_own_local() const {
        const Token& name = back(1);
        const Frame& own = frames_.back();
        if (!name.is_name() || !starts_target(1) || name.text == own.job) return false;
        const auto has_name = [&name](const Frame& frame) { return frame.names.contains(name.text); };
        return has_name(own) && std::none_of(frames_.begin(), frames_.end() - 1, has_name);
    }

    /// job.field = ...
    [[nodiscard]] bool sets_field_of_job() const {
        const std::string_view job = frames_.back().job;
        return !job.empty() && back(1).is_name() && back(2).is(".") && back(3).is_name(job) &&
               starts_target(3);
    }

    const std::vector<Token> tokens_;
    const std::set<std::string, std::less<>>& stateful_modules_;
    std::size_t at_ = 0;
    std::vector<Frame> frames_;
    std::vector<BracketKind> brackets_;
    struct LoopHead {
        bool has_comma = false; ///< behind `in`
        bool has_gmatch = false;
    };
    LoopHead head_; ///< of the last `for`
    bool has_state_ = false;
};

} // namespace

bool may_keep_state(std::string_view source, const std::set<std::string, std::less<>>& stateful_modules) {
    return Walk(source, stateful_modules).finds_state();
}

} // namespace qg::policy
