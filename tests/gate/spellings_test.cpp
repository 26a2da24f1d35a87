// SPDX-License-Identifier: GPL-2.0-or-later
//
// A rule about a name applies to all spellings of it that slurmctld accepts.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::RejectCode;

namespace {

struct SpellingSetup : test::GateSetup {
    static std::shared_ptr<const policy::Policy> deny(const std::string& condition) {
        return test::load_rule("rule { name = 'deny', submit = function(job) if " + condition +
                               " then job:reject('denied') end end }");
    }

    /// Whether a rule with this condition rejects the request, as a submission and as a change.
    bool is_denied(const std::string& condition) const {
        const auto policy = deny(condition);
        const bool at_submission = decide(policy.get()).reject == RejectCode::access_denied;
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const model::JobUpdate update{.job_id = 17, .before = {}, .after = request};
        const auto change = gate::Gate(provider, release).decide_update(update, &c, policy.get());
        BOOST_TEST((change.reject == RejectCode::access_denied) == at_submission);
        return at_submission;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(spellings, SpellingSetup)

BOOST_AUTO_TEST_CASE(a_rule_reads_the_qos_as_accounting_spells_it) {
    for (const char* spelling : {"moonlight", "MOONLIGHT", "MoonLight"}) {
        request.qos = spelling;
        BOOST_TEST(is_denied("job.qos == 'moonlight'"), spelling);
        BOOST_TEST(!is_denied("job.qos == 'normal'"), spelling);
    }
    qos(1).name = "Moonlight";
    BOOST_TEST(is_denied("job.qos == 'Moonlight'"));
}

BOOST_AUTO_TEST_CASE(a_rule_reads_each_qos_of_a_list_so) {
    release = limits::Release(24, 11);
    for (const char* spelling : {"normal,moonlight", "NORMAL,MoonLight", "Normal,,moonlight,NORMAL,"}) {
        request.qos = spelling;
        BOOST_TEST(is_denied("job.qos == 'normal,moonlight'"), spelling);
        BOOST_TEST(!is_denied("job.qos == 'moonlight'"), spelling);
    }
}

BOOST_AUTO_TEST_CASE(a_rule_reads_the_account_in_lower_case) {
    for (const char* spelling : {"hpc-users", "HPC-USERS", "Hpc-Users"}) {
        request.account = spelling;
        BOOST_TEST(is_denied("job.account == 'hpc-users'"), spelling);
        BOOST_TEST(!is_denied("job.account == 'other'"), spelling);
    }
    request.account = "Nobody";
    BOOST_TEST(is_denied("job.account == 'nobody'"));
}

BOOST_AUTO_TEST_CASE(a_rule_reads_partitions_without_empty_and_repeated_parts) {
    for (const char* spelling : {"viz", "viz,", ",viz", "viz,viz", ",,viz,,viz,"}) {
        request.partition = spelling;
        BOOST_TEST(is_denied("job.partition == 'viz'"), spelling);
        BOOST_TEST(!is_denied("job.partition == 'main'"), spelling);
    }
    request.partition = "viz,,main,viz";
    BOOST_TEST(is_denied("job.partition == 'viz,main'"));
    request.partition = "VIZ"; // another partition: case matters
    BOOST_TEST(!is_denied("job.partition == 'viz'"));
    request.partition = ",";
    BOOST_TEST(is_denied("job.partition == ','"));
}

BOOST_AUTO_TEST_CASE(a_rule_reads_reservations_so) {
    request.reservation = "maintenance,";
    BOOST_TEST(is_denied("job.reservation == 'maintenance'"));
    BOOST_TEST(!is_denied("job.reservation == 'other'"));
}

BOOST_AUTO_TEST_CASE(where_accounting_is_not_known_names_are_read_in_lower_case) {
    is_cluster_known = false;
    records.associations.clear();
    records.qos.clear();
    request.qos = "MoonLight";
    request.account = "HPC-Users";
    const auto policy = deny("job.qos == 'moonlight' and job.account == 'hpc-users'");
    BOOST_TEST(decide(policy.get()).reject == RejectCode::access_denied);
}

BOOST_AUTO_TEST_CASE(a_rule_counts_gpus_licenses_and_tasks_in_each_spelling) {
    for (const char* spelling : {"gres:gpu:4", "gres:gpu:+4", "gres:gpu: 4", "gres:nic:1,gres:gpu:+4"}) {
        request.tres_per_node = spelling;
        BOOST_TEST(is_denied("job.gpus > 3"), spelling);
        BOOST_TEST(!is_denied("job.gpus > 4"), spelling);
    }
    for (const char* spelling : {"foo:5", "foo:+5", "foo: 5"}) {
        request.licenses = spelling;
        BOOST_TEST(is_denied("job.tres['license/foo'] > 4"), spelling);
        BOOST_TEST(!is_denied("job.tres['license/foo'] > 5"), spelling);
    }
    for (const char* spelling : {"0-9", "[0-9]%5", "+0- 9:+1,", "0%1,1-9"}) {
        request.array = spelling;
        BOOST_TEST(is_denied("job.array_tasks > 9"), spelling);
        BOOST_TEST(!is_denied("job.array_tasks > 10"), spelling);
    }
}

BOOST_AUTO_TEST_CASE(a_rule_that_reads_the_size_of_an_array_that_cannot_be_read_fails) {
    for (const char* wrong : {"0-x", "9-0", "0-4000000000"}) {
        request.array = wrong;
        const auto decision = decide(deny("job.array_tasks > 10").get());
        BOOST_TEST(decision.reject == RejectCode::access_denied, wrong);
        BOOST_TEST(decision.message.at(0).find("--array cannot be read") != std::string::npos, wrong);
        BOOST_TEST(decide(deny("job.gpus > 0").get()).reject == RejectCode::none, wrong);
        BOOST_TEST(decide().reject == RejectCode::none, wrong);
    }
}

BOOST_AUTO_TEST_CASE(a_change_of_an_array_that_cannot_be_read_passes_as_one_task) {
    request.array = "0x3ff"; // as slurmctld stores it
    const quota::LocalQuota provider(records);
    const auto c = cluster();
    const model::JobUpdate update{.job_id = 17, .before = request, .after = request};
    const auto decision =
        gate::Gate(provider, release).decide_update(update, &c, deny("job.array_tasks > 10").get());
    BOOST_TEST(decision.reject == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(what_rules_leave_alone_stays_as_it_was_written) {
    request.qos = "MOONLIGHT";
    request.account = "HPC-USERS";
    request.partition = "viz,";
    const auto policy = test::load_rule(
        "rule { name = 'change', submit = function(job) job.comment = 'seen'; job.partition = 'main' end }");

    const auto decision = decide(policy.get());

    BOOST_TEST_REQUIRE(decision.changed.has_value());
    BOOST_TEST(*decision.changed->comment == "seen");
    BOOST_TEST(*decision.changed->partition == "main");
    BOOST_TEST(*decision.changed->qos == "MOONLIGHT");
    BOOST_TEST(*decision.changed->account == "HPC-USERS");
}

BOOST_AUTO_TEST_CASE(a_spelling_alone_is_no_change) {
    request.qos = "MOONLIGHT";
    const auto policy = test::load_rule("rule { name = 'look', submit = function(job) "
                                        "job.qos = job.qos end }");
    BOOST_TEST(!decide(policy.get()).changed);
}

BOOST_AUTO_TEST_SUITE_END()
