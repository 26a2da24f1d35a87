// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/nearest.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/count_job.hpp"
#include "qosgate/gate/request_options.hpp"
#include "qosgate/gate/tres_request.hpp"
#include "qosgate/limits/schedule.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {
namespace {

using limits::CountLimit;
using limits::Relation;
using limits::TresLimit;
using limits::Violation;
using model::JobRequest;
using model::TresKind;

/// How often a proposal is mended before the search ends; one limit seldom uncovers another more than twice.
constexpr int max_rounds = 6;

/// Changes a request so that one violated limit is met. Each function says whether it could.
class Mending {
  public:
    Mending(JobRequest& request, const model::ResolvedJob& counted, const model::TresCatalogue& catalogue)
        : request_(request), counted_(counted), catalogue_(catalogue) {}

    bool mend(const Violation& violation) {
        if (const auto* count = std::get_if<CountLimit>(&violation.limit))
            return mend_count(*count, violation);
        if (!violation.tres) return false;
        if (is_minutes(std::get<TresLimit>(violation.limit))) return mend_minutes(violation);
        if (std::get<TresLimit>(violation.limit) == TresLimit::max_tres_per_node)
            return mend_tres(*violation.tres, violation.limit_value * nodes());
        return mend_tres(*violation.tres, violation.limit_value);
    }

  private:
    static bool is_minutes(TresLimit limit) {
        return limit == TresLimit::max_tres_mins_per_job || limit == TresLimit::grp_tres_mins ||
               limit == TresLimit::grp_tres_run_mins || limit == TresLimit::max_tres_run_mins_per_account ||
               limit == TresLimit::max_tres_run_mins_per_user;
    }

    bool mend_count(CountLimit limit, const Violation& violation) {
        if (limit == CountLimit::max_wall || limit == CountLimit::grp_wall)
            return set_time(violation.limit_value);
        if (violation.used >= violation.limit_value || !request_.array) return false;
        return cut_array(violation.limit_value - violation.used);
    }

    bool mend_minutes(const Violation& violation) {
        const std::uint64_t count = model::count_at(counted_.tres, *violation.tres);
        return count != 0 && set_time(violation.limit_value / count);
    }

    bool set_time(std::uint64_t minutes) {
        if (minutes == 0 || minutes >= TimeLimit::unlimited_minutes) return false;
        request_.time_limit = TimeLimit{static_cast<std::uint32_t>(minutes)};
        return true;
    }

    /// The longest beginning of the array that has at most `tasks` tasks, for plain ranges only.
    bool cut_array(std::uint64_t tasks) {
        const std::string_view whole = *request_.array;
        const auto percent = whole.find('%');
        const std::string_view range = whole.substr(0, percent);
        const auto dash = range.find('-');
        if (range.find_first_of(",:") != std::string_view::npos || dash == std::string_view::npos)
            return false;
        const auto first = text::parse_unsigned(range.substr(0, dash));
        if (!first || tasks == 0) return false;
        const std::string throttle(percent == std::string_view::npos ? "" : whole.substr(percent));
        request_.array = text::format("{}-{}{}", *first, *first + tasks - 1, throttle);
        return true;
    }

    std::uint64_t nodes() const {
        const auto node = catalogue_.node();
        return std::max<std::uint64_t>(node ? model::count_at(counted_.tres, *node) : 1, 1);
    }
    std::uint64_t tasks() const { return std::max<std::uint64_t>(request_.tasks.value_or(1), 1); }

    /// Makes the request come to `target` of a TRES.
    bool mend_tres(std::size_t tres, std::uint64_t target) {
        switch (catalogue_.kind(tres)) {
        case TresKind::cpu: return set_cpus(target);
        case TresKind::node: return set_nodes(target);
        case TresKind::mem: return set_memory(target);
        case TresKind::gres: return set_gres(catalogue_.name(tres), target);
        case TresKind::license: return set_items(request_.licenses, catalogue_.name(tres), target, 1);
        case TresKind::energy:
        case TresKind::billing:
        case TresKind::bb:
        case TresKind::other: return false;
        }
        return false;
    }

    bool set_cpus(std::uint64_t target) {
        const std::uint64_t per_task = std::max<std::uint64_t>(request_.cpus_per_task.value_or(1), 1);
        const std::uint64_t fitting = target / per_task;
        if (target == 0 || request_.tasks_per_node || request_.overcommit) return false;
        if (fitting >= 1) {
            request_.tasks = static_cast<std::uint32_t>(fitting);
            request_.min_cpus = static_cast<std::uint32_t>(fitting * per_task);
            if (fitting < nodes()) set_nodes(fitting);
            return true;
        }
        request_.cpus_per_task = static_cast<std::uint32_t>(target);
        request_.tasks = 1;
        request_.min_cpus = static_cast<std::uint32_t>(target);
        if (nodes() > 1) set_nodes(1);
        return true;
    }

    bool set_nodes(std::uint64_t target) {
        if (target == 0 || request_.required_nodes) return false;
        request_.min_nodes = static_cast<std::uint32_t>(target);
        if (request_.max_nodes && *request_.max_nodes >= nodes()) request_.max_nodes = request_.min_nodes;
        return true;
    }

    bool set_memory(std::uint64_t target) {
        if (request_.memory_per_tres) return false;
        const auto cpu = catalogue_.find(TresKind::cpu);
        const bool per_cpu = request_.memory && request_.memory->per_cpu;
        const std::uint64_t parts = per_cpu && cpu ? model::count_at(counted_.tres, *cpu) : nodes();
        if (parts == 0 || target / parts == 0) return false;
        request_.memory = model::Memory{target / parts, per_cpu};
        return true;
    }

    /// Changes the entry of `tres` in one TRES text so that it comes to at most (or, upwards, at least)
    /// `target`.
    bool set_items(std::optional<std::string>& text, const std::string& tres, std::uint64_t target,
                   std::uint64_t times) {
        if (!text) return false;
        auto items = text == request_.licenses ? parse_licenses(*text) : parse_tres_request(*text);
        const auto item = std::find_if(items.begin(), items.end(), [&](const TresItem& i) {
            return i.tres_name() == tres || i.untyped_tres_name() == tres;
        });
        if (item == items.end()) return false;
        const bool is_raise = target > item->count * times;
        item->count = is_raise ? (target + times - 1) / times : target / times;
        if (item->count == 0) items.erase(item);
        if (items.empty())
            text.reset();
        else
            text = format_tres_request(items);
        return true;
    }

    bool set_gres(const std::string& tres, std::uint64_t target) {
        const std::uint64_t sockets =
            std::max<std::uint64_t>(request_.sockets_per_node.value_or(1), 1) * nodes();
        // Each way of asking that is in use has to fit.
        bool done = set_items(request_.tres_per_job, tres, target, 1);
        done = set_items(request_.tres_per_node, tres, target, nodes()) || done;
        done = set_items(request_.tres_per_socket, tres, target, sockets) || done;
        done = set_items(request_.tres_per_task, tres, target, tasks()) || done;
        if (done || target == 0 || !tres.starts_with("gres/")) return done;
        // Nothing asked for it yet: a minimum that is not met.
        request_.tres_per_node = text::format("gres:{}:{}", tres.substr(5), (target + nodes() - 1) / nodes());
        return true;
    }

    JobRequest& request_;
    const model::ResolvedJob& counted_;
    const model::TresCatalogue& catalogue_;
};

/// The violations that keep a counted proposal from the goal.
std::vector<Violation> find_obstacles(const model::ResolvedJob& counted, const model::AccountView& view,
                                      limits::Release release, limits::Strictness strictness, Goal goal) {
    auto verdict = limits::evaluate_submit(view, counted, release, strictness);
    if (!verdict.accepted() || goal == Goal::accepted) return std::move(verdict.violations);
    auto later =
        limits::evaluate_schedule(view, counted, verdict.time_limit, verdict.time_set_by_limit, release);
    std::vector<Violation> obstacles;
    for (auto* stage : {&later.pre_select, &later.post_select})
        std::copy_if(stage->begin(), stage->end(), std::back_inserter(obstacles),
                     [](const Violation& v) { return v.is_permanent(); });
    if (later.node_limit && later.node_limit->asked > later.node_limit->limit_value)
        obstacles.push_back(*later.node_limit);
    return obstacles;
}

} // namespace

std::optional<std::string> find_nearest(const JobRequest& request, const model::AccountView& view,
                                        const model::Cluster& cluster, limits::Release release,
                                        limits::Strictness strictness, Goal goal) {
    JobRequest proposal = request;
    for (int round = 0; round < max_rounds; ++round) {
        const model::ResolvedJob counted = count_job(proposal, view, cluster, release);
        const auto obstacles = find_obstacles(counted, view, release, strictness, goal);
        if (obstacles.empty()) {
            std::string options = format_changed_options(request, proposal);
            return options.empty() ? std::nullopt : std::optional(std::move(options));
        }
        Mending mending(proposal, counted, *view.tres);
        // Fewer nodes make everything smaller that is asked for per node, so they come first, by themselves.
        const auto nodes = std::find_if(obstacles.begin(), obstacles.end(), [&](const Violation& v) {
            return v.tres && v.tres == view.tres->node();
        });
        const auto first = nodes == obstacles.end() ? obstacles.begin() : nodes;
        const auto last = nodes == obstacles.end() ? obstacles.end() : nodes + 1;
        if (!std::all_of(first, last, [&](const Violation& v) { return mending.mend(v); }))
            return std::nullopt;
    }
    return std::nullopt;
}

} // namespace qg::gate
