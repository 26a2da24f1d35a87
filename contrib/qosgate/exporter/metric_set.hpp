// SPDX-License-Identifier: GPL-2.0-or-later
//
// MetricSet: metric families with a bounded number of series, as text for Prometheus.
//
//   MetricSet metrics(20'000);
//   auto& jobs = metrics.gauge("qosgate_jobs", "Jobs in the queue.");
//   jobs.add(3, {{"qos", "normal"}, {"state", "running"}});
//   std::string text = metrics.text();
#pragma once

#include <cstdint>
#include <deque>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <unordered_set>
#include <utility>

namespace prometheus {
struct MetricFamily;
}

namespace qg::cli {

/// A label's name and value; a label with an empty value is left out, as Prometheus understands it.
using Label = std::pair<const char*, std::string_view>;

class MetricSet {
  public:
    /// Threads: not thread-safe. Ownership: lives in its set.
    class Family {
      public:
        Family(std::string name, std::string help, bool is_counter, std::size_t max_series);
        Family(const Family&) = delete;
        Family& operator=(const Family&) = delete;
        ~Family();

        /// Adds a series. It is cut, and counted, if the family is full or has a series with these labels.
        /// The values of labels are bounded, and made valid and visible.
        void add(double value, std::initializer_list<Label> labels = {});

        /// Adds the series of a histogram: the counts up to each bound, not cumulated, and one of the rest.
        /// Nothing is added unless the bounds ascend and the counts fit to them.
        void add_histogram(std::span<const double> bounds, std::span<const double> counts, double sum);

        [[nodiscard]] std::uint64_t cut() const noexcept { return cut_; }

      private:
        friend class MetricSet;
        std::unique_ptr<prometheus::MetricFamily> family_;
        std::unordered_set<std::string> seen_;
        bool is_counter_;
        std::size_t max_series_;
        std::uint64_t cut_ = 0;
    };

    explicit MetricSet(std::size_t max_series) : max_series_(max_series) {}

    /// A new family. The name has its unit at its end; that of a counter ends with `_total`.
    Family& gauge(std::string name, std::string help);
    Family& counter(std::string name, std::string help);
    Family& histogram(std::string name, std::string help);

    /// Everything in Prometheus' text format, and how many series of each family were cut.
    [[nodiscard]] std::string text();

  private:
    std::deque<Family> families_;
    std::size_t max_series_;
};

} // namespace qg::cli
