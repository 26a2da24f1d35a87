// SPDX-License-Identifier: GPL-2.0-or-later
//
// Advice on requests that slurmctld refuses: reservations, arrays, temporary disk, dependencies; and what no
// verdict looks at.
#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/advice.hpp"
#include "qosgate/gate/answer/not_looked_at.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "support/gate_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::JobDetail;

namespace {

struct Requests : test::GateSetup {
    Requests() {
        names = model::KnownNames{.reservations = {{.name = "course", .users = {"eva"}},
                                                   {.name = "lab", .accounts = {"hpc-users"}},
                                                   {.name = "mine", .users = {"ana"}},
                                                   {.name = "others", .users = {"-ana"}},
                                                   {.name = "theirs", .accounts = {"chem"}},
                                                   {.name = "unix", .users = {"eva"}, .has_groups = true}},
                                  .licenses = {},
                                  .gres = {},
                                  .features = {},
                                  .reservations_read_at = 0};
        request.submit_uid = request.user_id;
    }

    std::string told() const { return text::join(decide().message, "\n"); }

    std::string with_reservation(const std::string& name) {
        request.reservation = name;
        return told();
    }
    std::string with_dependency(const std::string& text) {
        request.has_dependency = true;
        request.details.set(JobDetail::dependency, text);
        return told();
    }
    std::string not_looked_at() const {
        const auto c = cluster();
        const quota::LocalQuota provider(records);
        return text::join(gate::list_not_looked_at(gate::resolve(request, {c, provider, release})), ", ");
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(unusable_requests, Requests)

BOOST_AUTO_TEST_CASE(a_reservation_of_others_is_told_and_one_that_may_be_the_users_is_not) {
    for (const char* name : {"course", "others", "theirs"})
        BOOST_TEST(with_reservation(name) ==
                   text::format("reservation {} is not for ana with account hpc-users", name));
    for (const char* name : {"lab", "mine", "unix"})
        BOOST_TEST(with_reservation(name) == "");
    BOOST_TEST(with_reservation("mine,course") == "reservation course is not for ana with account hpc-users");
}

BOOST_AUTO_TEST_CASE(accounts_above_count_where_they_are_known) {
    names->reservations[4].accounts = {"root"};
    BOOST_TEST(with_reservation("theirs") == "");
    names->reservations[4].accounts = {"chem"};
    BOOST_TEST(with_reservation("theirs") != "");
    records.associations[0].parent.reset(); // slurmctld does not show those above
    BOOST_TEST(with_reservation("theirs") == "");
}

BOOST_AUTO_TEST_CASE(an_array_without_indices_is_told) {
    for (const char* indices : {"5-1", "1-5:0", "foo", "1,9-2"}) {
        request.array = indices;
        BOOST_TEST(told() == text::format("--array={} is no list of indices: write 0-7, 1,3,5 or 0-15:4, the "
                                          "smaller index first and a step of at least 1",
                                          indices));
    }
    for (const char* indices : {"1-5", "5", "1-5%0", "5-5", "1-5:1"}) {
        request.array = indices;
        BOOST_TEST(told() == "");
    }
}

BOOST_AUTO_TEST_CASE(more_temporary_disk_than_any_node_has_is_told) {
    request.asks_for_disk = true;
    request.details.set(JobDetail::tmp_disk, std::int64_t{2048});
    BOOST_TEST(told() == ""); // not known what nodes have
    partitions[0].max_tmp_disk_mib = 2048;
    BOOST_TEST(told() == "");
    partitions[0].max_tmp_disk_mib = 2047;
    BOOST_TEST(told() ==
               "no node of partition main has that much temporary disk: the largest has 2047M, this "
               "job asks for 2G (--tmp)");
    request.priority = 0;
    BOOST_TEST(told() == "");
    request.priority.reset();
    request.partition = "main,viz"; // the other partition may have it
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(a_dependency_that_slurmctld_cannot_read_is_told) {
    BOOST_TEST(with_dependency("afterany:foo") == "--dependency: 'foo' is no id of a job");
    BOOST_TEST(with_dependency("afterany:") == "--dependency: '' is no id of a job");
    BOOST_TEST(with_dependency("afterok:1:x") == "--dependency: 'x' is no id of a job");
    BOOST_TEST(with_dependency("afterok:0") == "--dependency: '0' is no id of a job");
    BOOST_TEST(with_dependency("singleton,aftre:1") ==
               "--dependency: 'aftre' is no kind of dependency: write afterok:JOBID, for example");
    BOOST_TEST(with_dependency("foo") ==
               "--dependency: 'foo' is no dependency: write afterok:JOBID, for example");
    for (const char* text : {"afterok:12", "AfterAny:12:13", "after:12+5", "aftercorr:12_3", "afterok:12_*",
                             "singleton", "afterok:1?afterany:2", "afterok:1,singleton", "12", "12_3,14", "0",
                             "afternotok:12", "afterburstbuffer:7", "expand:7"})
        BOOST_TEST(with_dependency(text) == "", text);
}

BOOST_AUTO_TEST_CASE(what_no_verdict_looks_at_is_listed_where_the_job_asks_for_it) {
    BOOST_TEST(not_looked_at() == "");
    request.details.set(JobDetail::contiguous, std::int64_t{0}); // not asked for
    BOOST_TEST(not_looked_at() == "");
    request.reservation = "mine";
    request.has_dependency = true;
    request.details.set(JobDetail::switches, std::int64_t{1});
    request.details.set(JobDetail::burst_buffer, "capacity=1");
    qos(0).flags.enforce_usage_threshold = true;
    BOOST_TEST(not_looked_at() ==
               "when the reservation is active, and what is free in it, the jobs of --dependency, the "
               "UsageThreshold of the QOS, --bb, --switches");
}

BOOST_AUTO_TEST_CASE(a_constraint_that_is_not_judged_is_listed) {
    model::NodeKind fast, slow;
    fast.count = slow.count = 2;
    fast.features = "fast";
    partitions[0].featured_kinds = {fast, slow};
    for (const char* judged :
         {"fast", "fast|slow", "(fast|slow)&big", "fast&slow|big", "[fast|slow]", "a,b"}) {
        request.features = judged;
        BOOST_TEST(not_looked_at() == "", judged);
    }
    for (const char* counted : {"fast*2", "[fast*1&slow*1]"}) {
        request.features = counted;
        BOOST_TEST(not_looked_at() == "which nodes the counts in --constraint take", counted);
    }
    for (const char* other :
         {"!fast", "[fast&slow]", "(fast", "fast&", "((fast))", "[(fast&big)|slow]", "[a|b]&[c|d]"}) {
        request.features = other;
        BOOST_TEST(not_looked_at() == "--constraint, which is not read as slurmctld does", other);
    }
    request.features = "fast";
    partitions[0].featured_kinds.clear();
    BOOST_TEST(not_looked_at() == "which nodes have the features of --constraint");
}

BOOST_AUTO_TEST_SUITE_END()
