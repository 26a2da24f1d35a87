// SPDX-License-Identifier: GPL-2.0-or-later
//
// The options that SPANK plugins give to the clients. They are known only to the library that the clients
// use.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace qg::plugin {

struct SpankPlugin {
    std::string name;
    std::vector<std::string> options;
};

/// Of this client. Threads: the client's only one.
std::vector<SpankPlugin> spank_options();

/// The value of such an option; empty: it is not given.
std::optional<std::string> spank_value(std::string option);

} // namespace qg::plugin
