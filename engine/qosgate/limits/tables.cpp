// SPDX-License-Identifier: GPL-2.0-or-later
//
// Slurm's order of checks, stage by stage (limits/README.md 4.1 to 4.4). The order decides which Reason is
// shown.
#include "qosgate/limits/checks.hpp"

#include <array>

namespace qg::limits {
namespace {

using enum TresLimit;
using enum CountLimit;

constexpr std::array submit_qos{
    Row{.check = checks::request_alone, .limit = max_tres_per_account, .when = When::strict},
    Row{.check = checks::grp_and_user,
        .limit = grp_tres,
        .when = When::strict,
        .reads = {grp_tres, max_tres_per_user}},
    Row{.check = checks::submit_count, .limit = grp_submit_jobs},
    Row{.check = checks::minutes_or_time, .limit = max_tres_mins_per_job, .when = When::strict},
    Row{.check = checks::minutes_or_time, .limit = grp_tres_mins, .when = When::strict},
    Row{.check = checks::minutes_or_time, .limit = grp_tres_run_mins, .when = When::strict},
    Row{.check = checks::minutes_or_time,
        .limit = max_tres_run_mins_per_account,
        .when = When::strict,
        .rule = &rules::enforces_run_mins},
    Row{.check = checks::minutes_or_time,
        .limit = max_tres_run_mins_per_user,
        .when = When::strict,
        .rule = &rules::enforces_run_mins},
    Row{.check = checks::wall_or_time, .limit = max_wall},
    Row{.check = checks::wall_or_time, .limit = grp_wall},
    Row{.check = checks::request_alone, .limit = max_tres_per_job, .when = When::strict},
    Row{.check = checks::per_node, .limit = max_tres_per_node, .when = When::strict},
    Row{.check = checks::submit_count, .limit = max_submit_jobs_per_account},
    Row{.check = checks::submit_count, .limit = max_submit_jobs_per_user},
    Row{.check = checks::minimum, .limit = min_tres_per_job, .when = When::strict},
};

constexpr std::array submit_association{
    Row{.check = checks::request_alone,
        .limit = grp_tres,
        .when = When::strict,
        .overridden_by = {grp_tres},
        .hides_later = false,
        .scaled = Scaled::by_any_qos},
    Row{.check = checks::submit_count,
        .limit = grp_submit_jobs,
        .overridden_by = {grp_submit_jobs},
        .hides_later = false},
    Row{.check = checks::minutes_or_time,
        .limit = grp_tres_mins,
        .when = When::strict,
        .overridden_by = {grp_tres_mins}},
    Row{.check = checks::minutes_or_time,
        .limit = grp_tres_run_mins,
        .when = When::strict,
        .overridden_by = {grp_tres_run_mins}},
    Row{.check = checks::wall_or_time, .limit = grp_wall, .overridden_by = {grp_wall}},
    Row{.check = checks::request_alone,
        .limit = max_tres_per_job,
        .when = When::strict,
        .overridden_by = {max_tres_per_job},
        .scaled = Scaled::by_any_qos},
    Row{.check = checks::per_node,
        .limit = max_tres_per_node,
        .when = When::strict,
        .overridden_by = {max_tres_per_node}},
    Row{.check = checks::submit_count,
        .limit = max_submit_jobs,
        .overridden_by = {max_submit_jobs_per_account, max_submit_jobs_per_user}},
    Row{.check = checks::minutes_or_time,
        .limit = max_tres_mins_per_job,
        .when = When::strict,
        .overridden_by = {max_tres_mins_per_job}},
    Row{.check = checks::wall_or_time, .limit = max_wall, .overridden_by = {max_wall}},
};

constexpr std::array pre_select_qos{
    Row{.check = checks::wall_time, .limit = max_wall},
    Row{.check = checks::wall_time, .limit = grp_wall},
    Row{.check = checks::running_count, .limit = grp_jobs},
    Row{.check = checks::wall_used, .limit = grp_wall},
    Row{.check = checks::running_count, .limit = max_jobs_per_account},
    Row{.check = checks::running_count, .limit = max_jobs_per_user},
    Row{.check = checks::wall_asked, .limit = max_wall},
};

constexpr std::array pre_select_association{
    Row{.check = checks::wall_time, .limit = max_wall, .overridden_by = {max_wall}},
    Row{.check = checks::wall_time, .limit = grp_wall, .overridden_by = {grp_wall}, .hides_later = false},
    Row{.check = checks::running_count, .limit = grp_jobs, .overridden_by = {grp_jobs}, .hides_later = false},
    Row{.check = checks::wall_used, .limit = grp_wall, .overridden_by = {grp_wall}, .hides_later = false},
    Row{.check = checks::running_count,
        .limit = max_jobs,
        .overridden_by = {max_jobs_per_account, max_jobs_per_user}},
    Row{.check = checks::wall_asked, .limit = max_wall, .overridden_by = {max_wall}},
};

// Among equal limits the first one found counts. For GrpTRES of associations, the nearest one that lowers the
// number counts.
constexpr std::array node_count_qos{
    Row{.check = checks::fewest_nodes, .limit = max_tres_per_account},
    Row{.check = checks::fewest_nodes, .limit = max_tres_per_job},
    Row{.check = checks::fewest_nodes, .limit = max_tres_per_user},
    Row{.check = checks::fewest_nodes, .limit = grp_tres},
};

constexpr std::array node_count_association{
    Row{.check = checks::fewest_nodes,
        .limit = grp_tres,
        .overridden_by = {grp_tres},
        .hides_later = false,
        .scaled = Scaled::by_first_qos,
        .nearest_only = true},
    Row{.check = checks::fewest_nodes,
        .limit = max_tres_per_job,
        .overridden_by = {max_tres_per_account, max_tres_per_job, max_tres_per_user},
        .hides_later = false,
        .scaled = Scaled::by_first_qos},
};

constexpr std::array post_select_qos{
    Row{.check = checks::minutes_used, .limit = grp_tres_mins},
    Row{.check = checks::with_usage, .limit = grp_tres},
    Row{.check = checks::run_minutes, .limit = grp_tres_run_mins, .ignores_operator_override = true},
    Row{.check = checks::minutes_of_job, .limit = max_tres_mins_per_job},
    Row{.check = checks::request_alone, .limit = max_tres_per_job},
    Row{.check = checks::per_node, .limit = max_tres_per_node},
    Row{.check = checks::minimum, .limit = min_tres_per_job},
    Row{.check = checks::with_usage, .limit = max_tres_per_account},
    Row{.check = checks::with_usage, .limit = max_tres_per_user},
    Row{.check = checks::run_minutes,
        .limit = max_tres_run_mins_per_account,
        .ignores_operator_override = true,
        .rule = &rules::enforces_run_mins},
    Row{.check = checks::run_minutes,
        .limit = max_tres_run_mins_per_user,
        .ignores_operator_override = true,
        .rule = &rules::enforces_run_mins},
};

constexpr std::array post_select_association{
    Row{.check = checks::minutes_used,
        .limit = grp_tres_mins,
        .overridden_by = {grp_tres_mins},
        .hides_later = false},
    Row{.check = checks::with_usage,
        .limit = grp_tres,
        .overridden_by = {grp_tres},
        .hides_later = false,
        .scaled = Scaled::by_any_qos},
    Row{.check = checks::run_minutes,
        .limit = grp_tres_run_mins,
        .overridden_by = {grp_tres_run_mins},
        .hides_later = false,
        .ignores_operator_override = true},
    Row{.check = checks::minutes_of_job,
        .limit = max_tres_mins_per_job,
        .overridden_by = {max_tres_mins_per_job}},
    Row{.check = checks::request_alone,
        .limit = max_tres_per_job,
        .overridden_by = {max_tres_per_job},
        .scaled = Scaled::by_any_qos},
    Row{.check = checks::per_node, .limit = max_tres_per_node, .overridden_by = {max_tres_per_node}},
};

static_assert(are_well_formed(submit_qos) && are_well_formed(submit_association));
static_assert(are_well_formed(pre_select_qos) && are_well_formed(pre_select_association));
static_assert(are_well_formed(node_count_qos) && are_well_formed(node_count_association));
static_assert(are_well_formed(post_select_qos) && are_well_formed(post_select_association));

static_assert(are_covered(submit_qos) && are_covered(submit_association));
static_assert(are_covered(pre_select_qos) && are_covered(pre_select_association));
static_assert(are_covered(node_count_qos) && are_covered(node_count_association));
static_assert(are_covered(post_select_qos) && are_covered(post_select_association));

// The limits that each stage must check.
constexpr bool is_of_submit(const LimitFacts& facts) {
    return facts.measure != LimitMeasure::running_jobs;
}
constexpr bool is_of_pre_select(const LimitFacts& facts) {
    return facts.measure == LimitMeasure::running_jobs || facts.measure == LimitMeasure::wall;
}
constexpr bool is_of_node_count(const LimitFacts& facts) {
    return facts.measure == LimitMeasure::tres && facts.scope != LimitScope::node &&
           facts.sense == model::LimitSense::maximum;
}
constexpr bool is_of_post_select(const LimitFacts& facts) {
    return std::holds_alternative<TresLimit>(facts.limit);
}

/// Whether the tables of a stage have rows for all limits that belong to it.
constexpr bool is_complete(std::span<const Row> qos, std::span<const Row> association,
                           bool (*belongs)(const LimitFacts&)) {
    return read_all(qos, model::limits_where(
                             [&](const LimitFacts& facts) { return facts.is_of_qos() && belongs(facts); })) &&
           read_all(association, model::limits_where([&](const LimitFacts& facts) {
                        return facts.is_of_association() && belongs(facts);
                    }));
}
static_assert(is_complete(submit_qos, submit_association, is_of_submit));
static_assert(is_complete(pre_select_qos, pre_select_association, is_of_pre_select));
static_assert(is_complete(node_count_qos, node_count_association, is_of_node_count));
static_assert(is_complete(post_select_qos, post_select_association, is_of_post_select));

constexpr bool has_row(std::span<const Row> rows, const Check& check, const LimitId& limit) {
    return std::ranges::any_of(rows,
                               [&](const Row& row) { return row.check == check && row.limit == limit; });
}

/// Whether each wall limit can set the job's time, and is compared with that time or with past usage.
constexpr bool has_rows_of_walls(std::span<const Row> rows,
                                 bool (LimitFacts::*is_of_owner)() const noexcept) {
    return std::ranges::all_of(model::limit_facts, [&](const LimitFacts& facts) {
        if (facts.measure != LimitMeasure::wall || !(facts.*is_of_owner)()) return true;
        return has_row(rows, checks::wall_time, facts.limit) &&
               has_row(rows, facts.counts_the_past() ? checks::wall_used : checks::wall_asked, facts.limit);
    });
}
// g++ 11, and g++ 12 with -fsanitize=undefined, cannot compare function pointers at compile time. Others can.
#if !defined(__SANITIZE_ADDRESS__) && (!defined(__GNUC__) || __GNUC__ >= 12 || defined(__clang__))
static_assert(has_rows_of_walls(pre_select_qos, &LimitFacts::is_of_qos));
static_assert(has_rows_of_walls(pre_select_association, &LimitFacts::is_of_association));
#endif

} // namespace

constexpr Stage submit_stage{submit_qos, submit_association};
constexpr Stage pre_select_stage{pre_select_qos, pre_select_association, /*restarts_time=*/true};
constexpr Stage node_count_stage{node_count_qos, node_count_association, /*restarts_time=*/false,
                                 /*limit_by_limit=*/true};
constexpr Stage post_select_stage{post_select_qos, post_select_association};

} // namespace qg::limits
