// SPDX-License-Identifier: GPL-2.0-or-later
//
// DecisionResults: what rules and limits did since the start, and how long decisions took, for the status
// report.
#pragma once

#include "qosgate/base/json_text.hpp"
#include "qosgate/model/decision.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <tuple>

namespace qg::plugin {

/// Threads: any.
class DecisionResults {
  public:
    /// Upper bounds of the times that are counted apart, in microseconds; the last count is of longer ones.
    static constexpr std::array<std::uint32_t, 10> bounds{10,  25,   50,   100,    250,
                                                          500, 1000, 2500, 10'000, 100'000};
    /// Kinds of results that are counted apart; others are only counted.
    static constexpr std::size_t max_kinds = 500;

    /// Cost: two additions, and a lock if a rule or limit did something.
    void count(const model::Decision& decision, std::chrono::steady_clock::duration took) noexcept;

    /// decision_times, results and other_results.
    [[nodiscard]] json::Members to_json() const;

  private:
    void count_event(const model::DecisionEvent& event);

    std::array<std::atomic<std::uint64_t>, bounds.size() + 1> times_{};
    std::atomic<std::uint64_t> nanoseconds_ = 0;
    mutable std::mutex mutex_;
    /// By rule, file, Reason, what it did and what becomes of the job. Guarded by mutex_, as is `others_`.
    std::map<std::tuple<std::string, std::string, std::string, std::string, std::string>, std::uint64_t>
        results_;
    std::uint64_t others_ = 0;
};

} // namespace qg::plugin
