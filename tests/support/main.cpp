// SPDX-License-Identifier: GPL-2.0-or-later
//
// The main program of every test program.
#include <boost/test/unit_test.hpp>

namespace {

bool has_initialized() {
    return true; // the tests register themselves
}

} // namespace

int main(int argc, char** argv) {
    return boost::unit_test::unit_test_main(&has_initialized, argc, argv);
}
