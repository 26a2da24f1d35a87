// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/test/test_client.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/objects/client_binding.hpp"

#include <algorithm>

namespace qg::policy {
namespace {

Error wrong_value(const TestEntry& entry, std::string_view allowed) {
    return {ErrorCode::invalid_input,
            text::format("client.{} cannot be {}: write {}", entry.name, describe(entry.value()), allowed)};
}

} // namespace

Result<std::unique_ptr<TestClient>> TestClient::from(const PolicyTest& test) {
    std::unique_ptr<TestClient> client;
    if (!test.is_client) return client;
    client = std::make_unique<TestClient>();
    for (const TestEntry& entry : test.entries) {
        if (entry.section == "job" || entry.section == "before" || entry.section == "expect.job")
            return Error{ErrorCode::invalid_input,
                         text::format("a test with client has options and no job: {}.{} is not for it",
                                      entry.section, text::printable(entry.name, 60))};
        if (const auto done = client->take(entry); !done) return done.error();
    }
    return client;
}

Result<void> TestClient::take(const TestEntry& entry) {
    if (entry.section == "client.options") {
        auto change = to_option_change(*this, entry.name, entry.value());
        if (!change) return Error{ErrorCode::invalid_input, "client." + change.error().message};
        set(*change);
    } else if (entry.section == "client.env") {
        if (!entry.is_text()) return wrong_value(entry, "a text");
        variables_[entry.name] = entry.text;
    } else if (entry.section == "client") {
        const std::vector<std::string> names{"command", "interactive", "work_dir", "options", "env"};
        constexpr std::string_view commands[] = {"sbatch", "salloc", "srun", "scrontab"};
        if (entry.name == "command") {
            if (!entry.is_text() || std::ranges::find(commands, entry.text) == std::end(commands))
                return wrong_value(entry, "\"sbatch\", \"salloc\", \"srun\" or \"scrontab\"");
            command_ = entry.text;
        } else if (entry.name == "interactive") {
            if (entry.kind != Value::Kind::flag) return wrong_value(entry, "true or false");
            is_interactive_ = entry.integer != 0;
        } else if (entry.name == "work_dir") {
            if (!entry.is_text()) return wrong_value(entry, "a text");
            work_dir_ = entry.text;
        } else if (std::ranges::find(names, entry.name) != names.end()) {
            return wrong_value(entry, "a table");
        } else {
            return Error{ErrorCode::invalid_input,
                         text::format("client: unknown key '{}'{}{}", text::printable(entry.name, 60),
                                      text::did_you_mean(entry.name, names), list_of_names(names))};
        }
    }
    return {};
}

std::optional<std::string_view> TestClient::variable(std::string_view name) const {
    const auto found = variables_.find(name);
    if (found == variables_.end()) return std::nullopt;
    return found->second;
}

OptionForm TestClient::form_of(const std::string& option) const {
    const auto is_allowed = [](char c) { return text::is_lower_letter(c) || text::is_digit(c) || c == '-'; };
    return !option.empty() && std::ranges::all_of(option, is_allowed) ? OptionForm::value_possible
                                                                      : OptionForm::unknown;
}

OptionValue TestClient::get(const std::string& option) const {
    const auto found = options_.find(option);
    return found == options_.end() ? OptionValue{} : found->second;
}

bool TestClient::takes(const OptionChange& /*change*/) {
    return true;
}

void TestClient::set(const OptionChange& change) {
    options_[change.name] = change.value;
}

} // namespace qg::policy
