// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_rules.hpp"

#include "qosgate/policy/objects/fields.hpp"

#include <climits>
#include <cstdlib>

#include <pwd.h>
#include <unistd.h>

namespace qg::plugin {
namespace {

using policy::OptionForm;
using policy::OptionValue;

std::string current_directory() {
    char path[PATH_MAX];
    return getcwd(path, sizeof path) == nullptr ? std::string() : std::string(path);
}

/// The user of this client, who sends the job.
class ThisUser final : public policy::SenderRights {
  public:
    ThisUser(const model::JobRequest& sender, ClientWorld& world, ClientOptions& options,
             const ClientCommand& command) noexcept
        : sender_(sender), world_(world), options_(options), command_(command) {}

  private:
    bool ask_if_operator() override {
        const auto& read =
            world_.read(slurm::WorldNames::read, make_request(options_, command_).value_or(sender_));
        return read && (*read)->accounting.is_operator(sender_.submit_uid);
    }

    const model::JobRequest& sender_; ///< all that is known if the options cannot be read
    ClientWorld& world_;
    ClientOptions& options_;
    const ClientCommand& command_;
};

} // namespace

ThisClient::ThisClient(ClientOptions& options, const ClientCommand& command)
    : options_(options), command_(command), work_dir_(current_directory()), forms_(options.forms()) {}

bool ThisClient::is_interactive() const {
    return isatty(STDIN_FILENO) == 1;
}

std::optional<std::string_view> ThisClient::variable(std::string_view name) const {
    const char* value = std::getenv(std::string(name).c_str());
    if (value == nullptr) return std::nullopt;
    return value;
}

OptionForm ThisClient::form_of(const std::string& option) const {
    const auto found = forms_.find(option);
    return found == forms_.end() ? OptionForm::unknown : found->second;
}

std::vector<std::string> ThisClient::option_names() const {
    std::vector<std::string> names;
    for (const auto& [name, form] : forms_)
        names.push_back(name);
    return names;
}

OptionValue ThisClient::get(const std::string& option) const {
    if (!options_.is_set(option.c_str())) return {};
    if (form_of(option) == OptionForm::alone) return {.is_set = true};
    return {true, options_.get(option.c_str())};
}

bool ThisClient::takes(const policy::OptionChange& change) {
    return options_.takes(change);
}

void ThisClient::set(const policy::OptionChange& change) {
    options_.set(change);
}

policy::RuleOutcome run_client_rules(const policy::Policy& policy, ClientWorld& world, ClientOptions& options,
                                     const ClientCommand& command) {
    if (!policy.has_rules_at(policy::JobEvent::client)) return {};
    ThisClient client(options, command);
    ClientView view(world, options, command);
    view.client = &client;
    model::JobRequest sender;
    sender.user_id = sender.submit_uid = getuid();
    const passwd* user = getpwuid(getuid());
    const std::string name = user == nullptr ? "" : user->pw_name;
    policy::RuleInput facts = policy::no_facts();
    facts.user_name = name;
    facts.view = &view;
    facts.client = &client;
    ThisUser user_rights(sender, world, options, command);
    facts.sender = &user_rights;
    return policy.run_in_client(sender, facts);
}

} // namespace qg::plugin
