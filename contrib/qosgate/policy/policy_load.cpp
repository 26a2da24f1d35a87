// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/policy_load.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/directory_findings.hpp"

#include <utility>

namespace qg::cli {
namespace {

Result<std::shared_ptr<const policy::Policy>> compile(policy::SourceDirectory sources,
                                                      std::optional<policy::Coverage>* coverage) {
    if (coverage == nullptr) return policy::compile_policy(std::move(sources));
    auto found = policy::Coverage::of(sources);
    if (!found) return found.error();
    policy::Coverage& lines = coverage->emplace(*std::move(found));
    return policy::compile_policy(std::move(sources), {.coverage = &lines});
}

} // namespace

Result<std::shared_ptr<const policy::Policy>> load_policy_to_try(const std::filesystem::path& directory,
                                                                 std::optional<policy::Coverage>* coverage) {
    auto sources = policy::read_loadable_sources(directory, {.is_needed = false});
    if (!sources) return sources.error();
    auto loaded = compile(std::move(*sources), coverage);
    if (!loaded)
        return Error{loaded.error().code, text::format("{}; 'qosgate policy check' lists all that is wrong",
                                                       loaded.error().message)};
    return loaded;
}

} // namespace qg::cli
