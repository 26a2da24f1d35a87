// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy_load.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/folder_findings.hpp"

namespace qg::cli {

Result<std::shared_ptr<const policy::Policy>> load_policy_to_try(const std::filesystem::path& folder) {
    auto read = policy::read_all_sources(folder, {.is_needed = false});
    if (!read) return read.error();
    for (const policy::Finding& finding : read->findings)
        if (finding.stops_loading)
            return Error{ErrorCode::unavailable, text::format("{}: {}", finding.file, finding.message)};
    auto loaded = policy::compile_policy(std::move(read->sources));
    if (!loaded)
        return Error{loaded.error().code, text::format("{}; 'qosgate policy check' lists all that is wrong",
                                                       loaded.error().message)};
    return loaded;
}

} // namespace qg::cli
