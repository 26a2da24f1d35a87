// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/findings.hpp"

#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

std::vector<std::string> lines_of(const std::vector<Finding>& findings) {
    std::vector<std::string> all;
    for (const Finding& finding : findings)
        all.push_back(text::format("{}:{}: {}", finding.file, finding.line, finding.message));
    return all;
}

PolicyReport loaded_report_of(const Texts& files) {
    SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    PolicyReport report = check_sources(directory);
    BOOST_TEST(report.loads());
    return report;
}

std::string findings_of(const Texts& files) {
    return text::join(lines_of(loaded_report_of(files).findings), "\n");
}

const std::string plain_rule = rule_with("job:warn('x')");

} // namespace

BOOST_AUTO_TEST_SUITE(unused_files)

BOOST_AUTO_TEST_CASE(tells_modules_and_data_that_nobody_uses) {
    const std::string module = "return { f = function() end }";
    const std::string uses = "local a, b = require('a'), data 'd.json'\n";
    const Texts files = {{"lib/a.lua", module}, {"data/d.json", "{}"}};
    const auto found = [&](const std::string& rule) {
        Texts all = files;
        all.emplace_back("t.lua", rule);
        return findings_of(all);
    };
    BOOST_TEST(found(plain_rule) == "data/d.json:0: is not used: no rule, module or test reads it\n"
                                    "lib/a.lua:0: is not used: no rule, module or test requires it");
    BOOST_TEST(found(uses + plain_rule) == "");
    BOOST_TEST(found("local n = 'a' local a, b = require(n), data('d' .. '.json')\n" + plain_rule) == "");
    BOOST_TEST(found("local f, g = require, data\n" + plain_rule) == "");
    SourceDirectory with_test{true, {{"t.lua", plain_rule}}};
    for (const auto& [name, content] : files)
        with_test.files.push_back({name, content});
    with_test.tests.push_back({"tests/t.lua", uses});
    BOOST_TEST(check_sources(with_test).findings.empty());
    with_test.tests.front().text = "local x = 1";
    BOOST_TEST(check_sources(with_test).findings.size() == 2u);
    BOOST_TEST(findings_of(files) == ""); // without rules it is a part of a policy
    Texts with_script = files;
    with_script.emplace_back("t.lua", plain_rule);
    with_script.emplace_back("compat/job_submit.lua", "function slurm_job_submit() return 0 end\n"
                                                      "function slurm_job_modify() return 0 end\n");
    BOOST_TEST(findings_of(with_script) == "");
}

BOOST_AUTO_TEST_CASE(tells_rules_that_no_job_reaches) {
    const auto found = [](const std::string& first) {
        return findings_of({{"10.lua", first},
                            {"20.lua", rule_with("job:warn('x')", "on = { 'submit' },")},
                            {"30.lua", modify_with("job:warn('x')")}});
    };
    const std::string unreached = "is never run: the rule in 10.lua ends the chain for every job";
    BOOST_TEST(found(rule_with("job:stop()")) == "20.lua:0: " + unreached + "\n30.lua:0: " + unreached);
    BOOST_TEST(found(rule_with("job:stop()", "on = { 'submit' },")) == "20.lua:0: " + unreached);
    BOOST_TEST(found(rule_with("if job.qos then job:stop() end")) == "");
    BOOST_TEST(found(rule_with("job:stop()", "exempt = { 'root' },")) == "");
    BOOST_TEST(found(rule_with("job:stop()", "mode = 'shadow',")) == "");
}

BOOST_AUTO_TEST_CASE(tells_a_user_that_is_written_like_a_word) {
    const auto found = [](const std::string& names) {
        return findings_of({{"t.lua", rule_with("job:warn('x')", "exempt = { " + names + " },")}});
    };
    BOOST_TEST(found("'operator'") == "t.lua:1: exempt names a user 'operator'; did you mean operators?");
    BOOST_TEST(found("'Root'") == "t.lua:1: exempt names a user 'Root'; did you mean root?");
    BOOST_TEST(found("'operators', 'root', 'ana', 'opera'") == "");
}

BOOST_AUTO_TEST_CASE(tells_a_directory_with_rules_that_is_not_read) {
    const TempDirectory temp;
    temp.write("10.lua", plain_rule);
    for (const char* name : {"rules", "rules.off", "rules.disabled", ".git", "notes", "lib", "helpers"})
        fs::create_directory(temp.directory() / name);
    for (const char* file :
         {"rules/20.lua", "rules.off/20.lua", "rules.disabled/20.lua", ".git/20.lua", "notes/20.txt"})
        temp.write(file, plain_rule);
    temp.write("helpers/any.lua", "local rule = {} return rule");
    const PolicyReport report = check_policy(temp.directory()).value();

    BOOST_TEST_REQUIRE(report.findings.size() == 1u, text::join(lines_of(report.findings), "\n"));
    BOOST_TEST(lines_of(report.findings)[0].starts_with("rules:0: is not read: rules lie in "));
    BOOST_TEST(report.loads());
}

BOOST_AUTO_TEST_CASE(tells_a_directory_that_is_written_like_one_that_is_read) {
    const TempDirectory temp;
    temp.write("10.lua", plain_rule);
    for (const char* name : {"test", "Lib", "libs", "tests", "old", "tests.off", "data"})
        fs::create_directory(temp.directory() / name);
    const auto texts = lines_of(check_policy(temp.directory()).value().findings);

    BOOST_TEST(texts == (std::vector<std::string>{"Lib:0: is not read; did you mean lib?",
                                                  "libs:0: is not read; did you mean lib?",
                                                  "test:0: is not read; did you mean tests?"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_script_for_job_submit_beside_the_rules_is_one_finding) {
    const auto report_of = [](const std::string& text) {
        return check_sources({true, {{"job_submit.lua", text}, {"t.lua", plain_rule}}});
    };
    const std::string function = " slurm_job_submit(job_desc, part_list, submit_uid)\n";
    const std::string value = "slurm_job_submit = function(job_desc, part_list, submit_uid)\n";
    const std::string body = "    if job_desc.partition == nil then slurm.log_user('no') end\n"
                             "    job_desc.qos = string.lower(job_desc.qosx)\n"
                             "    return slurm.SUCCESS\nend\n";
    for (const std::string& script : {"-- ours\nfunction" + function + body, "\n" + value + body}) {
        const PolicyReport report = report_of(script);
        BOOST_TEST(text::join(lines_of(report.findings), "\n") ==
                   "job_submit.lua:2: this file defines slurm_job_submit, so it is a script for "
                   "job_submit/lua and not a rule: move it to compat/job_submit.lua");
        BOOST_TEST(!report.loads());
    }
    for (const std::string& other :
         {"local function" + function + body, "local " + value + body, "local t = {}\nt." + value + body,
          "local t = {" + value + body + "}", "local t = {1; " + value + body + "}",
          "local " + value.substr(0, value.find(' ')) + "\n" + value + body}) {
        const PolicyReport report = report_of(other);
        BOOST_TEST(report.findings.size() > 1u);
        BOOST_TEST(!has_text(text::join(lines_of(report.findings), "\n"), "move it"));
    }
}

BOOST_AUTO_TEST_SUITE_END()
