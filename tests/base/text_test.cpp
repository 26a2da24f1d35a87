// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

namespace text = qg::text;

BOOST_AUTO_TEST_SUITE(text_module)

BOOST_AUTO_TEST_CASE(split_trims_and_drops_empty_parts) {
    const auto parts = text::split(" a, ,b ,", ',');

    BOOST_TEST_REQUIRE(parts.size() == 2u);
    BOOST_TEST(parts[0] == "a");
    BOOST_TEST(parts[1] == "b");
}

BOOST_AUTO_TEST_CASE(split_keeps_empty_parts_when_asked) {
    BOOST_TEST(text::split("a,,b,", ',', /*keep_empty=*/true).size() == 4u);
    BOOST_TEST(text::split("", ',', /*keep_empty=*/true).size() == 1u);
}

BOOST_AUTO_TEST_CASE(parse_unsigned_takes_digits_only) {
    BOOST_TEST(text::parse_unsigned("18446744073709551615").value() == 18446744073709551615u);
    for (const char* wrong : {"", "-1", "+1", " 1", "1 ", "1x", "18446744073709551616"})
        BOOST_TEST_CONTEXT(wrong) {
            BOOST_TEST(!text::parse_unsigned(wrong).has_value());
        }
}

BOOST_AUTO_TEST_CASE(a_list_of_names_shows_a_dozen_and_counts_the_rest) {
    std::vector<std::string> names(12, "name");
    const std::string dozen = text::list_names(names);
    BOOST_TEST(dozen.find("more") == std::string::npos);

    names.emplace_back("last");
    BOOST_TEST(text::list_names(names) == dozen + ", last"); // no longer than "and 1 more"
    names.back() = "a-much-longer-name";
    BOOST_TEST(text::list_names(names) == dozen + " and 1 more");
    names.emplace_back("last");
    BOOST_TEST(text::list_names(names) == dozen + " and 2 more");
}

BOOST_AUTO_TEST_CASE(did_you_mean_suggests_a_near_miss_and_nothing_far) {
    const std::vector<std::string> names{"moonlight", "normal", "debug"};

    BOOST_TEST(text::did_you_mean("moonlite", names) == "; did you mean moonlight?");
    BOOST_TEST(text::did_you_mean("DEBUGG", names) == "; did you mean debug?");
    BOOST_TEST(text::did_you_mean("interactive", names) == "");
}

BOOST_AUTO_TEST_CASE(the_name_that_was_given_is_never_suggested) {
    const std::vector<std::string> names{"astro", "astra"};

    BOOST_TEST(text::did_you_mean("astro", std::span(names).first(1)) == "");
    BOOST_TEST(text::did_you_mean("astro", names) == "; did you mean astra?");
    BOOST_TEST(text::did_you_mean("Astro", names) == "; did you mean astro?");
    BOOST_TEST(text::did_you_mean("astro", "astro") == "");
    BOOST_TEST(text::did_you_mean("show", "list") == "; did you mean list?");
}

BOOST_AUTO_TEST_CASE(two_letters_that_changed_places_are_one_mistake) {
    const std::vector<std::string> names{"long", "main"};

    BOOST_TEST(text::did_you_mean("lnog", names) == "; did you mean long?");
    BOOST_TEST(text::did_you_mean("Mian", names) == "; did you mean main?");
    BOOST_TEST(text::did_you_mean("gnol", names) == "");
}

BOOST_AUTO_TEST_CASE(did_you_mean_finds_the_nearest_of_a_thousand_names) {
    std::vector<std::string> names;
    for (int i = 0; i < 1000; ++i)
        names.push_back("partition" + std::to_string(i));
    names.push_back("moonlight");

    BOOST_TEST(text::did_you_mean("moonlite", names) == "; did you mean moonlight?");
    BOOST_TEST(text::did_you_mean("partitoin500", names) == "; did you mean partition500?");
}

BOOST_AUTO_TEST_CASE(did_you_mean_takes_no_text_for_a_name_that_is_too_long_for_one) {
    const std::string longest(64, 'x');
    const std::vector<std::string> names{longest, longest + "x"};

    BOOST_TEST(text::did_you_mean(longest.substr(1), names) == "; did you mean " + longest + "?");
    BOOST_TEST(text::did_you_mean(longest + "x", names) == "");
}

BOOST_AUTO_TEST_CASE(printable_hides_control_characters_and_cuts_at_a_character) {
    BOOST_TEST(text::printable("a\nb\x1b[31m") == "a?b?[31m");
    BOOST_TEST(text::printable("äöü", 3) == "ä...");
    BOOST_TEST(text::printable("abc", 3) == "abc");
    BOOST_TEST(text::printable("äöü", 4) == "äö...");
    BOOST_TEST(text::printable("a\x7f\t") == "a??");
}

BOOST_AUTO_TEST_CASE(printable_hides_the_second_set_of_control_characters) {
    BOOST_TEST(text::printable("a\x9b"
                               "31m") == "a?31m"); // CSI of terminals with 8 bits
    BOOST_TEST(text::printable("a\xc2\x9b"
                               "31m") == "a?31m");                           // the same in UTF-8
    BOOST_TEST(text::printable("\xc2\x80\xc2\x9f\xc2\xa0") == "??\xc2\xa0"); // the first, the last, no more
}

BOOST_AUTO_TEST_CASE(printable_hides_what_breaks_a_line_or_turns_its_direction) {
    for (const char* hidden : {"\xe2\x80\xa8", "\xe2\x80\xa9",              // U+2028, U+2029
                               "\xe2\x80\xaa", "\xe2\x80\xae",              // U+202A to U+202E
                               "\xe2\x81\xa6", "\xe2\x81\xa9",              // U+2066 to U+2069
                               "\xe2\x80\x8e", "\xe2\x80\x8f", "\xd8\x9c"}) // U+200E, U+200F, U+061C
        BOOST_TEST(text::printable(std::string("a") + hidden + "b") == "a?b");
    for (const char* shown :
         {"\xe2\x80\x90", "\xe2\x80\xa7", "\xe2\x80\xaf", "\xe2\x81\xb0", "\xd8\x9b", "\xd8\x9d", "\xd7\xa9"})
        BOOST_TEST(text::printable(shown) == shown); // what stands beside them, and a Hebrew letter
}

BOOST_AUTO_TEST_CASE(printable_hides_what_has_no_width) {
    for (const char* hidden : {"\xe2\x80\x8b", "\xe2\x80\x8c", "\xe2\x80\x8d", // U+200B to U+200D
                               "\xe2\x81\xa0", "\xe2\x81\xa4",                 // U+2060 to U+2064
                               "\xef\xbb\xbf", "\xc2\xad"})                    // U+FEFF, U+00AD
        BOOST_TEST(text::printable(std::string("a") + hidden + "b") == "a?b");
    for (const char* shown : {"\xe2\x80\x8a", "\xe2\x81\x9f", "\xe2\x81\xb0", "\xef\xbb\xbe", "\xef\xbc\x80",
                              "\xc2\xac", "\xc2\xae"})
        BOOST_TEST(text::printable(shown) == shown); // what stands beside them
}

BOOST_AUTO_TEST_CASE(printable_hides_what_unicode_ignores) {
    for (const char* hidden :
         {"\U000e0000", "\U000e0001", "\U000e0020", "\U000e007f", // tags
          "\u2065",     "\u206a",     "\u206f",     "\u180b",     "\u180e", "\u180f",
          "\ufff0",     "\ufff9",     "\ufffb",     "\ufe00",     "\ufe0f", // variation selectors
          "\U000e0100", "\U000e01ef", "\u3164",     "\u115f",     "\u1160", "\uffa0",
          "\u034f",     "\u0600",     "\U000110bd", "\U0001d173"})
        BOOST_TEST(text::printable(std::string("a") + hidden + "b") == "a?b");
    for (const char* shown : {"\u115e", "\u1161", "\u3163", "\u3165", "\u180a", "\u1810", "\ufdff", "\ufe10",
                              "\uff9f", "\uffa1", "\uffef", "\ufffc", "\U000dffff", "\U000e1000"})
        BOOST_TEST(text::printable(shown) == shown); // what stands beside them
}

BOOST_AUTO_TEST_CASE(printable_lets_no_accent_join_what_stands_before_the_text) {
    BOOST_TEST(text::printable("\u0300x") == "?x");
    BOOST_TEST(text::printable("\u0300\u0301x\u0301") == "??x\u0301");
    BOOST_TEST(text::printable("e\u0301") == "e\u0301");
    BOOST_TEST(text::printable("e\u0301\u0323 \u20dd") ==
               "e\u0301\u0323 \u20dd");                    // its own letters and spaces
    BOOST_TEST(text::printable("\u202e\u0301x") == "??x"); // nor the sign for what is hidden
    BOOST_TEST(text::printable("\n\u093e") == "??");
    BOOST_TEST(text::printable("\u0915\u093e") == "\u0915\u093e");
    BOOST_TEST(text::quoted("\u0338=") == "'?='");
}

BOOST_AUTO_TEST_CASE(quoted_shows_where_a_text_ends) {
    BOOST_TEST(text::quoted("") == "''");
    BOOST_TEST(text::quoted("my job") == "'my job'");
    BOOST_TEST(text::quoted("x' qos='high") == R"('x\' qos=\'high')");
    BOOST_TEST(text::quoted(R"(x\)") == R"('x\\')");
    BOOST_TEST(text::quoted("a\nb\xe2\x80\xae") == "'a?b?'");
    BOOST_TEST(text::quoted("abc", 3) == "'abc'");
    BOOST_TEST(text::quoted("ab''", 3) == R"('ab\'...')");
}

BOOST_AUTO_TEST_CASE(printable_keeps_utf8_and_replaces_what_is_none) {
    for (const char* good : {"naïve", "漢字", "🙂", "\xef\xbf\xbd", "\xf4\x8f\xbf\xbf"})
        BOOST_TEST(text::printable(good) == good);
    const std::pair<const char*, const char*> wrong[] = {
        {"\xe4\xf6", "??"},           // Latin-1
        {"\xc0\x9b", "??"},           // too long a form of ESC
        {"\xe0\x82\x9b", "???"},      // of CSI
        {"\xed\xa0\x80", "???"},      // a surrogate
        {"\xf4\x90\x80\x80", "????"}, // beyond Unicode
        {"\xe6\xbc", "??"},           // cut short
        {"\xe6\xbc"
         "a",
         "??a"},
    };
    for (const auto& [text, shown] : wrong)
        BOOST_TEST(text::printable(text) == shown);
}

BOOST_AUTO_TEST_CASE(matches_ignores_case) {
    BOOST_TEST(text::matches("Moonlight", "moon*"));
    BOOST_TEST(!text::matches("sunlight", "moon*"));
}

BOOST_AUTO_TEST_CASE(control_characters_in_a_shells_word_are_escapes) {
    BOOST_TEST(text::shell_word("a\nb") == "$'a\\012b'");
    BOOST_TEST(text::shell_word("\x1b'\\") == "$'\\033\\047\\\\'");
    BOOST_TEST(text::shell_word("\xc2\x9b") == "$'\\302\\233'");
    BOOST_TEST(text::shell_word("a b\\") == "'a b\\'");
    BOOST_TEST(text::shell_word("\xc3\xa9") == "'\xc3\xa9'");
}

BOOST_AUTO_TEST_SUITE_END()
