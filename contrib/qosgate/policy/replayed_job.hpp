// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReplayedJob: the request of the past that is decided about again, from a decision record or from
// accounting.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/job_request.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <ctime>
#include <optional>
#include <string>
#include <string_view>

namespace qg::slurmdb {
struct PastJob;
}

namespace qg::cli {

/// The members of a decision record that a replay reads.
struct PastRecord {
    using Json = nlohmann::ordered_json;

    // Empty or null: the record has no such member, or one of another type.
    std::string id;
    std::string time;
    std::string event;
    std::string user;
    std::string outcome;
    std::optional<std::int64_t> uid;
    std::optional<std::int64_t> submit_uid;
    std::optional<std::int64_t> dropped_before;
    Json other_values; ///< an object
    Json events;       ///< a list
    Json request;      ///< an object

    /// Empty: the line is no record.
    static std::optional<PastRecord> parse(std::string_view line);
};

/// The text, if the value is one. Ownership: the value's.
[[nodiscard]] std::string_view text_in(const PastRecord::Json& value) noexcept;

/// "2026-11-20T09:12:44.120934Z"; 0 for another text.
std::time_t to_record_time(std::string_view text);

/// One object is used for many jobs, one after the other.
/// Ownership: the request borrows from this object. Threads: not thread-safe.
class ReplayedJob {
  public:
    ReplayedJob() = default;
    ReplayedJob(const ReplayedJob&) = delete;
    ReplayedJob& operator=(const ReplayedJob&) = delete;

    /// Takes the request of a record. Errors: unsupported for what a record does not hold, with the reason in
    /// a few words: a change of a job, a request that was too large to be read, a text that was cut, a record
    /// of an older version.
    Result<void> take(const PastRecord& record);

    /// Takes what accounting has of a job: counts and names, but not how they were asked for, and not what
    /// the job did not ask for itself. Errors: unsupported likewise.
    Result<void> take(const slurmdb::PastJob& job);

    [[nodiscard]] const model::JobRequest& request() const noexcept { return request_; }
    /// When it was decided about, or submitted; 0: not known.
    [[nodiscard]] std::time_t time() const noexcept { return time_; }
    /// Of the record, or of the job.
    [[nodiscard]] const std::string& id() const noexcept { return id_; }
    /// The login name at that time; empty: not known.
    [[nodiscard]] const std::string& user() const noexcept { return user_; }

    /// What a rule asked for that is not known of this job; empty: nothing. The decision then says nothing
    /// about the past.
    [[nodiscard]] std::string missed() const;

  private:
    class Unrecorded;  ///< reads the details that no record holds
    class Unaccounted; ///< likewise for accounting

    void begin(const model::DetailReader& reader, model::SourceExtent extent);

    model::JobRequest request_;
    std::time_t time_ = 0;
    std::string id_;
    std::string user_;
    bool knows_client_ = true;
    std::string_view source_;         ///< "records", "accounting"
    mutable std::string_view missed_; ///< a literal
    mutable model::FieldUse missed_use_ = model::FieldUse::read;
};

} // namespace qg::cli
