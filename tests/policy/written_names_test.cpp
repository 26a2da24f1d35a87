// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of a cluster that rules have as literals.
#include "qosgate/policy/written_names.hpp"

#include "qosgate/policy/findings.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// "qos gpuu, partition viz"
std::string names_in_file(const std::string& file, const std::string& source) {
    static constexpr const char* words[] = {"qos", "partition", "account", "feature", "license"};
    std::vector<std::string> all;
    for (const WrittenName& name : find_written_names({true, {{file, source}}}))
        all.push_back(text::format("{} {}", words[static_cast<std::size_t>(name.kind)], name.name));
    return text::join(all, ", ");
}

std::string names_in(const std::string& body, const std::string& before = {}) {
    return names_in_file("t.lua", before + " rule { submit = function(job, view) " + body + " end }");
}

struct WrittenCase {
    const char* body;
    const char* names;
    friend std::ostream& operator<<(std::ostream& out, const WrittenCase& one) { return out << one.body; }
};

const WrittenCase certain[] = {
    {"job.qos = 'gpuu'", "qos gpuu"},
    {"job.qos, job.account = 'a', 'b'", "qos a, account b"},
    {"job['partition'] = 'a,b'", "partition a, partition b"},
    {"job.features = '[rack1*2|a100]&fast'", "feature a100, feature fast, feature rack1"},
    {"job.licenses = 'matlab:2,fluent'", "license fluent, license matlab"},
    {"if job.qos == 'a' or 'b' ~= job.account then end", "qos a, account b"},
    {"local q = job.qos if q == 'a' then end", "qos a"},
    {"local j = job j.qos = 'a'", "qos a"},
    {"local q = view.qos('a') local p = view.partition 'b'", "qos a, partition b"},
    {"local q = view.qos(job.qos) if q.name == 'a' then end", "qos a"},
    {"if view.user.coordinates('a') and view.user.default_account == 'b' then end", "account a, account b"},
    {"local n = view.jobs{ qos = 'a', account = 'b', user = 'c', state = 'pending' }", "qos a, account b"},
    {"job:add('features', 'a100') job:add('partition', 'b')", "partition b, feature a100"},
    {"for i = 1, 2 do if job.feature_names[i] == 'a' then end end", "feature a"},
    {"if job.license_counts['a'] or job.license_counts.b then end", "license a, license b"},
};

const WrittenCase others[] = {
    {"job.comment = 'a' if job.name == 'b' then end", ""},
    {"local name = 'a' job.qos = name", ""},
    {"job.qos = 'a' .. job.user", ""},
    {"if job.qos < 'a' or job.qos:find('b') then end", ""},
    {"local t = { qos = 'a' } t.qos = 'b' if t.qos == 'c' then end", ""},
    {"job = {} job.qos = 'a'", ""},
    {"if view.user.in_group('a') or view.reservation('b') or view.user.name == 'c' then end", ""},
    {"job.qos = nil job.partition = ''", ""},
    {"local qos = { qos = 'a' }", ""},
};

} // namespace

BOOST_AUTO_TEST_SUITE(written_names)

BOOST_DATA_TEST_CASE(names_are_found_where_they_certainly_are_some, certain, one) {
    BOOST_TEST(names_in(one.body) == one.names);
}

BOOST_DATA_TEST_CASE(other_texts_are_left_alone, others, one) {
    BOOST_TEST(names_in(one.body) == one.names);
}

BOOST_AUTO_TEST_CASE(keys_of_a_table_are_names_if_it_is_asked_for_one) {
    const std::string table = "local limits = { gpu = 1, ['big'] = 2 }";

    BOOST_TEST(names_in("local x = limits[job.qos]", table) == "qos big, qos gpu");
    BOOST_TEST(names_in("local x = limits[job.name]", table) == "");
    BOOST_TEST(names_in("limits = {} local x = limits[job.qos]", table) == "");
}

BOOST_AUTO_TEST_CASE(the_module_names_takes_them) {
    BOOST_TEST(names_in("if names.has(job.partition, 'a') then end", "local names = require('names')") ==
               "partition a");
    BOOST_TEST(names_in("if names.has(job.partition, 'a') then end", "local names = require('mine')") == "");
}

BOOST_AUTO_TEST_CASE(rules_for_clients_and_modules_have_some_too) {
    BOOST_TEST(names_in_file("t.lua", "rule { client = function(options) options.qos = 'a' "
                                      "if options.constraint == 'b' then end end }") == "qos a, feature b");
    BOOST_TEST(names_in_file("lib/m.lua", "local M = {} function M.f(job) job.qos = 'a' end return M") ==
               "qos a");
    BOOST_TEST(names_in_file("data/m.csv", "qos,a") == "");
}

BOOST_AUTO_TEST_CASE(each_is_told_with_its_file_and_line_once) {
    const auto names = find_written_names(
        {true,
         {{"b.lua", rule_with("job.qos = 'a'\njob.qos = 'a' job.qos = 'a'")}, {"a.lua", rule_with("")}}});

    BOOST_TEST_REQUIRE(names.size() == 2u);
    BOOST_TEST(names[0].file == "b.lua");
    BOOST_TEST(names[0].line == 2);
    BOOST_TEST(names[1].line == 3);
}

BOOST_AUTO_TEST_CASE(what_the_cluster_does_not_have_is_a_finding) {
    PolicyReport report =
        check_sources({true,
                       {{"t.lua", rule_with("job.qos = 'gpuu'\njob.qos = 'GPU'\njob.partition = 'Debug'\n"
                                            "job:add('features', 'x')")}}});
    ClusterNames names;
    names.of[static_cast<std::size_t>(NameKind::qos)] = {"gpu", "normal"};
    names.of[static_cast<std::size_t>(NameKind::partition)] = {"debug"};

    compare_names(report, names);

    BOOST_TEST_REQUIRE(report.findings.size() == 2u);
    BOOST_TEST(report.findings[0].line == 2);
    BOOST_TEST(report.findings[0].message == "the cluster has no QOS 'gpuu'; did you mean gpu?");
    BOOST_TEST(report.findings[1].line == 4);
    BOOST_TEST(report.findings[1].message == "the cluster has no partition 'Debug'; did you mean debug?");
    BOOST_TEST(report.loads());
}

BOOST_AUTO_TEST_SUITE_END()
