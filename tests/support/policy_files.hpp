// SPDX-License-Identifier: GPL-2.0-or-later
//
// Site settings and rules for tests of the gate.
#pragma once

#include "qosgate/policy/policy.hpp"

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <boost/test/unit_test.hpp>

namespace qg::test {

/// A policy directory with only these files, by name.
inline std::shared_ptr<const policy::Policy>
load_rules(const std::vector<std::pair<std::string, std::string_view>>& files) {
    std::string directory = (std::filesystem::temp_directory_path() / "qosgate-XXXXXX").string();
    BOOST_TEST_REQUIRE(mkdtemp(directory.data()) != nullptr);
    for (const auto& [name, text] : files) {
        std::ofstream(directory + "/" + name) << text;
        std::filesystem::permissions(directory + "/" + name, std::filesystem::perms(0644));
    }
    auto policy = policy::load_policy(directory);
    std::filesystem::remove_all(directory);
    BOOST_TEST_REQUIRE(policy.has_value());
    return *policy;
}

/// Settings, no rules.
inline std::shared_ptr<const policy::Policy> load_site(std::string_view site_lua) {
    return load_rules({{"site.lua", site_lua}});
}

/// One rule.
inline std::shared_ptr<const policy::Policy> load_rule(std::string_view rule_lua) {
    return load_rules({{"rule.lua", rule_lua}});
}

} // namespace qg::test
