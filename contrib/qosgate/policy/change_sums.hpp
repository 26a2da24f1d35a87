// SPDX-License-Identifier: GPL-2.0-or-later
//
// ChangeSums: how many decisions other rules would change, and how: in all, by rule and by user.
#pragma once

#include "qosgate/base/result.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

/// Exit status: some decision differs.
inline constexpr int exit_differences = 1;

/// How the decision about a job changes.
enum class OutcomeChange : std::uint8_t {
    none,
    refused,   ///< accepted before, and refused now
    accepted,  ///< refused before, and accepted now
    otherwise, ///< refused by slurmctld before, and by qosgate now, or the other way round
};

/// `before` and `after` are outcomes of a record.
OutcomeChange outcome_change(std::string_view before, std::string_view after) noexcept;

/// The lines that only one of two decisions tells.
struct OtherWords {
    std::vector<std::string> before;
    std::vector<std::string> after;
};

/// One decision that differs.
struct Change {
    std::string id;   ///< of the record
    std::string user; ///< a name; empty: not known
    std::optional<std::uint32_t> uid = {};
    std::vector<std::string> rules;  ///< empty: limits, partitions or settings
    std::vector<std::string> fields; ///< of the job, that get another value
    OutcomeChange outcome = OutcomeChange::none;
    bool message_differs = false;
    std::optional<OtherWords> words = {}; ///< of a decision with another message and the same outcome
    /// Whether the accepted job waits for a limit now and did not before, or the other way round.
    bool waits = false;
    bool waits_no_more = false;
    std::optional<double> cpu_hours = {}; ///< that the job may use at most; empty: not known
    std::optional<double> gpu_hours = {};
};

/// What a sum of changes is about.
enum class SumKind : std::uint8_t {
    decisions, ///< with what users read
    jobs,      ///< with the hours that they may use
    limits,    ///< the same, and whether they wait for limits
};

/// Threads: not thread-safe. Cost: memory for each rule and user.
class ChangeSums {
  public:
    explicit ChangeSums(SumKind kind = SumKind::decisions) : kind_(kind) {}

    void add(const Change& change);

    [[nodiscard]] std::uint64_t changes() const noexcept { return all_.decisions; }
    [[nodiscard]] std::size_t users() const noexcept { return by_user_.size(); }

    /// For people: at most 20 rules and 20 users.
    void print(std::ostream& out) const;
    /// Adds the members differing, refused, accepted, refused_otherwise, job_differs, message_differs (of
    /// jobs cpu_hours, gpu_hours and hours_not_known; of limits also waits and waits_no_more), examples, and
    /// the lists rules (of decisions with `words`, an example), users and fields.
    void add_to(nlohmann::ordered_json& answer) const;

  private:
    struct Sum {
        std::uint64_t decisions = 0;
        std::uint64_t refused = 0;
        std::uint64_t accepted = 0;
        std::uint64_t otherwise = 0;
        std::uint64_t job = 0;
        std::uint64_t message = 0;
        std::uint64_t waits = 0;
        std::uint64_t waits_no_more = 0;
        double cpu_hours = 0;
        double gpu_hours = 0;
        std::uint64_t hours_not_known = 0; ///< changes without hours
        std::vector<std::string> examples; ///< the first ones

        void add(const Change& change);
    };
    using Sums = std::map<std::string, Sum>;
    struct Example {
        std::string id;
        OtherWords words;
    };

    /// By users' names. Some records of a user have only the user id.
    [[nodiscard]] Sums users_by_name() const;

    [[nodiscard]] nlohmann::ordered_json to_json(const Sum& sum) const;
    [[nodiscard]] nlohmann::ordered_json to_json(const Sums& sums, const char* name) const;
    void print(const Sums& sums, const char* heading, std::ostream& out) const;
    void print_words(std::ostream& out) const;
    [[nodiscard]] nlohmann::ordered_json rules_json() const;

    SumKind kind_;
    Sum all_;
    Sums by_rule_;
    Sums by_user_;                             ///< by id, or by name
    std::map<std::string, std::string> names_; ///< of users, by id
    std::map<std::string, std::uint64_t> fields_;
    std::map<std::string, Example> words_; ///< the first ones of each rule
};

} // namespace qg::cli
