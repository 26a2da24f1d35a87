// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a script for job_submit/lua reads: files and modules.
#include "support/script_setup.hpp"
#include "support/texts.hpp"

#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/findings.hpp"

#include <boost/test/unit_test.hpp>

#include <fstream>
#include <map>

#include <sys/stat.h>
#include <unistd.h>

using namespace qg;
using test::has;
using test::script_with;
using test::ScriptSetup;

namespace {

/// What a script with this body tells, with these files.
std::string told_with(test::Texts files, const std::string& body, const std::string& before = {}) {
    files.emplace_back(test::script_name, script_with(body, before));
    return ScriptSetup(files).told();
}

std::string told(const std::string& body, const std::string& before = {}) {
    return told_with({}, body, before);
}

const test::Texts list{{"compat/allow.txt", "ana\nben\r\n\nlast"}};
const std::string say = " slurm.log_user('%s', table.concat(t, '|'))";

} // namespace

BOOST_AUTO_TEST_SUITE(script_files)

BOOST_AUTO_TEST_CASE(lines_are_read_as_lua_reads_them) {
    const std::string whole = "ana|ben\r||last";
    const std::string begin = "local t = {} ";

    BOOST_TEST(told_with(list, begin + "for l in io.lines('allow.txt') do t[#t+1] = l end" + say) == whole);
    BOOST_TEST(told_with(list, begin +
                                   "local f = io.open('/etc/slurm/qosgate.d/compat/allow.txt', 'r') "
                                   "for l in f:lines() do t[#t+1] = l end f:close()" +
                                   say) == whole);
    BOOST_TEST(told_with(list, begin +
                                   "local f = assert(io.open('./allow.txt')) while true do local l = "
                                   "f:read('*line') if not l then break end t[#t+1] = l end" +
                                   say) == whole);
    BOOST_TEST(told_with(list, begin + "for l in io.lines('allow.txt', '*L') do t[#t+1] = #l end" + say) ==
               "4|5|1|4");
}

BOOST_AUTO_TEST_CASE(every_format_of_read_works) {
    const test::Texts files{{"compat/x", "12 0x10 -1.5e1 abc\nrest"}};
    const auto read = [&](const std::string& formats) {
        return told_with(files, "local f = io.open('x') local t = { f:read(" + formats +
                                    ") } for i = 1, 5 do t[i] = tostring(t[i]) end" + say);
    };

    BOOST_TEST(read("'*n', '*n', 'n', '*n'") == "12|16|-15|nil|nil");
    BOOST_TEST(read("3, 0, '*l'") == "12 ||0x10 -1.5e1 abc|nil|nil");
    BOOST_TEST(read("'*a', '*a', '*l'") == "12 0x10 -1.5e1 abc\nrest||nil|nil|nil");
    BOOST_TEST(read("100, 1") == "12 0x10 -1.5e1 abc\nrest|nil|nil|nil|nil");
    BOOST_TEST(has(read("'x'"), "invalid format"));
}

BOOST_AUTO_TEST_CASE(lines_take_as_many_formats_as_the_stack_holds) {
    const test::Texts files{{"compat/x", std::string(500, 'x')}};
    const auto read = [&](int formats) {
        return told_with(files, text::format("local t = {{}} for i = 1, {} do t[i] = 1 end local n "
                                             "for a, b in io.lines('x', table.unpack(t)) do n = b break end "
                                             "slurm.log_user('%s', n)",
                                             formats));
    };

    BOOST_TEST(read(200) == "x");
    BOOST_TEST(has(read(201), "too many arguments"));
}

BOOST_AUTO_TEST_CASE(a_number_is_looked_for_in_its_beginning_alone) {
    const test::Texts files{{"compat/x", std::string(2'000'000, '1')}};

    BOOST_TEST(told_with(files,
                         "local f = io.open('x') local n = f:read('*n') for i = 1, 500 do f:read('*n') end "
                         "slurm.log_user('%s %d', tostring(n > 1e198), f:seek())") == "true 100200");
}

BOOST_AUTO_TEST_CASE(the_log_gets_numbers_as_lua_5_1_writes_them) {
    const auto outcome =
        ScriptSetup({{test::script_name, script_with("io.stderr:write(1000, ' of ', 4 / 2, '\\n')")}}).run();

    std::string log;
    for (const auto& line : outcome.lines)
        log += line.text + "|";
    BOOST_TEST(log == "lua: 1000 of 2|");
}

BOOST_AUTO_TEST_CASE(the_log_gets_what_a_script_writes_to_the_standard_output) {
    const auto outcome = ScriptSetup({{test::script_name,
                                       script_with("io.write(('%d of '):format(1), 2, '\\n') io.write('\\n') "
                                                   "io.stdout:write('a\\nb\\n\\n') "
                                                   "slurm.log_user('%s', io.type(io.write()))")}})
                             .run();

    std::string log;
    for (const auto& line : outcome.lines)
        log += line.text + "|";
    BOOST_TEST(log == "lua: 1 of 2|lua: a\nb|");
    BOOST_TEST(outcome.message.value_or("") == "file");
    BOOST_TEST(has(told("io.write({})"), "string expected, got table"));
    BOOST_TEST(has(told("io.write('a', nil)"), "bad argument #2 to 'write' (string expected, got nil)"));
    BOOST_TEST(
        has(told("io.stdout:write('a', nil)"), "bad argument #2 to 'write' (string expected, got nil)"));
}

BOOST_AUTO_TEST_CASE(handles_are_lua_s) {
    const auto run = [&](const std::string& body) {
        return told_with(list, "local f = io.open('allow.txt') " + body);
    };

    BOOST_TEST(run("slurm.log_user('%s %s', io.type(f), tostring(io.type(1)))") == "file nil");
    BOOST_TEST(run("f:close() slurm.log_user('%s %s', io.type(f), tostring(f))") ==
               "closed file file (closed)");
    BOOST_TEST(has(run("f:close() f:read()"), "attempt to use a closed file"));
    BOOST_TEST(run("f:seek('set', 4) slurm.log_user('%s %d', f:read(), f:seek('end'))") == "ben\r 14");
    BOOST_TEST(run("slurm.log_user('%s', select(2, f:write('x')))") == "Bad file descriptor");
    BOOST_TEST(run("slurm.log_user('%s', tostring(getmetatable(f)))") == "false");
}

BOOST_AUTO_TEST_CASE(a_missing_file_is_nil_and_one_outside_is_a_failure) {
    BOOST_TEST(
        told("local f, why, number = io.open('none') slurm.log_user('%s %s %d', tostring(f), why, number)") ==
        "nil none: No such file or directory 2");
    BOOST_TEST(has(told("for l in io.lines('none') do end"), "none: No such file or directory"));
    BOOST_TEST(has(told("local p = '/etc/' .. 'shadow' io.open(p)"), "/etc/shadow is not among the files"));
    BOOST_TEST(has(told("local p = '../' .. 'site.lua' io.open(p)"), "is not among the files"));
    BOOST_TEST(told_with({{"data/t.csv", "a,b\n1,2\n"}},
                         "slurm.log_user('%s', io.open('/x/qosgate.d/data/t.csv'):read())") == "a,b");
}

BOOST_AUTO_TEST_CASE(site_names_other_places) {
    const test::Texts files{
        {"site.lua", "site { compat_files = { '/etc/slurm/lists/', '/etc/slurm//one.txt' } }"},
        {"/etc/slurm/lists/deep/a.txt", "A"},
        {"/etc/slurm/one.txt", "1"}};
    const auto read = [&](const std::string& path) {
        return told_with(files, "local p = '" + path +
                                    "' .. '' local f, why = io.open(p) "
                                    "slurm.log_user('%s', f and f:read('*a') or why)");
    };

    BOOST_TEST(read("/etc/slurm/lists/deep/a.txt") == "A");
    BOOST_TEST(read("/etc/slurm/./lists/../lists//deep/a.txt") == "A");
    BOOST_TEST(read("/etc/slurm/one.txt") == "1");
    BOOST_TEST(read("/etc/slurm/lists/b.txt") == "/etc/slurm/lists/b.txt: No such file or directory");
    BOOST_TEST(read("/etc/slurm/lists/deep") == ""); // a directory opens, and has nothing to read
    BOOST_TEST(has(read("/etc/slurm/one.txt2"), "is not among"));
    BOOST_TEST(has(read("/etc/slurm/lists/../slurmdbd.conf"), "is not among"));
}

BOOST_AUTO_TEST_CASE(a_named_place_comes_before_the_policy_s_own) {
    const test::Texts files{{"site.lua", "site { compat_files = { '/shared/qosgate.d/data' } }"},
                            {"/shared/qosgate.d/data/deny.txt", "theirs"},
                            {"data/own.csv", "a\n1\n"}};
    const auto read = [&](const std::string& name) {
        return told_with(files,
                         "slurm.log_user('%s', io.open('/shared/qosgate.d/data/" + name + "'):read())");
    };

    BOOST_TEST(read("deny.txt") == "theirs");
    BOOST_TEST(read("own.csv") == "a");
}

BOOST_AUTO_TEST_CASE(reading_is_charged) {
    const test::Texts files{{"compat/long", std::string(80'000, 'x')},
                            {"compat/many", std::string(400'000, '\n')}};

    BOOST_TEST(
        has(told_with(files, "io.open('long'):read('*a')"), "more than 65536 bytes cannot be read at once"));
    BOOST_TEST(
        told_with(files, "local f = io.open('long') slurm.log_user('%d', #f:read(65536) + #f:read('*a'))") ==
        "80000");
    BOOST_TEST(has(told_with(files, "for l in io.lines('many') do end"), "more than 100000 instructions"));
    BOOST_TEST(
        has(told_with(files, "for i = 1, 1000000 do io.open('none') end"), "more than 100000 instructions"));

    const std::string deep = "local p = ('x/'):rep(2000) ";
    BOOST_TEST(told(deep + "slurm.log_user('%s', tostring((io.open(p))))") == "nil");
    BOOST_TEST(has(told(deep + "io.open(p .. p)"), "is not among the files"));
    BOOST_TEST(has(told(deep + "for i = 1, 2 do io.open(p) end"), "more than 100000 instructions"));
}

BOOST_AUTO_TEST_CASE(configuration_is_loaded_with_dofile_and_loadfile) {
    const test::Texts files{{"compat/conf.lua", "limit = 2 ^ 3 / 2 return { name = 'x' .. limit }, ..."},
                            {"compat/bad.lua", "x x"},
                            {"compat/host.lua", "\nos.execute('true')"}};

    BOOST_TEST(told_with(files, "slurm.log_user('%s %d', dofile('conf.lua').name, limit)") == "x4 4");
    BOOST_TEST(told_with(files, "slurm.log_user('%s', conf.name)",
                         "conf = dofile('/etc/slurm/qosgate.d/compat/conf.lua') ") == "x4");
    BOOST_TEST(told_with(files, "local e = {} local f = loadfile('conf.lua', 't', e) f() "
                                "slurm.log_user('%d %s', e.limit, tostring(limit))") == "4 nil");
    BOOST_TEST(has(told_with(files, "dofile('bad.lua')"), "compat/bad.lua:1: syntax error"));
    BOOST_TEST(has(told_with(files, "slurm.log_user('%s', select(2, loadfile('bad.lua')))"), "syntax error"));
    BOOST_TEST(has(told_with(files, "slurm.log_user('%s', select(2, loadfile('none.lua')))"),
                   "cannot open none.lua"));
    BOOST_TEST(has(told_with(files, "dofile('host.lua')"), "compat/host.lua:2: os.execute: slurmctld waits"));
    BOOST_TEST(has(told("dofile('none.lua')"), "cannot open none.lua"));
}

BOOST_AUTO_TEST_CASE(modules_are_required_as_in_lua) {
    const test::Texts files{
        {"site.lua", "site { compat_files = { '/etc/slurm/mods' } }"},
        {"/etc/slurm/mods/limits.lua", "count = (count or 0) + 1 return { name = ..., max = 5 }"},
        {"/etc/slurm/mods/a/b.lua", "loaded_b = true"},
        {"compat/own.lua", "local m = {} function m.f() return 'own' end return m"}};
    const std::string path = "package.path = '/etc/slurm/mods/?.lua;' .. package.path ";

    BOOST_TEST(told_with(files, "slurm.log_user('%s', require('own').f())") == "own");
    BOOST_TEST(told_with(files,
                         "local l = require 'limits' slurm.log_user('%s %d %d %s', l.name, l.max, count, "
                         "tostring(require('limits') == l and package.loaded.limits == l))",
                         path) == "limits 5 1 true");
    BOOST_TEST(told_with(files, "slurm.log_user('%s %s', tostring(require('a.b')), tostring(loaded_b))",
                         path) == "true true");
    BOOST_TEST(told("slurm.log_user('%s', require('x'))",
                    "package.preload.x = function(n) return n .. '!' end ") == "x!");
    BOOST_TEST(told("slurm.log_user('%s', tostring(require('string') == string))") == "true");
    BOOST_TEST(has(told_with(files, "require('nothing')", path),
                   "no modules in C; there is no /etc/slurm/mods/nothing.lua, ./nothing.lua"));
    BOOST_TEST(has(told("package.path = '/usr/x/?.lua' require('nothing')"), "no such path in package.path"));
    BOOST_TEST(has(told_with({{"compat/l.lua", "require 'l'"}}, "require 'l'"), "more than"));
    BOOST_TEST(has(told("local p = {} for i = 1, 200 do p[i] = ('?'):rep(15) .. i end "
                        "package.path = table.concat(p, ';') require(('a/'):rep(120))"),
                   "more than 100000 instructions"));
}

BOOST_AUTO_TEST_CASE(a_main_chunk_has_arguments_and_load_takes_an_environment) {
    BOOST_TEST(told("slurm.log_user('%d', count)", "count = select('#', ...) ") == "0");
    BOOST_TEST(told("local e = { x = 3 } slurm.log_user('%d', load('return x', 'c', 't', e)())") == "3");
    BOOST_TEST(told("slurm.log_user('%s', tostring(load('return x', 'c', 't', {})()))", "x = 1 ") == "nil");
    BOOST_TEST(told("local n = 0 local f = load(function() n = n + 1 return ({ 'return ', '7' })[n] end) "
                    "slurm.log_user('%d', f())") == "7");
}

BOOST_AUTO_TEST_CASE(files_elsewhere_are_read_with_the_checks_of_the_policy_s_own) {
    const test::TempDirectory temp;
    const auto place = temp.root() / "lists";
    std::filesystem::create_directories(place / "deep");
    for (const auto& directory : {place, place / "deep"})
        chmod(directory.c_str(), 0755);
    const auto write = [&](const std::string& name, const std::string& content) {
        std::ofstream(place / name) << content;
        chmod((place / name).c_str(), 0644);
    };
    write("a.txt", "A");
    write("deep/b.txt", "B");
    write(".hidden", "x");
    write("old~", "x");
    temp.write("site.lua", "site { compat_files = { '" + place.string() + "' } }");
    const auto names = [&] {
        std::string all;
        const auto read = policy::read_source_directory(temp.directory(), geteuid());
        if (!read) return read.error().message;
        for (const auto& file : read->files)
            if (file.name.starts_with('/'))
                all += file.name.substr(place.string().size()) + "=" + file.text + " ";
        return all;
    };

    BOOST_TEST(names() == "/a.txt=A /deep/b.txt=B ");
    const auto hash = policy::hash_of(*policy::read_source_directory(temp.directory(), geteuid()));
    const std::vector<std::string> paths{place.string()};
    const auto signature = policy::stat_signature(temp.directory(), paths);
    write("deep/b.txt", "BB");
    BOOST_TEST(policy::hash_of(*policy::read_source_directory(temp.directory(), geteuid())) != hash);
    BOOST_TEST(policy::stat_signature(temp.directory(), paths) != signature);
    chmod((place / "deep" / "b.txt").c_str(), 0666);
    BOOST_TEST(has(names(), "deep/b.txt: mode 0666 lets others write it"));
    chmod((place / "deep" / "b.txt").c_str(), 0644);
    chmod((place / "deep").c_str(), 0777);
    BOOST_TEST(has(names(), "deep: mode 0777 lets others write it"));
    chmod((place / "deep").c_str(), 0755);
    for (int i = 0; i < 62; ++i)
        write("n" + std::to_string(i), "x");
    BOOST_TEST(has(names(), "/n9=x"));
    write("one-more", "x");
    BOOST_TEST(has(names(), "compat_files names more than 64 files"));
    std::filesystem::remove_all(place);
    BOOST_TEST(names() == "");
}

BOOST_AUTO_TEST_CASE(a_missing_place_is_a_finding_and_keeps_nothing_from_loading) {
    const test::TempDirectory temp;
    const auto place = temp.root() / "lists";
    temp.write("site.lua",
               "site {\n    compat_files = {\n        '" + place.string() + "//a.txt/',\n    },\n}");
    const auto findings = [&](const policy::OwnerCheck& owners) {
        const auto report = policy::check_policy(temp.directory(), owners);
        BOOST_TEST(report->loads());
        return report->findings;
    };

    BOOST_TEST(policy::load_policy(temp.directory()).has_value());
    const auto found = findings({});
    BOOST_TEST_REQUIRE(found.size() == 1u);
    BOOST_TEST(found.front().file == "site.lua");
    BOOST_TEST(found.front().line == 3);
    BOOST_TEST(!found.front().stops_loading);
    BOOST_TEST(found.front().message ==
               "compat_files: " + (place / "a.txt").string() +
                   " does not exist; as long as it is missing, io.open gives the script nil, and io.lines, "
                   "dofile and require fail");
    BOOST_TEST(findings({.is_needed = false}).empty()); // a checkout on another host
    std::filesystem::create_directory(place);
    chmod(place.c_str(), 0755);
    BOOST_TEST(findings({}).size() == 1u);
    std::ofstream(place / "a.txt") << "A";
    chmod((place / "a.txt").c_str(), 0644);
    BOOST_TEST(findings({}).empty());
}

BOOST_AUTO_TEST_CASE(a_missing_place_whose_text_is_put_together_has_no_line) {
    const test::TempDirectory temp;
    temp.write("site.lua", "site { compat_files = { '/nowhere' .. '/a' } }");
    const auto report = policy::check_policy(temp.directory());

    BOOST_TEST_REQUIRE(report->findings.size() == 1u);
    BOOST_TEST(report->findings.front().line == 0);
}

BOOST_AUTO_TEST_CASE(wrong_places_are_no_settings) {
    for (const std::string value : {"'/etc/x'", "{ 'x' }", "{ '/' }", "{ 5 }", "{ a = '/x' }", "5"})
        BOOST_TEST_CONTEXT(value) {
            BOOST_TEST(has(test::load_error({{"site.lua", "site { compat_files = " + value + " }"}}),
                           "a list of at most 16 absolute paths"));
        }
    BOOST_TEST(test::load_error({{"site.lua", "site { compat_files = {} }"}}) == "");
    BOOST_TEST(
        has(test::load_error({{"site.lua", "site { contact = { 'x' } }"}}), "'contact' cannot be a table"));
}

BOOST_AUTO_TEST_SUITE_END()
