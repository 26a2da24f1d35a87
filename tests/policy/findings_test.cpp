// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/findings.hpp"

#include "shipped_files.hpp"
#include "support/needs_root.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <iterator>

#include <unistd.h>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

std::string to_text(const Finding& finding) {
    return text::format("{}:{}: {}", finding.file, finding.line, finding.message);
}

std::vector<std::string> texts_of(const std::vector<Finding>& findings) {
    std::vector<std::string> all;
    for (const Finding& finding : findings)
        all.push_back(to_text(finding));
    return all;
}

PolicyReport report_of(const Texts& files) {
    SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    return check_sources(directory);
}

/// The only finding of one rule file with this body; "" if there is none.
std::string finding_in(const std::string& body) {
    const auto findings = report_of({{"t.lua", rule_with(body)}}).findings;
    if (findings.empty()) return "";
    return findings.size() == 1 ? to_text(findings.front()) : "several: " + texts_of(findings).front();
}

PolicyReport report_at(const fs::path& directory, const OwnerCheck& owners = {}) {
    auto report = check_policy(directory, owners);
    if (!report) throw std::runtime_error(report.error().message);
    return *std::move(report);
}

const std::string good_rule = rule_with("job:warn('x')");

/// A body, and the mistake in it; the same without the mistake.
struct Mistake {
    const char* body;
    const char* complaint;
    const char* corrected;
    bool stops_loading = false; ///< because the rule certainly fails there
    friend std::ostream& operator<<(std::ostream& out, const Mistake& mistake) { return out << mistake.body; }
};

const Mistake mistakes[] = {
    {"return job:is_set() and nil", "t.lua:2: job:is_set() needs the name of a field",
     "return job:is_set('qos') and nil", true},
    {"\nif job:is_set('qos', 'partition') then return end",
     "t.lua:3: job:is_set takes the name of one field, and here are 2 values",
     "if job:is_set('qos') and job:is_set('partition') then return end"},
    {"if job:is_set(nil) then return end",
     "t.lua:2: job:is_set takes the name of a field as a text, and not nil",
     "local name = nil if job:is_set(name) then return end", true},
    {"job:add('features')",
     "t.lua:2: job:add takes a field and a text: write job:add(\"features\", \"fast\")",
     "job:add('features', 'fast')", true},
    {"job:add('features', 1)", "t.lua:2: job:add takes a field and a text, and not 1",
     "job:add('features', tostring(1))", true},
    {"job:add('qos', 'fast')", "t.lua:2: job:add: 'qos' is no list", "job:add('prefer', 'fast')", true},
    {"if job:is_set('user') then return end",
     "t.lua:2: job:is_set: 'user' is not something that a request asks for",
     "if job:is_set('account') then return end", true},
    {"job:warn()", "t.lua:2: job:warn() has no message", "job:warn('x')"},
    {"job:note()", "t.lua:2: job:note() has no message", "job:note('x')"},
    {"job:note('%d nodes')", "t.lua:2: job:note: the message shows 1 value",
     "job:note('%d nodes', job.nodes)"},
    {"job:stop('done')", "t.lua:2: job:stop() takes no arguments", "job:stop()", true},
    {"job:reject('at most %d, and not %d', 4)",
     "t.lua:2: job:reject: the message shows 2 values, and here is 1: users read '(missing)'",
     "job:reject('at most %d, and not %d', 4, job.nodes)"},
    {"job:warn 'at most %s'", "t.lua:2: job:warn: the message shows 1 value, and here are 0",
     "job:warn 'at most'"},
    {"job:warn('at most 4', job.nodes)", "t.lua:2: job:warn: the message shows 0 values, and here are 1",
     "job:warn('at most %s', job.nodes)"},
    {"job:reject()", "t.lua:2: job:reject() has no message: users read only the rule's name",
     "job:reject('no')"},
    {"job:reject('')", "t.lua:2: job:reject() has no message", "job:reject(' ' .. '')"},
    {"job:warn('50% of it')", "t.lua:2: job:warn: the message shows 1 value", "job:warn('50%% of it')"},
    {"job.time_limit = '8 hours'", "t.lua:2: job.time_limit cannot be \"8 hours\"",
     "job.time_limit = '8:00:00'", true},
    {"job.qos = 5", "t.lua:2: job.qos cannot be 5", "job.qos = 'x'", true},
    {"job.tasks = 0", "t.lua:2: job.tasks cannot be 0", "job.tasks = 1", true},
    {"job.tasks = 'many'", "t.lua:2: job.tasks cannot be \"many\"", "job.tasks = #'many'", true},
    {"job['tasks'] = true", "t.lua:2: job.tasks cannot be true", "job['tasks'] = 4", true},
    {"", "t.lua:1: submit does nothing", "local x = 1"},
    {"return", "t.lua:1: submit does nothing", "return nil"},
    {"return;", "t.lua:1: submit does nothing", "return (nil)"},
};

const char* const good_bodies[] = {
    "job:reject('100%% of %5.1f%%', 3.5)",
    "job:warn('%s and %s', (function() return 1, 2 end)())",
    "local function two() return 1, 2 end job:warn('%s and %s', two())",
    "local all = {1, 2} job:warn('%s and %s', table.unpack(all))",
    "job:warn('%s\\n', 1) job:warn(\"a\\\"%d\")",
    "job:warn('50%% of it') job:warn('%') job:warn('%y')",
    "job:warn('%s', {1, 2}) job:warn(('%d'):rep(2), 1, 2) job:warn('a' .. '%d', 1)",
    "job:warn(job.name, 1, 2)",
    "job:reject(('%d'):format(1))",
    "pcall(function() job:is_set() end)",
    "local t = { is_set = function() end } t:is_set()",
    "job.tasks = 4 * 2 job.tasks = 4 + job.tasks",
    "job.time_limit = '8' .. ':00:00' job.comment = '' job.qos = nil job.time_limit = math.huge",
    "job.tasks = 4 job.qos = 'a' ; (function() end)()",
};

} // namespace

BOOST_AUTO_TEST_SUITE(findings)

BOOST_AUTO_TEST_CASE(tells_everything_that_is_wrong_in_order) {
    const PolicyReport report = report_of({
        {"10.lua", rule_with("if job.node then strng.rep('x') end\njob.qoss = 'x'")},
        {"20.lua", "rule { submit = function(job)"},
        {"30.lua", rule_with("job:warn('x')")},
        {"40.lua", "rule = "},
        {"site.lua", "site { limts = 'off' }"},
    });
    const auto texts = texts_of(report.findings);

    BOOST_TEST_REQUIRE(texts.size() == 6u, text::join(texts, "\n"));
    BOOST_TEST(texts[0].starts_with("10.lua:2: unknown field 'node' of job; did you mean nodes?"));
    BOOST_TEST(texts[1] == "10.lua:2: unknown name 'strng'; did you mean string?");
    BOOST_TEST(texts[2].starts_with("10.lua:3: unknown field 'qoss' of job; did you mean qos?"));
    BOOST_TEST(texts[3].starts_with("20.lua:1: 'end' expected near <eof>"), texts[3]);
    BOOST_TEST(texts[4].starts_with("40.lua:1: unexpected symbol near <eof>"), texts[4]);
    BOOST_TEST(texts[5].starts_with("site.lua:1: unknown setting 'limts'; did you mean limits?"), texts[5]);
    BOOST_TEST(!report.loads());
    BOOST_TEST_REQUIRE(report.rules.size() == 2u);
    BOOST_TEST(report.rules[1].file == "30.lua");
}

BOOST_AUTO_TEST_CASE(tells_nothing_of_what_is_right) {
    const Texts files = {
        {"10.lua", good_rule},
        {"20.lua", rule_with("job:warn('x')", "name = 'b', mode = 'shadow', on_error = 'allow',")},
        {"site.lua", "site { limits = 'off', rule_time_ms = 20 }"}};
    const PolicyReport report = report_of(files);
    const auto policy = policy_of(files);

    BOOST_TEST(report.findings.empty());
    BOOST_TEST(report.loads());
    BOOST_TEST(report.hash == policy->hash());
    BOOST_TEST(report.rules == policy->rules());
    BOOST_TEST(report.settings == policy->settings());
}

BOOST_DATA_TEST_CASE(slurmctld_loads_only_what_certainly_fails_nowhere, mistakes, mistake) {
    const std::string found = finding_in(mistake.body);

    BOOST_TEST(found.starts_with(mistake.complaint), found);
    const std::string error = load_error({{"t.lua", rule_with(mistake.body)}});
    BOOST_TEST(error.starts_with(mistake.stops_loading ? mistake.complaint : ""));
    BOOST_TEST((error == "") == !mistake.stops_loading, error);
    BOOST_TEST(report_of({{"t.lua", rule_with(mistake.body)}}).loads() == !mistake.stops_loading);
    BOOST_TEST(finding_in(mistake.corrected) == "");
}

BOOST_DATA_TEST_CASE(tells_only_what_is_certain, good_bodies, body) {
    BOOST_TEST(finding_in(body) == "");
}

BOOST_AUTO_TEST_CASE(tells_an_undeclared_name_once) {
    BOOST_TEST(has_text(finding_in("count = 1 count = count + 1"), "t.lua:2: 'count' is not declared"));
    BOOST_TEST(
        has_text(finding_in("if cuont then return end if cuont then return end"), "unknown name 'cuont'"));
    BOOST_TEST(report_of({{"t.lua", rule_with("if cuont then return end\nif cuont then return end")}})
                   .findings.size() == 2u);
}

BOOST_AUTO_TEST_CASE(tells_an_error_of_loading_beside_the_names) {
    const auto texts =
        texts_of(report_of({{"t.lua", "local x = strng\nif false then x = nmae end"}}).findings);
    BOOST_TEST_REQUIRE(texts.size() == 2u);
    BOOST_TEST(has_text(texts[0], "t.lua:1: unknown name 'strng'"));
    BOOST_TEST(has_text(texts[1], "t.lua:2: unknown name 'nmae'"));

    BOOST_TEST(texts_of(report_of({{"t.lua", "error('no')"}}).findings) ==
                   std::vector<std::string>{"t.lua:1: no"},
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(knows_a_rule_without_a_rule) {
    const auto empty = report_of({{"t.lua", ""}});
    BOOST_TEST_REQUIRE(empty.findings.size() == 1u);
    BOOST_TEST(to_text(empty.findings[0]) == "t.lua:0: declares nothing: it must call rule { ... }");

    BOOST_TEST(texts_of(report_of({{"site.lua", "-- nothing"}}).findings).front() ==
               "site.lua:0: declares nothing: it must call site { ... }");
    BOOST_TEST(report_of({}).findings.empty());
}

BOOST_AUTO_TEST_CASE(knows_rules_of_the_same_name) {
    const std::string rule = "\n" + rule_with("job:warn('x')", "name = 'a',");
    const auto texts = texts_of(report_of({{"10.lua", rule}, {"20.lua", rule}, {"30.lua", rule}}).findings);

    BOOST_TEST(texts == (std::vector<std::string>{"20.lua:2: rule 'a' has the name of the rule in 10.lua",
                                                  "30.lua:2: rule 'a' has the name of the rule in 10.lua"}),
               boost::test_tools::per_element());
    BOOST_TEST(report_of({{"10.lua", rule}, {"20.lua", good_rule}}).findings.empty());
}

BOOST_AUTO_TEST_CASE(says_where_settings_and_rules_belong) {
    BOOST_TEST(texts_of(report_of({{"t.lua", "site { limits = 'off' }\n" + good_rule}}).findings) ==
                   std::vector<std::string>{
                       "t.lua:1: unknown name 'site': settings are written in site.lua, not beside a rule"},
               boost::test_tools::per_element());
    BOOST_TEST(
        texts_of(report_of({{"site.lua", "site {}\n" + good_rule}}).findings) ==
            std::vector<std::string>{
                "site.lua:2: unknown name 'rule': a rule is written in a file of its own, not in site.lua or "
                "in a module"},
        boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(tells_every_unknown_setting) {
    const auto texts = texts_of(
        report_of(
            {{"site.lua", "site {\n  limts = 'off',\n  contact = 'x'; contacts = 'y',\n  rule_time = 5 }"}})
            .findings);

    BOOST_TEST_REQUIRE(texts.size() == 3u, text::join(texts, "\n"));
    BOOST_TEST(texts[0].starts_with("site.lua:2: unknown setting 'limts'; did you mean limits?"));
    BOOST_TEST(texts[1].starts_with("site.lua:3: unknown setting 'contacts'; did you mean contact?"));
    BOOST_TEST(texts[2].starts_with("site.lua:4: unknown setting 'rule_time'; did you mean rule_time_ms?"));
    for (const char* good : {"site { limits = 'off'; contact = 'x', }", "local t = { limts = 1 } site {}",
                             "site({ contact = ({ limts = 'x' }).limts })"})
        BOOST_TEST(texts_of(report_of({{"site.lua", good}}).findings).empty(), good);
    BOOST_TEST(report_of({{"site.lua", "local t = { limts = 'x' } site(t)"}}).findings.size() == 1u);
}

BOOST_AUTO_TEST_CASE(knows_what_only_all_files_together_show) {
    const std::string large =
        "local t = {} for i = 1, 6500 do t[i] = { i } end " + rule_with("job:warn('%s', #t)");
    Texts files = {{"site.lua", "site { rule_memory_mib = 1 }"}};
    files.emplace_back("10.lua", large);
    BOOST_TEST(report_of(files).loads());
    files.emplace_back("20.lua", large);

    const auto findings = report_of(files).findings;

    BOOST_TEST_REQUIRE(findings.size() == 1u);
    BOOST_TEST(findings[0].message == load_error(files));
}

BOOST_AUTO_TEST_CASE(a_rule_with_another_function_may_have_an_empty_submit) {
    const std::string rule = "local modify = 1 rule { submit = function(job) end }";

    BOOST_TEST(report_of({{"t.lua", rule}}).findings.empty());
    BOOST_TEST(
        !report_of({{"t.lua", "local other = 1 rule { submit = function(job) end }"}}).findings.empty());
}

BOOST_AUTO_TEST_CASE(has_nothing_to_say_of_the_shipped_rules) {
    for (const auto& [name, source] : all_shipped_rules())
        BOOST_TEST(texts_of(report_of(with_shipped_data(name, source)).findings).empty(), name);
}

BOOST_AUTO_TEST_CASE(tells_all_files_that_others_can_write) {
    const TempDirectory temp;
    chmod(temp.write("10.lua", good_rule).c_str(), 0664);
    chmod(temp.write("20.lua", "rule {").c_str(), 0646);
    const auto report = report_at(temp.directory());
    const auto texts = texts_of(report.findings);

    BOOST_TEST_REQUIRE(texts.size() == 3u);
    BOOST_TEST(texts[0].starts_with("10.lua:0: mode 0664 lets others write it: chmod go-w '"), texts[0]);
    BOOST_TEST(texts[1].starts_with("20.lua:0: mode 0646 lets others write it"), texts[1]);
    BOOST_TEST(texts[2].starts_with("20.lua:1: "), texts[2]);
    BOOST_TEST(!report.loads());

    BOOST_TEST(report_at(temp.directory(), {.is_needed = false}).findings.size() == 1u);
    chmod((temp.directory() / "10.lua").c_str(), 0644);
    temp.write("20.lua", rule_with("job:warn('y')"));
    BOOST_TEST(report_at(temp.directory()).findings.empty());
}

BOOST_AUTO_TEST_CASE(tells_a_directory_that_others_can_write_once) {
    const TempDirectory temp;
    temp.write("10.lua", good_rule);
    chmod(temp.write("20.lua", rule_with("job:warn('y')")).c_str(), 0664);
    chmod(temp.directory().c_str(), 0775);
    const auto texts = texts_of(report_at(temp.directory()).findings);

    BOOST_TEST_REQUIRE(texts.size() == 2u, text::join(texts, "\n"));
    BOOST_TEST(texts[0].starts_with(":0: mode 0775 lets others write it: chmod go-w"), texts[0]);
    BOOST_TEST(texts[1].starts_with("20.lua:0: mode 0664"), texts[1]);
    BOOST_TEST(report_at(temp.directory(), {.is_needed = false}).findings.empty());
}

BOOST_AUTO_TEST_CASE(judges_owners_by_the_user_given, *needs_root()) {
    const TempDirectory temp;
    const fs::path file = temp.write("10.lua", good_rule);
    BOOST_TEST_REQUIRE(chown(file.c_str(), 1234, 0) == 0);

    BOOST_TEST(
        has_text(texts_of(report_at(temp.directory()).findings).at(0), "10.lua:0: belongs to user id 1234"));
    BOOST_TEST(report_at(temp.directory(), {.trusted_user = 1234}).findings.empty());
    BOOST_TEST(report_at(temp.directory(), {.is_needed = false}).findings.empty());
}

BOOST_AUTO_TEST_CASE(tells_files_that_look_like_rules_but_are_ignored) {
    const TempDirectory temp;
    for (const std::string name : {"10.lua.bak", "20.LUA", "30.Lua", "40.lua.rpmnew"})
        temp.write(name, "");
    for (const std::string name :
         {"50.lua.off", "60.lua.disabled", ".70.lua", "80.lua~", "notes.txt", "lua", ".lua"})
        temp.write(name, "");
    fs::create_directory(temp.directory() / "old.lua.bak");
    fs::create_directory(temp.directory() / "tests");
    const auto report = report_at(temp.directory());
    const auto texts = texts_of(report.findings);

    BOOST_TEST_REQUIRE(texts.size() == 4u, text::join(texts, "\n"));
    BOOST_TEST(texts[0].starts_with("10.lua.bak:0: is ignored, because its name does not end in '.lua'"));
    BOOST_TEST(texts[1] == "20.LUA:0: is ignored: a name must end in '.lua', in lower case");
    BOOST_TEST(texts[2].starts_with("30.Lua:0: is ignored"));
    BOOST_TEST(texts[3].starts_with("40.lua.rpmnew:0: is ignored"));
    BOOST_TEST(report.loads());
}

BOOST_AUTO_TEST_CASE(tells_what_cannot_be_read_as_a_file) {
    const TempDirectory temp;
    fs::create_directory(temp.directory() / "10.lua");
    chmod((temp.directory() / "10.lua").c_str(), 0755);
    temp.write("20.lua", std::string(max_file_bytes + 1, '\n'));
    fs::create_symlink(temp.root() / "nothing", temp.directory() / "30.lua");
    BOOST_TEST_REQUIRE(mkfifo((temp.directory() / "40.lua").c_str(), 0644) == 0);
    for (const bool is_needed : {true, false}) {
        const auto texts = texts_of(report_at(temp.directory(), {.is_needed = is_needed}).findings);

        BOOST_TEST_REQUIRE(texts.size() == 4u, text::join(texts, "\n"));
        BOOST_TEST(has_text(texts[0], "10.lua:0: not a regular file, but a directory"));
        BOOST_TEST(texts[1] == "20.lua:0: larger than 256 KiB");
        BOOST_TEST(has_text(texts[2], "30.lua:0: "));
        BOOST_TEST(has_text(texts[2], "cannot be read: No such file or directory"), texts[2]);
        BOOST_TEST(texts[3] == "40.lua:0: not a regular file");
    }
}

BOOST_AUTO_TEST_CASE(refuses_what_is_no_directory) {
    const TempDirectory temp;
    const fs::path file = temp.write("10.lua", good_rule);

    BOOST_TEST(check_policy(temp.root() / "none.d").error().code == ErrorCode::not_found);
    BOOST_TEST(check_policy(file).error().message == file.string() + ": cannot be read: Not a directory");
    BOOST_TEST(check_policy(temp.directory() / ".").value().findings.empty());
}

BOOST_AUTO_TEST_CASE(looks_at_the_script_for_clients_which_stops_nothing) {
    const std::string whole = "function slurm_cli_setup_defaults(options) return 0 end\n"
                              "function slurm_cli_pre_submit(options) return table.getn({}) end\n"
                              "slurm_cli_post_submit = function() return 0 end\n";
    BOOST_TEST(report_of({{"compat/cli_filter.lua", whole}}).findings.empty());
    const auto broken = report_of({{"compat/cli_filter.lua", "function f(\n"}});
    BOOST_TEST(broken.loads());
    BOOST_TEST_REQUIRE(broken.findings.size() == 1u);
    BOOST_TEST(broken.findings[0].line == 2);
    const auto short_one = report_of({{"compat/cli_filter.lua", "function slurm_cli_pre_submit() end\n"}});
    BOOST_TEST(short_one.loads());
    BOOST_TEST(
        texts_of(short_one.findings) ==
            (std::vector<std::string>{
                "compat/cli_filter.lua:0: there is no function slurm_cli_setup_defaults: Slurm's own plugin "
                "does not load such a script",
                "compat/cli_filter.lua:0: there is no function slurm_cli_post_submit: Slurm's own plugin "
                "does "
                "not load such a script",
                "compat/cli_filter.lua:1: slurm_cli_pre_submit ends without a return: the job is "
                "then accepted"}),
        boost::test_tools::per_element());
    BOOST_TEST(load_error({{"compat/cli_filter.lua", "function f(\n"}}) == "", "slurmctld does not read it");
    BOOST_TEST(load_error({{"compat/cli_filters.lua", whole}}) != "");
}

BOOST_AUTO_TEST_SUITE_END()
