// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a script for job_submit/lua does not get, because it reaches the host.
#include "support/script_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <map>
#include <string>

using namespace qg;

BOOST_AUTO_TEST_SUITE(script_host_access)

namespace {

constexpr const char* file_name = "compat/job_submit.lua";

std::string with_body(const std::string& body, const std::string& before = {}) {
    return test::script_with(body, before);
}

std::string told_by(const std::string& body) {
    return test::ScriptSetup({{file_name, with_body(body)}}).told();
}

} // namespace

BOOST_AUTO_TEST_CASE(what_reaches_the_host_does_not_load) {
    for (const auto& [call, words] : std::map<std::string, std::string>{
             {"io.popen('squeue -u ' .. submit_uid)",
              "io.popen: 'squeue -u ': slurmctld waits for the script"},
             {"io.popen('id; reboot')", "io.popen: 'id; reboot': slurmctld waits"},
             {"io.popen(string.format('sacctmgr -n show user %s', 'x'))",
              "io.popen: 'sacctmgr -n show user ': "},
             {"os.execute('true')", "os.execute: slurmctld waits"},
             {"io.open('/etc/passwd')",
              "io.open: /etc/passwd is not among the files that the script may read; "
              "add compat_files = { \"/etc/passwd\" } to site{} in site.lua, or copy it to qosgate.d/compat, "
              "and let the script name it \"passwd\""},
             {"io.open('/etc/slurm/qosgate.d/compat/../../../passwd', 'r')", "io.open: /etc/"},
             {"io.open('../site.lua')", "io.open: ../site.lua is not among"},
             {"io.open('log', 'a')", "io.open: a script cannot write files"},
             {"io.open('log', 'r+')", "io.open: a script cannot write files"},
             {"for l in io.lines('/x') do end", "io.lines: /x is not among"},
             {"dofile('/x')", "dofile: /x is not among"},
             {"require 'posix'", "require: 'posix' is a module in C"},
             {"require('cjson.safe')", "require: 'cjson' is a module in C"},
             {"io.read()", "io.read: slurmctld has no input"},
             {"os.exit()", "os.exit: a script cannot end slurmctld"}}) {
        const std::string error = test::load_error({{file_name, with_body(call)}});

        BOOST_TEST(error.starts_with("compat/job_submit.lua:2: " + words), error);
    }
    BOOST_TEST(test::load_error(
                   {{file_name, with_body("local my = { open = 1 } slurm.log_info('io', my.io)")}}) == "");
    BOOST_TEST(test::load_error({{file_name, with_body("io.open('allow.txt')")}}) == "");
    BOOST_TEST(test::load_error({{"site.lua", "site { compat_files = { '/etc/slurm/x' } }"},
                                 {file_name, with_body("io.open('/etc/slurm/x/y') io.popen('id -nu 5')")}}) ==
               "");
}

BOOST_AUTO_TEST_CASE(what_reaches_the_host_by_another_name_fails) {
    BOOST_TEST(told_by("local x = os local y = x.execute y('true')").find("os.execute: slurmctld waits") !=
               std::string::npos);
    BOOST_TEST(
        told_by("local f = loadstring('return io' .. '.open') f()('/x')").find("io.open: /x is not among") !=
        std::string::npos);
    BOOST_TEST(
        told_by("local name = '/etc/' .. 'passwd' io.open(name)").find("io.open: /etc/passwd is not") !=
        std::string::npos);
    BOOST_TEST(told_by("local mode = 'w' io.open('x', mode)").find("a script cannot write files") !=
               std::string::npos);
    BOOST_TEST(told_by("local c = 'reb' .. 'oot' io.popen(c)").find("io.popen: 'reboot': slurmctld waits") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_program_behind_a_value_does_not_load) {
    for (const auto& [call, bad] : std::map<std::string, std::string>{
             {"io.popen('id -nG ' .. job_desc.user_id .. ' | sort')", "'| sort'"},
             {"io.popen(\"id -nG '\" .. job_desc.user_id .. \"' | tr ' ' ',' | sort -u\")",
              "'| tr ' ' ',' | sort -u'"},
             {"io.popen('id -nG ' .. tostring(f(1, 2)) .. ' | head -c 5')", "'| head -c 5'"},
             {"io.popen(string.format('id -nG %s | grep x', 'y'))", "'| grep x'"},
             {"io.popen(string.format(\"id -nG '%s' | wc -l\", 'y'))", "'| wc -l'"}}) {
        const std::string error = test::load_error({{file_name, with_body(call)}});
        BOOST_TEST(error.starts_with("compat/job_submit.lua:2: io.popen: " + bad + ": slurmctld waits"),
                   error);
    }
    for (const char* call : {"io.popen('getent passwd ' .. x .. ' | cut -d: -f' .. y .. '')",
                             "io.popen('id -nG ' .. x)", "io.popen('id -nG ' .. x .. ' 2>/dev/null')"})
        BOOST_TEST(test::load_error({{file_name, with_body(call)}}) == "", call);
}

BOOST_AUTO_TEST_SUITE_END()
