// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names that a request gives as empty texts, and requests for 0 nodes.
#include "qosgate/base/text.hpp"
#include "qosgate/model/looked_up_names.hpp"
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::JobRequest;
using model::RejectCode;

namespace {

struct EmptyNames : test::GateSetup {
    EmptyNames() { request.is_batch = true; }
    std::string told() const { return text::join(decide().message, "\n"); }
    RejectCode code() const { return forecast().code; }
};

std::string is_empty(std::string_view option) {
    return text::format("{} is empty: give a name, or leave the option out; a variable in it may not be set",
                        option);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(empty_names, EmptyNames)

BOOST_AUTO_TEST_CASE(slurmctld_refuses_each_empty_name_with_its_own_error) {
    const JobRequest plain = request;
    for (const auto& [field, option, refused_with] : model::looked_up_names) {
        request = plain;
        if (field == &JobRequest::required_nodes) request.min_nodes.reset();
        model::note_empty_name(request, field);
        BOOST_TEST(told() == is_empty(option));
        BOOST_TEST(code() == refused_with);
        request.empty_names = 0;
        BOOST_TEST(told() == "");
        BOOST_TEST(code() == RejectCode::none);
    }
}

BOOST_AUTO_TEST_CASE(of_other_options_an_empty_text_means_nothing) {
    for (const auto field : {&JobRequest::reservation, &JobRequest::features, &JobRequest::licenses,
                             &JobRequest::array, &JobRequest::tres_per_job, &JobRequest::name})
        model::note_empty_name(request, field);
    BOOST_TEST(request.empty_names == 0);
}

BOOST_AUTO_TEST_CASE(a_held_job_is_refused_too_but_not_for_nodes) {
    request.priority = 0;
    model::note_empty_name(request, &JobRequest::qos);
    BOOST_TEST(code() == RejectCode::invalid_qos);
    request.empty_names = 0;
    request.min_nodes.reset();
    model::note_empty_name(request, &JobRequest::required_nodes);
    BOOST_TEST(code() == RejectCode::none);
    request.priority.reset();
    BOOST_TEST(code() == RejectCode::invalid_node_count);
}

BOOST_AUTO_TEST_CASE(an_allocation_of_0_nodes_is_refused_before_limits) {
    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::CountLimit::max_wall, 0);
    request.qos = "normal";
    request.time_limit = TimeLimit{5};
    request.min_nodes = 0;
    request.max_nodes = 1;
    BOOST_TEST(code() == RejectCode::accounting_policy);
    request.is_batch = false;
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    BOOST_TEST(told() == "this job asks for 0 nodes: ask for at least one, or leave --nodes out");
    request.priority = 0;
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    request.qos = "nosuch";
    BOOST_TEST(code() == RejectCode::invalid_qos);
    request.qos = "normal";
    request.min_nodes = 1;
    BOOST_TEST(code() == RejectCode::accounting_policy);
}

BOOST_AUTO_TEST_CASE(only_a_single_batch_job_of_0_nodes_is_compared_with_limits_first) {
    qos(0).flags.deny_on_limit = true;
    qos(0).limits.set(model::CountLimit::max_wall, 0);
    request.time_limit = TimeLimit{5};
    request.min_nodes = 0;
    BOOST_TEST(code() == RejectCode::accounting_policy);
    request.is_het_part = true;
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    request.is_het_part = false;
    request.array = "0-1";
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    request.qos = "nosuch"; // looked up before the lower end of a range of nodes, and after its upper end
    BOOST_TEST(code() == RejectCode::invalid_qos);
    request.max_nodes = 0;
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    request.array.reset();
    BOOST_TEST(code() == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(an_array_is_read_before_names_are_looked_up) {
    request.qos = "nosuch";
    for (const char* wrong : {"a", "5-1", "0-1001"}) {
        request.array = wrong;
        BOOST_TEST(code() == RejectCode::invalid_array, wrong);
    }
    request.qos = "normal";
    BOOST_TEST(code() == RejectCode::invalid_array);
    request.array = "0-1000";
    BOOST_TEST(code() == RejectCode::none);
    request.qos = "nosuch";
    BOOST_TEST(code() == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(an_empty_qos_counts_where_qos_are_enforced) {
    model::note_empty_name(request, &JobRequest::qos);
    BOOST_TEST(code() == RejectCode::invalid_qos);
    records.enforce.qos = false;
    BOOST_TEST(code() == RejectCode::none);
    BOOST_TEST(told() == "");
}

BOOST_AUTO_TEST_CASE(the_qos_is_looked_up_before_gres) {
    model::note_empty_name(request, &JobRequest::tres_per_node);
    BOOST_TEST(code() == RejectCode::invalid_tres);
    request.qos = "nosuch";
    BOOST_TEST(code() == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(an_empty_list_of_nodes_counts_as_0_nodes_without_nodes) {
    model::note_empty_name(request, &JobRequest::required_nodes);
    request.min_nodes = 2;
    BOOST_TEST(code() == RejectCode::none);
    request.min_nodes.reset();
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    partitions[0].min_nodes = 1; // which raises it
    BOOST_TEST(code() == RejectCode::none);
}

BOOST_AUTO_TEST_CASE(a_name_that_a_rule_gives_is_not_empty) {
    model::note_empty_name(request, &JobRequest::qos);
    const auto rules = test::load_rule("rule { submit = function(job) job.qos = 'moonlight' end }");
    BOOST_TEST(decide(rules.get()).forecast.code == RejectCode::none);
    const auto idle = test::load_rule("rule { submit = function(job) end }");
    BOOST_TEST(decide(idle.get()).forecast.code == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(several_empty_names_are_told_together) {
    model::note_empty_name(request, &JobRequest::qos);
    model::note_empty_name(request, &JobRequest::account);
    BOOST_TEST(told() == is_empty("--account") + "\n" + is_empty("--qos"));
    BOOST_TEST(code() == RejectCode::invalid_account); // which slurmctld looks up first
}

BOOST_AUTO_TEST_CASE(level_enforce_rejects_the_job_itself) {
    model::note_empty_name(request, &JobRequest::qos);
    const auto enforcing = test::load_site("site { limits = \"enforce\" }");
    BOOST_TEST(decide(enforcing.get()).reject == RejectCode::invalid_qos);
}

BOOST_AUTO_TEST_CASE(a_request_for_0_nodes_is_refused_and_a_range_from_0_is_not) {
    request.min_nodes = request.max_nodes = 0;
    BOOST_TEST(told() == "this job asks for 0 nodes: ask for at least one, or leave --nodes out");
    BOOST_TEST(code() == RejectCode::invalid_node_count);
    request.max_nodes = 1;
    BOOST_TEST(told() == "");
    BOOST_TEST(code() == RejectCode::none);
    request.max_nodes = 0;
    request.priority = 0;
    BOOST_TEST(code() == RejectCode::none);
}

BOOST_AUTO_TEST_SUITE_END()
