// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/yaml_tree.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/utf8.hpp"

#include <algorithm>
#include <exception>
#include <map>
#include <optional>
#include <sstream>

#include <yaml-cpp/eventhandler.h>
#include <yaml-cpp/exceptions.h>
#include <yaml-cpp/mark.h>
#include <yaml-cpp/parser.h>

namespace qg::spec {
namespace {

/// Why reading stops at a place.
struct Stop {
    Position at;
    std::string why;
};

/// The place of a byte.
Position place_in(const std::string& file, std::string_view text, std::size_t offset) {
    const std::string_view before = text.substr(0, offset);
    const auto line = static_cast<std::size_t>(std::count(before.begin(), before.end(), '\n')) + 1;
    const auto start = before.rfind('\n');
    return {file, line, start == std::string_view::npos ? offset + 1 : offset - start};
}

/// YAML allows no control characters, and yaml-cpp guesses other encodings if it meets them.
std::optional<Stop> find_wrong_character(const std::string& file, std::string_view text) {
    for (std::size_t at = 0; at < text.size();) {
        const text::CodePoint next = text::decode_utf8(text.substr(at, 4));
        if (next.bytes == 0) return Stop{place_in(file, text, at), "this is not UTF-8"};
        const bool is_blank = next.code == '\t' || next.code == '\n' || next.code == '\r';
        if ((next.code < 0x20 && !is_blank) || next.code == 0x7f)
            return Stop{place_in(file, text, at), "control characters are not allowed"};
        at += next.bytes;
    }
    return std::nullopt;
}

std::string_view line_of(std::string_view text, std::size_t number) {
    std::size_t begin = 0;
    for (std::size_t line = 1; line < number; ++line) {
        const auto end = text.find('\n', begin);
        if (end == std::string_view::npos) return {};
        begin = end + 1;
    }
    return text.substr(begin, text.find('\n', begin) - begin);
}

bool is_indented_by_tab(std::string_view line) {
    const auto blank = line.substr(0, std::min(line.find_first_not_of(" \t"), line.size()));
    return blank.find('\t') != std::string_view::npos;
}

/// Makes nodes of yaml-cpp's events. The bounds hold before a node is kept.
class TreeBuilder : public YAML::EventHandler {
  public:
    TreeBuilder(const std::string& file, TreeBounds& bounds, ProblemList& problems)
        : file_(&file), bounds_(&bounds), problems_(&problems) {}

    /// The document that was read last; null pointer: it was empty.
    NodePtr take() { return std::exchange(root_, nullptr); }

    void OnDocumentStart(const YAML::Mark& /*mark*/) override {
        anchors_.clear();
        open_.clear();
        root_.reset();
    }
    void OnDocumentEnd() override {}
    void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        finish(make(mark, Node::Kind::null), anchor);
    }
    void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override {
        const auto found = anchors_.find(anchor);
        if (found == anchors_.end()) stop(mark, "this alias stands within its own anchor");
        spend(mark, found->second->size);
        add(found->second, place(mark));
    }
    void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  const std::string& value) override {
        check_tag(mark, tag);
        if (value.size() > TreeBounds::max_text)
            stop(mark, text::format("too long: a text has at most {} bytes", TreeBounds::max_text));
        auto node = make(mark, Node::Kind::scalar);
        node->text = value;
        const std::size_t more = value.size() / TreeBounds::text_per_node;
        spend(mark, more);
        node->size += more;
        node->is_plain = tag == "?" || tag.empty();
        finish(std::move(node), anchor);
    }
    void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, anchor, Node::Kind::sequence);
    }
    void OnSequenceEnd() override { close(); }
    void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                    YAML::EmitterStyle::value /*style*/) override {
        open(mark, tag, anchor, Node::Kind::mapping);
    }
    void OnMapEnd() override { close(); }

  private:
    struct Open {
        std::shared_ptr<Node> node;
        YAML::anchor_t anchor;
        Position position = {};
        NodePtr key = {};                              ///< of a mapping: waits for its value
        bool skips_value = false;                      ///< the key was wrong
        std::map<std::string, std::size_t> lines = {}; ///< of the keys
    };

    [[nodiscard]] Position place(const YAML::Mark& mark) const {
        return {*file_, static_cast<std::size_t>(std::max(mark.line, 0)) + 1,
                static_cast<std::size_t>(std::max(mark.column, 0)) + 1};
    }

    [[noreturn]] void stop(const YAML::Mark& mark, std::string why) const {
        throw Stop{place(mark), std::move(why)};
    }

    void spend(const YAML::Mark& mark, std::size_t nodes) {
        if (nodes > bounds_->nodes)
            stop(mark, "too many values: all files together have at most 500,000, aliases expanded");
        bounds_->nodes -= nodes;
    }

    std::shared_ptr<Node> make(const YAML::Mark& mark, Node::Kind kind) {
        spend(mark, 1);
        auto node = std::make_shared<Node>();
        const Position at = place(mark);
        node->kind = kind;
        node->line = at.line;
        node->column = at.column;
        return node;
    }

    void check_tag(const YAML::Mark& mark, const std::string& tag) const {
        constexpr std::string_view own = "tag:yaml.org,2002:";
        const bool is_known = tag.empty() || tag == "?" || tag == "!" || tag.starts_with(own);
        if (!is_known || tag.find('/') != std::string::npos)
            stop(mark, text::format("the tag '{}' is not supported", text::printable(tag, 60)));
    }

    void open(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor, Node::Kind kind) {
        check_tag(mark, tag);
        if (open_.size() >= TreeBounds::max_depth)
            stop(mark, text::format("too deep: at most {} levels", TreeBounds::max_depth));
        open_.push_back({make(mark, kind), anchor, place(mark)});
    }

    void close() {
        Open done = std::move(open_.back());
        open_.pop_back();
        finish(std::move(done.node), done.anchor);
    }

    void finish(std::shared_ptr<Node> node, YAML::anchor_t anchor) {
        const Position at{*file_, node->line, node->column};
        if (anchor != YAML::NullAnchor) anchors_[anchor] = node;
        add(std::move(node), at);
    }

    /// Puts a whole node where it stands.
    void add(NodePtr node, const Position& at) {
        if (open_.empty()) {
            root_ = std::move(node);
            return;
        }
        Open& parent = open_.back();
        if (parent.node->is_sequence()) {
            parent.node->size += node->size;
            parent.node->items.push_back(std::move(node));
        } else if (parent.skips_value) {
            parent.skips_value = false;
        } else if (parent.key == nullptr) {
            parent.skips_value = !is_new_key(parent, *node, at);
            if (!parent.skips_value) parent.key = std::move(node);
        } else {
            parent.node->size += parent.key->size + node->size;
            parent.node->entries.emplace_back(std::exchange(parent.key, nullptr), std::move(node));
        }
    }

    bool is_new_key(Open& mapping, const Node& key, const Position& at) {
        if (!key.is_scalar()) {
            problems_->add(
                at, {}, text::format("a key must be a text, not {}; put it into quotes", describe(key.kind)));
            return false;
        }
        if (key.text == "<<" && key.is_plain) {
            problems_->add(at, "<<", "merge keys are not supported; write 'template:'");
            return false;
        }
        const auto [first, is_new] = mapping.lines.emplace(key.text, at.line);
        if (!is_new)
            problems_->add(at, key.text, text::format("given twice; the first is in line {}", first->second));
        return is_new;
    }

    const std::string* file_;
    TreeBounds* bounds_;
    ProblemList* problems_;
    NodePtr root_;
    std::vector<Open> open_;
    std::map<YAML::anchor_t, NodePtr> anchors_;
};

void report_syntax(const SourceText& source, std::string_view text, const YAML::Exception& error,
                   ProblemList& problems) {
    const bool is_known = error.mark.line >= 0;
    const auto line = is_known ? static_cast<std::size_t>(error.mark.line) + 1 : 0;
    const auto column = is_known ? static_cast<std::size_t>(std::max(error.mark.column, 0)) + 1 : 0;
    // The reader often notices a tab only in the line after it.
    for (std::size_t at = line; at + 1 >= line && at > 0; --at) {
        const std::string_view beginning = line_of(text, at);
        if (!is_indented_by_tab(beginning)) continue;
        problems.add({source.file, at, beginning.find('\t') + 1}, {},
                     "YAML is not indented by tabs; write spaces");
        return;
    }
    problems.add({source.file, line, column}, {},
                 text::format("this is not YAML: {}", text::printable(error.msg)));
}

} // namespace

const Node* Node::find(std::string_view key) const {
    for (const auto& [name, value] : entries)
        if (name->text == key) return value.get();
    return nullptr;
}

std::string_view describe(Node::Kind kind) {
    switch (kind) {
    case Node::Kind::null: return "nothing";
    case Node::Kind::scalar: return "a text";
    case Node::Kind::sequence: return "a list";
    case Node::Kind::mapping: return "a mapping";
    }
    return {};
}

std::vector<NodePtr> read_yaml(const SourceText& source, TreeBounds& bounds, ProblemList& problems) {
    const std::string_view text = text::without_byte_order_mark(source.text);
    if (text.size() > TreeBounds::max_bytes) {
        problems.add({source.file}, {}, "the file is too large: at most 4 MiB");
        return {};
    }
    if (const auto wrong = find_wrong_character(source.file, text)) {
        problems.add(wrong->at, {}, wrong->why);
        return {};
    }
    std::vector<NodePtr> documents;
    try {
        std::istringstream stream{std::string(text)};
        YAML::Parser parser(stream);
        TreeBuilder builder(source.file, bounds, problems);
        while (parser.HandleNextDocument(builder)) {
            NodePtr root = builder.take();
            if (root != nullptr && root->kind != Node::Kind::null) documents.push_back(std::move(root));
        }
        return documents;
    } catch (const Stop& stop) {
        problems.add(stop.at, {}, stop.why);
    } catch (const YAML::Exception& error) {
        report_syntax(source, text, error, problems);
    } catch (const std::exception& error) {
        problems.add({source.file}, {}, text::format("cannot be read: {}", text::printable(error.what())));
    }
    return {};
}

} // namespace qg::spec
