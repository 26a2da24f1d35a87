// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the check of a script for job_submit/lua follows: the job in other names and in helper functions, and
// texts on their way to a function that reaches the host.
#include "qosgate/policy/compat/script_findings.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;

BOOST_AUTO_TEST_SUITE(script_findings)

namespace {

constexpr const char* with_modify = "\nfunction slurm_job_modify(job_desc, job_rec) return 0 end";

/// "2: what", a line each.
std::string findings_in(const std::string& source) {
    std::string all;
    for (const auto& finding : policy::compat::find_script_problems(source, nullptr))
        all += text::format("{}: {}\n", finding.line, finding.message);
    return all;
}

/// Of a script with these lines in front of slurm_job_submit(job_desc), and this body.
std::string found(const std::string& before, const std::string& body) {
    return findings_in(before + "\nfunction slurm_job_submit(job_desc)\n" + "do " + body +
                       " end\nreturn 0 end" + with_modify);
}

bool has(const std::string& all, std::string_view words) {
    return all.find(words) != std::string::npos;
}

constexpr std::string_view no_nodes = "job_desc has no field 'nodes', so this is always nil";

} // namespace

BOOST_AUTO_TEST_CASE(follows_the_job_into_another_name) {
    BOOST_TEST(has(found("", "local j = job_desc\nif j.nodes then end"), text::format("4: {}", no_nodes)));
    BOOST_TEST(has(found("", "local j <const> = job_desc local k = j return k.nodes"), no_nodes));
    BOOST_TEST(found("", "local j = job_desc\nif j.min_nodes then end") == "");
    BOOST_TEST(found("", "local j = job_desc j = { nodes = 1 } return j.nodes") == "");
    BOOST_TEST(found("", "local j = other return j.nodes") == "");
}

BOOST_AUTO_TEST_CASE(follows_the_job_into_functions_of_the_script) {
    for (const std::string_view define :
         {"local function check(j) return j.nodes end", "function check(j) return j.nodes end",
          "check = function(j) return j.nodes end", "local check = function(j) return j.nodes end"})
        BOOST_TEST_CONTEXT(define) {
            BOOST_TEST(has(found(std::string(define), "check(job_desc)"), text::format("1: {}", no_nodes)));
            BOOST_TEST(found(std::string(define), "check({ nodes = 1 })") == "");
            BOOST_TEST(found(std::string(define), "check(job_desc) check({ nodes = 1 })") == "");
            BOOST_TEST(found(std::string(define), "check(job_desc) other(check)") == "");
            BOOST_TEST(found(std::string(define), "") == "");
        }
    BOOST_TEST(has(found("function inner(k) return k.nodes end function outer(n, j) return inner(j) end",
                         "outer(1, job_desc)"),
                   no_nodes));
}

BOOST_AUTO_TEST_CASE(a_global_function_with_two_values_is_not_followed) {
    const std::string first = "function check(j) return j.nodes end ";
    BOOST_TEST(found(first + "function check(j) return 1 end", "check(job_desc)") == "");
    BOOST_TEST(found(first, "check = nil check(job_desc)") == "");
    BOOST_TEST(found("local check " + first, "check(job_desc)") == "");
    BOOST_TEST(found("lib = {} function lib.check(j) return j.nodes end", "lib.check(job_desc)") == "");
}

BOOST_AUTO_TEST_CASE(a_parameter_with_the_job_s_name_is_the_job) {
    BOOST_TEST(has(found("lib = {} function lib.check(job_desc) return job_desc.nodes end", ""), no_nodes));
    BOOST_TEST(found("function read(job_desc) local job_desc = {} return job_desc.nodes end", "") == "");
}

BOOST_AUTO_TEST_CASE(finds_a_field_that_is_named_by_a_text) {
    BOOST_TEST(has(found("", "return job_desc['nodes']"), no_nodes));
    BOOST_TEST(has(found("", "local j = job_desc j['num_gpus'] = 1"), "'num_gpus', so this sets nothing"));
    BOOST_TEST(found("", "return job_desc['min_nodes']") == "");
    BOOST_TEST(found("", "return job_desc[name]") == "");
}

BOOST_AUTO_TEST_CASE(follows_the_job_before_a_change) {
    const auto changed = [](const std::string& body) {
        return findings_in("local function state(r) return r.gres_used end\n"
                           "function slurm_job_submit(job_desc) return 0 end\n"
                           "function slurm_job_modify(job_desc, rec) " +
                           body + " return 0 end");
    };
    BOOST_TEST(has(changed("state(rec)"), "1: job_rec.gres_used cannot be read here: the call fails"));
    BOOST_TEST(has(changed("local r = rec return r.job_stat"), "job_rec has no field 'job_stat'"));
    BOOST_TEST(has(changed("state(job_desc)"), "1: job_desc has no field 'gres_used'"));
    BOOST_TEST(changed("local r = rec return r.account") == "");
}

BOOST_AUTO_TEST_CASE(setmetatable_of_another_name_of_the_job_is_found) {
    BOOST_TEST(has(found("", "local j = job_desc setmetatable(j, {})"), "setmetatable of j fails"));
    BOOST_TEST(found("", "local j = {} setmetatable(j, {})") == "");
}

BOOST_AUTO_TEST_CASE(follows_texts_into_functions_that_reach_the_host) {
    const std::string capture =
        "local function capture(cmd, mode) local f = io.popen(cmd) return f:read() end";
    BOOST_TEST(has(found(capture, "\n\ncapture('squeue -h')"), "5: io.popen: 'squeue -h': slurmctld waits"));
    BOOST_TEST(has(found(capture, "capture('squeue -u ' .. job_desc.user_id)"), "io.popen: 'squeue -u '"));
    BOOST_TEST(has(found(capture, "capture 'squeue -h'"), "io.popen: 'squeue -h'"));
    BOOST_TEST(found(capture, "capture('id -nu 5')") == "");
    BOOST_TEST(found(capture, "capture(job_desc.comment, 'squeue')") == "");
    BOOST_TEST(has(found(capture + " function ask(who, what) return capture(what) end", "ask(1, 'sinfo')"),
                   "io.popen: 'sinfo'"));
    BOOST_TEST(has(found("function add(path, line) io.open(path, 'a'):write(line) end", "add('x', 'y')"),
                   "io.open: a script cannot write files"));
    BOOST_TEST(has(found("function get(path) return io.open(path):read('a') end", "get('/etc/hosts')"),
                   "io.open: /etc/hosts is not among"));
    BOOST_TEST(found("function get(path) return io.open(path):read('a') end", "get('allow.txt')") == "");
}

BOOST_AUTO_TEST_CASE(functions_that_call_themselves_are_followed_once) {
    const std::string again = "function run(cmd) if cmd then io.popen(cmd) end return run(cmd) end";
    BOOST_TEST(has(found(again, "run('sinfo')"), "io.popen: 'sinfo'"));
    BOOST_TEST(found(again, "run('hostname')") == "");
}

BOOST_AUTO_TEST_CASE(other_names_of_functions_that_reach_the_host_are_found) {
    BOOST_TEST(has(found("local popen = io.popen", "popen('sinfo')"), "io.popen: 'sinfo'"));
    BOOST_TEST(found("local popen = io.popen", "popen('hostname')") == "");
    BOOST_TEST(found("local popen = io.popen popen = print", "popen('sinfo')") == "");
    BOOST_TEST(has(found("local load = dofile function get(name) return load(name) end", "get('/x.lua')"),
                   "dofile: /x.lua is not among"));
}

BOOST_AUTO_TEST_SUITE_END()
