// SPDX-License-Identifier: GPL-2.0-or-later
//
// The line that ends a refusal: whom users ask.
#pragma once

#include "qosgate/policy/settings.hpp"

#include <string>

namespace qg::policy {

/// Empty: the site names nobody.
inline std::string contact_line(const Settings& settings) {
    return settings.contact.empty() ? std::string() : "questions: " + settings.contact;
}

} // namespace qg::policy
