// SPDX-License-Identifier: GPL-2.0-or-later
//
// What a script for job_submit/lua, and who reads its errors, learns of its directory, its modules and its
// lines.
#include "support/script_setup.hpp"
#include "support/texts.hpp"
#include "support/work_meter.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/host_access.hpp"
#include "qosgate/policy/compat/script_files.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <utility>

using namespace qg;
using test::has;

BOOST_AUTO_TEST_SUITE(script_places)

namespace {

/// What a script with this body tells, with these files.
std::string told_with(test::Texts files, const std::string& body) {
    files.emplace_back(test::script_name, test::script_with(body));
    return test::ScriptSetup(files).told();
}

std::string told_by(const std::string& body, const std::string& before = {}) {
    return test::ScriptSetup({{test::script_name, test::script_with(body, before)}}).told();
}

} // namespace

BOOST_AUTO_TEST_CASE(a_script_finds_its_directory_and_its_line) {
    const std::string before = "local here = debug.getinfo(1).source:match('@?(.*/)')\n";
    BOOST_TEST(told_by("slurm.log_user('%s', here)", before) == "./");
    BOOST_TEST(told_by("local at = debug.getinfo(1, 'Sl') slurm.log_user('%s:%d', at.short_src, "
                       "at.currentline)") == "compat/job_submit.lua:2");
    BOOST_TEST(told_by("local at = debug.getinfo(print) slurm.log_user('%s %s', at.what, "
                       "tostring(at.func))") == "C nil");
    for (const char* level : {"-1", "1000", "2^40", "-2^40"})
        BOOST_TEST(told_by(std::string("slurm.log_user('%s', tostring(debug.getinfo(") + level + ")))") ==
                       "nil",
                   level);
    BOOST_TEST(test::has_text(told_by("while true do debug.getinfo(1) end"), "instructions"));
    BOOST_TEST(test::has_text(told_by("debug.getinfo({})"), "number expected"));
}

BOOST_AUTO_TEST_CASE(errors_inside_slurm_s_functions_name_the_line) {
    const std::string begin = "compat/job_submit.lua:2: ";
    BOOST_TEST(told_by("slurm.log_info('%d', job_desc.nothing)").starts_with(begin + "bad argument"));
    BOOST_TEST(told_by("local x = undefined * '2'").starts_with(begin + "attempt to"));
    BOOST_TEST(told_by("error('plain', 0)") == "plain");
    BOOST_TEST(told_by("local ok, why = pcall(slurm.log_info, '%d') slurm.log_user('%s', why)")
                   .starts_with("bad argument"));
}

BOOST_AUTO_TEST_CASE(the_call_stack_of_a_failure_is_one_line) {
    const auto outcome =
        test::ScriptSetup(
            {{test::script_name, test::script_with("deep()", "function deep()\n error({})\nend\n")}})
            .run();

    BOOST_TEST_REQUIRE(outcome.failure.has_value());
    BOOST_TEST(outcome.failure->message == "the error is a table and no text");
    const std::string& stack = outcome.failure->traceback;
    BOOST_TEST(has(stack, "compat/job_submit.lua:2: in "), stack);
    BOOST_TEST(has(stack, "; compat/job_submit.lua:5: in "), stack);
    BOOST_TEST(stack.find_first_of("\n\t?") == std::string::npos, stack);
}

BOOST_AUTO_TEST_CASE(the_number_of_files_does_not_matter_for_a_source_with_many_modules) {
    std::string source;
    for (int i = 0; i < 1000; ++i)
        source += "require 'site.none'\n";
    const auto work_with = [&](int files) {
        policy::SourceDirectory sources;
        for (int i = 0; i < files; ++i)
            sources.files.push_back({text::format("compat/site/module{}.lua", i), ""});
        const policy::Settings settings;
        const policy::compat::ScriptFiles known(sources, settings);
        return test::WorkMeter().measure([&] {
            BOOST_TEST(policy::compat::find_host_access(policy::SyntaxTree(source), &known).size() == 1000u);
        });
    };

    BOOST_TEST(work_with(64) < 2 * work_with(1));
}

BOOST_AUTO_TEST_CASE(modules_are_found_by_every_path_that_may_be_theirs) {
    policy::SourceDirectory sources;
    for (const char* name : {"compat/a.lua", "/etc/slurm/site/b/init.lua", "compat/c.txt"})
        sources.files.push_back({name, ""});
    const policy::Settings settings;
    const policy::compat::ScriptFiles files(sources, settings);

    for (const char* name : {"a", "b", "b.init", "site.b", "slurm.site.b", "etc.slurm.site.b"})
        BOOST_TEST(files.has_module(name), name);
    for (const char* name : {"compat.a", "c", "init.b", "", "site"})
        BOOST_TEST(!files.has_module(name), name);
}

BOOST_AUTO_TEST_CASE(modules_can_be_required_in_the_call) {
    const auto required = [](int count) {
        test::Texts files;
        std::string body;
        for (int i = 0; i < count; ++i) {
            files.emplace_back(text::format("/etc/slurm/mods/m{}.lua", i),
                               "--" + std::string(20'000, 'x') + "\nreturn {}");
            body += text::format("require('m{}') ", i);
        }
        files.emplace_back("site.lua", "site { compat_files = { '/etc/slurm/mods' } }");
        return told_with(std::move(files), "package.path = '/etc/slurm/mods/?.lua;' .. package.path " + body +
                                               "slurm.log_user('done')");
    };
    BOOST_TEST(required(5) == "done");
    BOOST_TEST(has(required(30), "more than 100000 instructions"));
    BOOST_TEST(has(told_by("while true do package.loaded.m = nil require('m') end",
                           "package.preload.m = function() return 1 end "),
                   "instructions"));
}

BOOST_AUTO_TEST_CASE(a_path_that_each_call_makes_longer_stays_short) {
    test::ScriptSetup script(
        {{test::script_name,
          test::script_with("package.path = ';/etc/slurm/mods/?.lua;' .. package.path "
                            "package.cpath = '/x/?.so;' .. package.cpath package.other = 1 "
                            "slurm.log_user('%s %s %d', package.path:match('^[^;]*;[^;]*'), package.cpath, "
                            "#package.path)")}});
    const std::string first = script.told();
    BOOST_TEST(first.starts_with("/etc/slurm/mods/?.lua;/usr/local/share/lua/5.4/?.lua /x/?.so "));
    for (int i = 0; i < 3000; ++i)
        script.run();
    BOOST_TEST(script.told() == first);
    BOOST_TEST(told_by("package.path = nil slurm.log_user('%s', tostring(package.path))") == "nil");
    BOOST_TEST(has(told_by("package.path = ('/a;'):rep(2000) require('x')"), "longer than 4096 bytes"));
}

BOOST_AUTO_TEST_SUITE_END()
