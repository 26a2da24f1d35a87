// SPDX-License-Identifier: GPL-2.0-or-later
#include "replayed_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/recorded_request.hpp"
#include "qosgate/policy/field_set.hpp"
#include "qosgate/policy/fields.hpp"

#include <chrono>
#include <limits>
#include <type_traits>
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

/// The value, if it is of this type. `value` may be the error of a member that is missing.
template <typename T, typename Element>
std::optional<T> get_as(const Element& value) noexcept {
    T found{};
    return value.get(found) == simdjson::SUCCESS ? std::optional(found) : std::nullopt;
}

Value to_value(const simdjson::dom::element& value) noexcept {
    if (const auto flag = get_as<bool>(value)) return Value::of_flag(*flag);
    if (const auto number = get_as<std::int64_t>(value)) return {Value::Kind::integer, *number, {}};
    if (const auto words = get_as<std::string_view>(value)) return {Value::Kind::text, 0, *words};
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

std::string set_fields(JobRequest& request, simdjson::dom::object fields) {
    for (const auto [name, value] : fields) {
        const FieldSpec* field = find_field(name);
        if (field == nullptr) // of another version
            return text::format("field '{}' is not known", text::printable(name, 60));
        const auto done = policy::set_field(request, *field, to_value(value));
        if (!done) return done.error().message;
    }
    return {};
}

/// Sets the value that has this name. A value of another type is ignored.
void set_other_value(JobRequest& request, std::string_view name, const simdjson::dom::element& value) {
    for (const auto& row : gate::other_counts) {
        if (row.name != name) continue;
        const auto count = get_as<std::int64_t>(value);
        if (count && *count >= 0 && *count <= std::numeric_limits<std::uint32_t>::max())
            request.*row.member = static_cast<std::uint32_t>(*count);
        return;
    }
    for (const auto& row : gate::other_flags) {
        if (row.name != name) continue;
        if (const auto flag = get_as<bool>(value)) request.*row.member = *flag;
        return;
    }
    for (const auto& row : gate::other_texts) {
        if (row.name != name) continue;
        if (const auto words = get_as<std::string_view>(value)) request.*row.member = *words;
        return;
    }
}

/// What rules have no field for. Returns why the request cannot be known; empty: it can.
std::string set_other_values(JobRequest& request, simdjson::dom::object values) {
    bool is_unread = false;
    std::string cut;
    for (const auto [name, value] : values) {
        if (name == "unread")
            is_unread = !get_as<std::string_view>(value).value_or("").empty();
        else if (name != "cut")
            set_other_value(request, name, value);
        else if (const auto fields = get_as<simdjson::dom::array>(value); fields && fields->size() > 0)
            cut = text::format("'{}' is not recorded as it was sent",
                               text::printable(get_as<std::string_view>(fields->at(0)).value_or(""), 60));
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

std::optional<PastRecord> PastRecord::parse(simdjson::dom::parser& parser, std::string_view line) {
    const auto members = get_as<simdjson::dom::object>(parser.parse(line));
    if (!members) return std::nullopt;
    PastRecord record;
    const auto take = [](auto& member, const simdjson::dom::element& value) {
        using Member = std::remove_reference_t<decltype(member)>;
        if constexpr (std::is_same_v<Member, std::string_view>)
            member = get_as<std::string_view>(value).value_or("");
        else
            member = get_as<typename Member::value_type>(value);
    };
    bool has_id = false;
    bool has_outcome = false;
    bool has_request = false;
    for (const auto [name, value] : *members) {
        if (name == "time")
            take(record.time, value);
        else if (name == "id") {
            take(record.id, value);
            has_id = value.is_string();
        } else if (name == "event")
            take(record.event, value);
        else if (name == "uid")
            take(record.uid, value);
        else if (name == "submit_uid")
            take(record.submit_uid, value);
        else if (name == "user")
            take(record.user, value);
        else if (name == "outcome") {
            take(record.outcome, value);
            has_outcome = value.is_string();
        } else if (name == "request")
            has_request = value.get(record.request) == simdjson::SUCCESS;
        else if (name == "other_values")
            take(record.other_values, value);
        else if (name == "events")
            take(record.events, value);
        else if (name == "dropped_before")
            take(record.dropped_before, value);
    }
    return has_id && has_outcome && has_request ? std::optional(record) : std::nullopt;
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

Result<void> ReplayedJob::take(const PastRecord& record) {
    static const Unrecorded unrecorded;
    begin(unrecorded, model::SourceExtent::whole);
    source_ = "records";
    id_ = record.id;
    user_ = record.user;
    if (record.event != "submission") return not_recorded("a change of a job");
    if (!record.other_values) return not_recorded("recorded by an older version");
    const auto owner = user_id(record.uid);
    const auto sender = user_id(record.submit_uid);
    if (!owner || !sender) return not_recorded("without a user id");
    request_.user_id = *owner;
    request_.submit_uid = *sender;
    time_ = to_record_time(record.time);
    if (auto problem = set_other_values(request_, *record.other_values); !problem.empty())
        return not_recorded(std::move(problem));
    if (auto problem = set_fields(request_, record.request); !problem.empty())
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
