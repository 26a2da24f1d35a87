// SPDX-License-Identifier: GPL-2.0-or-later
#include "replayed_job.hpp"

#include "record_files.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/recorded_request.hpp"
#include "qosgate/policy/field_set.hpp"
#include "qosgate/policy/fields.hpp"

#include <nlohmann/json.hpp>

#include <utility>

namespace qg::cli {
namespace {

using model::DetailValue;
using model::JobDetail;
using model::JobRequest;
using nlohmann::json;
using policy::Value;

Error not_recorded(std::string why) {
    return {ErrorCode::unsupported, std::move(why)};
}

/// A value of a record; it borrows texts.
Value to_value(const json& value) {
    if (value.is_boolean()) return Value::of_flag(value.get<bool>());
    if (value.is_number_integer()) return {Value::Kind::integer, value.get<std::int64_t>(), {}};
    if (!value.is_string()) return {};
    const auto& text = value.get_ref<const std::string&>();
    return {Value::Kind::text, 0, text};
}

Result<void> set_fields(JobRequest& request, const json& fields) {
    for (const auto& [name, given] : fields.items()) {
        const policy::FieldSpec* field = policy::find_job_field(name);
        // A field of another version.
        if (field == nullptr)
            return not_recorded(text::format("field '{}' is not known", text::printable(name, 60)));
        const auto done = policy::set_field(request, *field, to_value(given));
        if (!done) return not_recorded(done.error().message);
    }
    return {};
}

/// What rules have no field for.
Result<void> set_other_values(JobRequest& request, const json& values) {
    const auto find = [&](std::string_view name) { return values.find(std::string(name)); };
    for (const auto& row : gate::other_counts)
        if (const auto value = find(row.name); value != values.end() && value->is_number_unsigned())
            request.*row.member = value->get<std::uint32_t>();
    for (const auto& row : gate::other_texts)
        if (const auto value = find(row.name); value != values.end() && value->is_string())
            request.*row.member = value->get<std::string>();
    for (const auto& row : gate::other_flags)
        if (const auto value = find(row.name); value != values.end() && value->is_boolean())
            request.*row.member = value->get<bool>();
    return {};
}

/// "2026-11-20T09:12:44.120934Z"; 0 for another text.
std::time_t to_time(const std::string& text) {
    std::tm utc{};
    return strptime(text.c_str(), "%Y-%m-%dT%H:%M:%S", &utc) == nullptr ? 0 : timegm(&utc);
}

std::uint32_t user_id(const json& record, const char* key) {
    const auto found = record.find(key);
    return found != record.end() && found->is_number_unsigned() ? found->get<std::uint32_t>() : 0;
}

} // namespace

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

Result<std::unique_ptr<ReplayedJob>> ReplayedJob::from(const json& record) {
    static const Unrecorded unrecorded;
    if (text_of(record, "event") != "submission") return not_recorded("a change of a job");
    const auto values = record.find("other_values");
    if (values == record.end() || !values->is_object() || !record.contains("request") ||
        !record["request"].is_object())
        return not_recorded("recorded by an older version");
    if (!text_of(*values, "unread").empty()) return not_recorded("a request that was too large to be read");
    if (const auto cut = texts_of(*values, "cut"); !cut.empty())
        return not_recorded(
            text::format("'{}' is not recorded as it was sent", text::printable(cut.front(), 60)));
    std::unique_ptr<ReplayedJob> job(new ReplayedJob());
    job->request_.user_id = user_id(record, "uid");
    job->request_.submit_uid = user_id(record, "submit_uid");
    job->request_.details = model::JobDetails(unrecorded, job.get());
    if (auto done = set_fields(job->request_, record["request"]); !done) return done.error();
    if (auto done = set_other_values(job->request_, *values); !done) return done.error();
    job->time_ = to_time(text_of(record, "time"));
    return job;
}

} // namespace qg::cli
