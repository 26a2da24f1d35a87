// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/fit_resources.hpp"

#include <boost/test/unit_test.hpp>

#include <limits>

using namespace qg;

namespace {

constexpr std::uint64_t greatest = std::numeric_limits<std::uint64_t>::max();

/// The memory per node of a request that had 4 MiB.
std::uint64_t fitted(gate::Amount mib) {
    model::JobRequest request;
    request.memory = model::Memory{4, /*per_cpu=*/false};
    gate::fit_memory(request, mib, 1);
    return request.memory->mib;
}

} // namespace

BOOST_AUTO_TEST_SUITE(fit_resources)

BOOST_AUTO_TEST_CASE(scales_down_to_a_maximum_and_up_to_a_minimum) {
    BOOST_TEST(fitted({8, 5}) == 2u);
    BOOST_TEST(fitted({8, 9}) == 5u);
    BOOST_TEST(fitted({8, 16}) == 8u);
}

BOOST_AUTO_TEST_CASE(what_is_too_large_for_a_number_is_the_greatest) {
    BOOST_TEST(fitted({2, greatest}) == greatest);
    BOOST_TEST(fitted({4, greatest}) == greatest);
}

BOOST_AUTO_TEST_SUITE_END()
