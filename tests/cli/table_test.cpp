// SPDX-License-Identifier: GPL-2.0-or-later
//
// Tables for people, as wide as they need or as narrow as a terminal, and for spreadsheets.
#include "common/table.hpp"
#include "report/report_table.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <sstream>

using namespace qg;

namespace {

cli::Table table() {
    return {{{.heading = "QOS", .short_heading = "Q"},
             {.heading = "LIMITED", .may_wrap = true},
             {.heading = "KEPT BY SLURMCTLD", .is_number = true},
             {.heading = "SHARE", .shorten = cli::without_bar}},
            {{"night shift", "wall time per job", "12", cli::usage_bar(0.5, /*colours=*/false)},
             {"day", "", "345", ""}}};
}

std::string show(std::size_t width, std::string_view indent = {}) {
    std::ostringstream out;
    cli::print_aligned(out, table(), width, indent);
    return out.str();
}

constexpr const char* whole = "QOS          LIMITED            KEPT BY SLURMCTLD  SHARE\n"
                              "night shift  wall time per job                 12  [#####.....]  50%\n"
                              "day          -                                345  -\n";

} // namespace

BOOST_AUTO_TEST_SUITE(table_for_people)

BOOST_AUTO_TEST_CASE(a_table_that_fits_is_whole) {
    BOOST_TEST(show(cli::unlimited_width) == whole);
    BOOST_TEST(show(68) == whole);
}

BOOST_AUTO_TEST_CASE(a_narrow_one_has_no_bars_then_headings_and_last_cells_in_several_lines) {
    BOOST_TEST(show(67) == "Q            LIMITED            KEPT BY SLURMCTLD  SHARE\n"
                           "night shift  wall time per job                 12  50%\n"
                           "day          -                                345  -\n");
    BOOST_TEST(show(48) == "Q            LIMITED              KEPT BY  SHARE\n"
                           "                                SLURMCTLD\n"
                           "night shift  wall time per job         12  50%\n"
                           "day          -                        345  -\n");
    BOOST_TEST(show(40) == "Q            LIMITED      KEPT BY  SHARE\n"
                           "                        SLURMCTLD\n"
                           "night shift  wall time         12  50%\n"
                           "             per job\n"
                           "day          -                345  -\n");
}

BOOST_AUTO_TEST_CASE(no_word_and_no_cell_that_may_not_wrap_is_broken) {
    const std::string narrowest = show(1);
    BOOST_TEST(narrowest == "Q            LIMITED    KEPT BY  SHARE\n"
                            "                      SLURMCTLD\n"
                            "night shift  wall            12  50%\n"
                            "             time\n"
                            "             per job\n"
                            "day          -              345  -\n");
    BOOST_TEST(show(0) == narrowest);
}

BOOST_AUTO_TEST_CASE(the_indent_is_part_of_the_width) {
    BOOST_TEST(show(70, "  ").starts_with("  QOS          LIMITED            KEPT"));
    BOOST_TEST(show(70, "  ").find("[#####") != std::string::npos);
    BOOST_TEST(show(69, "  ").find("[#####") == std::string::npos);
}

BOOST_AUTO_TEST_CASE(colours_have_no_width) {
    cli::Table coloured = table();
    coloured.rows[0][3] = cli::usage_bar(0.5, /*colours=*/true);
    std::ostringstream out;
    cli::print_aligned(out, coloured, 68);
    BOOST_TEST(out.str().find("\033[32m[#####.....]\033[0m  50%\n") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_cell_without_a_bar_stays) {
    BOOST_TEST(cli::without_bar("") == "");
    BOOST_TEST(cli::without_bar("-") == "-");
    BOOST_TEST(cli::without_bar(cli::usage_bar(1, /*colours=*/true)) == "100%");
    BOOST_TEST(cli::without_bar(cli::usage_bar(0.07, /*colours=*/false) + "  binds first") ==
               "7%  binds first");
}

BOOST_AUTO_TEST_CASE(columns_are_taken_off_from_the_right_until_the_table_fits) {
    const auto taken = [](std::size_t width) {
        cli::Table wide{{{"Name"}, {"Priority", true}, {"Flags"}}, {{"night", "5", "DenyOnLimit"}}};
        const auto left_out = cli::take_columns_off(wide, width);
        std::ostringstream out;
        cli::print_aligned(out, wide);
        BOOST_TEST(wide.rows[0].size() == wide.columns.size());
        BOOST_TEST(out.str().find('\n') <= width);
        return text::join(left_out, ",");
    };
    BOOST_TEST(taken(28) == "");
    BOOST_TEST(taken(27) == "Flags");
    BOOST_TEST(taken(15) == "Flags");
    BOOST_TEST(taken(14) == "Priority,Flags");
    cli::Table one{{{"Name"}}, {{"night"}}};
    BOOST_TEST(cli::take_columns_off(one, 0).empty());
    BOOST_TEST(one.columns.size() == 1u);
}

BOOST_AUTO_TEST_CASE(a_bar_is_empty_full_or_between) {
    BOOST_TEST(cli::usage_bar(0, false) == "[..........]   0%");
    BOOST_TEST(cli::usage_bar(0.001, false) == "[#.........]   0%");
    BOOST_TEST(cli::usage_bar(0.999, false) == "[#########.]  99%");
    BOOST_TEST(cli::usage_bar(1, false) == "[##########] 100%");
    BOOST_TEST(cli::usage_bar(3, false) == "[##########] 300%");
    BOOST_TEST(cli::usage_bar(1e300, false) == "[##########] 9999%");
    BOOST_TEST(cli::usage_bar(0.8, true) == "\033[33m[########..]\033[0m  80%");
}

BOOST_AUTO_TEST_CASE(cells_of_csv_are_quoted_if_they_must_be) {
    std::ostringstream out;
    cli::print_csv(out, {{{"a"}, {"b"}}, {{"plain", "with,comma"}, {"say \"x\"", "two words"}, {"", ""}}});
    BOOST_TEST(out.str() == "a,b\nplain,\"with,comma\"\n\"say \"\"x\"\"\",two words\n,\n");
}

BOOST_AUTO_TEST_CASE(cells_of_csv_are_neither_lines_nor_escapes_nor_formulas) {
    const auto cell = [](const char* text) {
        std::ostringstream out;
        cli::print_csv(out, {{{"a"}}, {{text}}});
        return out.str().substr(2);
    };
    BOOST_TEST(cell("two\nlines") == "two?lines\n");
    BOOST_TEST(cell("\x1b[2J") == "?[2J\n");
    BOOST_TEST(cell("=cmd()") == "'=cmd()\n");
    BOOST_TEST(cell("=a,b") == "\"'=a,b\"\n");
    BOOST_TEST(cell("+1") == "'+1\n");
    BOOST_TEST(cell("@x") == "'@x\n");
    BOOST_TEST(cell("-1+2") == "'-1+2\n");
    BOOST_TEST(cell("-") == "'-\n");
    BOOST_TEST(cell("-1.50") == "-1.50\n");
    BOOST_TEST(cell("a=b") == "a=b\n");
}

BOOST_AUTO_TEST_CASE(rows_are_sorted_by_a_known_key_in_both_directions) {
    constexpr cli::SortKey<int> keys[] = {{"size", [](const int& a, const int& b) { return a < b; }}};
    std::vector<int> rows{2, 3, 1};

    BOOST_TEST(cli::sort_rows<int>(rows, "size", keys).has_value());
    BOOST_TEST(rows == (std::vector<int>{1, 2, 3}), boost::test_tools::per_element());
    BOOST_TEST(cli::sort_rows<int>(rows, "-size", keys).has_value());
    BOOST_TEST(rows == (std::vector<int>{3, 2, 1}), boost::test_tools::per_element());
    const auto unknown = cli::sort_rows<int>(rows, "sise", keys);
    BOOST_TEST_REQUIRE(!unknown.has_value());
    BOOST_TEST(unknown.error().message ==
               "--sort: there is no order 'sise'; did you mean size?; there are size");
}

BOOST_AUTO_TEST_SUITE_END()
