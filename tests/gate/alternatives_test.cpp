// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/gate_setup.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/answer.hpp"
#include "qosgate/gate/predict/alternatives.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;

namespace {

/// User ana asks for two hours, and may use the QOSs normal (the default, one hour), moonlight and secret.
struct AlternativesSetup : test::GateSetup {
    policy::Settings settings;

    AlternativesSetup() {
        records.associations[0].permitted_qos = {{"normal", "moonlight", "secret"}};
        qos(0).flags.deny_on_limit = true;
        qos(0).limits.set(model::CountLimit::max_wall, 60);
        request.time_limit = TimeLimit{120};
        for (auto& partition : partitions)
            partition.total_cpus = 256;
    }

    gate::Alternatives found() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        return gate::find_alternatives(gate::resolve(request, {c, provider, release}), settings);
    }
    std::string qos_names() const { return text::join(found().qos, " "); }
    std::string partition_names() const { return text::join(found().partitions, " "); }

    /// What the user reads about another QOS or partition.
    std::string suggestion() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const auto asked = gate::resolve(request, {c, provider, release});
        const auto forecast = gate::predict(asked, limits::Strictness::as_configured);
        return test::last_line(gate::suggestion_lines(forecast, asked, /*rules=*/nullptr, settings));
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(alternatives, AlternativesSetup)

BOOST_AUTO_TEST_CASE(the_default_qos_comes_first_and_then_those_of_the_site) {
    BOOST_TEST(qos_names() == "moonlight secret");
    request.qos = "moonlight";
    BOOST_TEST(qos_names() == "normal secret");
    settings.suggest_qos = {"secret", "unknown", "Normal", "moonlight", "secret"};
    BOOST_TEST(qos_names() == "normal secret");
    request.qos.reset();
    BOOST_TEST(qos_names() == "secret moonlight");
    settings.suggest_qos = {"moonlight"};
    BOOST_TEST(qos_names() == "moonlight");
    settings.suggest_qos = {"other"};
    BOOST_TEST(qos_names() == "");
}

BOOST_AUTO_TEST_CASE(a_site_may_suggest_no_qos) {
    BOOST_TEST(suggestion() == "would be accepted with: --qos=moonlight");
    settings.suggest_qos.emplace();
    BOOST_TEST(suggestion() == "would be accepted with: --time=01:00:00");
}

BOOST_AUTO_TEST_CASE(a_qos_of_higher_priority_is_suggested_if_it_is_the_default_or_the_site_lists_it) {
    qos(1).priority = 10;
    qos(2).priority = 0;
    BOOST_TEST(suggestion() == "would be accepted with: --qos=secret");
    qos(0).priority = 10; // as much
    BOOST_TEST(suggestion() == "would be accepted with: --qos=moonlight");

    qos(0).priority = 9;
    records.associations[0].default_qos = "moonlight";
    request.qos = "normal";
    BOOST_TEST(suggestion() == "would be accepted with: --qos=moonlight");
    records.associations[0].default_qos = "normal";
    BOOST_TEST(suggestion() == "would be accepted with: --qos=secret");
    settings.suggest_qos = {"moonlight", "secret"};
    BOOST_TEST(suggestion() == "would be accepted with: --qos=moonlight");
}

BOOST_AUTO_TEST_CASE(partitions_come_as_the_site_lists_them) {
    partitions.push_back(partitions[1]);
    partitions.back().name = "long";
    BOOST_TEST(partition_names() == "viz long");
    request.partition = "viz";
    BOOST_TEST(partition_names() == "main long");
    settings.suggest_partition = {"long", "Main", "viz", "main", "long"};
    BOOST_TEST(partition_names() == "long main");
    partitions.back().is_for_everybody = false;
    BOOST_TEST(partition_names() == "main");
    settings.suggest_partition.emplace();
    BOOST_TEST(partition_names() == "");
}

BOOST_AUTO_TEST_CASE(a_site_may_suggest_no_partition_for_one_that_is_drained) {
    request.time_limit = TimeLimit{60};
    partitions[0].takes_jobs = false;
    BOOST_TEST(suggestion() == "would be accepted with: --partition=viz");
    settings.suggest_partition.emplace();
    const quota::LocalQuota provider(records);
    const auto c = cluster();
    const auto asked = gate::resolve(request, {c, provider, release});
    const auto forecast = gate::predict(asked, limits::Strictness::as_configured);
    BOOST_TEST(gate::suggestion_lines(forecast, asked, /*rules=*/nullptr, settings).empty());
}

BOOST_AUTO_TEST_SUITE_END()
