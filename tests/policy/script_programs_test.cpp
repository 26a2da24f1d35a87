// SPDX-License-Identifier: GPL-2.0-or-later
//
// What io.popen of a script for job_submit/lua answers, and what becomes of what it writes.
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

#include <map>

using namespace qg;
using test::has;
using test::script_with;
using test::ScriptSetup;

namespace {

/// What a script with this body tells, with these files.
std::string told_of(const std::string& body, test::Texts files = {}) {
    files.emplace_back(test::script_name, script_with(body));
    return ScriptSetup(files).told();
}

/// The output of a command line, and the status behind it if it is not 0; or the error.
std::string answer(const std::string& command, const test::Texts& files = {}) {
    return told_of("local c = [[" + command +
                       "]] .. '' local f = io.popen(c) local t = { f:read('*a') } local ok, how, code "
                       "= f:close() slurm.log_user('%s%s', t[1], ok and code == 0 and '' or ' ' .. code)",
                   files);
}

/// The error of loading a script with a literal command line, or with the beginning of one.
std::string load(const std::string& command, test::Texts files = {}, const std::string& behind = "") {
    const std::string quote = has(command, "'") ? "\"" : "'";
    files.emplace_back(test::script_name, script_with("io.popen(" + quote + command + quote + behind + ")"));
    return test::load_error(files);
}

} // namespace

BOOST_AUTO_TEST_SUITE(script_programs)

BOOST_AUTO_TEST_CASE(programs_about_users_are_answered) {
    const auto run = [](const std::string& command) { return answer(command); };

    for (const auto& [command, output] : std::map<std::string, std::string>{
             {"id -nu 1000", "ana\n"},
             {"id -un 1000", "ana\n"},
             {"/usr/bin/id -u -n '1000' 2>/dev/null", "ana\n"},
             {"id -u ana", "1000\n"},
             {"id -Gn ana", "staff gpu\n"},
             {"id -nG 1000", "staff gpu\n"},
             {"id -G ana", "50 60\n"},
             {"id -gn ana", "staff\n"},
             {"id -g ana", "50\n"},
             {"id ana", "uid=1000(ana) gid=50(staff) groups=50(staff),60(gpu)\n"},
             {"groups ana", "ana : staff gpu\n"},
             {"getent passwd ana", "ana:x:1000:50:Ana B:/home/ana:/bin/bash\n"},
             {"getent passwd 1000", "ana:x:1000:50:Ana B:/home/ana:/bin/bash\n"},
             {"getent group gpu", "gpu:x:60:ana,joe\n"},
             {"id -u nobody-here", " 1"},
             {"id -nu 4711", " 1"},
             {"getent passwd nobody-here", " 2"},
             {"getent group none", " 2"},
             {"id -Gn joe", "70\n 1"}})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(run(command) == output);
        }
    for (const std::string command : {"squeue",
                                      "id",
                                      "id -Z ana",
                                      "id ana; reboot",
                                      "id `reboot`",
                                      "id $(reboot)",
                                      "getent hosts x",
                                      "getent passwd",
                                      "id -nu 1000 > /tmp/x",
                                      "id ana ben",
                                      "id ana | sh",
                                      "id ana | cut -c1",
                                      "id \"$USER\"",
                                      "id 'ana",
                                      "id a*",
                                      "id 'ana'x",
                                      "id 'a n a'",
                                      "id ana 2>/tmp/x",
                                      "id -Gn ana2>/dev/null",
                                      "id ana | cut -d: -f1",
                                      "getent passwd 1000 | cut -d: -f1",
                                      "id -Gn ana | tr ' ' '\\n'",
                                      "hostname",
                                      "uname -n",
                                      "ls /etc/slurm",
                                      "cat allow.txt",
                                      "|",
                                      ""})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(has(run(command), "slurmctld waits for the script"));
            if (!command.empty()) BOOST_TEST(has(load(command), "slurmctld waits for the script"));
        }
    BOOST_TEST(has(run("id -Gn eve"), "eve is not known yet"));
    BOOST_TEST(has(run("id -nu 1000 " + std::string(1024, ' ')), "slurmctld waits"));
}

BOOST_AUTO_TEST_CASE(users_are_not_known_while_the_script_is_loaded) {
    BOOST_TEST(has(test::load_error({{test::script_name, script_with("", "io.popen('id -nu 1000') ")}}),
                   "io.popen: users and groups are known only while a job is submitted"));
}

BOOST_AUTO_TEST_CASE(a_script_tells_whether_it_asks_for_users) {
    const auto asks = [](const std::string& body, const test::Texts& files = {}) {
        test::Texts all = files;
        all.emplace_back(test::script_name, script_with(body));
        return ScriptSetup(all).policy->script()->asks_for_users();
    };

    BOOST_TEST(!asks("io.open('x')"));
    BOOST_TEST(asks("local p = io.popen"));
    BOOST_TEST(asks("", {{"compat/m.lua", "return io.popen"}}));
}

BOOST_AUTO_TEST_CASE(a_file_stands_for_the_output_of_a_program) {
    const test::Texts files{{"site.lua", "site { compat_files = { '/var/lib/site' }, compat_programs = {"
                                         " '/usr/local/bin/quota.sh -a  > quota.txt',"
                                         " 'sacctmgr -nP show user * > /var/lib/site/users/*',"
                                         " 'sinfo -h | grep idle > idle', 'gone > gone.txt',"
                                         " 'secret > /etc/shadow', 'full > full', 'large > large',"
                                         " 'getent passwd * | cut -d: -f6 > /var/lib/site/homes/*' } }"},
                            {"/var/lib/site/homes/ana", "/home/ana\n"},
                            {"compat/quota.txt", "ana:5\nben:7\n"},
                            {"compat/full", std::string(65536, 'x')},
                            {"compat/large", std::string(65537, 'x')},
                            {"compat/idle", "cpu\n"},
                            {"/var/lib/site/users/ana", "ana|astro\n"}};

    BOOST_TEST(answer("/usr/local/bin/quota.sh   -a ", files) == "ana:5\nben:7\n");
    BOOST_TEST(answer("sacctmgr -nP show user ana", files) == "ana|astro\n");
    BOOST_TEST(answer("sinfo -h | grep idle", files) == "cpu\n");
    BOOST_TEST(answer("getent passwd ana | cut -d: -f6", files) == "/home/ana\n");
    BOOST_TEST(told_of("slurm.log_user('%d', #io.popen('full'):read('*a'))", files) == "65536");
    BOOST_TEST(has(answer("large", files), "has more than 64 KiB to say"));
    BOOST_TEST(has(answer("sacctmgr -nP show user ben", files),
                   "compat_programs names /var/lib/site/users/ben for its output, which does not exist"));
    BOOST_TEST(has(answer("gone", files), "compat_programs names gone.txt"));
    BOOST_TEST(has(answer("secret", files), "compat_programs: /etc/shadow is not among the files"));
    for (const std::string command :
         {"/usr/local/bin/quota.sh", "/usr/local/bin/quota.sh -a -b", "/usr/local/bin/quota.sh -a; reboot",
          "/usr/local/bin/quota.sh -a | head -1", "sacctmgr -nP show user ../ana", "sacctmgr -nP show user",
          "sacctmgr -nP show user .ana", "sacctmgr -nP show user -i", "sacctmgr -nP show user a b",
          "sacctmgr -nP show user $(reboot)", "sinfo -h"})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(has(answer(command, files), "slurmctld waits for the script"));
            BOOST_TEST(has(load(command, files), "slurmctld waits for the script"));
        }
    BOOST_TEST(load("/usr/local/bin/quota.sh -a", files) == "");
    BOOST_TEST(load("sacctmgr -nP show user ", files, ".. job_desc.user_name") == "");
    BOOST_TEST(load("getent passwd ", files, ".. job_desc.user_name .. ' | cut -d: -f6'") == "");
    BOOST_TEST(has(load("id -Gn ", files, ".. job_desc.user_name .. ' | head -1'"), "slurmctld waits"));
    BOOST_TEST(load("/usr/local/bin/quota.sh ", files, ".. '-a'") == "");
    BOOST_TEST(has(load("sacctmgr -nP add user ", files, ".. job_desc.user_name"), "slurmctld waits"));
}

BOOST_AUTO_TEST_CASE(an_entry_of_compat_programs_has_a_command_and_a_file) {
    for (const std::string& entries :
         std::vector<std::string>{"'quota.sh'", "'> x'", "'x >'", "'x > dir/'", "'x * > y'", "'x > *'",
                                  "'a * * > b/*'", "7", "'x > " + std::string(1000, 'y') + "'", "'a\\n > b'"})
        BOOST_TEST_CONTEXT(entries) {
            BOOST_TEST(has(test::load_error({{"site.lua", "site { compat_programs = { " + entries + " } }"}}),
                           "setting 'compat_programs'"));
        }
    const auto load_with = [](int count) {
        std::string entries;
        for (int i = 0; i < count; ++i)
            entries += "'x > y', ";
        return test::load_error({{"site.lua", "site { compat_programs = { " + entries + " } }"}});
    };
    BOOST_TEST(load_with(32) == "");
    BOOST_TEST(has(load_with(33), "more than 32 entries"));
}

BOOST_AUTO_TEST_CASE(the_log_gets_what_a_script_writes_if_the_site_says_so) {
    const std::string log = "site { compat_writes = 'log' }";
    const auto run = [&](const std::string& body) {
        return ScriptSetup({{"site.lua", log}, {test::script_name, script_with(body)}}).run();
    };
    const auto lines = [&](const std::string& body) {
        std::string joined;
        const auto outcome = run(body);
        for (const auto& line : outcome.lines)
            joined += line.text + "|";
        return joined + (outcome.failure ? outcome.failure->message : std::string());
    };

    BOOST_TEST(lines("local f = io.open('/var/log/jobs.log', 'a') f:write('job of ', 1000, '\\n') "
                     "f:write('x'):write('y') f:close()") ==
               "lua: /var/log/jobs.log: job of 1000|lua: /var/log/jobs.log: x|lua: /var/log/jobs.log: y|");
    BOOST_TEST(lines("local p, m = 'x', 'wb' io.open(p, m):write('1')") == "lua: x: 1|");
    BOOST_TEST(has(lines("local f = io.open('x', 'w') f:close() f:write('1')"), "closed file"));
    BOOST_TEST(lines("io.stderr:close() io.stderr:write('still')") == "lua: still|");
    BOOST_TEST(lines("slurm.log_info('%s', select(2, io.open('x', 'w'):read()))") ==
               "lua: Bad file descriptor|");
    BOOST_TEST(
        lines("local ok, why, n = os.remove('/tmp/x') slurm.log_info('%s %s %d', tostring(ok), why, n)") ==
        "lua: nil /tmp/x: Read-only file system 30|");
    BOOST_TEST(has(lines("local m = 'r' .. '+' io.open('x', m)"), "a script cannot write files"));
    for (const std::string& site : {std::string("site {}"), log})
        for (const std::string call : {"io.open('x', 'a')", "os.remove('x')", "os.rename('x', 'y')"})
            BOOST_TEST_CONTEXT(site + call) {
                const std::string error =
                    test::load_error({{"site.lua", site}, {test::script_name, script_with(call)}});
                BOOST_TEST(has(error, "a script cannot write files") == (site != log), error);
            }
    BOOST_TEST(has(told_of("local o = os o.remove('x')"), "os.remove: a script cannot write files"));
    BOOST_TEST(has(test::load_error({{"site.lua", "site { compat_writes = 'yes' }"}}),
                   "setting 'compat_writes' cannot be \"yes\": write \"error\" or \"log\""));
}

BOOST_AUTO_TEST_SUITE_END()
