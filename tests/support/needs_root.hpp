// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests that change owners of files: skipped, by name, unless root runs them.
//
//   BOOST_AUTO_TEST_CASE(refuses_files_of_somebody_else, *test::needs_root())
#pragma once

#include <boost/test/unit_test.hpp>

#include <iostream>

#include <unistd.h>

namespace qg::test {

inline auto needs_root() {
    return boost::unit_test::precondition([](boost::unit_test::test_unit_id id) {
        const bool is_root = geteuid() == 0;
        if (!is_root) // Boost is silent about what it skips
            std::cerr << boost::unit_test::framework::get(id, boost::unit_test::TUT_ANY).full_name()
                      << " is skipped: only root may change owners\n";
        return boost::test_tools::assertion_result(is_root);
    });
}

} // namespace qg::test
