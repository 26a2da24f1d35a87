// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/field_set.hpp"
#include "qosgate/policy/unknown_name.hpp"

#include <algorithm>
#include <array>

namespace qg::policy {
namespace {

using model::JobRequest;

/// The counts that every cluster has, in Slurm's order, and GPUs.
constexpr std::array<const char*, 6> common_tres{"cpu", "mem", "energy", "node", "billing", "gres/gpu"};

Error wrong_value(std::string_view name, const Value& value, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("{} cannot be {}: write {}", name, describe(value), allowed)};
}

/// A field that is the count of a TRES.
struct Count {
    std::string_view name;
    const char* tres;
};
constexpr std::array<Count, 4> counts{
    {{"nodes", "node"}, {"cpus", "cpu"}, {"memory", "mem"}, {"gpus", "gres/gpu"}}};

Result<std::uint32_t> to_number(std::string_view name, const Value& value) {
    if (value.kind != Value::Kind::integer || value.integer < 0 || value.integer > 0xfffffffdLL)
        return wrong_value(name, value, "a whole number from 0 on");
    return static_cast<std::uint32_t>(value.integer);
}

Result<std::string> to_name(std::string_view name, const Value& value) {
    if (value.kind != Value::Kind::text) return wrong_value(name, value, "a text");
    return std::string(value.text);
}

std::string_view or_default(const std::optional<std::string>& own, const std::string& otherwise) {
    return own ? std::string_view(*own) : std::string_view(otherwise);
}

} // namespace

Result<TestJob> TestJob::from(const PolicyTest& test, TestedAs which) {
    TestJob job;
    job.request_.user_id = 1000;
    job.request_.is_batch = true;
    bool has_sender = false;
    const bool reads_job = which == TestedAs::job;
    for (const TestEntry& entry : test.entries) { // sorted: those of `before` come first
        const bool is_of_job = entry.section == "before" || (reads_job && entry.section == "job");
        const bool is_tres = entry.section == "before.tres" || (reads_job && entry.section == "job.tres");
        // Who sends the change is the sender for both.
        const bool is_sender = entry.name == "submit_uid" && (is_of_job || entry.section == "job");
        Result<void> done;
        if (is_of_job || is_sender) done = job.set_job(entry.name, entry.value());
        if (entry.section == "given") done = job.set_given(entry.name, entry.value());
        if (is_tres) done = job.set_tres(entry.name, entry.value());
        if (!done) return done.error();
        has_sender = has_sender || is_sender;
    }
    if (!has_sender) job.request_.submit_uid = job.request_.user_id;
    job.count();
    return job;
}

Result<void> TestJob::set_job(const std::string& name, const Value& value) {
    const FieldSpec* field = nullptr;
    for (const FieldSpec& spec : job_fields())
        if (spec.name == name) field = &spec;
    if (field == nullptr) return Error{ErrorCode::invalid_input, describe_unknown_field(name)};
    if (const auto done = set_field(request_, *field, value); !done || *done)
        return done ? Result<void>() : done.error();
    const std::string place = "job." + name;
    if (const auto count = std::ranges::find(counts, name, &Count::name); count != counts.end())
        return set_tres(count->tres, value);
    if (name == "user") {
        auto user = to_name(place, value);
        if (!user) return user.error();
        user_ = *std::move(user);
        return {};
    }
    if (name != "uid" && name != "submit_uid" && name != "array_tasks")
        return Error{ErrorCode::unsupported, text::format("{} cannot be set in a test", place)};
    const auto number = to_number(place, value);
    if (!number) return number.error();
    (name == "uid"          ? request_.user_id
     : name == "submit_uid" ? request_.submit_uid
                            : counted_.array_tasks) = *number;
    return {};
}

Result<void> TestJob::set_given(const std::string& name, const Value& value) {
    if (name == "time_limit") {
        const FieldSpec* field = find_job_field(name);
        JobRequest scratch;
        if (const auto done = write_field(*field, scratch, value); !done) return done.error();
        counted_.time_limit = scratch.time_limit;
        return {};
    }
    const std::vector<std::string> names{"qos", "partition", "account", "time_limit"};
    std::string* const defaults[] = {&qos_, &partition_, &account_};
    const auto found = std::ranges::find(names, name);
    if (found == names.end())
        return Error{ErrorCode::invalid_input,
                     text::format("given: unknown name '{}'{}{}", text::printable(name, 60),
                                  text::did_you_mean(name, names), list_of_names(names))};
    auto content = to_name("given." + name, value);
    if (!content) return content.error();
    *defaults[found - names.begin()] = *std::move(content);
    return {};
}

Result<void> TestJob::set_tres(const std::string& name, const Value& value) {
    const auto number = to_number(text::format("job.tres[\"{}\"]", text::printable(name, 60)), value);
    if (!number) return number.error();
    tres_[name] = *number;
    return {};
}

/// What a user has asked for who gets these counts, so that job:is_set is true for them.
void TestJob::request_counts() {
    const auto given = [this](const char* name) {
        const auto found = tres_.find(name);
        return found == tres_.end() ? 0 : found->second;
    };
    const std::uint64_t nodes = given("node");
    if (nodes > 0 && !request_.min_nodes) request_.min_nodes = static_cast<std::uint32_t>(nodes);
    if (const std::uint64_t memory = given("mem"); memory > 0 && !request_.memory)
        request_.memory = model::Memory{memory / std::max<std::uint64_t>(nodes, 1), false};
    const bool names_gpus =
        request_.tres_per_job || request_.tres_per_node || request_.tres_per_socket || request_.tres_per_task;
    if (const std::uint64_t gpus = given("gres/gpu"); gpus > 0 && !names_gpus)
        request_.tres_per_job = text::format("gres:gpu:{}", gpus);
}

void TestJob::count() {
    request_counts();
    const std::uint64_t tasks = request_.tasks.value_or(1);
    tres_.try_emplace("node", request_.min_nodes.value_or(1));
    const auto cpus = tres_.try_emplace("cpu", tasks * request_.cpus_per_task.value_or(1)).first;
    request_.min_cpus = static_cast<std::uint32_t>(cpus->second); // the clients send it with every request
    std::vector<std::string> names(common_tres.begin(), common_tres.end());
    for (const auto& [name, number] : tres_)
        if (std::ranges::find(names, name) == names.end()) names.push_back(name);
    counted_.tres.assign(names.size(), 0);
    for (std::size_t i = 0; i < names.size(); ++i)
        if (const auto found = tres_.find(names[i]); found != tres_.end()) counted_.tres[i] = found->second;
    catalogue_ = model::TresCatalogue(std::move(names));
    if (request_.time_limit) counted_.time_limit = request_.time_limit;
}

RuleInput TestJob::facts() const {
    return {counted_,
            catalogue_,
            user_,
            or_default(request_.account, account_),
            or_default(request_.partition, partition_),
            or_default(request_.qos, qos_)};
}

} // namespace qg::policy
