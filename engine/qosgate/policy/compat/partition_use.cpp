// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/partition_use.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/compat/script_functions.hpp"
#include "qosgate/policy/compat/shown_text.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <set>
#include <string>

namespace qg::policy::compat {
namespace {

constexpr auto fields_of_partitions = std::to_array<std::string_view>({
    "allow_accounts",
    "allow_alloc_nodes",
    "allow_groups",
    "allow_qos",
    "alternate",
    "billing_weights_str",
    "def_mem_per_cpu",
    "def_mem_per_node",
    "default_time",
    "deny_accounts",
    "deny_qos",
    "flag_default",
    "flags",
    "max_cpus_per_node",
    "max_cpus_per_socket",
    "max_mem_per_cpu",
    "max_mem_per_node",
    "max_nodes",
    "max_nodes_orig",
    "max_oversubscribe",
    "max_share",
    "max_time",
    "min_nodes",
    "min_nodes_orig",
    "name",
    "nodes",
    "priority_job_factor",
    "priority_tier",
    "qos",
    "state_up",
    "total_cpus",
    "total_nodes",
});

class PartitionUse {
  public:
    PartitionUse(Tokens tokens, const NameScopes& scopes)
        : tokens_(tokens), scopes_(scopes), is_assigned_(find_assigned(tokens, scopes)) {
        note_lists(submit_function, 1);
        note_lists(modify_function, 2);
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            if (token_at(tokens_, at).is("for")) note_loop(at);
            note_value(at);
            const bool is_set = tokens_[at].is_name() && at > 0 && tokens_[at - 1].is(".") &&
                                token_at(tokens_, at + 1).is("=");
            if (is_set) set_.insert(tokens_[at].text);
        }
    }

    void find(std::vector<ScriptFinding>& findings) const {
        const std::vector<std::string> names(fields_of_partitions.begin(), fields_of_partitions.end());
        for (std::size_t at = 0; at < tokens_.size(); ++at) {
            const auto behind = behind_partition(at);
            if (!behind || !token_at(tokens_, *behind).is(".")) continue;
            const Token& field = token_at(tokens_, *behind + 1);
            // The script may give its own fields to the table.
            if (std::ranges::binary_search(fields_of_partitions, field.text) || set_.contains(field.text))
                continue;
            findings.push_back({field.line,
                                text::format("a partition has no field '{}', so this is always nil{}",
                                             field.text, text::did_you_mean(field.text, names)),
                                false});
        }
    }

  private:
    /// The names of that parameter in all functions are lists: the script's own mostly get what it got.
    void note_lists(std::string_view function, std::size_t parameter) {
        const auto index = find_script_function(tokens_, scopes_, function);
        if (!index || scopes_.functions[*index].parameters.size() <= parameter) return;
        const std::string_view name =
            scopes_.declarations[scopes_.functions[*index].parameters[parameter]].name;
        for (const FunctionScope& each : scopes_.functions)
            for (const std::size_t declaration : each.parameters)
                if (scopes_.declarations[declaration].name == name && !is_assigned_[declaration])
                    lists_.insert(declaration);
    }
    [[nodiscard]] bool is_list(std::size_t at) const {
        const TokenScope& here = scopes_.tokens[std::min(at, scopes_.tokens.size() - 1)];
        return here.is_reference && here.declaration && lists_.contains(*here.declaration);
    }
    [[nodiscard]] std::optional<std::size_t> declaration_at(std::size_t at) const {
        const auto found = std::ranges::lower_bound(scopes_.declarations, at, {}, &Declaration::at);
        if (found == scopes_.declarations.end() || found->at != at) return std::nullopt;
        return static_cast<std::size_t>(found - scopes_.declarations.begin());
    }
    void note_partition(std::size_t at) {
        const auto declared = declaration_at(at);
        if (declared && !is_assigned_[*declared]) partitions_.insert(*declared);
    }
    /// for NAME, PARTITION in pairs(LIST)
    void note_loop(std::size_t at) {
        const auto is = [&](std::size_t i, std::string_view symbol) {
            return token_at(tokens_, at + i).is(symbol);
        };
        if (is(2, ",") && is(4, "in") && token_at(tokens_, at + 5).is_name("pairs") && is(6, "(") &&
            is_list(at + 7) && is(8, ")"))
            note_partition(at + 3);
    }
    /// local PARTITION = LIST[...]
    void note_value(std::size_t at) {
        if (!tokens_[at].is("local") || !token_at(tokens_, at + 2).is("=")) return;
        const auto behind = behind_member(at + 3);
        if (behind && (ends_expression(token_at(tokens_, *behind)) || token_at(tokens_, *behind).is(";")))
            note_partition(at + 1);
    }
    /// The token behind LIST.NAME or LIST[...].
    [[nodiscard]] std::optional<std::size_t> behind_member(std::size_t at) const {
        if (!is_list(at)) return std::nullopt;
        if (token_at(tokens_, at + 1).is(".")) return at + 3;
        if (!token_at(tokens_, at + 1).is("[")) return std::nullopt;
        int depth = 0;
        for (std::size_t i = at + 1; i < tokens_.size(); ++i) {
            if (tokens_[i].is("[")) ++depth;
            if (tokens_[i].is("]") && --depth == 0) return i + 1;
        }
        return std::nullopt;
    }
    /// The token behind an expression that is a partition.
    [[nodiscard]] std::optional<std::size_t> behind_partition(std::size_t at) const {
        const TokenScope& here = scopes_.tokens[at];
        if (here.is_reference && here.declaration && partitions_.contains(*here.declaration)) return at + 1;
        return behind_member(at);
    }

    const Tokens tokens_;
    const NameScopes& scopes_;
    const std::vector<bool> is_assigned_; ///< by declaration
    std::set<std::size_t> lists_;         ///< declarations
    std::set<std::size_t> partitions_;    ///< declarations
    std::set<std::string_view> set_;      ///< fields of any table that the source sets
};

} // namespace

std::span<const std::string_view> partition_field_names() noexcept {
    return fields_of_partitions;
}

void find_partition_fields(std::span<const Token> tokens, const NameScopes& scopes,
                           std::vector<ScriptFinding>& findings) {
    PartitionUse(tokens, scopes).find(findings);
}

} // namespace qg::policy::compat
