// SPDX-License-Identifier: GPL-2.0-or-later
#define BOOST_TEST_MAIN
#define BOOST_TEST_MODULE queue
#include <boost/test/unit_test.hpp>
