// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules read about a job's size and defaults after rules have changed the job.
#include "support/gate_setup.hpp"
#include "support/policy_files.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace qg;

namespace {

struct RecountSetup : test::GateSetup {
    RecountSetup() { release = limits::Release(22, 5, 8); }

    /// The values that a last rule reads of `reads` (Lua) after the given rules, as its rejection tells them.
    std::string read_after(const std::vector<std::string>& rules, const std::string& reads) const {
        std::vector<std::string> texts;
        for (const std::string& rule : rules)
            texts.push_back("rule { submit = function(job) " + rule + " end }");
        texts.push_back("rule { submit = function(job) job:reject('%s', tostring(" + reads + ")) end }");
        return told(decide(load(texts).get()));
    }

    /// The same in the rule that makes the change.
    std::string read_in(const std::string& change, const std::string& reads) const {
        return told(decide(load({"rule { submit = function(job) " + change + " job:reject('%s', tostring(" +
                                 reads + ")) end }"})
                               .get()));
    }

    static std::shared_ptr<const policy::Policy> load(const std::vector<std::string>& texts) {
        std::vector<std::pair<std::string, std::string_view>> files;
        for (std::size_t i = 0; i < texts.size(); ++i)
            files.emplace_back(std::to_string(10 + i) + ".lua", texts[i]);
        return test::load_rules(files);
    }

    static std::string told(const model::Decision& decision) {
        BOOST_TEST_REQUIRE(!decision.message.empty());
        return decision.message.back();
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(recount, RecountSetup)

BOOST_AUTO_TEST_CASE(cpus_follow_tasks) {
    request.tasks = request.min_cpus = 2;
    BOOST_TEST(read_after({""}, "job.cpus") == "2");
    BOOST_TEST(read_after({"job.tasks = 8"}, "job.cpus") == "8");
    BOOST_TEST(read_in("job.tasks = 8", "job.cpus") == "8");
    BOOST_TEST(read_in("job.tasks = 8", "job.tres.cpu") == "8");
    BOOST_TEST(read_after({"job.tasks = 8", "job.tasks = 9"}, "job.cpus") == "9");
    BOOST_TEST(read_in("local _ = job.cpus; job.tasks = 8; _ = job.cpus; job.tasks = 9", "job.cpus") == "9");
}

BOOST_AUTO_TEST_CASE(pairs_of_tres_are_counted_again) {
    const std::string sum = "(function() for name, count in pairs(job.tres) do "
                            "if name == 'cpu' then return count end end end)()";
    BOOST_TEST(read_after({"job.tasks = 8"}, sum) == "8");
}

BOOST_AUTO_TEST_CASE(nodes_and_memory_follow_what_rules_write) {
    BOOST_TEST(read_after({"job.min_nodes = 3"}, "job.nodes") == "3");
    BOOST_TEST(read_after({"job.memory_per_node = 100"}, "job.memory") == "100");
    BOOST_TEST(read_after({"job.memory_per_node = 100; job.min_nodes = 2"}, "job.memory") == "200");
}

BOOST_AUTO_TEST_CASE(defaults_are_those_of_the_new_partition) {
    partitions[0].default_time = TimeLimit{30};
    partitions[1].default_time = TimeLimit{45};
    BOOST_TEST(read_after({""}, "job.time_limit") == "30");
    BOOST_TEST(read_after({"job.partition = 'viz'"}, "job.time_limit") == "45");
    BOOST_TEST(read_in("job.partition = 'viz'", "job.time_limit") == "45");
    request.time_limit = TimeLimit{10};
    BOOST_TEST(read_after({"job.partition = 'viz'"}, "job.time_limit") == "10");
    BOOST_TEST(read_after({"job.time_limit = nil; job.partition = 'viz'"}, "job.time_limit") == "45");
}

BOOST_AUTO_TEST_CASE(changes_that_are_not_made_do_not_count) {
    request.tasks = request.min_cpus = 2;
    const auto after = [&](const std::string& keys, const std::string& body) {
        return told(decide(load({"rule { " + keys + " submit = function(job) " + body + " end }",
                                 "rule { submit = function(job) job:reject('%d', job.cpus) end }"})
                               .get()));
    };
    BOOST_TEST(after("", "job.tasks = 8; local _ = job.cpus") == "8");
    BOOST_TEST(after("mode = 'warn',", "job.tasks = 8; local _ = job.cpus") == "2");
    BOOST_TEST(after("mode = 'shadow',", "job.tasks = 8") == "2");
    BOOST_TEST(after("on_error = 'allow',", "job.tasks = 8; error('x')") == "2");
}

BOOST_AUTO_TEST_CASE(at_a_change_rules_read_the_job_that_it_makes) {
    request.tasks = request.min_cpus = 4;
    request.submit_uid = request.user_id;
    const auto policy = load({"rule { submit = function(job) job.tasks = 1; job.time_limit = 5 end }",
                              "rule { submit = function(job) job.tasks = 2 "
                              "job:reject('%s %d %s', job.tasks, job.cpus, job.time_limit == 5) end }"});
    const quota::LocalQuota provider(records);
    const auto c = cluster();
    const model::JobUpdate update{.job_id = 17, .before = request, .after = request};
    const auto change = gate::Gate(provider, release).decide_update(update, &c, policy.get());
    BOOST_TEST(told(change) == "4 4 false");
}

BOOST_AUTO_TEST_CASE(the_cpus_that_clients_send_follow_the_tasks) {
    request.tasks = 4;
    request.cpus_per_task = 2;
    request.min_cpus = 8;
    const auto cpus = [&](const std::string& change) { return read_in(change, "job.cpus"); };
    BOOST_TEST(cpus("") == "8");
    BOOST_TEST(cpus("job.tasks = 2") == "4");
    BOOST_TEST(cpus("job.cpus_per_task = 1") == "4");
    BOOST_TEST(cpus("job.cpus_per_task = 4") == "16");
    BOOST_TEST(cpus("job.tasks = 8; job.cpus_per_task = nil") == "8");
    request.min_cpus = 20; // asked for besides
    BOOST_TEST(cpus("job.tasks = 2") == "20");
    BOOST_TEST(cpus("job.tasks = 11") == "22");
}

BOOST_AUTO_TEST_CASE(a_rule_that_counts_for_ever_is_ended) {
    const auto policy = load({"rule { submit = function(job) "
                              "for i = 1, 60 do job.tasks = i; local _ = job.cpus end end }"});
    const auto decision = decide(policy.get());
    BOOST_TEST_CONTEXT(told(decision)) BOOST_TEST(told(decision).find("instructions") != std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
