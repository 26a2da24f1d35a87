// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster/cluster_snapshot.hpp"

#include "cluster/partition_watch.hpp"
#include "controller/start_wait.hpp"
#include "host/failure_log.hpp"
#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/listening.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/slurm/cluster_reader.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <atomic>
#include <exception>
#include <string>
#include <utility>

namespace qg::plugin {
namespace {

using Clock = PartitionWatch::Clock;

// slurm.conf is read again after this time; so are partitions if slurmctld does not tell when they change. If
// nothing changed, this costs slurmctld two empty answers.
constexpr std::chrono::seconds poll_interval{2};

// A change of partitions is noticed after this time, or by the first submission after the change.
constexpr std::chrono::milliseconds look_interval{100};

// The first of several failures in a row is tried again after this time.
constexpr std::chrono::milliseconds retry_interval{500};

// Reading takes milliseconds; after this time something is wrong.
constexpr std::chrono::seconds patience{3};

/// A cluster and the time of its reading.
struct KnownCluster {
    std::shared_ptr<const model::Cluster> cluster;
    PartitionsRead read;
};

} // namespace

struct ClusterSnapshot::Shared {
    PartitionWatch watch{PartitionSymbols::find()};
    std::uint32_t first_port = 0; ///< slurmctld's; 0: not known
    std::uint32_t ports = 0;
    Published<KnownCluster> known;
    std::atomic<std::time_t> read_at = 0;      ///< 0: never
    std::atomic<std::time_t> confirmed_at = 0; ///< the last time that slurmctld answered; 0: never
    Published<std::string> error;              ///< why nothing can be read; null or empty: no problem

    void run(DetachedThread::Link& owner);
    /// For a job that needs what is not known yet: asks the thread to read.
    void ask(DetachedThread& thread) noexcept;
    /// Whether such a job came long ago, and still nothing is known.
    [[nodiscard]] bool is_overdue() const noexcept;
    /// Whether slurmctld may have changed reservations after these were read, or none could be read. Else
    /// false if it does not say, as with a reservation that floats in time.
    [[nodiscard]] bool may_have_new_reservations(const model::Cluster& cluster) const noexcept;

  private:
    /// The second in which slurmctld last changed a reservation (slurm/README.md 3.4); null: it does not
    /// tell.
    const std::time_t* reservations_changed_at_ = slurm::host::last_resv_update.find();
    /// When a job first needed unknown data, which shows that slurmctld serves; the clock's start: never.
    std::atomic<Clock::time_point> asked_at_ = Clock::time_point();
    [[nodiscard]] bool is_served() const noexcept;
    [[nodiscard]] bool wait_until_served(DetachedThread::Link& owner) const;
    [[nodiscard]] bool wait_for_next_read(DetachedThread::Link& owner) const;
    void read();
    void fail(const std::string& why);

    // Only the thread uses these.
    slurm::ClusterReader reader_;
    FailureLog failures_{"cluster data"};
};

bool ClusterSnapshot::Shared::may_have_new_reservations(const model::Cluster& cluster) const noexcept {
    if (!cluster.names) return true;
    if (reservations_changed_at_ == nullptr || cluster.names->has_floating_reservation) return false;
    const std::time_t changed_at = __atomic_load_n(reservations_changed_at_, __ATOMIC_RELAXED);
    return changed_at >= cluster.names->reservations_read_at; // within one second the order is not known
}

void ClusterSnapshot::Shared::ask(DetachedThread& thread) noexcept {
    Clock::time_point never;
    if (asked_at_.compare_exchange_strong(never, Clock::now())) thread.wake();
}

bool ClusterSnapshot::Shared::is_overdue() const noexcept {
    const Clock::time_point asked_at = asked_at_;
    return asked_at != Clock::time_point() && known.get() == nullptr && Clock::now() - asked_at > patience;
}

bool ClusterSnapshot::Shared::is_served() const noexcept {
    if (asked_at_.load() != Clock::time_point()) return true;
    return watch.has_partitions() && (first_port == 0 || listens_on(first_port, ports));
}

/// Waits. Returns whether there is something to read; false: the thread must end.
bool ClusterSnapshot::Shared::wait_until_served(DetachedThread::Link& owner) const {
    StartWait wait;
    while (!is_served())
        if (!owner.wait_for(wait.next(watch.has_partitions()))) return false;
    return true;
}

/// The same before each further read.
bool ClusterSnapshot::Shared::wait_for_next_read(DetachedThread::Link& owner) const {
    const Clock::time_point next_poll =
        Clock::now() + (failures_.has_failed_once() ? retry_interval : poll_interval);
    const auto last = known.get();
    const auto is_time = [&] {
        const Clock::time_point now = Clock::now();
        const bool is_outdated =
            last != nullptr && watch.is_outdated(last->read, now, std::chrono::system_clock::now());
        return now >= next_poll || (is_outdated && !failures_.is_failing());
    };
    do {
        if (!owner.wait_for(look_interval)) return false;
    } while (!is_time());
    return true;
}

void ClusterSnapshot::Shared::fail(const std::string& why) {
    failures_.failed(why);
    error.publish(std::make_shared<const std::string>(why));
}

/// Reads what has changed.
void ClusterSnapshot::Shared::read() {
    const auto last = known.get();
    const Clock::time_point now = Clock::now();
    const auto wall = std::chrono::system_clock::now();
    const bool is_outdated = last == nullptr || watch.is_outdated(last->read, now, wall);
    const PartitionsRead mark = watch.read_mark(now, wall);
    auto fresh = is_outdated ? reader_.read() : reader_.poll();
    if (!fresh) return fail(fresh.error().message);
    if (failures_.is_failing()) error.publish(nullptr);
    failures_.succeeded();
    confirmed_at = std::time(nullptr);
    if (*fresh == nullptr) return;
    read_at = confirmed_at.load();
    known.publish(std::make_shared<const KnownCluster>(*std::move(fresh), mark));
}

void ClusterSnapshot::Shared::run(DetachedThread::Link& owner) {
    for (bool goes_on = wait_until_served(owner); goes_on; goes_on = wait_for_next_read(owner)) {
        try {
            read();
        } catch (const std::exception& problem) {
            fail(problem.what());
        }
    }
}

ClusterSnapshot::ClusterSnapshot() : shared_(std::make_shared<Shared>()) {}

void ClusterSnapshot::start() noexcept {
    if (const slurm_conf_t* conf = host_conf()) {
        shared_->first_port = conf->slurmctld_port;
        shared_->ports = conf->slurmctld_port_count;
    }
    try {
        thread_.start("qosgate-cluster",
                      [shared = shared_](DetachedThread::Link& owner) { shared->run(owner); });
    } catch (const std::exception& error) {
        log_error((std::string("cluster data: no thread: ") + error.what()).c_str());
    }
}

ClusterNow ClusterSnapshot::current() {
    const auto known = shared_->known.get();
    if (known == nullptr) {
        shared_->ask(thread_);
        return {};
    }
    const std::size_t count = known->cluster->partitions.all().size();
    const bool may_have_changed = shared_->watch.may_have_changed(known->read, count);
    if (may_have_changed) thread_.wake();
    return {.cluster = known->cluster,
            .may_have_changed = may_have_changed,
            .may_have_new_reservations = shared_->may_have_new_reservations(*known->cluster),
            .confirmed_at = shared_->confirmed_at};
}

std::shared_ptr<const model::Cluster> ClusterSnapshot::last_read() const {
    const auto known = shared_->known.get();
    return known == nullptr ? nullptr : known->cluster;
}

std::optional<std::time_t> ClusterSnapshot::read_at() const {
    const std::time_t read_at = shared_->read_at;
    return read_at == 0 ? std::nullopt : std::optional(read_at);
}

std::function<bool()> ClusterSnapshot::is_read() const {
    return [shared = shared_] { return shared->read_at.load() != 0; };
}

bool ClusterSnapshot::is_at_work() const {
    return read_at() || shared_->watch.has_partitions();
}

std::string ClusterSnapshot::last_error() const {
    if (const auto error = shared_->error.get(); error != nullptr && !error->empty()) return *error;
    return shared_->is_overdue() ? "slurmctld does not answer the plugin's request for them" : "";
}

void ClusterSnapshot::stop(std::chrono::milliseconds patience) {
    thread_.stop(patience);
}

} // namespace qg::plugin
