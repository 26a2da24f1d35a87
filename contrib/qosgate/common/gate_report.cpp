// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/gate_report.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/report_files.hpp"
#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <limits>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace qg::cli {
namespace {

using Json = ReportPart::Json;

std::optional<double> to_number(const Json& value) {
    if (!value.is_number()) return std::nullopt;
    const auto number = value.get<double>();
    const bool is_in_range = number >= 0 && number <= ReportPart::max_number; // and not NaN
    return is_in_range ? std::optional(number) : std::nullopt;
}

Error not_a_report(const std::filesystem::path& file, std::string_view why) {
    return {
        ErrorCode::invalid_input,
        text::format("{}: {}, so not the plugin's report; remove it, and slurmctld writes a new one within "
                     "half a minute",
                     file.string(), why)};
}

Error cannot_read(const std::filesystem::path& file, int problem) {
    if (problem == ELOOP) return not_a_report(file, "a symbolic link");
    return {problem == EACCES ? ErrorCode::permission_denied : ErrorCode::unavailable,
            text::format("{}: {}", file.string(), std::strerror(problem))};
}

/// The content of a regular file. Empty: there is no file.
Result<std::optional<std::string>> read_bounded(const std::filesystem::path& file) {
    // Without O_NONBLOCK, a FIFO would wait for somebody who writes.
    const int descriptor = open(file.c_str(), O_RDONLY | O_NONBLOCK | O_CLOEXEC | O_NOFOLLOW | O_NOCTTY);
    if (descriptor < 0 && errno == ENOENT) return std::optional<std::string>();
    if (descriptor < 0) return cannot_read(file, errno);
    const ScopeExit on_exit([descriptor] { close(descriptor); });
    struct stat status {};
    if (fstat(descriptor, &status) != 0) return cannot_read(file, errno);
    if (!S_ISREG(status.st_mode)) return not_a_report(file, "not a regular file");
    std::string content;
    std::array<char, 65'536> buffer{};
    while (content.size() <= GateReport::max_bytes) {
        const ssize_t got = ::read(descriptor, buffer.data(), buffer.size());
        if (got == 0) return std::optional(std::move(content));
        if (got < 0 && errno != EINTR) return cannot_read(file, errno);
        if (got > 0) content.append(buffer.data(), static_cast<std::size_t>(got));
    }
    return not_a_report(file, text::format("more than {} MiB", GateReport::max_bytes / (1024 * 1024)));
}

/// An object; nothing if it is none, or too deep.
std::optional<Json> parse(const std::string& content) {
    bool is_too_deep = false;
    const auto check_depth = [&](int depth, Json::parse_event_t, const Json&) {
        is_too_deep = is_too_deep || depth > GateReport::max_depth;
        return !is_too_deep;
    };
    Json report = Json::parse(content, check_depth, /*allow_exceptions=*/false);
    if (is_too_deep || !report.is_object()) return std::nullopt;
    return report;
}

} // namespace

const Json* ReportPart::find(std::string_view key) const {
    const Json* at = value_.get();
    for (const std::string_view name : text::split(key, '.')) {
        if (at == nullptr || !at->is_object()) return nullptr;
        const auto member = at->find(std::string(name));
        if (member == at->end()) return nullptr;
        at = &*member;
    }
    return at;
}

std::optional<double> ReportPart::number(std::string_view key) const {
    const Json* found = find(key);
    return found != nullptr ? to_number(*found) : std::nullopt;
}

std::uint64_t ReportPart::count(std::string_view key) const {
    return static_cast<std::uint64_t>(number(key).value_or(0));
}

std::string ReportPart::text(std::string_view key, std::string_view otherwise) const {
    const Json* found = find(key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string(otherwise);
}

bool ReportPart::flag(std::string_view key) const {
    const Json* found = find(key);
    return found != nullptr && found->is_boolean() && found->get<bool>();
}

bool ReportPart::has(std::string_view key) const {
    const Json* found = find(key);
    return found != nullptr && found->is_object();
}

ReportPart ReportPart::part(std::string_view key) const {
    return has(key) ? ReportPart(std::shared_ptr<const Json>(value_, find(key))) : ReportPart();
}

std::vector<ReportPart> ReportPart::parts(std::string_view key) const {
    std::vector<ReportPart> found;
    if (const Json* list = find(key); list != nullptr && list->is_array())
        for (const Json& each : *list)
            if (each.is_object()) found.push_back(ReportPart(std::shared_ptr<const Json>(value_, &each)));
    return found;
}

std::vector<std::string> ReportPart::texts(std::string_view key) const {
    std::vector<std::string> found;
    if (const Json* list = find(key); list != nullptr && list->is_array())
        for (const Json& each : *list)
            if (each.is_string()) found.push_back(each.get<std::string>());
    return found;
}

std::vector<double> ReportPart::numbers(std::string_view key) const {
    std::vector<double> found;
    if (const Json* list = find(key); list != nullptr && list->is_array())
        for (const Json& each : *list)
            if (const auto number = to_number(each)) found.push_back(*number);
    return found;
}

std::filesystem::path GateReport::file_in(const std::filesystem::path& state_save_location) {
    return state_save_location / report_file_name;
}

Result<GateReport> GateReport::read(const std::filesystem::path& state_save_location) {
    return read_file(file_in(state_save_location));
}

Result<GateReport> GateReport::read_standby(const std::filesystem::path& state_save_location,
                                            std::string_view host) {
    return read_file(state_save_location / standby_report_file_name(host));
}

Result<GateReport> GateReport::read_file(const std::filesystem::path& file) {
    const auto content = read_bounded(file);
    if (!content) return content.error();
    if (!*content) return GateReport();
    auto report = parse(**content);
    if (!report) return not_a_report(file, "not an object of JSON");
    return GateReport(*std::move(report));
}

GateReport::Writer GateReport::find_writer(std::time_t now) const {
    if (!exists()) return Writer::absent;
    const auto runs = is_running();
    if (runs == false) return Writer::gone;
    const double age = static_cast<double>(now) - number("written_at").value_or(0);
    if (runs == true)
        return age > static_cast<double>(late) || age < -static_cast<double>(late) ? Writer::late
                                                                                   : Writer::runs;
    if (age > static_cast<double>(oldest)) return Writer::silent;
    return age < -static_cast<double>(newest) ? Writer::in_future : Writer::runs;
}

bool GateReport::is_of_this_host() const {
    return text("host") == own_host_name();
}

std::optional<bool> GateReport::is_running() const {
    if (!is_of_this_host()) return std::nullopt;
    const auto process =
        static_cast<pid_t>(std::min<std::uint64_t>(count("pid"), std::numeric_limits<pid_t>::max()));
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) return false;
    // Where /proc hides other users' processes, the start is not known.
    const auto start = process_start(process);
    if (!start) return geteuid() == 0 ? std::optional(false) : std::nullopt;
    const auto reported = number("process_start");
    return reported ? std::optional(*reported == static_cast<double>(*start)) : std::nullopt;
}

} // namespace qg::cli
