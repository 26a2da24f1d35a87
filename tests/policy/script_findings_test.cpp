// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the check of a script for job_submit/lua follows: the job in other names and in helper functions, and
// texts on their way to a function that reaches the host.
#include "qosgate/policy/compat/script_findings.hpp"

#include "qosgate/base/text.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <limits>
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

BOOST_AUTO_TEST_CASE(finds_names_that_slurm_does_not_have) {
    BOOST_TEST(found("", "slurm.log_usr('x')") ==
               "3: slurm has no 'log_usr', so this is nil; did you mean log_user?\n");
    BOOST_TEST(has(found("", "return slurm.ESLURM_INVALID_QSO"),
                   "slurm has no 'ESLURM_INVALID_QSO', so this is nil; did you mean ESLURM_INVALID_QOS?"));
    BOOST_TEST(found("", "slurm.log_user('x') slurm.log_debug4('x') slurm.user_msg('x') "
                         "return slurm.ESLURM_INVALID_QOS + slurm.NO_VAL64 + slurm.CLUSTER_NAME") == "");
    BOOST_TEST(has(found("", "return slurm.jobs"), "slurm.jobs is a copy"));
    // What the script makes itself, and other tables of that name.
    BOOST_TEST(found("slurm.mine = 1", "return slurm.mine") == "");
    BOOST_TEST(found("function slurm.mine() end", "slurm.mine()") == "");
    BOOST_TEST(found("", "local slurm = { mine = 1 } return slurm.mine") == "");
    BOOST_TEST(found("", "return other.slurm.mine") == "");
    for (const std::string_view extends :
         {"slurm.mine, slurm.other = 1, 2", "slurm['mine'] = 1", "rawset(slurm, 'mine', 1)",
          "local s = slurm s.mine = 1", "setmetatable(slurm, {})", "slurm = { mine = 1 }",
          "require('helpers')", "if slurm.mine then end", "local v = slurm.mine or 1",
          "if not slurm.mine then end", "if slurm.mine ~= nil then end"})
        BOOST_TEST_CONTEXT(extends)
    BOOST_TEST(found(std::string(extends), "return slurm.mine") == "");
    BOOST_TEST(found("", "return slurm.SLURM_SUCCESS + slurm.ESPANK_ERROR") == "");
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
    BOOST_TEST(found(again, "run('id -un 0')") == "");
}

BOOST_AUTO_TEST_CASE(other_names_of_functions_that_reach_the_host_are_found) {
    BOOST_TEST(has(found("local popen = io.popen", "popen('sinfo')"), "io.popen: 'sinfo'"));
    BOOST_TEST(found("local popen = io.popen", "popen('id -un 0')") == "");
    BOOST_TEST(found("local popen = io.popen popen = print", "popen('sinfo')") == "");
    BOOST_TEST(has(found("local load = dofile function get(name) return load(name) end", "get('/x.lua')"),
                   "dofile: /x.lua is not among"));
}

BOOST_AUTO_TEST_CASE(reads_literals_as_lua_does) {
    for (const std::string_view literal : {"'sinfo -h'", "\"sinfo -h\"", "[[sinfo -h]]", "[==[\nsinfo -h]==]",
                                           "'sinfo\\32-h'", "'sinfo\\x20-h'", "'sinfo \\z  \n -h'",
                                           "('sinfo -h')", "'sin' .. 'fo -h'", "('sinfo' .. ' ') .. '-h'"})
        BOOST_TEST_CONTEXT(literal) {
            BOOST_TEST(
                has(found("", text::format("io.popen({})", literal)), "io.popen: 'sinfo -h': slurmctld"));
        }
    BOOST_TEST(has(found("", "io.popen('sinfo \\\n-h')"), "3: io.popen: 'sinfo "));
    BOOST_TEST(has(found("", "io.popen(\"sacct \\\r\n -u x\")"), "io.popen: 'sacct "));
    BOOST_TEST(found("", "io.popen('id -un \\z\n 0')") == "");
    BOOST_TEST(found("", "io.popen([[id -un 0]])") == "");
    BOOST_TEST(found("", "io.open('allow\\.txt')") == "");
    BOOST_TEST(found("", "io.popen(('x'):rep(3))") == "");
    BOOST_TEST(found("", "io.popen(#'sinfo' .. x)") == "");
}

BOOST_AUTO_TEST_CASE(the_time_of_long_and_nested_expressions_is_linear) {
#if defined(__SANITIZE_ADDRESS__)
    constexpr int part = 40; // of the length: this code is that much slower
#else
    constexpr int part = 1;
#endif
    struct Expression {
        const char* unit;
        int times;
        const char* rest = "";
    };
    for (const Expression& each :
         {Expression{"io.open(", 20'000}, Expression{"io.open('a' .. ", 20'000}, Expression{"(", 100'000},
          Expression{"io.popen(string.format(", 20'000}, Expression{"a .. ", 50'000},
          Expression{"io.open(a .. a .. a .. a) ", 5'000}, Expression{"a = a .. a ", 10'000, "io.open(a)"}}) {
        const auto seconds_for = [&each](int times) { // of the fastest of some runs: other work only adds
            std::string source = "a = b .. b b = c .. c c = '' .. '' ";
            for (int i = 0; i < times / part; ++i)
                source += each.unit;
            double fastest = std::numeric_limits<double>::max();
            for (int run = 0; run < 2; ++run) {
                const double start = test::cpu_seconds();
                findings_in(source + each.rest);
                fastest = std::min(fastest, test::cpu_seconds() - start);
            }
            return fastest;
        };
        // Four times as long takes four times as long; 16 times if the square of the length mattered.
        constexpr double too_short_to_measure = 0.01;
        const double quarter = std::max(seconds_for(each.times / 4), too_short_to_measure);
        BOOST_TEST_CONTEXT(each.unit) {
            BOOST_TEST(seconds_for(each.times) < 10 * quarter);
        }
    }
}

BOOST_AUTO_TEST_CASE(names_the_program_in_front_of_what_is_not_known) {
    for (const std::string_view value :
         {"'sacct -u ' .. x", "string.format('sacct -u %s', x)", "('sacct -u %s'):format(x)",
          "'sac' .. 'ct -u ' .. x", "'sacct' .. string.format(' -u %s', x)"}) {
        BOOST_TEST_CONTEXT(value) {
            const std::string in_call = found("", text::format("io.popen({})", value));
            const std::string by_name =
                found("", text::format("local cmd = {}\nlocal f = io.popen(cmd)", value));
            const std::string later =
                found("", text::format("local cmd cmd = {}\nreturn io.popen(cmd, 'r')", value));
            const std::string joined =
                found("", text::format("local cmd = {}\nio.popen(cmd .. ' 2>&1')", value));
            BOOST_TEST(has(in_call, "3: io.popen: 'sacct -u ': slurmctld waits"));
            for (const std::string& all : {by_name, later, joined})
                BOOST_TEST(has(all, "4: io.popen: 'sacct -u ': slurmctld waits"));
        }
    }
    BOOST_TEST(has(found("local LIST = 'sacct -u %s'", "io.popen(LIST:format(x))"), "io.popen: 'sacct -u '"));
    BOOST_TEST(
        has(found("LIST = 'sacct -u %s'", "io.popen(string.format(LIST, x))"), "io.popen: 'sacct -u '"));
    BOOST_TEST(found("", "local cmd = 'id -nG ' .. x io.popen(cmd .. ' 2>&1')") == "");
    BOOST_TEST(has(found("", "local cmd = 'id -nG ' .. x .. ' | sort' io.popen(cmd)"), "'| sort'"));
    BOOST_TEST(found("", "local cmd = x .. 'sacct' io.popen(cmd)") == "");
    BOOST_TEST(found("", "local cmd = 'sacct' if x then cmd = 'id 5' end io.popen(cmd)") == "");
    BOOST_TEST(found("", "local cmd = f or 'sacct' io.popen(cmd)") == "");
    BOOST_TEST(found("cmd = 'sacct' function f(cmd) io.popen(cmd) end", "f(x)") == "");
    BOOST_TEST(found("t = { cmd = 'sacct' }", "io.popen(cmd)") == "");
    BOOST_TEST(found("", "local a, cmd = 'sacct', 'id 5' io.popen(cmd)") == "");
    BOOST_TEST(found("", "local cmd = 'sacct' cmd, a = f() io.popen(cmd)") == "");
    BOOST_TEST(found("", "local cmd = 'sacct' a, cmd = f() io.popen(cmd)") == "");
    BOOST_TEST(has(found("", "local cmd = 'sacct' print(a, cmd, b) io.popen(cmd)"), "io.popen: 'sacct'"));
    BOOST_TEST(found("", "for cmd = 1, 2 do io.popen(cmd) end for _, cmd in pairs(t) do io.popen(cmd) end") ==
               "");
}

BOOST_AUTO_TEST_CASE(finds_paths_that_constants_make) {
    for (const std::string_view before :
         {"DIR = '/opt/site'", "local DIR = '/opt/site'", "local DIR <const> = '/opt/site'",
          "local ROOT = '/opt'\nDIR = ROOT .. '/site'", "local DIR = string.format('/opt/site')"})
        BOOST_TEST_CONTEXT(before) {
            const std::string define(before);
            BOOST_TEST(
                has(found(define, "dofile(DIR .. '/util.py')"), "dofile: /opt/site/util.py is not among"));
            BOOST_TEST(
                has(found(define, "io.open(DIR .. '/' .. 'x', 'r')"), "io.open: /opt/site/x is not among"));
            BOOST_TEST(has(found(define, "local p = DIR .. '/x' for l in io.lines(p) do end"),
                           "io.lines: /opt/site/x is not among"));
            BOOST_TEST(
                has(found(define, "io.popen(DIR .. '/util.py ' .. x)"), "io.popen: '/opt/site/util.py '"));
            BOOST_TEST(found(define, "dofile(DIR .. x)") == "");
            BOOST_TEST(found(define, "dofile(DIR .. '/' .. x .. '.lua')") == "");
            BOOST_TEST(found(define, "DIR = x dofile(DIR .. '/util.py')") == "");
        }
    BOOST_TEST(found("local DIR = '.'", "dofile(DIR .. '/util.lua')") == "");
    BOOST_TEST(found("local t = { DIR = '/opt' }", "dofile(t.DIR .. '/util.lua') dofile(DIR .. '/x')") == "");
    BOOST_TEST(has(found("", "io.open('/var/log/' .. x, 'a')"), "io.open: a script cannot write files"));
    BOOST_TEST(has(found("", "io.open(x, 'a')"), "io.open: a script cannot write files"));
    BOOST_TEST(found("", "io.open(x, 'r')") == "");
}

BOOST_AUTO_TEST_CASE(finds_protected_calls) {
    BOOST_TEST(
        has(found("", "local ok, m = pcall(dofile, '/opt/x.lua')"), "3: dofile: /opt/x.lua is not among"));
    BOOST_TEST(has(found("local P = '/opt/'", "pcall(io.open, P .. 'x.txt', 'r')"),
                   "io.open: /opt/x.txt is not among"));
    BOOST_TEST(has(found("", "pcall(io.open, x, 'w')"), "io.open: a script cannot write files"));
    BOOST_TEST(has(found("", "pcall(io.popen, 'sinfo')"), "io.popen: 'sinfo': slurmctld"));
    BOOST_TEST(
        has(found("", "xpcall(dofile, debug.traceback, '/opt/x.lua')"), "dofile: /opt/x.lua is not among"));
    BOOST_TEST(found("", "pcall(dofile, 'x.lua')") == "");
    BOOST_TEST(found("", "pcall(dofile, x)") == "");
    BOOST_TEST(found("", "pcall(check, '/opt/x.lua') other(dofile, '/opt/x.lua') pcall(dofile)") == "");
}

BOOST_AUTO_TEST_CASE(follows_texts_into_members_of_tables) {
    for (const std::string define :
         {"function os.capture(cmd, raw) local f = assert(io.popen(cmd, 'r')) return f:read('*a') end",
          "os.capture = function(cmd) return io.popen(cmd) end"})
        BOOST_TEST_CONTEXT(define) {
            BOOST_TEST(has(found(define, "\nreturn os.capture('sinfo -h', false)"),
                           "4: io.popen: 'sinfo -h': slurmctld"));
            BOOST_TEST(has(found(define, "os.capture('sacct -u ' .. x)"), "io.popen: 'sacct -u '"));
            BOOST_TEST(found(define, "os.capture('id -nu 5') my.capture('sinfo') capture('sinfo')") == "");
            BOOST_TEST(found(define + " os.capture = print", "os.capture('sinfo')") == "");
        }
    const std::string method = "local M = {} function M:run(cmd) return io.popen(cmd) end ";
    BOOST_TEST(has(found(method, "M:run('sinfo')"), "io.popen: 'sinfo'"));
    BOOST_TEST(has(found(method + "function M:all() return self:run('sinfo') end", ""), "io.popen: 'sinfo'"));
    BOOST_TEST(found(method, "M.run('sinfo', 'x') other:run('sinfo')") == "");
    BOOST_TEST(found(method + "function N:run(x) end function N:all() self:run('sinfo') end", "") == "");
}

BOOST_AUTO_TEST_CASE(finds_fields_that_no_partition_has) {
    const auto in_script = [](const std::string& body, const std::string& before = {}) {
        return findings_in(before + "\nfunction slurm_job_submit(job_desc, parts)\n" + body +
                           "\nreturn 0 end" + with_modify);
    };
    const std::string no_priority =
        "a partition has no field 'priority', so this is always nil (did you mean 'priority_tier'?)";
    for (const std::string_view use : {"for name, part in pairs(parts) do\nif part.priority > 1 then end end",
                                       "local part = parts[job_desc.partition]\nif part.priority then end",
                                       "local x =\nparts.gpu.priority", "local x =\nparts['gpu'].priority",
                                       "local part = parts.gpu;\nreturn part.priority"})
        BOOST_TEST_CONTEXT(use) {
            const std::string all = in_script(std::string(use));
            BOOST_TEST(has(all, "4: a partition has no field 'priority', so this is always nil"));
        }
    BOOST_TEST(has(in_script("", "function pick(parts) for n, p in pairs(parts) do return p.nope end end"),
                   "1: a partition has no field 'nope'"));
    BOOST_TEST(
        has(findings_in("function slurm_job_submit() return 0 end function slurm_job_modify(j, r, list) "
                        "return list.gpu.nope end"),
            "has no field 'nope'"));
    BOOST_TEST(has(
        findings_in("function slurm_job_submit(job_desc, parts, uid) f(parts, uid) for n, p in pairs(parts) "
                    "do print(n, p, uid) if p.nope then end end return 0 end"),
        "has no field 'nope'"));
    for (const std::string_view use :
         {"local other other, parts = f() return parts.gpu.priority",
          "parts, other = f() return parts.gpu.priority",
          "for name, part in pairs(parts) do if part.priority_tier > 1 then end end",
          "for name, part in pairs(other) do if part.priority then end end",
          "local part = parts[1] part = {} return part.priority", "parts = {} return parts.gpu.priority",
          "local part = parts.gpu or {} return part.priority",
          "for name, part in pairs(parts) do part.seen = true end for n, p in pairs(parts) do if p.seen then "
          "end end"})
        BOOST_TEST_CONTEXT(use) {
            BOOST_TEST(!has(in_script(std::string(use)), "a partition has no field"));
        }
}

BOOST_AUTO_TEST_SUITE_END()
