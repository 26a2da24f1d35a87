// SPDX-License-Identifier: GPL-2.0-or-later
//
// SmallView: what rules read as `view` in tests that are not about its values: each object is there.
#pragma once

#include "qosgate/policy/objects/rule_view.hpp"
#include "support/policy_setup.hpp"

#include <algorithm>
#include <map>
#include <string>

namespace qg::test {

/// QOS normal and high, partition cpu, reservation maint, ana in account physics and in group staff, and it
/// is the beginning of 1970. The catalogue is that of Job.
class SmallView final : public policy::RuleView {
  public:
    SmallView() {
        for (const char* name : {"high", "normal"})
            add_qos(name);
        partition_.name = "cpu";
        facts_.cluster = &cluster_;
        facts_.default_partition = "cpu";
        facts_.partitions = {"cpu"};
        association_.account = "physics";
        association_.user = "ana";
        association_.limits = model::Limits(catalogue_.size());
        maintenance_.name = "maint";
        maintenance_.start_time = 100;
        catalogue = &catalogue_;
    }

    [[nodiscard]] Result<std::time_t> now() override { return 0; }
    [[nodiscard]] Result<const std::tm*> local_time() override { return &time_; }
    [[nodiscard]] Result<const policy::ClusterFacts*> cluster() override { return &facts_; }
    [[nodiscard]] Result<const quota::UserRecord*> user(policy::WhichUser /*which*/) override {
        return &user_;
    }
    [[nodiscard]] Result<std::span<const std::string>> groups(std::uint32_t /*user*/) override {
        return std::span<const std::string>(groups_);
    }
    [[nodiscard]] Result<const model::Partition*> partition(std::string_view name) override {
        return name == partition_.name ? &partition_ : nullptr;
    }
    [[nodiscard]] Result<const model::Reservation*> reservation(std::string_view name) override {
        return name == maintenance_.name ? &maintenance_ : nullptr;
    }
    [[nodiscard]] Result<policy::QosFacts*> qos(std::string_view name) override {
        const auto found = qos_.find(name);
        return found == qos_.end() ? nullptr : &found->second;
    }
    [[nodiscard]] Result<const model::Qos*> with_usage(policy::QosFacts& qos) override { return &qos.qos; }
    [[nodiscard]] Result<std::span<const std::string>> allowed_qos() override {
        return std::span<const std::string>(allowed_);
    }
    [[nodiscard]] Result<std::span<const std::string>> accounts() override {
        return std::span<const std::string>(accounts_);
    }
    [[nodiscard]] Result<std::span<const model::Association>> associations() override {
        return std::span<const model::Association>(&association_, 1);
    }
    [[nodiscard]] Result<std::uint64_t> count_jobs(const policy::JobFilter& filter) override {
        return filter.user.size();
    }
    [[nodiscard]] Result<std::string_view> why_not(const model::JobRequest& /*job*/,
                                                   policy::QosFacts& /*qos*/) override {
        return std::string_view();
    }

    /// What the view shows of a QOS that it has, for tests that change it.
    [[nodiscard]] policy::QosFacts& facts_of(std::string_view name) { return qos_.find(name)->second; }
    [[nodiscard]] std::tm& time() noexcept { return time_; }
    [[nodiscard]] std::vector<std::string>& groups_of_user() noexcept { return groups_; }
    [[nodiscard]] model::Association& own_association() noexcept { return association_; }
    void add_qos(const char* name) {
        policy::QosFacts& facts = qos_[name];
        facts.qos.name = name;
        facts.qos.limits = model::Limits(catalogue_.size());
        facts.has_all_usage = true;
    }

  private:
    const model::TresCatalogue catalogue_{{"cpu", "mem", "energy", "node", "billing", "gres/gpu"}};
    std::map<std::string, policy::QosFacts, std::less<>> qos_;
    model::Partition partition_;
    model::Reservation maintenance_;
    model::Cluster cluster_;
    policy::ClusterFacts facts_;
    model::Association association_;
    quota::UserRecord user_{.id = 1000, .name = "ana", .default_account = "physics"};
    std::vector<std::string> groups_{"staff"}, allowed_{"high", "normal"}, accounts_{"physics"};
    std::tm time_ = [] {
        std::tm time{};
        time.tm_mday = 1;
        time.tm_year = 70;
        return time;
    }();
};

/// Runs the rules over a copy of the job.
inline policy::RuleOutcome run_with_view(const policy::Policy& policy, const Job& job) {
    SmallView view;
    Job seeing = job;
    seeing.view = &view;
    return policy.run(seeing.request, seeing.facts());
}

/// The same as run_patiently.
inline PatientRun run_patiently_with_view(const policy::Policy& policy, const Job& job) {
    for (int tries = 1;; ++tries) {
        const double start = cpu_seconds();
        PatientRun run{.outcome = run_with_view(policy, job)};
        run.seconds = cpu_seconds() - start;
        const auto& events = run.outcome.events;
        const bool is_late = !events.empty() && has_text(events[0].text, "ms of CPU time");
        if (!is_late || tries == 10) return run;
    }
}

/// A rule file whose functions have this body, with `keys` before it.
inline std::string viewing_rule(const std::string& body, const std::string& keys = {}) {
    return "rule { " + keys + " submit = function(job, view)\n" + body + "\nend }";
}

} // namespace qg::test
