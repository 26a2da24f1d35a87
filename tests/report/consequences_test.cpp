// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/consequences.hpp"

#include "queue_setup.hpp"

#include <functional>

using namespace qg;
using model::TresLimit;
using report::Consequences;

namespace {

struct ConsequencesSetup : test::QueueSetup {
    /// What a change of the records does to jobs.
    Consequences after(const std::function<void()>& change, const std::vector<model::QueuedJob>& queue,
                       const std::set<std::string>& touched = {"normal"}) {
        const auto before = world();
        change();
        return report::find_consequences(before, world(), queue, touched,
                                         {.reader = 0, .release = release, .now = 0},
                                         [this](std::size_t done, std::size_t) { return done < judges; });
    }
    Consequences after_limit(TresLimit limit, std::uint64_t cpus,
                             const std::vector<model::QueuedJob>& queue) {
        return after([&] { limit_cpus(limit, cpus); }, queue);
    }

    std::size_t judges = 100;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(consequences, ConsequencesSetup)

BOOST_AUTO_TEST_CASE(jobs_that_would_never_start_are_told) {
    const auto found = after_limit(TresLimit::max_tres_per_job, 4, {pending(5), pending(4)});
    BOOST_TEST(found.pending == 2u);
    BOOST_TEST(found.judged == 2u);
    BOOST_TEST_REQUIRE(found.stuck.size() == 1u);
    BOOST_TEST(found.stuck.front().job == "12");
    BOOST_TEST(found.stuck.front().user == "ana");
    BOOST_TEST(found.stuck.front().qos == "normal");
    BOOST_TEST(found.stuck.front().text.find("limit 4, this job asks for 5") != std::string::npos);
    BOOST_TEST(found.barred.empty());
    BOOST_TEST(found.freed.empty());
}

BOOST_AUTO_TEST_CASE(jobs_that_limits_would_no_longer_block_are_told) {
    limit_cpus(TresLimit::max_tres_per_job, 4);
    BOOST_TEST(after_limit(TresLimit::max_tres_per_job, 5, {pending(6)}).freed.empty());
    const auto found = after_limit(TresLimit::max_tres_per_job, 6, {pending(6), pending(5)});
    BOOST_TEST_REQUIRE(found.freed.size() == 1u); // the other one was not blocked
    BOOST_TEST(found.freed.front().text.find("limit 5, this job asks for 6") != std::string::npos);
    BOOST_TEST(found.stuck.empty());
}

BOOST_AUTO_TEST_CASE(jobs_whose_users_lose_their_qos_are_told) {
    const auto permit = [this](std::vector<std::string> names) {
        return [this, names] { records.associations.at(0).permitted_qos = names; };
    };
    BOOST_TEST(after(permit({"normal"}), {pending(1)}).barred.empty());
    const auto found = after(permit({"moonlight"}), {pending(1)});
    BOOST_TEST_REQUIRE(found.barred.size() == 1u);
    BOOST_TEST(found.barred.front().user == "ana");
}

BOOST_AUTO_TEST_CASE(what_is_in_use_above_a_new_limit_is_told) {
    use_cpus(4);
    BOOST_TEST(after_limit(TresLimit::grp_tres, 4, {}).above.empty());
    const auto found = after_limit(TresLimit::grp_tres, 3, {running(4)});
    BOOST_TEST(found.running == 1u);
    BOOST_TEST(found.pending == 0u);
    BOOST_TEST_REQUIRE(found.above.size() == 1u);
    BOOST_TEST(found.above.front().who == "all jobs");
    BOOST_TEST(found.above.front().limit == "GrpTRES=cpu=3");
    BOOST_TEST(after_limit(TresLimit::grp_tres, 3, {}).above.empty()); // it had been so
}

BOOST_AUTO_TEST_CASE(only_jobs_with_these_qos_are_judged) {
    const auto strict = [this] { limit_cpus(TresLimit::max_tres_per_job, 4); };
    const auto others = after(strict, {pending(5)}, {"moonlight"});
    BOOST_TEST(others.pending == 0u);
    BOOST_TEST(others.stuck.empty());
    partitions[0].qos = "moonlight"; // it counts for jobs there
    BOOST_TEST(after(strict, {pending(5)}, {"moonlight"}).pending == 1u);
}

BOOST_AUTO_TEST_CASE(the_reader_may_end_it) {
    judges = 1;
    const auto found = after_limit(TresLimit::max_tres_per_job, 4, {pending(5), pending(5)});
    BOOST_TEST(found.pending == 2u);
    BOOST_TEST(found.judged == 1u);
    BOOST_TEST(found.stuck.size() == 1u);
}

BOOST_AUTO_TEST_SUITE_END()
