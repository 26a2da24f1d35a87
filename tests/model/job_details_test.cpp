// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/job_details.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::model;
using Kind = DetailValue::Kind;

namespace {

/// Every detail is the number 7, and none is a word.
struct Sevens final : DetailReader {
    [[nodiscard]] DetailValue read(const void*, const void*, JobDetail) const noexcept override {
        return {Kind::number, 7, {}};
    }
    [[nodiscard]] std::size_t argument_count(const void*) const noexcept override { return 0; }
    [[nodiscard]] DetailValue argument(const void*, std::size_t) const noexcept override { return {}; }
    [[nodiscard]] std::size_t variable_count(const void*) const noexcept override { return 0; }
    [[nodiscard]] DetailValue variable(const void*, std::string_view) const noexcept override { return {}; }
};
constexpr Sevens sevens;

} // namespace

BOOST_AUTO_TEST_SUITE(job_details)

BOOST_AUTO_TEST_CASE(without_a_source_nothing_is_set) {
    const JobDetails details;
    BOOST_TEST(details.get(JobDetail::nice).kind == Kind::unset);
    BOOST_TEST(details.argument_count() == 0u);
    BOOST_TEST(details.variable_count() == 0u);
    BOOST_TEST(details.variable("HOME").kind == Kind::unset);
    BOOST_TEST(details.written().empty());
}

BOOST_AUTO_TEST_CASE(what_is_written_counts_more_than_the_source) {
    JobDetails details(sevens, nullptr);
    BOOST_TEST(details.get(JobDetail::nice).number == 7);

    details.set(JobDetail::nice, std::int64_t{-3});
    details.set(JobDetail::wckey, std::string("key"));
    details.set(JobDetail::requeue, {});
    details.set(JobDetail::dependency, std::string());

    BOOST_TEST(details.get(JobDetail::nice).number == -3);
    BOOST_TEST(details.get(JobDetail::wckey).text == "key");
    BOOST_TEST(details.get(JobDetail::requeue).kind == Kind::unset);
    BOOST_TEST(details.get(JobDetail::dependency).kind == Kind::unset);
    BOOST_TEST(details.get(JobDetail::begin_time).number == 7);
}

BOOST_AUTO_TEST_CASE(a_second_write_replaces_the_first) {
    JobDetails details;
    details.set(JobDetail::wckey, std::string("one"));
    const JobDetails before = details;
    details.set(JobDetail::wckey, std::string("two"));

    BOOST_TEST(details.written().size() == 1u);
    BOOST_TEST(details.get(JobDetail::wckey).text == "two");
    BOOST_TEST(before.get(JobDetail::wckey).text == "one"); // a copy has values of its own
}

BOOST_AUTO_TEST_SUITE_END()
