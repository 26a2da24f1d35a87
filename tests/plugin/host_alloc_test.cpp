// SPDX-License-Identifier: GPL-2.0-or-later
#include "host_alloc.hpp"

#include "fake_host.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg::plugin;
using qg::test::blocks_in_use;
using qg::test::host_text;

namespace {

/// A message that is freed as slurmctld frees it.
struct Message {
    char* text = nullptr;
    Message() = default;
    explicit Message(const char* before) : text(host_text(before)) {}
    Message(const Message&) = delete;
    Message& operator=(const Message&) = delete;
    ~Message() { assign_text(text, std::nullopt); }
};

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
    append_message(&message.text, "ours\nmore");
    BOOST_TEST(message.text == std::string("theirs\nours\nmore"));
}

BOOST_AUTO_TEST_CASE(an_empty_message_of_an_earlier_plugin_leaves_no_empty_line) {
    Message message("");
    append_message(&message.text, "ours");
    BOOST_TEST(message.text == std::string("ours"));
}

BOOST_AUTO_TEST_CASE(adds_nothing_where_there_is_nothing_to_say_or_nobody_to_say_it_to) {
    Message message("theirs");
    append_message(&message.text, "");
    BOOST_TEST(message.text == std::string("theirs"));
    append_message(nullptr, "ours");
}

BOOST_AUTO_TEST_SUITE_END()
