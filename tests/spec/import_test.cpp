// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/import.hpp"

#include "qosgate/spec/sacctmgr_text.hpp"
#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;

namespace {

const std::string head = "# Imported from f\nowner: base\n";

Imported import_text(const std::string& text, const std::string& owner = "base") {
    const SourceText source{"f", text};
    return import_spec(std::span(&source, 1), owner);
}

std::string spec_of(const std::string& text) {
    const Imported imported = import_text(text);
    for (const Problem& problem : imported.problems)
        BOOST_TEST(problem.text == "");
    return imported.spec;
}

/// "line: text" of the one problem.
std::string problem_of(const std::string& text) {
    const Imported imported = import_text(text);
    BOOST_TEST(imported.spec == "");
    BOOST_TEST_REQUIRE(imported.problems.size() == 1u);
    return std::to_string(imported.problems[0].position.line) + ": " + imported.problems[0].text;
}

} // namespace

BOOST_AUTO_TEST_SUITE(import_spec_text)

// ---- dump files -----------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(qos_lines_of_a_dump_become_qos) {
    BOOST_TEST(
        spec_of("# comment\n"
                "QOS - 'normal':Description='Normal QOS default'\n"
                "\n"
                "QOS - 'Night':Description='a: b, "
                "\"c\"':Flags='DenyOnLimit,NoReserve':GraceTime=90:GrpTRES=cpu=5,"
                "mem=1T,gres/gpu=2:MaxWallDurationPerJob=90:MaxJobsPU=3:MinPrioThresh=4:Preempt='normal':"
                "PreemptMode='requeue':PreemptExemptTime=30:UsageFactor=0.500000\n") == head + R"(qos:
  night:
    Description: "a: b, \"c\""
    MaxWall: "01:30:00"
    MaxJobsPerUser: 3
    MinPrioThreshold: 4
    GrpTRES: {cpu: 5, mem: 1T, "gres/gpu": 2}
    Flags: [DenyOnLimit, NoReserve]
    UsageFactor: 0.5
    Preempt: [normal]
    PreemptMode: [REQUEUE]
    PreemptExemptTime: "00:00:30"
    GraceTime: "00:01:30"
  normal:
    Description: "Normal QOS default"
)");
}

BOOST_AUTO_TEST_CASE(the_colon_of_a_type_separates_no_options) {
    BOOST_TEST(
        spec_of(
            "QOS - "
            "'q2':Priority=10:GrpTRES=cpu=6,gres/gpu:a100=2,gres/gpu:v100=4:MaxTRESPerUser=gres/gpu:a100=1:"
            "MaxWallDurationPerJob=5\n") == head + R"(qos:
  q2:
    Priority: 10
    MaxWall: "00:05:00"
    MaxTRESPerUser: {"gres/gpu:a100": 1}
    GrpTRES: {cpu: 6, "gres/gpu:a100": 2, "gres/gpu:v100": 4}
)");
    // In the lines of associations, too; what only looks like a gres has no type.
    const auto line = parse_dump_line(
        "User - 'ana':GrpTRES=gres/gpu:a100=2:Comment='gres/gpu':WorkDir=/home/gres/x:Fairshare=1");
    BOOST_TEST_REQUIRE(line.has_value());
    BOOST_TEST(*line == (DumpLine{"User",
                                  "ana",
                                  {{"GrpTRES", "gres/gpu:a100=2"},
                                   {"Comment", "gres/gpu"},
                                   {"WorkDir", "/home/gres/x"},
                                   {"Fairshare", "1"}}}));
    BOOST_TEST(import_text("QOS - 'q':GrpTRES=gres/gpu:a100:b=2\n").problems.size() ==
               2u); // a type has no colon
}

BOOST_AUTO_TEST_CASE(associations_of_a_dump_become_access) {
    const Imported imported =
        import_text("QOS - 'normal':Description='normal'\n"
                    "QOS - 'night':Description='night'\n"
                    "Cluster - 'c':Fairshare=1:QOS='normal'\n"
                    "Parent - 'root'\n"
                    "User - 'root':DefaultAccount='root':Fairshare=1\n"
                    "Account - 'Physics':Description='p':QOS='+night':DefaultQOS='night'\n"
                    "Parent - 'physics'\n"
                    "User - 'ana':Partition='gpu':QOS='night,normal'\n"
                    "User - 'bob':QOS='-normal,+lost'\n");
    BOOST_TEST(imported.problems.empty());
    BOOST_TEST(imported.spec == head + R"(qos:
  night:
    access:
      accounts: [physics]
      users:
        - {user: ana, account: physics, partition: gpu}
      default_for:
        accounts: [physics]
  normal:
    access:
      accounts: [root]
      users:
        - {user: ana, account: physics, partition: gpu}
)");
    BOOST_TEST(
        imported.left_out ==
        (std::vector<std::string>{
            "line 5: DefaultAccount of a user is not of a QOS",
            "line 6: Description of a account is not of a QOS",
            "line 3: Fairshare of a cluster is not of a QOS", "line 5: Fairshare of a user is not of a QOS",
            "line 9: a spec cannot say that an association does not have what the account above it has "
            "(-normal)",
            "line 9: no line before it defines QOS 'lost'"}));
}

BOOST_AUTO_TEST_CASE(quotes_enclose_and_hide_colons) {
    const auto line = parse_dump_line("QOS - 'a':Description='x:y \"z\"':B=\"it's\":C=1");
    BOOST_TEST_REQUIRE(line.has_value());
    BOOST_TEST(*line == (DumpLine{"QOS", "a", {{"Description", "x:y \"z\""}, {"B", "it's"}, {"C", "1"}}}));
    BOOST_TEST(problem_of("QOS - 'a':Description='it's here'\n") ==
               "1: a quote is not closed; sacctmgr has no way to write a quote inside quotes");
}

BOOST_AUTO_TEST_CASE(wrong_lines_of_a_dump_are_problems_with_their_number) {
    BOOST_TEST(problem_of("QOS - 'a':Description='a'\nnonsense\n") ==
               "2: a line of a dump is OBJECT - 'name':Option=value:…, for example QOS - 'night'");
    BOOST_TEST(problem_of("QOS - 'a':Nonsense=1\n") == "1: a QOS has no option 'Nonsense'");
    BOOST_TEST(problem_of("QOS - 'a':Priority\n") == "1: 'Priority' is not Option=value");
    BOOST_TEST(problem_of("QOS - 'a':Priority=x\n").find("1: Priority=x: 'x' is not a whole number") == 0u);
    BOOST_TEST(problem_of("QOS - 'a':Flags='Nonsense'\n").find("1: Flags=Nonsense: ") == 0u);
    BOOST_TEST(problem_of("QOS - 'a'\nQOS - 'A'\n") == "2: QOS 'a' is there twice");
    BOOST_TEST(problem_of("QOS - 'a'\nUser - 'ana':QOS='a'\n") ==
               "2: a user needs a line \"Parent - 'account'\" before it");
    BOOST_TEST(problem_of("QOS - 'a'\nWckey - 'b'\n") ==
               "2: 'Wckey' is not QOS, Cluster, Parent, Account or User");
    BOOST_TEST(problem_of("Cluster - 'c':QOS='normal'\n").find("0: no line is of a QOS") == 0u);
}

// ---- show qos -------------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(the_owner_must_be_one_that_a_spec_can_have) {
    BOOST_TEST(import_text("Name\nnight\n", "ops-2").problems.empty());
    const Imported refused = import_text("Name\nnight\n", "Ops");
    BOOST_TEST_REQUIRE(refused.problems.size() == 1u);
    BOOST_TEST(refused.problems[0].text.find("'Ops' cannot be an owner: an owner is 1 to 32 ") !=
               std::string::npos);
    BOOST_TEST(refused.spec == "");
}

BOOST_AUTO_TEST_CASE(a_table_with_a_header_has_any_columns) {
    BOOST_TEST(
        spec_of("Name|MaxWall|GrpTRES|Flags\nnight|1-00:00:00|cpu=5,gres/gpu=2|DenyOnLimit\nday|||\n") ==
        head +
            "qos:\n  day: {}\n  night:\n    MaxWall: \"1-00:00:00\"\n    GrpTRES: {cpu: 5, \"gres/gpu\": 2}\n"
            "    Flags: [DenyOnLimit]\n");
    // -p ends each line with a bar.
    BOOST_TEST(spec_of("Name|Priority|\nnight|5|\n") == head + "qos:\n  night:\n    Priority: 5\n");
}

BOOST_AUTO_TEST_CASE(the_mark_of_another_spec_is_left_out) {
    const Imported imported = import_text("Name|Descr\nnight|for nights [qosgate:base*=8]\n");
    BOOST_TEST(imported.problems.empty());
    BOOST_TEST(imported.spec.find("for nights") != std::string::npos);
    BOOST_TEST(imported.spec.find("qosgate:") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(columns_that_are_no_field_are_named) {
    const Imported imported = import_text("Name|ID|Priority\nnight|7|5\n");
    BOOST_TEST(imported.problems.empty());
    BOOST_TEST_REQUIRE(imported.left_out.size() == 2u);
    BOOST_TEST(imported.left_out[0] == "line 1: the column ID is no field of a spec");
    BOOST_TEST(imported.left_out[1].starts_with("line 1: there is no column for Description, MaxWall, "));
}

BOOST_AUTO_TEST_CASE(without_a_header_the_number_of_cells_tells_the_release) {
    const std::string old_row = "night|5|00:00:00|||cluster|||1.000000||||||||||08:00:00||2||||3|";
    BOOST_TEST(spec_of(old_row + "\n") ==
               head + "qos:\n  night:\n    Priority: 5\n    MaxWall: \"08:00:00\"\n    MaxJobsPerUser: 2\n"
                      "    MaxSubmitJobsPerAccount: 3\n");
    const std::string new_row =
        "night|5|00:00:00|||cluster|||1.000000||||||||||08:00:00||2||||cpu=9||3|cpu=1";
    BOOST_TEST(spec_of(new_row + "\n") ==
               head + "qos:\n  night:\n    Priority: 5\n    MaxWall: \"08:00:00\"\n    "
                      "MaxTRESRunMinsPerUser: {cpu: 9}\n"
                      "    MaxJobsPerUser: 2\n    MaxSubmitJobsPerAccount: 3\n    MinTRESPerJob: {cpu: 1}\n");
    BOOST_TEST(problem_of("night|5\n").find("1: there is no header with a column 'Name'") == 0u);
}

BOOST_AUTO_TEST_CASE(rows_must_have_all_cells) {
    BOOST_TEST(problem_of("Name|Priority\nnight|5|6\n") == "2: it has 3 cells, and 2 are expected");
    BOOST_TEST(problem_of("Name|Priority\nnight\n") == "2: it has 1 cells, and 2 are expected");
    BOOST_TEST(problem_of("Name|Priority\n|5\n") == "2: a QOS needs a name");
    BOOST_TEST(problem_of("") == "0: it is empty");
    BOOST_TEST(problem_of("Name|Priority\n") == "0: there is no QOS in it");
}

// ---- several files --------------------------------------------------------------------------------------

BOOST_AUTO_TEST_CASE(a_dump_without_qos_tells_who_may_use_those_of_a_table) {
    const std::vector<SourceText> sources{
        {"dump", "Cluster - 'c':QOS='normal'\nParent - 'root'\nAccount - 'astro':QOS='night'\n"},
        {"table", "Name|MaxWall\nnight|01:00:00\n"}};

    const Imported imported = import_spec(sources, "base");

    BOOST_TEST(imported.problems.empty());
    BOOST_TEST(imported.spec == "# Imported from dump, table\nowner: base\nqos:\n  night:\n"
                                "    MaxWall: \"01:00:00\"\n    access:\n      accounts: [astro]\n");
    BOOST_TEST(imported.left_out.front() == "dump line 1: no line before it defines QOS 'normal'");
    const Imported alone = import_spec(std::span(sources).first(1), "base");
    BOOST_TEST_REQUIRE(alone.problems.size() == 1u);
    BOOST_TEST(alone.problems[0].text.find("import that, too") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(dumps_of_two_clusters_make_no_spec) {
    const std::string dump = "Cluster - 'c':QOS='night'\nParent - 'root'\nAccount - 'astro':QOS='night'\n";
    const SourceText table{"table", "Name\nnight\n"};

    const Imported twice = import_spec(std::vector<SourceText>{table, {"a", dump}, {"b", dump}}, "base");
    BOOST_TEST(twice.problems.empty());
    BOOST_TEST(twice.spec.find("accounts: [root, astro]\n") != std::string::npos);

    const std::vector<SourceText> two{table, {"a", dump}, {"b", "Cluster - 'd':QOS='night'\n"}};
    const Imported refused = import_spec(two, "base");
    BOOST_TEST_REQUIRE(refused.problems.size() == 1u);
    BOOST_TEST(to_text(refused.problems[0]) ==
               "b:1: it is about cluster 'd', and a line before is about 'c': a "
               "spec is for one cluster");
    BOOST_TEST(refused.spec == "");
}

BOOST_AUTO_TEST_CASE(an_empty_file_beside_others_is_a_problem) {
    const std::vector<SourceText> sources{{"table", "Name\nnight\n"}, {"dump", "\n"}};
    const Imported imported = import_spec(sources, "base");
    BOOST_TEST_REQUIRE(imported.problems.size() == 1u);
    BOOST_TEST(to_text(imported.problems[0]) == "dump: it is empty");
}

BOOST_AUTO_TEST_CASE(a_qos_in_two_files_is_a_problem_with_its_place) {
    const std::vector<SourceText> sources{{"a", "Name\nnight\nday\n"}, {"b", "Name|Priority\nnight|5\n"}};

    const Imported imported = import_spec(sources, "base");

    BOOST_TEST(imported.spec == "");
    BOOST_TEST_REQUIRE(imported.problems.size() == 1u);
    BOOST_TEST(to_text(imported.problems[0]) == "b:2: QOS 'night' is there twice");
}

BOOST_AUTO_TEST_SUITE_END()
