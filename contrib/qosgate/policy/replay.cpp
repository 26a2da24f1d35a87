// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/replay.hpp"

#include "common/default_release.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/candidate_comparison.hpp"
#include "qosgate/gate/decide/resolve.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/slurmdb/past_jobs.hpp"

#include <algorithm>
#include <iterator>

namespace qg::cli {
namespace {

constexpr std::string_view refused_by_qosgate = "refused";
constexpr std::string_view accepted_by_qosgate = "accepted";

/// What the site's script did to a job is in the request of its record, and is not done again.
bool is_of_script(std::string_view rule) {
    return rule == policy::compat::script_file_name;
}

/// Whether what a rule did makes a difference to the job.
bool is_compared(std::string_view effect) {
    return effect == "changed" || effect == "rejected" || effect == "failed";
}

/// Calls `take(rule, effect, text)` for each event of a record.
template <typename Take>
void for_each_event(const PastRecord& record, Take take) {
    for (const PastRecord::Json& event : record.events) {
        const auto text_of = [&event](const char* name) {
            const auto member = event.find(name);
            return member == event.end() ? std::string_view() : text_in(*member);
        };
        take(text_of("rule"), text_of("effect"), text_of("text"));
    }
}

bool was_refused_by_script(const PastRecord& record) {
    if (record.outcome != refused_by_qosgate) return false;
    bool was_refused = false;
    for_each_event(record, [&](std::string_view rule, std::string_view effect, std::string_view /*text*/) {
        was_refused = was_refused || (is_of_script(rule) && (effect == "rejected" || effect == "failed"));
    });
    return was_refused;
}

ReplayedDecision recorded_decision(const PastRecord& record) {
    ReplayedDecision replayed{.outcome = record.outcome, .events = {}, .values = {}};
    for_each_event(record, [&](std::string_view rule, std::string_view effect, std::string_view text) {
        if (!is_of_script(rule)) replayed.add(rule, effect, text);
    });
    return replayed;
}

ReplayedDecision replayed_decision(const model::Decision& decision) {
    ReplayedDecision replayed{
        .outcome = std::string(gate::describe_decision(decision)), .events = {}, .values = {}};
    replayed.pending_reason = decision.forecast.pending_reason;
    for (const model::DecisionEvent& event : decision.events)
        if (is_compared(event.effect)) // a record has texts like this
            replayed.add(event.rule, event.effect, text::printable(event.text, 1000));
    return replayed;
}

/// The rules that did in one decision what they did not in the other.
std::vector<std::string> differing_rules(const ReplayedDecision& before, const ReplayedDecision& after) {
    const bool one_refuses = (before.outcome == refused_by_qosgate) != (after.outcome == refused_by_qosgate);
    std::vector<ReplayedDecision::Event> differing;
    std::ranges::set_symmetric_difference(before.events, after.events, std::back_inserter(differing));
    std::vector<std::string> rules;
    for (const auto& [rule, effect, text] : differing) {
        if (rule.empty() || (one_refuses && effect == "changed")) continue; // a refused job is not changed
        if (std::ranges::find(rules, rule) == rules.end()) rules.push_back(rule);
    }
    return rules;
}

/// The fields that end up with another value, if both decisions let the job in.
std::vector<std::string> differing_fields(const ReplayedDecision& before, const ReplayedDecision& after) {
    std::vector<std::string> fields;
    if (before.outcome == refused_by_qosgate || after.outcome == refused_by_qosgate) return fields;
    const auto add = [&](const ReplayedDecision& one, const ReplayedDecision& other) {
        for (const auto& [name, value] : one.values) {
            const auto found = other.values.find(name);
            if ((found == other.values.end() || found->second != value) &&
                std::ranges::find(fields, name) == fields.end())
                fields.push_back(name);
        }
    };
    add(before, after);
    add(after, before);
    return fields;
}

} // namespace

void ReplayedDecision::add(std::string_view rule, std::string_view effect, std::string_view text) {
    if (effect == "changed") {
        const std::size_t name = text.find(": ");
        const std::size_t value = text.rfind(" -> ");
        if (outcome == refused_by_qosgate || name == std::string_view::npos ||
            value == std::string_view::npos)
            return;
        values[std::string(text.substr(0, name))] = text.substr(value + 4);
    } else if (!is_compared(effect))
        return;
    events.emplace(rule, effect, text);
}

WorldMembers::WorldMembers(const quota::LocalRecords& records)
    : needs_associations_(records.enforce.associations) {
    bool has_users = false;
    bool all_renamed = true;
    for (const quota::LocalAssociation& association : records.associations) {
        accounts_.insert(text::lower(association.link.account));
        if (association.link.level != model::AssociationLevel::user) continue;
        const std::string& name = association.link.user;
        users_[association.user_id] = name;
        if (association.user_id == 0) continue;
        has_users = true;
        // As 'qosgate capture --anonymous' names them.
        all_renamed = all_renamed && name.starts_with("user") && association.user_id > 100000;
    }
    is_anonymous_ = has_users && all_renamed;
}

std::string_view WorldMembers::why_unknown(const ReplayedJob& job) const {
    if (!needs_associations_) return {};
    const auto user = users_.find(job.request().user_id);
    const bool is_other =
        user != users_.end() && !job.user().empty() && !user->second.empty() && user->second != job.user();
    if (user == users_.end() || is_other)
        return is_anonymous_
                   ? "the world is anonymous ('qosgate capture --anonymous') and has no user of the job"
                   : "the world has no user of the job";
    const auto& account = job.request().account;
    if (account && !account->empty() && !accounts_.contains(text::lower(*account)))
        return is_anonymous_
                   ? "the world is anonymous ('qosgate capture --anonymous') and has no account of the job"
                   : "the world has no account of the job";
    return {};
}

Replay::Replay(const JudgedWorld& world, const policy::Policy& policy, const WorldMembers& members,
               const JudgedWorld* unchanged)
    : world_(world), unchanged_(unchanged), policy_(policy), members_(members), release_(default_release()),
      gate_(*world.accounting, release_, gate::AnswerExtent::verdict),
      sums_(unchanged == nullptr ? SumKind::jobs : SumKind::limits) {
    if (unchanged != nullptr)
        unchanged_gate_.emplace(*unchanged->accounting, release_, gate::AnswerExtent::verdict);
}

void Replay::add(const PastRecord& record) {
    if (const auto done = job_.take(record); !done) return leave_out(done.error().message);
    if (was_refused_by_script(record))
        return leave_out("the script compat/job_submit.lua refused it, and is not run again");
    compare([&] { return recorded_decision(record); });
}

void Replay::add(const slurmdb::PastJob& job) {
    if (const auto done = job_.take(job); !done) return leave_out(done.error().message);
    compare([] {
        return ReplayedDecision{.outcome = std::string(accepted_by_qosgate), .events = {}, .values = {}};
    });
}

/// Notices when somebody asks for groups that are not known.
class Replay::WatchedGroups final : public quota::UserGroups {
  public:
    explicit WatchedGroups(const quota::UserGroups& groups) : groups_(groups) {}

    [[nodiscard]] Result<std::vector<std::string>> groups_of(std::uint32_t user_id) const override {
        auto found = groups_.groups_of(user_id);
        has_missed_ = has_missed_ || !found;
        return found;
    }
    [[nodiscard]] bool has_missed() const noexcept { return has_missed_; }

  private:
    const quota::UserGroups& groups_;
    mutable bool has_missed_ = false;
};

std::optional<model::Decision> Replay::decide(const JudgedWorld& world, const gate::Gate& gate) {
    const std::time_t time = job_.time() == 0 ? world.now : job_.time();
    const WatchedGroups groups(*world.groups);
    const auto known =
        gate::KnownCluster::as_read(world.cluster.get(), {.now = time, .cluster_read_at = time}, &groups);
    std::optional<model::Decision> decision(gate.decide(job_.request(), known, &policy_));
    if (const std::string missed = job_.missed(); !missed.empty()) {
        leave_out(missed);
        return std::nullopt;
    }
    if (groups.has_missed()) {
        leave_out("a rule reads the groups of a user, which are not known");
        return std::nullopt;
    }
    return decision;
}

template <typename MakePast>
void Replay::compare(MakePast past) {
    if (const std::string_view why = members_.why_unknown(job_); !why.empty()) return leave_out(why);
    const auto decision = decide(world_, gate_);
    if (!decision) return;
    ReplayedDecision before;
    if (unchanged_ == nullptr) {
        before = past();
    } else {
        const auto other = decide(*unchanged_, *unchanged_gate_);
        if (!other) return;
        before = replayed_decision(*other);
    }
    ++decided_;
    const ReplayedDecision after = replayed_decision(*decision);
    const bool both_let_it_in = before.outcome == accepted_by_qosgate && after.outcome == accepted_by_qosgate;
    const bool judges_waiting = unchanged_ != nullptr && both_let_it_in;
    const bool waits_now = !after.pending_reason.empty();
    const bool waited = !before.pending_reason.empty();
    Change change;
    change.fields = differing_fields(before, after);
    change.outcome = outcome_change(before.outcome, after.outcome);
    change.waits = judges_waiting && !waited && waits_now;
    change.waits_no_more = judges_waiting && waited && !waits_now;
    if (change.fields.empty() && change.outcome == OutcomeChange::none && !change.waits &&
        !change.waits_no_more)
        return; // the usual case
    change.id = job_.id();
    change.user = job_.user();
    change.uid = job_.request().user_id;
    change.rules = differing_rules(before, after);
    describe_job(change);
    sums_.add(change);
}

void Replay::leave_out(std::string_view why) {
    const auto known = left_out_.find(std::string(why));
    if (known != left_out_.end())
        ++known->second;
    else
        ++left_out_[left_out_.size() < max_reasons ? std::string(why) : "other reasons"];
}

/// Whose job it is, and what it may use at most, as it was submitted.
void Replay::describe_job(Change& change) const {
    const gate::KnownCluster known(world_.cluster.get());
    const gate::ResolvedRequest resolved =
        gate::resolve(job_.request(), {*world_.cluster, *world_.accounting, release_, known});
    if (change.user.empty()) change.user = resolved.view().user_name;
    const auto& time = resolved.job.time_limit;
    if (!time || time->is_unlimited()) return;
    const model::TresCatalogue& tres = *resolved.view().tres;
    const double hours =
        static_cast<double>(time->minutes) / 60 * static_cast<double>(std::max(resolved.job.array_tasks, 1u));
    const auto count_of = [&](std::optional<std::size_t> index) {
        return index ? static_cast<double>(model::count_at(resolved.job.tres, *index)) : 0.0;
    };
    change.cpu_hours = hours * count_of(tres.find(model::TresKind::cpu));
    change.gpu_hours = hours * count_of(tres.gpu());
}

} // namespace qg::cli
