// SPDX-License-Identifier: GPL-2.0-or-later
//
// TestClient: the client of a test, made from its table `client`.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/policy_tests.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// It has every option, with or without a value, and takes every value: which ones a client has depends on
/// the release of Slurm.
class TestClient final : public ClientHost {
  public:
    /// Null if the test has no client. Errors: invalid_input for a name that does not exist, for a value that
    /// it cannot have, and for a test that has a job, too.
    static Result<std::unique_ptr<TestClient>> from(const PolicyTest& test);

    [[nodiscard]] std::string_view command() const override { return command_; }
    [[nodiscard]] bool is_interactive() const override { return is_interactive_; }
    [[nodiscard]] std::string_view work_dir() const override { return work_dir_; }
    [[nodiscard]] std::optional<std::string_view> variable(std::string_view name) const override;
    [[nodiscard]] OptionForm form_of(const std::string& option) const override;
    [[nodiscard]] std::vector<std::string> option_names() const override { return {}; }
    [[nodiscard]] OptionValue get(const std::string& option) const override;
    [[nodiscard]] bool takes(const OptionChange& change) override;
    void set(const OptionChange& change) override;

  private:
    Result<void> take(const TestEntry& entry);

    std::string command_ = "sbatch";
    bool is_interactive_ = false;
    std::string work_dir_;
    std::map<std::string, std::string, std::less<>> variables_;
    std::map<std::string, OptionValue> options_;
};

} // namespace qg::policy
