// SPDX-License-Identifier: GPL-2.0-or-later
//
// For tests that change owners of files: skipped, by name, unless root runs them.
//
//   BOOST_AUTO_TEST_CASE(refuses_files_of_somebody_else, *test::needs_root())
#pragma once

#include <boost/test/unit_test.hpp>

#include <unistd.h>

namespace qg::test {

inline auto needs_root() {
    return boost::unit_test::precondition([](boost::unit_test::test_unit_id) {
        boost::test_tools::assertion_result result(geteuid() == 0);
        result.message() << "only root may change owners";
        return result;
    });
}

} // namespace qg::test
