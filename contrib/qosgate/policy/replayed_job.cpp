// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/replayed_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/decision_record.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <chrono>
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

using Json = PastRecord::Json;

/// The number, if the value is a whole one.
std::optional<std::int64_t> number_in(const Json& value) noexcept {
    const auto* number = value.get_ptr<const Json::number_integer_t*>(); // of an unsigned one, too
    const bool is_too_large =
        value.is_number_unsigned() && *value.get_ptr<const Json::number_unsigned_t*>() >
                                          Json::number_unsigned_t{std::numeric_limits<std::int64_t>::max()};
    return number != nullptr && !is_too_large ? std::optional<std::int64_t>(*number) : std::nullopt;
}

Value to_value(const Json& value) noexcept {
    if (const auto* flag = value.get_ptr<const bool*>()) return Value::of_flag(*flag);
    if (const auto number = number_in(value)) return {Value::Kind::integer, *number, {}};
    if (value.is_string()) return {Value::Kind::text, 0, text_in(value)};
    return {};
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

std::string set_fields(JobRequest& request, const Json& fields) {
    for (const auto& [name, value] : fields.items()) {
        const FieldSpec* field = find_field(name);
        if (field == nullptr) // of another version
            return text::format("field '{}' is not known", text::printable(name, 60));
        const auto done = policy::set_field(request, *field, to_value(value));
        if (!done) return done.error().message;
    }
    return {};
}

/// Sets the value that has this name. A value of another type is ignored.
void set_other_value(JobRequest& request, std::string_view name, const Json& value) {
    for (const auto& row : gate::other_counts) {
        if (row.name != name) continue;
        const auto count = number_in(value);
        if (count && *count >= 0 && *count <= std::numeric_limits<std::uint32_t>::max())
            request.*row.member = static_cast<std::uint32_t>(*count);
        return;
    }
    for (const auto& row : gate::other_flags) {
        if (row.name != name) continue;
        if (const auto* flag = value.get_ptr<const bool*>()) request.*row.member = *flag;
        return;
    }
    for (const auto& row : gate::other_texts) {
        if (row.name != name) continue;
        if (value.is_string()) request.*row.member = text_in(value);
        return;
    }
}

/// What rules have no field for. Returns why the request cannot be known; empty: it can.
std::string set_other_values(JobRequest& request, const Json& values) {
    bool is_unread = false;
    std::string cut;
    for (const auto& [name, value] : values.items()) {
        if (name == "unread")
            is_unread = !text_in(value).empty();
        else if (name != "cut")
            set_other_value(request, name, value);
        else if (value.is_array() && !value.empty())
            cut = text::format("'{}' is not recorded as it was sent",
                               text::printable(text_in(value.front()), 60));
    }
    return is_unread ? "a request that was too large to be read" : cut;
}

/// Empty: the record tells none.
std::optional<std::uint32_t> user_id(std::optional<std::int64_t> number) {
    const bool is_one = number && *number >= 0 && *number <= std::numeric_limits<std::uint32_t>::max();
    return is_one ? std::optional(static_cast<std::uint32_t>(*number)) : std::nullopt;
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
    namespace calendar = std::chrono;
    const auto day = calendar::year(number(0, 4)) / number(5, 2) / number(8, 2);
    if (!day.ok()) return 0;
    const auto clock =
        calendar::hours(number(11, 2)) + calendar::minutes(number(14, 2)) + calendar::seconds(number(17, 2));
    return calendar::seconds(calendar::sys_days(day).time_since_epoch() + clock).count();
}

std::string_view text_in(const Json& value) noexcept {
    const auto* words = value.get_ptr<const std::string*>();
    return words == nullptr ? std::string_view() : std::string_view(*words);
}

std::optional<PastRecord> PastRecord::parse(std::string_view line) {
    static const Json missing;
    Json members = Json::parse(line, /*cb=*/nullptr, /*allow_exceptions=*/false);
    if (!members.is_object()) return std::nullopt;
    const auto find = [&members](const char* name) -> const Json& {
        const auto found = members.find(name);
        return found == members.end() ? missing : *found;
    };
    const auto take = [&members](const char* name, Json::value_t type) {
        const auto found = members.find(name);
        return found != members.end() && found->type() == type ? std::move(*found) : Json();
    };
    if (!find("id").is_string() || !find("outcome").is_string() || !find("request").is_object())
        return std::nullopt;
    return PastRecord{.id = std::string(text_in(find("id"))),
                      .time = std::string(text_in(find("time"))),
                      .event = std::string(text_in(find("event"))),
                      .user = std::string(text_in(find("user"))),
                      .outcome = std::string(text_in(find("outcome"))),
                      .uid = number_in(find("uid")),
                      .submit_uid = number_in(find("submit_uid")),
                      .dropped_before = number_in(find("dropped_before")),
                      .other_values = take("other_values", Json::value_t::object),
                      .events = take("events", Json::value_t::array),
                      .request = take("request", Json::value_t::object)};
}

/// Notes what a rule asks for.
class ReplayedJob::Unrecorded final : public model::DetailReader {
  public:
    [[nodiscard]] DetailValue read(const void* job, const void* /*update*/,
                                   JobDetail detail) const noexcept override {
        // A record has the others, if the request had them.
        const model::JobField* field = model::find_field_of(detail);
        return field == nullptr || field->is_recorded ? DetailValue{} : miss(job, field->name);
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

Result<void> ReplayedJob::take(const PastRecord& record) {
    static const Unrecorded unrecorded;
    begin(unrecorded, model::SourceExtent::whole);
    source_ = "records";
    id_ = record.id;
    user_ = record.user;
    if (record.event != "submission") return not_recorded("a change of a job");
    if (record.other_values.is_null()) return not_recorded("recorded by an older version");
    const auto owner = user_id(record.uid);
    const auto sender = user_id(record.submit_uid);
    if (!owner || !sender) return not_recorded("without a user id");
    request_.user_id = *owner;
    request_.submit_uid = *sender;
    time_ = to_record_time(record.time);
    if (auto problem = set_other_values(request_, record.other_values); !problem.empty())
        return not_recorded(std::move(problem));
    if (auto problem = set_fields(request_, record.request); !problem.empty())
        return not_recorded(std::move(problem));
    return {};
}

std::string ReplayedJob::missed() const {
    if (missed_.empty()) return {};
    if (missed_use_ == model::FieldUse::is_set)
        return text::format("a rule asks whether the request sets '{}', which {} does not show", missed_,
                            source_);
    return text::format("a rule reads '{}', which {} {} not hold", missed_, source_,
                        source_ == "records" ? "do" : "does");
}

} // namespace qg::cli
