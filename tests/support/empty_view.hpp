// SPDX-License-Identifier: GPL-2.0-or-later
//
// EmptyView: what rules read as `view` if nothing can be told.
#pragma once

#include "qosgate/policy/objects/rule_view.hpp"

#include <cstdint>
#include <ctime>
#include <span>
#include <string>
#include <string_view>

namespace qg::test {

/// Every question is an error.
class EmptyView final : public policy::RuleView {
  public:
    [[nodiscard]] Result<std::time_t> now() override { return none(); }
    [[nodiscard]] Result<const std::tm*> local_time() override { return none(); }
    [[nodiscard]] Result<const policy::ClusterFacts*> cluster() override { return none(); }
    [[nodiscard]] Result<const quota::UserRecord*> user(policy::WhichUser /*which*/) override {
        return none();
    }
    [[nodiscard]] Result<std::span<const std::string>> groups(std::uint32_t /*user*/) override {
        return none();
    }
    [[nodiscard]] Result<const model::Partition*> partition(std::string_view /*name*/) override {
        return none();
    }
    [[nodiscard]] Result<const model::Reservation*> reservation(std::string_view /*name*/) override {
        return none();
    }
    [[nodiscard]] Result<policy::QosFacts*> qos(std::string_view /*name*/) override { return none(); }
    [[nodiscard]] Result<const model::Qos*> with_usage(policy::QosFacts& /*qos*/) override { return none(); }
    [[nodiscard]] Result<std::span<const std::string>> allowed_qos() override { return none(); }
    [[nodiscard]] Result<std::span<const std::string>> accounts() override { return none(); }
    [[nodiscard]] Result<std::span<const model::Association>> associations() override { return none(); }
    [[nodiscard]] Result<std::uint64_t> count_jobs(const policy::JobFilter& /*filter*/) override {
        return none();
    }
    [[nodiscard]] Result<std::string_view> why_not(const model::JobRequest& /*job*/,
                                                   policy::QosFacts& /*qos*/) override {
        return none();
    }

  private:
    static Error none() { return {ErrorCode::unavailable, "slurmctld is away"}; }
};

} // namespace qg::test
