// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/policy_watch.hpp"

#include "qosgate/base/replace_file.hpp"
#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/files/kept_policy.hpp"
#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/source_files.hpp"

#include <algorithm>
#include <utility>

#include <unistd.h>

namespace qg::policy {
namespace {

/// Checks between two attempts to write the kept copy after a failure.
constexpr unsigned keep_again_checks = 75;

} // namespace

PolicyWatch::PolicyWatch(LogSink log, StoreOptions options)
    : options_(std::move(options)), log_(std::move(log)) {
    published_.publish(Policy::none());
}

void PolicyWatch::begin(std::filesystem::path directory) {
    const std::scoped_lock lock(check_mutex_, status_mutex_);
    directory_ = std::move(directory);
    status_.directory = directory_;
    status_.standing = Standing::closed;
    status_.is_reading = true;
    status_.last_error = Error{ErrorCode::unavailable, directory_.string() + ": is still being read"};
    is_closed_ = true;
}

// ---- checks ----------------------------------------------------------------------------------------------

template <typename Work>
void PolicyWatch::guarded_check(Work work) noexcept {
    // For example out of memory: the policy in force stays, and the next check tries again.
    try {
        const std::scoped_lock lock(check_mutex_);
        work();
        if (in_force_ != nullptr) in_force_->refill();
        keep();
    } catch (...) {
        return;
    }
}

void PolicyWatch::first_check() noexcept {
    guarded_check([this] {
        if (!options_.kept_file.empty()) remove_leftovers(options_.kept_file);
        notice_keeper();
        adopt_kept_copy();
        times_.is_time_to_read(directory_); // only to remember its present state
        read_directory();
        end_first_check(); // nothing waits for the states that are made after this
    });
    end_first_check();
}

void PolicyWatch::end_first_check() {
    const std::scoped_lock lock(status_mutex_);
    status_.is_reading = false;
    first_check_over_.notify_all();
}

void PolicyWatch::check() noexcept {
    guarded_check([this] {
        const bool is_kept_anew = notice_keeper();
        const bool is_needed = is_closed() || (is_kept_anew && !last_problem_.empty());
        if (times_.is_time_to_read(directory_) || is_needed) read_directory();
    });
}

bool PolicyWatch::notice_keeper() {
    if (options_.kept_file.empty()) return false;
    // Times and modes only show when to read it: a chmod or a backup changes them, too.
    const std::uint64_t signature = file_signature(options_.kept_file);
    if (kept_stamp_ && signature == kept_signature_) return false;
    const auto kept = read_kept(options_.kept_file, options_.trusted_user.value_or(geteuid()));
    const std::uint64_t stamp = kept && *kept ? (*kept)->stamp : 0;
    kept_signature_ = signature;
    keeper_.reset();
    if (kept && *kept && !(*kept)->never_loaded)
        keeper_ = TakenOver{(*kept)->host, hash_of((*kept)->sources)};
    const auto before = std::exchange(kept_stamp_, std::max(stamp, kept_stamp_.value_or(0)));
    if (before && stamp < *before) {
        kept_hash_.reset();
        kept_never_loaded_ = false;
    }
    if (!before || stamp <= *before) return false;
    another_keeps_ = true;
    if (std::exchange(is_kept_by_us_, false)) {
        is_active_ = false;
        was_active_ = true;
        const std::scoped_lock lock(status_mutex_);
        status_.taken_over.reset();
    }
    return true;
}

void PolicyWatch::refresh() {
    const std::scoped_lock lock(check_mutex_);
    read_directory();
    keep();
}

void PolicyWatch::read_directory() {
    times_.settle(site_paths(directory_, options_.trusted_user.value_or(geteuid())));
    adopt_kept_copy();
    // A daemon's working directory says nothing about where the files are.
    if (!directory_.is_absolute())
        return stay(
            {ErrorCode::not_found,
             text::format("where the site's rules are is not known ('{}'): start slurmctld with the "
                          "absolute path of slurm.conf (in SLURM_CONF or as -f /etc/slurm/slurm.conf)",
                          directory_.string())});
    auto sources = options_.read(directory_, options_.trusted_user.value_or(geteuid()));
    has_seen_directory_ = has_seen_directory_ || !sources || sources->exists;
    if (!sources) return stay(sources.error());
    const bool has_files = in_force_ != nullptr && !in_force_->sources().files.empty();
    if (!sources->exists && has_files)
        return stay({ErrorCode::not_found, directory_.string() +
                                               ": the directory is gone; to end a policy, leave the "
                                               "directory there and empty"});
    if (!sources->exists && in_force_ == nullptr &&
        (kept_is_unusable_ || kept_never_loaded_ || has_seen_directory_))
        return stay(
            {ErrorCode::not_found,
             text::format("{}: the directory is gone, and {}; put the directory back (an empty one means no "
                          "rules)",
                          directory_.string(),
                          kept_is_unusable_ ? "the copy of what was in force cannot be used"
                                            : "what was in it was never in force")});
    const Content content{hash_of(*sources), hash_of(sources->tests)};
    const bool is_in_force = in_force_ != nullptr && content.policy == hash_in_force();
    if (is_in_force && (sources->tests.empty() || accepted_ == content)) return confirm();
    if (broken_ && broken_->content == content) return stay(broken_->error, content);

    const auto policy = load(*sources, in_force_ == nullptr ? 1 : in_force_->generation() + 1);
    if (!policy) return;
    if (!*policy) {
        const Error error = policy->error().in(directory_.string());
        // A policy that failed for lack of memory or time may load later; one that does not compile never
        // will, and tests give the same result each time.
        if (error.code == ErrorCode::invalid_input) broken_ = Broken{content, error};
        return stay(error, content);
    }
    accepted_ = content;
    if (is_in_force) return confirm();
    put_in_force(**policy, Basis::directory);
}

std::optional<Result<std::shared_ptr<const Policy>>> PolicyWatch::load(const SourceDirectory& sources,
                                                                       std::uint64_t generation) {
    SourceDirectory files{.exists = sources.exists, .files = sources.files};
    if (!sources.tests.empty()) {
        const auto tested =
            compile_policy(files, {.generation = generation, .cluster_name = options_.cluster_name});
        if (!tested) return tested.error();
        const auto done = (*tested)->settings().run_tests ? test(**tested, sources.tests) : Result<void>();
        if (is_ending_) return std::nullopt;
        if (!done) return done.error();
    }
    // After tests in new Lua states: rules may have kept something of a test in theirs.
    return compile_policy(std::move(files), {.generation = generation,
                                             .counts_failures = true,
                                             .lets_rules_rest = true,
                                             .cluster_name = options_.cluster_name});
}

Result<void> PolicyWatch::test(const Policy& policy, std::span<const SourceFile> tests) {
    const auto show = [this](bool is_testing) {
        const std::scoped_lock lock(status_mutex_);
        status_.is_testing = is_testing;
        if (!is_testing) return; // the result of the check follows
        status_.last_error =
            Error{ErrorCode::unavailable, directory_.string() + ": the tests of the rules are still running"};
        if (basis_ != Basis::nothing) status_.standing = Standing::degraded;
    };
    show(true);
    const ScopeExit over([&] { show(false); });
    const auto world = options_.make_world ? options_.make_world() : nullptr;
    return pass_tests(policy, tests,
                      {.world = world.get(), .max_time = options_.max_test_time, .is_cancelled = [this] {
                           return is_ending_.load();
                       }});
}

void PolicyWatch::adopt_kept_copy() {
    // A policy that this process has read from the directory, or kept itself, is newer.
    if (options_.kept_file.empty() || basis_ == Basis::directory || is_kept_by_us_) return;
    take_kept_copy();
}

void PolicyWatch::take_kept_copy() {
    kept_hash_.reset();
    kept_is_unusable_ = kept_never_loaded_ = false;
    auto kept = read_kept(options_.kept_file, options_.trusted_user.value_or(geteuid()));
    if (!kept) return report_kept_copy(kept.error());
    if (!*kept) return;
    kept_never_loaded_ = (*kept)->never_loaded;
    if (kept_never_loaded_) return;
    const std::uint64_t hash = hash_of((*kept)->sources);
    if (in_force_ == nullptr || hash != hash_in_force()) {
        const bool replaces = in_force_ != nullptr;
        const auto policy = compile_policy(std::move((*kept)->sources),
                                           {.generation = replaces ? in_force_->generation() + 1 : 1,
                                            .counts_failures = true,
                                            .lets_rules_rest = true,
                                            .checks_texts = false,
                                            .cluster_name = options_.cluster_name});
        if (!policy) return report_kept_copy(policy.error().in(options_.kept_file.string()));
        put_in_force(*policy, Basis::kept_copy);
        if (replaces)
            log(LogLevel::info, text::format("policy: what another controller has kept is in force: {}",
                                             describe_in_force()));
    }
    basis_ = Basis::kept_copy;
    kept_hash_ = hash;
    last_kept_problem_.clear();
}

void PolicyWatch::report_kept_copy(const Error& error) {
    kept_is_unusable_ = true;
    if (std::exchange(last_kept_problem_, error.message) == error.message) return;
    log(LogLevel::error, "the copy of the policy that was in force is not used: " + error.message);
}

// ---- the result of a check --------------------------------------------------------------------------------

std::uint64_t PolicyWatch::hash_in_force() const noexcept {
    return in_force_ == nullptr ? 0 : in_force_->hash();
}

std::string PolicyWatch::describe_in_force() const {
    const std::size_t rules = in_force_->rules().size();
    return text::format("generation {}, {}{} {}, limits {}, hash {:016x}", in_force_->generation(),
                        in_force_->script() != nullptr ? "the script compat/job_submit.lua, " : "", rules,
                        rules == 1 ? "rule" : "rules", to_string(in_force_->settings().limits),
                        hash_in_force());
}

void PolicyWatch::set_standing(Basis basis, const std::optional<Error>& error) {
    basis_ = basis;
    const std::scoped_lock lock(status_mutex_);
    status_.last_error = error;
    status_.is_kept_copy = basis == Basis::kept_copy;
    if (basis == Basis::nothing)
        status_.standing = Standing::closed;
    else
        status_.standing = error ? Standing::degraded : Standing::in_force;
    is_closed_.store(basis == Basis::nothing, std::memory_order_release);
}

void PolicyWatch::put_in_force(const std::shared_ptr<const Policy>& policy, Basis basis) {
    const bool had_directory = hash_in_force() != 0;
    in_force_ = policy;
    published_.publish(policy);
    {
        const std::scoped_lock lock(status_mutex_);
        status_.generation = policy->generation();
        status_.hash = policy->hash();
        status_.rules = policy->rules().size();
        status_.taken_over.reset();
        status_.loaded_at = std::chrono::system_clock::now();
    }
    log_load(*policy);
    if (basis == Basis::kept_copy) return set_standing(basis, status().last_error);
    another_keeps_ = false;
    broken_.reset();
    last_problem_.clear();
    set_standing(basis, std::nullopt);
    if (policy->sources().exists)
        log(LogLevel::info,
            text::format("policy {}: in force: {}", directory_.string(), describe_in_force()));
    else if (had_directory)
        log(LogLevel::info, text::format("policy {}: the empty directory is gone; there are still no rules",
                                         directory_.string()));
}

void PolicyWatch::confirm() {
    const bool was_broken = !last_problem_.empty();
    const bool is_first = basis_ != Basis::directory;
    if (was_broken || is_first) another_keeps_ = false;
    broken_.reset();
    last_problem_.clear();
    set_standing(Basis::directory, std::nullopt);
    if (was_broken)
        log(LogLevel::info, text::format("policy {}: the files are valid again; generation {} stays in force",
                                         directory_.string(), in_force_->generation()));
    else if (is_first && in_force_->sources().exists)
        log(LogLevel::info,
            text::format("policy {}: in force: {}", directory_.string(), describe_in_force()));
}

void PolicyWatch::stay(const Error& error, const Content& content) {
    // The active controller has kept its policy since, so that copy is newer than what was read here.
    if (another_keeps_ && basis_ == Basis::directory) take_kept_copy();
    const std::string problem =
        text::format("{:016x} {:016x} {}", content.policy, content.tests, error.message);
    const bool is_new = std::exchange(last_problem_, problem) != problem;
    set_standing(basis_, error);
    if (!is_new) return;
    std::string what;
    switch (basis_) {
    case Basis::nothing: what = "all submissions but those of operators are refused"; break;
    case Basis::kept_copy:
        what = text::format("what {} in force ({})",
                            another_keeps_ ? "another controller has kept is"
                                           : "was in force before this start stays",
                            describe_in_force());
        break;
    case Basis::directory:
        what = text::format("the previous one, generation {}, stays in force", in_force_->generation());
        break;
    }
    log(LogLevel::error, text::format("policy not loaded, {}: {}", what, error.message));
}

std::uint64_t PolicyWatch::next_stamp() const {
    // The time alone would be enough if all controllers' clocks were equal.
    const auto now = std::chrono::system_clock::now().time_since_epoch();
    const auto time =
        static_cast<std::uint64_t>(std::chrono::duration_cast<std::chrono::nanoseconds>(now).count());
    return std::max(time, kept_stamp_.value_or(0) + 1);
}

bool PolicyWatch::is_kept() const noexcept {
    // A copy that cannot be used keeps the store closed as well, and may still help an administrator.
    if (in_force_ == nullptr) return kept_never_loaded_ || kept_is_unusable_ || !has_seen_directory_;
    // Once it is written whatever it says: so another process knows that it is no longer the one.
    return is_kept_by_us_ && kept_hash_ && *kept_hash_ == hash_in_force();
}

void PolicyWatch::keep() {
    if (options_.kept_file.empty() || !is_active_ || is_kept()) return;
    if (checks_until_keep_ > 0 && --checks_until_keep_ > 0) return;
    {
        const std::scoped_lock lock(log_mutex_);
        if (!log_) return; // abandoned: another store may keep its own policy by now
    }
    const bool never_loaded = in_force_ == nullptr;
    const auto taken_over = find_taken_over();
    const auto done = write_kept_copy();
    if (done && taken_over) report_taken_over(*taken_over);
    if (!done) checks_until_keep_ = keep_again_checks;
    const auto note = [&] {
        const std::scoped_lock lock(status_mutex_);
        if (done) {
            status_.keep_error.reset();
            return false;
        }
        const bool is_known = status_.keep_error && status_.keep_error->message == done.error().message;
        status_.keep_error = done.error();
        return !is_known;
    };
    if (note())
        log(LogLevel::error,
            (never_loaded ? "it is not kept that the site's rules never loaded: "
                          : "the policy in force is not kept, a restart would not find it: ") +
                done.error().message);
}

Result<void> PolicyWatch::write_kept_copy() {
    const bool never_loaded = in_force_ == nullptr;
    const KeptPolicy copy{never_loaded ? SourceDirectory() : in_force_->sources(), next_stamp(), never_loaded,
                          options_.host};
    if (const auto done = write_kept(options_.kept_file, copy); !done) return done;
    kept_hash_ = never_loaded ? std::nullopt : std::optional(hash_in_force());
    kept_never_loaded_ = never_loaded;
    kept_stamp_ = copy.stamp;
    is_kept_by_us_ = true;
    another_keeps_ = false;
    return {};
}

std::optional<TakenOver> PolicyWatch::find_taken_over() const {
    if (is_kept_by_us_ || in_force_ == nullptr || !keeper_ || keeper_->host.empty()) return std::nullopt;
    const bool is_another = !options_.host.empty() && keeper_->host != options_.host;
    return is_another && keeper_->policy != hash_in_force() ? keeper_ : std::nullopt;
}

void PolicyWatch::report_taken_over(const TakenOver& before) {
    {
        const std::scoped_lock lock(status_mutex_);
        status_.taken_over = before;
    }
    log(LogLevel::warning,
        text::format(
            "policy: other rules are in force than before: controller {} had hash {:016x}, here is {}; "
            "let the files of {} be the same on both",
            before.host, before.policy, describe_in_force(), directory_.string()));
}

// ---- questions of the store -------------------------------------------------------------------------------

bool PolicyWatch::wait_for_first_check(std::chrono::milliseconds patience) {
    std::unique_lock lock(status_mutex_);
    return first_check_over_.wait_for(lock, patience, [this] { return !status_.is_reading; });
}

void PolicyWatch::report_delay() {
    const StoreStatus now = status();
    log(now.is_testing ? LogLevel::info : LogLevel::error,
        text::format(
            "policy {}: {}: until then {}", now.directory.string(),
            now.is_testing ? "its tests are still running" : "is not read yet, a file or directory may hang",
            now.standing == Standing::closed ? "all submissions but those of operators are refused"
                                             : "what was in force before this start stays in force"));
}

void PolicyWatch::abandon() {
    const std::scoped_lock lock(log_mutex_);
    log_ = nullptr;
}

StoreStatus PolicyWatch::status() const {
    const std::scoped_lock lock(status_mutex_);
    StoreStatus now = status_;
    now.is_superseded = was_active_ && !is_active_;
    return now;
}

void PolicyWatch::log(LogLevel level, const std::string& text) {
    const std::scoped_lock lock(log_mutex_);
    if (log_) log_(level, text);
}

void PolicyWatch::log_load(const Policy& policy) {
    const std::scoped_lock lock(log_mutex_);
    if (!log_ || !options_.log_of_script || policy.script() == nullptr) return;
    for (const compat::ScriptLine& line : policy.script()->lines_of_load())
        options_.log_of_script(line.level, line.text);
}

} // namespace qg::policy
