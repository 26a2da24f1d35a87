// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/tried_script.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/quota/user_directory.hpp"
#include "qosgate/script/records_host.hpp"
#include "qosgate/script/script_answer.hpp"
#include "qosgate/slurm/reject_codes.hpp"
#include "qosgate/slurm/script_jobs.hpp"

#include <nlohmann/json.hpp>

#include <memory>
#include <optional>
#include <utility>

#include <unistd.h>

namespace qg::cli {
namespace {

using model::DirectoryGroup;
using model::DirectoryUser;
using nlohmann::ordered_json;

constexpr std::size_t max_script_words = 4000;

/// The directory service of this host, slurmctld's jobs at the moment when they are read, and the records of
/// a world. It notes what it could not tell.
class TriedHost final : public script::RecordsScriptHost {
  public:
    /// `why_hidden`: why nobody here can tell what slurmctld would show the script; empty: it can be asked.
    TriedHost(slurm::JobDescCopy& job, std::uint32_t sender, const JudgedWorld& world,
              const policy::compat::SiteScript& script, std::string why_hidden)
        : RecordsScriptHost(job.description(), sender, job, *world.accounting,
                            why_hidden.empty() ? world.cluster.get() : nullptr),
          script_(script), why_hidden_(std::move(why_hidden)) {}

    [[nodiscard]] Result<std::shared_ptr<const DirectoryUser>> find_user(std::string_view name) override {
        auto found = directory_.find_user(std::string(name));
        if (!found) return absent_or_unknown<DirectoryUser>(found.error());
        if (!*found) return std::shared_ptr<const DirectoryUser>();
        for (model::GroupName& group : (*found)->groups) {
            const auto record = directory_.find_group(group.id);
            if (!record && record.error().code != ErrorCode::not_found) return note(record.error());
            if (record && *record) group.name = (*record)->name;
        }
        return std::make_shared<const DirectoryUser>(**std::move(found));
    }
    [[nodiscard]] Result<std::shared_ptr<const DirectoryUser>> find_user(std::uint32_t id) override {
        const auto name = directory_.find_user_name(id);
        if (!name) return absent_or_unknown<DirectoryUser>(name.error());
        if (!*name) return std::shared_ptr<const DirectoryUser>();
        return find_user(std::string_view(**name));
    }
    [[nodiscard]] Result<std::string> find_user_name(std::uint32_t id) override {
        const auto user = find_user(id);
        if (!user) return user.error();
        return *user ? (*user)->name : std::string();
    }
    [[nodiscard]] Result<std::shared_ptr<const DirectoryGroup>> find_group(std::string_view name) override {
        auto found = directory_.find_group(std::string(name));
        if (!found) return absent_or_unknown<DirectoryGroup>(found.error());
        if (!*found) return std::shared_ptr<const DirectoryGroup>();
        return std::make_shared<const DirectoryGroup>(**std::move(found));
    }

    /// What the script read and nobody could tell; empty: all was told.
    [[nodiscard]] const std::string& unknown() const noexcept { return unknown_; }

  private:
    [[nodiscard]] Result<SharedRecords> read_jobs() override {
        const auto& names = script_.fields_of_jobs();
        if (names == nullptr || !why_hidden_.empty()) return hidden("jobs");
        std::time_t newer_than = 0;
        auto read = slurm::load_script_jobs(*names, newer_than);
        if (!read) return note(read.error());
        return std::make_shared<const model::ScriptRecords>(*std::move(*read));
    }
    [[nodiscard]] Error cluster_not_known(std::string_view what) const override { return hidden(what); }
    [[nodiscard]] Error hidden(std::string_view what) const {
        return note({ErrorCode::unavailable,
                     text::format("the {}, as scripts see them, are not known here: {}", what, why_hidden_)});
    }
    /// Some services say "not found" of what does not exist.
    template <typename Record>
    Result<std::shared_ptr<const Record>> absent_or_unknown(const Error& error) const {
        if (error.code == ErrorCode::not_found) return std::shared_ptr<const Record>();
        return note(error);
    }
    Error note(Error error) const {
        if (unknown_.empty()) unknown_ = error.message;
        return error;
    }

    const policy::compat::SiteScript& script_;
    const std::string why_hidden_;
    quota::SystemDirectory directory_;
    mutable std::string unknown_;
};

std::vector<std::string> message_lines(const std::string& message) {
    const auto lines = text::split(message, '\n', /*keep_empty=*/true);
    return {lines.begin(), lines.end()};
}

} // namespace

std::string find_why_hidden(const JudgedWorld& world) {
    if (!world.is_live) return "the file of 'qosgate capture' does not have them";
    if (world.accounting->is_operator(geteuid())) return "";
    const auto hides = slurm::hides_records_of_scripts();
    if (!hides) return hides.error().message;
    return *hides ? "PrivateData hides some from you" : "";
}

TriedScript try_script(policy::compat::SiteScript& script, slurm::JobDescCopy& job, std::uint32_t sender,
                       const JudgedWorld& world, const std::string& why_hidden) {
    const std::string packed = job.pack();
    const auto restore = [&] {
        std::string_view bytes = packed;
        if (auto before = slurm::JobDescCopy::unpack(bytes)) job = *std::move(before);
    };
    TriedScript tried;
    const model::JobRequest before = job.request(sender);
    const auto begin = std::chrono::steady_clock::now();
    TriedHost host(job, sender, world, script, why_hidden);
    const policy::compat::ScriptOutcome outcome = script.submit(host);
    tried.took = std::chrono::steady_clock::now() - begin;
    if (!host.unknown().empty()) {
        tried.why_not_run = host.unknown();
        restore();
        return tried;
    }
    const model::JobRequest after = job.request(sender);
    const auto answer = script::answer_of_script(script, outcome,
                                                 policy::describe_changes(before, after, policy::no_facts()));
    tried.events = answer.events;
    tried.writes = script::written_fields(before, after);
    if (outcome.message) tried.said = message_lines(*outcome.message);
    tried.said.insert(tried.said.end(), answer.message.begin(), answer.message.end());
    for (const auto& line : outcome.lines)
        tried.logged.push_back(line.text);
    tried.is_refused = answer.code != 0;
    if (tried.is_refused) {
        tried.error = slurm::describe_slurm_error(answer.code);
        restore();
    }
    return tried;
}

void print(const TriedScript& script, std::ostream& out) {
    out << text::format("\nScript {}", policy::compat::script_file_name);
    if (!script.why_not_run.empty()) {
        out << text::format(":\n  not run here, and it may refuse or change the job: {}\n",
                            text::printable(script.why_not_run, max_script_words));
        return;
    }
    out << text::format(": {} us\n", (script.took.count() + 999) / 1000);
    for (const policy::RuleEvent& event : script.events) {
        out << text::format("  {}: {}\n", policy::to_string(event.kind),
                            text::printable(event.text, max_script_words));
        if (!event.detail.empty()) out << "    " << text::printable(event.detail, max_script_words) << '\n';
    }
    for (const std::string& line : script.logged)
        out << "  logged: " << text::printable(line, max_script_words) << '\n';
    if (script.events.empty() && script.logged.empty()) out << "  did nothing\n";
}

ordered_json to_json(const TriedScript& script) {
    ordered_json events = ordered_json::array();
    for (const policy::RuleEvent& event : script.events)
        events.push_back(
            {{"kind", policy::to_string(event.kind)}, {"text", event.text}, {"detail", event.detail}});
    const bool has_run = script.why_not_run.empty();
    return {{"not_run", has_run ? ordered_json() : ordered_json(script.why_not_run)},
            {"refused", script.is_refused},
            {"said", script.said},
            {"logged", script.logged},
            {"microseconds", has_run ? ordered_json((script.took.count() + 999) / 1000) : ordered_json()},
            {"events", events}};
}

} // namespace qg::cli
