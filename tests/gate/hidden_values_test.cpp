// SPDX-License-Identifier: GPL-2.0-or-later
//
// Limits of a job that also names a hidden partition: limits that do not depend on it are told.
#include "qosgate/base/text.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::RejectCode;
using model::TresLimit;

namespace {

/// Ana names main and viz. Viz is hidden from her. QOS normal allows 30 minutes.
struct BesideHidden : test::GateSetup {
    BesideHidden() {
        request.submit_uid = request.user_id;
        request.partition = "main,viz";
        partitions[0].default_time = TimeLimit{31};
        partitions[1].is_hidden = true;
        partitions[1].max_time = TimeLimit{60};
        qos(0).limits.set(CountLimit::max_wall, 30);
    }

    model::Decision decide_enforcing() const {
        return decide(test::load_site("site { limits = 'enforce' }").get());
    }
    bool is_refused() const {
        const auto decision = decide_enforcing();
        BOOST_TEST(decision.message.empty() == (decision.reject == RejectCode::none));
        return decision.reject != RejectCode::none;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hidden_values, BesideHidden)

BOOST_AUTO_TEST_CASE(the_default_time_of_a_shown_partition_is_compared) {
    const std::vector<std::string> told{
        "QOS normal does not allow this job:",
        "  wall time per job: limit 00:30:00, this job asks for 00:31:00 (QOSMaxWallDurationPerJobLimit)",
        "this job names no --time: 00:31:00 is the default of partition main",
    };
    for (const bool is_strict : {false, true}) {
        qos(0).flags.deny_on_limit = is_strict;
        const auto decision = decide_enforcing();
        BOOST_TEST(decision.reject == RejectCode::accounting_policy);
        BOOST_TEST(decision.message == told);
        partitions[0].default_time = TimeLimit{30};
        BOOST_TEST(!is_refused());
        partitions[0].default_time = TimeLimit{31};
    }
}

BOOST_AUTO_TEST_CASE(minutes_of_that_time_are_compared) {
    qos(0).limits = model::Limits(records.tres->size());
    qos(0).limits.set(TresLimit::max_tres_mins_per_job, tres("cpu"), 30);
    BOOST_TEST(is_refused());
    partitions[0].default_time = TimeLimit{30};
    BOOST_TEST(!is_refused());
}

BOOST_AUTO_TEST_CASE(the_time_of_a_hidden_partition_is_not_compared) {
    request.partition = "viz,main";
    partitions[1].default_time = TimeLimit{31};
    BOOST_TEST(!is_refused());
    partitions[1].is_hidden = false;
    BOOST_TEST(is_refused());
    partitions[1].is_hidden = true;
    request.partition = "main,viz";
    partitions[0].default_time.reset();
    BOOST_TEST(!is_refused());
}

BOOST_AUTO_TEST_CASE(where_the_qos_of_the_hidden_partition_decides_nothing_is_refused) {
    partitions[1].qos = "secret";
    for (const std::uint64_t minutes :
         {30u, 31u}) { // the same in both cases, although with 31 it could start in viz
        qos(2).limits.set(CountLimit::max_wall, minutes);
        BOOST_TEST(!is_refused());
    }
    qos(0).flags.deny_on_limit = true; // then main alone decides
    BOOST_TEST(is_refused());
}

BOOST_AUTO_TEST_SUITE_END()
