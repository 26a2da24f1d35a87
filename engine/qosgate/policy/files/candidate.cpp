// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/candidate.hpp"

#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/source_files.hpp"

#include <system_error>
#include <utility>

#include <unistd.h>

namespace qg::policy {

CandidateWatch::CandidateWatch(const std::filesystem::path& directory, StoreOptions options, LogSink log)
    : directory_(directory / candidate_directory_name), options_(std::move(options)), log_(std::move(log)) {}

void CandidateWatch::check() noexcept {
    // For example out of memory: the next check tries again.
    try {
        // A daemon's working directory says nothing about where the files are.
        if (!directory_.is_absolute()) return;
        std::error_code problem;
        if (std::filesystem::symlink_status(directory_, problem).type() ==
            std::filesystem::file_type::not_found)
            return drop({});
        if (times_.is_time_to_read(directory_)) read();
        if (const auto loaded = current()) loaded->refill();
    } catch (...) {
        return;
    }
}

void CandidateWatch::read() {
    times_.settle(site_paths(directory_, options_.trusted_user.value_or(geteuid())));
    const auto sources = options_.read(directory_, options_.trusted_user.value_or(geteuid()));
    if (!sources) return drop(sources.error());
    if (!sources->exists) return drop({});
    const Content content{hash_of(*sources), hash_of(sources->tests)};
    if (settled_ == content) return;
    const auto policy = load(*sources);
    if (is_ending_) return;
    if (!policy) {
        drop(policy.error().in(directory_.string()));
        // One that failed for lack of memory or time may load later.
        if (policy.error().code == ErrorCode::invalid_input) settled_ = content;
        return;
    }
    settled_ = content;
    put(*policy);
}

Result<std::shared_ptr<const Policy>> CandidateWatch::load(const SourceDirectory& sources) {
    SourceDirectory files{.exists = true, .files = sources.files};
    // The tests have the time that they have for a policy in force.
    const auto tested = compile_policy(files);
    if (!tested) return tested.error();
    if (!sources.tests.empty() && (*tested)->settings().run_tests) {
        const auto show = [this](bool is_testing) {
            const std::scoped_lock lock(status_mutex_);
            status_.exists = true;
            status_.is_testing = is_testing;
        };
        show(true);
        const ScopeExit over([&] { show(false); });
        const auto world = options_.make_world ? options_.make_world() : nullptr;
        const TestRun how{.world = world.get(),
                          .max_time = options_.max_test_time,
                          .is_cancelled = [this] { return is_ending_.load(); },
                          .directory = text::printable(directory_.string(), 4000)};
        if (const auto passed = pass_tests(**tested, sources.tests, how); !passed) return passed.error();
    }
    return compile_policy(std::move(files),
                          {.max_rule_time = max_candidate_rule_time, .cluster_name = options_.cluster_name});
}

void CandidateWatch::put(std::shared_ptr<const Policy> policy) {
    const std::size_t rules = policy->rules().size();
    const std::uint64_t hash = policy->hash();
    const bool has_script = policy->script() != nullptr;
    published_.publish(std::move(policy));
    is_loaded_ = true;
    last_problem_.clear();
    {
        const std::scoped_lock lock(status_mutex_);
        status_ = {.exists = true,
                   .hash = hash,
                   .rules = rules,
                   .has_script = has_script,
                   .loaded_at = std::chrono::system_clock::now()};
    }
    log_(LogLevel::info, text::format("candidate {}: decisions are compared with it: {} {}{}, hash {:016x}",
                                      directory_.string(), rules, rules == 1 ? "rule" : "rules",
                                      has_script ? " and a script for job_submit/lua" : "", hash));
}

void CandidateWatch::drop(std::optional<Error> error) {
    settled_.reset();
    const bool was_loaded = is_loaded_.exchange(false);
    if (was_loaded) published_.publish(nullptr);
    const std::string problem = error ? error->message : std::string();
    const bool is_new = std::exchange(last_problem_, problem) != problem;
    {
        const std::scoped_lock lock(status_mutex_);
        status_ = {.exists = error.has_value(), .last_error = std::move(error)};
    }
    if (is_new && !problem.empty())
        log_(LogLevel::error, "candidate not loaded, no decision is compared with it: " + problem);
    else if (was_loaded)
        log_(LogLevel::info, text::format("candidate {}: it is gone", directory_.string()));
}

CandidateStatus CandidateWatch::status() const {
    const std::scoped_lock lock(status_mutex_);
    return status_;
}

} // namespace qg::policy
