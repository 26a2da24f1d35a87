// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/script_findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/lua_tokens.hpp"

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

/// A function of the script that slurmctld calls.
struct Hook {
    std::string_view first;  ///< the name of its first parameter: job_desc
    std::string_view second; ///< of slurm_job_modify: job_rec
    int line = 0;
    bool has_return = false; ///< at its end
};

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

/// Reads the function whose name is at `at`: function NAME(...), or NAME = function(...). Empty: it is none.
std::optional<Hook> read_hook(std::span<const Token> tokens, std::size_t at) {
    const bool is_statement = at > 0 && tokens[at - 1].is("function");
    std::size_t open = at + 1;
    if (!is_statement) {
        if (at + 4 >= tokens.size() || !tokens[at + 1].is("=") || !tokens[at + 2].is("function"))
            return std::nullopt;
        open = at + 3;
    }
    if (open + 1 >= tokens.size() || !tokens[open].is("(")) return std::nullopt;
    Hook hook;
    hook.line = tokens[at].line;
    if (tokens[open + 1].is_name()) hook.first = tokens[open + 1].text;
    if (open + 3 < tokens.size() && tokens[open + 2].is(",") && tokens[open + 3].is_name())
        hook.second = tokens[open + 3].text;
    Blocks blocks;
    for (std::size_t i = open; i < tokens.size() && blocks.read(tokens[i]); ++i) {
    }
    hook.has_return = blocks.returns();
    return hook;
}

std::optional<Hook> find_hook(std::span<const Token> tokens, std::string_view name) {
    for (std::size_t i = 0; i < tokens.size(); ++i)
        if (tokens[i].is_name(name))
            if (auto hook = read_hook(tokens, i)) return hook;
    return std::nullopt;
}

std::string describe_unknown(const Token& field, bool is_written) {
    const std::vector<std::string> names(fields.begin(), fields.end());
    return text::format("job_desc has no field '{}', {}{}", field.text,
                        is_written ? "so this sets nothing" : "so this is always nil",
                        text::did_you_mean(field.text, names));
}

/// Calls `body(field, is_written)` for each field of a variable, NAME.FIELD.
template <typename Body>
void for_each_field(std::span<const Token> tokens, std::string_view variable, Body body) {
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i) {
        const bool is_member = i > 0 && (tokens[i - 1].is(".") || tokens[i - 1].is(":"));
        if (is_member || !tokens[i].is_name(variable) || !tokens[i + 1].is(".")) continue;
        body(tokens[i + 2], tokens[i + 3].is("="));
    }
}

/// Uses of fields that do not exist. `job` is the name of the job description.
void find_unknown_fields(std::span<const Token> tokens, std::string_view job,
                         std::vector<ScriptFinding>& findings) {
    for_each_field(tokens, job, [&](const Token& field, bool is_written) {
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

/// Uses of fields of job_rec that are not simply there. `record` is its name.
void find_record_fields(std::span<const Token> tokens, std::string_view record,
                        std::vector<ScriptFinding>& findings) {
    for_each_field(tokens, record, [&](const Token& field, bool /*is_written*/) {
        if (std::string what = describe_record_field(field.text); !what.empty())
            findings.push_back({field.line, std::move(what), false});
    });
}

void find_uses_of_jobs(std::span<const Token> tokens, std::vector<ScriptFinding>& findings) {
    for (std::size_t i = 0; i + 2 < tokens.size(); ++i)
        if (tokens[i].is_name("slurm") && tokens[i + 1].is(".") && tokens[i + 2].is_name("jobs"))
            findings.push_back({tokens[i].line,
                                "slurm.jobs is a copy here, 2 seconds old or more (20 times as long as "
                                "reading it takes): a user who "
                                "submits fast passes a bound on it; view.jobs of a rule counts exactly",
                                false});
}

/// Calls of setmetatable for the job description, as scripts for the first releases of the plugin have them.
void find_metatables(std::span<const Token> tokens, std::string_view job,
                     std::vector<ScriptFinding>& findings) {
    for (std::size_t i = 0; i + 3 < tokens.size(); ++i)
        if (tokens[i].is_name("setmetatable") && tokens[i + 1].is("(") && tokens[i + 2].is_name(job) &&
            tokens[i + 3].is(","))
            findings.push_back(
                {tokens[i].line,
                 text::format(
                     "setmetatable of {} fails, and is not needed: remove it. In Slurm's plugin such "
                     "a script has no effect either: it reads no field",
                     job),
                 false});
}

void check_return(const std::optional<Hook>& hook, std::string_view name,
                  std::vector<ScriptFinding>& findings) {
    if (hook && !hook->has_return)
        findings.push_back(
            {hook->line, text::format("{} ends without a return: it then has no objection", name), false});
}

} // namespace

std::span<const std::string_view> job_desc_fields() noexcept {
    return fields;
}

std::vector<ScriptFinding> find_script_problems(std::string_view source, const ScriptFiles* files) {
    const std::vector<Token> tokens = read_tokens(source);
    std::vector<ScriptFinding> findings;
    for (HostAccess& access : find_host_access(source, files))
        findings.push_back({access.line, std::move(access.message), access.is_sure});
    find_uses_of_jobs(tokens, findings);
    const auto submit = find_hook(tokens, "slurm_job_submit");
    const auto modify = find_hook(tokens, "slurm_job_modify");
    check_return(submit, "slurm_job_submit", findings);
    check_return(modify, "slurm_job_modify", findings);
    if (!modify) findings.push_back({0, "has no slurm_job_modify: all changes of jobs are accepted", false});
    const auto check_job = [&](std::string_view job) {
        if (job.empty()) return;
        find_unknown_fields(tokens, job, findings);
        find_metatables(tokens, job, findings);
    };
    if (submit) check_job(submit->first);
    if (modify && (!submit || submit->first != modify->first)) check_job(modify->first);
    if (modify && !modify->second.empty()) find_record_fields(tokens, modify->second, findings);
    std::ranges::stable_sort(findings, {}, &ScriptFinding::line);
    return findings;
}

} // namespace qg::policy::compat
