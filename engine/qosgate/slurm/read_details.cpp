// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/read_details.hpp"

#include "qosgate/base/enumerators.hpp"
#include "qosgate/model/job_field.hpp"
#include "qosgate/model/mail_types.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace qg::slurm {
namespace {

using model::DetailValue;
using model::JobDetail;
using Kind = DetailValue::Kind;

constexpr std::uint16_t bit_of(std::string_view mail_type) {
    for (const model::MailType& type : model::mail_types)
        if (type.name == mail_type) return type.bit;
    return 0;
}
static_assert(bit_of("BEGIN") == MAIL_JOB_BEGIN && bit_of("END") == MAIL_JOB_END &&
              bit_of("FAIL") == MAIL_JOB_FAIL && bit_of("REQUEUE") == MAIL_JOB_REQUEUE &&
              bit_of("TIME_LIMIT") == MAIL_JOB_TIME100 && bit_of("TIME_LIMIT_90") == MAIL_JOB_TIME90 &&
              bit_of("TIME_LIMIT_80") == MAIL_JOB_TIME80 && bit_of("TIME_LIMIT_50") == MAIL_JOB_TIME50 &&
              bit_of("STAGE_OUT") == MAIL_JOB_STAGE_OUT && bit_of("ARRAY_TASKS") == MAIL_ARRAY_TASKS &&
              bit_of("INVALID_DEPEND") == MAIL_INVALID_DEPEND);

/// Details that are not simply a member of a description.
constexpr JobDetail details_by_themselves[] = {
    JobDetail::core_spec, JobDetail::het_offset, JobDetail::nice,       JobDetail::plane,
    JobDetail::script,    JobDetail::sharing,    JobDetail::thread_spec};

constexpr bool is_read_once(JobDetail detail) {
    const auto rows_in = [detail](const auto& rows) {
        return std::ranges::count_if(rows, [detail](const auto& row) { return row.detail == detail; });
    };
    return rows_in(text_details) + rows_in(short_details) + rows_in(count_details) + rows_in(time_details) +
               rows_in(bit_details) + std::ranges::count(details_by_themselves, detail) ==
           1;
}
static_assert(
    [] {
        for (std::size_t i = 0; i < count_enumerators<JobDetail>(); ++i)
            if (!is_read_once(static_cast<JobDetail>(i))) return false;
        return true;
    }(),
    "a detail has no row in job_field_members.hpp, or two");

DetailValue number(std::int64_t value) noexcept {
    return {Kind::number, value, {}};
}

/// A text within its bound. Null and empty are unset.
DetailValue read_text(const char* text, std::size_t max) noexcept {
    if (!is_set(text)) return {};
    const std::size_t length = strnlen(text, max + 1);
    if (length > max) return {Kind::too_long, static_cast<std::int64_t>(max), {}};
    return {Kind::text, 0, {text, length}};
}

/// The beginning of the script.
DetailValue read_script(const job_desc_msg_t& job) noexcept {
    if (!is_set(job.script)) return {};
    return {Kind::text, 0, {job.script, strnlen(job.script, max_detail_length)}};
}

DetailValue read_sharing(std::uint16_t shared) noexcept {
    if (shared >= sharing_words.size()) return {};
    return {Kind::text, 0, sharing_words[shared]};
}

bool deals_planes(std::uint32_t task_dist) noexcept {
    return is_count(task_dist) && (task_dist & SLURM_DIST_STATE_BASE) == SLURM_DIST_PLANE;
}

/// One field holds both; a bit tells which. Of a submission slurmctld takes INFINITE for a number of threads.
DetailValue read_spec(std::uint16_t spec, bool threads) noexcept {
    if (spec == NO_VAL16 || ((spec & CORE_SPEC_THREAD) != 0) != threads) return {};
    return number(spec & ~CORE_SPEC_THREAD);
}

bool is_time(std::time_t time) noexcept {
    return time != 0 && time != static_cast<std::time_t>(NO_VAL);
}

/// The row of a detail; null if the table has none.
template <auto& rows>
const auto* row_of(JobDetail detail) noexcept {
    static constexpr auto places = [] { // behind the row; 0: there is none
        std::array<std::uint8_t, count_enumerators<JobDetail>()> found{};
        std::uint8_t place = 0;
        for (const auto& row : rows)
            found[static_cast<std::size_t>(row.detail)] = ++place;
        return found;
    }();
    const std::size_t place = places[static_cast<std::size_t>(detail)];
    return place == 0 ? nullptr : &rows[place - 1];
}

/// What one description sets; unset if it leaves the detail. An empty text is a text here.
DetailValue read_set(const job_desc_msg_t& job, JobDetail detail) noexcept {
    if (const auto* row = row_of<text_details>(detail)) {
        const char* const text = job.*row->slurm;
        if (text != nullptr && *text == '\0') return {Kind::text, 0, {}};
        return read_text(text, row->max_bytes);
    }
    if (const auto* row = row_of<short_details>(detail))
        return is_count(job.*row->slurm) ? number(job.*row->slurm) : DetailValue{};
    if (detail == JobDetail::plane) return deals_planes(job.task_dist) ? number(1) : DetailValue{};
    if (detail == JobDetail::sharing) return read_sharing(job.shared);
    if (detail == JobDetail::core_spec) return read_spec(job.core_spec, /*threads=*/false);
    if (detail == JobDetail::thread_spec) return read_spec(job.core_spec, /*threads=*/true);
    if (detail == JobDetail::nice && job.nice != NO_VAL) return number(std::int64_t{job.nice} - NICE_OFFSET);
    if (const auto* row = row_of<count_details>(detail))
        return is_count(job.*row->slurm) ? number(job.*row->slurm) : DetailValue{};
    if (const auto* row = row_of<time_details>(detail))
        return is_time(job.*row->slurm) ? number(job.*row->slurm) : DetailValue{};
    if (const auto* row = row_of<bit_details>(detail))
        return (job.bitflags & row->bit) != 0 ? number(1) : DetailValue{};
    return {};
}

bool means_unset(JobDetail detail, const DetailValue& value) noexcept {
    if (value.kind == Kind::text) return value.text.empty();
    if (value.kind != Kind::number || value.number != 0) return false;
    if (const auto* row = row_of<short_details>(detail)) return row->zero_is_unset;
    return row_of<count_details>(detail) != nullptr;
}

bool can_change(JobDetail detail) noexcept {
    if (detail == JobDetail::plane) return false;
    const auto is_changeable = [](const auto* row) {
        return row == nullptr || row->origin == DetailOrigin::changeable;
    };
    return is_changeable(row_of<text_details>(detail)) && is_changeable(row_of<short_details>(detail));
}

bool is_spec(JobDetail detail) noexcept {
    return detail == JobDetail::core_spec || detail == JobDetail::thread_spec;
}

/// Whether the change sets the detail, or what excludes it.
bool replaces(const job_desc_msg_t& update, JobDetail detail) noexcept {
    return is_spec(detail) && update.core_spec != NO_VAL16;
}

/// Whether the change ends the detail.
bool ends(const job_desc_msg_t& update, JobDetail detail) noexcept {
    return is_spec(detail) && update.core_spec == INFINITE16;
}

const job_desc_msg_t& as_description(const void* job) noexcept {
    return *static_cast<const job_desc_msg_t*>(job);
}

class DescriptionReader final : public model::DetailReader {
  public:
    constexpr explicit DescriptionReader(bool is_submission) noexcept : is_submission_(is_submission) {}

    [[nodiscard]] DetailValue read(const void* job, const void* update,
                                   JobDetail detail) const noexcept override {
        const job_desc_msg_t& description = as_description(job);
        if (detail == JobDetail::script) return is_submission_ ? read_script(description) : DetailValue{};
        if (detail == JobDetail::het_offset)
            return is_submission_ && is_count(description.het_job_offset) ? number(description.het_job_offset)
                                                                          : DetailValue{};
        DetailValue value;
        if (update != nullptr && can_change(detail) && !ends(as_description(update), detail))
            value = read_set(as_description(update), detail);
        if (value.kind == Kind::unset && !(update != nullptr && replaces(as_description(update), detail)))
            value = read_set(description, detail);
        return means_unset(detail, value) ? DetailValue{} : value;
    }

    [[nodiscard]] std::size_t argument_count(const void* job) const noexcept override {
        return as_description(job).argv == nullptr ? 0 : as_description(job).argc;
    }
    [[nodiscard]] DetailValue argument(const void* job, std::size_t index) const noexcept override {
        const char* const word = as_description(job).argv[index];
        return word == nullptr ? DetailValue{} : read_word(word);
    }

    [[nodiscard]] std::size_t variable_count(const void* job) const noexcept override {
        const std::uint32_t size = as_description(job).env_size;
        return as_description(job).environment == nullptr || !is_count(size) ? 0 : size;
    }
    /// The last of several definitions counts, as for the job's shell.
    [[nodiscard]] DetailValue variable(const void* job, std::string_view name) const noexcept override {
        if (name.empty() || name.find_first_of(std::string_view("=\0", 2)) != std::string_view::npos)
            return {};
        const std::size_t count = std::min(variable_count(job), model::JobDetails::max_variables);
        for (std::size_t i = count; i-- > 0;) {
            const char* const definition = as_description(job).environment[i];
            if (definition == nullptr || std::strncmp(definition, name.data(), name.size()) != 0) continue;
            if (definition[name.size()] == '=') return read_word(definition + name.size() + 1);
        }
        return {};
    }

  private:
    /// An empty word is one, too.
    static DetailValue read_word(const char* word) noexcept {
        if (*word == '\0') return {Kind::text, 0, {word, 0}};
        return read_text(word, max_detail_length);
    }

    bool is_submission_;
};

constexpr DescriptionReader submission_reader{true};
constexpr DescriptionReader record_reader{false};

} // namespace

model::JobDetails details_of_submission(const job_desc_msg_t& description) noexcept {
    return {submission_reader, &description};
}

model::JobDetails details_of_record(const job_desc_msg_t& job, const job_desc_msg_t* update) noexcept {
    return {record_reader, &job, update};
}

model::UpdateParts parts_of_details(const job_desc_msg_t& update) noexcept {
    model::UpdateParts parts;
    const auto add = [&parts](JobDetail detail) {
        if (const auto part = model::part_of(detail)) parts.add(*part);
    };
    for (const TextDetail& row : text_details)
        if (update.*row.slurm != nullptr) [[unlikely]]
            add(row.detail);
    for (const ShortDetail& row : short_details)
        if (is_count(update.*row.slurm)) [[unlikely]]
            add(row.detail);
    if (is_count(update.shared)) add(JobDetail::sharing);
    if (update.core_spec != NO_VAL16) add(JobDetail::core_spec); // INFINITE16, too: none
    if (update.nice != NO_VAL) add(JobDetail::nice);
    for (const CountDetail& row : count_details)
        if (is_count(update.*row.slurm)) [[unlikely]]
            add(row.detail);
    for (const TimeDetail& row : time_details)
        if (is_time(update.*row.slurm)) [[unlikely]]
            add(row.detail);
    // Clients set other bits for any change.
    const auto sets = [&update](const BitDetail& row) { return (update.bitflags & row.bit) != 0; };
    if (std::ranges::any_of(bit_details, sets)) parts.add(model::UpdatePart::flags);
    return parts;
}

} // namespace qg::slurm
