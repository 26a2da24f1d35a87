// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint, one row per check.
#pragma once

#include "report/lint_input.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// One place where a check found something.
struct Finding {
    std::string_view code;
    std::string where; ///< "QOS night", "partition viz", "user ana in account astro", "slurm.conf"
    std::string text;  ///< a sentence
    std::string cure;  ///< a command line, or one that begins with "# slurm.conf: "
};

/// Takes what one check finds.
class Findings {
  public:
    Findings(std::string_view code, std::vector<Finding>& all) : code_(code), all_(all) {}

    void add(std::string where, std::string text, std::string cure) {
        all_.push_back(
            {.code = code_, .where = std::move(where), .text = std::move(text), .cure = std::move(cure)});
    }

  private:
    std::string_view code_;
    std::vector<Finding>& all_;
};

struct LintCheck {
    std::string_view code;
    std::string_view title; ///< what it finds
    void (*find)(const LintInput& input, Findings& findings);
};

/// All checks, in the order in which they run. Threads: immutable.
std::span<const LintCheck> lint_checks();

/// What the checks find, except those with an ignored code.
std::vector<Finding> find_problems(const LintInput& input, std::span<const std::string> ignored = {});

// The checks, by what they look at. Each is a row of lint_checks().
namespace lint {
// slurm.conf
void limits_not_enforced(const LintInput& input, Findings& findings);
void qos_not_enforced(const LintInput& input, Findings& findings);
void not_safe(const LintInput& input, Findings& findings);
void past_not_counted(const LintInput& input, Findings& findings);
void priority_ignored(const LintInput& input, Findings& findings);
void tres_not_tracked(const LintInput& input, Findings& findings);
void preemption_ignored(const LintInput& input, Findings& findings);
void run_minutes_ignored(const LintInput& input, Findings& findings);
// QOSs
void limit_never_binds(const LintInput& input, Findings& findings);
void zero_limit(const LintInput& input, Findings& findings);
void minimum_above_maximum(const LintInput& input, Findings& findings);
void preemption_loop(const LintInput& input, Findings& findings);
void flag_without_effect(const LintInput& input, Findings& findings);
void threshold_without_flag(const LintInput& input, Findings& findings);
// Partitions
void wall_above_partitions(const LintInput& input, Findings& findings);
void minimum_above_partitions(const LintInput& input, Findings& findings);
void hidden_by_partition(const LintInput& input, Findings& findings);
void contradicts_partition(const LintInput& input, Findings& findings);
void partition_names_unknown_qos(const LintInput& input, Findings& findings);
void deny_list_ignored(const LintInput& input, Findings& findings);
// Associations
void qos_unused(const LintInput& input, Findings& findings);
void no_default_qos(const LintInput& input, Findings& findings);
void group_above_parent(const LintInput& input, Findings& findings);
void zero_association_limit(const LintInput& input, Findings& findings);
} // namespace lint

/// Parts of cures.
std::string update_qos(const std::string& qos, const std::string& assignment);
std::string modify_association(const LintInput& input, const LintAssociation& association,
                               const std::string& assignment);
std::string name_of(const LintAssociation& association);

} // namespace qg::cli
