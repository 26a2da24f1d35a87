// SPDX-License-Identifier: GPL-2.0-or-later
//
// A view that only says that the job is within all limits gives the same decision as the whole view.
#include "support/decision_text.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;
using model::RejectCode;
using model::TresLimit;

namespace {

/// Answers, where it may, that the job is within limits, and leaves out what such a view need not have.
class ShortQuota final : public quota::QuotaProvider {
  public:
    explicit ShortQuota(const quota::LocalRecords& records) : inner_(records) {}

    Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        auto view = inner_.check(lookup);
        if (!view || lookup.job_bounds == nullptr || !lookup.job_bounds->bounds(*view)) return view;
        ++answers;
        view->is_within_limits = true;
        view->qos.clear();
        view->job_qos.qos.reset();
        view->associations.clear();
        for (model::PartitionChoice& choice : view->partitions)
            choice.qos.reset();
        return view;
    }

    mutable int answers = 0;

  private:
    quota::LocalQuota inner_;
};

struct WithinLimits : test::GateSetup {
    WithinLimits() {
        qos(0).flags.deny_on_limit = true;
        qos(0).limits.set(TresLimit::max_tres_per_user, tres("cpu"), 8);
        request.tasks = request.min_cpus = 8;
        request.submit_uid = request.user_id;
    }

    /// The decision, which is the same either way.
    model::Decision decide_both(const policy::Policy* policy = nullptr) const {
        const ShortQuota provider(records);
        const auto decision = decide_with(provider, policy);
        BOOST_TEST(provider.answers > 0);
        BOOST_TEST(test::describe(decision) == test::describe(decide(policy)));
        return decision;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(within_limits, WithinLimits)

BOOST_AUTO_TEST_CASE(a_job_at_its_limit_is_accepted_without_a_word) {
    const auto decision = decide_both();
    BOOST_TEST(decision.reject == RejectCode::none);
    BOOST_TEST(decision.message.empty());
    BOOST_TEST(decision.log.empty());

    request.tasks = request.min_cpus = 9; // only the whole view says so
    BOOST_TEST(decide().forecast.code == RejectCode::accounting_policy);
    BOOST_TEST(decide_with(ShortQuota(records)).forecast.code == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(rules_see_and_change_the_same_job) {
    const auto policy = test::load_rule("rule { submit = function(job)\n"
                                        "  if job.tres.cpu > 7 then job:reject('%d CPUs', job.tres.cpu) end\n"
                                        "  job:warn('qos %s account %s', job.qos, job.account)\n"
                                        "  job.comment = 'seen'\n"
                                        "end }");
    const auto refused = decide_both(policy.get());
    BOOST_TEST(refused.reject != RejectCode::none);
    BOOST_TEST(text::join(refused.message, "\n").find("8 CPUs") != std::string::npos);

    request.tasks = request.min_cpus = 7;
    const auto changed = decide_both(policy.get());
    BOOST_TEST(changed.reject == RejectCode::none);
    BOOST_TEST_REQUIRE(changed.changed.has_value());
    BOOST_TEST(changed.changed->comment.value() == "seen");
}

BOOST_AUTO_TEST_CASE(a_job_that_a_rule_moves_is_judged_where_it_goes) {
    const auto policy = test::load_rule("rule { submit = function(job) job.partition = 'viz' end }");
    partitions[1].max_time = TimeLimit{60};
    request.time_limit = TimeLimit{60};
    BOOST_TEST(decide_both(policy.get()).message.empty());

    request.time_limit = TimeLimit{61};
    BOOST_TEST(text::join(decide_both(policy.get()).message, "\n") ==
               "set by the site's rules, not by this request: partition viz by rule 'rule'\n"
               "this job can never start as it is: wall time per job in partition viz: limit 01:00:00, this "
               "job asks for "
               "01:01:00 (PartitionTimeLimit)\n"
               "could start with: --time=01:00:00");
    BOOST_TEST(decide_both().message.empty());
}

BOOST_AUTO_TEST_CASE(advice_about_nodes_is_the_same) {
    request.tasks = request.min_cpus = 1;
    BOOST_TEST(decide_both().message.empty());
    partitions[0].node_kinds = {{.count = 4, .cpus = 4, .memory_mib = 256000, .whole_cpus = 4}};
    partitions[0].total_cpus = 16;
    request.cpus_per_task = 4;
    request.min_cpus = 4;
    BOOST_TEST(decide_both().message.empty());
    request.cpus_per_task = 5;
    request.min_cpus = 5;
    const auto advised = decide_both();
    BOOST_TEST(advised.reject == RejectCode::none);
    BOOST_TEST(test::first_line(advised.message).find("has that many CPUs") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
