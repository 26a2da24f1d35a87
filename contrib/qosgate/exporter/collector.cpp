// SPDX-License-Identifier: GPL-2.0-or-later
#include "collector.hpp"

#include "qosgate/base/published.hpp"
#include "qosgate/base/text.hpp"

#include <ctime>
#include <exception>
#include <utility>

namespace qg::cli {
namespace {

using Clock = std::chrono::steady_clock;
using Text = std::shared_ptr<const std::string>;

struct Answers {
    Text metrics;
    Text page;
};

/// What is answered until a time, and what after it.
struct Publication {
    Answers now;
    Answers later;
    Clock::time_point until;
};

Text share(std::string text) {
    return std::make_shared<const std::string>(std::move(text));
}

} // namespace

class Collector::Shared {
  public:
    Shared(CollectorSource source, CollectorOptions options) : source_(std::move(source)), options_(options) {
        publish(make_blind("the cluster was not read yet", nullptr));
    }

    [[nodiscard]] Answers answers() const {
        const auto publication = published_.get();
        return Clock::now() < publication->until ? publication->now : publication->later;
    }

    void read() {
        ++counts_.readings;
        const auto cluster = source_.read_cluster();
        const auto gate = source_.read_gate(); // last: while slurmctld is away, the other takes long
        const bool was_late = Clock::now() >= published_.get()->until; // and has been told as a failure
        if (!cluster || was_late) ++counts_.failures;
        if (cluster) counts_.last = (*cluster)->read_at;
        publish(cluster ? make_answers(cluster->get(), "", &gate)
                        : make_blind(cluster.error().message, &gate));
        const std::string problem = cluster ? std::string() : cluster.error().message;
        if (problem.empty() != problem_.empty() || counts_.readings == 1) source_.note(problem);
        problem_ = problem;
    }

    /// An exception ends one reading, not the thread.
    void read_safely() {
        try {
            read();
        } catch (const std::exception& error) {
            source_.note(error.what());
        }
    }

    [[nodiscard]] std::chrono::seconds interval() const noexcept { return options_.interval; }

  private:
    /// Until the next reading is over, or has taken too long: then it counts as one that failed.
    void publish(Answers now) {
        constexpr int patience = 3; // intervals
        const ReadingCounts counts = counts_;
        ++counts_.readings;
        ++counts_.failures;
        Publication fresh{.now = std::move(now),
                          .later = make_blind("slurmctld has not answered for some time", nullptr),
                          .until = Clock::now() + patience * options_.interval};
        counts_ = counts;
        published_.publish(std::make_shared<const Publication>(std::move(fresh)));
    }

    [[nodiscard]] Answers make_blind(std::string_view why, const Result<GateReport>* gate) const {
        return make_answers(nullptr, why, gate);
    }

    [[nodiscard]] Answers make_answers(const ClusterState* state, std::string_view why,
                                       const Result<GateReport>* gate) const {
        const std::time_t now = std::time(nullptr);
        return {share(make_metrics(state, gate, counts_, options_.max_users, now)),
                share(make_page(state, why, gate, options_.page, now))};
    }

    CollectorSource source_;
    CollectorOptions options_;
    Published<Publication> published_;
    // Only the thread uses these.
    ReadingCounts counts_;
    std::string problem_;
};

Collector::Collector(CollectorSource source, CollectorOptions options)
    : shared_(std::make_shared<Shared>(std::move(source), options)) {}

void Collector::start() {
    thread_.start("qosgate-collect", [shared = shared_](DetachedThread::Link& owner) {
        do
            shared->read_safely();
        while (owner.wait_for(shared->interval()));
    });
}

bool Collector::stop(std::chrono::milliseconds patience) {
    return thread_.stop(patience);
}

std::shared_ptr<const std::string> Collector::metrics() const {
    return shared_->answers().metrics;
}

std::shared_ptr<const std::string> Collector::page() const {
    return shared_->answers().page;
}

} // namespace qg::cli
