// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/script_call.hpp"

#include "host/running_release.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/decision_log.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/gate/decide/site.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/slurm/job_desc.hpp"

#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

namespace qg::plugin {
namespace {

using model::Decision;
using model::JobRequest;
using policy::compat::ScriptOutcome;

Decision describe(const ScriptCall& call, const gate::LoggedJob& job) {
    Decision decision;
    for (const policy::RuleEvent& event : call.answer.events)
        gate::log_rule(decision, job, event);
    return decision;
}

gate::Site site_of(const ScriptWorld& world) {
    return {world.now.cluster.get(), /*policy_in_force=*/nullptr, world.quota, running_release()};
}

ScriptCall answered(const policy::Policy& policy, ScriptOutcome outcome,
                    const std::vector<std::string>& changes) {
    ScriptAnswer answer = answer_of_script(*policy.script(), outcome, changes);
    return {std::move(outcome), std::move(answer), {}};
}

} // namespace

std::vector<std::string> ScriptCall::said() const {
    std::vector<std::string> lines;
    if (outcome.message)
        for (const std::string_view line : text::split(*outcome.message, '\n'))
            lines.emplace_back(line);
    return lines;
}

ScriptCall call_script(const policy::Policy& policy, const ScriptWorld& world, const ScriptedRequest& job) {
    policy::compat::SiteScript& script = *policy.script();
    if (script.asks_for_users()) world.users.need();
    ControllerScriptHost host(job.description, job.texts, job.submit_uid, world, script.fields_of_jobs());
    const auto read = [&] { return slurm::read_job_desc(job.description, job.submit_uid); };
    std::optional<JobRequest> before; // empty: the script wrote nothing
    host.set_before_write([&] { before = read(); });
    ScriptOutcome outcome = script.submit(host);
    outcome.is_up_to_sender = host.depends_on_moment();
    if (!before) return answered(policy, std::move(outcome), {});
    const JobRequest after = read();
    ScriptCall call =
        answered(policy, std::move(outcome), policy::describe_changes(*before, after, policy::no_facts()));
    call.writes = script::written_fields(*before, after);
    return call;
}

ScriptCall call_script_at_change(const policy::Policy& policy, const ScriptWorld& world,
                                 const ScriptedRequest& change, const script::ReadRecord& read_job) {
    policy::compat::SiteScript& script = *policy.script();
    if (script.asks_for_users()) world.users.need();
    ControllerScriptHost host(change.description, change.texts, change.submit_uid, world,
                              script.fields_of_jobs());
    bool is_unseen = false;
    host.set_record([&] {
        auto read = read_job();
        is_unseen = is_unseen || !read;
        return read;
    });
    // The job after the change; if it cannot be read, what the change asks for.
    const auto read_after = [&] {
        const auto job = read_job();
        return job ? slurm::read_job_update(**job, change.description, change.submit_uid)
                   : slurm::read_job_desc(change.description, change.submit_uid);
    };
    std::optional<JobRequest> before; // empty: the script wrote nothing
    host.set_before_write([&] { before = read_after(); });
    ScriptOutcome outcome = script.modify(host);
    outcome.is_up_to_sender = is_unseen || host.depends_on_moment();
    outcome.passes_on_failure = is_unseen && world.quota.is_operator(change.submit_uid);
    std::vector<std::string> changes;
    if (before) changes = policy::describe_changes(*before, read_after(), policy::no_facts());
    return answered(policy, std::move(outcome), changes);
}

ScriptCall fail_script(const policy::Policy& policy, std::string why) {
    ScriptOutcome outcome;
    outcome.failure = policy::LuaError{std::move(why), {}, policy::Exhausted::nothing};
    outcome.is_up_to_sender = true;
    return answered(policy, std::move(outcome), {});
}

Decision decision_of_script(const ScriptCall& call, const JobRequest& request, const ScriptWorld& world) {
    const gate::Site site = site_of(world);
    const gate::ResolvedRequest resolved = gate::resolve(request, site.context);
    return describe(call, {request, resolved.view()});
}

Decision decision_of_script(const ScriptCall& call, const model::JobUpdate& change,
                            const ScriptWorld& world) {
    const gate::Site site = site_of(world);
    const gate::ResolvedRequest resolved = gate::resolve(
        change.after, site.context, {.requester = change.after.submit_uid, .names_partitions = false});
    return describe(call, {change.after, resolved.view(), &change});
}

Decision refused_by(const ScriptCall& call, Decision of_script) {
    of_script.reject = model::RejectCode::access_denied;
    of_script.message = call.said();
    of_script.message.insert(of_script.message.end(), call.answer.message.begin(), call.answer.message.end());
    return of_script;
}

ScriptEffect::~ScriptEffect() = default;

model::Decision describe_change(std::span<const policy::RuleEvent> events,
                                std::optional<std::uint32_t> job_id, std::uint32_t submit_uid) {
    model::Decision decision;
    for (const policy::RuleEvent& event : events) {
        const bool is_failure = event.kind == policy::EventKind::error;
        const std::string_view effect = is_failure ? "failed" : to_string(event.kind);
        decision.log.push_back({is_failure ? LogLevel::error : LogLevel::info,
                                text::format("{} change{} by={}: rule '{}' ({}): {}", effect,
                                             job_id ? text::format(" jobid={}", *job_id) : "", submit_uid,
                                             event.rule, event.file, event.text)});
        decision.events.push_back({effect, event.rule, event.file, "", event.text});
    }
    return decision;
}

void prepend_script(model::Decision& decision, model::Decision of_script, std::span<const std::string> said) {
    const auto put = [](auto& to, auto& from) {
        to.insert(to.begin(), std::make_move_iterator(from.begin()), std::make_move_iterator(from.end()));
    };
    put(decision.log, of_script.log);
    put(decision.events, of_script.events);
    if (!decision.names) decision.names = std::move(of_script.names);
    decision.message.insert(decision.message.begin(), said.begin(), said.end());
}

} // namespace qg::plugin
