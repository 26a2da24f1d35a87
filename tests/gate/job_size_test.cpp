// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/job_size.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using limits::Release;

namespace {

struct JobSizeSetup {
    gate::JobSize size() const { return gate::size_of(request, release); }
    std::uint64_t nodes() const { return size().nodes.value_or(0); }
    std::uint64_t tasks() const { return size().tasks.value_or(0); }
    std::uint64_t cpus() const { return size().cpus.value_or(0); }

    model::JobRequest request;
    Release release{24, 11};
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(job_size, JobSizeSetup)

BOOST_AUTO_TEST_CASE(a_job_that_names_no_nodes_has_one_from_23_02_on) {
    BOOST_TEST(nodes() == 1u);
    BOOST_TEST(!size().max_nodes.has_value());

    release = Release(22, 5);
    BOOST_TEST(!size().nodes.has_value());
}

BOOST_AUTO_TEST_CASE(cpus_that_nobody_counted_follow_from_tasks_from_23_11_on) {
    request.tasks = 3;
    request.cpus_per_task = 2;
    BOOST_TEST(cpus() == 6u);

    release = Release(23, 2);
    BOOST_TEST(!size().cpus.has_value());
}

BOOST_AUTO_TEST_CASE(cpus_as_sent_are_mended_only_where_they_are_fewer_than_the_tasks) {
    request.tasks = 4;
    request.cpus_per_task = 2;
    for (const auto& [sent, counted] : {std::pair{3u, 8u}, {4u, 4u}, {5u, 5u}}) {
        request.min_cpus = sent;
        BOOST_TEST(cpus() == counted);
    }

    request.min_cpus = 3;
    request.overcommit = true;
    BOOST_TEST(cpus() == 3u);
}

BOOST_AUTO_TEST_CASE(tasks_follow_from_tasks_per_node) {
    request.tasks_per_node = 4;
    BOOST_TEST(tasks() == 4u);

    request.min_nodes = 3;
    BOOST_TEST(tasks() == 12u);
    BOOST_TEST(cpus() == 12u);

    request.tasks = 5;
    BOOST_TEST(tasks() == 5u);
}

BOOST_AUTO_TEST_CASE(tasks_per_gpu_win_over_tasks_per_node_from_23_02_on) {
    request.min_nodes = 2;
    request.tasks_per_node = 4;
    request.tasks_per_tres = 3;
    BOOST_TEST(tasks() == 6u);

    release = Release(22, 5);
    BOOST_TEST(tasks() == 8u);
}

BOOST_AUTO_TEST_CASE(a_list_of_nodes_counts_where_no_number_is_given) {
    request.required_nodes = "n[1-3,7]";
    BOOST_TEST(nodes() == 4u);

    request.min_nodes = 2;
    BOOST_TEST(nodes() == 2u);
    release = Release(22, 5);
    request.min_cpus = 2;
    BOOST_TEST(nodes() == 4u);
    BOOST_TEST(cpus() == 4u);

    request.min_nodes = request.min_cpus = 5;
    BOOST_TEST(nodes() == 5u);
    BOOST_TEST(cpus() == 5u);
}

BOOST_AUTO_TEST_CASE(the_cpus_of_an_existing_job_are_not_raised_to_its_tasks) {
    request.tasks = 9;
    request.min_cpus = 8;
    BOOST_TEST(cpus() == 9u);
    request.has_counted_cpus = true;
    BOOST_TEST(cpus() == 8u);
    request.min_cpus = 10;
    BOOST_TEST(cpus() == 10u);
}

BOOST_AUTO_TEST_CASE(the_most_nodes_are_those_sent) {
    request.min_nodes = 2;
    request.max_nodes = 4;

    BOOST_TEST(nodes() == 2u);
    BOOST_TEST(size().max_nodes.value() == 4u);
}

BOOST_AUTO_TEST_SUITE_END()
