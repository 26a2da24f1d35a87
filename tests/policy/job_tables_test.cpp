// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables of job that are read from other values: writing into them would be lost, so it is an error.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using model::JobDetail;

namespace {

Job job_with_lists() {
    Job job;
    job.request.licenses = "matlab:2";
    job.request.features = "fast&big";
    job.request.tres_per_job = "gres:gpu:a100:1,gres:gpu:h100:1";
    return job;
}

Job with_script(std::string script) {
    Job job;
    job.request.details.set(JobDetail::script, std::move(script));
    return job;
}

/// The error of a write.
std::string error_of(const std::string& body) {
    return job_with_lists().run(*one_rule(at_run_time(body))).events.at(0).text;
}

std::string options_of(const std::string& script) {
    return value_of("table.concat(job.script_options, '|')", with_script(script));
}

} // namespace

BOOST_AUTO_TEST_SUITE(job_tables)

BOOST_AUTO_TEST_CASE(say_what_to_write_instead) {
    BOOST_TEST(
        has_text(error_of("job.license_counts.matlab = 3"),
                 "job.license_counts cannot be changed (field 'matlab'): it is read from job.licenses"));
    BOOST_TEST(has_text(error_of("table.insert(job.feature_names, 'x')"),
                        "job.feature_names cannot be changed (field '3'): it is read from job.features"));
    BOOST_TEST(has_text(error_of("job.gpu_requests[1] = nil"), "job.gpu_requests cannot be changed"));
    BOOST_TEST(has_text(error_of("job.argv[1] = 'x'"), "job.argv cannot be changed"));
    BOOST_TEST(has_text(error_of("job.script_options[1] = 'x'"), "job.script_options cannot be changed"));
}

BOOST_AUTO_TEST_CASE(read_as_before) {
    const Job job = job_with_lists();
    BOOST_TEST(value_of("job.license_counts.matlab", job) == "2");
    BOOST_TEST(value_of("next(job.license_counts)", job) == "matlab");
    BOOST_TEST(value_of("#job.feature_names .. table.concat(job.feature_names, '+')", job) == "2fast+big");
    BOOST_TEST(value_of("#job.gpu_requests .. job.gpu_requests[2].type", job) == "2h100");
    BOOST_TEST(value_of("select('#', table.unpack(job.feature_names))", job) == "2");
    BOOST_TEST(
        value_of("(function() local n = 0 for _ in ipairs(job.feature_names) do n = n + 1 end for _ in "
                 "pairs(job.license_counts) do n = n + 1 end return n end)()",
                 job) == "3");
}

BOOST_AUTO_TEST_CASE(other_keys_than_names_are_plain_errors) {
    for (const char* body :
         {"job[1] = 'x'", "job[nil] = 'x'", "job[job] = 1", "local x = job[1]", "local x = job[nil]"})
        BOOST_TEST(has_text(error_of(body), "unknown field '"), error_of(body));
    BOOST_TEST(has_text(error_of("local x = job.env[1]"), "the name of a variable is a text"));
    BOOST_TEST(has_text(error_of("job:is_set(nil)"), "write job:is_set(\"qos\")"),
               error_of("job:is_set(nil)"));
    BOOST_TEST(has_text(error_of("job:add(1, 'x')"), "write job:add(field, text)"),
               error_of("job:add(1, 'x')"));
}

BOOST_AUTO_TEST_CASE(options_of_the_script_are_those_that_sbatch_reads) {
    BOOST_TEST(
        options_of(
            "#!/bin/sh\n#SBATCH --time=10\n# a comment\n\n#SBATCH\t-n 4 \nhostname\n#SBATCH -p late\n") ==
        "--time=10|-n 4");
    BOOST_TEST(options_of("#!/bin/sh\n#SBATCHX --time=1\n #SBATCH --time=2\n##SBATCH --time=3\n#SBATCH") ==
               "");
    BOOST_TEST(options_of("#!/bin/sh\r\n#SBATCH --time=10\r\n") == "--time=10");
    BOOST_TEST(value_of("#job.script_options") == "0");
    std::string many = "#!/bin/sh\n";
    for (int i = 0; i < 1024; ++i)
        many += "#SBATCH -v\n";
    BOOST_TEST(value_of("#job.script_options", with_script(many)) == "1024");
    BOOST_TEST(
        has_text(value_of("#job.script_options", with_script(many + "#SBATCH -v\n")), "more than 1024"));
    BOOST_TEST(value_of("job:is_set('script_options')", with_script("x")) == "true");
}

BOOST_AUTO_TEST_SUITE_END()
