// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/host_wrappers.hpp"

#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/name_scopes.hpp"
#include "qosgate/policy/own_functions.hpp"

#include <algorithm>
#include <map>
#include <string>
#include <utility>

namespace qg::policy::compat {
namespace {

/// Functions that are members of tables: `function os.capture(cmd)`, `function M:run(cmd)`, `M.run =
/// function(cmd)`, as far as the source gives the member one value only.
class MemberFunctions {
  public:
    MemberFunctions(Tokens tokens, const NameScopes& scopes) : tokens_(tokens) {
        for (const FunctionScope& function : scopes.functions) {
            const std::size_t name = name_of(function.begin);
            if (name == 0) continue;
            const auto [found, is_new] = functions_.emplace(path_to(name), &function);
            if (!is_new) found->second = nullptr;
        }
        for (std::size_t at = 0; at + 2 < tokens.size(); ++at)
            if (is_member(at) && tokens[at + 1].is("=") && !tokens[at + 2].is("function"))
                functions_[path_to(at)] = nullptr;
    }

    /// The function that is called where the token stands behind "." or ":". Null: none, or it is defined
    /// there.
    [[nodiscard]] const FunctionScope* named_at(std::size_t at) const {
        if (!is_member(at) || functions_.empty()) return nullptr;
        const std::size_t first = first_of(at);
        if (first > 0 && tokens_[first - 1].is("function")) return nullptr;
        const std::string path = path_to(at);
        if (const auto found = functions_.find(path); found != functions_.end()) return found->second;
        if (!path.starts_with("self:")) return nullptr;
        const FunctionScope* only = nullptr;
        for (const auto& [name, function] : functions_)
            if (name.ends_with(path.substr(4))) {
                if (only != nullptr || function == nullptr) return nullptr;
                only = function;
            }
        return only;
    }

  private:
    [[nodiscard]] bool is_member(std::size_t at) const {
        return at >= 2 && tokens_[at].is_name() && (tokens_[at - 1].is(".") || tokens_[at - 1].is(":")) &&
               tokens_[at - 2].is_name();
    }
    [[nodiscard]] std::size_t first_of(std::size_t at) const {
        while (is_member(at))
            at -= 2;
        return at;
    }
    /// "os.capture", "M:run"
    [[nodiscard]] std::string path_to(std::size_t at) const {
        std::string path;
        for (std::size_t i = first_of(at); i <= at; ++i)
            path += tokens_[i].text;
        return path;
    }
    /// The last token of the member's name; 0: the function at `begin` is no member.
    [[nodiscard]] std::size_t name_of(std::size_t begin) const {
        if (token_at(tokens_, begin + 1).is_name()) {
            std::size_t at = begin + 1;
            while (at + 2 < tokens_.size() && is_member(at + 2))
                at += 2;
            return is_member(at) && at > begin + 1 ? at : 0;
        }
        return begin >= 4 && tokens_[begin - 1].is("=") && is_member(begin - 2) ? begin - 2 : 0;
    }

    const Tokens tokens_;
    std::map<std::string, const FunctionScope*> functions_; ///< null: there are several
};

class WrapperSearch {
  public:
    WrapperSearch(Tokens tokens, const Values& values, const ScriptFiles* files)
        : tokens_(tokens), values_(values), files_(files), scopes_(values.scopes()), own_(tokens, scopes_),
          members_(tokens, scopes_) {}

    std::vector<HostAccess> run() {
        for (const FunctionScope& function : scopes_.functions)
            for (std::size_t i = 0; i < function.parameters.size(); ++i)
                parameters_[function.parameters[i]] = {&function, i};
        for (std::size_t at = 0; at < tokens_.size(); ++at)
            for (const Checked& what : checked_calls()) {
                if (does_name(tokens_, at, what.function)) note_use(at, what);
                const auto name = scopes_.tokens[at].declaration;
                if (name && scopes_.tokens[at].is_reference && is_alias(*name, what)) {
                    report(at, read_beginning(tokens_, at + 1, values_), what);
                    note_call(at + 1, what, {});
                }
            }
        for (std::size_t i = 0; i < passing_.size(); ++i)
            follow(Passing(passing_[i]));
        return std::move(found_);
    }

  private:
    /// A function of the script that gives its parameter to a function of a library.
    struct Passing {
        const FunctionScope* function;
        std::size_t parameter;
        const Checked* what;
        std::string second; ///< what it gives as the second argument

        friend bool operator==(const Passing&, const Passing&) = default;
    };

    /// Whether the declaration is `local NAME = io.popen`.
    [[nodiscard]] bool is_alias(std::size_t declaration, const Checked& what) const {
        const Declaration& name = scopes_.declarations[declaration];
        const std::size_t value = name.at + 2;
        const std::size_t end = value + token_count(what.function);
        if (!name.is_single || name.is_assigned || !ends_expression(token_at(tokens_, end))) return false;
        return *what.function.library == '\0' ? token_at(tokens_, value).is_name(what.function.name) &&
                                                    !scopes_.tokens[value].declaration
                                              : does_name(tokens_, value, what.function);
    }
    void note_use(std::size_t at, const Checked& what) {
        note_call(at + token_count(what.function), what, {});
    }
    /// `at` is behind the function's name.
    void note_call(std::size_t at, const Checked& what, std::string second) {
        const auto call = policy::read_arguments(tokens_from(tokens_, at));
        if (!call || call->all.empty()) return;
        if (call->all.size() > 1 && literal_type(call->all[1]) == LiteralType::text)
            second = read_literal(call->all[1][0]).value_or("");
        note_argument(call->all[0], what, second);
    }
    void note_argument(Tokens argument, const Checked& what, const std::string& second) {
        const auto declaration = scopes_.tokens[place_of(argument)].declaration;
        if (argument.size() != 1 || !declaration) return;
        const auto parameter = parameters_.find(*declaration);
        if (parameter == parameters_.end() || scopes_.declarations[*declaration].is_assigned) return;
        const Passing passing{parameter->second.first, parameter->second.second, &what, second};
        if (std::ranges::find(passing_, passing) == passing_.end()) passing_.push_back(passing);
    }
    void follow(const Passing& passing) {
        for (std::size_t at = 0; at < tokens_.size() && found_.size() < max_found; ++at) {
            if (own_.named_at(at) != passing.function && members_.named_at(at) != passing.function) continue;
            const auto call = policy::read_arguments(tokens_from(tokens_, at + 1));
            if (!call || call->all.size() <= passing.parameter) continue;
            const Tokens argument = call->all[passing.parameter];
            note_argument(argument, *passing.what, passing.second);
            Arguments arguments = call->length == 1 ? read_beginning(tokens_, at + 1, values_)
                                                    : read_from(tokens_, place_of(argument), values_);
            arguments.second = passing.second;
            report(at, arguments, *passing.what);
        }
    }
    void report(std::size_t at, Arguments arguments, const Checked& what) {
        const std::string message = what.describe(arguments, files_);
        if (!message.empty())
            found_.push_back({tokens_[at].line, full_name(what.function) + ": " + message, false});
    }
    [[nodiscard]] std::size_t place_of(Tokens argument) const noexcept {
        return static_cast<std::size_t>(argument.data() - tokens_.data());
    }

    static constexpr std::size_t max_found = 1000;

    const Tokens tokens_;
    const Values& values_;
    const ScriptFiles* const files_;
    const NameScopes& scopes_;
    const OwnFunctions own_;
    const MemberFunctions members_;
    std::map<std::size_t, std::pair<const FunctionScope*, std::size_t>> parameters_; ///< by declaration
    std::vector<Passing> passing_;
    std::vector<HostAccess> found_;
};

} // namespace

std::vector<HostAccess> find_wrapped_access(std::span<const Token> tokens, const Values& values,
                                            const ScriptFiles* files) {
    return WrapperSearch(tokens, values, files).run();
}

} // namespace qg::policy::compat
