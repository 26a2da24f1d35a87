// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/print.hpp"

#include "qosgate/base/text.hpp"

#include <map>
#include <set>
#include <string>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace std::chrono_literals;

namespace {

/// What a failing BOOST_TEST(left == right) says.
template <typename Left, typename Right>
std::string complaint(const Left& left, const Right& right) {
    const auto result = (boost::test_tools::assertion::seed()->*left == right).evaluate();
    BOOST_TEST(!result);
    const auto message = result.message();
    return std::string(text::trim({message.begin(), message.size()}));
}

enum class Colour : std::uint8_t { red, green, blue = 70 };

} // namespace

BOOST_AUTO_TEST_SUITE(print)

BOOST_AUTO_TEST_CASE(a_failure_names_both_enumerators) {
    BOOST_TEST(complaint(Colour::red, Colour::green) == "[red != green]");
    BOOST_TEST(complaint(ErrorCode::not_found, ErrorCode::internal) == "[not_found != internal]");
}

BOOST_AUTO_TEST_CASE(an_enumerator_out_of_reach_is_a_number) {
    BOOST_TEST(complaint(Colour::blue, Colour::red) == "[70 != red]");
    BOOST_TEST(complaint(static_cast<Colour>(5), Colour::red) == "[5 != red]");
}

BOOST_AUTO_TEST_CASE(an_optional_shows_what_is_in_it) {
    BOOST_TEST(complaint(std::optional<int>(), 3) == "[nothing != 3]");
    BOOST_TEST(complaint(std::optional(4), std::nullopt) == "[4 != nothing]");
    BOOST_TEST(complaint(std::optional(Colour::red), Colour::green) == "[red != green]");
    BOOST_TEST(complaint(std::optional(TimeLimit{60}), TimeLimit{61}) == "[01:00:00 != 01:01:00]");
}

BOOST_AUTO_TEST_CASE(containers_are_shown_whole) {
    using Texts = std::vector<std::string>;
    BOOST_TEST(complaint(Texts{"a", "b"}, Texts{"a"}) == R"([{"a", "b"} != {"a"}])");
    BOOST_TEST(complaint(std::set{1, 2}, std::set<int>{}) == "[{1, 2} != {}]");
    BOOST_TEST(complaint(std::map<std::string, int>{{"cpu", 1}}, std::map<std::string, int>{{"cpu", 2}}) ==
               R"([{"cpu": 1} != {"cpu": 2}])");
    BOOST_TEST(complaint(std::array{true}, std::array{false}) == "[{true} != {false}]");
}

BOOST_AUTO_TEST_CASE(a_struct_shows_its_fields) {
    BOOST_TEST(complaint(model::Memory{1000, true}, model::Memory{1000, false}) ==
               "[{mib=1000, per_cpu=true} != {mib=1000, per_cpu=false}]");
    BOOST_TEST(complaint(limits::Owner{}, limits::Owner{limits::OwnerKind::association, 2}) ==
               "[{kind=qos, index=0} != {kind=association, index=2}]");
}

BOOST_AUTO_TEST_CASE(a_variant_shows_what_it_holds) {
    BOOST_TEST(complaint(limits::LimitId(model::TresLimit::grp_tres),
                         limits::LimitId(model::CountLimit::max_wall)) == "[grp_tres != max_wall]");
}

BOOST_AUTO_TEST_CASE(durations_are_seconds) {
    BOOST_TEST(complaint(1500ms, 2min) == "[1.5 s != 120 s]");
}

BOOST_AUTO_TEST_SUITE_END()
