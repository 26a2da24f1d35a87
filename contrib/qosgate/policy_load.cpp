// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy_load.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/folder_findings.hpp"

namespace qg::cli {

Result<std::shared_ptr<const policy::Policy>> load_policy_to_try(const std::filesystem::path& folder) {
    auto sources = policy::read_loadable_sources(folder, {.is_needed = false});
    if (!sources) return sources.error();
    auto loaded = policy::compile_policy(std::move(*sources));
    if (!loaded)
        return Error{loaded.error().code, text::format("{}; 'qosgate policy check' lists all that is wrong",
                                                       loaded.error().message)};
    return loaded;
}

} // namespace qg::cli
