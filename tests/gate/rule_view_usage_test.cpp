// SPDX-License-Identifier: GPL-2.0-or-later
//
// When rules read the usage of a QOS: all of it when they first ask for it, and then no more.
#include "qosgate/quota/user_groups.hpp"
#include "support/view_setup.hpp"

#include <functional>

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

/// Something happens in the cluster when a rule asks for groups.
struct Happening final : quota::UserGroups {
    std::function<void()> what;

    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t /*user_id*/) const override {
        what();
        return std::vector<std::string>{"staff"};
    }
};

/// Knows what the records have at that moment.
struct PresentQuota final : quota::QuotaProvider {
    explicit PresentQuota(const quota::LocalRecords& at_any_time) : records(at_any_time) {}

    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        return quota::LocalQuota(records).check(lookup);
    }
    [[nodiscard]] Result<void> read(const quota::Lookup& lookup,
                                    quota::RecordsReader& reader) const override {
        return quota::LocalQuota(records).read(lookup, reader);
    }
    [[nodiscard]] bool is_operator(std::uint32_t /*user_id*/) const override { return false; }

    const quota::LocalRecords& records;
};

struct UsageSetup : test::ViewSetup {
    UsageSetup() {
        request.submit_uid = 1000;
        request.qos = "moonlight";
        qos(1).usage.jobs = 17;
        groups = &happening;
    }

    Happening happening;

    /// What a rule reads of a QOS that it found before something happened.
    [[nodiscard]] std::string value_after(const std::string& before, const std::string& value) const {
        const auto policy = test::load_rule(
            "rule { submit = function(job, view) local view, _ = view; local qos = view.qos('moonlight'); "
            "local first = " +
            before + "; local groups = view.user.groups; job:note('%s', tostring(" + value + ")) end }");
        return shown(decide_with(PresentQuota(records), policy.get()));
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rule_view_usage, UsageSetup)

BOOST_AUTO_TEST_CASE(usage_is_that_of_the_first_look) {
    happening.what = [this] { qos(1).usage.jobs = 18; };
    BOOST_TEST(value_after("nil", "qos.usage.jobs") == "18");
    qos(1).usage.jobs = 17;
    BOOST_TEST(value_after("qos.usage.jobs", "qos.usage.jobs") == "17");
    qos(1).usage.jobs = 17;
    BOOST_TEST(value_after("qos.user_usage.jobs", "view.qos('moonlight').usage.jobs") == "17");
    qos(1).usage.jobs = 17;
    BOOST_TEST(value_after("nil", "view.jobs{ qos = 'moonlight', state = 'running' }") == "18");
}

BOOST_AUTO_TEST_CASE(limits_and_headroom_stay_as_they_were_found) {
    qos(1).limits.set(model::CountLimit::grp_jobs, 20);
    happening.what = [this] {
        qos(1).usage.jobs = 18;
        qos(1).limits.set(model::CountLimit::grp_jobs, 30);
    };
    BOOST_TEST(value_after("nil", "qos.usage.jobs .. ' ' .. qos.GrpJobs .. ' ' .. qos:headroom().jobs") ==
               "18 20 2");
    qos(1).usage.jobs = 17;
    qos(1).limits.set(model::CountLimit::grp_jobs, 20);
    BOOST_TEST(value_after("qos:headroom()", "qos.usage.jobs .. ' ' .. qos:headroom().jobs") == "18 3");
}

BOOST_AUTO_TEST_CASE(a_qos_that_was_deleted_meanwhile_has_no_usage) {
    happening.what = [this] { qos(1).name = "other"; };
    const std::string told = value_after("nil", "qos.usage.jobs");
    BOOST_TEST(told.starts_with("error: QOS moonlight has just been deleted; submit the job again"), told);
    qos(1).name = "moonlight";
    BOOST_TEST(value_after("qos.usage", "qos.usage.jobs") == "17");
}

BOOST_AUTO_TEST_SUITE_END()
