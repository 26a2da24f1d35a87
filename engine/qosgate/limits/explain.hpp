// SPDX-License-Identifier: GPL-2.0-or-later
//
// Turns violations into text for users: the request, the limit, the usage, and whose limit it is.
#pragma once

#include "qosgate/limits/violation.hpp"
#include "qosgate/model/account_view.hpp"

#include <cstdint>
#include <span>
#include <string>

namespace qg::limits {

/// Who reads a text about a job: the job's user ("4 yours"), or somebody else ("4 of user ana").
enum class Reader : std::uint8_t { job_user, other };

/// The reader with the id `reader` of a text about a job of the user with the id `job_user`.
constexpr Reader reader_of_job(std::uint32_t reader, std::uint32_t job_user) noexcept {
    return reader == job_user ? Reader::job_user : Reader::other;
}

/// "GPUs per user: limit 2, this job asks for 3 (QOSMaxGRESPerUser)". With `names_owner`, or if all jobs of
/// the owner count together, it says whose limit it is: "GPUs per user in QOS moonlight: ...".
std::string describe(const Violation& violation, const model::AccountView& view, bool names_owner = false,
                     Reader reader = Reader::job_user);

/// Whether the violation's numbers are hidden from the reader of the answer: the limit, or the usage if it
/// matters.
bool has_hidden_numbers(const Violation& violation, const model::AccountView& view);

/// "QOS moonlight", "partition viz (QOS viz-limits)", "account physics", "user ana in account physics".
std::string owner_name(const Owner& owner, const model::AccountView& view);

/// The whole answer to a refused job: a headline and a line per violation, at most `max_lines` lines; the
/// last one then says how many are left out. The headline names the owner of the limits if they all have the
/// same owner.
std::vector<std::string> explain_refusal(std::span<const Violation> violations,
                                         const model::AccountView& view, Reader reader = Reader::job_user,
                                         std::size_t max_lines = 7);

} // namespace qg::limits
