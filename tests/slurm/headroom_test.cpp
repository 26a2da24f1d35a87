// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/headroom.hpp"

#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/limit_rows.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <string>
#include <vector>

using namespace qg;
using namespace qg::slurm;
using model::CountLimit;
using model::TresLimit;

namespace {

constexpr std::size_t tres_count = 2;
constexpr std::size_t asked_for = 0; // the other TRES is not
constexpr std::uint64_t none = INFINITE64;
constexpr std::uint32_t ana = 1001, ben = 1002;

/// Job: 4 of the first TRES for 10 minutes, an array of 3. In use: 5 of it by everybody, 6 by the account, 7
/// by the user; 100, 200, 300 TRES minutes committed; 1,000 used in the past.
struct Setup {
    Setup() {
        slurmdb_init_qos_rec(&qos, /*free_it=*/false, INFINITE);
        assign_flags(qos.flags, 0);
        slurmdb_init_assoc_rec(&association, /*free_it=*/false);
        qos.usage = &qos_usage;
        association.usage = &assoc_usage;
        fill(qos_usage, 5, 100);
        fill(assoc_usage, 5, 100);
        qos_usage.grp_used_jobs = assoc_usage.used_jobs = 2;
        qos_usage.grp_used_submit_jobs = assoc_usage.used_submit_jobs = 20;
        by_account.acct = account.data();
        fill(by_account, 6, 200);
        by_account.jobs = 3;
        by_account.submit_jobs = 30;
        by_user.uid = ana;
        fill(by_user, 7, 300);
        by_user.jobs = 4;
        by_user.submit_jobs = 40;
        append(users, &by_user);
        append(accounts, &by_account);
        qos_usage.user_limit_list = users.get();
        qos_usage.acct_limit_list = accounts.get();
    }

    std::uint64_t* array(std::uint64_t first) {
        arrays.push_back(std::make_unique<std::array<std::uint64_t, tres_count>>(std::array{first, 9'999ul}));
        return arrays.back()->data();
    }

    template <typename Usage>
    void fill(Usage& usage, std::uint64_t in_use, std::uint64_t minutes) {
        if constexpr (requires { usage.grp_used_tres; }) {
            usage.tres_cnt = tres_count;
            usage.grp_used_tres = array(in_use);
            usage.grp_used_tres_run_secs = array(minutes * 60 + 59); // minutes are cut to whole ones
            usage.usage_tres_raw = decayed_seconds.data();
            usage.grp_used_wall = 50.0 * 60 + 59;
        } else {
            usage.tres = array(in_use);
            if constexpr (requires { usage.tres_run_secs; })
                usage.tres_run_secs = array(minutes * 60 + 59);
            else
                usage.tres_run_mins = array(minutes);
        }
    }

    template <typename Record>
    bool suffices_for(const Record& record) const {
        return Headroom(bounds, user, account).suffices_for(record);
    }

    /// Whether room is left under a value of one limit that stands in a table of rows.
    template <typename Record, typename Row>
    bool is_within_limits(const Record& record, const Row& row, std::uint64_t value) {
        Record limited = record;
        if constexpr (requires { row.text; }) {
            limited.*row.text = text.data();
            limited.*row.values = array(none);
            (limited.*row.values)[0] = value;
            (limited.*row.values)[1] = none;
        } else {
            limited.*row.value = static_cast<std::uint32_t>(value);
        }
        return suffices_for(limited);
    }

    template <typename Record, typename Row>
    void expect_bound(const Record& record, const Row& row, std::uint64_t bound) {
        const auto name = model::name_of(row.limit);
        BOOST_TEST(is_within_limits(record, row, bound), name << " " << bound);
        BOOST_TEST(!is_within_limits(record, row, bound - 1), name << " " << bound - 1);
        BOOST_TEST(is_within_limits(record, row, none), name << " unlimited");
        BOOST_TEST(!is_within_limits(record, row, 0), name << " 0");
    }

    std::vector<std::unique_ptr<std::array<std::uint64_t, tres_count>>> arrays;
    std::array<long double, tres_count> decayed_seconds{1'000.0L * 60 + 59, 0};
    std::string text = "1=4", account = "astro";
    OwnedList users = make_borrowing_list(), accounts = make_borrowing_list();
    slurmdb_qos_usage_t qos_usage{};
    slurmdb_assoc_usage_t assoc_usage{};
    slurmdb_used_limits_t by_user{}, by_account{};
    slurmdb_qos_rec_t qos;
    slurmdb_assoc_rec_t association;

    std::uint32_t user = ana;
    std::array<std::uint64_t, tres_count> counts{4, 0};
    model::ResourceBounds bounds{counts, counts, TimeLimit{10}, 3};
};

/// The row of a limit; without one the test ends.
template <typename Row, std::size_t N>
const Row& row_of(TresLimit limit, const Row (&table)[N]) {
    const auto found = std::ranges::find(table, limit, &Row::limit);
    BOOST_REQUIRE(found != std::end(table));
    return *found;
}
const auto& qos_row(TresLimit limit) {
    return row_of(limit, rows::qos_tres);
}

/// The least value of each limit that leaves room: what the job adds and, of those of several jobs, what is
/// in use. Written out, since limit_facts is what Headroom reads.
std::uint64_t bound_of(TresLimit limit) {
    switch (limit) {
    case TresLimit::max_tres_per_job:
    case TresLimit::max_tres_per_node: return 4;
    case TresLimit::grp_tres: return 4 + 5;
    case TresLimit::max_tres_per_account: return 4 + 6;
    case TresLimit::max_tres_per_user: return 4 + 7;
    case TresLimit::max_tres_mins_per_job: return 40;
    case TresLimit::grp_tres_run_mins: return 40 + 100;
    case TresLimit::max_tres_run_mins_per_account: return 40 + 200;
    case TresLimit::max_tres_run_mins_per_user: return 40 + 300;
    case TresLimit::grp_tres_mins: return 40 + 100 + 1'000;
    case TresLimit::min_tres_per_job: break; // a minimum
    }
    return 0;
}

std::uint64_t bound_of(CountLimit limit) {
    switch (limit) {
    case CountLimit::grp_jobs:
    case CountLimit::max_jobs: return 2 + 3;
    case CountLimit::max_jobs_per_account: return 3 + 3;
    case CountLimit::max_jobs_per_user: return 4 + 3;
    case CountLimit::grp_submit_jobs:
    case CountLimit::max_submit_jobs: return 20 + 3;
    case CountLimit::max_submit_jobs_per_account: return 30 + 3;
    case CountLimit::max_submit_jobs_per_user: return 40 + 3;
    case CountLimit::max_wall: return 10;
    case CountLimit::grp_wall: return 50 + 10;
    }
    return 0;
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(headroom, Setup)

BOOST_AUTO_TEST_CASE(without_limits_there_is_room) {
    BOOST_TEST(suffices_for(qos));
    BOOST_TEST(suffices_for(association));
}

BOOST_AUTO_TEST_CASE(each_limit_of_a_qos_leaves_room_from_its_bound_on) {
    for (const auto& row : rows::qos_tres)
        if (row.limit != TresLimit::min_tres_per_job) expect_bound(qos, row, bound_of(row.limit));
    for (const auto& row : rows::qos_count)
        expect_bound(qos, row, bound_of(row.limit));
}

BOOST_AUTO_TEST_CASE(each_limit_of_a_users_association_leaves_room_from_its_bound_on) {
    std::string name = "ana";
    association.user = name.data();
    for (const auto& row : rows::assoc_tres)
        expect_bound(association, row, bound_of(row.limit));
    for (const auto& row : rows::assoc_count)
        expect_bound(association, row, bound_of(row.limit));
}

BOOST_AUTO_TEST_CASE(limits_for_users_on_an_account_count_for_nobody_there) {
    for (const auto& row : rows::assoc_tres)
        BOOST_TEST(is_within_limits(association, row, 0) == row.of_users_alone);
    for (const auto& row : rows::assoc_count)
        BOOST_TEST(is_within_limits(association, row, 0) == row.of_users_alone);
}

BOOST_AUTO_TEST_CASE(a_minimum_leaves_room_down_to_the_least_count) {
    const auto& row = qos_row(TresLimit::min_tres_per_job);
    BOOST_TEST(is_within_limits(qos, row, 4));
    BOOST_TEST(!is_within_limits(qos, row, 5));

    std::array<std::uint64_t, tres_count> less{3, 0};
    bounds.min = less;
    BOOST_TEST(!is_within_limits(qos, row, 4));
    BOOST_TEST(is_within_limits(qos, row, 3));
}

BOOST_AUTO_TEST_CASE(a_maximum_of_a_tres_that_is_not_asked_for_leaves_room_and_a_minimum_does_not) {
    qos.max_tres_pj = qos.min_tres_pj = text.data();
    std::array<std::uint64_t, tres_count> zero_of_the_other{none, 0}, one_of_the_other{none, 1},
        unset{none, none};
    qos.max_tres_pj_ctld = zero_of_the_other.data();
    qos.min_tres_pj_ctld = unset.data();
    BOOST_TEST(suffices_for(qos));
    qos.min_tres_pj_ctld = one_of_the_other.data();
    BOOST_TEST(!suffices_for(qos));
}

BOOST_AUTO_TEST_CASE(values_without_a_text_do_not_count) {
    std::array<std::uint64_t, tres_count> zero{0, 0};
    std::string empty;
    qos.max_tres_pj_ctld = zero.data();
    BOOST_TEST(suffices_for(qos));
    qos.max_tres_pj = empty.data();
    BOOST_TEST(suffices_for(qos));
    qos.max_tres_pj = text.data();
    BOOST_TEST(!suffices_for(qos));
}

BOOST_AUTO_TEST_CASE(the_most_that_the_job_comes_to_counts_for_maxima) {
    std::array<std::uint64_t, tres_count> more{5, 0};
    bounds.max = more;
    const auto& row = qos_row(TresLimit::max_tres_per_job);
    BOOST_TEST(!is_within_limits(qos, row, 4));
    BOOST_TEST(is_within_limits(qos, row, 5));
}

BOOST_AUTO_TEST_CASE(usage_of_other_users_and_accounts_does_not_count) {
    user = ben;
    account = "bio";
    by_account.acct = text.data();
    const auto room_of = [&](TresLimit limit, std::uint64_t value) {
        return is_within_limits(qos, qos_row(limit), value);
    };
    BOOST_TEST(room_of(TresLimit::max_tres_per_user, 4));
    BOOST_TEST(room_of(TresLimit::max_tres_per_account, 4));
    BOOST_TEST(!room_of(TresLimit::grp_tres, 4));
}

BOOST_AUTO_TEST_CASE(records_without_usage_have_nothing_in_use) {
    qos.usage = nullptr;
    association.usage = nullptr;
    BOOST_TEST(is_within_limits(qos, qos_row(TresLimit::grp_tres), 4));
    BOOST_TEST(is_within_limits(association, row_of(TresLimit::grp_tres, rows::assoc_tres), 4));
}

BOOST_AUTO_TEST_CASE(a_job_without_a_time_of_its_own_finds_no_room_under_limits_of_time) {
    for (const auto time : {std::optional<TimeLimit>(), std::optional(TimeLimit{0})}) {
        bounds.time_limit = time;
        qos.max_wall_pj = 1'000'000;
        BOOST_TEST(!suffices_for(qos));
        qos.max_wall_pj = INFINITE;
        BOOST_TEST(!is_within_limits(qos, qos_row(TresLimit::max_tres_mins_per_job), 1'000'000));
        BOOST_TEST(suffices_for(qos));
    }
}

BOOST_AUTO_TEST_CASE(an_unlimited_time_finds_no_room_under_limits_of_time) {
    bounds.time_limit = TimeLimit::unlimited();
    qos.max_wall_pj = 0xfffffffdu;
    BOOST_TEST(!suffices_for(qos));
}

BOOST_AUTO_TEST_CASE(minutes_beyond_32_bits_are_left_to_the_proper_look) {
    const auto& row = qos_row(TresLimit::max_tres_mins_per_job);
    BOOST_TEST(is_within_limits(qos, row, 0xffffffffu));
    BOOST_TEST(!is_within_limits(qos, row, 0x100000000u));
}

BOOST_AUTO_TEST_CASE(what_scales_limits_or_time_leaves_no_room) {
    qos.limit_factor = 2.0;
    BOOST_TEST(!suffices_for(qos));
    qos.limit_factor = INFINITE;
    BOOST_TEST(suffices_for(qos));
    assign_flags(qos.flags, QOS_FLAG_USAGE_FACTOR_SAFE);
    BOOST_TEST(!suffices_for(qos));
}

BOOST_AUTO_TEST_CASE(more_used_than_can_be_counted_leaves_no_room) {
    decayed_seconds[asked_for] = 1e30L;
    BOOST_TEST(!is_within_limits(qos, qos_row(TresLimit::grp_tres_mins), 0xffffffffu));
    qos_usage.grp_used_tres[asked_for] = none - 1;
    BOOST_TEST(!is_within_limits(qos, qos_row(TresLimit::grp_tres), none - 2));
}

BOOST_AUTO_TEST_SUITE_END()
