// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/plan.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/preempt_loops.hpp"
#include "qosgate/model/qos_change.hpp"
#include "qosgate/model/qos_flag_name.hpp"
#include "qosgate/spec/access_plan.hpp"
#include "qosgate/spec/changes.hpp"
#include "qosgate/spec/field_values.hpp"
#include "qosgate/spec/ownership.hpp"

#include <algorithm>
#include <set>
#include <tuple>

namespace qg::spec {
namespace {

using model::FieldKind;
using model::QosField;
using model::QosRecord;

constexpr std::string_view normal = "normal";

/// What the planner looks for.
enum class Mode : std::uint8_t {
    plan,           ///< a plan
    contradictions, ///< what the cluster contradicts, in files of which values are missing
    some,           ///< the same, in files of which QOSs are missing, too
};

class Planner {
  public:
    Planner(const Desired& desired, const LiveState& live, const PlanOptions& options, Mode mode)
        : live_(live), options_(options), mode_(mode) {
        for (const QosRecord& record : live.qos) {
            before_.emplace(record.name, &record);
            beginnings_.emplace(model::telling_part(record.name), record.name);
        }
        for (const DesiredQos& qos : desired.qos)
            if (!wanted_.emplace(qos.name, &qos).second)
                add_problem(qos.position, qos.name, "it is defined twice");
        pruned_owners_.insert(desired.pruned_owners.begin(), desired.pruned_owners.end());
        if (options.prune)
            for (const DesiredQos& qos : desired.qos)
                pruned_owners_.insert(qos.owner);
        planned_.plan.cluster = live.cluster;
    }

    Planned plan() && {
        for (const auto& [name, record] : before_)
            after_.emplace(name, *record);
        prune();
        for (const auto& [name, qos] : wanted_)
            if (!options_.left_alone.contains(name)) define(*qos);
        check_preempt();
        forget_removed();
        plan_all_access();
        collect();
        sort_by_place(planned_.problems);
        if (!planned_.conflicts.empty() || !planned_.problems.empty()) {
            planned_.plan = Plan{};
            planned_.plan.cluster = live_.cluster;
        }
        return std::move(planned_);
    }

  private:
    void add_problem(const Position& position, std::string_view qos, std::string_view what) {
        planned_.problems.push_back({position, text::format("QOS '{}': {}", text::printable(qos), what)});
    }
    void warn(std::string_view qos, std::string_view what) {
        planned_.plan.warnings.push_back(text::format("QOS '{}': {}", text::printable(qos), what));
    }

    // ---- what is removed ---------------------------------------------------------------------------------

    void prune() {
        for (const auto& [name, record] : before_) {
            const Ownership ownership = read_mark(record->description).ownership;
            if (!pruned_owners_.contains(ownership.creator) || ownership.creator.empty() ||
                wanted_.contains(name) || name == normal || options_.left_alone.contains(name))
                continue;
            bool is_kept = false;
            for (const auto& [owner, fields] : ownership.managed) {
                if (owner == ownership.creator) continue;
                if (options_.take_over) {
                    const std::vector<std::string> names(fields.begin(), fields.end());
                    warn(name, text::format("it is deleted, although {} manages {}", owner,
                                            text::join(names, ", ")));
                    continue;
                }
                planned_.conflicts.push_back({name, {}, owner, ownership.creator, {}});
                is_kept = true;
            }
            if (is_kept) continue;
            removed_.insert(name);
            after_.erase(name);
        }
    }

    /// slurmdbd leaves the ids of removed QOSs in Preempt, where a new QOS could get them.
    void forget_removed() {
        if (removed_.empty()) return;
        for (auto& [name, record] : after_) {
            for (const std::string& gone : removed_) {
                if (record.preempt.erase(gone) == 0) continue;
                const std::string owner = read_mark(record.description).ownership.owner_of("Preempt");
                if (!owner.empty() && !pruned_owners_.contains(owner))
                    warn(name,
                         text::format("Preempt, which {} manages, loses {}, which is removed", owner, gone));
            }
        }
    }

    // ---- one QOS -----------------------------------------------------------------------------------------

    void define(const DesiredQos& qos) {
        if (!is_owner(qos.owner))
            return add_problem(
                qos.position, qos.name,
                text::format("'{}' cannot be an owner: {}", text::printable(qos.owner), owner_rule()));
        const auto existing = before_.find(qos.name);
        const bool is_new = existing == before_.end();
        QosRecord record;
        MarkedDescription marked;
        if (is_new) {
            if (!check_new_name(qos)) return;
            record.name = marked.text = qos.name;
            marked.ownership.creator = qos.owner;
        } else {
            record = *existing->second;
            marked = read_mark(record.description);
        }

        for (const QosField& field : model::qos_fields())
            if (field.kind != FieldKind::name) define(qos, field, record, marked);
        if (!qos.access)
            release(qos, access_field, "what was granted stays", marked.ownership);
        else if (claim(qos, access_field, qos.access->position, marked.ownership))
            with_access_.push_back(&qos);

        if (mode_ == Mode::plan && model::has_flag(record, "Relative")) refuse_shares(qos);
        record.description = write_mark(marked);
        if (record.description.size() > max_description_bytes)
            add_problem(qos.position, qos.name,
                        text::format("Description: with the mark of ownership it has {} bytes, and slurmdbd "
                                     "stores {}",
                                     record.description.size(), max_description_bytes));
        after_[qos.name] = std::move(record);
    }

    bool check_new_name(const DesiredQos& qos) {
        const auto name = model::parse_new_qos_name(qos.name);
        if (!name) {
            add_problem(qos.position, qos.name, name.error().message);
        } else if (*name != qos.name) {
            add_problem(qos.position, qos.name, "slurmdbd keeps names in lower case");
        } else {
            return check_beginning(qos);
        }
        return false;
    }

    /// What is removed counts, too: new QOSs are stored first.
    bool check_beginning(const DesiredQos& qos) {
        const auto [found, is_new] = beginnings_.emplace(model::telling_part(qos.name), qos.name);
        if (is_new) return true;
        const std::string& other = found->second;
        add_problem(
            qos.position, qos.name,
            text::format("Slurm's database distinguishes QOSs by the first {} bytes of their names, and "
                         "QOS '{}' begins with the same; {}",
                         model::telling_name_bytes, text::printable(other),
                         removed_.contains(other)
                             ? "it is to be deleted, so do that first, or choose another beginning"
                             : "choose another beginning"));
        return false;
    }

    void define(const DesiredQos& qos, const QosField& field, QosRecord& record, MarkedDescription& marked) {
        const auto named = qos.fields.find(&field);
        if (named == qos.fields.end() && !qos.is_complete) {
            const bool is_text = field.kind == FieldKind::text;
            const bool is_set = is_text ? !marked.text.empty() : model::is_set(field, record);
            const std::string value = is_text ? marked.text : model::format_field(field, record);
            const std::string what = is_set ? "its value stays: " + text::printable(value) : std::string();
            return release(qos, field.name, what, marked.ownership);
        }
        DesiredField desired = named == qos.fields.end() ? DesiredField() : named->second;
        if (auto* tres = std::get_if<DesiredTres>(&desired.value); tres != nullptr && qos.is_complete)
            tres->is_whole = true; // TRES that are not named are unset, as fields are
        const Position& position = named == qos.fields.end() ? qos.position : desired.position;
        if (!claim(qos, field.name, position, marked.ownership)) return;

        ResolvedField resolved = resolve_field(field, desired, record, live_.capacity);
        for (const Problem& problem : resolved.problems)
            add_problem(problem.position, qos.name, problem.text);
        if (live_.capacity.empty() && field.unit.empty())
            planned_.uncounted_shares += resolved.problems.size();
        if (!resolved.problems.empty()) return;
        auto& shares = planned_.plan.shares;
        shares.insert(shares.end(), resolved.shares.begin(), resolved.shares.end());
        if (field.kind != FieldKind::text) return put_field(field, record, resolved.value);

        const auto* text = std::get_if<std::string>(&resolved.value);
        marked.text = text == nullptr || text->empty() ? qos.name : *text;
        if (read_mark(marked.text).ownership != Ownership{})
            add_problem(position, qos.name, "Description: it ends with a mark of ownership; leave that out");
    }

    void refuse_shares(const DesiredQos& qos) {
        for (const ResolvedShare& share : planned_.plan.shares) {
            if (share.qos != qos.name) continue;
            const QosField* field = model::get_qos_field(share.field).value().field;
            add_problem(qos.fields.at(field).position, qos.name,
                        text::format("{0}: {1}={2:g}%: with the flag Relative a TRES limit is a percentage "
                                     "itself; write {1}={2:g}, or leave the flag out",
                                     share.field, text::printable(share.tres), share.share.percent));
        }
    }

    /// Makes the owner of the files the field's owner. False: another one manages it.
    bool claim(const DesiredQos& qos, std::string_view field, const Position& position,
               Ownership& ownership) {
        const std::string owner = ownership.owner_of(field);
        if (!owner.empty() && owner != qos.owner && !options_.take_over) {
            planned_.conflicts.push_back({qos.name, std::string(field), owner, qos.owner, position});
            return false;
        }
        ownership.assign(field, qos.owner);
        return true;
    }

    /// Of a field that the files do not name: it is no longer managed. `what` is told about it; empty:
    /// nothing.
    void release(const DesiredQos& qos, std::string_view field, std::string_view what, Ownership& ownership) {
        if (ownership.owner_of(field) != qos.owner) return;
        ownership.release(field);
        if (!what.empty())
            warn(qos.name, text::format("{} is no longer managed by {}; {}", field, qos.owner, what));
    }

    // ---- all QOSs ----------------------------------------------------------------------------------------

    void check_preempt() {
        if (mode_ == Mode::some) return; // a QOS that is not known may be among the missing ones
        std::vector<std::string> names;
        model::PreemptMap before;
        model::PreemptMap after;
        for (const auto& [name, record] : before_)
            before.emplace(name, record->preempt);
        for (const auto& [name, record] : after_) {
            names.push_back(name);
            after.emplace(name, record.preempt);
        }
        const QosField& field = *model::get_qos_field("Preempt").value().field;
        for (const auto& [name, qos] : wanted_) {
            const auto named = qos->fields.find(&field);
            if (named == qos->fields.end() || options_.left_alone.contains(name)) continue;
            const auto* targets =
                std::get_if<model::NameSet>(&std::get<model::FieldValue>(named->second.value));
            if (targets == nullptr) continue;
            for (const std::string& target : *targets) {
                if (after.contains(target)) continue;
                add_problem(place_of(named->second.entries, target, named->second.position), name,
                            removed_.contains(target)
                                ? text::format("Preempt: QOS '{}' is to be removed", text::printable(target))
                                : text::format("Preempt: there is no QOS '{}'{}", text::printable(target),
                                               text::did_you_mean(target, names)));
            }
        }
        if (mode_ != Mode::plan) return; // some Preempt may be missing
        for (const auto& loop : model::find_new_loops(before, after))
            planned_.problems.push_back(
                {place_of_preempt(loop),
                 text::format("Preempt: these QOSs could preempt each other in a loop: {} > {}",
                              text::join(loop, " > "), loop.front())});
    }

    /// Where the files make one of the QOSs preempt the next one.
    Position place_of_preempt(const std::vector<std::string>& loop) const {
        const QosField& field = *model::get_qos_field("Preempt").value().field;
        for (std::size_t i = 0; i < loop.size(); ++i) {
            const auto qos = wanted_.find(loop[i]);
            if (qos == wanted_.end()) continue;
            const auto named = qos->second->fields.find(&field);
            if (named != qos->second->fields.end())
                return place_of(named->second.entries, loop[(i + 1) % loop.size()], named->second.position);
        }
        return {};
    }

    void plan_all_access() {
        const bool has_all = std::ranges::none_of(
            planned_.conflicts, [](const Conflict& each) { return each.field == access_field; });
        AccessPlan access = plan_access(with_access_, has_all, live_, removed_);
        const auto append = [](auto& to, const auto& from) { to.insert(to.end(), from.begin(), from.end()); };
        append(planned_.problems, access.problems);
        planned_.lacks_permission = access.lacks_permission;
        append(planned_.plan.warnings, access.warnings);
        append(planned_.plan.warnings, access.unreached);
        planned_.unreached = std::move(access.unreached);
        for (const model::AccessChange& change : access.changes)
            if (change.revoked.contains(std::string(normal))) {
                warn(normal, "it is revoked, and jobs without any other default QOS use it");
                break;
            }
        planned_.plan.access = std::move(access.changes);
        planned_.plan.access_base = std::move(access.base);
        planned_.plan.named = std::move(access.named);
    }

    void collect() {
        for (const auto& [name, record] : after_) {
            const auto before = before_.find(name);
            if (before == before_.end()) {
                planned_.plan.created.push_back(record);
            } else if (*before->second != record) {
                planned_.plan.updated.push_back({*before->second, record});
                if (name == normal && !is_mark_only(planned_.plan.updated.back()))
                    warn(name, "it changes, and jobs without any other default QOS use it");
            }
        }
        for (const std::string& name : removed_)
            planned_.plan.removed.push_back(*before_.at(name));
    }

    const LiveState& live_;
    const PlanOptions& options_;
    Mode mode_;
    std::map<std::string, const QosRecord*> before_;
    std::map<std::string, std::string, std::less<>> beginnings_; ///< of names that exist, or will
    std::map<std::string, const DesiredQos*> wanted_;
    std::set<std::string> pruned_owners_;
    std::map<std::string, QosRecord> after_;
    model::NameSet removed_;
    std::vector<const DesiredQos*> with_access_;
    Planned planned_;
};

} // namespace

Planned make_plan(const Desired& desired, const LiveState& live, const PlanOptions& options) {
    return Planner(desired, live, options, Mode::plan).plan();
}

std::vector<Problem> find_contradictions(const Desired& desired, bool has_all_qos, const LiveState& live) {
    const PlanOptions options{.take_over = true}; // conflicts between owners are told when there is a plan
    Desired named = desired;
    for (DesiredQos& qos : named.qos)
        if (!is_owner(qos.owner)) qos.owner = "nobody"; // the loader tells it
    return Planner(named, live, options, has_all_qos ? Mode::contradictions : Mode::some).plan().problems;
}

void sort_by_place(std::vector<Problem>& problems) {
    const auto key = [](const Problem& problem) {
        const Position& at = problem.position;
        return std::tuple(at.file.empty(), std::string_view(at.file), at.line, at.column);
    };
    std::ranges::stable_sort(problems, {}, key);
}

} // namespace qg::spec
