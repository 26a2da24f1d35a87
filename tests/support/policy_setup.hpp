// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tests of policies share: policies from texts, jobs with facts, temporary directories.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/policy/policy.hpp"

#include <atomic>
#include <cstdlib>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include <sys/stat.h>

namespace qg::test {

namespace fs = std::filesystem;

/// Who sends a job, and how often that was asked.
struct Sender final : policy::SenderRights {
    bool ask_if_operator() override {
        ++asked;
        return is_one;
    }
    bool is_one = false;
    int asked = 0;
};

/// A job with everything that rules may read. The counts are cpu, mem, node, gres/gpu.
class Job {
  public:
    Job() {
        counted_.tres = {4, 8000, 0, 1, 0, 0};
        request.user_id = 1000;
        request.submit_uid = 1000;
        request.is_batch = true;
    }

    Job& gpus(std::uint64_t count) { return counted(5, count); }
    Job& nodes(std::uint64_t count) { return counted(3, count); }
    Job& cpus(std::uint64_t count) { return counted(0, count); }
    Job& counted(std::size_t index, std::uint64_t count) {
        counted_.tres.at(index) = count;
        return *this;
    }
    Job& partition(std::string name) {
        request.partition = std::move(name);
        return *this;
    }
    Job& qos(std::string name) {
        request.qos = std::move(name);
        return *this;
    }
    Job& minutes(std::uint32_t count) {
        request.time_limit = TimeLimit{count};
        return *this;
    }
    Job& unlimited() {
        request.time_limit = TimeLimit::unlimited();
        return *this;
    }
    /// The partition's default time limit.
    Job& default_minutes(std::uint32_t count) {
        counted_.time_limit = TimeLimit{count};
        return *this;
    }
    Job& catalogue(std::vector<std::string> names) {
        catalogue_ = model::TresCatalogue(std::move(names));
        counted_.tres.assign(catalogue_.size(), 0);
        return *this;
    }

    [[nodiscard]] policy::RuleInput facts() const {
        const std::string_view partition = request.partition ? std::string_view(*request.partition) : "cpu";
        policy::RuleInput facts{counted_, catalogue_,     user_name,        "physics",  partition,
                                "normal", knows_accounts, knows_partitions, knows_cpus, &sender};
        facts.view = view;
        return facts;
    }

    /// Runs the rules; the request keeps their changes.
    policy::RuleOutcome run(const policy::Policy& policy) {
        policy::RuleOutcome outcome = policy.run(request, facts());
        if (outcome.changed) request = *outcome.changed;
        return outcome;
    }

    /// Runs the rules over the change of `before` into this job.
    policy::RuleOutcome change_from(const Job& before, const policy::Policy& policy) const {
        const policy::RuleInput facts_before = before.facts();
        const policy::JobBefore job_before{before.request, facts_before};
        return policy.run_at_change(request, facts(), &job_before);
    }

    model::JobRequest request;
    std::string_view user_name = "ana"; ///< of the job's owner
    policy::RuleView* view = nullptr;   ///< borrowed
    mutable Sender sender;              ///< asked by rules, also of a const job
    bool knows_accounts = true;
    bool knows_partitions = true;
    bool knows_cpus = true;

  private:
    model::ResolvedJob counted_;
    model::TresCatalogue catalogue_{{"cpu", "mem", "energy", "node", "billing", "gres/gpu"}};
};

using Texts = std::vector<std::pair<std::string, std::string>>;

inline Result<std::shared_ptr<const policy::Policy>> try_policy(const Texts& files) {
    policy::SourceDirectory directory{true, {}};
    for (const auto& [name, content] : files)
        directory.files.push_back({name, content});
    return policy::compile_policy(std::move(directory));
}

/// A policy that must load.
inline std::shared_ptr<const policy::Policy> policy_of(const Texts& files) {
    const auto policy = try_policy(files);
    if (!policy) throw std::runtime_error(policy.error().message);
    return *policy;
}

/// Why a policy does not load; "" if it does.
inline std::string load_error(const Texts& files) {
    const auto policy = try_policy(files);
    return policy ? std::string() : policy.error().message;
}

/// A rule file whose function has this body, with `keys` before it.
inline std::string rule_with(const std::string& body, const std::string& keys = {}) {
    return "rule { " + keys + " submit = function(job)\n" + body + "\nend }";
}

/// A rule file with only a function for changes, modify(job, before).
inline std::string modify_with(const std::string& body, const std::string& keys = {}) {
    return "rule { " + keys + " modify = function(job, before)\n" + body + "\nend }";
}

/// A policy of one rule file, "t.lua".
inline std::shared_ptr<const policy::Policy> one_rule(const std::string& body, const std::string& keys = {}) {
    return policy_of({{"t.lua", rule_with(body, keys)}});
}

/// The same code without the check of names at load time, for errors while rules run.
inline std::string at_run_time(const std::string& body) {
    return "local job, _ = job, _ENV; " + body;
}

/// The outcome of one rule over a plain job.
inline policy::RuleOutcome outcome_of_rule(const std::string& body, const std::string& keys = {}) {
    return Job().run(*one_rule(body, keys));
}

/// A site.lua with a large bound on time: on a busy machine the default one may be exceeded before the bound
/// under test.
inline const std::string patient_site = "site { rule_time_ms = 75 }";

/// The CPU time of this thread, or of all threads.
inline double cpu_seconds(clockid_t clock = CLOCK_THREAD_CPUTIME_ID) {
    timespec now{};
    clock_gettime(clock, &now);
    return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

struct PatientRun {
    policy::RuleOutcome outcome;
    double seconds = 0; ///< of CPU
};

/// Runs the rules over a copy of a job. Tries again if that exceeded the bound on time: on a very busy
/// machine even the large one may be exceeded first. The result is of the last try.
inline PatientRun run_patiently(const policy::Policy& policy, const Job& job) {
    for (int tries = 1;; ++tries) {
        Job copy = job;
        const double start = cpu_seconds();
        PatientRun run{.outcome = copy.run(policy)};
        run.seconds = cpu_seconds() - start;
        const auto& events = run.outcome.events;
        const bool is_late = !events.empty() && events[0].text.find("ms of CPU time") != std::string::npos;
        if (!is_late || tries == 10) return run;
    }
}

/// The value of an expression inside a rule, as tostring shows it; "error: ..." if it fails.
inline std::string value_of(const std::string& expression, Job job = {}) {
    const auto outcome = job.run(*one_rule(at_run_time("job:warn('%s', tostring(" + expression + "))")));
    if (outcome.rejected) return "error: " + outcome.events.at(0).text;
    return outcome.warnings.at(0);
}

inline bool has_text(const std::string& whole, const std::string& part) {
    return whole.find(part) != std::string::npos;
}

/// The kinds of the outcome's events: "changed warned ".
inline std::string event_kinds(const policy::RuleOutcome& outcome) {
    std::string all;
    for (const policy::RuleEvent& event : outcome.events)
        all += std::string(to_string(event.kind)) + " ";
    return all;
}

/// A directory of the test's own, removed at the end.
class TempDirectory {
  public:
    TempDirectory() {
        std::string name = (fs::temp_directory_path() / "qosgate-policy-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) throw std::runtime_error("mkdtemp");
        path_ = name;
        fs::create_directory(directory());
        chmod(directory().c_str(), 0755);
    }
    TempDirectory(const TempDirectory&) = delete;
    TempDirectory& operator=(const TempDirectory&) = delete;
    ~TempDirectory() { fs::remove_all(path_); }

    [[nodiscard]] fs::path root() const { return path_; }
    [[nodiscard]] fs::path directory() const { return path_ / "qosgate.d"; }

    fs::path write(const std::string& name, const std::string& content) const {
        const fs::path path = directory() / name;
        std::ofstream(path, std::ios::trunc) << content;
        chmod(path.c_str(), 0644);
        return path;
    }
    /// A file of the subdirectory `tests`.
    fs::path write_test(const std::string& name, const std::string& content) const {
        const fs::path tests = directory() / "tests";
        fs::create_directory(tests);
        chmod(tests.c_str(), 0755);
        return write("tests/" + name, content);
    }

  private:
    fs::path path_;
};

} // namespace qg::test
