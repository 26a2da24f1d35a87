// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/looked_at.hpp"

#include "qosgate/policy/fields.hpp"
#include "qosgate/policy/lua_tokens.hpp"

#include <algorithm>
#include <deque>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <string_view>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include <lua.hpp>

namespace qg::policy {
namespace {

using Names = std::vector<std::string_view>;

/// Where the code of a function begins.
struct CodePlace {
    std::string_view file;
    int line = 0;
};

CodePlace place_of(lua_State* lua, int function) {
    lua_Debug facts{};
    lua_rawgeti(lua, LUA_REGISTRYINDEX, function);
    lua_getinfo(lua, ">S", &facts); // raises no error, and allocates nothing
    return {std::string_view(facts.source).substr(1), facts.linedefined};
}

/// One file, with the names that the job has in it.
class SearchedFile {
  public:
    static constexpr std::size_t max_objects = 16;

    SearchedFile(std::string_view file, std::string_view text)
        : file_(file), tokens_(read_tokens(text)), is_skipped_(tokens_.size()) {
        for (std::size_t i = 0; i < tokens_.size(); ++i) {
            if (tokens_[i].is("function")) skip(i, end_of_parameters(i));
            if (tokens_[i].is_name()) places_[tokens_[i].text].push_back(i);
        }
    }

    [[nodiscard]] std::string_view file() const noexcept { return file_; }
    [[nodiscard]] std::size_t size() const noexcept { return tokens_.size(); }
    /// Beyond both ends it is the end of the file.
    [[nodiscard]] const Token& at(std::size_t index) const noexcept {
        return tokens_[std::min(index, tokens_.size() - 1)];
    }
    [[nodiscard]] bool is_skipped(std::size_t index) const { return is_skipped_[index]; }

    /// Where a name stands, in order.
    [[nodiscard]] std::span<const std::size_t> places_of(std::string_view name) const {
        const auto found = places_.find(name);
        return found == places_.end() ? std::span<const std::size_t>() : found->second;
    }

    /// Whether this is a variable of that name, and no member of a table.
    [[nodiscard]] bool is_variable(std::size_t index, std::string_view name) const {
        return at(index).is_name(name) && !at(index - 1).is(".") && !at(index - 1).is(":");
    }
    [[nodiscard]] bool is_object(std::size_t index) const {
        return std::ranges::find(objects_, at(index).text) != objects_.end() &&
               is_variable(index, at(index).text);
    }

    /// The parameters of the function whose keyword is at the index.
    [[nodiscard]] Names parameters(std::size_t function) const {
        Names names;
        const std::size_t end = end_of_parameters(function);
        std::size_t i = function + 1;
        for (; !at(i).is("("); ++i)
            if (at(i).is(":")) names.emplace_back("self");
        for (; i < end; ++i)
            if (at(i).is_name() || at(i).is("...")) names.push_back(at(i).text);
        return names;
    }

    /// The function without a name at the value of this key, all of it, is not searched.
    void leave_out(std::string_view key, int line) {
        for (std::size_t i = 2; i < size(); ++i)
            if (at(i).is("function") && at(i).line == line && at(i + 1).is("(") && at(i - 1).is("=") &&
                at(i - 2).is_name(key))
                skip(i, end_of_function(i));
    }

    /// False: it has too many names.
    bool add_object(std::string_view name) {
        if (std::ranges::find(objects_, name) != objects_.end()) return true;
        objects_.push_back(name);
        has_new_object_ = true;
        return objects_.size() <= max_objects;
    }
    /// Whether there are names that it was not searched for.
    bool take_new_object() noexcept { return std::exchange(has_new_object_, false); }

  private:
    void skip(std::size_t from, std::size_t end) {
        for (; from < std::min(end, size()); ++from)
            is_skipped_[from] = true;
    }
    [[nodiscard]] std::size_t end_of_parameters(std::size_t function) const {
        std::size_t i = function + 1;
        while (!at(i).is(")") && at(i).kind != TokenKind::end)
            ++i;
        return i;
    }
    [[nodiscard]] std::size_t end_of_function(std::size_t function) const {
        std::size_t depth = 0;
        std::size_t i = function;
        do {
            const Token& token = at(i++);
            if (token.is("function") || token.is("if") || token.is("do") || token.is("repeat")) ++depth;
            if (token.is("end") || token.is("until")) --depth;
        } while (depth > 0 && i < size());
        return i;
    }

    std::string_view file_;
    std::vector<Token> tokens_;
    std::vector<bool> is_skipped_;
    std::unordered_map<std::string_view, std::vector<std::size_t>> places_; ///< of names
    Names objects_;
    bool has_new_object_ = false;
};

/// Whether it cannot be in a list of simple arguments.
bool is_between_statements(const Token& token) {
    static constexpr std::string_view symbols[] = {
        "=",      "function", "local", "return", "end",   ";",    "do",    "then", "else",
        "repeat", "in",       "::",    "elseif", "until", "goto", "break", "if",   "while"};
    return token.kind == TokenKind::symbol && std::ranges::find(symbols, token.text) != std::end(symbols);
}

/// A parameter of a function.
struct Parameter {
    SearchedFile* file = nullptr;
    std::size_t function = 0; ///< the keyword
};

class Search {
  public:
    explicit Search(const StateSources& sources) : sources_(sources) {}

    model::UpdateParts run(CodePlace function, std::size_t objects, std::optional<CodePlace> submit) {
        SearchedFile* const file = open(function.file);
        if (file == nullptr) return model::UpdateParts::all();
        bool is_found = false;
        for (std::size_t i = 0; i < file->size(); ++i) {
            if (!file->at(i).is("function") || file->at(i).line != function.line) continue;
            is_found = true;
            for (std::size_t place = 0; place < objects; ++place)
                follow({file, i}, place);
        }
        if (!is_found) doubt();
        if (submit && submit->file == function.file && submit->line != function.line)
            file->leave_out("submit", submit->line);
        while (!is_in_doubt_ && search_once()) {
        }
        return is_in_doubt_ ? model::UpdateParts::all() : parts_;
    }

  private:
    void doubt() noexcept { is_in_doubt_ = true; }

    /// The searched file of this name, or of the module that is required with it; null: there is none.
    SearchedFile* open(std::string_view name) {
        std::string_view file;
        std::string_view text;
        const auto take = [&](std::string_view its_file, std::string_view its_text) {
            file = its_file;
            text = its_text;
        };
        for (const SourceFile* rule : sources_.rules)
            if (rule->name == name) take(rule->name, rule->text);
        for (const Module& module : sources_.modules)
            if (module.file == name || module.name == name) take(module.file, module.text);
        if (file.empty()) return nullptr;
        const auto known = std::ranges::find(files_, file, &SearchedFile::file);
        return known != files_.end() ? &*known : &files_.emplace_back(file, text);
    }

    /// Whether some file had names that it was not searched for before.
    bool search_once() {
        bool has_searched = false;
        for (std::size_t number = 0; number < files_.size(); ++number) {
            if (!files_[number].take_new_object()) continue;
            has_searched = true;
            for (std::size_t i = 0; i < files_[number].size() && !is_in_doubt_; ++i)
                if (!files_[number].is_skipped(i) && files_[number].is_object(i)) note_use(files_[number], i);
        }
        return has_searched;
    }

    void note_field(const Token& name) {
        const FieldSpec* const field = find_job_field(name.text);
        if (field == nullptr) return doubt();
        if (field->part) parts_.add(*field->part);
    }

    void note_use(SearchedFile& file, std::size_t at) {
        const Token& next = file.at(at + 1);
        const bool is_index = next.is("[");
        if (next.is(".") || is_index) {
            const Token& name = file.at(at + 2);
            if (is_index && (name.kind != TokenKind::text || !file.at(at + 3).is("]"))) return doubt();
            const bool is_written = file.at(at + (is_index ? 4 : 3)).is("=");
            return is_written ? void() : note_field(name);
        }
        if (next.is(":")) return note_call(file, at);
        if (next.is(",") || next.is(")")) return note_argument(file, at);
        doubt();
    }

    /// job:FUNCTION(...)
    void note_call(const SearchedFile& file, std::size_t at) {
        const Token& function = file.at(at + 2);
        if (!function.is_name("is_set") && !function.is_name("add")) return; // the others tell something
        const bool has_bracket = file.at(at + 3).is("(");
        const Token& field = file.at(at + (has_bracket ? 4 : 3));
        const Token& behind = file.at(at + 5);
        if (field.kind != TokenKind::text || (has_bracket && !behind.is(")") && !behind.is(",")))
            return doubt();
        note_field(field);
    }

    /// The job as an argument of a call, behind arguments without functions of their own.
    void note_argument(SearchedFile& file, std::size_t at) {
        std::size_t place = 0;
        std::size_t depth = 0;
        std::size_t i = at;
        while (i-- > 0) {
            const Token& token = file.at(i);
            if (token.is("(") && depth == 0) break;
            if (token.is(")") || token.is("]") || token.is("}")) ++depth;
            if (token.is("(") || token.is("[") || token.is("{")) {
                if (depth == 0) return doubt();
                --depth;
            }
            if (is_between_statements(token)) return doubt();
            if (token.is(",") && depth == 0) ++place;
        }
        if (i == 0 || i > at) return doubt();
        if (const auto called = find_called(file, i - 1))
            follow(*called, place);
        else
            doubt();
    }

    /// The job is given to a parameter.
    void follow(const Parameter& called, std::size_t place) {
        const Names names = called.file->parameters(called.function);
        if (place >= names.size()) {
            if (!names.empty() && names.back() == "...") doubt();
            return;
        }
        if (names[place] == "..." || names[place] == "_ENV" || !called.file->add_object(names[place]))
            doubt();
    }

    /// The function that the name at the index certainly stands for: a local one of the file, or one of a
    /// module's table.
    std::optional<Parameter> find_called(SearchedFile& file, std::size_t at) {
        const Token& name = file.at(at);
        if (!name.is_name() || file.at(at - 1).is(":")) return std::nullopt;
        const bool is_member = file.at(at - 1).is(".");
        const std::string_view table = is_member ? file.at(at - 2).text : std::string_view();
        if (is_member && (at < 3 || !file.is_variable(at - 2, table))) return std::nullopt;
        // Many calls may have the same name.
        const auto [known, is_new] = called_.try_emplace({&file, table, name.text});
        if (is_new)
            known->second = is_member ? find_in_table(file, table, name.text) : find_local(file, name.text);
        return known->second;
    }

    std::optional<Parameter> find_in_table(SearchedFile& file, std::string_view table,
                                           std::string_view name) {
        if (SearchedFile* const module = find_module(file, table)) {
            const Token& result = module->at(module->size() - 2);
            const bool is_returned = result.is_name() && module->at(module->size() - 3).is("return");
            return is_returned ? find_member(*module, result.text, name) : std::nullopt;
        }
        return find_member(file, table, name);
    }

    /// The only function of that name, which has no other use than to be called.
    static std::optional<Parameter> find_local(SearchedFile& file, std::string_view name) {
        std::optional<Parameter> found;
        for (const std::size_t i : file.places_of(name)) {
            if (i < 2 || !file.is_variable(i, name)) continue;
            if (file.at(i - 1).is("function")) {
                if (found || !file.at(i - 2).is("local")) return std::nullopt;
                found = Parameter{&file, i - 1};
            } else if (!file.at(i + 1).is("("))
                return std::nullopt;
        }
        return found;
    }

    /// Whether the only value of a local table is the one that it was declared with: `{}`, or a module's.
    bool is_constant(const SearchedFile& file, std::string_view table) {
        const auto [known, is_new] = is_constant_.try_emplace({&file, table});
        if (is_new) known->second = has_one_value(file, table);
        return known->second;
    }
    static bool has_one_value(const SearchedFile& file, std::string_view table) {
        bool is_declared = false;
        for (const std::size_t i : file.places_of(table)) {
            if (i < 1 || !file.is_variable(i, table) || file.at(i + 1).is(".")) continue;
            const bool is_returned = file.at(i - 1).is("return") && i + 2 == file.size();
            const bool is_empty = file.at(i + 2).is("{") && file.at(i + 3).is("}");
            const bool is_declaration = file.at(i - 1).is("local") && file.at(i + 1).is("=") &&
                                        (is_empty || file.at(i + 2).is_name("require"));
            if (!is_returned && (!is_declaration || std::exchange(is_declared, true))) return false;
        }
        return is_declared;
    }

    /// local TABLE = require("NAME"); null: it is something else.
    SearchedFile* find_module(const SearchedFile& file, std::string_view table) {
        if (!is_constant(file, table)) return nullptr;
        const auto [known, is_new] = modules_.try_emplace({&file, table});
        if (is_new) known->second = open_module(file, table);
        return known->second;
    }
    SearchedFile* open_module(const SearchedFile& file, std::string_view table) {
        for (const std::size_t i : file.places_of(table)) {
            if (i < 1 || !file.at(i - 1).is("local") || !file.is_variable(i, table)) continue;
            const std::size_t bracket = file.at(i + 3).is("(") ? 1 : 0;
            const Token& name = file.at(i + 3 + bracket);
            const bool is_module = file.at(i + 2).is_name("require") && name.kind == TokenKind::text &&
                                   ends_expression(file.at(i + 4 + 2 * bracket));
            return is_module ? open(name.text) : nullptr;
        }
        return nullptr;
    }

    /// The only function TABLE.NAME, if no other value is ever given to it.
    std::optional<Parameter> find_member(SearchedFile& file, std::string_view table, std::string_view name) {
        if (!is_constant(file, table)) return std::nullopt;
        std::optional<Parameter> found;
        for (const std::size_t i : file.places_of(name)) {
            if (i < 3 || !file.at(i - 1).is(".") || !file.is_variable(i - 2, table)) continue;
            if (!file.at(i + 1).is("(")) return std::nullopt; // it may get another value
            if (!file.at(i - 3).is("function")) continue;
            if (found) return std::nullopt;
            found = Parameter{&file, i - 3};
        }
        return found;
    }

    const StateSources& sources_;
    std::deque<SearchedFile> files_; // their addresses stay
    // What was found out about names of a file, so that the cost is linear.
    std::map<std::tuple<const SearchedFile*, std::string_view, std::string_view>, std::optional<Parameter>>
        called_;
    std::map<std::pair<const SearchedFile*, std::string_view>, SearchedFile*> modules_;
    std::map<std::pair<const SearchedFile*, std::string_view>, bool> is_constant_;
    model::UpdateParts parts_{model::UpdatePart::limits};
    bool is_in_doubt_ = false;
};

model::UpdateParts find_looked_at(const StateSources& sources, lua_State* lua,
                                  const RuleFunctions& functions) {
    const bool runs_modify = functions.runs_modify_at(JobEvent::modify);
    std::optional<CodePlace> other;
    if (runs_modify && functions.submit != 0) other = place_of(lua, functions.submit);
    return Search(sources).run(place_of(lua, functions.at(JobEvent::modify)), runs_modify ? 2 : 1, other);
}

} // namespace

void note_looked_at(CompiledRules& compiled, const StateSources& sources) {
    for (std::size_t i = 0; i < compiled.rules.size(); ++i)
        if (compiled.rules[i].runs_at_change)
            compiled.rules[i].looks_at =
                find_looked_at(sources, compiled.state->raw(), compiled.functions[i]);
}

} // namespace qg::policy
