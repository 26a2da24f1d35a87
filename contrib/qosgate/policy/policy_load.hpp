// SPDX-License-Identifier: GPL-2.0-or-later
//
// Loads a directory of rules to try it: nothing comes into force.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/policy.hpp"
#include "qosgate/policy/test/coverage.hpp"

#include <filesystem>
#include <memory>
#include <optional>

namespace qg::cli {

/// The policy of a directory, whoever owns its files. Fills `coverage`, unless it is null: it notes what
/// runs, and must outlive the policy. Errors: not_found without the directory; unavailable or invalid_input,
/// naming the file.
Result<std::shared_ptr<const policy::Policy>>
load_policy_to_try(const std::filesystem::path& directory,
                   std::optional<policy::Coverage>* coverage = nullptr);

} // namespace qg::cli
