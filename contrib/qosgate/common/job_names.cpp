// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/job_names.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace qg::cli {
namespace {

/// Whether a task is in "5", "6-9", "0-8:2" or a list of these.
bool is_listed(std::uint32_t task, std::string_view list) {
    bool found = false;
    text::for_each_part(list, ',', [&](std::string_view part) {
        const std::size_t colon = part.find(':');
        const auto step = colon == part.npos ? 1 : text::parse_unsigned(part.substr(colon + 1));
        part = part.substr(0, colon);
        const std::size_t dash = part.find('-');
        const auto first = text::parse_unsigned(part.substr(0, dash));
        const auto last = dash == part.npos ? first : text::parse_unsigned(part.substr(dash + 1));
        if (!first || !last || !step || *step == 0) return;
        found = found || (task >= *first && task <= *last && (task - *first) % *step == 0);
    });
    return found;
}

} // namespace

bool is_meant(const model::QueuedJob& job, std::string_view name) {
    if (job.name == name) return true;
    const std::size_t end = name.find_first_not_of("0123456789");
    const auto number = text::parse_unsigned(name.substr(0, end));
    if (!number || *number == 0) return false;
    if (end == name.npos) return job.id == *number || job.array_id == *number || job.het_id == *number;
    if (name[end] != '_' || job.array_id != *number) return false;
    std::string_view tasks = name.substr(end + 1);
    if (tasks.starts_with('[')) {
        if (!tasks.ends_with(']')) return false;
        tasks = tasks.substr(1, tasks.size() - 2);
        tasks = tasks.substr(0, tasks.find('%'));
    }
    return std::ranges::any_of(job.tasks, [&](std::uint32_t task) { return is_listed(task, tasks); });
}

} // namespace qg::cli
