// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/partitions/allowed_groups.hpp"

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
struct AllowedGroups : test::GateSetup {
    AllowedGroups() {
        partitions[1].allow_groups = {"lab", "staff"};
        request.partition = "viz";
        request.submit_uid = request.user_id;
    }

    gate::GroupsAnswer answer() const {
        const auto c = cluster();
        const quota::LocalQuota provider(records);
        return gate::judge_groups(gate::resolve(request, {c, provider, release}), groups_of_all);
    }
    bool is_blocked() const {
        const auto found = answer();
        BOOST_TEST(found.not_judged == "");
        return !found.blocked.empty();
    }

    Groups groups_of_all;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(allowed_groups, AllowedGroups)

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
    using gate::GroupsError;
    for (const char* list : {"main,viz", "viz,main"}) {
        BOOST_TEST(error_of(list, EnforcePartLimits::all) == GroupsError::missing_group);
        for (const auto enforce : {EnforcePartLimits::any, EnforcePartLimits::no}) {
            BOOST_TEST(error_of(list, enforce) == GroupsError::none);
            BOOST_TEST(!is_blocked());
        }
    }
    partitions[0].allow_groups = {"nobody"};
    BOOST_TEST(error_of("main,viz", EnforcePartLimits::any) == GroupsError::missing_group);
    for (const char* list : {"main,viz", "viz"}) {
        BOOST_TEST(error_of(list, EnforcePartLimits::no) == GroupsError::none);
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
        gate::GroupsError error;
    };
    using gate::GroupsError;
    for (const Case& each : {Case{"viz", EnforcePartLimits::no, GroupsError::missing_group},
                             Case{"viz", EnforcePartLimits::any, GroupsError::missing_group},
                             Case{"viz,main", EnforcePartLimits::all, GroupsError::missing_group},
                             Case{"main,viz", EnforcePartLimits::all, GroupsError::missing_group},
                             Case{"viz,main", EnforcePartLimits::any, GroupsError::missing_group},
                             Case{"main,viz", EnforcePartLimits::any, GroupsError::not_available},
                             Case{"viz,main", EnforcePartLimits::no, GroupsError::none},
                             Case{"main", EnforcePartLimits::all, GroupsError::none}}) {
        request.partition = each.partitions;
        enforce_part_limits = each.enforce;
        BOOST_TEST(answer().error == each.error, each.partitions);
    }
}

BOOST_AUTO_TEST_SUITE_END()
