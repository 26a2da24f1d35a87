// SPDX-License-Identifier: GPL-2.0-or-later
//
// client_rules: runs the site's rules for clients over the options of a job that is not sent yet.
#pragma once

#include "client/client_world.hpp"
#include "qosgate/policy/client_host.hpp"
#include "qosgate/policy/policy.hpp"

#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// The client that this process is a copy of. Ownership: borrows.
class ThisClient final : public policy::ClientHost {
  public:
    ThisClient(ClientOptions& options, const ClientCommand& command);

    [[nodiscard]] std::string_view command() const override { return command_.name; }
    [[nodiscard]] bool is_interactive() const override;
    [[nodiscard]] std::string_view work_dir() const override { return work_dir_; }
    [[nodiscard]] std::optional<std::string_view> variable(std::string_view name) const override;
    [[nodiscard]] policy::OptionForm form_of(const std::string& option) const override;
    [[nodiscard]] std::vector<std::string> option_names() const override;
    [[nodiscard]] policy::OptionValue get(const std::string& option) const override;
    [[nodiscard]] bool takes(const policy::OptionChange& change) override;
    void set(const policy::OptionChange& change) override;

  private:
    ClientOptions& options_;
    const ClientCommand& command_;
    std::string work_dir_;
    OptionForms forms_;
};

/// Runs them; the options have what they set afterwards. Cost: that of the rules; RPCs if one reads what
/// slurmctld knows, or if one exempts operators.
policy::RuleOutcome run_client_rules(const policy::Policy& policy, ClientWorld& world, ClientOptions& options,
                                     const ClientCommand& command);

} // namespace qg::plugin
