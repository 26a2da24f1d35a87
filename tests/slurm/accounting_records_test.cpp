// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/accounting_records.hpp"

#include "qosgate/slurm/compat.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <cmath>
#include <limits>
#include <string>
#include <type_traits>

using namespace qg;
using namespace qg::slurm;
using model::CountLimit;
using model::TresLimit;

namespace {

constexpr std::size_t tres_count = 3;
constexpr std::uint64_t none = INFINITE64;

// slurmctld fills the values of a limit from its text; only that there is one matters here.
std::string some_text = "1=4";
std::string empty_text;

/// A QOS as slurmdbd sends one without settings.
slurmdb_qos_rec_t plain_qos() {
    slurmdb_qos_rec_t qos;
    slurmdb_init_qos_rec(&qos, /*free_it=*/false, INFINITE);
    assign_flags(qos.flags, 0);
    return qos;
}

slurmdb_assoc_rec_t plain_association() {
    slurmdb_assoc_rec_t association{};
    slurmdb_init_assoc_rec(&association, /*free_it=*/false);
    return association;
}

/// Usage of a QOS: two running jobs with 4 CPUs and 4000 MiB on one node.
struct QosUsage {
    slurmdb_qos_usage_t raw() {
        slurmdb_qos_usage_t usage{};
        usage.tres_cnt = tres_count;
        usage.grp_used_jobs = 2;
        usage.grp_used_tres = tres;
        usage.grp_used_tres_run_secs = run_secs;
        usage.usage_tres_raw = raw_secs;
        return usage;
    }
    std::uint64_t tres[tres_count] = {4, 4000, 1}, run_secs[tres_count] = {59, 60, 7199};
    long double raw_secs[tres_count] = {59.9L, 60.0L, 1e30L};
};

constexpr TresLimit all_tres_limits[] = {
    TresLimit::max_tres_per_job,
    TresLimit::max_tres_per_node,
    TresLimit::max_tres_per_user,
    TresLimit::max_tres_per_account,
    TresLimit::grp_tres,
    TresLimit::max_tres_mins_per_job,
    TresLimit::grp_tres_mins,
    TresLimit::grp_tres_run_mins,
    TresLimit::max_tres_run_mins_per_account,
    TresLimit::max_tres_run_mins_per_user,
    TresLimit::min_tres_per_job,
};
static_assert(std::size(all_tres_limits) == model::tres_limit_count);

constexpr CountLimit all_count_limits[] = {
    CountLimit::grp_jobs,
    CountLimit::max_jobs,
    CountLimit::max_jobs_per_user,
    CountLimit::max_jobs_per_account,
    CountLimit::grp_submit_jobs,
    CountLimit::max_submit_jobs,
    CountLimit::max_submit_jobs_per_user,
    CountLimit::max_submit_jobs_per_account,
    CountLimit::max_wall,
    CountLimit::grp_wall,
};
static_assert(std::size(all_count_limits) == model::count_limit_count);

void expect_only(const model::Limits& limits, TresLimit expected) {
    for (const TresLimit limit : all_tres_limits)
        BOOST_TEST(limits.has_any(limit) == (limit == expected), model::name_of(limit));
}

void expect_only(const model::Limits& limits, CountLimit expected) {
    for (const CountLimit limit : all_count_limits)
        BOOST_TEST(limits.get(limit).has_value() == (limit == expected), model::name_of(limit));
}

void expect_unset(const model::Limits& limits) {
    for (const TresLimit limit : all_tres_limits)
        BOOST_TEST(!limits.has_any(limit), model::name_of(limit));
    for (const CountLimit limit : all_count_limits)
        BOOST_TEST(!limits.get(limit).has_value(), model::name_of(limit));
}

} // namespace

BOOST_AUTO_TEST_SUITE(accounting_records)

BOOST_AUTO_TEST_CASE(a_qos_without_settings_has_no_limits) {
    const model::Qos qos = read_qos(plain_qos(), tres_count);

    expect_unset(qos.limits);
    BOOST_TEST(qos.usage_factor == 1.0);
    BOOST_TEST(!qos.limit_factor.has_value());
    BOOST_TEST(!qos.flags.deny_on_limit);
}

BOOST_AUTO_TEST_CASE(fields_that_a_request_left_out_are_no_limits_either) {
    slurmdb_qos_rec_t raw;
    slurmdb_init_qos_rec(&raw, /*free_it=*/false, NO_VAL);

    const model::Qos qos = read_qos(raw, tres_count);

    expect_unset(qos.limits);
    BOOST_TEST(qos.usage_factor == 1.0);
    BOOST_TEST(!qos.limit_factor.has_value());
}

BOOST_AUTO_TEST_CASE(each_tres_limit_of_a_qos_is_read_by_position) {
    using Qos = slurmdb_qos_rec_t;
    struct Row {
        char* Qos::*text;
        std::uint64_t* Qos::*values;
        TresLimit limit;
    };
    constexpr Row rows[] = {
        {&Qos::max_tres_pj, &Qos::max_tres_pj_ctld, TresLimit::max_tres_per_job},
        {&Qos::max_tres_pn, &Qos::max_tres_pn_ctld, TresLimit::max_tres_per_node},
        {&Qos::max_tres_pu, &Qos::max_tres_pu_ctld, TresLimit::max_tres_per_user},
        {&Qos::max_tres_pa, &Qos::max_tres_pa_ctld, TresLimit::max_tres_per_account},
        {&Qos::grp_tres, &Qos::grp_tres_ctld, TresLimit::grp_tres},
        {&Qos::max_tres_mins_pj, &Qos::max_tres_mins_pj_ctld, TresLimit::max_tres_mins_per_job},
        {&Qos::grp_tres_mins, &Qos::grp_tres_mins_ctld, TresLimit::grp_tres_mins},
        {&Qos::grp_tres_run_mins, &Qos::grp_tres_run_mins_ctld, TresLimit::grp_tres_run_mins},
        {&Qos::max_tres_run_mins_pa, &Qos::max_tres_run_mins_pa_ctld,
         TresLimit::max_tres_run_mins_per_account},
        {&Qos::max_tres_run_mins_pu, &Qos::max_tres_run_mins_pu_ctld, TresLimit::max_tres_run_mins_per_user},
        {&Qos::min_tres_pj, &Qos::min_tres_pj_ctld, TresLimit::min_tres_per_job},
    };
    static_assert(std::size(rows) == model::tres_limit_count);
    for (const auto& [text_member, member, limit] : rows) {
        std::uint64_t values[tres_count] = {0, none, 8};
        slurmdb_qos_rec_t raw = plain_qos();
        raw.*member = values;
        raw.*text_member = empty_text.data();
        expect_unset(read_qos(raw, tres_count).limits);
        raw.*text_member = some_text.data();

        const model::Limits limits = read_qos(raw, tres_count).limits;

        expect_only(limits, limit);
        BOOST_TEST(limits.get(limit, 0) == 0u);
        BOOST_TEST(!limits.get(limit, 1).has_value());
        BOOST_TEST(limits.get(limit, 2) == 8u);
    }
}

BOOST_AUTO_TEST_CASE(each_count_of_a_qos_is_read) {
    using Qos = slurmdb_qos_rec_t;
    constexpr std::pair<std::uint32_t Qos::*, CountLimit> rows[] = {
        {&Qos::grp_jobs, CountLimit::grp_jobs},
        {&Qos::max_jobs_pu, CountLimit::max_jobs_per_user},
        {&Qos::max_jobs_pa, CountLimit::max_jobs_per_account},
        {&Qos::grp_submit_jobs, CountLimit::grp_submit_jobs},
        {&Qos::max_submit_jobs_pu, CountLimit::max_submit_jobs_per_user},
        {&Qos::max_submit_jobs_pa, CountLimit::max_submit_jobs_per_account},
        {&Qos::max_wall_pj, CountLimit::max_wall},
        {&Qos::grp_wall, CountLimit::grp_wall},
    };
    for (const auto& [member, limit] : rows)
        for (const std::uint32_t value : {0u, 1u, NO_VAL - 1u}) {
            slurmdb_qos_rec_t raw = plain_qos();
            raw.*member = value;

            const model::Limits limits = read_qos(raw, tres_count).limits;

            expect_only(limits, limit);
            BOOST_TEST(*limits.get(limit) == value);
        }
}

BOOST_AUTO_TEST_CASE(each_flag_of_a_qos_sets_one_fact) {
    using Flags = model::QosFlags;
    constexpr std::pair<std::uint32_t, bool Flags::*> rows[] = {
        {QOS_FLAG_DENY_LIMIT, &Flags::deny_on_limit},
        {QOS_FLAG_OVER_PART_QOS, &Flags::over_part_qos},
        {QOS_FLAG_USAGE_FACTOR_SAFE, &Flags::usage_factor_safe},
        {QOS_FLAG_NO_DECAY, &Flags::no_decay},
        {QOS_FLAG_PART_MIN_NODE, &Flags::partition_min_nodes},
        {QOS_FLAG_PART_MAX_NODE, &Flags::partition_max_nodes},
        {QOS_FLAG_PART_TIME_LIMIT, &Flags::partition_time_limit},
        {QOS_FLAG_ENFORCE_USAGE_THRES, &Flags::enforce_usage_threshold},
        {QOS_FLAG_REQ_RESV, &Flags::requires_reservation},
        {1u << 10, &Flags::relative}, // older headers do not define it
    };
    for (const auto& [bit, expected] : rows) {
        const Flags flags = read_qos_flags(bit);
        for (const auto& [_, member] : rows)
            BOOST_TEST((flags.*member) == (member == expected));
    }
}

BOOST_AUTO_TEST_CASE(limits_of_a_relative_qos_are_counts_already) {
    std::uint64_t counts[tres_count];
    std::fill(std::begin(counts), std::end(counts), INFINITE64);
    counts[0] = 50;
    slurmdb_qos_rec_t raw = plain_qos();
    assign_flags(raw.flags, qos_flag_relative);
    raw.max_tres_pj = some_text.data();
    raw.max_tres_pj_ctld = counts;

    const model::Qos qos = read_qos(raw, tres_count);

    BOOST_TEST(qos.flags.relative);
    BOOST_TEST(qos.limits.get(model::TresLimit::max_tres_per_job, 0).value() == 50u);
    BOOST_TEST(!qos.limits.get(model::TresLimit::max_tres_per_job, 1).has_value());
}

BOOST_AUTO_TEST_CASE(factors_are_read_where_they_are_set) {
    slurmdb_qos_rec_t raw = plain_qos();
    raw.usage_factor = 0.5;
    raw.limit_factor = 2.0;

    const model::Qos qos = read_qos(raw, tres_count);

    BOOST_TEST(qos.usage_factor == 0.5);
    BOOST_TEST(*qos.limit_factor == 2.0);
    raw.usage_factor = std::nan("");
    BOOST_TEST(read_qos(raw, tres_count).usage_factor == 1.0);
}

BOOST_AUTO_TEST_CASE(usage_of_a_qos_turns_seconds_into_whole_minutes) {
    QosUsage used;
    slurmdb_qos_usage_t raw = used.raw();
    raw.grp_used_submit_jobs = 5;
    raw.grp_used_wall = 119.9;

    const model::Usage usage = read_usage(raw, tres_count);

    BOOST_TEST(usage.jobs == 2u);
    BOOST_TEST(usage.submit_jobs == 5u);
    BOOST_TEST(usage.wall_minutes == 1u);
    BOOST_TEST(usage.tres == (model::TresCounts{4, 4000, 1}));
    BOOST_TEST(usage.tres_run_minutes == (model::TresCounts{0, 1, 119}));
    BOOST_TEST(usage.tres_minutes == (model::TresCounts{0, 1, NO_VAL64}));
}

BOOST_AUTO_TEST_CASE(odd_floating_usage_reads_as_none) {
    for (const double wall : {-1.0, std::nan(""), -std::numeric_limits<double>::infinity()}) {
        slurmdb_qos_usage_t raw{};
        raw.grp_used_wall = wall;
        BOOST_TEST(read_usage(raw, tres_count).wall_minutes == 0u);
    }
}

BOOST_AUTO_TEST_CASE(usage_is_read_as_far_as_limits_look_at_it) {
    QosUsage used;
    const auto reads = [&](model::LimitSet against) {
        const model::Usage usage = read_usage(used.raw(), tres_count, against);
        BOOST_TEST(usage.jobs == 2u);
        return std::array{!usage.tres.empty(), !usage.tres_run_minutes.empty(), !usage.tres_minutes.empty()};
    };

    BOOST_TEST(reads(CountLimit::grp_jobs) == (std::array{false, false, false}));
    BOOST_TEST(reads(TresLimit::max_tres_per_job) == (std::array{false, false, false}));
    BOOST_TEST(reads(TresLimit::grp_tres) == (std::array{true, false, false}));
    BOOST_TEST(reads(TresLimit::max_tres_per_user) == (std::array{true, false, false}));
    BOOST_TEST(reads(TresLimit::max_tres_per_account) == (std::array{true, false, false}));
    BOOST_TEST(reads(TresLimit::grp_tres_run_mins) == (std::array{false, true, false}));
    BOOST_TEST(reads(TresLimit::max_tres_run_mins_per_user) == (std::array{false, true, false}));
    // With `safe` in AccountingStorageEnforce what running jobs may still use counts, too.
    BOOST_TEST(reads(TresLimit::grp_tres_mins) == (std::array{false, true, true}));
}

BOOST_AUTO_TEST_CASE(missing_and_short_usage_arrays_read_as_zero) {
    std::uint64_t tres[1] = {4};
    slurmdb_qos_usage_t raw{};
    raw.tres_cnt = 1;
    raw.grp_used_tres = tres;

    const model::Usage usage = read_usage(raw, tres_count);

    BOOST_TEST(model::count_at(usage.tres, 0) == 4u);
    BOOST_TEST(model::count_at(usage.tres, 2) == 0u);
    BOOST_TEST(model::count_at(usage.tres_minutes, 0) == 0u);
}

BOOST_AUTO_TEST_CASE(usage_of_a_user_is_read) {
    std::uint64_t tres[tres_count] = {4, 4000, 1};
    std::uint64_t committed[tres_count] = {120, 0, 60};
    slurmdb_used_limits_t raw{};
    raw.jobs = 1;
    raw.submit_jobs = 3;
    raw.tres = tres;
    // Minutes up to 23.11, seconds after.
    [&](auto& used) {
        if constexpr (requires { used.tres_run_secs; })
            used.tres_run_secs = committed;
        else
            used.tres_run_mins = committed;
    }(raw);

    const model::Usage usage = read_usage(raw, tres_count);

    const std::uint64_t unit = run_tres(raw).is_in_seconds ? 60 : 1;
    BOOST_TEST(usage.jobs == 1u);
    BOOST_TEST(usage.submit_jobs == 3u);
    BOOST_TEST(usage.tres == (model::TresCounts{4, 4000, 1}));
    BOOST_TEST(usage.tres_run_minutes == (model::TresCounts{120 / unit, 0, 60 / unit}));
}

BOOST_AUTO_TEST_CASE(an_association_has_max_limits_on_the_user_level_only) {
    using Assoc = slurmdb_assoc_rec_t;
    std::string account = "astro", user = "ana";
    std::uint64_t group[tres_count] = {1, 2, 3}, job[tres_count] = {4, none, 6}, node[tres_count] = {7, 8, 9};
    Assoc raw = plain_association();
    raw.acct = account.data();
    raw.grp_tres = raw.max_tres_pj = raw.max_tres_pn = some_text.data();
    raw.grp_tres_ctld = group;
    raw.max_tres_ctld = job;
    raw.max_tres_pn_ctld = node;
    raw.grp_jobs = 10;
    raw.max_jobs = 11;
    raw.grp_submit_jobs = 12;
    raw.max_submit_jobs = 13;
    raw.grp_wall = 14;
    raw.max_wall_pj = 15;
    Assoc parent = plain_association();
    slurmdb_assoc_usage_t usage{};
    usage.parent_assoc_ptr = &parent;
    raw.usage = &usage;

    const model::Association of_account = read_association(raw, tres_count);
    raw.user = user.data();
    const model::Association of_user = read_association(raw, tres_count);

    BOOST_TEST(of_account.level == model::AssociationLevel::account);
    BOOST_TEST(of_user.level == model::AssociationLevel::user);
    BOOST_TEST(of_user.user == "ana");
    BOOST_TEST(of_user.account == "astro");
    for (const model::Association* association : {&of_account, &of_user}) {
        BOOST_TEST(association->limits.get(TresLimit::grp_tres, 2) == 3u);
        BOOST_TEST(association->limits.get(CountLimit::grp_jobs) == 10u);
        BOOST_TEST(association->limits.get(CountLimit::grp_submit_jobs) == 12u);
        BOOST_TEST(association->limits.get(CountLimit::grp_wall) == 14u);
    }
    BOOST_TEST(of_user.limits.get(TresLimit::max_tres_per_job, 0) == 4u);
    BOOST_TEST(of_user.limits.get(TresLimit::max_tres_per_node, 2) == 9u);
    BOOST_TEST(of_user.limits.get(CountLimit::max_jobs) == 11u);
    BOOST_TEST(of_user.limits.get(CountLimit::max_submit_jobs) == 13u);
    BOOST_TEST(of_user.limits.get(CountLimit::max_wall) == 15u);
    BOOST_TEST(!of_account.limits.has_any(TresLimit::max_tres_per_job));
    BOOST_TEST(!of_account.limits.get(CountLimit::max_jobs).has_value());
    BOOST_TEST(!of_account.limits.get(CountLimit::max_wall).has_value());
}

BOOST_AUTO_TEST_CASE(the_association_without_parent_is_the_root) {
    std::string account = "root";
    slurmdb_assoc_rec_t raw = plain_association();
    raw.acct = account.data();
    BOOST_TEST(read_association(raw, tres_count).level == model::AssociationLevel::root);
    slurmdb_assoc_usage_t usage{};
    raw.usage = &usage;
    BOOST_TEST(read_association(raw, tres_count).level == model::AssociationLevel::root);
}

BOOST_AUTO_TEST_CASE(usage_of_an_association_is_read) {
    slurmdb_assoc_usage_t raw{};
    raw.used_jobs = 2;
    raw.used_submit_jobs = 5;
    raw.grp_used_wall = 3600;

    const model::Usage usage = read_usage(raw, tres_count);

    BOOST_TEST(usage.jobs == 2u);
    BOOST_TEST(usage.submit_jobs == 5u);
    BOOST_TEST(usage.wall_minutes == 60u);
}

BOOST_AUTO_TEST_CASE(enforcement_has_what_it_implies) {
    using Flags = std::array<bool, 4>;
    const auto read = [](std::uint16_t enforce) {
        const auto found = read_enforce(enforce);
        return Flags{found.associations, found.limits, found.safe, found.qos};
    };

    BOOST_TEST(read(enforce_safe) == (Flags{true, true, true, false}));
    BOOST_TEST(read(enforce_qos) == (Flags{true, false, false, true}));
    BOOST_TEST(read(0) == (Flags{false, false, false, false}));
}

BOOST_AUTO_TEST_SUITE_END()
