// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/read_details.hpp"

#include "job_desc_setup.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>
#include <set>
#include <string>
#include <vector>

using namespace qg;
using namespace qg::slurm;
using model::DetailValue;
using model::JobDetail;
using model::JobDetails;
using test::submitter;
using test::unset_job;
using Kind = DetailValue::Kind;

namespace {

constexpr int detail_count = static_cast<int>(JobDetail::use_min_nodes) + 1;

/// How many details are set.
int count_set(const JobDetails& details) {
    int count = 0;
    for (int i = 0; i < detail_count; ++i)
        if (details.get(static_cast<JobDetail>(i)).kind != Kind::unset) ++count;
    return count;
}

DetailValue read(const job_desc_msg_t& job, JobDetail detail) {
    return details_of_submission(job).get(detail);
}

/// A number, or -999 if it is unset.
std::int64_t number(const job_desc_msg_t& job, JobDetail detail) {
    const DetailValue value = read(job, detail);
    return value.kind == Kind::number ? value.number : -999;
}

constexpr std::int64_t unset = -999;

/// Texts in the arrays of pointers that Slurm has.
struct Words {
    explicit Words(std::vector<std::string> given) : texts(std::move(given)) {
        for (std::string& text : texts)
            pointers.push_back(text.data());
    }
    std::vector<std::string> texts;
    std::vector<char*> pointers;
};

} // namespace

BOOST_AUTO_TEST_SUITE(job_details)

BOOST_AUTO_TEST_CASE(a_description_that_sets_nothing_has_no_details) {
    const job_desc_msg_t job = unset_job();
    const JobDetails details = details_of_submission(job);
    BOOST_TEST(count_set(details) == 0);
    BOOST_TEST(details.argument_count() == 0u);
    BOOST_TEST(details.variable_count() == 0u);
}

BOOST_AUTO_TEST_CASE(a_request_has_the_details_of_its_description) {
    std::string key = "key";
    job_desc_msg_t job = unset_job();
    job.wckey = key.data();
    BOOST_TEST(read_job_desc(job, submitter).details.get(JobDetail::wckey).text == "key");
    BOOST_TEST(read_job_record(job, submitter).details.get(JobDetail::wckey).text == "key");
}

BOOST_AUTO_TEST_CASE(each_text_is_a_detail_of_its_own_and_is_not_copied) {
    for (const TextDetail& row : text_details) {
        BOOST_TEST_CONTEXT(static_cast<int>(row.detail)) {
            std::string text = "value";
            job_desc_msg_t job = unset_job();
            job.*row.slurm = text.data();
            BOOST_TEST(static_cast<const void*>(read(job, row.detail).text.data()) == text.data());
            BOOST_TEST(read(job, row.detail).text == "value");
            BOOST_TEST(count_set(details_of_submission(job)) == 1);
        }
    }
}

BOOST_AUTO_TEST_CASE(an_empty_text_is_unset) {
    std::string empty;
    job_desc_msg_t job = unset_job();
    job.script = empty.data();
    for (const TextDetail& row : text_details)
        job.*row.slurm = empty.data();
    BOOST_TEST(count_set(details_of_submission(job)) == 0);
}

BOOST_AUTO_TEST_CASE(a_text_of_the_maximum_length_is_read_and_a_longer_one_is_known_to_be) {
    for (const TextDetail& row : text_details) {
        BOOST_TEST_CONTEXT(static_cast<int>(row.detail)) {
            std::string text(row.max_bytes, 'x');
            job_desc_msg_t job = unset_job();
            job.*row.slurm = text.data();
            BOOST_TEST(read(job, row.detail).text == text);

            text += 'x';
            job.*row.slurm = text.data();
            BOOST_TEST(read(job, row.detail).kind == Kind::too_long);
            BOOST_TEST(read(job, row.detail).number == static_cast<std::int64_t>(row.max_bytes));
        }
    }
}

BOOST_AUTO_TEST_CASE(of_a_long_script_the_beginning_is_read) {
    std::string script = "#!/bin/sh\n";
    job_desc_msg_t job = unset_job();
    job.script = script.data();
    BOOST_TEST(read(job, JobDetail::script).text == script);

    script += std::string(max_detail_length, 'x');
    job.script = script.data();
    BOOST_TEST(read(job, JobDetail::script).text == std::string_view(script).substr(0, max_detail_length));
    BOOST_TEST(details_of_record(job).get(JobDetail::script).kind == Kind::unset);
}

BOOST_AUTO_TEST_CASE(switches_and_counts_are_numbers) {
    for (const ShortDetail& row : short_details)
        for (const std::uint16_t value : {1, 4}) {
            job_desc_msg_t job = unset_job();
            job.*row.slurm = value;
            BOOST_TEST(number(job, row.detail) == value);
            BOOST_TEST(count_set(details_of_submission(job)) == 1);
            job.*row.slurm = INFINITE16;
            BOOST_TEST(number(job, row.detail) == unset);
            job.*row.slurm = 0;
            BOOST_TEST(number(job, row.detail) == (row.zero_is_unset ? unset : 0));
        }
    job_desc_msg_t job = unset_job();
    job.requeue = 0; // --no-requeue
    BOOST_TEST(number(job, JobDetail::requeue) == 0);
}

BOOST_AUTO_TEST_CASE(tasks_of_a_core_and_planes_are_those_of_the_submission) {
    job_desc_msg_t job = unset_job();
    BOOST_TEST(number(job, JobDetail::tasks_per_core) == unset);
    BOOST_TEST(number(job, JobDetail::plane) == unset);
    job.ntasks_per_core = INFINITE16; // any, as a record has it
    job.task_dist = SLURM_DIST_BLOCK;
    BOOST_TEST(number(job, JobDetail::tasks_per_core) == unset);
    BOOST_TEST(number(job, JobDetail::plane) == unset);
    job.ntasks_per_core = 1;
    job.task_dist = SLURM_DIST_PLANE | SLURM_DIST_PACK_NODES;
    BOOST_TEST(number(job, JobDetail::tasks_per_core) == 1);
    BOOST_TEST(number(job, JobDetail::plane) == 1);

    job_desc_msg_t update = unset_job(); // slurmctld stores no change of them
    update.ntasks_per_core = 2;
    update.task_dist = SLURM_DIST_BLOCK;
    const JobDetails details = details_of_record(job, &update);
    BOOST_TEST(details.get(JobDetail::tasks_per_core).number == 1);
    BOOST_TEST(details.get(JobDetail::plane).number == 1);
}

BOOST_AUTO_TEST_CASE(nice_is_read_without_slurm_s_offset) {
    job_desc_msg_t job = unset_job();
    for (const std::int64_t nice : {-5, 0, 100}) {
        job.nice = static_cast<std::uint32_t>(NICE_OFFSET + nice);
        BOOST_TEST(number(job, JobDetail::nice) == nice);
    }
    job.nice = NO_VAL;
    BOOST_TEST(number(job, JobDetail::nice) == unset);
}

BOOST_AUTO_TEST_CASE(a_begin_is_a_time_in_seconds) {
    job_desc_msg_t job = unset_job();
    job.begin_time = 1'800'000'000;
    BOOST_TEST(number(job, JobDetail::begin_time) == 1'800'000'000);
    for (const std::time_t none : {std::time_t{0}, static_cast<std::time_t>(NO_VAL)}) {
        job.begin_time = none;
        BOOST_TEST(number(job, JobDetail::begin_time) == unset);
    }
}

BOOST_AUTO_TEST_CASE(specialized_cores_and_threads_are_told_apart) {
    job_desc_msg_t job = unset_job();
    job.core_spec = 2;
    BOOST_TEST(number(job, JobDetail::core_spec) == 2);
    BOOST_TEST(number(job, JobDetail::thread_spec) == unset);
    job.core_spec = 3 | CORE_SPEC_THREAD;
    BOOST_TEST(number(job, JobDetail::core_spec) == unset);
    BOOST_TEST(number(job, JobDetail::thread_spec) == 3);
    job.core_spec = INFINITE16; // no client sends it
    BOOST_TEST(number(job, JobDetail::core_spec) == unset);
    BOOST_TEST(number(job, JobDetail::thread_spec) == INT16_MAX);
}

BOOST_AUTO_TEST_CASE(temporary_disk_of_zero_is_unset) {
    job_desc_msg_t job = unset_job();
    job.pn_min_tmp_disk = 100;
    BOOST_TEST(number(job, JobDetail::tmp_disk) == 100);
    job.pn_min_tmp_disk = 0;
    BOOST_TEST(number(job, JobDetail::tmp_disk) == unset);
}

BOOST_AUTO_TEST_CASE(switches_and_the_wait_for_them_are_unset_at_zero) {
    job_desc_msg_t job = unset_job();
    job.req_switch = 2;
    job.wait4switch = 300;
    BOOST_TEST(number(job, JobDetail::switches) == 2);
    BOOST_TEST(number(job, JobDetail::switches_wait) == 300);
    for (const std::uint32_t none : {std::uint32_t{0}, NO_VAL, INFINITE}) {
        job.req_switch = none;
        job.wait4switch = none;
        BOOST_TEST(count_set(details_of_submission(job)) == 0);
    }
}

BOOST_AUTO_TEST_CASE(a_deadline_is_a_time) {
    job_desc_msg_t job = unset_job();
    job.deadline = 1893456000;
    BOOST_TEST(number(job, JobDetail::deadline) == 1893456000);
    for (const auto none : {std::time_t{0}, std::time_t{NO_VAL}}) {
        job.deadline = none;
        BOOST_TEST(number(job, JobDetail::deadline) == unset);
    }
}

BOOST_AUTO_TEST_CASE(each_bit_is_a_switch_of_its_own) {
    for (const BitDetail& row : bit_details) {
        job_desc_msg_t job = unset_job();
        BOOST_TEST(number(job, row.detail) == unset);
        job.bitflags = row.bit;
        BOOST_TEST(number(job, row.detail) == 1);
        BOOST_TEST(count_set(details_of_submission(job)) == 1);

        job_desc_msg_t update = unset_job();
        BOOST_TEST(details_of_record(job, &update).get(row.detail).number == 1);
        std::swap(job.bitflags, update.bitflags);
        BOOST_TEST(details_of_record(job, &update).get(row.detail).number == 1);
    }
}

BOOST_AUTO_TEST_CASE(sharing_is_a_word) {
    job_desc_msg_t job = unset_job();
    const auto word = [&](int shared) {
        job.shared = static_cast<std::uint16_t>(shared);
        return read(job, JobDetail::sharing).text;
    };
    BOOST_TEST(word(JOB_SHARED_NONE) == "no");
    BOOST_TEST(word(JOB_SHARED_OK) == "ok");
    BOOST_TEST(word(JOB_SHARED_USER) == "user");
    BOOST_TEST(word(JOB_SHARED_MCS) == "mcs");
    BOOST_TEST(word(4) == "topo");
    BOOST_TEST(word(5) == "");
    BOOST_TEST(word(NO_VAL16) == "");
}

BOOST_AUTO_TEST_CASE(only_a_submission_has_a_place_in_a_het_job) {
    job_desc_msg_t job = unset_job();
    job.het_job_offset = 0;
    BOOST_TEST(number(job, JobDetail::het_offset) == 0);
    BOOST_TEST(details_of_record(job).get(JobDetail::het_offset).kind == Kind::unset);
}

BOOST_AUTO_TEST_CASE(a_change_replaces_what_it_sets_and_keeps_the_rest) {
    std::string one = "one", two = "two", none;
    job_desc_msg_t job = unset_job();
    for (const TextDetail& row : text_details)
        job.*row.slurm = one.data();
    job.nice = NICE_OFFSET + 5;
    job.contiguous = 1;
    job_desc_msg_t update = unset_job();
    const auto after = [&](JobDetail detail) { return details_of_record(job, &update).get(detail); };
    for (const TextDetail& row : text_details) {
        BOOST_TEST_CONTEXT(static_cast<int>(row.detail)) {
            const bool can_change = row.origin == DetailOrigin::changeable;
            BOOST_TEST(after(row.detail).text == "one");
            update.*row.slurm = two.data();
            BOOST_TEST(after(row.detail).text == (can_change ? "two" : "one"));
            update.*row.slurm = none.data();
            BOOST_TEST(after(row.detail).text == (can_change ? "" : "one"));
        }
    }
    BOOST_TEST(after(JobDetail::nice).number == 5);
    update.nice = NICE_OFFSET;
    BOOST_TEST(after(JobDetail::nice).number == 0);
    BOOST_TEST(after(JobDetail::contiguous).number == 1);
    update.contiguous = 0;
    BOOST_TEST(after(JobDetail::contiguous).kind == Kind::unset);
    BOOST_TEST(details_of_record(job).get(JobDetail::nice).number == 5);
    BOOST_TEST(read_job_update(job, update, submitter).details.get(JobDetail::nice).number == 0);
}

BOOST_AUTO_TEST_CASE(arguments_are_words_also_empty_ones) {
    Words words({"job.sh", "", std::string(max_detail_length + 1, 'x')});
    job_desc_msg_t job = unset_job();
    job.argc = 3;
    const JobDetails details = details_of_submission(job);
    BOOST_TEST(details.argument_count() == 0u); // no array
    job.argv = words.pointers.data();
    BOOST_TEST_REQUIRE(details.argument_count() == 3u);
    BOOST_TEST(details.argument(0).text == "job.sh");
    BOOST_TEST(details.argument(1).kind == Kind::text);
    BOOST_TEST(details.argument(1).text == "");
    BOOST_TEST(details.argument(2).kind == Kind::too_long);
}

BOOST_AUTO_TEST_CASE(variables_are_found_by_their_whole_name) {
    Words words({"HOME=/home/ana", "HOMES=x", "EMPTY=", "A=B=C", "TWICE=1", "TWICE=2", "NONE"});
    job_desc_msg_t job = unset_job();
    job.environment = words.pointers.data();
    job.env_size = static_cast<std::uint32_t>(words.pointers.size());
    const JobDetails details = details_of_submission(job);

    BOOST_TEST(details.variable_count() == 7u);
    BOOST_TEST(details.variable("HOME").text == "/home/ana");
    BOOST_TEST(details.variable("EMPTY").kind == Kind::text);
    BOOST_TEST(details.variable("A").text == "B=C");
    BOOST_TEST(details.variable("TWICE").text == "2");
    for (const std::string_view name :
         {std::string_view("HOM"), std::string_view(""), std::string_view("A=B"), std::string_view("NONE"),
          std::string_view("home"), std::string_view("NONE\0xx", 7)})
        BOOST_TEST(details.variable(name).kind == Kind::unset, name);
    job.env_size = NO_VAL;
    BOOST_TEST(details.variable_count() == 0u);
}

BOOST_AUTO_TEST_CASE(no_two_rows_of_the_tables_share_a_field_or_a_detail) {
    const job_desc_msg_t job{};
    std::set<const void*> places;
    std::set<JobDetail> details;
    const auto add = [&](const auto& table) {
        for (const auto& row : table) {
            BOOST_TEST(places.insert(&(job.*row.slurm)).second);
            BOOST_TEST(details.insert(row.detail).second);
        }
    };
    add(text_details);
    add(short_details);
}

BOOST_AUTO_TEST_SUITE_END()
