// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/call_arguments.hpp"
#include "qosgate/policy/compat/client_objects.hpp"
#include "qosgate/policy/compat/client_script.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/partition_use.hpp"
#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/compat/script_functions.hpp"
#include "qosgate/policy/compat/script_library.hpp"
#include "qosgate/policy/name_meanings.hpp"
#include "qosgate/policy/name_scopes.hpp"

#include <algorithm>
#include <array>
#include <cstddef>
#include <optional>
#include <utility>

namespace qg::policy::compat {
namespace {

constexpr auto fields = std::to_array<std::string_view>({
    "account",
    "acctg_freq",
    "admin_comment",
    "alloc_node",
    "argc",
    "argv",
    "array_inx",
    "assoc_comment",
    "assoc_qos",
    "batch_features",
    "begin_time",
    "bitflags",
    "boards_per_node",
    "burst_buffer",
    "clusters",
    "comment",
    "container",
    "contiguous",
    "core_spec",
    "cores_per_socket",
    "cpu_freq_gov",
    "cpu_freq_max",
    "cpu_freq_min",
    "cpus_per_task",
    "cpus_per_tres",
    "cron_job",
    "default_account",
    "default_qos",
    "delay_boot",
    "dependency",
    "end_time",
    "environment",
    "exc_nodes",
    "extra",
    "features",
    "gres",
    "group_id",
    "het_job_offset",
    "immediate",
    "licenses",
    "mail_type",
    "mail_user",
    "max_cpus",
    "max_nodes",
    "mcs_label",
    "mem_per_tres",
    "min_cpus",
    "min_mem_per_cpu",
    "min_mem_per_node",
    "min_nodes",
    "name",
    "network",
    "nice",
    "ntasks_per_board",
    "ntasks_per_core",
    "ntasks_per_gpu",
    "ntasks_per_node",
    "ntasks_per_socket",
    "ntasks_per_tres",
    "num_tasks",
    "oversubscribe",
    "pack_job_offset",
    "partition",
    "pn_min_cpus",
    "pn_min_memory",
    "pn_min_tmp_disk",
    "power_flags",
    "prefer",
    "priority",
    "qos",
    "reboot",
    "req_context",
    "req_nodes",
    "req_switch",
    "requeue",
    "reservation",
    "script",
    "segment_size",
    "selinux_context",
    "shared",
    "site_factor",
    "sockets_per_board",
    "sockets_per_node",
    "spank_job_env",
    "spank_job_env_size",
    "std_err",
    "std_in",
    "std_out",
    "thread_spec",
    "threads_per_core",
    "time_limit",
    "time_min",
    "tres_bind",
    "tres_freq",
    "tres_per_job",
    "tres_per_node",
    "tres_per_socket",
    "tres_per_task",
    "user_id",
    "user_name",
    "wait4switch",
    "wckey",
    "work_dir",
});

/// Follows the blocks of a function, to tell whether its end can be reached.
class Blocks {
  public:
    /// Reads the next token of the function. False: it was its last one.
    bool read(const Token& token) {
        if (token.is("function") || token.is("if") || token.is("do") || token.is("repeat")) {
            open_.push_back({.is_if = token.is("if")});
        } else if (token.is("else") || token.is("elseif")) {
            open_.back().end_branch();
            open_.back().has_else = token.is("else");
        } else if (token.is("end") || token.is("until")) {
            Block block = open_.back();
            block.end_branch();
            open_.pop_back();
            returns_ = open_.empty() ? block.all_return : block.is_if && block.has_else && block.all_return;
            if (!open_.empty()) open_.back().last_returns = returns_;
        } else if (token.is("return")) {
            open_.back().is_over = true;
        } else if (!token.is(";")) {
            open_.back().last_returns = false;
        }
        return !open_.empty();
    }
    /// Of the function, at its end.
    [[nodiscard]] bool returns() const noexcept { return returns_; }

  private:
    struct Block {
        bool is_if = false;
        bool has_else = false;
        bool all_return = true;    ///< every branch so far
        bool is_over = false;      ///< this branch has a return
        bool last_returns = false; ///< this branch's last statement is an if that returns

        void end_branch() noexcept {
            all_return = all_return && (is_over || last_returns);
            is_over = last_returns = false;
        }
    };
    std::vector<Block> open_{Block()};
    bool returns_ = false;
};

/// The text of a script, and what its names mean.
class ReadScript {
  public:
    explicit ReadScript(std::string_view source)
        : tokens_(read_tokens(source)), scopes_(read_scopes(tokens_)),
          submit_(find_script_function(tokens_, scopes_, submit_function)),
          modify_(find_script_function(tokens_, scopes_, modify_function)) {
        if (submit_) scopes_.functions[*submit_].rule_key = submit_function;
        if (modify_) scopes_.functions[*modify_].rule_key = modify_function;
        std::vector<ParameterName> names;
        add_name(submit_, 0, Meaning::job, names);
        add_name(modify_, 0, Meaning::job, names);
        add_name(modify_, 1, Meaning::before, names);
        meanings_ = find_meanings(tokens_, scopes_, {}, names);
    }

    [[nodiscard]] Tokens tokens() const noexcept { return tokens_; }
    [[nodiscard]] const NameScopes& scopes() const noexcept { return scopes_; }
    [[nodiscard]] const FunctionScope* submit() const noexcept { return function(submit_); }
    [[nodiscard]] const FunctionScope* modify() const noexcept { return function(modify_); }
    /// The function of this name; null: the text has none.
    [[nodiscard]] const FunctionScope* find(std::string_view name) const {
        return function(find_script_function(tokens_, scopes_, name));
    }
    [[nodiscard]] Meaning meaning_of(std::size_t at) const noexcept {
        const auto declaration = scopes_.tokens[at].declaration;
        return declaration && scopes_.tokens[at].is_reference ? meanings_[*declaration].meaning
                                                              : Meaning::anything;
    }
    [[nodiscard]] int line_of(const FunctionScope& function) const noexcept {
        return tokens_[function.begin].line;
    }
    [[nodiscard]] bool returns(const FunctionScope& function) const {
        Blocks blocks;
        for (std::size_t i = function.body; i < tokens_.size() && blocks.read(tokens_[i]); ++i) {
        }
        return blocks.returns();
    }

  private:
    [[nodiscard]] const FunctionScope* function(const std::optional<std::size_t>& index) const noexcept {
        return index ? &scopes_.functions[*index] : nullptr;
    }
    /// Helper functions mostly call the object as slurmctld's function does.
    void add_name(const std::optional<std::size_t>& index, std::size_t parameter, Meaning meaning,
                  std::vector<ParameterName>& names) const {
        const FunctionScope* of = function(index);
        if (of != nullptr && parameter < of->parameters.size())
            names.push_back({scopes_.declarations[of->parameters[parameter]].name, meaning});
    }

    std::vector<Token> tokens_;
    NameScopes scopes_;
    std::optional<std::size_t> submit_;
    std::optional<std::size_t> modify_;
    std::vector<NameMeaning> meanings_;
};

std::string describe_unknown(const Token& field, bool is_written) {
    const std::vector<std::string> names(fields.begin(), fields.end());
    return text::format("job_desc has no field '{}', {}{}", field.text,
                        is_written ? "so this sets nothing" : "so this is always nil",
                        text::did_you_mean(field.text, names));
}

/// Calls `body(field, is_written)` for each field of such an object: NAME.FIELD, or NAME["FIELD"].
template <typename Body>
void for_each_field(const ReadScript& script, Meaning object, Body body) {
    const Tokens tokens = script.tokens();
    for (std::size_t i = 0; i < tokens.size(); ++i) {
        if (script.meaning_of(i) != object) continue;
        const Token& field = token_at(tokens, i + 2);
        if (token_at(tokens, i + 1).is("."))
            body(field, token_at(tokens, i + 3).is("="));
        else if (token_at(tokens, i + 1).is("[") && field.kind == TokenKind::text && !field.text.empty() &&
                 token_at(tokens, i + 3).is("]"))
            body(field, token_at(tokens, i + 4).is("="));
    }
}

/// Uses of fields that do not exist.
void find_unknown_fields(const ReadScript& script, std::vector<ScriptFinding>& findings) {
    for_each_field(script, Meaning::job, [&](const Token& field, bool is_written) {
        if (std::ranges::find(fields, field.text) != fields.end()) return;
        findings.push_back({field.line, describe_unknown(field, is_written), false});
    });
}

/// What differs from Slurm's plugin for a field of job_rec; empty: nothing.
std::string describe_record_field(std::string_view name) {
    switch (record_field(name)) {
    case RecordField::copied: break;
    case RecordField::listed:
        return text::format("job_rec.{} comes from the copy of slurm.jobs here, 2 seconds old or more (20 "
                            "times as long as reading it takes); a change of a newer job is refused",
                            name);
    case RecordField::withheld: return text::format("job_rec.{} cannot be read here: the call fails", name);
    case RecordField::unknown:
        const std::vector<std::string> names(record_field_names().begin(), record_field_names().end());
        return text::format("job_rec has no field '{}', so this is always nil{}", name,
                            text::did_you_mean(name, names));
    }
    return {};
}

/// Uses of fields of job_rec that are not simply there.
void find_record_fields(const ReadScript& script, std::vector<ScriptFinding>& findings) {
    for_each_field(script, Meaning::before, [&](const Token& field, bool /*is_written*/) {
        if (std::string what = describe_record_field(field.text); !what.empty())
            findings.push_back({field.line, std::move(what), false});
    });
}

void find_uses_of_jobs(Tokens tokens, std::vector<ScriptFinding>& findings) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i].is_name("slurm") && tokens[i + 1].is(".") && tokens[i + 2].is_name("jobs"))
            findings.push_back({tokens[i].line,
                                "slurm.jobs is a copy here, 2 seconds old or more (20 times as long as "
                                "reading it takes): a user who "
                                "submits fast passes a bound on it; view.jobs of a rule counts exactly",
                                false});
}

/// Whether a script may give the table `slurm` names in a way that cannot be followed here.
bool may_extend_slurm(const ReadScript& script) {
    const Tokens tokens = script.tokens();
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i) {
        const bool loads_code = tokens[i].is_name("require") || tokens[i].is_name("dofile") ||
                                tokens[i].is_name("loadfile") || tokens[i].is_name("loadstring") ||
                                tokens[i].is_name("load");
        const bool is_slurm = tokens[i].is_name("slurm") && script.scopes().tokens[i].is_reference;
        if (loads_code || (is_slurm && !tokens[i + 1].is("."))) return true;
    }
    return false;
}

/// Whether the name at `i`, behind "slurm." is assigned, or only looked for: `if slurm.x then`, `slurm.x or
/// y`.
bool may_be_missing(Tokens tokens, std::size_t i) {
    const Token& next = token_at(tokens, i + 1);
    return next.is("=") || next.is(",") || next.is("then") || next.is("or") || next.is("and") ||
           next.is("==") || next.is("~=") ||
           (i > 2 && (tokens[i - 3].is("function") || tokens[i - 3].is("not")));
}

/// Uses of names that the table `slurm` does not have, unless the script may give it one. `known` are those
/// that it has.
void find_unknown_slurm_names(const ReadScript& script, std::vector<std::string> known,
                              std::vector<ScriptFinding>& findings) {
    if (may_extend_slurm(script)) return;
    const Tokens tokens = script.tokens();
    std::vector<std::size_t> uses; // of names behind "slurm."
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i].is_name("slurm") && script.scopes().tokens[i].is_reference &&
            !script.scopes().tokens[i].declaration && tokens[i + 2].is_name())
            uses.push_back(i + 2);
    for (const std::size_t use : uses)
        if (may_be_missing(tokens, use)) known.emplace_back(tokens[use].text);
    std::ranges::sort(known);
    for (const std::size_t use : uses)
        if (!std::ranges::binary_search(known, tokens[use].text))
            findings.push_back({tokens[use].line,
                                text::format("slurm has no '{}', so this is nil{}", tokens[use].text,
                                             text::did_you_mean(tokens[use].text, known)),
                                false});
}

/// Calls of setmetatable for the job description, as scripts for the first releases of the plugin have them.
void find_metatables(const ReadScript& script, std::vector<ScriptFinding>& findings) {
    const Tokens tokens = script.tokens();
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i)
        if (tokens[i].is_name("setmetatable") && tokens[i + 1].is("(") &&
            script.meaning_of(i + 2) == Meaning::job && tokens[i + 3].is(","))
            findings.push_back(
                {tokens[i].line,
                 text::format(
                     "setmetatable of {} fails, and is not needed: remove it. In Slurm's plugin such "
                     "a script has no effect either: it reads no field",
                     tokens[i + 2].text),
                 false});
}

void check_return(const ReadScript& script, const FunctionScope* function, std::string_view name,
                  std::vector<ScriptFinding>& findings) {
    if (function != nullptr && !script.returns(*function))
        findings.push_back({script.line_of(*function),
                            text::format("{} ends without a return: the job is then accepted", name), false});
}

} // namespace

std::span<const std::string_view> job_desc_fields() noexcept {
    return fields;
}

std::vector<ScriptFinding> find_script_problems(std::string_view source, const ScriptFiles* files) {
    const ReadScript script(source);
    std::vector<ScriptFinding> findings;
    for (HostAccess& access : find_host_access(source, files))
        findings.push_back({access.line, std::move(access.message), access.is_sure});
    find_uses_of_jobs(script.tokens(), findings);
    find_unknown_slurm_names(script, slurm_names(), findings);
    check_return(script, script.submit(), submit_function, findings);
    check_return(script, script.modify(), modify_function, findings);
    if (script.modify() == nullptr)
        findings.push_back({0, "has no slurm_job_modify: all changes of jobs are accepted", false});
    find_unknown_fields(script, findings);
    find_metatables(script, findings);
    find_record_fields(script, findings);
    find_partition_fields(script.tokens(), script.scopes(), findings);
    std::ranges::stable_sort(findings, {}, &ScriptFinding::line);
    return findings;
}

bool is_client_script(std::string_view source) {
    const ReadScript script(source);
    return script.submit() == nullptr && std::ranges::any_of(client_functions, [&](const char* name) {
               return script.find(name) != nullptr;
           });
}

std::vector<ScriptFinding> find_client_script_problems(std::string_view source) {
    const ReadScript script(source);
    std::vector<ScriptFinding> findings;
    for (const char* const name : client_functions) {
        const FunctionScope* function = script.find(name);
        check_return(script, function, name, findings);
        if (function == nullptr)
            findings.push_back(
                {0,
                 text::format("there is no function {}: Slurm's own plugin does not load such a script",
                              name),
                 false});
    }
    find_unknown_slurm_names(script, client_slurm_names(), findings);
    std::ranges::stable_sort(findings, {}, &ScriptFinding::line);
    return findings;
}

} // namespace qg::policy::compat
