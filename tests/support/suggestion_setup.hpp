// SPDX-License-Identifier: GPL-2.0-or-later
//
// SuggestionSetup: what the gate suggests, for tests of suggestions.
#pragma once

#include "support/gate_setup.hpp"

#include "qosgate/gate/answer/answer.hpp"

namespace qg::test {

/// QOS normal, the only one that ana may use, refuses (DenyOnLimit).
struct SuggestionSetup : GateSetup {
    policy::Settings settings;

    SuggestionSetup() {
        qos(0).flags.deny_on_limit = true;
        records.associations[0].permitted_qos = {{"normal"}};
    }

    /// What the user reads.
    std::string suggestion() const {
        const quota::LocalQuota provider(records);
        const auto c = cluster();
        const auto asked = gate::resolve(request, {c, provider, release});
        const auto forecast = gate::predict(asked, limits::Strictness::as_configured);
        return text::join(gate::suggestion_lines(forecast, asked, /*rules=*/nullptr, settings), "; ");
    }

    /// The options in it.
    std::string nearest() const {
        const std::string line = suggestion();
        for (const std::string_view head :
             {"would be accepted with: ", "would be accepted, and wait for other jobs, with: ",
              "could start with: ", "could start, when other jobs end, with: "}) {
            const auto at = line.find(head); // behind what a refusal hides
            if (at == 0 || (at != line.npos && line.starts_with("beside that")))
                return line.substr(at + head.size());
        }
        return line.empty() ? "none" : line;
    }

    /// As the clients send -n, -N and -c.
    void ask(std::optional<std::uint32_t> tasks, std::optional<std::uint32_t> nodes,
             std::optional<std::uint32_t> cpus_per_task = std::nullopt) {
        request.tasks = tasks;
        request.min_nodes = request.max_nodes = nodes;
        request.cpus_per_task = request.min_cpus_per_node = cpus_per_task;
        request.min_cpus = tasks.value_or(nodes.value_or(1)) * cpus_per_task.value_or(1);
    }

    /// As the clients send one option for GPUs: no other option asks for any.
    void ask_gpus(std::optional<std::string> model::JobRequest::*option, const char* text) {
        for (const auto other : {&model::JobRequest::tres_per_job, &model::JobRequest::tres_per_node,
                                 &model::JobRequest::tres_per_socket, &model::JobRequest::tres_per_task})
            (request.*other).reset();
        request.*option = text;
    }

    /// Two hours, where QOS normal allows one.
    void ask_too_long() {
        qos(0).limits.set(model::CountLimit::max_wall, 60);
        request.time_limit = TimeLimit{120};
    }
};

} // namespace qg::test
