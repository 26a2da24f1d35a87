// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/syntax_tree.hpp"

#include <algorithm>
#include <initializer_list>

namespace qg::policy {
namespace {

/// Lua allows 200 (LUAI_MAXCCALLS), and counts at the same places.
constexpr int max_depth = 220;

constexpr int unary_power = 12;

struct Power {
    std::string_view sign;
    int left;
    int right; ///< less than left: a .. (b .. c)
};
constexpr Power powers[] = {
    {"or", 1, 1},  {"and", 2, 2}, {"<", 3, 3},   {">", 3, 3},   {"<=", 3, 3},   {">=", 3, 3},  {"~=", 3, 3},
    {"==", 3, 3},  {"|", 4, 4},   {"~", 5, 5},   {"&", 6, 6},   {"<<", 7, 7},   {">>", 7, 7},  {"..", 9, 8},
    {"+", 10, 10}, {"-", 10, 10}, {"*", 11, 11}, {"/", 11, 11}, {"//", 11, 11}, {"%", 11, 11}, {"^", 14, 13},
};

bool is_one_of(const Token& token, std::initializer_list<std::string_view> symbols) {
    return token.kind == TokenKind::symbol && std::ranges::find(symbols, token.text) != symbols.end();
}

} // namespace

/// Goes through the tokens once. After a mistake it stands at the end, where each construct ends.
class SyntaxParser {
  public:
    explicit SyntaxParser(SyntaxTree& tree) : tree_(tree) {}

    void run() {
        (void)block();
        if (!is_at_end()) fail();
        for (NodeId id = tree_.size(); id-- > 0;) {
            Node& node = tree_.nodes_[id];
            if (node.parent == no_node) continue;
            const Node& parent = tree_.nodes_[node.parent];
            node.function = parent.kind == NodeKind::function ? node.parent : parent.function;
        }
    }

  private:
    using Place = std::uint32_t;

    /// Counts the depth while it lives.
    class Level {
      public:
        explicit Level(SyntaxParser& parser) : parser_(parser) {
            if (++parser_.depth_ > max_depth) parser_.fail();
        }
        ~Level() { --parser_.depth_; }
        Level(const Level&) = delete;
        Level& operator=(const Level&) = delete;

      private:
        SyntaxParser& parser_;
    };

    // ---- tokens ------------------------------------------------------------------------------------------

    [[nodiscard]] const Token& token() const noexcept { return tree_.tokens_[at_]; }
    [[nodiscard]] bool is_at(std::string_view symbol) const noexcept { return token().is(symbol); }
    [[nodiscard]] bool is_at_end() const noexcept { return token().kind == TokenKind::end; }
    void fail() noexcept {
        tree_.is_complete_ = false;
        at_ = static_cast<Place>(tree_.tokens_.size() - 1);
    }
    /// Returns the place of the token, and goes on. At the end it stays.
    Place take() noexcept { return is_at_end() ? at_ : at_++; }
    bool take_if(std::string_view symbol) noexcept {
        const bool is_there = is_at(symbol);
        if (is_there) ++at_;
        return is_there;
    }
    void expect(std::string_view symbol) noexcept {
        if (!take_if(symbol)) fail();
    }
    Place expect_name() noexcept {
        if (!token().is_name()) fail();
        return take();
    }

    // ---- nodes -------------------------------------------------------------------------------------------

    /// The pending nodes from `mark` on become the children.
    NodeId make(NodeKind kind, Place token, Place begin, std::size_t mark, std::size_t split = 0) {
        const NodeId id = tree_.size();
        Node node{.kind = kind, .token = token, .begin = begin};
        node.children = static_cast<std::uint32_t>(tree_.children_.size());
        node.count = static_cast<std::uint32_t>(pending_.size() - mark);
        node.split = static_cast<std::uint32_t>(split);
        for (std::size_t i = mark; i < pending_.size(); ++i) {
            tree_.nodes_[pending_[i]].parent = id;
            tree_.nodes_[pending_[i]].place = static_cast<std::uint32_t>(i - mark);
            tree_.children_.push_back(pending_[i]);
        }
        pending_.resize(mark);
        tree_.nodes_.push_back(node);
        return id;
    }
    NodeId leaf(NodeKind kind, Place token) { return make(kind, token, token, pending_.size()); }
    void add(NodeId child) { pending_.push_back(child); }

    // ---- scopes ------------------------------------------------------------------------------------------

    /// The name is not visible before show().
    NodeId declare(Place token) {
        const NodeId id = leaf(NodeKind::declared, token);
        tree_.nodes_[id].local = static_cast<std::uint32_t>(tree_.declarations_.size());
        tree_.declarations_.push_back({.name = tree_.tokens_[token].text, .node = id});
        return id;
    }
    void show(NodeId declared) {
        const std::uint32_t local = tree_.nodes_[declared].local;
        const std::string_view name = tree_.declarations_[local].name;
        visible_[name].push_back(local);
        shown_.push_back(name);
    }
    void hide(std::size_t mark) {
        for (; shown_.size() > mark; shown_.pop_back())
            visible_[shown_.back()].pop_back();
    }
    NodeId reference(Place token) {
        const NodeId id = leaf(NodeKind::name, token);
        const auto found = visible_.find(tree_.tokens_[token].text);
        if (found == visible_.end() || found->second.empty()) return id;
        tree_.nodes_[id].local = found->second.back();
        tree_.declarations_[found->second.back()].uses.push_back(id);
        return id;
    }

    // ---- statements --------------------------------------------------------------------------------------

    [[nodiscard]] bool ends_block() const {
        return is_at_end() || is_one_of(token(), {"end", "else", "elseif", "until"});
    }
    NodeId block() {
        const std::size_t mark = pending_.size();
        const Place begin = at_;
        while (!ends_block()) {
            if (take_if(";")) continue;
            const bool is_last = is_at("return");
            add(statement());
            if (is_last) break;
        }
        return make(NodeKind::block, begin, begin, mark);
    }
    /// With a scope of its own.
    NodeId body() {
        const std::size_t shown = shown_.size();
        const NodeId made = block();
        hide(shown);
        return made;
    }

    NodeId statement() {
        const Level level(*this);
        if (is_at("if")) return conditional();
        if (is_at("while")) return while_loop();
        if (is_at("repeat")) return repeat_loop();
        if (is_at("for")) return for_loop();
        if (is_at("do")) return do_block();
        if (is_at("function")) return named_function();
        if (is_at("local")) return local();
        if (is_at("return")) return return_statement();
        if (is_at("break")) return leaf(NodeKind::jump, take());
        if (is_at("goto") || is_at("::")) return jump();
        return call_or_assignment();
    }

    NodeId jump() {
        const bool is_label = is_at("::");
        const NodeId made = leaf(NodeKind::jump, take());
        expect_name();
        if (is_label) expect("::");
        return made;
    }

    NodeId conditional() {
        const std::size_t mark = pending_.size();
        const Place begin = at_;
        do {
            take();
            add(expression());
            expect("then");
            add(body());
        } while (is_at("elseif"));
        if (take_if("else")) add(body());
        expect("end");
        return make(NodeKind::conditional, begin, begin, mark);
    }

    NodeId while_loop() {
        const std::size_t mark = pending_.size();
        const Place begin = take();
        add(expression());
        expect("do");
        add(body());
        expect("end");
        return make(NodeKind::loop, begin, begin, mark);
    }

    /// The condition sees the names of the block.
    NodeId repeat_loop() {
        const std::size_t mark = pending_.size();
        const std::size_t shown = shown_.size();
        const Place begin = take();
        add(block());
        expect("until");
        add(expression());
        hide(shown);
        return make(NodeKind::loop, begin, begin, mark);
    }

    NodeId for_loop() {
        const std::size_t mark = pending_.size();
        const std::size_t shown = shown_.size();
        const Place begin = take();
        do
            add(declare(expect_name()));
        while (take_if(","));
        const std::size_t names = pending_.size() - mark;
        const bool is_numeric = names == 1 && is_at("=");
        if (!take_if("=")) expect("in");
        expressions();
        for (std::size_t i = 0; i < names; ++i)
            show(pending_[mark + i]);
        expect("do");
        add(body());
        expect("end");
        hide(shown);
        return make(is_numeric ? NodeKind::numeric_loop : NodeKind::generic_loop, begin, begin, mark, names);
    }

    NodeId do_block() {
        const std::size_t mark = pending_.size();
        const Place begin = take();
        add(body());
        expect("end");
        return make(NodeKind::do_block, begin, begin, mark);
    }

    NodeId named_function() {
        const std::size_t mark = pending_.size();
        const Place begin = take();
        const Place first = expect_name();
        NodeId name = reference(first);
        bool is_method = false;
        while (!is_method && (is_at(".") || is_at(":"))) {
            is_method = is_at(":");
            const std::size_t parts = pending_.size();
            const Place sign = take();
            add(name);
            add(leaf(NodeKind::text, expect_name()));
            name = make(NodeKind::index, sign, first, parts);
        }
        add(name);
        add(function(begin, is_method));
        return assigned(begin, begin, mark, 1);
    }

    NodeId local() {
        const std::size_t mark = pending_.size();
        const Place begin = take();
        if (is_at("function")) {
            const Place sign = take();
            add(declare(expect_name()));
            show(pending_.back());
            add(function(sign, false));
            return with_values(begin, mark, 1);
        }
        do {
            add(declare(expect_name()));
            if (!take_if("<")) continue;
            expect_name();
            expect(">");
        } while (take_if(","));
        const std::size_t names = pending_.size() - mark;
        if (take_if("=")) expressions();
        for (std::size_t i = 0; i < names; ++i)
            show(pending_[mark + i]);
        return with_values(begin, mark, names);
    }
    NodeId with_values(Place begin, std::size_t mark, std::size_t names) {
        for (std::size_t i = 0; i < names && mark + names + i < pending_.size(); ++i)
            tree_.declarations_[tree_.nodes_[pending_[mark + i]].local].value = pending_[mark + names + i];
        return make(NodeKind::local, begin, begin, mark, names);
    }

    NodeId return_statement() {
        const std::size_t mark = pending_.size();
        const Place begin = take();
        if (!ends_block() && !is_at(";")) expressions();
        take_if(";");
        return make(NodeKind::return_statement, begin, begin, mark);
    }

    NodeId call_or_assignment() {
        const std::size_t mark = pending_.size();
        const Place begin = at_;
        const NodeId first = suffixed();
        if (!is_at("=") && !is_at(",")) {
            if (!tree_.is(first, NodeKind::call) && !tree_.is(first, NodeKind::method)) fail();
            return first;
        }
        add(first);
        while (take_if(","))
            add(suffixed());
        const std::size_t targets = pending_.size() - mark;
        const Place sign = at_;
        expect("=");
        expressions();
        return assigned(sign, begin, mark, targets);
    }
    NodeId assigned(Place sign, Place begin, std::size_t mark, std::size_t targets) {
        for (std::size_t i = 0; i < targets; ++i)
            if (const std::uint32_t local = tree_.nodes_[pending_[mark + i]].local; local != no_node)
                tree_.declarations_[local].is_assigned = true;
        return make(NodeKind::assignment, sign, begin, mark, targets);
    }

    // ---- expressions -------------------------------------------------------------------------------------

    void expressions() {
        do
            add(expression());
        while (take_if(","));
    }

    NodeId expression(int above = 0) {
        const Level level(*this);
        const Place begin = at_;
        const std::size_t mark = pending_.size();
        NodeId left = no_node;
        if (is_one_of(token(), {"not", "-", "#", "~"})) {
            const Place sign = take();
            add(expression(unary_power));
            left = make(NodeKind::unary, sign, begin, mark);
        } else
            left = simple();
        for (const Power* power = power_here(); power != nullptr && power->left > above;
             power = power_here()) {
            const Place sign = take();
            add(left);
            add(expression(power->right));
            left = make(NodeKind::binary, sign, begin, mark);
        }
        return left;
    }
    [[nodiscard]] const Power* power_here() const {
        if (token().kind != TokenKind::symbol) return nullptr;
        const auto* found = std::ranges::find(powers, token().text, &Power::sign);
        return found == std::end(powers) ? nullptr : found;
    }

    NodeId simple() {
        if (token().kind == TokenKind::number) return leaf(NodeKind::number, take());
        if (token().kind == TokenKind::text) return leaf(NodeKind::text, take());
        if (is_at("nil")) return leaf(NodeKind::nothing, take());
        if (is_at("true") || is_at("false")) return leaf(NodeKind::flag, take());
        if (is_at("...")) return leaf(NodeKind::dots, take());
        if (is_at("{")) return table();
        if (is_at("function")) return function(take(), false);
        return suffixed();
    }

    NodeId suffixed() {
        const Place begin = at_;
        const std::size_t mark = pending_.size();
        NodeId left = primary();
        for (;;) {
            if (is_at(".")) {
                const Place sign = take();
                add(left);
                add(leaf(NodeKind::text, expect_name()));
                left = make(NodeKind::index, sign, begin, mark);
            } else if (is_at("[")) {
                const Place sign = take();
                add(left);
                add(expression());
                expect("]");
                left = make(NodeKind::index, sign, begin, mark);
            } else if (is_at(":")) {
                take();
                const Place name = expect_name();
                add(left);
                arguments();
                left = make(NodeKind::method, name, begin, mark);
            } else if (is_at("(") || is_at("{") || token().kind == TokenKind::text) {
                const Place sign = at_;
                add(left);
                arguments();
                left = make(NodeKind::call, sign, begin, mark);
            } else
                return left;
        }
    }
    NodeId primary() {
        if (!is_at("(")) return reference(expect_name());
        const std::size_t mark = pending_.size();
        const Place begin = take();
        add(expression());
        expect(")");
        return make(NodeKind::group, begin, begin, mark);
    }
    void arguments() {
        if (token().kind == TokenKind::text) return add(leaf(NodeKind::text, take()));
        if (is_at("{")) return add(table());
        expect("(");
        if (take_if(")")) return;
        expressions();
        expect(")");
    }

    NodeId table() {
        const std::size_t mark = pending_.size();
        const Place begin = take();
        while (!is_at("}") && !is_at_end()) {
            add(item());
            if (!take_if(",") && !take_if(";")) break;
        }
        expect("}");
        return make(NodeKind::table, begin, begin, mark);
    }
    NodeId item() {
        const std::size_t mark = pending_.size();
        const Place begin = at_;
        const bool is_named = token().is_name() && tree_.tokens_[at_ + 1].is("="); // the last one is the end
        if (!is_named && !is_at("[")) return expression();
        if (is_named)
            add(leaf(NodeKind::text, take()));
        else {
            take();
            add(expression());
            expect("]");
        }
        expect("=");
        add(expression());
        return make(NodeKind::entry, begin, begin, mark);
    }

    /// Behind `function` and its name.
    NodeId function(Place sign, bool is_method) {
        const std::size_t mark = pending_.size();
        const std::size_t shown = shown_.size();
        const auto parameter = [&](Place name) {
            add(declare(name));
            show(pending_.back());
        };
        if (is_method) parameter_self(sign);
        expect("(");
        while (!is_at(")") && !is_at_end()) {
            if (is_at("..."))
                add(leaf(NodeKind::dots, take()));
            else
                parameter(expect_name());
            if (!take_if(",")) break;
        }
        expect(")");
        add(block());
        expect("end");
        hide(shown);
        return make(NodeKind::function, sign, sign, mark, is_method ? 1 : 0);
    }
    void parameter_self(Place sign) {
        const NodeId self = declare(sign);
        tree_.declarations_.back().name = "self";
        add(self);
        show(self);
    }

    SyntaxTree& tree_;
    Place at_ = 0;
    int depth_ = 0;
    std::vector<NodeId> pending_;                                              ///< nodes without a parent yet
    std::unordered_map<std::string_view, std::vector<std::uint32_t>> visible_; ///< the innermost last
    std::vector<std::string_view> shown_;
};

SyntaxTree::SyntaxTree(std::string_view source) : tokens_(read_tokens(source)) {
    SyntaxParser(*this).run();
}

NodeKind SyntaxTree::kind(NodeId id) const noexcept {
    return id == no_node ? NodeKind::block : nodes_[id].kind;
}

std::span<const NodeId> SyntaxTree::children(NodeId id) const noexcept {
    return std::span(children_).subspan(nodes_[id].children, nodes_[id].count);
}

NodeId SyntaxTree::child(NodeId id, std::size_t place) const noexcept {
    return id == no_node || place >= nodes_[id].count ? no_node : children_[nodes_[id].children + place];
}

std::span<const NodeId> SyntaxTree::arguments(NodeId call) const noexcept {
    return children(call).subspan(1);
}

NodeId SyntaxTree::object(NodeId id) const noexcept {
    const NodeKind own = kind(id);
    const bool has_object = own == NodeKind::index || own == NodeKind::call || own == NodeKind::method;
    return has_object ? child(id, 0) : no_node;
}

std::string_view SyntaxTree::member(NodeId id) const noexcept {
    if (is(id, NodeKind::method)) return text(id);
    const NodeId key = is(id, NodeKind::index) ? child(id, 1) : no_node;
    return is(key, NodeKind::text) ? text(key) : std::string_view();
}

std::string_view SyntaxTree::key(NodeId entry) const noexcept {
    const NodeId key = is(entry, NodeKind::entry) ? child(entry, 0) : no_node;
    return is(key, NodeKind::text) ? text(key) : std::string_view();
}

bool SyntaxTree::is_dotted(NodeId id) const noexcept {
    return is(id, NodeKind::index) && text(id) == ".";
}

bool SyntaxTree::is_global(NodeId id) const noexcept {
    return is(id, NodeKind::name) && nodes_[id].local == no_node;
}

bool SyntaxTree::is_global(NodeId id, std::string_view name) const noexcept {
    return is_global(id) && text(id) == name;
}

bool SyntaxTree::is_path(NodeId id, std::string_view path) const noexcept {
    const std::size_t point = path.find('.');
    if (point == std::string_view::npos) return is_global(id, path);
    return is_dotted(id) && member(id) == path.substr(point + 1) &&
           is_global(object(id), path.substr(0, point));
}

bool SyntaxTree::is_called(NodeId id) const noexcept {
    return nodes_[id].place == 0 && is(parent(id), NodeKind::call);
}

bool SyntaxTree::is_target(NodeId id) const noexcept {
    return is(parent(id), NodeKind::assignment) && nodes_[id].place < nodes_[parent(id)].split;
}

NodeId SyntaxTree::value_of(NodeId target) const noexcept {
    return child(parent(target), nodes_[parent(target)].split + nodes_[target].place);
}

std::span<const NodeId> SyntaxTree::parameters(NodeId function) const noexcept {
    const std::uint32_t self = nodes_[function].split;
    return children(function).subspan(self, nodes_[function].count - 1 - self);
}

NodeId SyntaxTree::body(NodeId function) const noexcept {
    return children(function).back();
}

std::string_view SyntaxTree::only_text(NodeId call) const noexcept {
    const NodeId argument = nodes_[call].count == 2 ? child(call, 1) : no_node;
    return is(argument, NodeKind::text) ? text(argument) : std::string_view();
}

NodeId SyntaxTree::find_function(std::string_view name) const {
    for (NodeId id = size(); id-- > 0;) {
        const bool is_named = is(id, NodeKind::declared) || is(id, NodeKind::name);
        if (!is_named || text(id) != name) continue;
        const NodeId value = is(id, NodeKind::declared) ? declarations_[nodes_[id].local].value
                             : is_target(id)            ? value_of(id)
                                                        : no_node;
        if (is(value, NodeKind::function)) return value;
    }
    return no_node;
}

std::unordered_map<std::string_view, NodeId> SyntaxTree::global_values() const {
    std::unordered_map<std::string_view, NodeId> values;
    for (NodeId id = 0; id < size(); ++id) {
        if (!is_global(id) || !is_target(id)) continue;
        const auto [place, is_new] = values.emplace(text(id), value_of(id));
        if (!is_new) place->second = no_node;
    }
    return values;
}

} // namespace qg::policy
