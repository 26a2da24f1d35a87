// SPDX-License-Identifier: GPL-2.0-or-later
//
// ProblemList: collects what is wrong in spec files.
#pragma once

#include "qosgate/spec/problem.hpp"

#include <set>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

namespace qg::spec {

/// Keeps each problem one time, `max_problems` at most. Readers stop when it is full, since finding the near
/// miss for each of very many wrong names would take long. Threads: one.
class ProblemList {
  public:
    static constexpr std::size_t max_problems = 1000;

    /// Adds "key: what", or "what" if there is no key. `key` is a user's text.
    void add(const Position& where, std::string_view key, std::string_view what);

    /// Whether reading should stop: there are enough problems, or the same ones were met again and again.
    [[nodiscard]] bool is_full() const noexcept { return seen_.size() >= max_problems || met_ >= max_met; }

    /// How many were added, those that were there already included.
    [[nodiscard]] std::size_t met() const noexcept { return met_; }

    /// All problems, sorted by place. If there may be more, the last one says so.
    [[nodiscard]] std::vector<Problem> sorted() const;

  private:
    /// File, line, column, text.
    using Entry = std::tuple<std::string, std::size_t, std::size_t, std::string>;

    static constexpr std::size_t max_met = 5 * max_problems;

    std::set<Entry> seen_;
    std::size_t met_ = 0;
};

} // namespace qg::spec
