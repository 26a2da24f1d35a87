// SPDX-License-Identifier: GPL-2.0-or-later
//
// Site settings for tests of the gate.
#pragma once

#include "qosgate/policy/policy.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>

#include <boost/test/unit_test.hpp>

namespace qg::tests {

/// A policy folder with just a site.lua.
inline std::shared_ptr<const policy::Policy> load_site(std::string_view site_lua) {
    std::string folder = (std::filesystem::temp_directory_path() / "qosgate-XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(folder.data()) != nullptr);
    std::ofstream(folder + "/site.lua") << site_lua;
    std::filesystem::permissions(folder + "/site.lua", std::filesystem::perms(0644));
    auto policy = policy::load_policy(folder);
    std::filesystem::remove_all(folder);
    BOOST_TEST_REQUIRE(policy.has_value());
    return *policy;
}

} // namespace qg::tests
