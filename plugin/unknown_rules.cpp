// SPDX-License-Identifier: GPL-2.0-or-later
#include "unknown_rules.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <span>

namespace qg::plugin {
namespace {

/// Why the rules are not known.
std::string why_not_loaded(const policy::StoreStatus& status) {
    return status.last_error ? status.last_error->message : status.folder.string();
}

/// The line for the log.
std::string for_log(const policy::StoreStatus& status) {
    return "no rules are loaded: " + why_not_loaded(status);
}

model::Decision refuse(const policy::StoreStatus& status, LogLine line) {
    model::Decision decision;
    decision.reject = model::RejectCode::access_denied;
    decision.message = {
        "This job was not accepted because the site's rules are not loaded: " +
        text::printable(policy::without_lists(why_not_loaded(status)), 600) +
        (status.is_reading ? "; please try again in a moment" : "; please tell your administrators")};
    line.level = LogLevel::error;
    decision.log = {std::move(line)};
    return decision;
}

} // namespace

model::Decision refuse_job(const policy::StoreStatus& status, const gate::LoggedJob& job) {
    const std::string why = for_log(status);
    return refuse(status, gate::log_limits(job, "refused", "", std::span(&why, 1)));
}

model::Decision refuse_change(const policy::StoreStatus& status, std::optional<std::uint32_t> job_id,
                              std::uint32_t submit_uid) {
    return refuse(status, {LogLevel::error, text::format("refused change{} by={}: {}",
                                                         job_id ? text::format(" jobid={}", *job_id) : "",
                                                         submit_uid, for_log(status))});
}

} // namespace qg::plugin
