// SPDX-License-Identifier: GPL-2.0-or-later
//
// Writes a command's results and errors: text or, with --json, one object on standard output.
#pragma once

#include "qosgate/base/error.hpp"
#include "qosgate/base/result.hpp"
#include "qosgate/base/text.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <ctime>
#include <ostream>
#include <string>
#include <string_view>

#include <sys/types.h>

namespace qg::cli {

/// Exit statuses, those of sysexits.h.
inline constexpr int exit_usage = 64;
inline constexpr int exit_not_written = 74;

/// The exit status for an error.
int exit_status(ErrorCode code) noexcept;

/// The list of exit statuses for help texts.
std::string_view exit_status_help();

/// Threads: one at a time.
class Output {
  public:
    Output(std::ostream& out, std::ostream& err, bool json) : out_(out), err_(err), json_(json) {}

    /// Whether the answer is to be one JSON object.
    [[nodiscard]] bool json() const noexcept { return json_; }

    /// For results in words.
    [[nodiscard]] std::ostream& text() noexcept { return out_; }

    /// Writes the answer; its root is an object.
    void write(const nlohmann::ordered_json& root);

    /// "qosgate: …" on standard error, for people who wait. Threads: any.
    void note(std::string_view message);

    /// "qosgate: warning: …" on standard error.
    void warn(std::string_view message);

    /// Notes that the command has made a permanent change; reported if its output cannot be written.
    void note_stored() noexcept { is_stored_ = true; }

    /// Whether everything was written to standard output; if not, reports it on standard error. Call it last.
    [[nodiscard]] bool finish();

    /// "qosgate: error: …" on standard error and, with --json, {"error":{"code":…,"message":…}} besides.
    void fail(std::string_view code, std::string_view message);

    /// The same with more members of the object "error".
    void fail(std::string_view code, std::string_view message, const nlohmann::ordered_json& details);

    /// An error in addition to an answer: with --json, writes `answer` with the member "error" added.
    void fail_in_part(std::string_view code, std::string_view message, nlohmann::ordered_json answer);

  private:
    /// "qosgate: …" on standard error. The message may have lines, and names that others have chosen: a
    /// terminal obeys nothing in it, and no line of it looks like another message.
    void tell(std::string_view kind, std::string_view message);

    std::ostream& out_;
    std::ostream& err_;
    bool json_;
    bool is_stored_ = false;
};

/// Writes the file, completely or not at all. What stands there is replaced if it is a regular file. A
/// device, a pipe or a link is none, such as /dev/stdout, and root could replace it. Errors: invalid_input if
/// something else stands there; those of replace_file().
Result<void> write_output_file(const std::string& path, std::string_view content, mode_t mode);

} // namespace qg::cli
