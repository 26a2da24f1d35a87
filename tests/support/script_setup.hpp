// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the tests of scripts for job_submit/lua share: a job, a cluster, and one script.
#pragma once

#include "qosgate/policy/compat/site_script.hpp"
#include "support/policy_setup.hpp"

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qg::test {

using model::ScriptValue;
using policy::ErrorText;
using policy::compat::ScriptHost;
using policy::compat::ScriptJob;
using policy::compat::ScriptOutcome;
using policy::compat::WordList;

/// A job description with a few fields.
class FakeJob final : public ScriptJob {
  public:
    std::map<std::string, std::string, std::less<>> texts{{"comment", "hello"}, {"account", "astro"}};
    std::map<std::string, double, std::less<>> numbers{{"time_limit", 90}, {"min_nodes", 0xfffffffe}};
    std::map<std::string, std::string, std::less<>> variables{{"HOME", "/home/ana"}};
    std::vector<std::string> words{"job.sh", "-x"};

    ScriptValue read(std::string_view field, ErrorText& error) noexcept override {
        if (field == "user_name") error.assign("the name is not known");
        if (const auto text = texts.find(field); text != texts.end())
            return ScriptValue::of_text(std::string_view(text->second));
        const auto number = numbers.find(field);
        return number == numbers.end() ? ScriptValue{} : ScriptValue::of_number(number->second);
    }
    [[nodiscard]] policy::compat::FieldType type_of(std::string_view field) const noexcept override {
        if (field == "qos" || texts.find(field) != texts.end()) return policy::compat::FieldType::text;
        return numbers.find(field) != numbers.end() ? policy::compat::FieldType::number
                                                    : policy::compat::FieldType::unknown;
    }
    void write(std::string_view field, const ScriptValue& value, ErrorText& error) noexcept override {
        if (field == "account") return error.assign("the account cannot be set");
        if (value.kind == ScriptValue::Kind::text)
            texts[std::string(field)] = value.text;
        else
            numbers[std::string(field)] = value.number;
    }
    [[nodiscard]] std::size_t count(WordList list) const noexcept override {
        return list == WordList::argv ? words.size() : 0;
    }
    [[nodiscard]] ScriptValue word(WordList /*list*/, std::size_t index) const noexcept override {
        return ScriptValue::of_text(std::string_view(words[index]));
    }
    [[nodiscard]] bool has_environment() const noexcept override { return !variables.empty(); }
    [[nodiscard]] ScriptValue variable(std::string_view name,
                                       policy::Budget& budget) const noexcept override {
        if (!budget.take(static_cast<std::int64_t>(variables.size()))) return {};
        const auto found = variables.find(name);
        return found == variables.end() ? ScriptValue{}
                                        : ScriptValue::of_text(std::string_view(found->second));
    }
    void set_variable(std::string_view name, std::string_view value, policy::Budget& budget,
                      ErrorText& /*error*/) noexcept override {
        if (!budget.take(static_cast<std::int64_t>(variables.size()))) return;
        variables[std::string(name)] = value;
    }
};

class FakeHost : public ScriptHost {
  public:
    FakeJob fake;
    model::ScriptRecords records{{"name", "max_time"},
                                 {{"main", {ScriptValue::of_text("main"), ScriptValue::of_number(60)}},
                                  {"secret", {ScriptValue::of_text("secret"), ScriptValue::of_number(1)}}}};
    FakeJob before;
    bool is_change = false;
    bool knows_partitions = true;

    [[nodiscard]] ScriptJob& job() override { return fake; }
    [[nodiscard]] Result<ScriptJob*> record() override {
        if (!is_change) return Error{ErrorCode::invalid_input, "a new job has no record"};
        return &before;
    }
    [[nodiscard]] std::uint32_t submit_uid() const override { return 1000; }
    [[nodiscard]] Result<const model::ScriptRecords*> partitions() override {
        if (!knows_partitions) return Error{ErrorCode::unavailable, "the partitions are not known yet"};
        return &records;
    }
    bool knows_groups = true;
    [[nodiscard]] Result<bool> may_use(const model::ScriptRecords& partitions, std::size_t index) override {
        const bool is_secret = partitions.records[index].name == "secret";
        if (is_secret && !knows_groups) return Error{ErrorCode::unavailable, "ana is not known yet"};
        return !is_secret;
    }
    std::vector<model::DirectoryUser> users{
        {"ana", 1000, 50, "x", "Ana B", "/home/ana", "/bin/bash", {{50, "staff"}, {60, "gpu"}}},
        {"joe", 1001, 70, "x", "", "/", "/bin/sh", {{70, ""}}}};
    model::ScriptRecords known_jobs{{"user_id", "job_state"},
                                    {{"7", {ScriptValue::of_number(1000), ScriptValue::of_number(1)}},
                                     {"12", {ScriptValue::of_number(1001), ScriptValue::of_number(0)}}}};
    model::ScriptRecords known_reservations{
        {"start_time"}, {{"maint", {ScriptValue::of_number(5000)}}}, {"duration"}};

    template <typename Is>
    Result<std::shared_ptr<const model::DirectoryUser>> find(Is is) {
        std::shared_ptr<const model::DirectoryUser> found;
        for (const auto& user : users)
            if (is(user)) found = std::make_shared<const model::DirectoryUser>(user);
        return found;
    }
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryUser>>
    find_user(std::string_view name) override {
        if (name == "eve") return Error{ErrorCode::unavailable, "eve is not known yet"};
        return find([&](const auto& user) { return user.name == name; });
    }
    std::uint32_t unknown_id = 0;
    std::string unknown_group;
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryUser>> find_user(std::uint32_t id) override {
        if (id == unknown_id && id != 0) return Error{ErrorCode::unavailable, "it is not known yet"};
        return find([&](const auto& user) { return user.id == id; });
    }
    [[nodiscard]] Result<std::string> find_user_name(std::uint32_t id) override {
        const auto user = find_user(id);
        return *user ? (*user)->name : std::string();
    }
    [[nodiscard]] Result<std::shared_ptr<const model::DirectoryGroup>>
    find_group(std::string_view name) override {
        if (name == unknown_group) return Error{ErrorCode::unavailable, "it is not known yet"};
        if (name != "gpu") return std::shared_ptr<const model::DirectoryGroup>();
        return std::make_shared<const model::DirectoryGroup>(
            model::DirectoryGroup{"gpu", 60, "x", {"ana", "joe"}});
    }
    [[nodiscard]] Result<const model::ScriptRecords*> jobs() override { return &known_jobs; }
    [[nodiscard]] Result<const model::ScriptRecords*> reservations() override { return &known_reservations; }
    [[nodiscard]] Result<std::optional<double>> qos_priority(std::string_view name) override {
        return name == "high" ? std::optional(70.0) : std::nullopt;
    }
};

inline const std::string script_name = "compat/job_submit.lua";

/// A script whose slurm_job_submit has this body.
inline std::string script_with(const std::string& body, const std::string& before = {}) {
    return before + "function slurm_job_submit(job_desc, part_list, submit_uid)\n" + body +
           "\nreturn slurm.SUCCESS\nend\n";
}

/// The script of a policy, and one job.
struct ScriptSetup {
    FakeHost host;
    std::shared_ptr<const policy::Policy> policy;

    explicit ScriptSetup(const Texts& files) : policy(policy_of(files)) {}

    ScriptOutcome run() { return policy->script()->submit(host); }
    /// What the script tells the user; its error if it fails.
    std::string told() {
        const ScriptOutcome outcome = run();
        if (outcome.failure) return outcome.failure->message;
        return outcome.message.value_or("");
    }
};

} // namespace qg::test
