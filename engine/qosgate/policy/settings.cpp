// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/settings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/files/program_outputs.hpp"
#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/lua/writable_env.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <vector>

namespace qg::policy {
namespace {

constexpr std::array<Level, 3> levels{Level::explain, Level::enforce, Level::off};

Error not_allowed(const SettingSpec& spec, const Value& value) {
    return {ErrorCode::invalid_input,
            text::format("setting '{}' cannot be {}: write {}", spec.name, describe(value), spec.allowed)};
}

Result<void> set_limits(Settings& settings, const SettingSpec& spec, const Value& value) {
    const auto found = std::find_if(levels.begin(), levels.end(), [&](Level level) {
        return value.kind == Value::Kind::text && value.text == to_string(level);
    });
    if (found == levels.end()) return not_allowed(spec, value);
    settings.limits = *found;
    return {};
}

constexpr std::array<ClientUse, 3> client_uses{ClientUse::automatic, ClientUse::on, ClientUse::off};

Result<void> set_client(Settings& settings, const SettingSpec& spec, const Value& value) {
    const auto found = std::ranges::find_if(client_uses, [&](ClientUse use) {
        return value.kind == Value::Kind::text && value.text == to_string(use);
    });
    if (found == client_uses.end()) return not_allowed(spec, value);
    settings.client = *found;
    return {};
}

Result<void> set_contact(Settings& settings, const SettingSpec& spec, const Value& value) {
    const bool is_line = value.kind == Value::Kind::text && value.text.size() <= 200 &&
                         text::printable(value.text) == value.text;
    if (!is_line) return not_allowed(spec, value);
    settings.contact = value.text;
    return {};
}

/// The number, if it is one and within the bounds.
std::optional<std::uint64_t> within(const Value& value, std::int64_t lowest, std::int64_t highest) {
    const bool is_within =
        value.kind == Value::Kind::integer && value.integer >= lowest && value.integer <= highest;
    if (!is_within) return std::nullopt;
    return static_cast<std::uint64_t>(value.integer);
}

template <std::chrono::milliseconds Settings::*member, std::int64_t lowest, std::int64_t highest>
Result<void> set_time(Settings& settings, const SettingSpec& spec, const Value& value) {
    const auto number = within(value, lowest, highest);
    if (!number) return not_allowed(spec, value);
    settings.*member = std::chrono::milliseconds(*number);
    return {};
}

Result<void> set_run_tests(Settings& settings, const SettingSpec& spec, const Value& value) {
    if (value.kind != Value::Kind::flag) return not_allowed(spec, value);
    settings.run_tests = value.integer != 0;
    return {};
}

Result<void> set_compat_on_error(Settings& settings, const SettingSpec& spec, const Value& value) {
    const auto parsed =
        value.kind == Value::Kind::text ? parse_on_error(value.text) : std::optional<OnError>();
    if (!parsed || *parsed == OnError::warn) return not_allowed(spec, value);
    settings.compat_on_error = *parsed;
    return {};
}

bool is_absolute_line(std::string_view path) {
    return path.starts_with('/') && path.size() <= 1000 && text::printable(path, 1000) == path;
}

Result<void> set_compat_files(Settings& settings, const SettingSpec& spec, std::span<const Value> items) {
    constexpr std::size_t max_paths = 16;
    if (items.size() > max_paths)
        return Error{ErrorCode::invalid_input, text::format("setting '{}' has more than {} paths: write {}",
                                                            spec.name, max_paths, spec.allowed)};
    std::vector<std::string> paths;
    for (const Value& item : items) {
        if (item.kind != Value::Kind::text || !is_absolute_line(item.text)) return not_allowed(spec, item);
        paths.push_back(normal_path(item.text));
        if (paths.back() == "/") return not_allowed(spec, item);
    }
    settings.compat_files = std::move(paths);
    return {};
}

Result<void> set_compat_programs(Settings& settings, const SettingSpec& spec, std::span<const Value> items) {
    constexpr std::size_t max_programs = 32;
    if (items.size() > max_programs)
        return Error{ErrorCode::invalid_input, text::format("setting '{}' has more than {} entries: write {}",
                                                            spec.name, max_programs, spec.allowed)};
    std::vector<std::string> entries;
    for (const Value& item : items) {
        if (item.kind != Value::Kind::text) return not_allowed(spec, item);
        if (const std::string why = why_no_program_output(item.text); !why.empty())
            return Error{ErrorCode::invalid_input, text::format("setting '{}': {}", spec.name, why)};
        entries.emplace_back(item.text);
    }
    settings.compat_programs = std::move(entries);
    return {};
}

constexpr std::string_view writes_fail = "error";
constexpr std::string_view writes_to_log = "log";

Result<void> set_compat_writes(Settings& settings, const SettingSpec& spec, const Value& value) {
    const bool is_known =
        value.kind == Value::Kind::text && (value.text == writes_fail || value.text == writes_to_log);
    if (!is_known) return not_allowed(spec, value);
    settings.compat_writes_to_log = value.text == writes_to_log;
    return {};
}

Result<void> set_writable_env(Settings& settings, const SettingSpec& spec, std::span<const Value> items) {
    constexpr std::size_t max_patterns = 64;
    if (items.size() > max_patterns)
        return Error{ErrorCode::invalid_input, text::format("setting '{}' has more than {} names: write {}",
                                                            spec.name, max_patterns, spec.allowed)};
    std::vector<std::string> names;
    for (const Value& item : items) {
        if (item.kind != Value::Kind::text) return not_allowed(spec, item);
        if (const std::string why = why_not_writable(item.text); !why.empty())
            return Error{ErrorCode::invalid_input, text::format("setting '{}': {}", spec.name, why)};
        names.emplace_back(item.text);
    }
    settings.writable_env = std::move(names);
    return {};
}

/// The names of QOSs or partitions.
template <std::optional<std::vector<std::string>> Settings::*member>
Result<void> set_names(Settings& settings, const SettingSpec& spec, std::span<const Value> items) {
    constexpr std::size_t max_names = 64;
    constexpr std::size_t max_length = 100;
    if (items.size() > max_names)
        return Error{ErrorCode::invalid_input, text::format("setting '{}' has more than {} names: write {}",
                                                            spec.name, max_names, spec.allowed)};
    std::vector<std::string> names;
    for (const Value& item : items) {
        const bool is_name = item.kind == Value::Kind::text && !item.text.empty() &&
                             item.text.size() <= max_length && text::printable(item.text) == item.text &&
                             item.text.find_first_of(", ") == item.text.npos;
        if (!is_name) return not_allowed(spec, item);
        names.emplace_back(item.text);
    }
    settings.*member = std::move(names);
    return {};
}

template <std::vector<std::string> Settings::*member>
const std::vector<std::string>* get_texts(const Settings& settings) {
    return &(settings.*member);
}
template <std::optional<std::vector<std::string>> Settings::*member>
const std::vector<std::string>* get_names(const Settings& settings) {
    return settings.*member ? &*(settings.*member) : nullptr;
}

Result<void> set_record_file(Settings& settings, const SettingSpec& spec, const Value& value) {
    const bool is_path =
        value.kind == Value::Kind::text && value.text.size() <= 1000 &&
        (value.text.empty() || (value.text.starts_with('/') && !value.text.ends_with('/'))) &&
        text::printable(value.text, 1000) == value.text;
    if (!is_path) return not_allowed(spec, value);
    settings.record_file = value.text;
    return {};
}

/// Settings that are only a number.
template <std::uint64_t Settings::*member, std::int64_t lowest, std::int64_t highest>
Result<void> set_number(Settings& settings, const SettingSpec& spec, const Value& value) {
    const auto number = within(value, lowest, highest);
    if (!number) return not_allowed(spec, value);
    settings.*member = *number;
    return {};
}
template <std::uint64_t Settings::*member>
Value get_number(const Settings& settings) {
    return Value::of_count(settings.*member);
}

Value get_limits(const Settings& settings) {
    return {Value::Kind::text, 0, to_string(settings.limits)};
}
Value get_contact(const Settings& settings) {
    return {Value::Kind::text, 0, settings.contact};
}
Value get_compat_on_error(const Settings& settings) {
    return {Value::Kind::text, 0, to_string(settings.compat_on_error)};
}
Value get_compat_writes(const Settings& settings) {
    return {Value::Kind::text, 0, settings.compat_writes_to_log ? writes_to_log : writes_fail};
}
Value get_run_tests(const Settings& settings) {
    return Value::of_flag(settings.run_tests);
}
Value get_record_file(const Settings& settings) {
    return {Value::Kind::text, 0, settings.record_file};
}
template <std::chrono::milliseconds Settings::*member>
Value get_time(const Settings& settings) {
    return Value::of_count(static_cast<std::uint64_t>((settings.*member).count()));
}
Value get_client(const Settings& settings) {
    return {Value::Kind::text, 0, to_string(settings.client)};
}

constexpr std::array<SettingSpec, 20> specs{{
    {"limits", "\"explain\"", "\"explain\", \"enforce\" or \"off\"",
     "what to do with jobs that break a limit: add the reasons to Slurm's own answer, also reject jobs that "
     "can never start, or nothing",
     &set_limits, &get_limits},
    {"contact", "\"\"", "a text of at most 200 bytes in one line",
     "whom users ask; shown if a job is rejected or can never start, if it names or needs what the "
     "cluster does not have, and if a rule fails",
     &set_contact, &get_contact},
    {"rule_instructions", "100000", "a whole number from 1000 to 10000000",
     "Lua instructions that one rule may spend on one job",
     &set_number<&Settings::rule_instructions, 1000, 10'000'000>, &get_number<&Settings::rule_instructions>},
    {"rule_memory_mib", "8", "a whole number from 1 to 16", "memory of one Lua state with all rules, in MiB",
     &set_number<&Settings::rule_memory_mib, 1, 16>, &get_number<&Settings::rule_memory_mib>},
    {"rule_time_ms", "50", "a whole number from 1 to 75",
     "CPU time of all rules for one job, in milliseconds", &set_time<&Settings::rule_time, 1, 75>,
     &get_time<&Settings::rule_time>},
    {"rule_failures", "0", "a whole number from 0 to 1000000",
     "after how many failures in a row a rule only warns, if its `on_error` is `\"allow\"` or `\"warn\"`; 0: "
     "never. "
     "See When a rule fails",
     &set_number<&Settings::rule_failures, 0, 1'000'000>, &get_number<&Settings::rule_failures>},
    {"compat_on_error", "\"deny\"", "\"deny\" or \"allow\"",
     "what to do with a job if the script `compat/job_submit.lua` fails: refuse it, or accept it as Slurm's "
     "own "
     "plugin does up to 25.11",
     &set_compat_on_error, &get_compat_on_error},
    {"compat_files", "{}", "a list of at most 16 absolute paths",
     "files, and directories with files, that the script `compat/job_submit.lua` may read besides those of "
     "this directory. See Moving from job_submit.lua",
     nullptr, nullptr, &set_compat_files, &get_texts<&Settings::compat_files>},
    {"compat_programs", "{}", "a list of at most 32 texts \"COMMAND > FILE\"",
     "programs that the script `compat/job_submit.lua` starts with `io.popen`, and the files with their "
     "output. "
     "See Moving from job_submit.lua",
     nullptr, nullptr, &set_compat_programs, &get_texts<&Settings::compat_programs>},
    {"compat_writes", "\"error\"", "\"error\" or \"log\"",
     "what to do if the script `compat/job_submit.lua` writes a file: it fails, or slurmctld's log gets the "
     "text",
     &set_compat_writes, &get_compat_writes},
    {"writable_env", "{}", "a list of at most 64 names, like \"SITE_PROJECT\" or \"OMP_*\"",
     "the variables of a job's environment that rules may write; see job.env", nullptr, nullptr,
     &set_writable_env, &get_texts<&Settings::writable_env>},
    {"run_tests", "true", "true or false",
     "whether slurmctld runs the tests in `tests` before a changed directory comes into force; if one fails, "
     "what was in force stays",
     &set_run_tests, &get_run_tests},
    {"record_file", "\"\"", "an absolute path of at most 1000 bytes, or an empty text",
     "a file that gets a record of each decision that did something: JSON, one line each", &set_record_file,
     &get_record_file},
    {"record_percent", "0", "a whole number from 0 to 100",
     "how many of the jobs that are accepted unchanged, without a message, are recorded, too, in percent",
     &set_number<&Settings::record_percent, 0, 100>, &get_number<&Settings::record_percent>},
    {"record_file_mib", "64", "a whole number from 1 to 10000",
     "the size at which a new `record_file` is begun, in MiB",
     &set_number<&Settings::record_file_mib, 1, 10'000>, &get_number<&Settings::record_file_mib>},
    {"record_files_kept", "4", "a whole number from 1 to 99",
     "how many old files are kept: `record_file` with .1, .2 and so on behind the name",
     &set_number<&Settings::record_files_kept, 1, 99>, &get_number<&Settings::record_files_kept>},
    {"client", "\"auto\"", "\"auto\", \"on\" or \"off\"",
     "where the plugin of sbatch, salloc and srun judges jobs: where slurmctld has no qosgate, everywhere, "
     "or "
     "nowhere",
     &set_client, &get_client},
    {"client_timeout_ms", "300", "a whole number from 10 to 10000",
     "how long a client waits for the answer of its plugin, in milliseconds; later the job is sent as it is",
     &set_time<&Settings::client_timeout, 10, 10'000>, &get_time<&Settings::client_timeout>},
    {"suggest_qos", "nil", "a list of at most 64 names of QOSs",
     "the QOSs that may be suggested to users, in this order; {}: none; nil: all. See What is suggested",
     nullptr, nullptr, &set_names<&Settings::suggest_qos>, &get_names<&Settings::suggest_qos>},
    {"suggest_partition", "nil", "a list of at most 64 names of partitions",
     "the partitions that may be suggested to users, in this order; {}: none; nil: all. See What is "
     "suggested",
     nullptr, nullptr, &set_names<&Settings::suggest_partition>, &get_names<&Settings::suggest_partition>},
}};

/// Calls `set` with the setting of that name.
template <typename Set>
Result<void> apply(std::string_view name, Set set) {
    std::vector<std::string> names;
    for (const SettingSpec& spec : specs) {
        if (spec.name == name) return set(spec);
        names.emplace_back(spec.name);
    }
    return Error{ErrorCode::invalid_input,
                 text::format("unknown setting '{}'{}{}", text::printable(name, 60),
                              text::did_you_mean(name, names), list_of_names(names))};
}

} // namespace

std::string_view to_string(Level level) noexcept {
    switch (level) {
    case Level::explain: return "explain";
    case Level::enforce: return "enforce";
    case Level::off: return "off";
    }
    return "explain";
}

std::string_view to_string(ClientUse use) noexcept {
    switch (use) {
    case ClientUse::automatic: return "auto";
    case ClientUse::on: return "on";
    case ClientUse::off: return "off";
    }
    return "auto";
}

std::span<const SettingSpec> setting_specs() noexcept {
    return specs;
}

Result<void> apply_setting(Settings& settings, std::string_view name, const Value& value) {
    return apply(name, [&](const SettingSpec& spec) {
        return spec.set == nullptr ? not_allowed(spec, value) : spec.set(settings, spec, value);
    });
}

Result<void> apply_setting(Settings& settings, std::string_view name, std::span<const Value> items) {
    return apply(name, [&](const SettingSpec& spec) {
        return spec.set_list == nullptr ? not_allowed(spec, {Value::Kind::other, 0, "a table"})
                                        : spec.set_list(settings, spec, items);
    });
}

std::string describe_setting(const SettingSpec& spec, const Settings& settings) {
    if (spec.get_list == nullptr) return describe(spec.get(settings));
    const std::vector<std::string>* const items = spec.get_list(settings);
    if (items == nullptr) return "nil";
    std::string list;
    for (const std::string& item : *items)
        list += (list.empty() ? "" : ", ") + describe(Value{Value::Kind::text, 0, item});
    return list.empty() ? "{}" : "{ " + list + " }";
}

} // namespace qg::policy
