// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_calls.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/host_programs.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <compare>
#include <set>
#include <unordered_map>
#include <utility>
#include <vector>

namespace qg::policy::compat {

// ---- what a text shows of values -----------------------------------------------------------------------

namespace {

// Without bounds, reading expressions that name each other would take the square of their length.
constexpr std::size_t max_length = 4096; ///< bytes of a value
constexpr std::size_t max_operands = 64; ///< of one expression

bool is_concatenation(const SyntaxTree& tree, NodeId id) {
    return tree.is(id, NodeKind::binary) && tree.text(id) == "..";
}

/// What string.format gives.
ShownText read_format(const ShownText& format) {
    ShownText shown{.beginning = format.beginning.substr(0, format.beginning.find('%')),
                    .is_whole = false,
                    .is_sure = format.is_sure,
                    .end = format.is_whole ? format.beginning : format.end};
    shown.is_whole = format.is_whole && shown.beginning == format.beginning;
    return shown;
}

/// The character of an escape of one letter; empty: there is none of that letter.
std::optional<char> plain_escape(char letter) noexcept {
    constexpr std::string_view letters = "abfnrtv\\\"'\n";
    constexpr std::string_view meant = "\a\b\f\n\r\t\v\\\"'\n";
    const std::size_t at = letters.find(letter);
    return at == letters.npos ? std::nullopt : std::optional(meant[at]);
}

/// Reads the number of an escape at the beginning of `rest` and removes it.
std::optional<char> take_number(std::string_view& rest, std::size_t digits, int base) noexcept {
    unsigned value = 0;
    const std::string_view text = rest.substr(0, digits);
    const auto [end, problem] = std::from_chars(text.data(), text.data() + text.size(), value, base);
    if (problem != std::errc() || value > 255) return std::nullopt;
    rest.remove_prefix(static_cast<std::size_t>(end - text.data()));
    return static_cast<char>(value);
}

std::optional<std::string> read_escapes(std::string_view rest) {
    std::string content;
    while (!rest.empty()) {
        const char c = rest.front();
        rest.remove_prefix(1);
        if (c != '\\') {
            content += c;
            continue;
        }
        if (rest.empty()) return std::nullopt;
        const char letter = rest.front();
        if (letter == 'z') {
            rest.remove_prefix(std::min(rest.find_first_not_of(" \t\r\n\v\f", 1), rest.size()));
            continue;
        }
        const bool is_hex = letter == 'x';
        const bool is_number = is_hex || text::is_digit(letter);
        if (is_hex || !is_number) rest.remove_prefix(1);
        // A line may end with "\r\n".
        if (letter == '\r' && rest.starts_with('\n')) continue;
        const auto meant = is_hex      ? take_number(rest, 2, 16)
                           : is_number ? take_number(rest, 3, 10)
                                       : plain_escape(letter);
        content += meant.value_or(letter); // as in Lua 5.1
    }
    return content;
}

} // namespace

std::optional<std::string> read_literal(const Token& token) {
    if (!token.text.empty()) return std::string(token.text);
    std::string_view raw = token.raw;
    if (raw.size() < 2) return std::nullopt;
    if (raw.front() != '[') return read_escapes(raw.substr(1, raw.size() - 2));
    const std::size_t bracket = raw.find('[', 1) + 1;
    if (raw.size() < 2 * bracket) return std::nullopt;
    raw = raw.substr(bracket, raw.size() - 2 * bracket);
    if (raw.starts_with('\r')) raw.remove_prefix(1);
    if (raw.starts_with('\n')) raw.remove_prefix(1);
    return std::string(raw);
}

NodeId Values::value_of(NodeId name) const {
    if (!knows_variables_) return no_node;
    if (tree_.is_global(name)) {
        const auto found = globals_.find(tree_.text(name));
        return found == globals_.end() ? no_node : found->second;
    }
    const Declaration& local = tree_.declarations()[tree_[name].local];
    if (!local.is_assigned) return local.value;
    // `local NAME`, whose value comes later.
    if (local.value != no_node || !tree_.is(tree_.parent(local.node), NodeKind::local)) return no_node;
    NodeId value = no_node;
    for (const NodeId use : local.uses) {
        if (!tree_.is_target(use)) continue;
        if (value != no_node) return no_node;
        value = tree_.value_of(use);
    }
    return value;
}

ShownText Values::read_operand(NodeId operand, int depth) const {
    const NodeKind kind = tree_.kind(operand);
    if (kind == NodeKind::text) {
        const auto content = read_literal(tree_.token(operand));
        return {.beginning = content.value_or(""), .is_whole = content.has_value()};
    }
    if (kind == NodeKind::number) {
        const std::string_view digits = tree_.text(operand);
        const bool is_plain = digits.find_first_not_of("0123456789") == digits.npos;
        return {.beginning = is_plain ? std::string(digits) : std::string(), .is_whole = is_plain};
    }
    if (depth == 0) return {};
    if (kind == NodeKind::group) return read(tree_.child(operand, 0), depth - 1);
    if (kind == NodeKind::name) {
        const NodeId value = value_of(operand);
        ShownText shown = value == no_node ? ShownText{} : read(value, depth - 1);
        shown.is_sure = false;
        return shown;
    }
    if (kind == NodeKind::call && tree_.is_path(tree_.object(operand), "string.format") &&
        tree_.child(operand, 1) != no_node)
        return read_format(read(tree_.child(operand, 1), depth - 1));
    if (kind == NodeKind::method && tree_.member(operand) == "format")
        return read_format(read_operand(tree_.object(operand), depth - 1));
    if (kind != NodeKind::binary) return {}; // a member of a value, or what it returns, is another value
    // Another operator decides what it is. A literal before it mostly is the beginning.
    ShownText shown = read(tree_.child(operand, 0), depth - 1);
    if (!shown.is_sure) return {};
    shown.is_whole = false;
    shown.end.clear();
    return shown;
}

ShownText Values::read(NodeId expression, int depth) const {
    ShownText shown;
    shown.is_whole = true;
    bool ends_with_variable = false;
    for (std::size_t operands = 0; expression != no_node;) {
        if (++operands > max_operands || shown.beginning.size() > max_length) return {};
        const bool is_last = !is_concatenation(tree_, expression);
        const ShownText operand = read_operand(is_last ? expression : tree_.child(expression, 0), depth);
        expression = is_last ? no_node : tree_.child(expression, 1);
        if (shown.is_whole && (operand.is_whole || !operand.beginning.empty())) {
            shown.beginning += operand.beginning;
            shown.is_sure = shown.is_sure && operand.is_sure;
        }
        shown.is_whole = shown.is_whole && operand.is_whole;
        shown.end = operand.is_whole ? operand.beginning : operand.end;
        ends_with_variable = !operand.is_sure && !shown.end.empty();
    }
    if (shown.is_whole) shown.end.clear();
    if (ends_with_variable) shown.is_sure = false;
    return shown;
}

namespace {

/// Modules in C that sites have used.
constexpr std::array<std::string_view, 8> c_modules{"posix", "redis", "cjson",  "socket",
                                                    "lfs",   "ssl",   "luasql", "lsqlite3"};

/// Modules that are there without a file.
constexpr std::array<std::string_view, 8> libraries{"_G", "debug",   "io",     "math",
                                                    "os", "package", "string", "table"};

/// Those of qosgate.d alone if there are none.
const ScriptFiles& files_or_none(const ScriptFiles* files) {
    static const SourceDirectory no_sources;
    static const Settings no_settings;
    static const ScriptFiles nothing(no_sources, no_settings);
    return files == nullptr ? nothing : *files;
}

std::string describe_path(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty()) return {};
    const auto found = files_or_none(files).find(arguments.first);
    return found.place == ScriptFiles::Place::outside ? describe_outside(arguments.first) : std::string();
}

std::string describe_open(Arguments& arguments, const ScriptFiles* files) {
    const bool to_log = files_or_none(files).settings().compat_writes_to_log;
    if (to_log && (arguments.second.starts_with('w') || arguments.second.starts_with('a')) &&
        arguments.second.find('+') == std::string::npos)
        return {};
    if (arguments.second.find_first_of("wa+") != std::string::npos) {
        arguments.is_sure = arguments.is_sure && !arguments.first.empty();
        return no_writing;
    }
    return describe_path(arguments, files);
}

std::string describe_remove(Arguments& arguments, const ScriptFiles* files) {
    arguments.is_sure = true; // whatever the arguments are
    return files_or_none(files).settings().compat_writes_to_log ? "" : no_writing;
}

std::string describe_popen(Arguments& arguments, const ScriptFiles* files) {
    if (arguments.first.empty()) return {};
    return arguments.is_whole ? describe_bad_program(arguments.first, files_or_none(files))
                              : describe_bad_beginning(arguments.first, arguments.last, files_or_none(files));
}

/// What to do if the script does without a module.
std::string without_it(std::string module) {
    std::ranges::replace(module, '.', '/');
    return text::format("; if the script does without it, write the line error(\"none\") into "
                        "qosgate.d/compat/{}.lua",
                        text::printable(module, 100));
}

std::string describe_require(Arguments& arguments, const ScriptFiles* files) {
    if (!arguments.is_whole || arguments.first.empty() || files == nullptr) return {};
    const std::string_view name = std::string_view(arguments.first).substr(0, arguments.first.find('.'));
    // A site may have a module of its own with the name of one in C.
    if (files->has_module(arguments.first) || std::ranges::find(libraries, name) != libraries.end())
        return {};
    if (std::ranges::find(c_modules, name) != c_modules.end())
        return text::format("'{}' is a module in C, which cannot be loaded; write what it does in Lua{}",
                            name, without_it(arguments.first));
    arguments.is_sure = false; // package.preload may have it
    return text::format(
        "there is no module '{}'; copy it to qosgate.d/compat, or name its file in "
        "site{{}}, in compat_files = {{ ... }}. A module in C cannot be loaded: write what it does in "
        "Lua{}",
        arguments.first, without_it(arguments.first));
}

constexpr auto checked = std::to_array<Checked>({
    {{"io", "open", ""}, &describe_open},
    {{"io", "lines", ""}, &describe_path},
    {{"io", "popen", ""}, &describe_popen},
    {{"os", "remove", ""}, &describe_remove},
    {{"os", "rename", ""}, &describe_remove},
    {{"", "dofile", ""}, &describe_path},
    {{"", "loadfile", ""}, &describe_path},
    {{"", "require", ""}, &describe_require},
});

/// Whether pcall or xpcall calls a function.
bool is_protected(const SyntaxTree& tree, NodeId function) {
    const NodeId call = tree.parent(function);
    return tree[function].place == 1 && tree.is(call, NodeKind::call) &&
           (tree.is_global(tree.object(call), "pcall") || tree.is_global(tree.object(call), "xpcall"));
}

} // namespace

std::string full_name(const Withheld& what) {
    return text::format("{}{}{}", what.library, *what.library == '\0' ? "" : ".", what.name);
}

bool does_name(const SyntaxTree& tree, NodeId node, const Withheld& what) {
    const NodeId parent = tree.parent(node);
    if (*what.library == '\0') {
        if (!tree.is(node, NodeKind::name) || tree.text(node) != what.name) return false;
        return tree.is_called(node) || (is_protected(tree, node) && tree.is_global(node));
    }
    const bool is_declared = tree.is(parent, NodeKind::assignment) && tree.text(parent) == "function";
    return !is_declared && tree.is_dotted(node) && tree.member(node) == what.name &&
           tree.is(tree.object(node), NodeKind::name) && tree.text(tree.object(node)) == what.library;
}

Arguments read_from(const SyntaxTree& tree, std::span<const NodeId> given, const Values& values) {
    if (given.empty()) return {};
    ShownText first = values.read(given[0]);
    Arguments arguments{std::move(first.beginning), first.is_whole, {}, first.is_sure, std::move(first.end)};
    if (given.size() > 1 && tree.is(given[1], NodeKind::text))
        arguments.second = read_literal(tree.token(given[1])).value_or("");
    return arguments;
}

Arguments read_call(const SyntaxTree& tree, NodeId function, const Values& values) {
    const NodeId call = tree.parent(function);
    if (tree.is_called(function)) return read_from(tree, tree.arguments(call), values);
    if (!is_protected(tree, function)) return {};
    const std::size_t skipped = tree.text(tree.object(call)) == "pcall" ? 1 : 2;
    const auto given = tree.arguments(call);
    Arguments arguments = read_from(tree, given.subspan(std::min(skipped, given.size())), values);
    arguments.is_sure = false;
    return arguments;
}

std::span<const Checked> checked_calls() noexcept {
    return checked;
}

namespace {

/// "os.capture", "M:run"; empty: it is something else, or has more parts than names have.
std::string path_to(const SyntaxTree& tree, NodeId id, int depth = 8) {
    if (tree.is(id, NodeKind::name)) return std::string(tree.text(id));
    const bool is_point = tree.is_dotted(id);
    const bool is_colon =
        tree.is(id, NodeKind::method) || (tree.is(id, NodeKind::index) && tree.text(id) == ":");
    if (depth == 0 || (!is_point && !is_colon)) return {};
    const std::string object = path_to(tree, tree.object(id), depth - 1);
    return object.empty() ? object : object + (is_point ? "." : ":") + std::string(tree.member(id));
}

/// Which calls are calls of the source's own functions, as far as it gives each name one value only:
/// functions with a name, and members of tables (`function os.capture(cmd)`, `M.run = function(cmd)`).
class OwnCalls {
  public:
    explicit OwnCalls(const SyntaxTree& tree) : tree_(tree), globals_(tree.global_values()) {
        for (NodeId id = 0; id < tree.size(); ++id) {
            if (!tree.is(id, NodeKind::index) || !tree.is_target(id)) continue;
            note(path_to(tree, id), tree.value_of(id));
            if (!tree.is_dotted(id)) note("self:" + std::string(tree.member(id)), tree.value_of(id));
        }
        for (NodeId id = 0; id < tree.size(); ++id) {
            const bool is_call = tree.is(id, NodeKind::call) || tree.is(id, NodeKind::method);
            const NodeId function = is_call ? called_by(id) : no_node;
            if (tree.is(function, NodeKind::function)) calls_[function].push_back(id);
        }
    }

    [[nodiscard]] const std::vector<NodeId>& of(NodeId function) { return calls_[function]; }

  private:
    void note(std::string path, NodeId value) {
        const auto [found, is_new] = members_.emplace(std::move(path), value);
        if (!is_new) found->second = no_node;
    }
    [[nodiscard]] NodeId called_by(NodeId call) const {
        const NodeId name = tree_.is(call, NodeKind::method) ? call : tree_.object(call);
        if (!tree_.is(name, NodeKind::name)) return find(members_, path_to(tree_, name));
        if (tree_.is_global(name)) return find(globals_, tree_.text(name));
        const Declaration& local = tree_.declarations()[tree_[name].local];
        return local.is_assigned ? no_node : local.value;
    }
    template <typename Map>
    static NodeId find(const Map& map, const typename Map::key_type& name) {
        const auto found = map.find(name);
        return found == map.end() ? no_node : found->second;
    }

    const SyntaxTree& tree_;
    std::unordered_map<std::string_view, NodeId> globals_;
    /// By path, and methods also by self:NAME. no_node: there are several.
    std::unordered_map<std::string, NodeId> members_;
    std::unordered_map<NodeId, std::vector<NodeId>> calls_; ///< by function
};

class WrapperSearch {
  public:
    WrapperSearch(const SyntaxTree& tree, const Values& values, const ScriptFiles* files)
        : tree_(tree), values_(values), files_(files), calls_(tree) {}

    std::vector<HostAccess> run() {
        for (NodeId id = 0; id < tree_.size(); ++id) {
            if (!tree_.is(id, NodeKind::name) && !tree_.is(id, NodeKind::index)) continue;
            for (const Checked& what : checked_calls()) {
                const bool is_other_name = is_alias(id, what.function);
                if (is_other_name) report(id, read_call(tree_, id, values_), what);
                if (is_other_name || does_name(tree_, id, what.function)) note_call(id, what);
            }
        }
        for (std::size_t i = 0; i < passing_.size(); ++i)
            follow(Passing(passing_[i]));
        return std::move(found_);
    }

  private:
    /// A function of the script that gives its parameter to a function of a library.
    struct Passing {
        NodeId function;
        std::size_t parameter;
        const Checked* what;
        std::string second; ///< what it gives as the second argument

        friend auto operator<=>(const Passing&, const Passing&) = default;
    };

    /// Whether a name is declared so: `local NAME = io.popen`.
    [[nodiscard]] bool is_alias(NodeId name, const Withheld& what) const {
        if (!tree_.is(name, NodeKind::name) || tree_[name].local == no_node) return false;
        const Declaration& local = tree_.declarations()[tree_[name].local];
        if (local.is_assigned || local.value == no_node) return false;
        return *what.library == '\0' ? tree_.is_global(local.value, what.name)
                                     : does_name(tree_, local.value, what);
    }
    void note_call(NodeId function, const Checked& what) {
        if (!tree_.is_called(function)) return;
        const auto given = tree_.arguments(tree_.parent(function));
        if (!given.empty()) note_argument(given[0], what, read_from(tree_, given, values_).second);
    }
    void note_argument(NodeId argument, const Checked& what, const std::string& second) {
        if (!tree_.is(argument, NodeKind::name) || tree_[argument].local == no_node) return;
        const Declaration& local = tree_.declarations()[tree_[argument].local];
        const NodeId function = tree_.parent(local.node);
        if (local.is_assigned || !tree_.is(function, NodeKind::function)) return;
        const std::size_t self = tree_[function].split;
        if (tree_[local.node].place < self) return;
        const Passing passing{function, tree_[local.node].place - self, &what, second};
        if (passing_.size() < max_found && seen_.insert(passing).second) passing_.push_back(passing);
    }
    void follow(const Passing& passing) {
        for (const NodeId call : calls_.of(passing.function)) {
            const auto given = tree_.arguments(call);
            if (given.size() <= passing.parameter) continue;
            if (found_.size() >= max_found) return;
            note_argument(given[passing.parameter], *passing.what, passing.second);
            Arguments arguments = read_from(tree_, given.subspan(passing.parameter), values_);
            arguments.second = passing.second;
            report(call, std::move(arguments), *passing.what);
        }
    }
    void report(NodeId where, Arguments arguments, const Checked& what) {
        const std::string message = what.describe(arguments, files_);
        if (!message.empty())
            found_.push_back({tree_.line(where), full_name(what.function) + ": " + message, false});
    }

    static constexpr std::size_t max_found = 1000;

    const SyntaxTree& tree_;
    const Values& values_;
    const ScriptFiles* const files_;
    OwnCalls calls_;
    std::vector<Passing> passing_;
    std::set<Passing> seen_;
    std::vector<HostAccess> found_;
};

} // namespace

std::vector<HostAccess> find_wrapped_access(const SyntaxTree& tree, const Values& values,
                                            const ScriptFiles* files) {
    return WrapperSearch(tree, values, files).run();
}

} // namespace qg::policy::compat
