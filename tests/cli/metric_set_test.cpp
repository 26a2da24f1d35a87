// SPDX-License-Identifier: GPL-2.0-or-later
//
// Families of series in Prometheus' text form (contrib/qosgate/exporter/metric_set.hpp): bounds, labels,
// histograms.
#include "exporter/metric_set.hpp"

#include "exporter_cases.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <string>

using namespace qg;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(metric_set)

BOOST_AUTO_TEST_CASE(a_family_is_bounded_and_what_is_cut_is_counted) {
    cli::MetricSet metrics(2);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    for (const char* name : {"a", "b", "c", "d"})
        family.add(1, {{"name", name}});

    const std::string text = metrics.text();
    BOOST_TEST(count(text, "\nqosgate_test{") == 2);
    BOOST_TEST(has(text, R"(qosgate_exporter_cut_series{family="qosgate_test"} 2)"));
}

BOOST_AUTO_TEST_CASE(a_family_that_is_just_full_cuts_nothing) {
    cli::MetricSet metrics(2);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    for (const char* name : {"a", "b"})
        family.add(1, {{"name", name}});

    BOOST_TEST(!has(metrics.text(), "cut_series"));
}

BOOST_AUTO_TEST_CASE(two_series_with_the_same_labels_are_one) {
    cli::MetricSet metrics(10);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    family.add(1, {{"name", "a\x01"}});
    family.add(2, {{"name", "a\x02"}});

    const std::string text = metrics.text();
    BOOST_TEST(count(text, "\nqosgate_test{") == 1);
    BOOST_TEST(has(text, R"(cut_series{family="qosgate_test"} 1)"));
}

BOOST_AUTO_TEST_CASE(labels_with_other_names_are_other_labels) {
    cli::MetricSet metrics(10);
    auto& family = metrics.gauge("qosgate_test", "Help.");
    family.add(1, {{"rule", "r"}, {"reason", ""}});
    family.add(2, {{"rule", ""}, {"reason", "r"}});

    const std::string text = metrics.text();
    BOOST_TEST(has(text, R"(qosgate_test{rule="r"} 1)"));
    BOOST_TEST(has(text, R"(qosgate_test{reason="r"} 2)"));
    BOOST_TEST(!has(text, "cut_series"));
}

BOOST_AUTO_TEST_CASE(a_histogram_with_bounds_that_do_not_ascend_is_left_out) {
    cli::MetricSet metrics(10);
    const std::array counts{1.0, 2.0, 3.0};
    metrics.histogram("qosgate_same_seconds", "Help.").add_histogram(std::array{1.0, 1.0}, counts, 6);
    metrics.histogram("qosgate_good_seconds", "Help.").add_histogram(std::array{1.0, 2.0}, counts, 6);

    const std::string text = metrics.text();
    BOOST_TEST(!has(text, "qosgate_same_seconds"));
    BOOST_TEST(has(text, "qosgate_good_seconds_count 6"));
}

BOOST_AUTO_TEST_CASE(label_values_are_escaped_valid_and_short) {
    cli::MetricSet metrics(10);
    metrics.gauge("qosgate_test", "Help.")
        .add(1, {{"a", "q\"b\\s\nn"}, {"b", "\xff"}, {"c", std::string(5000, 'x')}, {"d", ""}});

    const std::string text = metrics.text();
    BOOST_TEST(has(text, R"({a="q\"b\\s?n",b="?",c="xxx)"));
    BOOST_TEST(text.size() < 500);
    BOOST_TEST(!has(text, "d="));
}

BOOST_AUTO_TEST_SUITE_END()
