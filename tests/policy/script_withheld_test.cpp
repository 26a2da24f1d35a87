// SPDX-License-Identifier: GPL-2.0-or-later
//
// What qosgate does not give to a script for job_submit/lua, and that no pcall of the script hides it.
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>
#include <vector>

using namespace qg;
using test::has;
using test::script_with;
using test::ScriptSetup;

namespace {

/// What a script with this body tells, or why it fails.
std::string told(const std::string& body, test::Texts files = {}) {
    files.emplace_back(test::script_name, script_with(body));
    return ScriptSetup(files).told();
}

/// Calls, and what is said of what they ask for.
const std::vector<std::pair<std::string, std::string>> withheld{
    {"dofile, '/opt/x.lua'",
     "dofile: /opt/x.lua is not among the files that the script may read; add "
     "compat_files = { \"/opt/x.lua\" } to site{} in site.lua, or copy it to qosgate.d/compat, and let the "
     "script name it \"x.lua\""},
    {"loadfile, '/opt/x.lua'", "loadfile: /opt/x.lua is not among the files"},
    {"io.open, '/opt/x.txt'", "io.open: /opt/x.txt is not among the files"},
    {"io.lines, '/opt/x.txt'", "io.lines: /opt/x.txt is not among the files"},
    {"io.open, 'x.txt', 'w'", "io.open: a script cannot write files"},
    {"io.popen, 'squeue -h'", "io.popen: 'squeue -h': slurmctld waits for the script"},
    {"io.popen, 'id x', 'w'", "io.popen: a script cannot write to a program"},
    {"io.popen, 'id -Gn eve'", "eve is not known yet"},
    {"require, 'posix'", "module 'posix' not found"},
    {"require, 'programs'", "compat/programs.lua:1: os.execute: slurmctld waits"},
    {"dofile, 'programs.lua'", "compat/programs.lua:1: os.execute: slurmctld waits"},
    {"os['exe' .. 'cute'], 'true'", "os.execute: slurmctld waits for the script"},
    {"os['re' .. 'move'], '/tmp/x'", "os.remove: a script cannot write files"},
    {"function() return io.open('long'):read('*a') end", "more than 65536 bytes cannot be read at once"},
    {"function() return job_desc.user_name end", "the name is not known"},
    {"function() job_desc.account = 'bio' end", "the account cannot be set"},
    {"function() kept = kept or part_list.main return kept.max_time end",
     "a partition of an earlier call cannot be read"},
};

} // namespace

BOOST_AUTO_TEST_SUITE(script_withheld)

BOOST_AUTO_TEST_CASE(the_script_cannot_catch_what_is_withheld) {
    const test::Texts files{{"compat/long", std::string(70'000, 'x')},
                            {"compat/programs.lua", "os.execute('true')"}};
    for (const auto& [call, why] : withheld)
        for (const std::string& body : {"pcall(" + call + ")", "pcall(pcall, " + call + ")",
                                        "xpcall(function() return pcall(" + call + ") end, print)"})
            BOOST_TEST_CONTEXT(body) {
                test::Texts all = files;
                all.emplace_back(test::script_name,
                                 script_with("local f, g = " + body + " slurm.log_user('went on')"));
                ScriptSetup setup(all);
                setup.run(); // keeps a partition
                const auto outcome = setup.run();

                BOOST_TEST_REQUIRE(outcome.failure.has_value());
                BOOST_TEST(has(outcome.failure->message, why));
                BOOST_TEST(outcome.failure->message.starts_with("compat/"));
                BOOST_TEST(outcome.message.value_or("") == "");
            }
}

BOOST_AUTO_TEST_CASE(the_script_catches_what_would_fail_under_slurm_too) {
    const test::Texts files{{"compat/fails.lua", "error('none')"},
                            {"compat/bad.lua", "x x"},
                            {"site.lua", "site { compat_files = { '/opt/lists' } }"}};
    for (const std::string call :
         {"error, 'x'", "dofile, 'none.lua'", "dofile, '/opt/lists/none.lua'", "io.lines, '/opt/lists/none'",
          "dofile, 'bad.lua'", "require, 'fails'", "require, 'bad'", "require, 5 .. {}", "io.open, {}",
          "io.open, 'x', 'q'", "function() job_desc.time_limit = {} end", "setmetatable, job_desc, {}"})
        BOOST_TEST_CONTEXT(call) {
            const std::string argument = call == "require, 5 .. {}" ? "function() return 5 .. {} end" : call;
            BOOST_TEST(told("slurm.log_user('%s', tostring((pcall(" + argument + "))))", files) == "false");
        }
    BOOST_TEST(told("slurm.log_user('%s', tostring(select(2, pcall(io.open, '/opt/lists/none'))))", files) ==
               "nil");
}

BOOST_AUTO_TEST_CASE(a_file_that_fails_says_that_a_module_is_not_there) {
    const std::string body = "slurm.log_user('%s', tostring((pcall(require, 'posix'))))";

    BOOST_TEST(
        has(told(body),
            "if the script does without it, write the line error(\"none\") into qosgate.d/compat/posix.lua"));
    BOOST_TEST(told(body, {{"compat/posix.lua", "error(\"none\")"}}) == "false");
}

BOOST_AUTO_TEST_CASE(a_script_does_not_load_without_what_it_asks_for_meanwhile) {
    for (const auto& [call, why] :
         {std::pair<std::string, std::string>{"dofile, '/opt/x.lua'", "/opt/x.lua is"},
          {"require, 'posix'", "module 'posix' not found"},
          {"io.popen, 'id -un ana'", "users and groups are known only while"}})
        BOOST_TEST_CONTEXT(call) {
            const std::string source = "local ok, m = pcall(" + call + ")\n" + script_with("");
            const std::string error = test::load_error({{test::script_name, source}});

            BOOST_TEST(has(error, "compat/job_submit.lua:1: "));
            BOOST_TEST(has(error, why));
        }
    BOOST_TEST(test::load_error({{test::script_name, "pcall(dofile, 'x.lua')\n" + script_with("")}}) == "");
}

BOOST_AUTO_TEST_CASE(hidden_files_are_not_missing_but_withheld) {
    const test::Texts files{
        {"site.lua",
         "site { compat_files = { '/opt/lists', '/opt/.d', '/opt/lists/.named', '/opt/k/.none' } }"},
        {"/opt/lists/a", "A"},
        {"/opt/.d/b", "B"},
        {"/opt/lists/.named", "N"}};
    const auto read = [&](const std::string& path) {
        return told("local p = '" + path +
                        "' .. '' local ok, f, why = pcall(io.open, p) "
                        "slurm.log_user('%s', f and f:read('*a') or why)",
                    files);
    };

    for (const std::string path :
         {"/opt/lists/.token", "/opt/lists/a~", "/opt/lists/.git/x", "/opt/.d/.x", ".token", "a~",
          "../data/list.txt", "/x/qosgate.d/compat/.token", "/x/qosgate.d/lib/util.txt"})
        BOOST_TEST_CONTEXT(path) {
            BOOST_TEST(has(read(path), path + " is not among the files that the script may read"));
        }
    BOOST_TEST(has(read("/opt/lists/.token"),
                   "with its whole path: hidden files and x~ are not read with their directory"));
    BOOST_TEST(read("/opt/lists/a") == "A");
    BOOST_TEST(read("/opt/.d/b") == "B");
    BOOST_TEST(read("/opt/lists/.named") == "N");
    BOOST_TEST(read("/opt/k/.none") == "/opt/k/.none: No such file or directory");
    BOOST_TEST(read("./none.txt") == "./none.txt: No such file or directory");
    BOOST_TEST(read("../data/none.csv") == "../data/none.csv: No such file or directory");
}

BOOST_AUTO_TEST_CASE(the_next_call_is_not_affected) {
    ScriptSetup setup(
        {{test::script_name, script_with("calls = (calls or 0) + 1 "
                                         "if calls == 1 then pcall(dofile, '/opt/x.lua') end "
                                         "slurm.log_user('%d %s', calls, tostring((pcall(error, 'x'))))")}});

    BOOST_TEST(setup.run().failure.has_value());
    BOOST_TEST(setup.told() == "2 false");
}

BOOST_AUTO_TEST_SUITE_END()
