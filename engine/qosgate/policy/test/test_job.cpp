// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/test_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/objects/fields.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace qg::policy {
namespace {

using model::DetailValue;
using model::JobDetail;

Error wrong_value(std::string_view name, const Value& value, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("{} cannot be {}: write {}", name, describe(value), allowed)};
}

/// A field that is the count of a TRES.
struct Count {
    std::string_view name;
    const char* tres;
};
constexpr std::array<Count, 4> count_fields{
    {{"nodes", "node"}, {"cpus", "cpu"}, {"memory", "mem"}, {"gpus", "gres/gpu"}}};

/// A field that a test sets in another way.
struct Instead {
    std::string_view name;
    std::string_view write;
};
constexpr std::array<Instead, 8> instead{{
    {"gpu", "gpus = 2; to name a type, tres_per_node = \"gres:gpu:a100:2\", tres_per_job or the like"},
    {"gpu_requests", "tres_per_node = \"gres:gpu:a100:2\", tres_per_job or the like"},
    {"tres", "tres = { [\"license/matlab\"] = 2 }"},
    {"env", "env = { HOME = \"/home/ana\" }"},
    {"argv", "argv = { \"--fast\", \"input.dat\" }"},
    {"license_counts", "licenses = \"matlab:2\""},
    {"feature_names", "features = \"a100\""},
    {"script_options", "script = \"#!/bin/sh\\n#SBATCH --time=10\\n\""},
}};

Result<std::uint32_t> to_number(std::string_view name, const Value& value) {
    if (value.kind != Value::Kind::integer || value.integer < 0 || value.integer > 0xfffffffdLL)
        return wrong_value(name, value, "a whole number from 0 on");
    return static_cast<std::uint32_t>(value.integer);
}

Result<std::string> to_name(std::string_view name, const Value& value) {
    if (value.kind != Value::Kind::text) return wrong_value(name, value, "a text");
    return std::string(value.text);
}

DetailValue value_of_word(const std::string& word) noexcept {
    return {DetailValue::Kind::text, 0, word};
}

} // namespace

/// The words of the command and the environment, as sbatch sends them.
class TestJob::Command final : public model::DetailReader {
  public:
    std::vector<std::string> words{"job.sh"}; ///< the script first
    std::map<std::string, std::string, std::less<>> variables;

    [[nodiscard]] DetailValue read(const void* /*job*/, const void* /*update*/,
                                   JobDetail /*detail*/) const noexcept override {
        return {};
    }
    [[nodiscard]] std::size_t argument_count(const void* /*job*/) const noexcept override {
        return words.size();
    }
    [[nodiscard]] DetailValue argument(const void* /*job*/, std::size_t index) const noexcept override {
        return value_of_word(words[index]);
    }
    [[nodiscard]] std::size_t variable_count(const void* /*job*/) const noexcept override {
        return variables.size();
    }
    [[nodiscard]] DetailValue variable(const void* /*job*/, std::string_view name) const noexcept override {
        const auto found = variables.find(name);
        return found == variables.end() ? DetailValue{} : value_of_word(found->second);
    }
};

Result<TestJob> TestJob::from(const PolicyTest& test, TestedAs which) {
    TestJob job;
    job.request_.user_id = 1000;
    job.request_.is_batch = true;
    const auto is_in = [which](const TestEntry& entry, std::string_view section) {
        const std::string_view place(entry.section);
        return (place.starts_with("before") && place.substr(6) == section) ||
               (which == TestedAs::job && place.starts_with("job") && place.substr(3) == section);
    };
    // First, because the job's other details are written into it.
    for (const TestEntry& entry : test.entries) {
        const bool is_variable = is_in(entry, ".env");
        if (!is_variable && !is_in(entry, ".argv")) continue;
        if (const auto done = job.set_command(entry, is_variable); !done) return done.error();
    }
    if (job.command_) job.request_.details = model::JobDetails(*job.command_, nullptr);
    for (const TestEntry& entry : test.entries) { // sorted: those of `before` come first
        // Who sends the change is the sender for both.
        const bool is_sender = entry.name == "submit_uid" && entry.section == "job";
        Result<void> done;
        if (is_in(entry, "") || is_sender) done = job.set_job(entry.name, entry.value());
        if (entry.section == "given") done = job.set_given(entry.name, entry.value());
        if (is_in(entry, ".tres")) done = job.set_count(entry.name, entry.value());
        if (!done) return done.error();
    }
    if (!job.names_sender_) job.request_.submit_uid = job.request_.user_id;
    job.request_counts();
    return job;
}

Result<void> TestJob::set_command(const TestEntry& entry, bool is_variable) {
    const std::string place =
        is_variable ? "job.env." + text::printable(entry.name, 60) : "a word of job.argv";
    auto word = to_name(place, entry.value());
    if (!word) return word.error();
    if (!command_) command_ = std::make_shared<Command>();
    if (is_variable)
        command_->variables[entry.name] = *std::move(word);
    else if (entry.name == "0")
        command_->words.front() = *std::move(word);
    else
        command_->words.push_back(*std::move(word));
    return {};
}

Result<void> TestJob::set_job(const std::string& name, const Value& value) {
    const FieldSpec* field = find_job_field(name);
    if (field == nullptr) return Error{ErrorCode::invalid_input, describe_unknown_field(name)};
    if (const auto done = set_field(request_, *field, value); !done || *done)
        return done ? Result<void>() : done.error();
    const std::string place = "job." + name;
    if (const auto count = std::ranges::find(count_fields, name, &Count::name); count != count_fields.end())
        return set_count(count->tres, value);
    if (name == "user") {
        auto user = to_name(place, value);
        if (!user) return user.error();
        user_ = *std::move(user);
        return {};
    }
    if (name == "interactive") {
        if (value.kind != Value::Kind::flag) return wrong_value(place, value, "true or false");
        request_.is_batch = value.integer == 0;
        return {};
    }
    if (const auto other = std::ranges::find(instead, name, &Instead::name); other != instead.end())
        return Error{ErrorCode::unsupported,
                     text::format("{} cannot be set so in a test: write {}", place, other->write)};
    const auto number = to_number(place, value);
    if (!number) return number.error();
    if (name == "uid") {
        request_.user_id = *number;
        names_uid_ = true;
    } else if (name == "submit_uid") {
        request_.submit_uid = *number;
        names_sender_ = true;
    } else if (name == "array_tasks") {
        array_tasks_ = *number;
    } else if (name == "memory_per_gpu") {
        request_.memory_per_tres = text::format("gres:gpu:{}", *number);
    } else if (name == "cpus_per_gpu") {
        request_.cpus_per_tres = text::format("gres:gpu:{}", *number);
    } else {
        return Error{ErrorCode::unsupported, text::format("{} cannot be set in a test", place)};
    }
    return {};
}

Result<void> TestJob::set_given(const std::string& name, const Value& value) {
    if (name == "time_limit") {
        const FieldSpec* field = find_job_field(name);
        model::JobRequest scratch;
        if (const auto done = write_field(*field, scratch, value); !done) return done.error();
        defaults_.time_limit = scratch.time_limit;
        return {};
    }
    const std::vector<std::string> names{"qos", "partition", "account", "time_limit"};
    std::string* const defaults[] = {&defaults_.qos, &defaults_.partition, &defaults_.account};
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

Result<void> TestJob::set_count(const std::string& name, const Value& value) {
    const auto number = to_number(text::format("job.tres[\"{}\"]", text::printable(name, 60)), value);
    if (!number) return number.error();
    counts_[name] = *number;
    return {};
}

/// What a user has asked for who gets these counts, so that job:is_set is true for them.
void TestJob::request_counts() {
    const auto given = [this](const char* name) {
        const auto found = counts_.find(name);
        return found == counts_.end() ? 0 : found->second;
    };
    if (const std::uint64_t nodes = given("node"); nodes > 0 && !request_.min_nodes)
        request_.min_nodes = static_cast<std::uint32_t>(nodes);
    const std::uint64_t nodes = std::max<std::uint64_t>(request_.min_nodes.value_or(1), 1);
    if (const std::uint64_t memory = given("mem"); memory > 0 && !request_.memory)
        request_.memory = model::Memory{memory / nodes, false};
    const bool names_gpus =
        request_.tres_per_job || request_.tres_per_node || request_.tres_per_socket || request_.tres_per_task;
    if (const std::uint64_t gpus = given("gres/gpu"); gpus > 0 && !names_gpus)
        request_.tres_per_job = text::format("gres:gpu:{}", gpus);
    if (const std::uint64_t cpus = given("cpu"); cpus > 0)
        request_.min_cpus = static_cast<std::uint32_t>(cpus);
}

// ---- the change of a test ------------------------------------------------------------------------------

namespace {

/// A field that slurmctld does not show of a job that it has.
struct HiddenField {
    std::string_view name;
    std::string_view reads;     ///< what rules read instead
    bool is_in_changes = false; ///< it is shown where the change sets it
};
constexpr std::array<HiddenField, 11> hidden_fields{{
    {"array", "nil"},
    {"array_tasks", "1"},
    {"script", "nil"},
    {"script_options", "an empty list"},
    {"het_offset", "nil"},
    {"is_het_part", "false"},
    {"admin_comment", "nil", true},
    {"burst_buffer", "nil", true},
    {"reboot", "false", true},
    {"switches", "nil", true},
    {"switches_wait", "nil", true},
}};

/// Whether it is what rules read anyway.
bool is_shown_value(const TestEntry& entry) {
    return entry.is_flag(false) ||
           (entry.name == "array_tasks" && entry.kind == Value::Kind::integer && entry.integer == 1);
}

Error describe_hidden(const TestEntry& entry, const HiddenField& field) {
    return {ErrorCode::invalid_input,
            text::format("{}.{} cannot be given: at a change slurmctld does not show it{}, and rules read {}",
                         entry.section, field.name,
                         field.is_in_changes ? " unless the change sets it (in the test: job)" : "",
                         field.reads)};
}

Error describe_lasting(std::string_view name) {
    return {ErrorCode::invalid_input,
            text::format("job.{} cannot be changed: write it into before", text::printable(name, 60))};
}

} // namespace

model::UpdateParts parts_of_change(const PolicyTest& test) {
    model::UpdateParts parts;
    for (const TestEntry& entry : test.entries) {
        if (entry.section == "job.tres") parts.add(model::UpdatePart::limits);
        const FieldSpec* const field = entry.section == "job" ? find_job_field(entry.name) : nullptr;
        if (field != nullptr && field->part) parts.add(*field->part);
    }
    return parts;
}

Result<void> check_change(const PolicyTest& test) {
    for (const TestEntry& entry : test.entries) {
        if (entry.section == "job.env") return describe_lasting("env");
        if (entry.section == "job.argv") return describe_lasting("argv");
        const bool is_change = entry.section == "job";
        if (!is_change && entry.section != "before") continue;
        const auto hidden = std::ranges::find(hidden_fields, entry.name, &HiddenField::name);
        if (hidden != hidden_fields.end()) {
            if (is_shown_value(entry) || (is_change && hidden->is_in_changes)) continue;
            return describe_hidden(entry, *hidden);
        }
        const FieldSpec* const field = find_job_field(entry.name);
        // Who sends the change is no part of the job.
        if (is_change && field != nullptr && !field->part && entry.name != "submit_uid")
            return describe_lasting(entry.name);
    }
    return {};
}

} // namespace qg::policy
