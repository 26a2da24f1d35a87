// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/job_desc_copy.hpp"

#include "job_desc_setup.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <deque>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>

using namespace qg;
using namespace qg::slurm;
using model::JobDetail;
using test::submitter;
using test::unset_job;

namespace {

/// A description in which every text that is read has a value of its own.
struct Described {
    Described() {
        for (const TextField& field : text_fields)
            set(field.slurm, field.name);
        for (const TextDetail& field : text_details)
            set(field.slurm, "detail " + std::to_string(static_cast<int>(field.detail)));
        set(&job_desc_msg_t::script, "#!/bin/sh\n");
        set(&job_desc_msg_t::submit_line, "sbatch -n2");
        job.argv = words.data();
        job.argc = words.size();
        job.environment = words.data();
        job.env_size = words.size();
        job.num_tasks = 2;
    }

    void set(char* job_desc_msg_t::*member, std::string_view text) {
        job.*member = texts.emplace_back(text).data();
    }

    std::deque<std::string> texts{"job.sh", "MODE=fast"};
    std::array<char*, 2> words{texts[0].data(), texts[1].data()};
    job_desc_msg_t job = unset_job();
};

JobDescCopy copy_of(const job_desc_msg_t& job) {
    const std::string bytes = pack_job_desc(job);
    std::string_view rest = bytes;
    auto copy = JobDescCopy::unpack(rest);
    BOOST_TEST_REQUIRE(copy.has_value());
    BOOST_TEST(rest.empty());
    return *std::move(copy);
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_desc_copy)

BOOST_AUTO_TEST_CASE(a_copy_reads_like_the_description) {
    Described described;
    const model::JobRequest original = read_job_desc(described.job, submitter);
    const JobDescCopy copy = copy_of(described.job);
    for (std::string& text : described.texts)
        text.assign(text.size(), '?'); // the copy has texts of its own

    const model::JobRequest request = copy.request(submitter);
    for (const TextField& field : text_fields)
        BOOST_TEST((request.*field.request).value() == (original.*field.request).value(), field.name);
    BOOST_TEST(request.tasks.value() == 2u);
    BOOST_TEST(request.submit_line == "sbatch -n2");
    BOOST_TEST(request.is_batch);
    for (const TextDetail& field : text_details)
        BOOST_TEST(request.details.get(field.detail).text ==
                   "detail " + std::to_string(static_cast<int>(field.detail)));
    BOOST_TEST(request.details.get(JobDetail::script).text == "#!/bin/sh\n");
    BOOST_TEST_REQUIRE(request.details.argument_count() == 2u);
    BOOST_TEST(request.details.argument(0).text == "job.sh");
    BOOST_TEST(request.details.variable("MODE").text == "fast");
}

BOOST_AUTO_TEST_CASE(what_is_unset_stays_unset) {
    const JobDescCopy copy = copy_of(unset_job());
    const model::JobRequest request = copy.request(submitter);
    BOOST_TEST(!request.qos.has_value());
    BOOST_TEST(!request.is_batch);
    BOOST_TEST(request.details.argument_count() == 0u);
    BOOST_TEST(request.details.variable_count() == 0u);
    BOOST_TEST(copy.clusters().empty());
}

BOOST_AUTO_TEST_CASE(parts_come_one_after_the_other) {
    job_desc_msg_t first = unset_job(), second = unset_job();
    first.num_tasks = 1;
    second.num_tasks = 2;
    const std::string bytes = pack_job_desc(first) + pack_job_desc(second);
    std::string_view rest = bytes;
    auto one = JobDescCopy::unpack(rest), two = JobDescCopy::unpack(rest);
    BOOST_TEST_REQUIRE(one.has_value());
    BOOST_TEST_REQUIRE(two.has_value());
    BOOST_TEST(rest.empty());
    BOOST_TEST(one->request(submitter).tasks.value() == 1u);
    BOOST_TEST(two->request(submitter).tasks.value() == 2u);

    two->set_part(1);
    BOOST_TEST(two->request(submitter).is_het_part);
    two->set_alone();
    BOOST_TEST(!two->request(submitter).is_het_part);
    two->set_user(4711, 4712);
    BOOST_TEST(two->request(submitter).user_id == 4711u);
}

BOOST_AUTO_TEST_CASE(no_part_of_the_bytes_is_a_description) {
    const Described described;
    const std::string bytes = pack_job_desc(described.job);
    for (std::size_t size = 0; size < bytes.size(); ++size) {
        std::string_view part(bytes.data(), size);
        if (JobDescCopy::unpack(part))
            BOOST_ERROR("read from " << size << " of " << bytes.size() << " bytes");
    }
}

BOOST_AUTO_TEST_CASE(another_release_is_not_understood) {
    std::string bytes = pack_job_desc(unset_job());
    for (const std::size_t place : {8u, 16u, 24u}) { // the size of the struct, its headers, the library
        std::string other = bytes;
        ++other[place];
        std::string_view rest = other;
        const auto copy = JobDescCopy::unpack(rest);
        BOOST_TEST_REQUIRE(!copy.has_value());
        BOOST_TEST(copy.error().message.find("another release") != std::string::npos);
    }
    ++bytes[0];
    std::string_view rest = bytes;
    BOOST_TEST(JobDescCopy::unpack(rest).error().message == "a job description did not arrive");
}

BOOST_AUTO_TEST_CASE(a_copy_has_the_texts_that_only_scripts_read) {
    Described described;
    described.set(&job_desc_msg_t::tres_bind, "gpu:closest");
    described.job.spank_job_env = described.words.data();
    described.job.spank_job_env_size = 2;
    JobDescCopy copy = copy_of(described.job);
    described.texts.back().assign("?");

    const job_desc_msg_t& job = copy.description();
    BOOST_TEST(job.tres_bind == std::string("gpu:closest"));
    BOOST_TEST(job.acctg_freq == nullptr); // it was null
    BOOST_TEST_REQUIRE(job.spank_job_env_size == 2u);
    BOOST_TEST(job.spank_job_env[1] == std::string("MODE=fast"));
}

BOOST_AUTO_TEST_CASE(texts_of_a_copy_can_be_replaced) {
    Described described;
    JobDescCopy copy = copy_of(described.job);
    job_desc_msg_t& job = copy.description();

    copy.assign(job.comment, "new");
    copy.assign(job.account, std::nullopt);
    copy.assign(job.script, "#!/bin/bash\n");
    copy.add_variable(job);
    copy.assign(job.environment[0], "NEW=1");
    BOOST_TEST(job.environment[job.env_size] == nullptr);

    const JobDescCopy moved = std::move(copy);
    const model::JobRequest after = moved.request(submitter);
    BOOST_TEST(after.comment.value() == "new");
    BOOST_TEST(!after.account);
    BOOST_TEST(after.details.variable("NEW").text == "1");
    BOOST_TEST(after.details.variable("MODE").text == "fast");
    BOOST_TEST(after.details.get(JobDetail::script).text == "#!/bin/bash\n");
}

BOOST_AUTO_TEST_CASE(a_copy_in_the_same_process_has_texts_of_its_own) {
    Described described;
    described.set(&job_desc_msg_t::tres_bind, "gpu:closest");
    described.job.spank_job_env = described.words.data();
    described.job.spank_job_env_size = 2;
    const std::string before = pack_job_desc(described.job);
    JobDescCopy copy = JobDescCopy::of(described.job);
    job_desc_msg_t& job = copy.description();
    BOOST_TEST(job.tres_bind == std::string("gpu:closest"));
    BOOST_TEST(job.acctg_freq == nullptr); // it was null
    BOOST_TEST(job.environment[job.env_size] == nullptr);

    copy.assign(job.comment, "new");
    copy.assign(job.environment[1], "MODE=slow");
    copy.add_variable(job);
    copy.assign(job.environment[0], "NEW=1");
    BOOST_TEST(pack_job_desc(described.job) == before);

    for (std::string& text : described.texts)
        text.assign(text.size(), '?');
    const JobDescCopy moved = std::move(copy);
    const model::JobRequest request = moved.request(submitter);
    BOOST_TEST(request.comment.value() == "new");
    BOOST_TEST(request.tasks.value() == 2u);
    for (const TextDetail& field : text_details)
        BOOST_TEST(request.details.get(field.detail).text ==
                   "detail " + std::to_string(static_cast<int>(field.detail)));
    BOOST_TEST(request.details.argument(1).text == "MODE=fast");
    BOOST_TEST(request.details.variable("MODE").text == "slow");
    BOOST_TEST(request.details.variable("NEW").text == "1");
}

BOOST_AUTO_TEST_CASE(what_a_copy_takes_is_counted_up_to_a_bound) {
    job_desc_msg_t job = unset_job();
    BOOST_TEST(JobDescCopy::takes_at_most(0, job));

    std::string comment(1000, 'c'), script(500, 's'), word(10, 'w');
    std::array<char*, 3> words{word.data(), nullptr, word.data()};
    job.comment = comment.data();
    job.script = script.data();
    std::size_t size = 1500 + 2 * sizeof(std::string);
    BOOST_TEST(JobDescCopy::takes_at_most(size, job));
    BOOST_TEST(!JobDescCopy::takes_at_most(size - 1, job));
    const auto with_words = [&](auto list, auto count) {
        job_desc_msg_t other = job;
        other.*list = words.data();
        other.*count = 3;
        const std::size_t all = size + 20 + 3 * sizeof(std::string);
        return JobDescCopy::takes_at_most(all, other) && !JobDescCopy::takes_at_most(all - 1, other);
    };
    BOOST_TEST(with_words(&job_desc_msg_t::argv, &job_desc_msg_t::argc));
    BOOST_TEST(with_words(&job_desc_msg_t::environment, &job_desc_msg_t::env_size));
    BOOST_TEST(with_words(&job_desc_msg_t::spank_job_env, &job_desc_msg_t::spank_job_env_size));
}

BOOST_AUTO_TEST_CASE(what_is_written_into_a_copy_is_bounded) {
    JobDescCopy copy = JobDescCopy::of(unset_job());
    job_desc_msg_t& job = copy.description();
    const std::string text((std::size_t{1} << 20) - sizeof(std::string), 'x');
    for (int i = 0; i < 16; ++i)
        copy.assign(job.comment, text);
    copy.assign(job.account, std::nullopt);
    BOOST_CHECK_THROW(copy.assign(job.wckey, ""), std::length_error);
    BOOST_TEST(job.wckey == nullptr);
    BOOST_TEST(job.comment == text);
}

BOOST_AUTO_TEST_CASE(a_copy_of_a_job_without_an_environment_has_none) {
    job_desc_msg_t job = unset_job();
    BOOST_TEST(copy_of(job).description().environment == nullptr);
    BOOST_TEST(JobDescCopy::of(job).description().environment == nullptr);
    BOOST_TEST(JobDescCopy::of(job).request(submitter).details.argument_count() == 0u);
}

BOOST_AUTO_TEST_SUITE_END()
