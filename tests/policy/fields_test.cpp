// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/fields.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(fields)

BOOST_AUTO_TEST_CASE(reads_what_the_request_says) {
    Job job;
    job.qos("long").partition("a,b").minutes(90).gpus(2).nodes(3).cpus(8);
    job.request.name = "train";
    job.request.tasks = 4;

    BOOST_TEST(value_of("job.qos", job) == "long");
    BOOST_TEST(value_of("job.partition", job) == "a,b");
    BOOST_TEST(value_of("job.time_limit", job) == "90");
    BOOST_TEST(value_of("job.gpus", job) == "2");
    BOOST_TEST(value_of("job.nodes", job) == "3");
    BOOST_TEST(value_of("job.cpus", job) == "8");
    BOOST_TEST(value_of("job.memory", job) == "8000");
    BOOST_TEST(value_of("job.name", job) == "train");
    BOOST_TEST(value_of("job.tasks", job) == "4");
    BOOST_TEST(value_of("job.uid", job) == "1000");
    BOOST_TEST(value_of("job.user", job) == "ana");
    BOOST_TEST(value_of("job.is_batch", job) == "true");
    BOOST_TEST(value_of("job.exclusive", job) == "false");
    BOOST_TEST(value_of("job.array_tasks", job) == "1");
}

BOOST_AUTO_TEST_CASE(reads_what_a_silent_request_resolves_to) {
    Job job;
    job.default_minutes(60);

    BOOST_TEST(value_of("job.qos", job) == "normal");
    BOOST_TEST(value_of("job.account", job) == "physics");
    BOOST_TEST(value_of("job.partition", job) == "cpu");
    BOOST_TEST(value_of("job.time_limit", job) == "60");
    BOOST_TEST(value_of("job.time_limit") == "nil");
    BOOST_TEST(value_of("job.tasks", job) == "nil");
}

BOOST_AUTO_TEST_CASE(a_default_that_nobody_knows_yet_is_an_error_and_not_nil) {
    const std::string unknown = "the default is not known yet";
    Job early;
    early.knows_partitions = false;
    for (const char* read :
         {"job.partition", "job.time_limit", "job.qos", "job.memory", "job.tres.mem", "job.tres.billing"})
        BOOST_TEST(has_text(value_of(read, early), unknown), read);
    for (const char* read : {"job.account", "job.user", "job.nodes", "job.cpus", "job.gpus"})
        BOOST_TEST(!has_text(value_of(read, early), unknown), read);

    Job without_database;
    without_database.knows_accounts = false;
    for (const char* read : {"job.account", "job.user", "job.qos"})
        BOOST_TEST(has_text(value_of(read, without_database), unknown), read);
    BOOST_TEST(value_of("job.partition", without_database) == "cpu");
}

BOOST_AUTO_TEST_CASE(what_the_request_says_is_known_at_any_time) {
    Job job;
    job.qos("long").partition("a").minutes(90);
    job.request.account = "physics";
    job.request.memory = model::Memory{8000};
    job.knows_accounts = job.knows_partitions = false;

    BOOST_TEST(value_of("job.qos", job) == "long");
    BOOST_TEST(value_of("job.partition", job) == "a");
    BOOST_TEST(value_of("job.time_limit", job) == "90");
    BOOST_TEST(value_of("job.account", job) == "physics");
    BOOST_TEST(value_of("job.memory", job) == "8000");
}

BOOST_AUTO_TEST_CASE(tells_a_request_from_a_default) {
    BOOST_TEST(value_of("job:is_set('qos')") == "false");
    BOOST_TEST(value_of("job:is_set('qos')", Job().qos("long")) == "true");
    BOOST_TEST(value_of("job:is_set('memory')") == "false");
    BOOST_TEST(has_text(value_of("job:is_set('user')"),
                        "'user' is not something that a request asks for: every job has it"));
    BOOST_TEST(has_text(value_of("job:is_set('cpus')"),
                        "'cpus' is not something that a request asks for: it is counted"));
    BOOST_TEST(has_text(value_of("job:is_set('qoss')"), "unknown field 'qoss' of job; did you mean qos?"));
}

BOOST_AUTO_TEST_CASE(knows_of_every_option_whether_the_request_gives_it) {
    std::vector<std::string_view> others;
    for (const FieldSpec& field : job_fields())
        if (field.is_set == nullptr) others.push_back(field.name);
    BOOST_TEST(others == (std::vector<std::string_view>{"user", "uid", "submit_uid", "cpus", "tres"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_flag_is_set_if_it_is_true) {
    Job job;
    job.request.is_batch = false;
    BOOST_TEST(value_of("job:is_set('overcommit')", job) == "false");
    BOOST_TEST(value_of("job:is_set('is_het_part')", job) == "false");
    BOOST_TEST(value_of("job:is_set('is_batch')", job) == "false");
    BOOST_TEST(value_of("job:is_set('interactive')", job) == "true");
    job.request.overcommit = job.request.is_het_part = job.request.is_batch = true;
    BOOST_TEST(value_of("job:is_set('overcommit')", job) == "true");
    BOOST_TEST(value_of("job:is_set('is_het_part')", job) == "true");
    BOOST_TEST(value_of("job:is_set('is_batch')", job) == "true");
    BOOST_TEST(value_of("job:is_set('interactive')", job) == "false");
}

BOOST_AUTO_TEST_CASE(shows_no_limit_as_infinity) {
    BOOST_TEST(value_of("job.time_limit == math.huge", Job().unlimited()) == "true");
    BOOST_TEST(value_of("job.time_limit > 1000000", Job().unlimited()) == "true");
    BOOST_TEST(value_of("math.type(job.time_limit)", Job().minutes(1)) == "integer");
}

BOOST_AUTO_TEST_CASE(keeps_64_bit_counts_exact) {
    const std::uint64_t large = 9007199254740993u; // 2^53 + 1: not a double
    BOOST_TEST(value_of("job.tres.cpu", Job().cpus(large)) == "9007199254740993");
    BOOST_TEST(value_of("job.cpus + 1", Job().cpus(large)) == "9007199254740994");
    const auto highest = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    BOOST_TEST(value_of("job.tres.cpu == math.maxinteger", Job().cpus(highest)) == "true");
    BOOST_TEST(value_of("job.tres.cpu == math.huge", Job().cpus(highest + 1)) == "true");
}

BOOST_AUTO_TEST_CASE(reads_tres_by_name_and_refuses_unknown_ones) {
    const Job job = Job().gpus(2);
    BOOST_TEST(value_of("job.tres['gres/gpu']", job) == "2");
    BOOST_TEST(value_of("job.tres.gpu", job) == "2");
    BOOST_TEST(value_of("job.tres.MEM", job) == "8000");
    BOOST_TEST(
        has_text(value_of("job.tres['gres/gpo']", job),
                 "this cluster tracks no TRES 'gres/gpo'; did you mean gres/gpu? (there are: cpu, mem"));
    BOOST_TEST(has_text(outcome_of_rule("job.tres.cpu = 1").reject_message,
                        "job.tres cannot be changed (field 'cpu')"));
    BOOST_TEST(
        value_of("(function() local s = '' for k, v in pairs(job.tres) do s = s .. k .. '=' .. v .. ' ' end "
                 "return s end)()",
                 job) == "cpu=4 mem=8000 energy=0 node=1 billing=0 gres/gpu=2");
}

BOOST_AUTO_TEST_CASE(does_not_take_uncounted_gpus_for_none) {
    Job none;
    none.catalogue({"cpu", "mem", "energy", "node", "billing"});
    Job some = none;
    some.request.tres_per_node = "gres:gpu:2";

    BOOST_TEST(value_of("job.gpus", none) == "0");
    BOOST_TEST(has_text(value_of("job.gpus", some), "add gres/gpu to AccountingStorageTRES"));
}

BOOST_AUTO_TEST_CASE(reads_texts_up_to_the_bound_and_refuses_longer_ones) {
    Job job;
    job.request.comment = std::string(65536, 'x');
    BOOST_TEST(value_of("#job.comment", job) == "65536");
    job.request.comment->push_back('x');
    BOOST_TEST(has_text(value_of("#job.comment", job), "the text is longer than 65536 bytes"));
}

BOOST_AUTO_TEST_CASE(names_an_unknown_field_when_read_or_written) {
    BOOST_TEST(has_text(
        value_of("job.node"),
        "t.lua:2: unknown field 'node' of job; did you mean nodes? (all names: qosgate policy api)"));
    BOOST_TEST(has_text(outcome_of_rule(at_run_time("job.qoss = 'x'")).reject_message,
                        "unknown field 'qoss' of job; did you mean qos?"));
}

BOOST_AUTO_TEST_CASE(users_read_no_pointer_to_all_fields_and_the_log_has_it) {
    const auto outcome = outcome_of_rule("job[1] = 'x'");
    BOOST_TEST(has_text(outcome.reject_message, "unknown field '1' of job; please tell"));
    BOOST_TEST_REQUIRE(outcome.events.size() == 2u); // and that the job is rejected
    BOOST_TEST(has_text(outcome.events[0].text, "unknown field '1' of job (all names: qosgate policy api)"));
}

BOOST_AUTO_TEST_CASE(refuses_to_write_what_is_read_only) {
    for (const std::string field :
         {"user", "uid", "gpus", "cpus", "memory", "tres", "is_batch", "array", "nodes"}) {
        BOOST_TEST_CONTEXT(field) {
            BOOST_TEST(has_text(outcome_of_rule(at_run_time("job." + field + " = 1")).reject_message,
                                "job." + field + " cannot be changed"));
        }
    }
}

BOOST_AUTO_TEST_CASE(writes_texts) {
    Job job;
    (void)job.qos("long").run(*one_rule("job.partition = 'gpu' job.qos = nil job.comment = ''"));

    BOOST_TEST(*job.request.partition == "gpu");
    BOOST_TEST(!job.request.qos.has_value());
    BOOST_TEST(!job.request.comment.has_value());
    BOOST_TEST(has_text(outcome_of_rule("job.qos = (5)").reject_message,
                        "job.qos cannot be 5: write a text without control characters, or nil for none"));
    BOOST_TEST(outcome_of_rule("job.qos = 'a\\nb'").rejected);
    BOOST_TEST(outcome_of_rule("job.qos = 'a\\0b'").rejected);
    BOOST_TEST(outcome_of_rule("job.qos = ({})").rejected);
    BOOST_TEST(outcome_of_rule("job.qos = (true)").rejected);
}

BOOST_AUTO_TEST_CASE(writes_time_limits_in_every_spelling) {
    const auto written = [](const std::string& value) -> std::string {
        Job job;
        const auto outcome = job.minutes(7).run(*one_rule("job.time_limit = (" + value + ")"));
        if (outcome.rejected) return "refused";
        return job.request.time_limit ? units::format_minutes(*job.request.time_limit) : "none";
    };
    BOOST_TEST(written("90") == "01:30:00");
    BOOST_TEST(written("90.0") == "01:30:00");
    BOOST_TEST(written("'8:00:00'") == "08:00:00");
    BOOST_TEST(written("'1-0'") == "1-00:00:00");
    BOOST_TEST(written("math.huge") == "UNLIMITED");
    BOOST_TEST(written("'UNLIMITED'") == "UNLIMITED");
    BOOST_TEST(written("nil") == "none");
    BOOST_TEST(written("1") == "00:01:00");
    BOOST_TEST(written("0") == "refused");
    BOOST_TEST(written("-1") == "refused");
    BOOST_TEST(written("1.5") == "refused");
    BOOST_TEST(written("-math.huge") == "refused");
    BOOST_TEST(written("0/0") == "refused");
    BOOST_TEST(written("4294967293") != "refused");
    BOOST_TEST(written("4294967294") == "refused");
    BOOST_TEST(written("math.maxinteger") == "refused");
    BOOST_TEST(written("'soon'") == "refused");
    BOOST_TEST(written("'0'") == "refused");
    BOOST_TEST(written("true") == "refused");
}

BOOST_AUTO_TEST_CASE(writes_counts_within_slurm_s_range) {
    const auto written = [](const std::string& value) -> std::string {
        Job job;
        const auto outcome = job.run(*one_rule("job.tasks = (" + value + ")"));
        return outcome.rejected ? "refused" : job.request.tasks ? std::to_string(*job.request.tasks) : "none";
    };
    BOOST_TEST(written("4") == "4");
    BOOST_TEST(written("1") == "1");
    BOOST_TEST(written("0") == "refused");
    BOOST_TEST(written("4294967293") == "4294967293");
    BOOST_TEST(written("4294967294") == "refused");
    BOOST_TEST(written("'4'") == "refused");
    BOOST_TEST(written("nil") == "none");
    BOOST_TEST(!outcome_of_rule("job.priority = 0").rejected);
}

BOOST_AUTO_TEST_CASE(reads_every_field_of_the_table) {
    for (const FieldSpec& field : job_fields()) {
        BOOST_TEST_CONTEXT(field.name) {
            BOOST_TEST(!value_of("job." + std::string(field.name)).starts_with("error"));
            BOOST_TEST(!field.description.empty());
        }
    }
}

BOOST_AUTO_TEST_CASE(cpus_that_cannot_be_counted_are_an_error_and_not_few) {
    Job job = Job().cpus(4);
    BOOST_TEST(value_of("job.cpus", job) == "4");

    job.knows_cpus = false;
    for (const char* read : {"job.cpus", "job.tres.cpu"})
        BOOST_TEST(has_text(value_of(read, job), "how many GPUs it gets is not known"), read);
    BOOST_TEST(value_of("job.nodes", job) == "1");
}

BOOST_AUTO_TEST_SUITE_END()
