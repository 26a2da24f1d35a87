// SPDX-License-Identifier: GPL-2.0-or-later
//
// The checks of lint, one row per check, and what they look at: the settings of a cluster, its QOSs,
// associations and partitions, as plain values. They may come from daemons or from files.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/limits/set_limit.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster_settings.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/policy/findings.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::report {

struct LintAssociation {
    model::AssociationLevel level = model::AssociationLevel::user;
    std::string account;
    std::string user = {};
    std::string partition = {};
    std::optional<std::size_t> parent = {};           ///< index; empty: the root
    std::optional<std::string> default_qos = {};      ///< its own, or that of an account above
    std::optional<std::vector<std::string>> qos = {}; ///< that it may use; empty: not known
    model::Limits limits = {};                        ///< in the order of LintInput::tres
};

struct LintInput {
    std::string cluster; ///< ClusterName
    model::ClusterSettings settings;
    std::shared_ptr<const model::TresCatalogue> tres = model::TresCatalogue::built_in();
    std::vector<model::QosRecord> qos;
    std::vector<LintAssociation> associations;
    std::vector<model::Partition> partitions;
    model::NodeTable nodes = {};                      ///< of the cluster; empty: not known
    std::optional<model::Memory> default_memory = {}; ///< DefMemPerNode, DefMemPerCPU of the cluster
    std::vector<std::string> named_in_conf = {};      ///< QOSs that slurm.conf gives to a partition or lists
    limits::Release release = limits::newest_release;
    std::vector<policy::Finding> unknown_in_rules = {}; ///< literal names that the cluster does not have
};

using limits::SetLimit;

/// The limits of a QOS.
std::vector<SetLimit> limits_of(const model::QosRecord& qos);
/// Those of an association that are its own: Grp limits. Its Max limits may be those of an account above.
std::vector<SetLimit> limits_of(const LintAssociation& association, const model::TresCatalogue& tres);

/// With the Max limits, those of an account above among them.
std::vector<SetLimit> effective_limits_of(const LintAssociation& association,
                                          const model::TresCatalogue& tres);

/// The limit of the same kind and TRES, or null.
const SetLimit* find_limit(const std::vector<SetLimit>& limits, const SetLimit& same);

/// The QOSs that partitions have, allow or deny in the text of a slurm.conf.
std::vector<std::string> find_qos_in_conf(std::string_view conf);

/// Whether a partition takes jobs of this QOS.
bool admits(const model::Partition& partition, const std::string& qos);
/// Whether it is the partition's own QOS.
bool is_qos_of(const model::Partition& partition, const std::string& qos);

/// A line of slurm.conf, as a cure sets it.
struct ConfLine {
    std::string key;
    std::vector<std::string> values; ///< with commas between them
    bool needs_restart = true;       ///< of slurmctld; false: 'scontrol reconfigure' is enough
};

/// One place where a check found something.
struct Finding {
    std::string_view code;
    std::string where; ///< "QOS night", "partition viz", "user ana in account astro", "slurm.conf"
    std::string text;  ///< a sentence
    /// A command line, or lines that begin with "# ": what to write in slurm.conf, or what to do. A shell
    /// that runs it runs no part of a name.
    std::string cure;
    std::vector<ConfLine> conf = {}; ///< what the cure sets in slurm.conf
    std::string qos = {};            ///< the QOS that it is about; empty: none
    /// Of a cure that sets one field: "MaxWall=01:00:00", "Flags-=NoDecay", "GrpTRES=cpu=-1".
    std::string assignment = {};
    std::string advice = {}; ///< what comes before the assignment
};

/// Takes what one check finds. Names may have any characters: coordinators choose them.
class Findings {
  public:
    Findings(std::string_view code, std::vector<Finding>& all) : code_(code), all_(all) {}

    /// The cure is a command. Its names are quoted().
    void add(const std::string& where, const std::string& text, const std::string& cure);
    /// The cure is words: it needs a decision.
    void advise(const std::string& where, const std::string& text, const std::string& advice);
    /// The cure is lines of slurm.conf. Those of several findings with the same key become one line.
    void set(const std::string& where, const std::string& text, std::vector<ConfLine> lines);

    /// The same for a QOS. An advice may end with an assignment of its fields.
    void add(const model::QosRecord& qos, const std::string& text, const std::string& cure);
    void advise(const model::QosRecord& qos, const std::string& text, const std::string& advice,
                const std::string& assignment = {});
    void set(const model::QosRecord& qos, const std::string& text, std::vector<ConfLine> lines);
    /// The cure is an assignment of a field of the QOS.
    void change(const model::QosRecord& qos, const std::string& text, const std::string& assignment);

  private:
    std::string_view code_;
    std::vector<Finding>& all_;
};

/// What a check looks at.
enum class LintScope : std::uint8_t {
    at_once, ///< the limits of one QOS alone; the commands that set them tell it, too
    records, ///< the fields of QOSs alone
    cluster, ///< also who may use them, partitions, nodes or slurm.conf
};

struct LintCheck {
    std::string_view code;
    std::string_view title; ///< what it finds
    void (*find)(const LintInput& input, Findings& findings);
    LintScope scope = LintScope::cluster;
};

/// All checks, in the order in which they run. Threads: immutable.
std::span<const LintCheck> lint_checks();

/// What the checks find, except those with an ignored code, by the checks that need no more than `scope`.
std::vector<Finding> find_problems(const LintInput& input, std::span<const std::string> ignored = {},
                                   LintScope scope = LintScope::cluster);

/// What is wrong with the limits of the QOSs `after` a change and was not `before` it.
std::vector<Finding> find_new_mistakes(std::vector<model::QosRecord> before,
                                       std::vector<model::QosRecord> after);

/// A finding and its cure as one sentence: "QOS a: MaxWall=00:00:00 allows no job: ...".
std::string warning_of(const Finding& finding);

/// Errors: not_found for a code that no check has, with the near miss.
Result<void> check_codes(std::span<const std::string> codes);

/// The codes and what they stand for, a line each, for a help.
std::string list_checks();

// The checks, by what they look at. Each is a row of lint_checks().
namespace lint {
// slurm.conf and rules
void limits_not_enforced(const LintInput& input, Findings& findings);
void qos_not_enforced(const LintInput& input, Findings& findings);
void not_safe(const LintInput& input, Findings& findings);
void past_not_counted(const LintInput& input, Findings& findings);
void priority_ignored(const LintInput& input, Findings& findings);
void tres_not_tracked(const LintInput& input, Findings& findings);
void preemption_ignored(const LintInput& input, Findings& findings);
void gang_missing(const LintInput& input, Findings& findings);
void run_minutes_ignored(const LintInput& input, Findings& findings);
void rules_name_unknown(const LintInput& input, Findings& findings);
// QOSs
void limit_never_binds(const LintInput& input, Findings& findings);
void zero_limit(const LintInput& input, Findings& findings);
void typed_limit_alone(const LintInput& input, Findings& findings);
void minimum_above_maximum(const LintInput& input, Findings& findings);
void preemption_loop(const LintInput& input, Findings& findings);
void flag_without_effect(const LintInput& input, Findings& findings);
void threshold_without_flag(const LintInput& input, Findings& findings);
void past_never_used_up(const LintInput& input, Findings& findings);
// What QOSs are to each other, and to partitions
void relative_above_hundred(const LintInput& input, Findings& findings);
void relative_of_jobs(const LintInput& input, Findings& findings);
void deny_on_limit_missing(const LintInput& input, Findings& findings);
void no_reserve_not_preempted(const LintInput& input, Findings& findings);
void preempts_nobody(const LintInput& input, Findings& findings);
void normal_changed(const LintInput& input, Findings& findings);
void normal_missing(const LintInput& input, Findings& findings);
// Sizes and times
void limit_above_cluster(const LintInput& input, Findings& findings);
void default_time_above_wall(const LintInput& input, Findings& findings);
void default_memory_above_limit(const LintInput& input, Findings& findings);
// Partitions
void wall_above_partitions(const LintInput& input, Findings& findings);
void minimum_above_partitions(const LintInput& input, Findings& findings);
void hidden_by_partition(const LintInput& input, Findings& findings);
void contradicts_partition(const LintInput& input, Findings& findings);
void partition_names_unknown_qos(const LintInput& input, Findings& findings);
void partition_names_unknown_account(const LintInput& input, Findings& findings);
void deny_list_ignored(const LintInput& input, Findings& findings);
// Associations
void qos_unused(const LintInput& input, Findings& findings);
void no_default_qos(const LintInput& input, Findings& findings);
void default_qos_not_admitted(const LintInput& input, Findings& findings);
void group_above_parent(const LintInput& input, Findings& findings);
void maximum_above_group(const LintInput& input, Findings& findings);
void typed_association_limit_alone(const LintInput& input, Findings& findings);
void zero_association_limit(const LintInput& input, Findings& findings);
} // namespace lint

/// Parts of cures, with all names quoted.
std::string update_qos(const std::string& qos, const std::string& assignment);
std::string modify_association(const LintInput& input, const LintAssociation& association,
                               const std::string& assignment);
std::string name_of(const LintAssociation& association);
std::string owner(const model::QosRecord& qos);

/// The QOS with that name, or null.
const model::QosRecord* find_qos(const LintInput& input, const std::string& name);
bool has_name(const std::vector<std::string>& names, const std::string& name);
/// Whether a user may use it.
bool may_be_used(const LintInput& input, const std::string& qos);
/// Whether a user may use it in that partition.
bool may_be_used_in(const LintInput& input, const std::string& qos, const model::Partition& partition);
/// The partitions where its limits count: those that have it, and those that its jobs may use.
std::vector<const model::Partition*> partitions_of(const LintInput& input, const std::string& qos);
/// Whether all that `inner` counts is a part of what `outer` counts at the same moment. Ended jobs are no
/// part of it.
bool is_part_of(const model::LimitFacts& inner, const model::LimitFacts& outer);
/// Limits of one kind of some types of a gres, which jobs that name no type pass.
struct TypedGap {
    std::vector<std::string> limits; ///< "MaxTRESPerUser=gres/gpu:a100=2"
    SetLimit all;                    ///< of all types together; 0 would forbid the other types, too

    [[nodiscard]] std::string text() const;
    /// What to do, without the command.
    [[nodiscard]] std::string advice() const;
    /// "MaxTRESPerUser=gres/gpu=2"; empty if that is 0.
    [[nodiscard]] std::string assignment() const { return all.value == 0 ? "" : all.text(); }
};
std::vector<TypedGap> typed_gaps_of(const std::vector<SetLimit>& limits);

/// Whether it is a zero with which no job can run; that of a TRES like GPUs may be meant.
bool allows_nothing(const SetLimit& limit);
/// Whether no job uses up what limits of the past allow, because UsageFactor is 0.
bool is_past_never_used_up(const LintInput& input, const model::QosRecord& qos);
/// Whether slurmctld counts a TRES: AccountingStorageTRES has it.
bool is_tracked(const LintInput& input, std::string_view tres);

} // namespace qg::report
