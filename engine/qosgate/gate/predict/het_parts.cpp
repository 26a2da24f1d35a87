// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/het_parts.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/schedule.hpp"
#include "qosgate/limits/submit.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <variant>

namespace qg::gate {
namespace {

constexpr std::size_t max_parts = 16;
/// The maximum of lines about limits that keep one job pending. Lines about those that refuse it still fit.
constexpr std::size_t max_lasting_lines = max_problem_lines;
constexpr std::size_t max_lines = 2 * max_problem_lines;

/// Whether the limit counts the sum over running parts. Nodes are left out: parts may share them,
/// and a shared node counts once.
bool counts_parts_together(const limits::Violation& violation, const model::AccountView& view) {
    const model::LimitFacts& facts = model::facts_of(violation.limit);
    return facts.measure == model::LimitMeasure::tres && facts.sense == model::LimitSense::maximum &&
           facts.counts_others() && violation.relation == limits::Relation::asked_too_much &&
           violation.tres != view.tres->node();
}

bool share_association(const model::AccountView& a, const model::AccountView& b) {
    return !a.associations.empty() && !b.associations.empty() && a.account == b.account &&
           a.associations.front().partition == b.associations.front().partition;
}

bool is_same_owner(const model::AccountView& a, limits::Owner of_a, const model::AccountView& b,
                   limits::Owner of_b) {
    if (of_a.kind != of_b.kind) return false;
    if (of_a.kind == limits::OwnerKind::qos) return a.qos[of_a.index].id == b.qos[of_b.index].id;
    const model::Association &link = a.associations[of_a.index], &other = b.associations[of_b.index];
    return link.account == other.account && link.user == other.user && link.partition == other.partition;
}

/// Whether it is one limit, seen in two views.
bool is_same_limit(const model::AccountView& a, const limits::Violation& of_a, const model::AccountView& b,
                   const limits::Violation& of_b) {
    return of_a.limit == of_b.limit && of_a.tres == of_b.tres && is_same_owner(a, of_a.owner, b, of_b.owner);
}

/// The QOSs that a job certainly runs under, as indices into its view.
std::vector<std::size_t> certain_qos(const model::AccountView& view) {
    std::vector<std::size_t> indices;
    if (view.job_qos.qos && view.job_qos.alternatives.empty()) indices.push_back(*view.job_qos.qos);
    if (view.partitions.empty() || !view.partitions.front().qos) return indices;
    const auto first = view.partitions.front().qos;
    if (std::ranges::all_of(view.partitions, [&](const auto& choice) { return choice.qos == first; }))
        indices.push_back(*first);
    return indices;
}

/// Whether usage of a job counts for an owner in another job's view.
bool counts_for(const model::AccountView& job, const model::AccountView& view, limits::Owner owner) {
    const auto is_owner = [&](limits::OwnerKind kind, std::size_t index) {
        return is_same_owner(job, {kind, index}, view, owner);
    };
    for (const std::size_t qos : certain_qos(job))
        if (is_owner(limits::OwnerKind::qos, qos)) return true;
    for (std::size_t link = 0; link < job.associations.size(); ++link)
        if (is_owner(limits::OwnerKind::association, link)) return true;
    return false;
}

bool is_per_account(const limits::Violation& violation) {
    return model::facts_of(violation.limit).scope == model::LimitScope::account;
}

bool is_of_submitted_jobs(const limits::Violation& violation) {
    return model::facts_of(violation.limit).measure == model::LimitMeasure::submitted_jobs;
}

bool is_of_running_jobs(const limits::Violation& violation) {
    return model::facts_of(violation.limit).measure == model::LimitMeasure::running_jobs;
}

/// Counts a job as a running one.
void run(model::Usage& usage, const model::ResolvedJob& job) {
    ++usage.jobs;
    usage.tres.resize(std::max(usage.tres.size(), job.tres.size()));
    for (std::size_t tres = 0; tres < job.tres.size(); ++tres)
        usage.tres[tres] += job.tres[tres];
}

/// What the members ask for together, in the form of one of them.
template <typename Parts>
model::ResolvedJob sum_of(const Parts& members, const model::ResolvedJob& one) {
    model::ResolvedJob sum = one;
    for (const auto* member : members) {
        const model::ResolvedJob& other = member->job;
        if (&other == &one) continue;
        sum.array_tasks += other.array_tasks;
        for (std::size_t tres = 0; tres < sum.tres.size(); ++tres)
            sum.tres[tres] += model::count_at(other.tres, tres);
        sum.hidden_tres.resize(std::max(sum.hidden_tres.size(), other.hidden_tres.size()));
        for (std::size_t tres = 0; tres < other.hidden_tres.size(); ++tres)
            if (other.hidden_tres[tres]) sum.hidden_tres[tres] = true;
    }
    return sum;
}

/// "parts 0 and 1"
template <typename Parts>
std::string name_parts(const Parts& members) {
    std::vector<std::string> numbers;
    for (const auto* member : members)
        numbers.push_back(std::to_string(member->number));
    if (numbers.size() == 1) return "part " + numbers.front();
    const std::string last = numbers.back();
    numbers.pop_back();
    return text::format("parts {} and {}", text::join(numbers, ", "), last);
}

/// The limits that a job exceeds regardless of other jobs, all limits being strict.
std::vector<limits::Violation> find_exceeded(const model::AccountView& view, const model::ResolvedJob& job,
                                             limits::Release release) {
    auto found = limits::evaluate_submit(view, job, release, limits::Strictness::assume_strict).violations;
    std::erase_if(found,
                  [](const limits::Violation& v) { return v.relation != limits::Relation::asked_too_much; });
    return found;
}

/// The limits on running jobs that so many parts exceed although a single one does not.
std::vector<limits::Violation> find_running_limits(model::AccountView view, const model::ResolvedJob& job,
                                                   std::size_t parts, limits::Release release) {
    const auto run_others = [parts](model::Usage& usage) { usage.jobs = parts - 1; };
    for (model::Qos& qos : view.qos)
        for (model::Usage* usage : {&qos.usage, &qos.user_usage, &qos.account_usage})
            run_others(*usage);
    for (model::Association& link : view.associations)
        run_others(link.usage);
    auto found =
        limits::evaluate_schedule(view, job, job.time_limit, /*time_set_by_limit=*/false, release).pre_select;
    std::erase_if(found, [](const limits::Violation& violation) {
        return !is_of_running_jobs(violation) || violation.limit_value == 0;
    });
    for (limits::Violation& violation : found) {
        violation.asked = parts;
        violation.used = 0;
        violation.relation = limits::Relation::asked_too_much;
    }
    return found;
}

} // namespace

HetParts::Members HetParts::of_association(const Part& part) const {
    Members members;
    for (const Part& other : parts_)
        if (&other == &part || share_association(other.view, part.view)) members.push_back(&other);
    return members;
}

HetParts::Members HetParts::counted_by(const Part& part, limits::Owner owner, bool is_per_account) const {
    Members members;
    for (const Part& other : parts_)
        if (counts_for(other.view, part.view, owner) &&
            (!is_per_account || other.view.account == part.view.account))
            members.push_back(&other);
    return members;
}

HetParts::Members HetParts::counted_by(const Part& part, const limits::Violation& violation) const {
    return counted_by(part, violation.owner, is_per_account(violation));
}

std::vector<HetParts::Members> HetParts::counted_together(const Part& part) const {
    std::vector<Members> all;
    const auto add = [&](limits::Owner owner, bool is_per_account) {
        Members members = counted_by(part, owner, is_per_account);
        if (members.size() > 1 && std::ranges::find(all, members) == all.end())
            all.push_back(std::move(members));
    };
    for (const std::size_t qos : certain_qos(part.view))
        for (const bool is_per_account : {false, true})
            add({limits::OwnerKind::qos, qos}, is_per_account);
    for (std::size_t link = 0; link < part.view.associations.size(); ++link)
        add({limits::OwnerKind::association, link}, /*is_per_account=*/false);
    return all;
}

HetParts::Lines HetParts::add(const ResolvedRequest& resolved) {
    const limits::Release release = resolved.context.release;
    const std::uint32_t number = number_++;
    refusal_ = {};
    if (shown_.size() >= max_lines || parts_.size() >= max_parts) return {};
    parts_.push_back(
        {resolved.view(), resolved.job, number, find_exceeded(resolved.view(), resolved.job, release)});
    const bool tries = release.follows(limits::rules::tries_parts_at_submission);
    if (parts_.size() == 1 && !tries) return {};
    Lines lines;
    const limits::Reader reader =
        limits::reader_of_job(resolved.request.submit_uid, resolved.request.user_id);
    const auto tell = [&](std::vector<std::string>& where, std::vector<Exceeded> all, std::size_t max) {
        for (Exceeded& found : all) {
            if (shown_.size() >= max) return;
            if (may_be_shown(*found.part, found.violation) || found.members.size() < 2) continue;
            shown_.push_back({static_cast<std::size_t>(found.part - parts_.data()), found.violation});
            found.violation.is_of_parts = true;
            where.push_back(text::format(
                "{} together exceed a limit: {}", name_parts(found.members),
                limits::describe(found.violation, found.part->view, /*names_owner=*/true, reader)));
        }
    };
    std::vector<Exceeded> refusing = tries ? find_refused_trial(release) : find_refusing(release);
    if (!refusing.empty()) refusal_ = refusing.front().violation.reason;
    tell(lines.refusing, std::move(refusing), max_lines);
    std::vector<Exceeded> lasting = find_lasting(release);
    if (!lasting.empty()) lasting_ = lasting.front().violation.reason;
    tell(lines.lasting, std::move(lasting), max_lasting_lines);
    return lines;
}

/// slurmctld takes one part after the other, and each one is a submitted job for the next ones. Then it adds
/// up the TRES of each association, with the time limit of the first part of all.
std::vector<HetParts::Exceeded> HetParts::find_refusing(limits::Release release) const {
    std::vector<Exceeded> found;
    std::uint64_t submitted = 0;
    std::optional<TimeLimit> time; // as the parts so far are given it
    for (const Part& part : parts_) {
        model::ResolvedJob job = part.job;
        job.array_tasks = submitted += part.job.array_tasks;
        const auto verdict =
            limits::evaluate_submit(part.view, job, release, limits::Strictness::as_configured);
        if (&part == &parts_.front()) time = verdict.time_limit;
        for (limits::Violation violation : verdict.violations) {
            if (!is_of_submitted_jobs(violation)) continue;
            Members members = counted_by(part, violation);
            std::erase_if(members, [&part](const Part* other) { return other->number >= part.number; });
            members.push_back(&part);
            violation.asked = 0;
            for (const Part* member : members)
                violation.asked += member->job.array_tasks;
            if (violation.used + violation.asked <= violation.limit_value) continue;
            violation.relation = violation.asked > violation.limit_value ? limits::Relation::asked_too_much
                                                                         : limits::Relation::not_enough_left;
            found.push_back({violation, &part, std::move(members)});
        }
    }
    for (const Part& part : parts_) {
        const Members members = of_association(part);
        if (members.size() < 2) continue;
        model::ResolvedJob sum = sum_of(members, part.job);
        sum.array_tasks = 0; // they are submitted already
        sum.time_limit = time;
        const auto verdict =
            limits::evaluate_submit(part.view, sum, release, limits::Strictness::as_configured);
        time = verdict.time_limit;
        for (const limits::Violation& violation : verdict.violations)
            found.push_back({violation, &part, members});
    }
    return found;
}

/// slurmctld tries each part as if no other jobs than the parts before it ran, which count for their QOS and
/// their user's association only.
std::vector<HetParts::Exceeded> HetParts::find_refused_trial(limits::Release release) const {
    const Part& last = parts_.back();
    if (last.view.partitions.size() != 1) return {}; // in which one it is tried is not known
    model::AccountView view = last.view;
    const auto run_before = [&](limits::Owner owner, bool is_per_account) {
        model::Usage usage;
        for (const Part* part : counted_by(last, owner, is_per_account))
            if (part != &last) run(usage, part->job);
        return usage;
    };
    for (std::size_t i = 0; i < view.qos.size(); ++i) {
        const limits::Owner owner{limits::OwnerKind::qos, i};
        view.qos[i].usage = view.qos[i].user_usage = run_before(owner, /*is_per_account=*/false);
        view.qos[i].account_usage = run_before(owner, /*is_per_account=*/true);
    }
    for (std::size_t i = 0; i < view.associations.size(); ++i)
        view.associations[i].usage =
            i == 0 ? run_before({limits::OwnerKind::association, i}, /*is_per_account=*/false)
                   : model::Usage();
    const auto accepted =
        limits::evaluate_submit(last.view, last.job, release, limits::Strictness::as_configured);
    auto verdict = limits::evaluate_attempt(view, last.job, last.job.tres, accepted.time_limit,
                                            accepted.time_set_by_limit, release, /*partition=*/0);
    std::ranges::move(verdict.post_select, std::back_inserter(verdict.pre_select));
    std::vector<Exceeded> found;
    for (limits::Violation& violation : verdict.pre_select) {
        const bool is_alone = violation.used == 0;
        Members members = is_alone ? Members{&last} : counted_by(last, violation);
        if (!is_alone && is_of_one(last, violation)) continue; // that part is refused already
        violation.asked = is_of_running_jobs(violation) ? members.size() : violation.asked + violation.used;
        violation.used = 0;
        violation.relation = limits::Relation::asked_too_much;
        found.push_back({violation, &last, std::move(members)});
    }
    return found;
}

bool HetParts::may_be_shown(const Part& part, const limits::Violation& violation) const {
    return std::ranges::any_of(shown_, [&](const Shown& shown) {
        return is_same_limit(parts_[shown.part].view, shown.limit, part.view, violation);
    });
}

bool HetParts::is_of_one(const Part& part, const limits::Violation& violation) const {
    return std::ranges::any_of(parts_, [&](const Part& other) {
        return std::ranges::any_of(other.own, [&](const limits::Violation& own) {
            return is_same_limit(other.view, own, part.view, violation);
        });
    });
}

/// The limits that the parts exceed permanently because they must run together.
std::vector<HetParts::Exceeded> HetParts::find_lasting(limits::Release release) const {
    const Part& last = parts_.back();
    if (last.view.partitions.size() != 1) return {}; // the partition decides which QOS counts
    std::vector<Exceeded> found;
    for (const Members& members : counted_together(last)) {
        const auto verdict = limits::evaluate_submit(last.view, sum_of(members, last.job), release,
                                                     limits::Strictness::assume_strict);
        for (const limits::Violation& violation : verdict.violations)
            if (counts_parts_together(violation, last.view) && counted_by(last, violation) == members &&
                !is_of_one(last, violation))
                found.push_back({violation, &last, members});
        for (const limits::Violation& violation :
             find_running_limits(last.view, last.job, members.size(), release))
            if (counted_by(last, violation) == members) found.push_back({violation, &last, members});
    }
    return found;
}

} // namespace qg::gate
