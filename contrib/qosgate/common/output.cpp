// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/output.hpp"

#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>

#include <sys/stat.h>
#include <sysexits.h>

namespace qg::cli {

static_assert(exit_usage == EX_USAGE);
static_assert(exit_not_written == EX_IOERR);

int exit_status(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::invalid_input: return EX_DATAERR;
    case ErrorCode::not_found: return EX_NOINPUT;
    case ErrorCode::unavailable: return EX_UNAVAILABLE;
    case ErrorCode::internal: return EX_SOFTWARE;
    case ErrorCode::already_exists: return EX_CANTCREAT;
    case ErrorCode::conflict:
    case ErrorCode::limit_exceeded: return EX_TEMPFAIL;
    case ErrorCode::permission_denied: return EX_NOPERM;
    case ErrorCode::unsupported: return EX_CONFIG;
    }
    return EX_SOFTWARE;
}

std::string_view exit_status_help() {
    return "Exit status (as in sysexits.h):\n"
           "  0   done, or nothing to do; commands that check something have also 1 or 2\n"
           "  64  the command line is wrong\n"
           "  65  a value is wrong\n"
           "  66  what was named does not exist\n"
           "  69  slurmdbd, slurmctld or a file cannot be reached\n"
           "  70  a bug in qosgate\n"
           "  73  the object to create already exists\n"
           "  74  the output cannot be written\n"
           "  75  it is in use, or somebody else changed it at the same time\n"
           "  77  not permitted\n"
           "  78  this build or Slurm's configuration cannot do it";
}

void Output::write(const nlohmann::ordered_json& root) {
    out_ << root.dump(2, ' ', /*ensure_ascii=*/false, nlohmann::ordered_json::error_handler_t::replace)
         << '\n';
}

void Output::tell(std::string_view kind, std::string_view message) {
    constexpr std::size_t max_line = std::size_t{64} << 10u;
    std::string shown = text::format("qosgate: {}", kind);
    for (std::size_t at = 0; at <= message.size();) {
        const std::size_t end = std::min(message.find('\n', at), message.size());
        const std::string_view line = message.substr(at, end - at);
        if (at > 0) shown += line.starts_with("qosgate:") ? "\n  " : "\n";
        shown += text::printable(line, max_line);
        at = end + 1;
    }
    shown += '\n';
    err_ << shown << std::flush; // in one piece: other threads write, too
}

void Output::note(std::string_view message) {
    tell("", message);
}

bool Output::finish() {
    errno = 0;
    if (out_.flush()) return true;
    const int reason = errno;
    err_ << "qosgate: error: standard output: cannot be written: "
         << (reason != 0 ? std::strerror(reason) : "it is full or closed")
         << (is_stored_ ? "; the change itself is stored" : "") << '\n';
    return false;
}

void Output::warn(std::string_view message) {
    tell("warning: ", message);
}

void Output::fail(std::string_view code, std::string_view message) {
    fail(code, message, nlohmann::ordered_json::object());
}

void Output::fail(std::string_view code, std::string_view message, const nlohmann::ordered_json& details) {
    nlohmann::ordered_json root{{"error", details}};
    fail_in_part(code, message, root);
}

void Output::fail_in_part(std::string_view code, std::string_view message, nlohmann::ordered_json answer) {
    tell("error: ", message);
    if (!json_) return;
    nlohmann::ordered_json error{{"code", code}, {"message", message}};
    error.update(answer.value("error", nlohmann::ordered_json::object()));
    answer["error"] = error;
    write(answer);
}

Result<void> write_output_file(const std::string& path, std::string_view content, mode_t mode) {
    struct stat facts {};
    if (lstat(path.c_str(), &facts) == 0 && !S_ISREG(facts.st_mode))
        return Error{ErrorCode::invalid_input,
                     text::format("{}: is no regular file, and would be replaced: name another file",
                                  text::printable(path, 1000))};
    return replace_file(path, content, mode, Durability::on_disk);
}

} // namespace qg::cli
