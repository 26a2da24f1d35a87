// SPDX-License-Identifier: GPL-2.0-or-later
#include "host/host_alloc.hpp"

#include "fake_host.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::plugin;
using qg::test::blocks_in_use;
using qg::test::host_text;

namespace {

/// A message that is freed in the same way as in slurmctld.
struct Message {
    char* text = nullptr;
    Message() = default;
    explicit Message(const char* before) : text(host_text(before)) {}
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message() { assign_text(text, std::nullopt); }
};

std::vector<std::string> texts(std::vector<std::string> all) {
    return all;
}

} // namespace

BOOST_AUTO_TEST_SUITE(host_alloc)

BOOST_AUTO_TEST_CASE(replaces_a_text_and_frees_the_old_one) {
    const int before = blocks_in_use();
    char* field = host_text("old");

    assign_text(field, "new");
    BOOST_TEST(field == std::string("new"));
    BOOST_TEST(blocks_in_use() == before + 1);

    assign_text(field, std::nullopt);
    BOOST_TEST(field == nullptr);
    BOOST_TEST(blocks_in_use() == before);
}

BOOST_AUTO_TEST_CASE(fills_a_field_that_is_null) {
    Message message;
    assign_text(message.text, "new");
    BOOST_TEST(message.text == std::string("new"));
}

BOOST_AUTO_TEST_CASE(puts_a_message_below_that_of_an_earlier_plugin) {
    Message message("theirs");
    append_message(&message.text, texts({"ours", "more"}));
    BOOST_TEST(message.text == std::string("theirs\nours\nmore"));
}

BOOST_AUTO_TEST_CASE(an_empty_message_of_an_earlier_plugin_leaves_no_empty_line) {
    Message message("");
    append_message(&message.text, texts({"ours"}));
    BOOST_TEST(message.text == std::string("ours"));
}

BOOST_AUTO_TEST_CASE(adds_nothing_where_there_is_nothing_to_say_or_nobody_to_say_it_to) {
    Message message("theirs");
    append_message(&message.text, texts({}));
    BOOST_TEST(message.text == std::string("theirs"));
    append_message(nullptr, texts({"ours"}));
}

BOOST_AUTO_TEST_CASE(a_message_has_no_control_characters_but_the_ends_of_its_lines) {
    Message message;
    append_message(&message.text, texts({"a\nerror: forged", "b\x1b[31m\x9b"
                                                             "31m\xc2\x9b"
                                                             "31m"}));
    BOOST_TEST(message.text == std::string("a?error: forged\nb?[31m?31m?31m"));
}

BOOST_AUTO_TEST_CASE(a_line_is_cut) {
    Message message;
    append_message(&message.text, texts({std::string(max_line_length + 1, 'x')}));
    BOOST_TEST(message.text == std::string(max_line_length, 'x') + "...");
}

BOOST_AUTO_TEST_CASE(a_logged_line_has_no_control_characters) {
    qg::test::take_log();
    log_line(qg::LogLevel::info, "%s\n[2026-11-22] error: forged\x1b\x9b");
    log_line(qg::LogLevel::error, "why");
    const std::vector<std::string> expected{"info: job_submit/qosgate: %s?[2026-11-22] error: forged??",
                                            "error: job_submit/qosgate: why"};
    BOOST_TEST(qg::test::take_log() == expected, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
