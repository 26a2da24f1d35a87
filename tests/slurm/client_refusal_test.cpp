// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/client_refusal.hpp"

#include <boost/test/unit_test.hpp>

#include <ostream>
#include <string>
#include <vector>

using qg::slurm::ClientLine;
using qg::slurm::read_refusal;
using qg::slurm::write_refusal;
using Lines = std::vector<ClientLine>;

namespace {

Lines sent(const Lines& lines) {
    return read_refusal(write_refusal(lines));
}

} // namespace

// In the namespace of ClientLine: Boost.Test finds the operator by its argument.
namespace qg::slurm {

std::ostream& operator<<(std::ostream& out, const ClientLine& line) {
    return out << (line.is_error ? "error: " : "") << line.text;
}

} // namespace qg::slurm

BOOST_AUTO_TEST_SUITE(client_refusal)

BOOST_AUTO_TEST_CASE(lines_arrive_as_they_were_said) {
    const Lines lines{{"no arrays", true}, {"a note", false}, {"e", false}, {"", true}};
    BOOST_TEST(sent(lines) == lines, boost::test_tools::per_element());
    BOOST_TEST(sent({}).empty());
}

BOOST_AUTO_TEST_CASE(a_line_stays_one_line_and_is_safe_to_print) {
    const Lines lines = sent({{"first\nesecond\33[2J", false}});
    BOOST_TEST_REQUIRE(lines.size() == 1u);
    BOOST_TEST(lines.front().text == "first?esecond?[2J");

    const Lines cut = sent({{std::string(1'000'000, 'x'), true}});
    BOOST_TEST_REQUIRE(cut.size() == 1u);
    BOOST_TEST(cut.front().text == std::string(2000, 'x') + "...");
}

BOOST_AUTO_TEST_CASE(what_is_no_line_of_a_refusal_is_left_out) {
    BOOST_TEST(read_refusal("qg-job-1\n\nesaid\n") == (Lines{{"said", true}}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
