// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/job_desc.hpp"

#include "qosgate/base/unrolled.hpp"
#include "qosgate/model/looked_up_names.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/read_details.hpp"
#include "qosgate/slurm/stored_parts.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstring>
#include <ctime>
#include <iterator>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace qg::slurm {
namespace {

using model::JobRequest;

/// Whether there is a row that reads a member of a request; flags and details are read otherwise.
template <typename Member>
constexpr bool has_row(Member member) {
    if constexpr (std::is_same_v<Member, model::CountMember>)
        return std::ranges::count(wide_count_fields, member, &CountField<std::uint32_t>::request) +
                   std::ranges::count(narrow_count_fields, member, &CountField<std::uint16_t>::request) ==
               1;
    else if constexpr (std::is_same_v<Member, model::TextMember>)
        return std::ranges::count(text_fields, member, &TextField::request) == 1;
    else if constexpr (std::is_same_v<Member, model::TimeMember>)
        return std::ranges::count(time_fields, member, &TimeField::request) == 1;
    return true;
}
static_assert(std::ranges::all_of(model::job_fields,
                                  [](const model::JobField& field) {
                                      return std::visit([](auto member) { return has_row(member); },
                                                        field.member);
                                  }),
              "a field has no row in job_field_members.hpp, or two");

template <typename Int>
std::optional<std::uint32_t> read_field(const CountField<Int>& field, const job_desc_msg_t& description) {
    const Int value = description.*field.slurm;
    if (value == 0 && field.zero == Zero::is_unset) return std::nullopt;
    if (value == infinite_value<Int> && field.infinite == Infinite::is_a_count) return value;
    return read_count(value);
}

std::size_t count_parts(std::string_view text) {
    const auto separates = [](char letter) { return letter == ',' || letter == ';' || letter == '|'; };
    return 1 + static_cast<std::size_t>(std::count_if(text.begin(), text.end(), separates));
}

/// The beginning of a text, long enough to show whether the text is too long.
std::string_view view_field(const TextField& field, const char* bytes) {
    return {bytes, strnlen(bytes, field.max_bytes + 1)};
}

std::optional<model::UnreadText> find_unread(const TextField& field, std::string_view text) {
    if (text.size() > field.max_bytes)
        return model::UnreadText{field.name, field.max_bytes, "bytes", field.options, field.is_bounded};
    if (field.max_parts != any_number && count_parts(text) > field.max_parts)
        return model::UnreadText{field.name, field.max_parts, "parts", field.options, false};
    return std::nullopt;
}

/// Reads a text within its bound; a longer text is not read. Not inlined: it is called for each field.
[[gnu::noinline]] void read_text(JobRequest& request, const TextField& field, const char* bytes) {
    const std::string_view text = view_field(field, bytes);
    std::optional<std::string>& value = request.*field.request;
    value.reset(); // an empty text counts as unset, and clients make the prefix of an empty --gres
    if (const auto unread = find_unread(field, text))
        request.unread = unread;
    else if (text.empty() || (field.request == &JobRequest::tres_per_node && text == gres_prefix) ||
             (field.request == &JobRequest::partition && text.find_first_not_of(',') == text.npos))
        model::note_empty_name(request, field.request);
    else
        value.emplace(text);
}

/// Whole minutes; 0 if the second time is not later.
std::uint32_t minutes_between(std::time_t from, std::time_t to) {
    const std::time_t minutes = to > from ? (to - from) / 60 : 0;
    return static_cast<std::uint32_t>(std::min<std::time_t>(minutes, TimeLimit::unlimited_minutes - 1));
}

/// Copies each field that `description` sets into the request; the others keep their values.
void apply_set_fields(JobRequest& request, const job_desc_msg_t& description) {
    for_each_index<std::size(text_fields)>([&]<std::size_t i>() {
        const char* const text = description.*text_fields[i].slurm;
        if (text != nullptr) [[unlikely]]
            read_text(request, text_fields[i], text);
    });
    for_each_index<std::size(wide_count_fields)>([&]<std::size_t i>() {
        constexpr auto field = wide_count_fields[i];
        if (const auto value = read_field(field, description)) request.*field.request = value;
    });
    for_each_index<std::size(narrow_count_fields)>([&]<std::size_t i>() {
        constexpr auto field = narrow_count_fields[i];
        if (const auto value = read_field(field, description)) request.*field.request = value;
    });
    for (const TimeField& field : time_fields)
        if (const auto value = read_time(description.*field.slurm)) request.*field.request = value;
    if (const auto memory = read_asked_memory(description.pn_min_memory)) request.memory = memory;
    if (is_count(description.overcommit)) request.overcommit = description.overcommit != 0;
    if (description.begin_time != 0) request.begins_later = description.begin_time > std::time(nullptr);
    if (description.deadline != 0 && description.deadline != static_cast<std::time_t>(NO_VAL))
        request.minutes_to_deadline =
            minutes_between(std::max(description.begin_time, std::time(nullptr)), description.deadline);
    if (is_count(description.pn_min_tmp_disk)) request.asks_for_disk = description.pn_min_tmp_disk != 0;
    if (description.dependency != nullptr) request.has_dependency = *description.dependency != '\0';
}

constexpr std::size_t max_beginning = 4096;

/// The beginning of a text whose length slurmctld does not check; empty for null.
std::string_view view_beginning(const char* text) {
    return text == nullptr ? std::string_view() : std::string_view(text, strnlen(text, max_beginning));
}

/// The last name may be incomplete and is left out.
void read_excluded_nodes(JobRequest& request, const char* list) {
    request.excluded_nodes = view_beginning(list);
    request.has_all_excluded = request.excluded_nodes.size() < max_beginning;
    if (!request.has_all_excluded)
        request.excluded_nodes = request.excluded_nodes.substr(0, request.excluded_nodes.rfind(','));
}

/// The part that a text belongs to; empty: none that rules or limits look at.
std::optional<model::UpdatePart> part_of(const TextField& field) noexcept {
    // Of an array a change sets only how many tasks may run at once.
    if (field.slurm == &job_desc_msg_t::array_inx) return std::nullopt;
    if (field.slurm == &job_desc_msg_t::name) return model::UpdatePart::name;
    if (field.slurm == &job_desc_msg_t::comment) return model::UpdatePart::comment;
    if (field.slurm == &job_desc_msg_t::admin_comment) return model::UpdatePart::admin_comment;
    return model::UpdatePart::limits;
}

/// A dependency as users write it. slurmctld's records add the state of each: "afterok:7(unfulfilled)".
std::string without_states(std::string_view dependency) {
    std::string text;
    bool is_state = false;
    for (const char letter : dependency) {
        if (letter == '(') is_state = true;
        if (!is_state) text.push_back(letter);
        if (letter == ')') is_state = false;
    }
    return text;
}

/// A text that is longer than rules read stays as it is.
[[gnu::cold]] void strip_states(JobRequest& request) {
    const model::DetailValue dependency = request.details.get(model::JobDetail::dependency);
    if (dependency.kind == model::DetailValue::Kind::text)
        request.details.set(model::JobDetail::dependency, without_states(dependency.text));
}

/// Whether sbatch sent it. Of a heterogeneous job only the first part has the script, and each part of sbatch
/// has an environment; salloc and srun send none.
bool is_of_sbatch(const job_desc_msg_t& description) {
    if (is_set(description.script) || description.script_buf != nullptr) return true;
    const bool has_environment =
        description.environment != nullptr && is_count(description.env_size) && description.env_size != 0;
    return description.het_job_offset != NO_VAL && has_environment;
}

/// The same of a record, which shows no script and environment of the later parts. slurmctld notes the host
/// of each salloc and srun; the port is left where a federated cluster drops the host.
bool is_record_of_sbatch(const job_desc_msg_t& current) {
    return current.script_buf != nullptr || (!is_set(current.resp_host) && current.other_port == 0);
}

} // namespace

JobRequest read_job_desc(const job_desc_msg_t& description, std::uint32_t submit_uid) {
    JobRequest request;
    request.user_id = description.user_id;
    request.submit_uid = submit_uid;
    apply_set_fields(request, description);
    request.has_default_partition = description.partition != nullptr && !request.partition;
    // slurmctld multiplies it with the nodes that the job names. No command sends it.
    const bool names_nodes = request.min_nodes || request.required_nodes;
    if (description.ntasks_per_node == 0 && !request.tasks && names_nodes) request.tasks = 0;
    request.exclusive = description.shared == JOB_SHARED_NONE;
    request.is_batch = is_of_sbatch(description);
    request.submit_line = view_beginning(description.submit_line);
    read_excluded_nodes(request, description.exc_nodes);
    request.is_het_part = description.het_job_offset != NO_VAL;
    request.details = details_of_submission(description);
    return request;
}

model::UpdateParts parts_of_update(const job_desc_msg_t& update) noexcept {
    model::UpdateParts parts = parts_of_details(update);
    for (const TextField& field : text_fields)
        if (update.*field.slurm != nullptr) [[unlikely]]
            if (const auto part = part_of(field)) parts.add(*part);
    const auto sets = [&update](const auto& field) { return read_field(field, update).has_value(); };
    const auto is_of_limits = [&sets](const auto& field) {
        return field.slurm != &job_desc_msg_t::priority && sets(field);
    };
    const bool sets_time = read_time(update.time_limit) || read_time(update.time_min);
    if (std::ranges::any_of(wide_count_fields, is_of_limits) ||
        std::ranges::any_of(narrow_count_fields, sets) || sets_time ||
        read_asked_memory(update.pn_min_memory) || is_count(update.overcommit) || update.ntasks_per_node == 0)
        parts.add(model::UpdatePart::limits);
    if (update.priority != NO_VAL) parts.add(model::UpdatePart::priority);
    return parts;
}

JobRequest read_job_record(const job_desc_msg_t& current, std::uint32_t submit_uid) {
    JobRequest request = read_job_desc(current, submit_uid);
    if (request.priority != 0u) request.priority.reset();           // 0 holds the job
    if (request.time_min == TimeLimit{0}) request.time_min.reset(); // so a record says that it has none
    if (request.tasks == 0u) request.tasks.reset();                 // likewise
    if ((current.bitflags & implicit_max_nodes) != 0) request.max_nodes.reset();
    if (current.core_spec != NO_VAL16) request.exclusive = true; // and stays so without it
    request.has_default_memory = (current.bitflags & JOB_MEM_SET) == 0;
    request.has_default_partition = (current.bitflags & JOB_PART_ASSIGNED) != 0;
    if (current.pn_min_memory == MEM_PER_CPU) request.memory = {0, /*per_cpu=*/true};
    // The default of memory does not count for such a job.
    if (request.memory_per_tres && request.has_default_memory) request.memory.reset();
    request.is_batch = is_record_of_sbatch(current);
    request.has_counted_cpus = true; // slurmctld counts tasks only when it takes a job
    request.empty_names = 0;         // likewise
    request.is_het_part = false;     // a copied record does not show it; its offset is 0
    request.details = details_of_record(current);
    if (request.has_dependency) strip_states(request);
    return request;
}

JobRequest read_job_update(const job_desc_msg_t& current, const job_desc_msg_t& update,
                           std::uint32_t submit_uid) {
    JobRequest request = read_job_record(current, submit_uid);
    apply_set_fields(request, without_what_is_never_stored(update));
    if (update.ntasks_per_node == 0) request.tasks_per_node.reset(); // no bound from now on
    // It is refused where rules run (gate/rules/update_rules.hpp).
    if (const auto tasks = read_count(update.ntasks_per_tres).value_or(0); tasks != 0)
        request.tasks_per_tres = tasks;
    const bool changes_memory = update.pn_min_memory != current.pn_min_memory; // to the same is no change
    if (read_asked_memory(update.pn_min_memory) && changes_memory) request.has_default_memory = false;
    if (update.partition != nullptr && view_text(update.partition) != view_text(current.partition))
        request.has_default_partition = !request.partition;
    // Sharing ends whole nodes; OverSubscribe=NO does not begin them (limits/README.md 9).
    if (is_count(update.shared) && update.shared != JOB_SHARED_NONE) request.exclusive = false;
    request.empty_names = 0; // in a change an empty name clears what the job has
    if (update.priority == INFINITE) request.priority.reset(); // released: slurmctld computes one
    request.details = details_of_record(current, &update);
    if (update.dependency == nullptr && request.has_dependency) strip_states(request);
    request.unread.reset(); // the change may shorten it
    for (const TextField& field : text_fields) {
        const char* const changed = update.*field.slurm;
        const char* const text = changed != nullptr ? changed : current.*field.slurm;
        if (const auto unread = text ? find_unread(field, view_field(field, text)) : std::nullopt)
            request.unread = unread;
    }
    return request;
}

model::JobUpdate read_update(const job_desc_msg_t& current, const job_desc_msg_t& update,
                             std::uint32_t submit_uid) {
    const std::uint32_t job_id = job_id_of(current);
    std::vector<model::StoredPart> parts;
    for (StoredPart& part : stored_parts(current, update))
        parts.push_back({.after = read_job_update(current, *part.update, submit_uid),
                         .parts = parts_of_update(*part.update),
                         .refused = std::move(part.refused),
                         .source = std::move(part.update)});
    return {.job_id = job_id == NO_VAL ? 0 : job_id,
            .before = read_job_record(current, submit_uid),
            .after = read_job_update(current, update, submit_uid),
            .names_qos = update.qos != nullptr,
            .names_time = read_time(update.time_limit).has_value(),
            .parts = parts_of_update(update),
            .stored_parts = std::move(parts)};
}

} // namespace qg::slurm
