// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/script_jobs.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

using namespace qg;
using model::ScriptValue;

namespace {

struct Setup {
    std::vector<job_info_t> jobs{1};
    slurm::MentionedNames mentioned;

    Result<model::ScriptRecords> read(const slurm::JobBoundsForScripts& bounds = {}) {
        job_info_msg_t message{};
        message.job_array = jobs.data();
        message.record_count = static_cast<std::uint32_t>(jobs.size());
        return slurm::read_script_jobs(message, mentioned, bounds);
    }
    ScriptValue value_of(const std::string& field) {
        mentioned.insert(field);
        kept = read().value();
        return kept.get(0, field);
    }
    bool is_unknown(const std::string& field) { return value_of(field).kind == ScriptValue::Kind::unknown; }
    bool is_nothing(const std::string& field) { return value_of(field).kind == ScriptValue::Kind::nothing; }
    double number_of(const std::string& field) {
        const ScriptValue value = value_of(field);
        const bool is_number = value.kind == ScriptValue::Kind::number;
        BOOST_TEST(is_number, field);
        return value.number;
    }

    model::ScriptRecords kept;
};

bool has(const std::vector<std::string_view>& names, std::string_view name) {
    return std::ranges::find(names, name) != names.end();
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(script_jobs, Setup)

BOOST_AUTO_TEST_CASE(only_fields_that_the_script_mentions_are_kept) {
    mentioned = {"user_id", "name", "argv", "nothing"};
    jobs[0].job_id = 4711;
    jobs[0].user_id = 1001;
    std::string name = "x";
    jobs[0].name = name.data();

    const auto all = read().value();

    BOOST_TEST(all.records.size() == 1u);
    BOOST_TEST(all.records[0].name == "4711");
    BOOST_TEST(all.names.size() == 2u);
    BOOST_TEST(all.get(0, "user_id").number == 1001);
    BOOST_TEST(all.get(0, "name").text == "x");
    BOOST_TEST(has(all.unread, "job_state"));
    BOOST_TEST(!has(all.unread, "user_id"));
    BOOST_TEST(has(all.unreadable, "argv"));
}

BOOST_AUTO_TEST_CASE(what_the_message_has_only_in_some_states_is_unknown_in_others) {
    jobs[0].job_state = JOB_PENDING;
    jobs[0].num_cpus = 8;
    for (const char* field : {"end_time", "start_time", "time_limit", "total_cpus", "total_nodes"})
        BOOST_TEST(is_unknown(field), field);
    BOOST_TEST(number_of("min_cpus") == 8);
    BOOST_TEST(is_nothing("nodes"));

    std::string nodes = "n1";
    jobs[0].nodes = nodes.data();
    jobs[0].job_state = JOB_RUNNING;
    jobs[0].time_limit = 60;
    for (const char* field : {"features", "min_cpus"})
        BOOST_TEST(is_unknown(field), field);
    BOOST_TEST(number_of("total_cpus") == 8);
    BOOST_TEST(number_of("time_limit") == 60);

    jobs[0].job_state = JOB_COMPLETE | JOB_COMPLETING;
    BOOST_TEST(is_unknown("nodes"));
    BOOST_TEST(is_unknown("total_cpus"));
    jobs[0].job_state = JOB_COMPLETE;
    BOOST_TEST(number_of("total_cpus") == 8);
}

BOOST_AUTO_TEST_CASE(what_a_job_would_have_got_is_not_what_it_had) {
    std::string nodes;
    jobs[0].num_cpus = 8;
    jobs[0].job_state = JOB_CANCELLED; // before it had nodes
    for (char* none : {static_cast<char*>(nullptr), nodes.data()}) {
        jobs[0].nodes = none;
        for (const char* field : {"time_limit", "total_cpus", "total_nodes"})
            BOOST_TEST(is_unknown(field), field);
        BOOST_TEST(number_of("end_time") == 0);
    }
    jobs[0].job_state = JOB_PENDING | JOB_COMPLETING; // it waits again, and its nodes are being freed
    BOOST_TEST(is_unknown("min_cpus"));
    BOOST_TEST(is_unknown("nodes"));
}

BOOST_AUTO_TEST_CASE(a_job_is_found_by_its_id) {
    BOOST_TEST(!slurm::find_script_job({}, 1).has_value());
    const std::vector<std::uint32_t> ids{9, 100, 10, 4'000'000'000, 8};
    jobs.resize(ids.size());
    for (std::size_t i = 0; i < ids.size(); ++i)
        jobs[i].job_id = ids[i];
    mentioned = {"job_id"};

    const auto all = read().value();

    for (const std::uint32_t id : ids) {
        const auto index = slurm::find_script_job(all, id);
        BOOST_TEST_REQUIRE(index.has_value(), id);
        BOOST_TEST(all.get(*index, "job_id").number == id);
    }
    for (const std::uint32_t other : {0u, 1u, 7u, 11u, 99u, 101u, 4'000'000'001u})
        BOOST_TEST(!slurm::find_script_job(all, other).has_value(), other);
}

BOOST_AUTO_TEST_CASE(a_list_of_qos_is_not_the_jobs_qos) {
    std::string qos = "normal";
    jobs[0].qos = qos.data();
    BOOST_TEST(value_of("qos").text == "normal");
    qos = "normal,gpu";
    jobs[0].qos = qos.data();
    BOOST_TEST(is_unknown("qos"));
}

BOOST_AUTO_TEST_CASE(numbers_are_those_of_slurms_plugin) {
    jobs[0].pn_min_memory = 100 | MEM_PER_CPU;
    jobs[0].site_factor = NICE_OFFSET + 5;
    jobs[0].job_state = JOB_RUNNING | JOB_RESIZING;
    BOOST_TEST(number_of("min_mem_per_cpu") == 100);
    BOOST_TEST(is_nothing("min_mem_per_node"));
    BOOST_TEST(number_of("site_factor") == 5);
    BOOST_TEST(number_of("resizing") == 1);
    jobs[0].site_factor = NO_VAL;
    BOOST_TEST(number_of("site_factor") == NO_VAL);
    jobs[0].pn_min_memory = NO_VAL64;
    BOOST_TEST(is_nothing("min_mem_per_node"));
}

BOOST_AUTO_TEST_CASE(number_and_size_are_bounded) {
    jobs.resize(3);
    BOOST_TEST(read({.jobs = 3}).has_value());
    const auto many = read({.jobs = 2});
    BOOST_TEST_REQUIRE(!many.has_value());
    BOOST_TEST(many.error().message == "slurm.jobs cannot be read: there are 3 jobs, and at most 2 are read");
    mentioned = {"comment"};
    std::string comment(std::size_t{1} << 20u, 'x');
    for (job_info_t& job : jobs)
        job.comment = comment.data();
    BOOST_TEST(read({.bytes = std::size_t{4} << 20u}).has_value());
    const auto large = read({.bytes = std::size_t{3} << 20u});
    BOOST_TEST_REQUIRE(!large.has_value());
    BOOST_TEST(large.error().message ==
               "slurm.jobs cannot be read: what the script reads of 3 jobs is more than 3 MiB");
}

BOOST_AUTO_TEST_SUITE_END()
