// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/closed_partitions.hpp"

#include "qosgate/quota/user_groups.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::EnforcePartLimits;

namespace {

/// ana is in the groups ana and bio; the groups of everybody else are not known.
class Groups final : public quota::UserGroups {
  public:
    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const override {
        ++asked;
        if (user_id != 1000) return Error{ErrorCode::unavailable, "nobody has told"};
        return std::vector<std::string>{"ana", "bio"};
    }
    mutable int asked = 0;
};

/// Partition viz is for members of lab.
struct ClosedPartitions : test::GateSetup {
    ClosedPartitions() {
        groups = &groups_of_all;
        partitions[1].allow_groups = {"lab", "staff"};
        request.partition = "viz";
        request.submit_uid = request.user_id;
    }

    gate::ClosedAnswer answer() const {
        const auto c = cluster();
        const quota::LocalQuota provider(records);
        return gate::judge_closed(gate::resolve(request, {c, provider, release, known(c)}));
    }
    /// A limit that others hold keeps the job waiting.
    void wait_for_others() {
        qos(0).limits.set(model::CountLimit::grp_jobs, 1);
        qos(0).usage.jobs = 1;
    }
    bool is_blocked() const {
        const auto found = answer();
        BOOST_TEST(found.not_judged == "");
        return !found.blocked.empty();
    }

    Groups groups_of_all;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(closed_partitions, ClosedPartitions)

BOOST_AUTO_TEST_CASE(a_partition_is_for_members_of_its_groups) {
    BOOST_TEST(answer().blocked ==
               "partition viz is for members of lab, staff (AllowGroups), and ana is not one (User's group "
               "not permitted to use this partition)");
    for (const auto enforce : {EnforcePartLimits::all, EnforcePartLimits::any}) {
        enforce_part_limits = enforce;
        BOOST_TEST(is_blocked());
    }
    partitions[1].allow_groups = {"lab", "bio"};
    BOOST_TEST(!is_blocked());
}

BOOST_AUTO_TEST_CASE(nobody_is_asked_about_other_partitions) {
    request.partition = "main";
    BOOST_TEST(!is_blocked());
    BOOST_TEST(groups_of_all.asked == 0);
}

BOOST_AUTO_TEST_CASE(the_owner_counts_and_not_the_sender) {
    request.submit_uid = 0;
    BOOST_TEST(is_blocked());
    request.user_id = 0;
    BOOST_TEST(!is_blocked());
}

BOOST_AUTO_TEST_CASE(a_list_is_refused_with_all_and_any_if_one_partition_is_closed) {
    for (const char* list : {"main,viz", "viz,main"}) {
        request.partition = list;
        for (const auto enforce : {EnforcePartLimits::all, EnforcePartLimits::any}) {
            enforce_part_limits = enforce;
            BOOST_TEST(is_blocked());
        }
    }
    partitions[1].allow_groups = {"ana"};
    BOOST_TEST(!is_blocked());
}

BOOST_AUTO_TEST_CASE(without_enforcement_only_a_closed_first_partition_blocks_a_list) {
    request.partition = "main,viz";
    BOOST_TEST(!is_blocked());
    request.partition = "viz,main";
    BOOST_TEST(
        answer().blocked ==
        "partition viz is for members of lab, staff (AllowGroups), and ana is not one; as the first "
        "partition of the list it keeps this job from ever starting without a maximum of nodes: leave the "
        "partition out, or add --nodes");
    request.max_nodes = 1;
    BOOST_TEST(!is_blocked());
    partitions[0].allow_groups = {"nobody"};
    BOOST_TEST(is_blocked());
}

BOOST_AUTO_TEST_CASE(what_is_not_known_is_not_judged) {
    request.user_id = 1001;
    const auto unknown = answer();
    BOOST_TEST(unknown.blocked == "");
    BOOST_TEST(unknown.not_judged ==
               "partition viz is for members of lab, staff (AllowGroups), and it is not "
               "known whether user 1001 is one: nobody has told");
}

BOOST_AUTO_TEST_CASE(from_23_02_on_each_partition_of_a_list_counts) {
    release = limits::Release{23, 2};
    const auto error_of = [&](const char* list, EnforcePartLimits enforce) {
        request.partition = list;
        enforce_part_limits = enforce;
        return answer().error;
    };
    using gate::ClosedError;
    for (const char* list : {"main,viz", "viz,main"}) {
        BOOST_TEST(error_of(list, EnforcePartLimits::all) == ClosedError::missing_group);
        for (const auto enforce : {EnforcePartLimits::any, EnforcePartLimits::no}) {
            BOOST_TEST(error_of(list, enforce) == ClosedError::none);
            BOOST_TEST(!is_blocked());
        }
    }
    partitions[0].allow_groups = {"nobody"};
    BOOST_TEST(error_of("main,viz", EnforcePartLimits::any) == ClosedError::missing_group);
    for (const char* list : {"main,viz", "viz"}) {
        BOOST_TEST(error_of(list, EnforcePartLimits::no) == ClosedError::none);
        BOOST_TEST(is_blocked()); // it stays pending
    }
}

BOOST_AUTO_TEST_CASE(a_hidden_partition_is_not_told) {
    partitions[1].is_hidden = true;
    const auto found = answer();
    BOOST_TEST(found.blocked == "");
    BOOST_TEST(found.not_judged == "");
}

BOOST_AUTO_TEST_CASE(the_error_of_a_refusal_is_told) {
    struct Case {
        const char* partitions;
        EnforcePartLimits enforce;
        gate::ClosedError error;
    };
    using gate::ClosedError;
    for (const Case& each : {Case{"viz", EnforcePartLimits::no, ClosedError::missing_group},
                             Case{"viz", EnforcePartLimits::any, ClosedError::missing_group},
                             Case{"viz,main", EnforcePartLimits::all, ClosedError::missing_group},
                             Case{"main,viz", EnforcePartLimits::all, ClosedError::missing_group},
                             Case{"viz,main", EnforcePartLimits::any, ClosedError::missing_group},
                             Case{"main,viz", EnforcePartLimits::any, ClosedError::not_available},
                             Case{"viz,main", EnforcePartLimits::no, ClosedError::none},
                             Case{"main", EnforcePartLimits::all, ClosedError::none}}) {
        request.partition = each.partitions;
        enforce_part_limits = each.enforce;
        BOOST_TEST(answer().error == each.error, each.partitions);
    }
}

BOOST_AUTO_TEST_CASE(a_list_is_refused_if_slurmctld_meets_a_partition_for_root) {
    partitions[1].allow_groups.clear();
    const auto error_of = [&](const char* list, EnforcePartLimits enforce) {
        request.partition = list;
        enforce_part_limits = enforce;
        return answer().error;
    };
    using gate::ClosedError;
    for (const auto closes : {&model::Partition::is_for_root, &model::Partition::needs_reservation})
        for (const auto each : {limits::Release{22, 5}, limits::Release{23, 2}}) {
            release = each;
            partitions[1].*closes = true;
            for (const auto enforce : {EnforcePartLimits::no, EnforcePartLimits::any, EnforcePartLimits::all})
                BOOST_TEST(error_of("viz", enforce) == ClosedError::access_denied);
            BOOST_TEST(error_of("viz,main", EnforcePartLimits::all) == ClosedError::access_denied);
            BOOST_TEST(error_of("main,viz", EnforcePartLimits::all) == ClosedError::access_denied);
            BOOST_TEST(error_of("viz,main", EnforcePartLimits::any) == ClosedError::access_denied);
            BOOST_TEST(error_of("main,viz", EnforcePartLimits::any) == ClosedError::not_available);
            BOOST_TEST(error_of("main,viz", EnforcePartLimits::no) == ClosedError::none);
            BOOST_TEST(error_of("main", EnforcePartLimits::all) == ClosedError::none);
            partitions[1].*closes = false;
        }
    partitions[1].is_for_root = true;
    request.submit_uid = 0;
    BOOST_TEST(error_of("main,viz", EnforcePartLimits::all) == ClosedError::none);
}

BOOST_AUTO_TEST_CASE(a_job_that_a_closed_partition_refuses_is_not_told_that_it_will_wait) {
    wait_for_others();
    const auto says = [&](const char* words) {
        return test::first_line(decide().message).starts_with(std::string("this job ") + words);
    };
    for (const auto enforce : {EnforcePartLimits::no, EnforcePartLimits::any, EnforcePartLimits::all}) {
        enforce_part_limits = enforce;
        request.partition = "viz";
        BOOST_TEST(says("would wait"));
        request.partition = "main,viz";
        BOOST_TEST(says(enforce == EnforcePartLimits::no ? "will wait" : "would wait"));
        request.partition = "main";
        BOOST_TEST(says("will wait"));
    }
    request.partition = "viz";
    partitions[1].allow_groups = {"bio"};
    BOOST_TEST(says("will wait"));
    request.user_id = request.submit_uid = 0;
    partitions[1].allow_groups = {"lab"};
    records.associations[0].user_id = 0;
    BOOST_TEST(says("will wait"));
}

BOOST_AUTO_TEST_CASE(a_job_that_may_lack_the_fair_share_is_not_told_that_it_will_wait_if_that_refuses_it) {
    wait_for_others();
    request.partition = "main";
    qos(0).flags.enforce_usage_threshold = true;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait"));
    enforce_part_limits = EnforcePartLimits::any;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job would wait"));
    qos(0).flags.enforce_usage_threshold = false;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait"));
}

BOOST_AUTO_TEST_CASE(while_the_groups_are_not_known_nothing_is_promised) {
    wait_for_others();
    groups = nullptr;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job would wait"));
    request.partition = "main";
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait"));
}

BOOST_AUTO_TEST_CASE(a_list_with_a_partition_for_root_is_told_where_it_is_refused) {
    wait_for_others();
    partitions[1].allow_groups.clear();
    partitions[1].is_for_root = true;
    request.partition = "main,viz";
    enforce_part_limits = EnforcePartLimits::all;
    const auto told = decide().message;
    BOOST_TEST_REQUIRE(told.size() == 2u);
    BOOST_TEST(told[0] == "partition viz is for jobs that root submits");
    BOOST_TEST(told[1].starts_with("this job would wait"));
    enforce_part_limits = EnforcePartLimits::no;
    BOOST_TEST(test::first_line(decide().message).starts_with("this job will wait"));
}

BOOST_AUTO_TEST_CASE(a_pending_job_does_not_start_where_its_owner_is_no_member) {
    request.partition = "main,viz";
    const auto c = cluster();
    const quota::LocalQuota provider(records);
    const auto asked = gate::resolve(request, {c, provider, release, known(c)});
    BOOST_TEST(!gate::find_closed(asked, 0).has_value());
    const auto closed = gate::find_closed(asked, 1);
    BOOST_TEST_REQUIRE(closed.has_value());
    BOOST_TEST(closed->text ==
               "partition viz is for members of lab, staff (AllowGroups), and ana is not one");
    const auto not_known = gate::resolve(request, {c, provider, release});
    BOOST_TEST(!gate::find_closed(not_known, 1).has_value());
}

BOOST_AUTO_TEST_SUITE_END()
