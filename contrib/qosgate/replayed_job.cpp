// SPDX-License-Identifier: GPL-2.0-or-later
#include "replayed_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/recorded_request.hpp"
#include "qosgate/policy/field_set.hpp"
#include "qosgate/policy/fields.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <unordered_map>
#include <utility>

namespace qg::cli {
namespace {

using model::DetailValue;
using model::JobDetail;
using model::JobRequest;
using policy::FieldSpec;
using policy::Value;

Error not_recorded(std::string why) {
    return {ErrorCode::unsupported, std::move(why)};
}

/// A value of a record. `store` holds a text with escapes.
Value to_value(const JsonSlice& value, std::string& store) {
    if (value.is_flag()) return Value::of_flag(value.is_true());
    if (const auto number = value.integer()) return {Value::Kind::integer, *number, {}};
    if (!value.is_text()) return {};
    return {Value::Kind::text, 0, value.text(store)};
}

const FieldSpec* find_field(std::string_view name) {
    static const auto by_name = [] {
        std::unordered_map<std::string_view, const FieldSpec*> fields;
        for (const FieldSpec& field : policy::job_fields())
            fields.emplace(field.name, &field);
        return fields;
    }();
    const auto found = by_name.find(name);
    return found == by_name.end() ? nullptr : found->second;
}

std::string set_fields(JobRequest& request, const JsonSlice& fields, std::string& store) {
    std::string problem;
    fields.for_each_member([&](std::string_view name, const JsonSlice& given) {
        if (!problem.empty()) return;
        const FieldSpec* field = find_field(name);
        if (field == nullptr) { // of another version
            problem = text::format("field '{}' is not known", text::printable(name, 60));
            return;
        }
        const auto done = policy::set_field(request, *field, to_value(given, store));
        if (!done) problem = done.error().message;
    });
    return problem;
}

/// What rules have no field for. Returns why the request cannot be known; empty: it can.
std::string set_other_values(JobRequest& request, const JsonSlice& values) {
    std::string problem;
    values.for_each_member([&](std::string_view name, const JsonSlice& value) {
        for (const auto& row : gate::other_counts)
            if (row.name == name) {
                const auto count = value.integer();
                if (count && *count >= 0 && *count <= std::numeric_limits<std::uint32_t>::max())
                    request.*row.member = static_cast<std::uint32_t>(*count);
            }
        for (const auto& row : gate::other_texts)
            if (row.name == name && value.is_text()) request.*row.member = value.text();
        for (const auto& row : gate::other_flags)
            if (row.name == name && value.is_flag()) request.*row.member = value.is_true();
        if (name == "unread" && !value.is_empty() && value.is_text() && !value.text().empty())
            problem = "a request that was too large to be read";
        if (name == "cut" && problem.empty())
            value.for_each_element([&](const JsonSlice& field) {
                if (problem.empty())
                    problem = text::format("'{}' is not recorded as it was sent",
                                           text::printable(field.text(), 60));
            });
    });
    return problem;
}

std::uint32_t user_id(const JsonSlice& value) {
    return static_cast<std::uint32_t>(value.integer().value_or(0));
}

} // namespace

std::time_t to_record_time(std::string_view text) {
    constexpr std::string_view form = "0000-00-00T00:00:00";
    if (text.size() < form.size()) return 0;
    for (std::size_t i = 0; i < form.size(); ++i)
        if (form[i] == '0' ? text[i] < '0' || text[i] > '9' : text[i] != form[i]) return 0;
    const auto number = [text](std::size_t at, std::size_t digits) {
        int value = 0;
        for (std::size_t i = at; i < at + digits; ++i)
            value = value * 10 + (text[i] - '0');
        return value;
    };
    std::tm utc{};
    utc.tm_year = number(0, 4) - 1900;
    utc.tm_mon = number(5, 2) - 1;
    utc.tm_mday = number(8, 2);
    utc.tm_hour = number(11, 2);
    utc.tm_min = number(14, 2);
    utc.tm_sec = number(17, 2);
    return timegm(&utc);
}

std::optional<RecordMembers> RecordMembers::of(std::string_view line) {
    const auto whole = JsonSlice::of(line);
    if (!whole || !whole->is_object()) return std::nullopt;
    using Row = std::pair<std::string_view, JsonSlice RecordMembers::*>;
    static constexpr std::array<Row, 11> rows{{{"event", &RecordMembers::event},
                                               {"time", &RecordMembers::time},
                                               {"id", &RecordMembers::id},
                                               {"uid", &RecordMembers::uid},
                                               {"submit_uid", &RecordMembers::submit_uid},
                                               {"user", &RecordMembers::user},
                                               {"outcome", &RecordMembers::outcome},
                                               {"request", &RecordMembers::request},
                                               {"other_values", &RecordMembers::other_values},
                                               {"events", &RecordMembers::events},
                                               {"dropped_before", &RecordMembers::dropped_before}}};
    RecordMembers members;
    whole->for_each_member([&](std::string_view key, const JsonSlice& value) {
        const auto row = std::ranges::find(rows, key, &Row::first);
        if (row != rows.end()) members.*row->second = value;
    });
    const bool is_record = members.id.is_text() && members.outcome.is_text() && members.request.is_object();
    return is_record ? std::optional(members) : std::nullopt;
}

/// Notes what a rule asks for.
class ReplayedJob::Unrecorded final : public model::DetailReader {
  public:
    [[nodiscard]] DetailValue read(const void* job, const void* /*update*/,
                                   JobDetail detail) const noexcept override {
        // A record has the others, if the request had them.
        constexpr std::pair<JobDetail, std::string_view> left_out[] = {{JobDetail::script, "script"},
                                                                       {JobDetail::std_in, "std_in"},
                                                                       {JobDetail::std_out, "std_out"},
                                                                       {JobDetail::std_err, "std_err"}};
        for (const auto& [missing, name] : left_out)
            if (detail == missing) return miss(job, name);
        return {};
    }
    [[nodiscard]] std::size_t argument_count(const void* job) const noexcept override {
        miss(job, "argv");
        return 0;
    }
    [[nodiscard]] DetailValue argument(const void* job, std::size_t /*index*/) const noexcept override {
        return miss(job, "argv");
    }
    [[nodiscard]] std::size_t variable_count(const void* job) const noexcept override {
        miss(job, "env");
        return 0;
    }
    [[nodiscard]] DetailValue variable(const void* job, std::string_view /*name*/) const noexcept override {
        return miss(job, "env");
    }

  private:
    static DetailValue miss(const void* job, std::string_view what) noexcept {
        static_cast<const ReplayedJob*>(job)->missed_ = what;
        return {};
    }
};

void ReplayedJob::begin(const model::DetailReader& reader, model::SourceExtent extent) {
    request_ = JobRequest{};
    request_.details = model::JobDetails(reader, this, nullptr, extent);
    time_ = 0;
    id_.clear();
    user_.clear();
    knows_client_ = true;
    missed_ = {};
    missed_use_ = model::FieldUse::read;
}

Result<void> ReplayedJob::take(const RecordMembers& record) {
    static const Unrecorded unrecorded;
    begin(unrecorded, model::SourceExtent::whole);
    source_ = "records";
    id_ = record.id.text(store_);
    user_ = record.user.text(store_);
    if (record.event.text(store_) != "submission") return not_recorded("a change of a job");
    if (!record.other_values.is_object()) return not_recorded("recorded by an older version");
    request_.user_id = user_id(record.uid);
    request_.submit_uid = user_id(record.submit_uid);
    time_ = to_record_time(record.time.text(store_));
    if (auto problem = set_other_values(request_, record.other_values); !problem.empty())
        return not_recorded(std::move(problem));
    if (auto problem = set_fields(request_, record.request, store_); !problem.empty())
        return not_recorded(std::move(problem));
    return {};
}

std::string ReplayedJob::missed() const {
    if (missed_.empty()) return {};
    if (missed_use_ == model::FieldUse::is_set)
        return text::format("a rule asks whether the request sets '{}', which {} does not tell", missed_,
                            source_);
    return text::format("a rule reads '{}', which {} {} not hold", missed_, source_,
                        source_ == "records" ? "do" : "does");
}

} // namespace qg::cli
