// SPDX-License-Identifier: GPL-2.0-or-later
//
// What io.popen of a script for job_submit/lua answers, and what becomes of what it writes.
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

#include <array>
#include <map>

#include <unistd.h>

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

const test::Texts places{
    {"site.lua", "site { compat_files = { '/etc/slurm/rules.d' } }"},
    {"/etc/slurm/rules.d/20-b.lua", "b"},
    {"/etc/slurm/rules.d/10-a.lua", "a"},
    {"/etc/slurm/rules.d/notes.txt", "n\n"},
    {"/etc/slurm/rules.d/deep/x.lua", "x"},
    {"compat/allow.txt", "ana\nben\n"},
};

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
             {"getent passwd 1000 | cut -d: -f1", "ana\n"},
             {"getent passwd ana | cut -d ':' -f 5-", "Ana B:/home/ana:/bin/bash\n"},
             {"getent passwd ana | awk -F: '{print $6}'", "/home/ana\n"},
             {"id -Gn ana | tr ' ' '\\n'", "staff\ngpu\n"},
             {"id -nu 1000 | tr -d '\\n'", "ana"},
             {"id -Gn ana | tr ' ' '\\n' | head -1", "staff\n"},
             {"id -Gn ana | tr ' ' '\\n' | head -n1", "staff\n"},
             {"id -Gn ana | tr ' ' '\\n' | head -n 1", "staff\n"},
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
                                      "hostname -f",
                                      "uname -a",
                                      "id ana | tr * x",
                                      "|",
                                      "",
                                      "id ana | head -n -1",
                                      "id ana | head -n-1",
                                      "id ana | head 1"})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(has(run(command), "slurmctld waits for the script"));
            if (!command.empty()) BOOST_TEST(has(load(command), "slurmctld waits for the script"));
        }
    BOOST_TEST(has(run("id -Gn eve"), "eve is not known yet"));
    const std::string four = " | tr a b | tr a b | tr a b | tr a b";
    BOOST_TEST(run("id -nu 1000" + four) == "bnb\n");
    BOOST_TEST(has(run("id -nu 1000" + four + " | tr a b"), "slurmctld waits"));
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

BOOST_AUTO_TEST_CASE(ls_lists_the_files_that_a_script_may_read) {
    for (const auto& [command, output] : std::map<std::string, std::string>{
             {"ls /etc/slurm/rules.d", "10-a.lua\n20-b.lua\ndeep\nnotes.txt\n"},
             {"/bin/ls -1 /etc/slurm/rules.d/ 2>/dev/null", "10-a.lua\n20-b.lua\ndeep\nnotes.txt\n"},
             {"ls -1 /etc/slurm/rules.d/*.lua", "/etc/slurm/rules.d/10-a.lua\n/etc/slurm/rules.d/20-b.lua\n"},
             {"ls \"/etc/slurm/rules.d\"/?0-*b | head -1", ""},
             {"ls \"/etc/slurm/rules.d\"/?0-*.lua | head -1", "/etc/slurm/rules.d/10-a.lua\n"},
             {"ls /etc/slurm/rules.d/1*0*-a*.lua*", "/etc/slurm/rules.d/10-a.lua\n"},
             {"ls /etc/slurm/rules.d/notes.txt", "/etc/slurm/rules.d/notes.txt\n"},
             {"ls /etc/slurm/rules.d/*.csv", " 2"},
             {"ls /etc/slurm/rules.d/none", " 2"},
             {"ls allow.txt", "allow.txt\n"},
             {"ls *.txt", "allow.txt\n"}})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(answer(command, places) == output);
            BOOST_TEST(load(command, places) == "");
        }
    BOOST_TEST(has(answer("ls /etc/slurm", places), "/etc/slurm is not among the files"));
    BOOST_TEST(has(answer("ls /etc/slurm/*.conf", places), "is not among the files"));
    BOOST_TEST(has(answer("ls /etc/slurm/rules.d/*", places), "/etc/slurm/rules.d/deep is a directory"));
    for (const std::string command :
         {"ls", "ls -l allow.txt", "ls a b", "ls /etc/*/rules.d", "ls '*.txt' *.lua", "ls [a].txt"})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(has(answer(command, places), "slurmctld waits for the script"));
            BOOST_TEST(has(load(command, places), "slurmctld waits for the script"));
        }
}

BOOST_AUTO_TEST_CASE(cat_reads_files) {
    test::Texts files = places;
    files.emplace_back("compat/full", std::string(65536, 'x'));
    files.emplace_back("compat/large", std::string(65537, 'x'));

    BOOST_TEST(answer("cat allow.txt /etc/slurm/rules.d/notes.txt", files) == "ana\nben\nn\n");
    BOOST_TEST(answer("cat allow.txt | head -1", files) == "ana\n");
    BOOST_TEST(answer("cat none allow.txt", files) == "ana\nben\n 1");
    BOOST_TEST(answer("cat /etc/slurm/rules.d", files) == " 1");
    BOOST_TEST(has(answer("cat /etc/shadow", files), "/etc/shadow is not among the files"));
    BOOST_TEST(has(answer("cat *.txt", files), "slurmctld waits for the script"));
    BOOST_TEST(has(answer("cat -n allow.txt", files), "slurmctld waits for the script"));
    BOOST_TEST(answer("cat full | tr -d x", files) == "");
    BOOST_TEST(has(answer("cat large | tr -d x", files), "has more than 64 KiB to say"));
}

BOOST_AUTO_TEST_CASE(files_are_known_while_the_script_is_loaded) {
    test::Texts files = places;
    files.emplace_back(test::script_name,
                       script_with("slurm.log_user('%s', first)", "first = io.popen('ls *.txt'):read() "));

    BOOST_TEST(ScriptSetup(files).told() == "allow.txt");
}

BOOST_AUTO_TEST_CASE(the_host_has_a_name) {
    std::array<char, 256> name{};
    ::gethostname(name.data(), name.size() - 1);
    const std::string whole = name.data();

    BOOST_TEST(answer("hostname") == whole + "\n");
    BOOST_TEST(answer("uname -n | head -1") == whole + "\n");
    BOOST_TEST(answer("/bin/hostname -s") == whole.substr(0, whole.find('.')) + "\n");
}

BOOST_AUTO_TEST_CASE(a_file_stands_for_the_output_of_a_program) {
    const test::Texts files{{"site.lua", "site { compat_files = { '/var/lib/site' }, compat_programs = {"
                                         " '/usr/local/bin/quota.sh -a  > quota.txt',"
                                         " 'sacctmgr -nP show user * > /var/lib/site/users/*',"
                                         " 'sinfo -h | grep idle > idle', 'gone > gone.txt',"
                                         " 'secret > /etc/shadow' } }"},
                            {"compat/quota.txt", "ana:5\nben:7\n"},
                            {"compat/idle", "cpu\n"},
                            {"/var/lib/site/users/ana", "ana|astro\n"}};

    BOOST_TEST(answer("/usr/local/bin/quota.sh   -a ", files) == "ana:5\nben:7\n");
    BOOST_TEST(answer("/usr/local/bin/quota.sh -a | head -1 | cut -d: -f2", files) == "5\n");
    BOOST_TEST(answer("sacctmgr -nP show user ana", files) == "ana|astro\n");
    BOOST_TEST(answer("sinfo -h | grep idle", files) == "cpu\n");
    BOOST_TEST(has(answer("sacctmgr -nP show user ben", files),
                   "compat_programs names /var/lib/site/users/ben for its output, which does not exist"));
    BOOST_TEST(has(answer("gone", files), "compat_programs names gone.txt"));
    BOOST_TEST(has(answer("secret", files), "compat_programs: /etc/shadow is not among the files"));
    for (const std::string command :
         {"/usr/local/bin/quota.sh", "/usr/local/bin/quota.sh -a -b", "/usr/local/bin/quota.sh -a; reboot",
          "/usr/local/bin/quota.sh -a | sh", "sacctmgr -nP show user ../ana", "sacctmgr -nP show user",
          "sacctmgr -nP show user .ana", "sacctmgr -nP show user -i", "sacctmgr -nP show user a b",
          "sacctmgr -nP show user $(reboot)", "sinfo -h"})
        BOOST_TEST_CONTEXT(command) {
            BOOST_TEST(has(answer(command, files), "slurmctld waits for the script"));
            BOOST_TEST(has(load(command, files), "slurmctld waits for the script"));
        }
    BOOST_TEST(load("/usr/local/bin/quota.sh -a", files) == "");
    BOOST_TEST(load("sacctmgr -nP show user ", files, ".. job_desc.user_name") == "");
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

BOOST_AUTO_TEST_CASE(a_pattern_is_charged_by_its_length_and_the_names) {
    const auto listed = [](std::size_t files, std::size_t stars) {
        test::Texts all;
        for (std::size_t i = 0; i < files; ++i)
            all.emplace_back("compat/" + std::string(200, 'a') + std::to_string(i), "x");
        std::string pattern;
        for (std::size_t i = 0; i < stars; ++i)
            pattern += "*a";
        return told_of("local f = io.popen('ls ' .. '" + pattern +
                           "b') local n = 0 for _ in f:lines() do n = n + 1 end slurm.log_user('%d', n)",
                       all);
    };
    BOOST_TEST(listed(60, 5) == "0");
    BOOST_TEST(listed(1, 500) == "0");
    BOOST_TEST(has(listed(60, 500), "instruction"));
}

BOOST_AUTO_TEST_SUITE_END()
