// SPDX-License-Identifier: GPL-2.0-or-later
//
// Records in memory give the same decisions with views that leave out limits with room as with whole ones:
// random limits, usage and jobs, many of them near a limit. The seed is fixed, so a failure can be repeated.
#include "support/decision_text.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/model/limit_facts.hpp"

#include <boost/test/unit_test.hpp>

#include <random>
#include <string>

using namespace qg;
using model::CountLimit;
using model::TresLimit;
using quota::LocalViews;

namespace {

/// Counts the views without limits.
class Watched final : public quota::QuotaProvider {
  public:
    Watched(const quota::LocalRecords& records, LocalViews views) : inner_(records, views) {}
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        auto view = inner_.check(lookup);
        short_views += view && view->is_within_limits ? 1 : 0;
        return view;
    }
    mutable int short_views = 0;

  private:
    quota::LocalQuota inner_;
};

struct LocalViewsSetup : test::GateSetup {
    LocalViewsSetup() { request.submit_uid = request.user_id; }

    bool one_in(unsigned n) { return dice_() % n == 0; }
    template <typename T>
    T of(std::initializer_list<T> values) {
        return *(values.begin() + dice_() % values.size());
    }

    /// Other limits and usage.
    void shuffle() {
        for (quota::LocalQos& record : records.qos) {
            record.qos.limits = some_limits([](const auto& facts) { return facts.is_of_qos(); });
            record.qos.usage = some_usage();
            record.users[request.user_id] = some_usage();
            record.accounts["hpc-users"] = some_usage();
            record.qos.flags.deny_on_limit = one_in(2);
            record.qos.flags.usage_factor_safe = one_in(10);
            record.qos.flags.over_part_qos = one_in(6);
            record.qos.limit_factor = one_in(10) ? std::optional(2.0) : std::nullopt;
        }
        for (quota::LocalAssociation& record : records.associations) {
            record.link.limits = some_limits([](const auto& facts) { return facts.is_of_association(); });
            record.link.usage = some_usage();
        }
        records.enforce.limits = !one_in(8);
        records.enforce.safe = one_in(3);
        partitions[1].qos = of<const char*>({"", "", "moonlight"});
    }

    void change_job() {
        request.qos = of<std::optional<std::string>>({std::nullopt, "moonlight", "secret"});
        request.partition = of<std::optional<std::string>>({std::nullopt, "viz", "main,viz"});
        request.tasks = request.min_cpus = of({1u, 2u, 4u, 8u});
        request.min_nodes = of({1u, 2u});
        request.time_limit = of<std::optional<TimeLimit>>({std::nullopt, TimeLimit{10}, TimeLimit{60}});
        request.tres_per_node =
            of<std::optional<std::string>>({std::nullopt, "gres:gpu:1", "gres:gpu:a100:2"});
        request.array = of<std::optional<std::string>>({std::nullopt, std::nullopt, "1-3"});
        request.memory = one_in(3) ? std::optional(model::Memory{100, one_in(2)}) : std::nullopt;
    }

  private:
    template <typename IsOf>
    model::Limits some_limits(IsOf is_of) {
        model::Limits limits(records.tres->size());
        const unsigned rarity = of({8u, 60u});
        for (const model::LimitFacts& facts : model::limit_facts) {
            if (!is_of(facts) || !one_in(rarity)) continue;
            if (const auto* count = std::get_if<CountLimit>(&facts.limit))
                limits.set(*count, of<std::uint64_t>({0, 1, 3, 12, 60, 700}));
            else
                for (std::size_t i = 0; i < records.tres->size(); ++i)
                    if (one_in(2))
                        limits.set(std::get<TresLimit>(facts.limit), i,
                                   of<std::uint64_t>({0, 1, 2, 4, 16, 100, 2'000, 40'000}));
        }
        return limits;
    }

    model::Usage some_usage() {
        model::Usage usage;
        usage.jobs = of<std::uint64_t>({0, 1, 3, 10});
        usage.submit_jobs = usage.jobs + of<std::uint64_t>({0, 1});
        usage.wall_minutes = of<std::uint64_t>({0, 1, 60});
        for (auto* counts : {&usage.tres, &usage.tres_run_minutes, &usage.tres_minutes})
            for (std::size_t i = 0; i < records.tres->size(); ++i)
                counts->push_back(of<std::uint64_t>({0, 0, 1, 3, 10, 1'000}));
        return usage;
    }

    std::mt19937 dice_{20'26};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(local_views, LocalViewsSetup)

BOOST_AUTO_TEST_CASE(short_views_decide_as_whole_ones) {
    constexpr int worlds = 200, jobs_of_each = 30;
    int short_views = 0, told = 0, different = 0;
    for (int i = 0; i < worlds; ++i) {
        shuffle();
        const Watched watched(records, LocalViews::short_within_limits);
        const quota::LocalQuota whole(records);
        for (int job = 0; job < jobs_of_each; ++job) {
            change_job();
            const std::string expected = test::describe(decide_with(whole));
            const std::string found = test::describe(decide_with(watched));
            told += expected.find('\n') != std::string::npos ? 1 : 0;
            if (found != expected && ++different < 5) BOOST_TEST(found == expected);
        }
        short_views += watched.short_views;
    }

    BOOST_TEST(different == 0);
    // Enough of both kinds.
    BOOST_TEST(short_views > worlds * jobs_of_each / 20);
    BOOST_TEST(told > worlds * jobs_of_each / 20);
}

BOOST_AUTO_TEST_CASE(a_verdict_alone_is_the_same_without_words) {
    using gate::AnswerExtent;
    const auto policy = test::load_site("site { limits = 'enforce' }");
    int told = 0, refused = 0, accepted = 0;
    for (int i = 0; i < 50; ++i) {
        shuffle();
        change_job();
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const auto whole = gate::Gate(provider, release).decide(request, known(c), policy.get());
        const auto bare =
            gate::Gate(provider, release, AnswerExtent::verdict).decide(request, known(c), policy.get());
        BOOST_TEST(bare.reject == whole.reject);
        BOOST_TEST(bare.forecast.code == whole.forecast.code);
        BOOST_TEST(bare.forecast.reason == whole.forecast.reason);
        BOOST_TEST(bare.forecast.pending_reason == whole.forecast.pending_reason);
        BOOST_TEST(bare.message.empty());
        BOOST_TEST(bare.log.empty());
        told += whole.message.empty() ? 0 : 1;
        ++(whole.reject == model::RejectCode::none ? accepted : refused);
    }
    BOOST_TEST(told > 0);
    BOOST_TEST(refused >= 5);
    BOOST_TEST(accepted >= 5);
}

BOOST_AUTO_TEST_CASE(a_view_is_short_up_to_the_limit) {
    qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 8);
    records.qos[0].users[1000].tres.assign(1, 4);
    const auto short_views = [&](unsigned cpus) {
        request.tasks = request.min_cpus = cpus;
        const Watched watched(records, LocalViews::short_within_limits);
        static_cast<void>(decide_with(watched));
        return watched.short_views;
    };
    BOOST_TEST(short_views(4) == 1);
    BOOST_TEST(short_views(5) == 0);
}

BOOST_AUTO_TEST_CASE(views_are_whole_unless_asked_for) {
    const Watched watched(records, LocalViews::whole);
    static_cast<void>(decide_with(watched));
    BOOST_TEST(watched.short_views == 0);
}

BOOST_AUTO_TEST_SUITE_END()
