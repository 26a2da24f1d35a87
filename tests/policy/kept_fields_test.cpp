// SPDX-License-Identifier: GPL-2.0-or-later
//
// A field that a rule has read is kept for its next reads and for the next job: a rule must read what it
// would read without that.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <string>
#include <vector>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

using Lines = std::vector<std::string>;

const std::string tell_qos = "job:warn('%s', tostring(job.qos))";
const std::string tell_cpus = "job:warn('%d', job.cpus)";

/// A policy that keeps values for the next job.
std::shared_ptr<const Policy> keeping(const Texts& files) {
    SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    return compile_policy(std::move(directory), {.lets_rules_rest = true}).value();
}

/// Rules in this order, each with its keys.
Texts files_of(const std::vector<std::pair<std::string, std::string>>& rules) {
    Texts files;
    for (const auto& [body, keys] : rules)
        files.emplace_back(text::format("r{}.lua", 10 + files.size()), rule_with(body, keys));
    return files;
}
std::shared_ptr<const Policy> policy_with(const std::vector<std::pair<std::string, std::string>>& rules) {
    return keeping(files_of(rules));
}

/// What the rules tell a job of QOS normal, also behind another job, and if no value is kept.
Lines told_by(const std::vector<std::pair<std::string, std::string>>& rules) {
    const auto policy = policy_with(rules);
    const auto tell = [](const Policy& by) { return Job().qos("normal").run(by).warnings; };
    const Lines told = tell(*policy);
    for (const char* other : {"normal", "other"}) {
        Job().qos(other).minutes(3).run(*policy);
        BOOST_TEST(tell(*policy) == told, boost::test_tools::per_element());
    }
    BOOST_TEST(tell(*policy_of(files_of(rules))) == told, boost::test_tools::per_element());
    return told;
}

void expect(const Lines& told, const Lines& expected) {
    BOOST_TEST(told == expected, boost::test_tools::per_element());
}

/// A job that was counted again.
struct CountedJob {
    explicit CountedJob(std::uint64_t cpus) : facts(job.cpus(cpus).facts()) {}

    Job job;
    RuleInput facts; ///< of `job`
};

/// Counts a job as its tasks say, and how often it was asked to.
class TaskRecounter final : public JobRecounter {
  public:
    Result<std::shared_ptr<const RuleInput>> recount(const model::JobRequest& changed) override {
        ++times;
        const auto counted = std::make_shared<CountedJob>(changed.tasks.value_or(1));
        return std::shared_ptr<const RuleInput>(counted, &counted->facts);
    }
    int times = 0;
};

} // namespace

BOOST_AUTO_TEST_SUITE(kept_fields)

BOOST_AUTO_TEST_CASE(a_rule_reads_what_it_wrote_and_so_do_the_next) {
    expect(told_by({{tell_qos, ""},
                    {tell_qos + " job.qos = 'long' " + tell_qos + " job.qos = nil " + tell_qos +
                         " job.qos = 'short' " + tell_qos,
                     ""},
                    {tell_qos, ""}}),
           {"normal", "normal", "long", "normal", "short", "short"});
}

BOOST_AUTO_TEST_CASE(what_is_unset_is_read_again) {
    expect(told_by({{"job:warn('%s', tostring(job.comment))", ""},
                    {"if not job.comment then job.comment = 'a' end", ""},
                    {"job:warn('%s', tostring(job.comment)) job.comment = nil", ""},
                    {"job:warn('%s', tostring(job.comment))", ""}}),
           {"nil", "a", "nil"});
}

BOOST_AUTO_TEST_CASE(a_part_that_is_added_is_read) {
    expect(told_by({{"job:add('features', 'a') job:warn(job.features) job:add('features', 'b') "
                     "job:warn(job.features)",
                     ""},
                    {"job:warn(job.features)", ""}}),
           {"a", "a&b", "a&b"});
}

BOOST_AUTO_TEST_CASE(a_field_that_follows_from_another_is_read_again) {
    expect(told_by({{"job.memory_per_node = 100 job:warn('%s', tostring(job.memory_per_node)) "
                     "job.memory_per_cpu = 5 job:warn('%s', tostring(job.memory_per_node))",
                     ""}}),
           {"100", "nil"});
}

BOOST_AUTO_TEST_CASE(a_write_that_fails_changes_nothing_that_is_read) {
    expect(told_by({{"pcall(function() job.qos = {} end) " + tell_qos, ""},
                    {"pcall(function() job.cpus = 3 end) " + tell_cpus, ""}}),
           {"normal", "4"});
}

BOOST_AUTO_TEST_CASE(a_draft_that_is_dropped_is_not_read_by_others) {
    const std::string write = "job.qos = 'long' local read = job.qos";
    for (const char* keys : {"mode = 'warn',", "mode = 'shadow',"})
        expect(told_by({{write, keys}, {tell_qos, ""}}), {"normal"});
    expect(told_by({{write + " error('failed')", "on_error = 'allow',"}, {tell_qos, ""}}), {"normal"});
    expect(told_by({{write + " while true do end", "on_error = 'allow',"}, {tell_qos, ""}}), {"normal"});
    expect(told_by({{write + " job:reject('no')", ""}, {tell_qos, ""}}), {"normal"});
}

BOOST_AUTO_TEST_CASE(counts_are_those_of_the_job_as_it_is_now) {
    TaskRecounter recounter;
    const Job job = Job().cpus(1);
    RuleInput facts = job.facts();
    facts.recounter = &recounter;
    const auto policy = policy_with({{tell_cpus, ""},
                                     {"job.tasks = 8", ""},
                                     {"if job.cpus < 8 then job:reject('few') end", ""},
                                     {"if job.tres.cpu < 8 then job:reject('few') end", ""},
                                     {tell_cpus + " job.tasks = 3 " + tell_cpus, "mode = 'shadow',"},
                                     {"if job.cpus ~= 8 then job:reject('others') end", ""},
                                     {tell_cpus, ""}});

    const auto outcome = policy->run(job.request, facts);

    BOOST_TEST(!outcome.rejected);
    expect(outcome.warnings, {"1", "8"});
    // Once for the two rules that do nothing; the others have a run of their own.
    BOOST_TEST(recounter.times <= 4);
}

BOOST_AUTO_TEST_CASE(nothing_is_left_for_the_next_job) {
    const auto policy = policy_with(
        {{"job:warn('%s %s %s', tostring(job.name), tostring(job.comment), tostring(job.time_limit))", ""}});
    Job full;
    full.minutes(5).request.name = "full";
    full.request.comment = "c";
    for (int times = 0; times < 3; ++times) {
        expect(full.run(*policy).warnings, {"full c 5"});
        expect(Job().run(*policy).warnings, {"nil nil nil"});
        expect(Job().minutes(7).run(*policy).warnings, {"nil nil 7"});
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_left_by_a_job_that_was_rejected_or_whose_rule_failed) {
    const auto policy =
        policy_with({{"local name = job.name if name == 'bad' then job:reject(name) end "
                      "if name == 'worse' then error(name) end job:warn('%s', tostring(job.name))",
                      ""}});
    for (const char* name : {"bad", "worse"}) {
        Job job;
        job.request.name = name;
        BOOST_TEST(job.run(*policy).rejected);
        expect(Job().run(*policy).warnings, {"nil"});
    }
}

BOOST_AUTO_TEST_CASE(nothing_is_left_between_events_nor_between_job_and_before) {
    const auto policy = keeping(
        {{"a.lua", "rule { submit = function(job) " + tell_qos + " end, modify = function(job, before) " +
                       tell_qos + " job:warn('%s', tostring(before.qos)) " + tell_qos + " end }"}});
    for (int times = 0; times < 2; ++times) {
        expect(Job().qos("one").run(*policy).warnings, {"one"});
        expect(Job().qos("three").change_from(Job().qos("two"), *policy).warnings, {"three", "two", "three"});
    }
}

BOOST_AUTO_TEST_CASE(what_a_rule_writes_at_a_change_is_not_read) {
    const auto policy = keeping({{"a.lua", modify_with("local old = job.qos job.qos = 'x' " + tell_qos)},
                                 {"b.lua", modify_with(tell_qos)}});
    expect(Job().qos("long").change_from(Job().qos("short"), *policy).warnings, {"long", "long"});
}

BOOST_AUTO_TEST_CASE(an_unknown_name_is_an_error_also_after_a_known_one) {
    const auto outcome =
        Job().qos("a").run(*policy_with({{"local x = job.qos", ""}, {at_run_time("return job.qoss"), ""}}));
    BOOST_TEST(has_text(outcome.reject_message, "unknown field 'qoss' of job"));
}

BOOST_AUTO_TEST_CASE(functions_stay_and_cannot_be_replaced) {
    expect(told_by({{"pcall(function() job.warn = nil end) job.qos = 'x' job:warn('here')", ""},
                    {"job:warn('%s', tostring(job:is_set('qos')))", ""}}),
           {"here", "true"});
}

BOOST_AUTO_TEST_CASE(a_job_kept_from_an_earlier_run_shows_the_present_one) {
    const auto policy =
        keeping({{"a.lua", "local kept\n" + rule_with("kept = kept or job local qos = kept.qos "
                                                      "job:warn('%s', tostring(kept.qos))")}});
    expect(Job().qos("one").run(*policy).warnings, {"one"});
    expect(Job().qos("two").run(*policy).warnings, {"two"});
}

BOOST_AUTO_TEST_CASE(each_rule_of_many_that_do_nothing_has_instructions_of_its_own) {
    Texts files{{"site.lua", "site { rule_instructions = 10000 }"}};
    for (int i = 0; i < 30; ++i)
        files.emplace_back(text::format("r{}.lua", 10 + i), rule_with("for i = 1, 9000 do end"));
    BOOST_TEST(!Job().run(*keeping(files)).rejected);

    files.emplace_back("z.lua", rule_with("for i = 1, 11000 do end"));
    const auto outcome = Job().run(*keeping(files));
    BOOST_TEST(outcome.rejected);
    BOOST_TEST(outcome.events.at(0).rule == "z");
}

BOOST_AUTO_TEST_CASE(rules_that_do_nothing_still_share_one_time_limit) {
    Texts files{{"site.lua", "site { rule_instructions = 10000000, rule_time_ms = 5 }"}};
    for (int i = 0; i < 200; ++i)
        files.emplace_back(text::format("r{}.lua", 100 + i), rule_with("for i = 1, 50000 do end"));
    const auto policy = keeping(files);
    Job job;
    const double begin = cpu_seconds();
    const auto outcome = job.run(*policy);
    BOOST_TEST(cpu_seconds() - begin < 0.1);
    BOOST_TEST(outcome.rejected);
    BOOST_TEST(has_text(outcome.reject_message, "more than 5 ms"));
}

BOOST_AUTO_TEST_SUITE_END()
