// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/job_desc.hpp"

#include "qosgate/slurm/job_desc_fields.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <string_view>

namespace qg::slurm {
namespace {

using model::JobRequest;

template <typename Int>
std::optional<std::uint32_t> read_field(const CountField<Int>& field, const job_desc_msg_t& description) {
    const Int value = description.*field.slurm;
    if (value == 0 && field.zero == Zero::is_unset) return std::nullopt;
    return read_count(value);
}

std::size_t count_parts(std::string_view text) {
    const auto separates = [](char letter) { return letter == ',' || letter == ';' || letter == '|'; };
    return 1 + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), separates));
}

/// Reads a text as far as it is bounded; what is larger is left unread.
void read_text(JobRequest& request, const TextField& field, const char* bytes) {
    std::optional<std::string>& value = request.*field.request;
    const std::string_view text(bytes, strnlen(bytes, field.most_bytes + 1));
    value.reset(); // an empty text counts as unset, as everywhere in Slurm
    if (text.size() > field.most_bytes)
        request.unread = {field.name, field.most_bytes, "bytes"};
    else if (field.most_parts != any_number && count_parts(text) > field.most_parts)
        request.unread = {field.name, field.most_parts, "parts"};
    else if (!text.empty())
        value.emplace(text);
}

/// Copies each field that `description` sets into the request; the others keep what they are.
void lay_over(JobRequest& request, const job_desc_msg_t& description) {
    for (const TextField& field : text_fields)
        if (const char* const text = description.*field.slurm; text != nullptr)
            read_text(request, field, text);
    for (const auto& field : wide_count_fields)
        if (const auto value = read_field(field, description)) request.*field.request = value;
    for (const auto& field : narrow_count_fields)
        if (const auto value = read_field(field, description)) request.*field.request = value;
    for (const TimeField& field : time_fields)
        if (const auto value = read_time(description.*field.slurm)) request.*field.request = value;
    if (const auto memory = read_memory(description.pn_min_memory)) request.memory = memory;
    if (is_count(description.overcommit)) request.overcommit = description.overcommit != 0;
    if (description.begin_time != 0) request.begins_later = description.begin_time > std::time(nullptr);
    if (description.dependency != nullptr) request.has_dependency = *description.dependency != '\0';
    if (is_count(description.shared)) request.exclusive = description.shared == JOB_SHARED_NONE;
}

/// The beginning of a text of which slurmctld checks no length; empty for null.
std::string_view view_beginning(const char* text) {
    constexpr std::size_t longest = 4096;
    return text == nullptr ? std::string_view() : std::string_view(text, strnlen(text, longest));
}

} // namespace

JobRequest read_job_desc(const job_desc_msg_t& description, std::uint32_t submit_uid) {
    JobRequest request;
    request.user_id = description.user_id;
    request.submit_uid = submit_uid;
    lay_over(request, description);
    request.is_batch = is_set(description.script) || description.script_buf != nullptr;
    request.submit_line = view_beginning(description.submit_line);
    request.is_het_part = description.het_job_offset != NO_VAL;
    return request;
}

bool touches_decision(const job_desc_msg_t& update) noexcept {
    // Of an array an update says only how many tasks may run at once.
    constexpr char* job_desc_msg_t::*undecided[] = {&job_desc_msg_t::name, &job_desc_msg_t::comment,
                                                    &job_desc_msg_t::admin_comment,
                                                    &job_desc_msg_t::array_inx};
    const auto touches = [&](const auto& field) { return read_field(field, update).has_value(); };
    return std::ranges::any_of(text_fields,
                               [&](const TextField& field) {
                                   return update.*field.slurm != nullptr &&
                                          std::ranges::find(undecided, field.slurm) == std::end(undecided);
                               }) ||
           std::ranges::any_of(wide_count_fields,
                               [&](const auto& field) {
                                   return field.slurm != &job_desc_msg_t::priority && touches(field);
                               }) ||
           std::ranges::any_of(narrow_count_fields, touches) ||
           std::ranges::any_of(
               time_fields,
               [&](const TimeField& field) { return read_time(update.*field.slurm).has_value(); }) ||
           update.exc_nodes != nullptr || read_memory(update.pn_min_memory) || is_count(update.overcommit) ||
           is_count(update.shared);
}

JobRequest read_job_record(const job_desc_msg_t& current, std::uint32_t submit_uid) {
    JobRequest request = read_job_desc(current, submit_uid);
    if (request.priority != 0u) request.priority.reset(); // 0 holds the job
    request.is_het_part = false;                          // a copied record does not say; its offset is 0
    return request;
}

JobRequest read_job_update(const job_desc_msg_t& current, const job_desc_msg_t& update,
                           std::uint32_t submit_uid) {
    JobRequest request = read_job_record(current, submit_uid);
    lay_over(request, update);
    return request;
}

} // namespace qg::slurm
