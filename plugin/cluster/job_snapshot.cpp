// SPDX-License-Identifier: GPL-2.0-or-later
#include "cluster/job_snapshot.hpp"

#include "host/host_log.hpp"
#include "qosgate/base/published.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/host_symbols.hpp"

#include <algorithm>
#include <exception>
#include <mutex>
#include <new>
#include <utility>

namespace qg::plugin {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto look_for_jobs_interval = 200ms; ///< whether there is something to read

using Names = JobSnapshot::Names;

/// Jobs, and for which fields they were read.
struct Read {
    Names names;
    std::shared_ptr<const model::ScriptRecords> records;
};

/// Whether they have all these fields.
bool has_all(const Read& read, const slurm::MentionedNames& names) {
    return read.names.get() == &names || std::ranges::includes(*read.names, names);
}

/// All fields of both, each of which may be null. Null: there are none.
Names join(const Names& one, const Names& other) {
    if (one == nullptr || other == nullptr) return one == nullptr ? other : one;
    if (std::ranges::includes(*one, *other)) return one;
    auto all = std::make_shared<slurm::MentionedNames>(*one);
    all->insert(other->begin(), other->end());
    return all;
}

bool are_equal(const Names& one, const Names& other) {
    return one == other || (one != nullptr && other != nullptr && *one == *other);
}

} // namespace

struct JobSnapshot::Shared {
    explicit Shared(JobSnapshotOptions given) : options(std::move(given)) {}

    /// What is known beside the jobs.
    struct State {
        Names in_force;     ///< the last ones that want() got
        Names of_candidate; ///< likewise
        Names wanted;       ///< all fields of both; kept while an equal set is asked for
        /// When slurmctld last told that `published` is still right.
        std::optional<Clock::time_point> confirmed_at;
        std::optional<std::time_t> read_at;
        std::chrono::milliseconds took{};
        std::optional<Error> error;
        std::optional<Error> error_of_both; ///< why the candidate's fields are left out; empty: they are not
    };

    const JobSnapshotOptions options;
    Published<Read> published;
    mutable std::mutex mutex; ///< guards `state`; never held for long
    State state;

    void run(DetachedThread::Link& owner);
    [[nodiscard]] Names wanted() const {
        const std::scoped_lock lock(mutex);
        return state.wanted;
    }

  private:
    void read(const Names& names);
    /// Reads less from now on if it is the candidate's fields that are too much.
    void take_error(const Error& error);
    [[nodiscard]] Result<std::optional<model::ScriptRecords>> load(const Names& names);
    [[nodiscard]] Result<std::shared_ptr<const Read>> make(const Names& names);

    // Only the thread uses these.
    Names tried_for_;           ///< the last reading
    bool are_too_many_ = false; ///< the jobs, by their number
    std::time_t newer_than_ = 0;
    std::shared_ptr<const Read> previous_; ///< so that no submission frees it
    Clock::time_point next_at_;
};

Result<std::optional<model::ScriptRecords>> JobSnapshot::Shared::load(const Names& names) {
    // The answer to the RPC would have them all.
    constexpr std::size_t max_jobs = slurm::JobBoundsForScripts{}.jobs;
    const auto count = options.count ? options.count() : std::nullopt;
    are_too_many_ = count && *count > max_jobs;
    if (are_too_many_)
        return Error{ErrorCode::limit_exceeded,
                     text::format("slurm.jobs cannot be read: there are {} jobs, and at most {} are read",
                                  *count, max_jobs)};
    return options.load(*names, newer_than_);
}

/// Null: nothing has changed. Errors: those of load(); unavailable without memory.
Result<std::shared_ptr<const Read>> JobSnapshot::Shared::make(const Names& names) {
    try {
        auto fresh = load(names);
        if (!fresh) return fresh.error();
        if (!*fresh) return std::shared_ptr<const Read>();
        return std::make_shared<const Read>(
            Read{names, std::make_shared<const model::ScriptRecords>(**std::move(fresh))});
    } catch (const std::exception& problem) {
        newer_than_ = 0; // whatever was read is lost
        return Error{ErrorCode::unavailable, text::format("reading the jobs: {}", problem.what())};
    }
}

void JobSnapshot::Shared::read(const Names& names) {
    if (names != tried_for_) newer_than_ = 0;
    tried_for_ = names;
    const auto begin = Clock::now();
    auto made = make(names);
    const auto end = Clock::now();
    const auto took = std::chrono::ceil<std::chrono::milliseconds>(end - begin);
    // Not so long that the jobs become too old meanwhile: then every job would be refused for a while.
    const auto rest = std::min<std::chrono::milliseconds>(rest_factor * took, options.max_age / 2);
    next_at_ = end + std::max(options.min_interval, rest);
    const std::scoped_lock lock(mutex);
    if (state.wanted != names) return;
    if (!made) return take_error(made.error());
    state.error.reset();
    state.confirmed_at = begin;
    state.read_at = std::time(nullptr);
    if (*made == nullptr) return;
    state.took = took;
    previous_ = published.get();
    published.publish(*std::move(made));
}

void JobSnapshot::Shared::take_error(const Error& error) {
    const bool are_both = state.in_force != nullptr && !are_equal(state.wanted, state.in_force);
    const bool are_fields_too_much = error.code == ErrorCode::limit_exceeded && !are_too_many_;
    if (!are_fields_too_much || !are_both) {
        state.error = error;
        return;
    }
    state.error_of_both = error;
    state.wanted = state.in_force;
}

void JobSnapshot::Shared::run(DetachedThread::Link& owner) {
    do {
        const Names names = wanted();
        if (names == nullptr) {
            if (tried_for_ != nullptr) published.publish(nullptr);
            previous_ = nullptr;
            tried_for_ = nullptr;
            continue;
        }
        if (!options.is_served() || (names == tried_for_ && Clock::now() < next_at_)) continue;
        read(names);
    } while (owner.wait_for(look_for_jobs_interval));
}

JobSnapshot::JobSnapshot(JobSnapshotOptions options)
    : shared_(std::make_shared<Shared>(std::move(options))) {}

void JobSnapshot::start() noexcept {
    try {
        thread_.start("qosgate-jobs",
                      [shared = shared_](DetachedThread::Link& owner) { shared->run(owner); });
    } catch (const std::exception& error) {
        log_error((std::string("jobs for the script: no thread: ") + error.what()).c_str());
    }
}

void JobSnapshot::want(const Names& in_force, const Names& of_candidate) {
    Shared::State& state = shared_->state;
    {
        const std::scoped_lock lock(shared_->mutex);
        if (state.in_force == in_force && state.of_candidate == of_candidate) return;
    }
    Names wanted = in_force;
    Names of_other; // the next call tries again if there is no memory
    try {
        wanted = join(in_force, of_candidate);
        of_other = of_candidate;
    } catch (const std::bad_alloc&) { // the script in force does not need it
    }
    const auto published = shared_->published.get();
    {
        const std::scoped_lock lock(shared_->mutex);
        state.in_force = in_force;
        state.of_candidate = of_other;
        state.error_of_both.reset();
        // A script that was loaded again, or changed elsewhere, goes on with the jobs that are known.
        if (are_equal(state.wanted, wanted)) return;
        state.wanted = wanted;
        state.error.reset();
        // The same holds for a script in force when a candidate comes or goes.
        if (published == nullptr || in_force == nullptr || !has_all(*published, *in_force)) {
            state.confirmed_at.reset();
            state.read_at.reset();
            state.took = {};
        }
    }
    thread_.wake();
}

Result<std::shared_ptr<const model::ScriptRecords>> JobSnapshot::current(const Names& names) const {
    const auto read = shared_->published.get();
    const std::scoped_lock lock(shared_->mutex);
    const Shared::State& state = shared_->state;
    if (names == nullptr || state.wanted == nullptr)
        return Error{ErrorCode::unavailable, "slurm.jobs is not read: neither the name jobs nor such a field "
                                             "of job_rec is in the script or a file *.lua beside it"};
    if (state.error && state.error->code == ErrorCode::limit_exceeded) return *state.error;
    const bool is_read = read != nullptr && state.confirmed_at && has_all(*read, *names);
    if (!is_read && state.error_of_both) return *state.error_of_both;
    if (!is_read)
        return Error{ErrorCode::unavailable,
                     text::format("slurm.jobs is not read yet; try again in some seconds{}",
                                  state.error ? " (" + state.error->message + ")" : "")};
    const auto age = Clock::now() - *state.confirmed_at;
    if (age > shared_->options.max_age)
        return Error{ErrorCode::unavailable,
                     text::format("slurm.jobs was read {} seconds ago, which is too long{}",
                                  std::chrono::duration_cast<std::chrono::seconds>(age).count(),
                                  state.error ? " (" + state.error->message + ")" : "")};
    return read->records;
}

JobSnapshotStatus JobSnapshot::status() const {
    const auto read = shared_->published.get();
    const std::scoped_lock lock(shared_->mutex);
    const Shared::State& state = shared_->state;
    return {.count = read && state.confirmed_at ? read->records->records.size() : 0,
            .read_at = state.read_at,
            .took = state.took,
            .error = state.error ? state.error->message : std::string()};
}

void JobSnapshot::stop(std::chrono::milliseconds patience) {
    thread_.stop(patience);
}

// ---- in slurmctld ----------------------------------------------------------------------------------------

namespace {

/// The list has a lock of its own, and stays as long as slurmctld runs.
std::optional<std::size_t> count_jobs() {
    static const auto* jobs = slurm::host::job_list.find();
    if (jobs == nullptr || *jobs == nullptr) return std::nullopt;
    return static_cast<std::size_t>(slurm_list_count(*jobs));
}

} // namespace

JobSnapshotOptions options_in_slurmctld(std::function<bool()> is_served) {
    return {.is_served = std::move(is_served),
            .count = &count_jobs,
            .load = [](const slurm::MentionedNames& names, std::time_t& newer_than) {
                return slurm::load_script_jobs(names, newer_than);
            }};
}

} // namespace qg::plugin
