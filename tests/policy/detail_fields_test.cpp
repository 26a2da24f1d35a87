// SPDX-License-Identifier: GPL-2.0-or-later
//
// Fields whose values stay where the request came from, and what else rules seldom read.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <vector>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using model::DetailValue;
using model::JobDetail;
using model::JobDetails;
using Kind = DetailValue::Kind;

namespace {

/// Words of a command and an environment; each detail is a text that is too long.
struct Source final : model::DetailReader {
    [[nodiscard]] DetailValue read(const void*, const void*, JobDetail) const noexcept override {
        return {Kind::too_long, 4096, {}};
    }
    [[nodiscard]] std::size_t argument_count(const void*) const noexcept override { return words.size(); }
    [[nodiscard]] DetailValue argument(const void*, std::size_t index) const noexcept override {
        return show(words[index]);
    }
    [[nodiscard]] std::size_t variable_count(const void*) const noexcept override { return variables; }
    [[nodiscard]] DetailValue variable(const void*, std::string_view name) const noexcept override {
        return name == "CUDA_VISIBLE_DEVICES" ? show("0,1") : name == "EMPTY" ? show("") : DetailValue{};
    }
    static DetailValue show(std::string_view word) noexcept { return {Kind::text, 0, word}; }

    std::vector<std::string> words;
    std::size_t variables = 2;
};

Job job_of(const Source& source) {
    Job job;
    job.request.details = {source, nullptr};
    return job;
}

Job with(JobDetail detail, JobDetails::Written value) {
    Job job;
    job.request.details.set(detail, std::move(value));
    return job;
}

/// The values of `field` that a rule reads after it wrote each of them, or "refused".
std::string written(const std::string& field, const std::string& value) {
    Job job;
    const auto outcome = job.run(*one_rule("job." + field + " = (" + value + ")"));
    return outcome.rejected ? "refused" : value_of("job." + field, job);
}

struct TextField {
    const char* name;
    JobDetail detail;
    bool is_writable = false;
};
constexpr TextField texts[] = {
    {"burst_buffer", JobDetail::burst_buffer},
    {"container", JobDetail::container},
    {"dependency", JobDetail::dependency, true},
    {"excluded_nodes", JobDetail::excluded_nodes, true},
    {"extra", JobDetail::extra},
    {"mail_user", JobDetail::mail_user, true},
    {"network", JobDetail::network},
    {"script", JobDetail::script},
    {"std_err", JobDetail::std_err},
    {"std_in", JobDetail::std_in},
    {"std_out", JobDetail::std_out},
    {"submit_host", JobDetail::submit_host},
    {"wckey", JobDetail::wckey, true},
    {"work_dir", JobDetail::work_dir},
    {"oversubscribe", JobDetail::sharing},
};
constexpr TextField numbers[] = {
    {"begin_time", JobDetail::begin_time, true},
    {"core_spec", JobDetail::core_spec},
    {"het_offset", JobDetail::het_offset},
    {"nice", JobDetail::nice, true},
    {"thread_spec", JobDetail::thread_spec},
    {"threads_per_core", JobDetail::threads_per_core},
    {"tasks_per_core", JobDetail::tasks_per_core},
    {"tmp_disk", JobDetail::tmp_disk},
    {"deadline", JobDetail::deadline},
    {"switches", JobDetail::switches},
    {"switches_wait", JobDetail::switches_wait},
};

} // namespace

BOOST_AUTO_TEST_SUITE(detail_fields)

BOOST_AUTO_TEST_CASE(reads_each_text) {
    for (const TextField& field : texts) {
        const std::string read = std::string("job.") + field.name;
        const std::string is_set = std::string("job:is_set('") + field.name + "')";
        const Job job = with(field.detail, std::string("value"));
        BOOST_TEST(value_of(read) == "nil", field.name);
        BOOST_TEST(value_of(is_set) == "false", field.name);
        BOOST_TEST(value_of(read, job) == "value", field.name);
        BOOST_TEST(value_of(is_set, job) == "true", field.name);
    }
}

BOOST_AUTO_TEST_CASE(reads_each_number) {
    for (const TextField& field : numbers) {
        const std::string read = std::string("job.") + field.name;
        BOOST_TEST(value_of(read) == "nil", field.name);
        BOOST_TEST(value_of(read, with(field.detail, std::int64_t{3})) == "3", field.name);
    }
}

BOOST_AUTO_TEST_CASE(reads_switches) {
    for (const auto& [name, detail] : {std::pair{"contiguous", JobDetail::contiguous},
                                       {"reboot", JobDetail::reboot},
                                       {"spread_job", JobDetail::spread_job},
                                       {"use_min_nodes", JobDetail::use_min_nodes},
                                       {"enforce_binding", JobDetail::enforce_binding},
                                       {"disable_binding", JobDetail::disable_binding}}) {
        const std::string read = std::string("job.") + name;
        const std::string is_set = std::string("job:is_set('") + name + "')";
        BOOST_TEST(value_of(read) == "false");
        BOOST_TEST(value_of(is_set) == "false");
        BOOST_TEST(value_of(read, with(detail, std::int64_t{1})) == "true");
        BOOST_TEST(value_of(is_set, with(detail, std::int64_t{1})) == "true");
    }
    BOOST_TEST(value_of("job.requeue") == "nil");
    BOOST_TEST(value_of("job.requeue", with(JobDetail::requeue, std::int64_t{0})) == "false");
    BOOST_TEST(value_of("job.requeue", with(JobDetail::requeue, std::int64_t{1})) == "true");
    BOOST_TEST(value_of("job.interactive") == "false");
    Job interactive;
    interactive.request.is_batch = false;
    BOOST_TEST(value_of("job.interactive", interactive) == "true");
}

BOOST_AUTO_TEST_CASE(arguments_are_the_words_behind_the_script) {
    Source source;
    BOOST_TEST(value_of("job:is_set('argv')") == "false");
    source.words = {"job.sh"};
    BOOST_TEST(value_of("job:is_set('argv')", job_of(source)) == "false");
    source.words = {"job.sh", "-x"};
    BOOST_TEST(value_of("job:is_set('argv')", job_of(source)) == "true");
}

BOOST_AUTO_TEST_CASE(an_environment_is_set_if_the_client_sends_one) {
    Source source;
    BOOST_TEST(value_of("job:is_set('env')") == "false");
    BOOST_TEST(value_of("job:is_set('env')", job_of(source)) == "true");
    source.variables = 0;
    BOOST_TEST(value_of("job:is_set('env')", job_of(source)) == "false");
}

BOOST_AUTO_TEST_CASE(a_text_that_is_too_long_is_an_error_and_not_nil) {
    const Source source;
    for (const TextField& field : texts)
        BOOST_TEST(has_text(value_of(std::string("job.") + field.name, job_of(source)),
                            "the text is longer than 4096 bytes"),
                   field.name);
    BOOST_TEST(value_of("job:is_set('std_out')", job_of(source)) == "true");
}

BOOST_AUTO_TEST_CASE(writes_what_can_be_written) {
    for (const TextField& field : texts) {
        const std::string name = field.name;
        if (field.is_writable) {
            BOOST_TEST(written(name, "'text'") == "text", name);
            BOOST_TEST(written(name, "nil") == "nil", name);
            BOOST_TEST(written(name, "''") == "nil", name);
            BOOST_TEST(written(name, "'a\\nb'") == "refused", name);
            BOOST_TEST(written(name, "5") == "refused", name);
        } else {
            BOOST_TEST(has_text(outcome_of_rule(at_run_time("job." + name + " = 'x'")).reject_message,
                                "job." + name + " cannot be changed"));
        }
    }
    for (const char* name : {"core_spec", "het_offset", "contiguous", "interactive", "argv", "env"})
        BOOST_TEST(has_text(outcome_of_rule(at_run_time(std::string("job.") + name + " = 1")).reject_message,
                            "cannot be changed"),
                   name);
}

BOOST_AUTO_TEST_CASE(excluded_nodes_that_a_rule_writes_are_those_of_the_job) {
    Job job;
    job.request.excluded_nodes = "n1";
    job.request.has_all_excluded = false;
    BOOST_TEST(job.request.nodes_to_exclude() == "n1");
    (void)job.run(*one_rule("job.excluded_nodes = 'n[1-2],n3'"));
    BOOST_TEST(job.request.nodes_to_exclude() == "n[1-2],n3");
    BOOST_TEST(job.request.has_all_excluded);
    const model::JobRequest copy = job.request; // has a text of its own
    job.request = {};
    BOOST_TEST(copy.nodes_to_exclude() == "n[1-2],n3");

    BOOST_TEST(!outcome_of_rule("job.excluded_nodes = ('x'):rep(4096)").rejected);
    BOOST_TEST(has_text(outcome_of_rule("job.excluded_nodes = ('x'):rep(4097)").reject_message,
                        "write a text of at most 4096 bytes, or nil for none"));
}

BOOST_AUTO_TEST_CASE(writes_numbers_within_slurm_s_ranges) {
    BOOST_TEST(written("nice", "100") == "100");
    BOOST_TEST(written("nice", "-100") == "-100");
    BOOST_TEST(written("nice", "2147483645") == "2147483645");
    BOOST_TEST(written("nice", "2147483646") == "refused");
    BOOST_TEST(written("nice", "-2147483645") == "-2147483645");
    BOOST_TEST(written("nice", "-2147483646") == "refused");
    BOOST_TEST(written("nice", "'5'") == "refused");
    BOOST_TEST(written("begin_time", "1800000000") == "1800000000");
    BOOST_TEST(written("begin_time", "0") == "refused");
    BOOST_TEST(written("begin_time", "4294967294") == "refused");
    BOOST_TEST(written("mincpus", "4") == "4");
    BOOST_TEST(written("mincpus", "0") == "refused");
    BOOST_TEST(written("tasks_per_socket", "2") == "2");
}

BOOST_AUTO_TEST_CASE(cpus_follow_the_nodes_as_in_clients) {
    struct Row {
        std::uint32_t min_nodes, tasks, cpus_per_task; ///< 0: unset
        bool overcommit;
        std::uint32_t min_cpus; ///< as sbatch sends it; 0: not sent
        const char* writes;
        std::uint32_t expected;
    };
    const Row rows[] = {
        {2, 0, 0, false, 2, "job.min_nodes = 1", 1},
        {2, 0, 0, false, 2, "job.min_nodes = nil", 1},
        {0, 0, 0, false, 1, "job.min_nodes = 2", 2},
        {0, 0, 4, false, 4, "job.min_nodes = 2", 8},
        {2, 0, 0, false, 2, "job.max_nodes = 1 job.min_nodes = 1", 1},
        {2, 0, 0, false, 2, "job.max_nodes = 4", 2},
        {2, 4, 0, false, 4, "job.min_nodes = 1", 4},   // of the tasks
        {2, 0, 0, false, 16, "job.min_nodes = 1", 16}, // another client's
        {0, 0, 0, false, 0, "job.min_nodes = 2", 0},
        {2, 0, 0, true, 2, "job.min_nodes = 1", 1},
        {2, 8, 2, true, 2, "job.min_nodes = 3", 3},
        {2, 0, 0, true, 5, "job.min_nodes = 1", 5},
    };
    const auto unless_0 = [](std::uint32_t count) {
        return count == 0 ? std::nullopt : std::optional(count);
    };
    for (const Row& row : rows) {
        Job job;
        job.request.min_nodes = unless_0(row.min_nodes);
        job.request.tasks = unless_0(row.tasks);
        job.request.cpus_per_task = unless_0(row.cpus_per_task);
        job.request.overcommit = row.overcommit;
        job.request.min_cpus = unless_0(row.min_cpus);
        BOOST_TEST(!job.run(*one_rule(row.writes)).rejected);
        BOOST_TEST(job.request.min_cpus.value_or(0) == row.expected, row.writes);
    }
}

BOOST_AUTO_TEST_CASE(writes_flags) {
    BOOST_TEST(written("requeue", "true") == "true");
    BOOST_TEST(written("requeue", "false") == "false");
    BOOST_TEST(written("requeue", "nil") == "nil");
    BOOST_TEST(written("requeue", "1") == "refused");
    BOOST_TEST(written("exclusive", "true") == "true");
    BOOST_TEST(written("exclusive", "false") == "false");
    BOOST_TEST(written("exclusive", "'user'") == "refused");
}

BOOST_AUTO_TEST_CASE(memory_is_per_node_or_per_cpu) {
    Job per_node, per_cpu;
    per_node.request.memory = model::Memory{4000, false};
    per_cpu.request.memory = model::Memory{2000, true};
    BOOST_TEST(value_of("job.memory_per_node", per_node) == "4000");
    BOOST_TEST(value_of("job.memory_per_cpu", per_node) == "nil");
    BOOST_TEST(value_of("job:is_set('memory_per_cpu')", per_node) == "false");
    BOOST_TEST(value_of("job.memory_per_node", per_cpu) == "nil");
    BOOST_TEST(value_of("job.memory_per_cpu", per_cpu) == "2000");
    BOOST_TEST(value_of("job.memory_per_cpu") == "nil");

    BOOST_TEST(written("memory_per_node", "0") == "0");
    BOOST_TEST(written("memory_per_cpu", "0") == "refused");
    BOOST_TEST(written("memory_per_cpu", "math.huge") == "refused");
    Job job = per_cpu;
    (void)job.run(*one_rule("job.memory_per_node = 100"));
    BOOST_TEST(job.request.memory == (model::Memory{100, false}));
    (void)job.run(*one_rule("job.memory_per_cpu = nil"));
    BOOST_TEST(job.request.memory == (model::Memory{100, false}));
    (void)job.run(*one_rule("job.memory_per_node = nil"));
    BOOST_TEST(!job.request.memory.has_value());
}

BOOST_AUTO_TEST_CASE(memory_that_is_written_replaces_that_per_gpu) {
    Job job;
    job.request.memory_per_tres = "gres:gpu:2000";
    (void)job.run(*one_rule("job.memory_per_node = nil"));
    BOOST_TEST(job.request.memory_per_tres.has_value());
    (void)job.run(*one_rule("job.memory_per_cpu = 100"));
    BOOST_TEST(!job.request.memory_per_tres.has_value());
}

BOOST_AUTO_TEST_CASE(counts_of_16_bits_take_no_more) {
    for (const char* field : {"cpus_per_task", "tasks_per_node", "tasks_per_socket", "mincpus"}) {
        BOOST_TEST_CONTEXT(field) {
            BOOST_TEST(written(field, "65533") == "65533");
            BOOST_TEST(written(field, "65534") == "refused");
        }
    }
    BOOST_TEST(written("tasks", "65534") == "65534");
}

BOOST_AUTO_TEST_CASE(reads_what_a_gpu_brings_along) {
    Job job;
    BOOST_TEST(value_of("job.memory_per_gpu") == "nil");
    BOOST_TEST(value_of("job.cpus_per_gpu") == "nil");
    job.request.memory_per_tres = "gres:gpu:2000";
    job.request.cpus_per_tres = "gres/gpu:6";
    BOOST_TEST(value_of("job.memory_per_gpu", job) == "2000");
    BOOST_TEST(value_of("job.cpus_per_gpu", job) == "6");
}

BOOST_AUTO_TEST_CASE(a_job_that_a_rule_makes_wait_starts_later) {
    const auto after = [](const char* body, Job job = {}) {
        (void)job.run(*one_rule(body));
        return job.request.starts_later();
    };
    BOOST_TEST(after("job.dependency = 'afterok:7'"));
    BOOST_TEST(after("job.begin_time = 1800000000"));
    Job waiting = with(JobDetail::dependency, std::string("afterok:7"));
    waiting.request.details.set(JobDetail::begin_time, std::int64_t{1'800'000'000});
    waiting.request.has_dependency = waiting.request.begins_later = true;
    BOOST_TEST(after("job.dependency = nil", waiting));
    BOOST_TEST(!after("job.dependency = nil job.begin_time = nil", waiting));
}

BOOST_AUTO_TEST_CASE(records_a_change_and_only_a_change) {
    Job job = with(JobDetail::wckey, std::string("one"));
    const auto changed = job.run(*one_rule("job.wckey = 'two' job.requeue = false"));
    BOOST_TEST_REQUIRE(changed.events.size() == 2u);
    BOOST_TEST(changed.events[0].text == "requeue: (unset) -> false");
    BOOST_TEST(changed.events[1].text == "wckey: one -> two");
    const auto same = job.run(*one_rule("job.wckey = 'two'"));
    BOOST_TEST(same.events.empty());
    BOOST_TEST(!same.changed.has_value());
}

BOOST_AUTO_TEST_CASE(arguments_are_a_list_with_the_script_at_zero) {
    Source source;
    BOOST_TEST(value_of("#job.argv") == "0");
    BOOST_TEST(value_of("#job.argv", job_of(source)) == "0");
    source.words = {"job.sh", "-x", ""};
    BOOST_TEST(value_of("job.argv[0]", job_of(source)) == "job.sh");
    BOOST_TEST(value_of("#job.argv", job_of(source)) == "2");
    BOOST_TEST(value_of("table.concat(job.argv, '|')", job_of(source)) == "-x|");
    source.words.resize(JobDetails::max_arguments);
    BOOST_TEST(value_of("#job.argv", job_of(source)) == "1023");
    source.words.resize(JobDetails::max_arguments + 1);
    BOOST_TEST(has_text(value_of("#job.argv", job_of(source)), "more than 1024 arguments"));
}

BOOST_AUTO_TEST_CASE(the_environment_is_read_by_name) {
    Source source;
    BOOST_TEST(value_of("job.env.HOME") == "nil");
    BOOST_TEST(value_of("job.env['CUDA_VISIBLE_DEVICES']", job_of(source)) == "0,1");
    BOOST_TEST(value_of("job.env.EMPTY == ''", job_of(source)) == "true");
    BOOST_TEST(value_of("job.env.HOME", job_of(source)) == "nil");
    BOOST_TEST(has_text(value_of("job.env[true]", job_of(source)), "the name of a variable is a text"));
    BOOST_TEST(
        has_text(outcome_of_rule("job.env.SITE = 'x'").reject_message, "job.env.SITE cannot be changed"));
    source.variables = JobDetails::max_variables;
    BOOST_TEST(value_of("job.env.HOME", job_of(source)) == "nil");
    ++source.variables;
    BOOST_TEST(has_text(value_of("job.env.HOME", job_of(source)), "more than 4096 variables"));
}

BOOST_AUTO_TEST_CASE(a_job_before_a_change_has_an_environment_of_its_own) {
    const Source source;
    const auto policy = policy_of({{"t.lua", modify_with("local old = before.env job:warn('%s %s', "
                                                         "old.CUDA_VISIBLE_DEVICES,"
                                                         " job.env.CUDA_VISIBLE_DEVICES)")}});
    BOOST_TEST(Job().change_from(job_of(source), *policy).warnings == std::vector<std::string>{"0,1 nil"},
               boost::test_tools::per_element());
    BOOST_TEST(job_of(source).change_from(Job(), *policy).warnings == std::vector<std::string>{"nil 0,1"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(reading_a_large_environment_all_the_time_ends) {
    Source source;
    source.variables = JobDetails::max_variables;
    Job job = job_of(source);
    BOOST_TEST(has_text(job.run(*one_rule("while true do local x = job.env.HOME end")).reject_message,
                        "more than 100000 instructions for one job"));
}

BOOST_AUTO_TEST_SUITE_END()
