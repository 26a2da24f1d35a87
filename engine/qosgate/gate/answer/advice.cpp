// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/advice.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/advice_case.hpp"
#include "qosgate/gate/partitions/closed_partitions.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/limits/release.hpp"
#include "qosgate/model/whole_nodes_by.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::Partition;
using model::PartitionChoice;

/// slurmctld compares the owner with RootOnly when it tries to start the job, and with EnforcePartLimits it
/// refuses the job then.
void add_closed_to_owner(const AdviceCase& at, std::string line, AdviceLines& lines) {
    if (at.cluster.enforce_part_limits != model::EnforcePartLimits::no) return lines.add(std::move(line));
    lines.add(line + "; slurmctld never starts it as it is (PartitionConfig)", Handling::accepts);
}

void advise_on_partitions(const AdviceCase& at, AdviceLines& lines) {
    const Partition& first = at.first_partition();
    if (at.are_all([](const Partition& p) { return !p.takes_jobs; }))
        lines.add(text::format("partition {} is {}: it takes no new jobs", first.name,
                               first.starts_jobs ? "drained" : "inactive"));
    if (std::string denied = find_denied(at.resolved); !denied.empty())
        lines.add(std::move(denied));
    else if (std::string closed = find_closed_to_owner(at.resolved); !closed.empty())
        add_closed_to_owner(at, std::move(closed), lines);
}

/// What slurmctld does with a job whose time limit does not fit before its deadline.
Handling handling_of_late(const JobRequest& request, limits::Release release) {
    const bool refuses = request.time_min || release.follows(limits::rules::refuses_time_past_deadline);
    return refuses ? Handling::may_refuse : Handling::accepts;
}

/// The same in words; empty: its error says it.
std::string_view tell_end(const JobRequest& request, Handling handling) {
    if (handling == Handling::may_refuse) return "";
    return request.starts_later() || request.priority == 0u ? "; slurmctld will end this job before it starts"
                                                            : "; slurmctld will end this job at once";
}

/// slurmctld refuses a job that cannot end before its deadline, or ends it before it starts. A job without a
/// time limit gets the time that is left.
void advise_on_deadline(const JobRequest& request, limits::Release release, AdviceLines& lines) {
    const TimeLimit left{*request.minutes_to_deadline};
    if (left.minutes == 0)
        return lines.add(
            request.begins_later
                ? "less than a minute is left from --begin to the deadline (--deadline)"
                : "the deadline (--deadline) has passed, or less than a minute is left until then");
    const auto& time = request.time_min ? request.time_min : request.time_limit;
    if (!time || time->is_unlimited() || *time <= left) return;
    const Handling handling = handling_of_late(request, release);
    lines.add(text::format("a time limit of {} does not fit: the deadline (--deadline) is {}{}",
                           units::format_minutes(*time),
                           request.begins_later
                               ? text::format("{} after --begin", units::format_minutes(left))
                               : text::format("in {}", units::format_minutes(left)),
                           tell_end(request, handling)),
              handling);
    lines.add(request.time_min ? "shorten --time-min, or choose a later --deadline"
                               : "shorten --time, or add --time-min with the minimum that the job needs",
              handling);
}

/// A job for which no node has enough temporary disk (TmpDisk in slurm.conf). slurmctld accepts a held one.
void advise_on_disk(const AdviceCase& at, AdviceLines& lines) {
    const model::DetailValue asked = at.request.details.get(model::JobDetail::tmp_disk);
    if (asked.kind != model::DetailValue::Kind::number || at.request.priority == 0u) return;
    const auto has_too_little = [&](const Partition& partition) {
        const auto& max = partition.max_tmp_disk_mib;
        return max && std::cmp_less(*max, asked.number);
    };
    if (!at.are_all(has_too_little)) return;
    const Partition& first = at.first_partition();
    const auto format_disk = [](std::uint64_t mib) { return model::format_tres_count("mem", mib); };
    lines.add(text::format("no node of partition {} has that much temporary disk: the largest has {}, this "
                           "job asks for {} (--tmp)",
                           first.name, format_disk(*first.max_tmp_disk_mib),
                           format_disk(static_cast<std::uint64_t>(asked.number))));
}

/// Whether the job asks for something by name.
bool names_anything(const JobRequest& request) {
    return request.reservation || request.licenses || request.features || request.prefer ||
           request.tres_per_node || request.tres_per_job || request.tres_per_socket ||
           request.tres_per_task || request.required_nodes || !request.nodes_to_exclude().empty();
}

/// Whether any node can hold the whole job. True is certain, except for the memory that the job gets by
/// default.
bool is_small(const ResolvedRequest& resolved) {
    const JobRequest& request = resolved.request;
    if (request.memory || request.memory_per_tres || request.tres_per_task || request.min_cpus_per_node ||
        request.tasks_per_node || request.cpus_of_task() > 1 || asked_shape(request) != model::NodeShape{} ||
        request.details.get(model::JobDetail::tasks_per_core).number > 0 ||
        model::takes_whole_nodes(request, nullptr, resolved.context.cluster))
        return false;
    const JobSize& size = resolved.counter.sent();
    return std::ranges::all_of(resolved.view().partitions, [&](const PartitionChoice& choice) {
        const Partition& partition = *choice.partition;
        return partition.node_kinds.empty() ||
               (!partition.gives_whole_nodes && size.nodes.value_or(1) <= 1 &&
                std::max(size.cpus.value_or(1), size.tasks.value_or(1)) <= partition.min_node_cpus);
    });
}

bool are_all_open(const model::AccountView& view) {
    return std::ranges::all_of(view.partitions,
                               [](const PartitionChoice& choice) { return choice.partition->is_open(); });
}

/// Looks for everything that may be wrong. `has_names`: the job asks for something by name.
[[gnu::noinline]] Advice look_at_all(const ResolvedRequest& resolved, bool knows_reservations,
                                     bool has_names) {
    const JobRequest& request = resolved.request;
    const AdviceCase at(resolved, knows_reservations);
    AdviceLines lines;
    const bool may_tell_partitions = !at.view().partitions.empty() && !has_hidden_partition(at.view());
    if (may_tell_partitions) advise_on_partitions(at, lines);
    if (request.minutes_to_deadline) advise_on_deadline(request, resolved.context.release, lines);
    if (request.has_dependency) advise_on_dependency(request, lines);
    const std::size_t lines_before = lines.count();
    if (has_names) advise_on_names(at, may_tell_partitions, lines);
    // No node has what an unknown name stands for, so advice on size would repeat the advice on the name.
    if (lines.count() == lines_before && may_tell_partitions && !at.view().hidden.nodes) {
        advise_on_size(at, lines);
        if (request.asks_for_disk) advise_on_disk(at, lines);
    }
    return lines.take();
}

} // namespace

Advice find_advice(const ResolvedRequest& resolved, bool knows_reservations) {
    const JobRequest& request = resolved.request;
    const bool has_names = names_anything(request);
    const bool has_others = request.minutes_to_deadline || request.has_dependency || request.asks_for_disk;
    if (!has_names && !has_others && is_small(resolved) && are_all_open(resolved.view()))
        return {}; // the usual case
    return look_at_all(resolved, knows_reservations, has_names);
}

// ---- dependencies --------------------------------------------------------------------------------------

namespace {

constexpr std::string_view digits = "0123456789";

/// What stands in front of the ids of jobs; "singleton" has none. "expand" depends on slurm.conf. [S]
constexpr std::array<std::string_view, 7> dependency_kinds{
    "after", "afterany", "afterok", "afternotok", "aftercorr", "afterburstbuffer", "expand"};

/// Whether it is the id of a job: "12", "12_3", "12_*", "12+5" (minutes later), with a state in a record.
bool is_job(std::string_view text) {
    if (text.empty() || digits.find(text.front()) == digits.npos) return false;
    const std::string_view number = text.substr(0, text.find_first_not_of(digits));
    return number.find_first_not_of('0') != number.npos &&
           (number.size() == text.size() || std::string_view("_+(").find(text[number.size()]) != text.npos);
}

/// What is wrong with one of the parts between commas and question marks; empty: nothing.
std::optional<std::string> find_wrong(std::string_view part) {
    if (text::istarts_with(part, "singleton")) return std::nullopt;
    const std::size_t colon = part.find(':');
    if (colon == part.npos) {
        if (is_job(text::trim(part))) return std::nullopt;
        return text::format("{} is no dependency: write afterok:JOBID, for example", text::quoted(part, 64));
    }
    const std::string_view kind = part.substr(0, colon);
    if (std::ranges::none_of(dependency_kinds,
                             [&](std::string_view each) { return text::iequals(each, kind); }))
        return text::format("{} is no kind of dependency: write afterok:JOBID, for example",
                            text::quoted(kind, 64));
    std::optional<std::string> wrong;
    text::for_each_part(part.substr(colon + 1), ':', [&](std::string_view job) {
        if (!wrong && !is_job(text::trim(job)))
            wrong = text::format("{} is no id of a job", text::quoted(job, 64));
    });
    return wrong;
}

} // namespace

void advise_on_dependency(const model::JobRequest& request, AdviceLines& lines) {
    const model::DetailValue value = request.details.get(model::JobDetail::dependency);
    if (value.kind != model::DetailValue::Kind::text || value.text == "0") return; // 0: none
    std::string_view rest = value.text;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find_first_of(",?"), rest.size());
        if (const auto wrong = find_wrong(rest.substr(0, end))) return lines.add("--dependency: " + *wrong);
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
}

} // namespace qg::gate
