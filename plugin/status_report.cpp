// SPDX-License-Identifier: GPL-2.0-or-later
#include "status_report.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/compat.hpp"

#include <unistd.h>

#include <array>

namespace qg::plugin {
namespace {

/// A text as JSON; control characters were taken out.
std::string quote(std::string_view value) {
    std::string quoted = "\"";
    for (const char letter : text::printable(value, 1000)) {
        if (letter == '"' || letter == '\\') quoted += '\\';
        quoted += letter;
    }
    return quoted + "\"";
}

/// `null` where there is none.
std::string quote(const std::optional<Error>& error) {
    return error ? quote(error->message) : "null";
}

template <typename Number>
std::string number(const std::optional<Number>& value) {
    return value ? std::to_string(*value) : "null";
}

/// "22.05.8"
std::string slurm_release() {
    return text::format("{:02}.{:02}.{}", SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER),
                        SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER), SLURM_VERSION_MICRO(SLURM_VERSION_NUMBER));
}

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

std::string hash_of(const policy::StoreStatus& policy) {
    return text::format("{:016x}", policy.hash);
}

} // namespace

void DecisionCounts::count(const model::Decision& decision, bool is_change) noexcept {
    const auto add = [](std::atomic<std::uint64_t>& count, bool is_one) {
        if (is_one) count.fetch_add(1, std::memory_order_relaxed);
    };
    add(is_change ? changes_ : jobs_, true);
    add(refused_, decision.reject != model::RejectCode::none);
    add(written_, decision.changed.has_value());
    add(told_, !decision.message.empty());
    bool has_failed = false;
    for (const LogLine& line : decision.log)
        has_failed = has_failed || line.level == LogLevel::error;
    add(failed_, has_failed);
}

std::string DecisionCounts::to_json() const {
    return text::format(
        R"("jobs": {}, "changes": {}, "refused": {}, "changed_by_rules": {}, "told": {}, "rule_failed": {})",
        jobs_.load(), changes_.load(), refused_.load(), written_.load(), told_.load(), failed_.load());
}

std::string StatusReport::to_json() const {
    std::optional<std::time_t> loaded_at;
    if (policy.loaded_at) loaded_at = std::chrono::system_clock::to_time_t(*policy.loaded_at);
    std::string json = text::format(
        R"("version": {}, "slurm": {}, "pid": {}, "process_start": {}, "host": {}, "started_at": {})",
        quote(QG_VERSION), quote(slurm_release()), getpid(), number(process_start(getpid())),
        quote(host_name()), started_at);
    json +=
        text::format(R"(, "limits": {}, "rules": {}, "policy": {}, "policy_folder": {}, "generation": {})",
                     quote(to_string(limits)), policy.rules, quote(hash_of(policy)),
                     quote(policy.folder.string()), policy.generation);
    json += text::format(R"(, "standing": {}, "loaded_at": {}, "is_kept_copy": {}, "last_error": {})",
                         quote(to_string(policy.standing)), number(loaded_at),
                         policy.is_kept_copy ? "true" : "false", quote(policy.last_error));
    json += text::format(R"(, "keep_error": {}, "partitions_read_at": {}, "partitions_error": {}, {})",
                         quote(policy.keep_error), number(partitions_read_at),
                         partitions_error.empty() ? "null" : quote(partitions_error), counts.to_json());
    return json;
}

std::string StatusReport::to_line() const {
    return text::format("qosgate {} for Slurm {}: limits {}, {} {}, policy {}, {}", QG_VERSION,
                        slurm_release(), to_string(limits), policy.rules,
                        policy.rules == 1 ? "rule" : "rules", hash_of(policy), to_string(policy.standing));
}

} // namespace qg::plugin
