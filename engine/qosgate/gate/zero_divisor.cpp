// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/zero_divisor.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer.hpp"

#include <string>
#include <utility>

namespace qg::gate {
namespace {

struct Divisor {
    std::optional<std::uint32_t> model::JobRequest::*count;
    std::string_view option;
};

/// Those of all releases (slurm/README.md 2.6).
constexpr Divisor divisors[] = {
    {&model::JobRequest::tasks_per_socket, "--ntasks-per-socket"},
};

} // namespace

std::string_view find_zero_divisor(const model::JobRequest& request) noexcept {
    for (const Divisor& divisor : divisors)
        if (request.*divisor.count == 0u) return divisor.option;
    return {};
}

[[gnu::cold]] void refuse_zero_divisor(model::Decision& decision, std::string_view option,
                                       const LoggedJob& job, const policy::Settings& settings) {
    // The user need not read how slurmctld can be ended.
    std::string line = text::format("{}=0 is no count: ask for at least 1, or leave it out", option);
    decision.reject = model::RejectCode::access_denied;
    log_limits(decision, job, "refused", "", std::span(&line, 1));
    decision.message.push_back(std::move(line));
    append_contact(decision.message, settings);
}

} // namespace qg::gate
