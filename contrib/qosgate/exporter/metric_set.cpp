// SPDX-License-Identifier: GPL-2.0-or-later
#include "metric_set.hpp"

#include "qosgate/base/text.hpp"

#include <prometheus/metric_family.h>
#include <prometheus/text_serializer.h>

#include <algorithm>
#include <functional>
#include <limits>
#include <sstream>
#include <vector>

namespace qg::cli {

MetricSet::Family::Family(std::string name, std::string help, bool is_counter, std::size_t max_series)
    : family_(std::make_unique<prometheus::MetricFamily>()), is_counter_(is_counter),
      max_series_(max_series) {
    family_->name = std::move(name);
    family_->help = std::move(help);
    family_->type = is_counter ? prometheus::MetricType::Counter : prometheus::MetricType::Gauge;
}

MetricSet::Family::~Family() = default;

void MetricSet::Family::add(double value, std::initializer_list<Label> labels) {
    constexpr std::size_t max_value_bytes = 200;
    prometheus::ClientMetric metric;
    std::string key;
    for (const auto& [name, text] : labels) {
        if (text.empty()) continue;
        metric.label.push_back({name, text::printable(text, max_value_bytes)});
        for (const std::string& part : {metric.label.back().name, metric.label.back().value}) {
            key += part;
            key += '\n'; // never in a printable text
        }
    }
    if (seen_.size() >= max_series_ || !seen_.insert(std::move(key)).second) {
        ++cut_;
        return;
    }
    (is_counter_ ? metric.counter.value : metric.gauge.value) = value;
    family_->metric.push_back(std::move(metric));
}

void MetricSet::Family::add_histogram(std::span<const double> bounds, std::span<const double> counts,
                                      double sum) {
    const bool is_ascending =
        std::ranges::adjacent_find(bounds, std::ranges::greater_equal()) == bounds.end();
    if (counts.size() != bounds.size() + 1 || !is_ascending) return;
    prometheus::ClientMetric metric;
    auto& histogram = metric.histogram;
    for (std::size_t i = 0; i < counts.size(); ++i) {
        histogram.sample_count += static_cast<std::uint64_t>(counts[i]);
        const double bound = i < bounds.size() ? bounds[i] : std::numeric_limits<double>::infinity();
        histogram.bucket.push_back({histogram.sample_count, bound});
    }
    histogram.sample_sum = sum;
    family_->metric.push_back(std::move(metric));
}

MetricSet::Family& MetricSet::histogram(std::string name, std::string help) {
    Family& made = gauge(std::move(name), std::move(help));
    made.family_->type = prometheus::MetricType::Histogram;
    return made;
}

MetricSet::Family& MetricSet::gauge(std::string name, std::string help) {
    return families_.emplace_back(std::move(name), std::move(help), /*is_counter=*/false, max_series_);
}

MetricSet::Family& MetricSet::counter(std::string name, std::string help) {
    return families_.emplace_back(std::move(name), std::move(help), /*is_counter=*/true, max_series_);
}

std::string MetricSet::text() {
    const std::size_t count = families_.size();
    Family& cut = gauge("qosgate_exporter_cut_series",
                        "Series left out of a family: it has too many, or two with the same labels.");
    for (std::size_t i = 0; i < count; ++i)
        if (families_[i].cut() > 0)
            cut.add(static_cast<double>(families_[i].cut()), {{"family", families_[i].family_->name}});
    std::vector<prometheus::MetricFamily> all;
    for (Family& family : families_)
        if (!family.family_->metric.empty()) all.push_back(std::move(*family.family_));
    families_.clear();
    std::ostringstream out;
    prometheus::TextSerializer().Serialize(out, all);
    return std::move(out).str();
}

} // namespace qg::cli
