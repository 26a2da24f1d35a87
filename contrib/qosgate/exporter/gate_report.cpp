// SPDX-License-Identifier: GPL-2.0-or-later
#include "gate_report.hpp"

#include "qosgate/base/process_start.hpp"
#include "qosgate/base/text.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <fstream>
#include <sstream>

#include <unistd.h>

namespace qg::cli {
namespace {

std::string host_name() {
    std::array<char, 256> name{};
    return gethostname(name.data(), name.size() - 1) == 0 ? name.data() : "";
}

} // namespace

Result<GateReport> GateReport::read(const std::filesystem::path& state_save_location) {
    const auto file = state_save_location / "qosgate_status.json";
    errno = 0;
    std::ifstream in(file);
    if (!in && errno == ENOENT) return GateReport();
    if (!in)
        return Error{errno == EACCES ? ErrorCode::permission_denied : ErrorCode::unavailable,
                     text::format("{}: {}", file.string(), std::strerror(errno))};
    std::ostringstream content;
    content << in.rdbuf();
    auto report = nlohmann::json::parse(content.str(), nullptr, /*allow_exceptions=*/false);
    if (!report.is_object())
        return Error{ErrorCode::invalid_input, file.string() + ": not a report of the plugin"};
    return GateReport(std::move(report));
}

bool GateReport::is_loaded(std::time_t now) const {
    const auto written_at = number("written_at");
    if (!written_at || static_cast<double>(now) - *written_at > static_cast<double>(oldest)) return false;
    if (text("host") != host_name()) return true; // nothing more is known from here
    const auto process = static_cast<pid_t>(number("pid").value_or(0));
    if (process > 0 && kill(process, 0) != 0 && errno == ESRCH) return false;
    // Where /proc hides other users' processes, the start is not known.
    const auto start = process_start(process);
    const auto reported = number("process_start");
    return !start || !reported || *reported == static_cast<double>(*start);
}

const nlohmann::json* GateReport::find(std::string_view key) const {
    const nlohmann::json* at = &report_;
    for (const std::string_view name : text::split(key, '.')) {
        if (!at->is_object()) return nullptr;
        const auto member = at->find(std::string(name));
        if (member == at->end()) return nullptr;
        at = &*member;
    }
    return at;
}

std::optional<double> GateReport::number(std::string_view key) const {
    const nlohmann::json* found = find(key);
    return found != nullptr && found->is_number() ? std::optional(found->get<double>()) : std::nullopt;
}

std::string GateReport::text(std::string_view key) const {
    const nlohmann::json* found = find(key);
    return found != nullptr && found->is_string() ? found->get<std::string>() : std::string();
}

const nlohmann::json& GateReport::list(std::string_view key) const {
    static const nlohmann::json none = nlohmann::json::array();
    const nlohmann::json* found = find(key);
    return found != nullptr && found->is_array() ? *found : none;
}

bool GateReport::flag(std::string_view key) const {
    const nlohmann::json* found = find(key);
    return found != nullptr && found->is_boolean() && found->get<bool>();
}

} // namespace qg::cli
