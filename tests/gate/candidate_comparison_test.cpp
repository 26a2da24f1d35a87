// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include "qosgate/gate/decide/candidate_comparison.hpp"
#include "qosgate/gate/decide/decision_record.hpp"

#include <boost/test/unit_test.hpp>
#include <nlohmann/json.hpp>

using namespace qg;
using nlohmann::json;

namespace {

using Texts = std::vector<std::string>;

struct ComparisonSetup : test::GateSetup {
    /// Compares two policies of one rule each; an empty body is a rule that does nothing.
    gate::Comparison compare(const std::string& body, const std::string& other,
                             const std::string& keys = "") {
        in_force = rule(body, "");
        const auto candidate = rule(other, keys);
        decided = decide(in_force.get());
        return gate::compare(request, decided, decide(candidate.get()), *candidate);
    }

    static std::shared_ptr<const policy::Policy> rule(const std::string& body, const std::string& keys) {
        const std::string text = "rule { name = 'r', " + keys + " submit = function(job) " + body + " end }";
        return test::load_rules({{"10-r.lua", text}});
    }

    json record(const gate::Comparison& comparison) const {
        const gate::RecordedJob job{.request = request, .candidate = &comparison};
        return json::parse(gate::to_record("a-1", {{}, {}}, job, decided, *in_force)).at("candidate");
    }

    std::shared_ptr<const policy::Policy> in_force;
    model::Decision decided;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(comparison, ComparisonSetup)

BOOST_AUTO_TEST_CASE(equal_decisions_do_not_differ) {
    for (const char* body : {"", "job:reject('no')", "job.qos = 'moonlight'", "job:warn('hm')"})
        BOOST_TEST_CONTEXT(body) {
            const auto found = compare(body, body);
            BOOST_TEST(!found.differs());
            BOOST_TEST(found.rules.empty());
            BOOST_TEST(found.events.empty());
        }
}

BOOST_AUTO_TEST_CASE(a_candidate_that_refuses_names_its_rule_and_its_words) {
    const auto found = compare("", "job:reject('not today')");
    BOOST_TEST(found.outcome_differs);
    BOOST_TEST(found.outcome == "refused");
    BOOST_TEST(found.rules == Texts{"r"}, boost::test_tools::per_element());
    BOOST_TEST(found.message.at(0) == "not today");
    BOOST_TEST(found.changes.empty());
    BOOST_TEST(found.events.at(0).effect == "rejected");
}

BOOST_AUTO_TEST_CASE(a_candidate_that_no_longer_refuses_names_the_rule_in_force) {
    const auto found = compare("job:reject('no')", "");
    BOOST_TEST(found.outcome_differs);
    BOOST_TEST(found.outcome == "accepted");
    BOOST_TEST(found.rules == Texts{"r"}, boost::test_tools::per_element());
    BOOST_TEST(found.events.empty());
}

BOOST_AUTO_TEST_CASE(another_value_of_a_field_is_a_change_of_the_job) {
    request.qos = "normal";
    const auto found = compare("job.qos = 'moonlight'", "job.time_limit = 5");
    BOOST_TEST(!found.outcome_differs);
    BOOST_TEST(!found.message_differs);
    BOOST_TEST(found.changes == (Texts{"qos: moonlight -> normal", "time_limit: (unset) -> 00:05:00"}),
               boost::test_tools::per_element());
    BOOST_TEST(compare("job.qos = 'moonlight'", "job.qos = 'normal' job.qos = 'moonlight'").changes.empty());
}

BOOST_AUTO_TEST_CASE(changes_of_a_job_that_one_of_them_refuses_are_no_difference) {
    const auto both = [](const std::string& other) {
        const std::string text = "rule { submit = function(job) " + other + " end }";
        return test::load_rules(
            {{"10-a.lua", "rule { submit = function(job) job.comment = 'x' end }"}, {"20-b.lua", text}});
    };
    const auto live = both("job:reject('no')");
    const auto candidate = both("");
    const auto found = gate::compare(request, decide(live.get()), decide(candidate.get()), *candidate);
    BOOST_TEST(found.outcome_differs);
    BOOST_TEST(found.rules == Texts{"20-b"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(other_words_are_a_difference_and_a_shadow_rule_makes_none) {
    BOOST_TEST(compare("job:warn('one')", "job:warn('two')").message_differs);
    BOOST_TEST(compare("job:warn('one')", "job:warn('two')").message == Texts{"two"},
               boost::test_tools::per_element());
    BOOST_TEST(!compare("", "job:reject('no')", "mode = 'shadow',").differs());
    BOOST_TEST(compare("", "job:reject('no')", "mode = 'warn',").message_differs);
}

BOOST_AUTO_TEST_CASE(a_limit_that_the_changed_job_breaks_is_an_outcome) {
    qos(1).flags.deny_on_limit = true;
    qos(1).limits.set(model::TresLimit::max_tres_per_user, tres("gres/gpu"), 2);
    request.tres_per_node = "gres:gpu:3";
    const auto found = compare("", "job.qos = 'moonlight'");
    BOOST_TEST(found.outcome == "refused by slurmctld");
    BOOST_TEST(found.rules == Texts{"r"}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_record_has_the_candidate_with_and_without_a_difference) {
    const json same = record(compare("", ""));
    BOOST_TEST(same.size() == 2u);
    BOOST_TEST(same.at("differs").empty());
    BOOST_TEST(same.at("policy").get<std::string>().size() == 16u);

    const json refused = record(compare("", "job:reject('no')"));
    BOOST_TEST(refused.at("differs").dump() == R"(["outcome","message"])");
    BOOST_TEST(refused.at("outcome") == "refused");
    BOOST_TEST(refused.at("rules").dump() == R"(["r"])");
    BOOST_TEST(refused.at("message").at(0) == "no");
    BOOST_TEST(refused.at("events").at(0).at("effect") == "rejected");

    const json changed = record(compare("", "job.qos = 'moonlight'"));
    BOOST_TEST(changed.at("differs").dump() == R"(["job"])");
    BOOST_TEST(changed.at("changes").dump() == R"(["qos: (unset) -> moonlight"])");
}

BOOST_AUTO_TEST_CASE(a_record_of_a_difference_names_the_user_though_nothing_else_was_done) {
    const auto found = compare("", "job:reject('no')");
    const gate::RecordedJob job{.request = request, .candidate = &found};
    BOOST_TEST(json::parse(gate::to_record("a-1", {{}, {}}, job, decided, *in_force)).at("user") == "ana");
}

BOOST_AUTO_TEST_CASE(what_a_record_holds_of_a_candidate_is_bounded) {
    std::vector<std::pair<std::string, std::string_view>> files;
    std::vector<std::string> texts;
    texts.reserve(40);
    for (int i = 0; i < 40; ++i) {
        texts.push_back("rule { submit = function(job) job:reject('" + std::to_string(i) + "') end }");
        files.emplace_back("r" + std::to_string(i) + ".lua", texts.back());
    }
    const auto candidate = test::load_rules(files);
    const auto found = gate::compare(request, decide(), decide(candidate.get()), *candidate);
    BOOST_TEST(found.events.size() == 16u);
    BOOST_TEST(found.rules.size() == 40u);
}

namespace {

/// Where a detail of a request comes from.
class OneDetail final : public model::DetailReader {
  public:
    explicit OneDetail(std::string text) : text_(std::move(text)) {}
    [[nodiscard]] model::DetailValue read(const void*, const void*,
                                          model::JobDetail detail) const noexcept override {
        if (detail != model::JobDetail::mail_user) return {};
        return {model::DetailValue::Kind::text, 0, text_};
    }
    [[nodiscard]] std::size_t argument_count(const void*) const noexcept override { return 0; }
    [[nodiscard]] model::DetailValue argument(const void*, std::size_t) const noexcept override { return {}; }
    [[nodiscard]] std::size_t variable_count(const void*) const noexcept override { return 0; }
    [[nodiscard]] model::DetailValue variable(const void*, std::string_view) const noexcept override {
        return {};
    }

  private:
    std::string text_;
};

} // namespace

BOOST_AUTO_TEST_CASE(jobs_that_two_scripts_left_are_compared_in_all_fields) {
    const auto candidate = rule("", "");
    const OneDetail mail("ana"), other_mail("ben");
    request.details = {mail, nullptr};
    model::JobRequest other = request;
    model::Decision left;
    left.changed = other;
    BOOST_TEST(!gate::compare(request, {}, left, *candidate).differs());

    other.comment = "new";
    other.details = {other_mail, nullptr};
    left.changed = other;
    const auto found = gate::compare(request, {}, left, *candidate);
    BOOST_TEST(found.changes == (Texts{"comment: (unset) -> new", "mail_user: ana -> ben"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
