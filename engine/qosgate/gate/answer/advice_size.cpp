// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/advice_case.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/nodes/node_features.hpp"
#include "qosgate/gate/nodes/possible_nodes.hpp"
#include "qosgate/gate/partitions/partition_bounds.hpp"
#include "qosgate/gate/size/whole_cores.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/schedule.hpp"

#include <algorithm>
#include <array>
#include <optional>
#include <span>
#include <utility>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;
using model::NodeKind;
using model::Partition;

/// One sentence about a partition that cannot hold the job; empty if it may.
using Sentence = std::optional<std::string>;

/// The same, with what slurmctld does with the job.
struct Problem {
    std::string sentence;
    Handling handling;
};

std::string format_memory(std::uint64_t mib) {
    return model::format_tres_count("mem", mib);
}

/// How many nodes limits give a job.
struct NodeLimit {
    std::uint64_t nodes = any_number;
    std::string owner = {}; ///< of the limit
};

/// The limit that gives the fewest nodes, where the reader may know it, and the job asks for no more.
NodeLimit find_node_limit(const AdviceCase& at, std::size_t partition) {
    const ResolvedRequest& asked = at.resolved;
    if (at.view().is_within_limits) return {};
    const auto verdict =
        limits::evaluate_allocation(at.view(), asked.job, asked.job.tres, asked.job.time_limit,
                                    /*time_set_by_limit=*/false, asked.context.release, partition);
    if (!verdict.node_limit || verdict.breaks_node_limit() ||
        limits::has_hidden_numbers(*verdict.node_limit, at.view()))
        return {};
    return {*verdict.max_nodes, limits::owner_name(verdict.node_limit->owner, at.view())};
}

/// A job in one partition.
class PartitionFit {
  public:
    /// `request` is that of the job, with one of the alternatives of its --constraint.
    PartitionFit(const AdviceCase& at, const JobRequest& request, const Partition& partition, NodeLimit limit)
        : at_(at), request_(request), partition_(partition), cluster_(at.cluster), named_(at.named),
          limit_(std::move(limit)),
          nodes_(request_, partition, cluster_, at.named,
                 std::min(limit_.nodes, cap_nodes(request_.max_nodes.value_or(UINT32_MAX), partition,
                                                  job_qos_flags(at.view())))),
          size_(at.resolved.counter.sent()), demand_(nodes_.demand()) {}
    PartitionFit(const PartitionFit&) = delete; // it has a reference to a part of itself
    PartitionFit& operator=(const PartitionFit&) = delete;

    /// The first problem.
    [[nodiscard]] std::optional<Problem> find_problem() const {
        if (auto bound = find_memory_bound()) {
            // Only some releases also accept what no node of the partition holds.
            const bool accepts = accepts_beyond_bound() && !find_misfit();
            return Problem{*std::move(bound), accepts ? Handling::accepts : Handling::may_refuse};
        }
        if (auto misfit = find_misfit()) return Problem{*std::move(misfit), Handling::may_refuse};
        return std::nullopt;
    }

  private:
    static constexpr std::size_t max_feature = 64; ///< letters of it that are told

    /// Why no nodes of the partition fit.
    [[nodiscard]] Sentence find_misfit() const {
        if (auto problem = find_unfit_required_node()) return problem;
        if (auto problem = find_impossible_count()) return problem;
        if (!nodes_.are_known()) return std::nullopt;
        if (nodes_.all().empty() && nodes_.asks_for_features())
            return text::format("no node of {} has the features {}", name_without_features(),
                                printable_features());
        if (nodes_.all().empty()) return std::nullopt; // --exclude names them all
        if (auto problem = find_missing_reserved_cpus()) return problem;
        if (auto problem = find_missing_share(nodes_.all(), "")) return problem;
        if (auto problem = find_missing_gpus()) return problem;
        if (auto problem = find_missing_nodes()) return problem;
        return find_missing_room();
    }

    [[nodiscard]] std::string name_without_features() const {
        std::vector<std::string> parts;
        if (nodes_.are_reserved()) parts.emplace_back("its nodes in the reservation");
        if (nodes_.leaves_some_out()) parts.emplace_back("without --exclude");
        return name_with(parts);
    }

    [[nodiscard]] std::string name_with(const std::vector<std::string>& parts) const {
        const std::string name = "partition " + partition_.name;
        return parts.empty() ? name : text::format("{} ({})", name, text::join(parts, ", "));
    }

    /// "partition main", with the features that its nodes need for the job.
    [[nodiscard]] std::string name() const {
        std::vector<std::string> parts;
        if (nodes_.are_all_required())
            parts.emplace_back("its nodes in --nodelist");
        else if (nodes_.asks_for_features())
            parts.push_back("its nodes with " + printable_features());
        if (nodes_.are_reserved() && !nodes_.are_all_required()) parts.emplace_back("in the reservation");
        if (nodes_.leaves_some_out() && !nodes_.are_all_required()) parts.emplace_back("without --exclude");
        return name_with(parts);
    }

    [[nodiscard]] std::string printable_features() const {
        return text::quoted(*request_.features, max_feature);
    }

    template <typename Amount>
    [[nodiscard]] static std::uint64_t max_of(std::span<const NodesOfKind> kinds, Amount amount) {
        std::uint64_t max = 0;
        for (const NodesOfKind& some : kinds)
            max = std::max<std::uint64_t>(max, amount(*some.kind));
        return max;
    }

    /// A node of --nodelist that lacks something. What each node must have, all of them must.
    [[nodiscard]] Sentence find_unfit_required_node() const {
        if (nodes_.required().empty()) return std::nullopt;
        for (const std::uint32_t index : named_.required.indices) {
            const NodeKind* kind = cluster_.nodes.find(index);
            if (kind == nullptr || !partition_.has_node(index)) continue;
            const auto node = [&] {
                return text::format("node {} (--nodelist)", cluster_.names->name_of_node(index));
            };
            if (nodes_.asks_for_features() && !nodes_.has_features(*kind))
                return text::format("{} does not have the features {}", node(), printable_features());
            const NodesOfKind one{kind, 1};
            if (!nodes_.holds_share(*kind)) return find_missing_share(std::span(&one, 1), node());
            if (const auto missing = find_missing_resource(*kind))
                return text::format("{} has {}; every node of this job must have some", node(), *missing);
        }
        return std::nullopt;
    }

    /// Counts in --constraint of more nodes than the job may have, or than have the feature.
    [[nodiscard]] Sentence find_impossible_count() const {
        if (!request_.features) return std::nullopt;
        const std::vector<FeatureCount> counts = counts_of(*request_.features);
        const std::uint64_t together = counts.empty() ? 0 : nodes_of_features(*request_.features);
        if (request_.max_nodes && together > *request_.max_nodes)
            return text::format("--constraint asks for {}; this job may have {}",
                                limits::format_amount("node", together), *request_.max_nodes);
        if (partition_.featured_kinds.empty()) return std::nullopt;
        for (const auto& [feature, asked] : counts) {
            std::uint64_t count = 0;
            for (const NodeKind& kind : partition_.featured_kinds)
                if (has_features(kind, feature)) count += kind.count;
            if (count < asked)
                return text::format("partition {} has {} with the feature {}; --constraint asks for {}",
                                    partition_.name, limits::format_amount("node", count),
                                    text::quoted(feature, max_feature), asked);
        }
        return std::nullopt;
    }

    /// "no GPUs": of what is asked for per job each of its nodes must have some.
    [[nodiscard]] Sentence find_missing_resource(const NodeKind& kind) const {
        Sentence missing;
        model::for_each_gres_item(request_.tres_per_job, [&](const model::TresItem& item) {
            if (!missing && demand_.count_on(kind, item) == 0)
                missing = limits::format_amount(item.tres_name(), 0);
        });
        return missing;
    }

    /// MaxMemPerNode. slurmctld compares it with the memory on a node, however the job asks for memory.
    [[nodiscard]] Sentence find_memory_bound() const {
        const auto max = max_memory_of(partition_, cluster_);
        const auto asked = memory_of(request_, partition_, cluster_);
        if (!max || max->per_cpu || max->mib == 0 || !asked || gets_no_memory(request_, asked))
            return std::nullopt;
        const std::uint64_t cpus = asked->per_cpu ? cpus_for_memory_bound() : 1;
        const std::uint64_t whole =
            asked->mib == 0 ? partition_.node_memory_mib : saturated_product(asked->mib, cpus);
        if (whole <= max->mib) return std::nullopt;
        return text::format(
                   "partition {} allows a job {} of memory on each node (MaxMemPerNode); this job {} "
                   "{}{}",
                   partition_.name, format_memory(max->mib), request_.memory ? "asks for" : "gets",
                   format_memory(whole),
                   asked->per_cpu && cpus > 1
                       ? text::format(", {} for each of {} CPUs", format_memory(asked->mib), cpus)
                       : std::string()) +
               tell_no_start(max->mib);
    }

    /// Whether slurmctld accepts a job that asks for more memory than MaxMemPerNode.
    [[nodiscard]] bool accepts_beyond_bound() const {
        return cluster_.enforce_part_limits == model::EnforcePartLimits::no;
    }

    /// What it does with such a job then.
    [[nodiscard]] std::string tell_no_start(std::uint64_t max) const {
        if (!accepts_beyond_bound()) return "";
        const bool is_by_mem = request_.memory && !request_.memory->per_cpu;
        return "; slurmctld never starts it as it is (MaxMemPerLimit)" +
               (is_by_mem ? text::format(": ask for --mem={} or less", format_memory(max)) : std::string());
    }

    /// The CPUs whose memory counts for one node.
    [[nodiscard]] std::uint64_t cpus_for_memory_bound() const {
        if (demand_.takes_whole_nodes()) return std::max<std::uint64_t>(partition_.min_node_cpus, 1);
        std::uint64_t tasks = request_.tasks_per_node.value_or(1);
        if (request_.tasks.value_or(0) != 0 && request_.max_nodes.value_or(0) != 0)
            tasks = std::max<std::uint64_t>(tasks, divide_up(*request_.tasks, *request_.max_nodes));
        return std::max<std::uint64_t>(tasks * request_.cpus_of_task(), request_.min_cpus_on(1));
    }

    /// `node` is the only one that is looked at; empty: all are.
    [[nodiscard]] std::string no_node(std::string_view node, std::string_view what, std::string_view tres,
                                      std::uint64_t largest, std::uint64_t asked,
                                      std::string_view why = "") const {
        if (!node.empty())
            return text::format("{} has {}{}; this job asks for {}", node,
                                limits::format_amount(tres, largest), why,
                                model::format_tres_count(tres, asked));
        if (largest == 0)
            return text::format("no node of {} has {}{}; this job asks for {}", name(),
                                limits::tres_noun(tres).plural, why, model::format_tres_count(tres, asked));
        return text::format("no node of {} has {}: the largest has {}{}, this job asks for {}", name(), what,
                            model::format_tres_count(tres, largest), why,
                            model::format_tres_count(tres, asked));
    }

    /// Explains CPUs that the user did not ask for.
    [[nodiscard]] std::string why_so_many_cpus() const {
        const auto max = max_memory_of(partition_, cluster_);
        if (!max || !demand_.has_cpus_for_memory()) return "";
        return text::format(", one for each {} of its memory (MaxMemPerCPU)", format_memory(max->mib));
    }

    /// Explains memory for all CPUs of a whole node.
    [[nodiscard]] std::string why_so_much_memory() const {
        if (demand_.memory_per_cpu() == 0 || !demand_.takes_whole_nodes()) return "";
        return text::format(", {} for each CPU of a whole node", format_memory(demand_.memory_per_cpu()));
    }

    /// Sockets, cores or threads of which no node of these kinds has enough; `node` as above.
    [[nodiscard]] Sentence find_missing_shape(std::span<const NodesOfKind> kinds,
                                              std::string_view node) const {
        struct Part {
            std::uint32_t model::NodeShape::*count;
            std::string_view noun;
        };
        using model::NodeShape;
        static constexpr std::array parts{Part{&NodeShape::sockets, "sockets"},
                                          Part{&NodeShape::cores_per_socket, "cores on each socket"},
                                          Part{&NodeShape::threads_per_core, "threads on each core"}};
        const NodeShape asked = asked_shape(request_);
        for (const auto& [count, noun] : parts) {
            const std::uint64_t most = max_of(kinds, [&](const NodeKind& kind) {
                return kind.shape.*count == 0 ? any_number : kind.shape.*count;
            });
            if (asked.*count <= most) continue;
            if (!node.empty())
                return text::format("{} has {} {}; this job asks for {}", node, most, noun, asked.*count);
            return text::format("no node of {} has that many {}: the largest has {}, this job asks for {}",
                                name(), noun, most, asked.*count);
        }
        return std::nullopt;
    }

    /// What no node of these kinds has of one thing, or of all together; `node` as above.
    [[nodiscard]] Sentence find_missing_share(std::span<const NodesOfKind> kinds,
                                              std::string_view node) const {
        const bool is_of_one =
            count_gres(request_.tres_per_job) < 2; // find_missing_gpus() explains one entry of GPUs
        const auto fits = [&](const NodesOfKind& some) {
            return is_of_one ? nodes_.holds_share(*some.kind) : nodes_.may_be_of_job(*some.kind);
        };
        if (std::ranges::any_of(kinds, fits)) return std::nullopt;
        if (auto missing = find_missing_shape(kinds, node)) return missing;
        const std::uint64_t cpus =
            max_of(kinds, [&](const NodeKind& kind) { return usable_cpus(kind, partition_); });
        const std::uint64_t all_cpus =
            max_of(kinds, [](const NodeKind& kind) { return kind.cpus == 0 ? any_number : kind.cpus; });
        const bool is_capped = all_cpus != any_number && cpus < all_cpus; // known to be, by MaxCPUsPerNode
        if (demand_.bounds_whole_nodes() && is_capped)
            return text::format("partition {} gives a job at most {} of a node (MaxCPUsPerNode), and so no "
                                "whole nodes",
                                partition_.name, limits::format_amount("cpu", cpus));
        if (demand_.cpus() > cpus)
            return no_node(node, "that many CPUs", "cpu", cpus, demand_.cpus(),
                           is_capped ? " for a job (MaxCPUsPerNode)" : "") +
                   why_so_many_cpus();
        if (demand_.min_cpus() > all_cpus)
            return no_node(node, "that many CPUs", "cpu", all_cpus, demand_.min_cpus());
        const std::uint64_t on_threads =
            max_of(kinds, [&](const NodeKind& kind) { return demand_.cpus_on_used_threads(kind); });
        if (const std::uint64_t asked = std::max(demand_.cpus(), demand_.min_cpus()); asked > on_threads)
            return no_node(node, "that many CPUs", "cpu", on_threads, asked,
                           " on the threads that this job uses");
        const auto has_memory = [&](const NodesOfKind& some) {
            return some.kind->memory_mib == 0 || demand_.memory_mib(*some.kind) <= some.kind->memory_mib;
        };
        if (std::ranges::none_of(kinds, has_memory)) {
            const auto memory = [](const NodesOfKind& some) { return some.kind->memory_mib; };
            const NodeKind& largest = *std::ranges::max_element(kinds, {}, memory)->kind;
            return no_node(node, "that much memory", "mem", largest.memory_mib, demand_.memory_mib(largest)) +
                   why_so_much_memory();
        }
        if (const std::uint64_t gpus = max_of(kinds, [](const NodeKind& kind) { return gpus_of(kind); });
            nodes_.gpus_per_node() > gpus)
            return no_node(node, "that many GPUs", "gres/gpu", gpus, nodes_.gpus_per_node());
        if (auto missing = find_missing_gres(kinds, node)) return missing;
        if (!node.empty())
            return text::format("{} does not have all that this job asks for on each node", node);
        return text::format("{} has no node with all that this job asks for on each", name());
    }

    /// What no node of these kinds has enough of, of one model for example; `node` as above.
    [[nodiscard]] Sentence find_missing_gres(std::span<const NodesOfKind> kinds,
                                             std::string_view node) const {
        if (count_gres(request_.tres_per_node) != 1) return std::nullopt; // slurmctld may use one of several
        Sentence missing;
        model::for_each_gres_item(request_.tres_per_node, [&](const model::TresItem& item) {
            const std::uint64_t largest =
                max_of(kinds, [&](const NodeKind& kind) { return demand_.count_on(kind, item); });
            const std::string tres = item.tres_name();
            if (largest < item.count)
                missing =
                    no_node(node, "that many " + limits::tres_noun(tres).plural, tres, largest, item.count);
        });
        return missing;
    }

    /// " on 2 nodes", where the job may not have all of the partition's.
    [[nodiscard]] std::string on_nodes() const {
        if (nodes_.max_nodes() >= partition_.total_nodes) return "";
        return text::format(" on {}{}", limits::format_amount("node", nodes_.max_nodes()),
                            nodes_.max_nodes() == limit_.nodes ? ", the limit of " + limit_.owner : "");
    }

    /// A reservation may have some CPUs of its nodes only (CoreCnt). A job with whole nodes needs all of
    /// them.
    [[nodiscard]] Sentence find_missing_reserved_cpus() const {
        if (!named_.reserved || request_.overcommit) return std::nullopt;
        const bool takes_whole = demand_.takes_whole_nodes();
        const std::uint64_t asked =
            takes_whole
                ? nodes_.min(size_.nodes.value_or(1), [](const NodeKind& kind) { return kind.whole_cpus; })
                : size_.cpus.value_or(1);
        if (asked <= named_.reserved->cpus) return std::nullopt;
        return text::format("{} {}{}; this job {} {}", at_.its_reservations_have(),
                            at_.names_one_reservation() ? "" : "at most ",
                            limits::format_amount("cpu", named_.reserved->cpus),
                            takes_whole ? "takes whole nodes, with" : "asks for", asked);
    }

    [[nodiscard]] Sentence find_missing_nodes() const {
        const std::uint64_t asked = size_.nodes.value_or(1);
        std::uint64_t fitting = 0;
        for (const auto& [kind, count] : nodes_.all())
            if (nodes_.may_be_of_job(*kind)) fitting += count;
        if (asked <= fitting || asked > partition_.total_nodes) return std::nullopt;
        return text::format("{} of {} {} what this job asks for on each; it asks for {}",
                            limits::format_amount("node", fitting), name(), fitting == 1 ? "has" : "have",
                            limits::format_amount("node", asked));
    }

    [[nodiscard]] Sentence find_missing_gpus() const {
        Sentence problem;
        const auto check = [&](const model::TresItem& item, std::uint64_t asked) {
            if (item.name != "gpu") return;
            const auto count = [&](auto count_on) {
                return nodes_.max([&](const NodeKind& kind) { return (demand_.*count_on)(kind, item); });
            };
            if (const std::uint64_t max = count(&NodeDemand::count_on); max < asked)
                problem = text::format("{} has {}{}; this job asks for {}", name(),
                                       limits::format_amount(item.tres_name(), max), on_nodes(), asked);
            else if (const std::uint64_t usable = count(&NodeDemand::usable_on); usable < asked)
                problem = text::format("{} has room for {}{}{}; this job asks for {}", name(),
                                       limits::format_amount(item.tres_name(), usable), on_nodes(),
                                       describe_share_of(item, usable), asked);
        };
        // slurmctld uses only one of several entries for the same model.
        if (count_gres(request_.tres_per_job) == 1)
            model::for_each_gres_item(request_.tres_per_job,
                                      [&](const model::TresItem& item) { check(item, item.count); });
        if (count_gres(request_.tres_per_task) == 1 && !problem)
            model::for_each_gres_item(request_.tres_per_task, [&](const model::TresItem& item) {
                check(item, saturated_product(item.count, size_.tasks.value_or(1)));
            });
        return problem;
    }

    /// " with 20 CPUs each (a node has at most 64 CPUs)": what the job asks for beside each gres, of which so
    /// many are usable.
    [[nodiscard]] std::string describe_share_of(const model::TresItem& item, std::uint64_t usable) const {
        std::vector<std::string> shares, nodes;
        const auto add = [&](const std::optional<std::string>& text, std::string_view tres, auto amount_on) {
            std::uint64_t share = 0, largest = 0;
            model::for_each_gres_item(text, [&](const model::TresItem& each) {
                if (each.is_same_tres(item) || (each.kind.empty() && each.is_same_resource(item)))
                    share = std::max(share, each.count);
            });
            for (const NodesOfKind& some : nodes_.all())
                if (demand_.count_on(*some.kind, item) != 0)
                    largest = std::max(largest, amount_on(*some.kind));
            if (share == 0) return;
            shares.push_back(limits::format_amount(tres, share));
            if (largest != 0 && largest != any_number) nodes.push_back(limits::format_amount(tres, largest));
        };
        add(request_.cpus_per_tres, "cpu",
            [&](const NodeKind& kind) { return usable_cpus(kind, partition_); });
        add(request_.memory_per_tres, "mem", [](const NodeKind& kind) { return kind.memory_mib; });
        return text::format(
            " with {}{}{}", text::join(shares, " and "), usable == 1 ? "" : " each",
            nodes.empty() ? "" : text::format(" (a node has at most {})", text::join(nodes, " and ")));
    }

    /// Tasks that do not fit on the nodes although the partition has enough CPUs in total. If it has not, the
    /// partition rule on its total explains that.
    [[nodiscard]] Sentence find_missing_room() const {
        const std::uint64_t asked = size_.tasks.value_or(0);
        const auto total_cpus = bounds::total_cpus.value_of(partition_);
        // With --gpus, --ntasks-per-node is no maximum.
        const bool may_have_more = request_.tasks_per_node && request_.tres_per_job;
        if (request_.overcommit || asked <= 1 || count_gres(request_.tres_per_task) > 1 || may_have_more ||
            (total_cpus && size_.cpus.value_or(0) > *total_cpus))
            return std::nullopt;
        const std::uint64_t max = nodes_.max(
            [&](const NodeKind& kind) { return nodes_.may_be_of_job(kind) ? demand_.tasks_on(kind) : 0; });
        if (asked <= max) return std::nullopt;
        const std::uint64_t asked_cpus = saturated_product(asked, demand_.cpus_per_task());
        if (at_.resolved.context.release.follows(limits::rules::adds_up_cpus_of_nodes) &&
            asked_cpus <= nodes_.max([&](const NodeKind& kind) {
                return nodes_.may_be_of_job(kind) ? demand_.cpus_for_tasks_on(kind) : 0;
            }))
            return std::nullopt;
        return text::format("{} has room for {} {} of this job{}; it asks for {}{}", name(), max,
                            max == 1 ? "task" : "tasks", on_nodes(), asked, describe_task());
    }

    /// " (2 CPUs each, 2G of memory per CPU)"
    [[nodiscard]] std::string describe_task() const {
        const std::string cpus = limits::format_amount("cpu", demand_.cpus_per_task());
        if (demand_.memory_per_cpu() != 0)
            return text::format(" ({} each, {} of memory per CPU)", cpus,
                                format_memory(demand_.memory_per_cpu()));
        return demand_.cpus_per_task() == 1 ? "" : text::format(" ({} each)", cpus);
    }

    const AdviceCase& at_;
    const JobRequest& request_;
    const Partition& partition_;
    const model::Cluster& cluster_;
    const NamedNodes& named_;
    NodeLimit limit_;
    PossibleNodes nodes_;
    const JobSize& size_;
    const NodeDemand& demand_;
};

/// The request once for each alternative of its --constraint, which has some: all of its nodes take the same
/// one.
[[gnu::cold]] std::vector<JobRequest> with_alternatives(const JobRequest& request) {
    std::vector<JobRequest> ways;
    for (const std::string& features : alternatives_of(*request.features))
        ways.emplace_back(request).features = features;
    return ways;
}

} // namespace

void advise_on_size(const AdviceCase& at, AdviceLines& lines) {
    std::vector<Problem> problems;
    const auto& partitions = at.view().partitions;
    if (partitions.size() > max_partitions_by_node) return;
    std::vector<JobRequest> alternatives;
    if (at.request.features && kind_of_constraint(*at.request.features) == ConstraintKind::alternatives)
        alternatives = with_alternatives(at.request);
    std::span<const JobRequest> ways(alternatives);
    if (ways.empty()) ways = {&at.request, 1};
    for (std::size_t i = 0; i < partitions.size(); ++i)
        for (const JobRequest& way : ways) {
            const PartitionFit fit(at, way, *partitions[i].partition, find_node_limit(at, i));
            auto problem = fit.find_problem();
            if (!problem) return;
            problems.push_back(*std::move(problem));
        }
    for (Problem& problem : problems)
        lines.add(std::move(problem.sentence), problem.handling);
}

} // namespace qg::gate
