// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurm.jobs and slurm.reservations of a script for job_submit/lua.
#include "qosgate/policy/compat/script_findings.hpp"
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using test::has;
using test::script_with;
using test::ScriptSetup;

namespace {

/// What a script with this body tells.
std::string told_by(const std::string& body, const std::string& before = {}) {
    return ScriptSetup({{test::script_name, script_with(body, before)}}).told();
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_lists)

BOOST_AUTO_TEST_CASE(jobs_and_reservations_are_read_when_they_are_touched) {
    BOOST_TEST(
        told_by(
            "local n, mine = 0, 0 for id, job in pairs(slurm.jobs) do n = n + 1 if job.user_id == submit_uid "
            "then mine = mine + 1 end end slurm.log_user('%d %d %s', n, mine, type(next(slurm.jobs)))") ==
        "2 1 string");
    BOOST_TEST(told_by("slurm.log_user('%d %s', slurm.jobs['12'].user_id, tostring(slurm.jobs['13']))") ==
               "1001 nil");
    BOOST_TEST(
        told_by(
            "for name, r in pairs(slurm.reservations) do slurm.log_user('%s %d', name, r.start_time) end") ==
        "maint 5000");
    BOOST_TEST(has(told_by("local x = slurm.reservations.maint.duration"),
                   "duration of a reservation cannot be read"));
}

BOOST_AUTO_TEST_CASE(partitions_come_in_the_order_of_their_records) {
    const auto told_in_order = [](const std::string& body) {
        ScriptSetup setup(
            {{test::script_name,
              script_with("local t = {} local function add(name) t[#t + 1] = tostring(name) end " + body +
                          " slurm.log_user('%s', table.concat(t, ' '))")}});
        setup.host.records.records.clear();
        setup.host.known_reservations.records.clear();
        for (const std::string name : {"z", "gpu", "secret", "a", "long", "m", "cpu", "b", "short"}) {
            setup.host.records.records.push_back(
                {name, {model::ScriptValue::of_text("x"), model::ScriptValue::of_number(60)}});
            setup.host.known_reservations.records.push_back({name, {model::ScriptValue::of_number(5000)}});
        }
        return setup.told();
    };
    const std::string all = "z gpu a long m cpu b short"; // the secret one is not shown
    const std::string go = "for name in pairs(part_list) do add(name) end";
    const std::string go_on = " t = {} for name in next, part_list do add(name) end";

    BOOST_TEST(told_in_order(go) == all);
    BOOST_TEST(told_in_order(go + go_on) == all);
    BOOST_TEST(
        told_in_order("add(next(part_list)) add(next(part_list, 'gpu')) add(next(part_list, 'short'))") ==
        "z a nil");
    BOOST_TEST(
        told_in_order("local m = part_list.m for name, p in pairs(part_list) do if p == m then add(name) "
                      "end end") == "m");
    BOOST_TEST(
        told_in_order("part_list.new = 1 part_list[1] = 2 part_list.gpu = nil part_list.a = 'other' " + go)
            .starts_with("z a long m cpu b short "));
    BOOST_TEST(told_in_order("part_list.new = 1 part_list.gpu = nil part_list.a = 'other' " + go) ==
               "z a long m cpu b short new");
    BOOST_TEST(
        told_in_order("local n = 0 part_list.new = 1 part_list[1] = 2 for name in pairs(part_list) do n = n "
                      "+ 1 part_list[name] = nil end add(n) add(next(part_list))") == "10 nil");
    BOOST_TEST(told_in_order("table.foreach(part_list, add)") == all);
    BOOST_TEST(told_in_order("add(table.foreach(part_list, function(name) if name == 'a' then return 'found' "
                             "end end))") == "found");
    BOOST_TEST(told_in_order("for name in pairs(slurm.reservations) do add(name) end") ==
               "z gpu secret a long m cpu b short");
    BOOST_TEST(
        has(told_in_order("for name in next, part_list, 'none' do add(name) end"), "invalid key to 'next'"));
    BOOST_TEST(told_in_order("table.foreach({ 'x' }, add) for name in next, { 'y' } do add(name) end") ==
               "1 1");
}

BOOST_AUTO_TEST_CASE(fields_of_jobs_that_are_not_known_are_an_error) {
    const test::Texts files{
        {test::script_name, script_with("local field = job_desc.comment slurm.log_user('%s', "
                                        "tostring(slurm.jobs['7'][field]))")}};
    ScriptSetup setup(files);
    setup.host.known_jobs.names = {"user_id", "nodes"};
    setup.host.known_jobs.records = {
        {"7", {model::ScriptValue::of_number(1000), model::ScriptValue::unknown()}}};
    setup.host.known_jobs.unread = {"account"};
    setup.host.known_jobs.unreadable = {"argv"};
    const auto told_of = [&](const std::string& field) {
        setup.host.fake.texts["comment"] = field;
        return setup.told();
    };
    BOOST_TEST(told_of("user_id") == "1000");
    BOOST_TEST(told_of("no_such_field") == "nil");
    BOOST_TEST(has(told_of("nodes"), "nodes of this job cannot be read in the state that it has"));
    BOOST_TEST(
        has(told_of("account"), "account of a job was not read: write its name in the script, as a literal"));
    BOOST_TEST(has(told_of("argv"), "argv of a job cannot be read"));
}

BOOST_AUTO_TEST_CASE(a_loop_over_jobs_is_charged_by_their_number) {
    const test::Texts files{
        {"site.lua", "site { rule_time_ms = 75 }"}, // instructions are to end it, however slow they are
        {test::script_name, script_with("local n = 0 for id, job in pairs(slurm.jobs) do if job.user_id == "
                                        "submit_uid then n = n + 1 end end slurm.log_user('%d', n)")}};
    ScriptSetup setup(files);
    const auto told_of = [&](std::size_t count) {
        const model::ScriptRecord one{
            "7", {model::ScriptValue::of_number(1000), model::ScriptValue::of_number(0)}};
        setup.host.known_jobs.records.assign(count, one);
        return setup.told();
    };
    BOOST_TEST(told_of(0) == "0");
    BOOST_TEST(told_of(3000) == "3000");
    BOOST_TEST(has(told_of(100'000), "instruction"));
    BOOST_TEST(told_of(10) == "10"); // it goes on
}

BOOST_AUTO_TEST_CASE(a_script_tells_whether_it_reads_jobs) {
    const auto names = [](const std::string& body, const test::Texts& files = {}) {
        test::Texts all = files;
        all.emplace_back(test::script_name, script_with(body));
        return ScriptSetup(all).policy->script()->fields_of_jobs();
    };

    BOOST_TEST(!names("local a = job_desc.account -- jobs"));
    const auto used = names("for _, job in pairs(slurm.jobs) do local a = job.account or job['user_id'] end");
    BOOST_TEST_REQUIRE(used);
    BOOST_TEST(used->contains("account"));
    BOOST_TEST(used->contains("user_id"));
    BOOST_TEST(!used->contains("qos"));
    BOOST_TEST(names("local all = slurm['jobs']"));
    const auto elsewhere = names("", {{"compat/m.lua", "return function(j) return slurm.jobs[j].qos end"}});
    BOOST_TEST_REQUIRE(elsewhere);
    BOOST_TEST(elsewhere->contains("qos"));
}

BOOST_AUTO_TEST_CASE(a_script_tells_what_it_reads_of_the_job_before_a_change) {
    const auto fields = [](const std::string& body, const test::Texts& files = {}) {
        const std::string modify =
            "function slurm_job_modify(job_desc, job_rec)\n" + body + "\nreturn slurm.SUCCESS\nend\n";
        test::Texts all = files;
        all.emplace_back(test::script_name, script_with("", modify));
        const auto found = ScriptSetup(all).policy->script()->fields_of_jobs();
        return found ? std::vector<std::string>(found->begin(), found->end()) : std::vector<std::string>();
    };
    using Names = std::vector<std::string>;

    BOOST_TEST(fields("local a = job_rec.account -- .job_state") == Names{});
    BOOST_TEST(fields("local nodes = job_rec.script job_desc.admin_comment = nil") == Names{});
    BOOST_TEST(fields("local a = job_rec.job_state or job_rec.qos") == Names{"job_state"});
    BOOST_TEST(fields("local a = job_rec['nodes'] local b = job_rec.admin_comment") ==
               (Names{"admin_comment", "nodes"}));
    BOOST_TEST(fields("local a = require('m')(job_rec)",
                      {{"compat/m.lua", "return function(job_desc) return job_desc.job_state end"}}) ==
               Names{"job_state"});
    // Without slurm_job_modify there is no job_rec.
    const ScriptSetup no_modify({{test::script_name, script_with("local a = job_desc.job_state")}});
    BOOST_TEST(no_modify.policy->script()->fields_of_jobs() == nullptr);
}

BOOST_AUTO_TEST_CASE(a_check_tells_what_differs_in_the_job_before_a_change) {
    const auto findings =
        policy::compat::find_script_problems("function slurm_job_submit(job_desc) return 0 end\n"
                                             "function slurm_job_modify(job_desc, rec)\n"
                                             "local a = rec.account, rec.argv, job_rec.job_state\n"
                                             "local b = rec.job_state\n"
                                             "local c = rec.gres_used\n"
                                             "local d = rec.job_stat\n"
                                             "return 0 end\n",
                                             nullptr);
    BOOST_TEST_REQUIRE(findings.size() == 3u);
    BOOST_TEST(
        has(findings[0].message, "job_rec.job_state comes from the copy of slurm.jobs here, 2 seconds"));
    BOOST_TEST(findings[1].message == "job_rec.gres_used cannot be read here: the call fails");
    BOOST_TEST(
        has(findings[2].message, "job_rec has no field 'job_stat', so this is always nil; did you mean"));
    for (int i = 0; i < 3; ++i)
        BOOST_TEST(findings[static_cast<std::size_t>(i)].line == 4 + i);
}

BOOST_AUTO_TEST_SUITE_END()
