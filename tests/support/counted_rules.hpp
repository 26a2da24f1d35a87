// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules: one Lua state with rules, which tells how often they run.
#pragma once

#include "qosgate/policy/run/rule_calls.hpp"
#include "support/policy_setup.hpp"

#include <cstdint>
#include <memory>
#include <string>

namespace qg::test {

/// One Lua state with rules, which tells how often they run.
class Rules {
  public:
    explicit Rules(const Texts& files) {
        auto directory = std::make_shared<SourceDirectory>(SourceDirectory{true, {}});
        for (const auto& [name, content] : files)
            directory->files.push_back({name, content});
        sources_ = make_state_sources(directory).value();
        sources_.keeps_state = find_rules_with_state(sources_);
        compiled_ = compile_rules(sources_, Settings{}).value();
    }
    explicit Rules(const std::string& body, const std::string& before = {})
        : Rules(Texts{{"t.lua", before + "\n" + rule_with(body)}}) {}

    /// How many rules run for a job, up to the first that acts.
    std::uint64_t runs_for(const Job& job, JobEvent event = JobEvent::submit) {
        const std::uint64_t before = compiled_.state->runs;
        compiled_.state->budget().start_job();
        const RuleInput facts = job.facts();
        RuleRun run(job.request, std::shared_ptr<const RuleInput>(std::shared_ptr<void>(), &facts), facts,
                    event);
        for (std::size_t next = 0; next < compiled_.rules.size();) {
            const CalledRules called =
                call_rules(compiled_, compiled_.rules, {event, job.request, facts}, next, run);
            next = called.has_acted ? compiled_.rules.size() : called.next;
        }
        return compiled_.state->runs - before;
    }

  private:
    StateSources sources_;
    CompiledRules compiled_;
};

} // namespace qg::test
