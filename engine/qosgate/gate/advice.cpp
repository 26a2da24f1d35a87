// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/advice.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/partition_rules.hpp"
#include "qosgate/gate/tres_request.hpp"
#include "qosgate/limits/catalogue.hpp"

#include <algorithm>
#include <iterator>
#include <optional>
#include <span>
#include <utility>

namespace qg::gate {
namespace {

using model::Partition;
using model::PartitionChoice;

/// How many lines a job gets at most.
constexpr std::size_t most_lines = 5;

/// Whether a list of users or accounts lets one of the names in: it names it, or, where it says with a minus
/// who is left out, it names none of them.
bool lists(std::span<const std::string> list, std::span<const std::string_view> names) {
    const bool leaves_out = list.front().starts_with('-');
    const bool is_named = std::ranges::any_of(list, [&](std::string_view entry) {
        if (leaves_out)
            entry.remove_prefix(std::min<std::size_t>(entry.find_first_not_of('-'), entry.size()));
        return std::ranges::any_of(names, [&](std::string_view name) { return text::iequals(entry, name); });
    });
    return is_named != leaves_out;
}

/// Whether the job's user, with its account, surely may use a reservation.
bool is_for_user(const model::Reservation& reservation, const model::AccountView& view) {
    if (reservation.has_groups || (reservation.users.empty() && reservation.accounts.empty())) return false;
    const std::string_view user = view.user_name;
    std::vector<std::string_view> accounts{view.account};
    for (const model::Association& link : view.associations)
        accounts.push_back(link.account);
    return (reservation.users.empty() || lists(reservation.users, std::span(&user, 1))) &&
           (reservation.accounts.empty() || lists(reservation.accounts, accounts));
}

class Adviser {
  public:
    Adviser(const model::JobRequest& request, const model::AccountView& view, const model::Cluster& cluster)
        : request_(request), view_(view), cluster_(cluster) {}

    std::vector<std::string> run() {
        const bool may_tell_partitions = !view_.partitions.empty() && !has_hidden_partition(view_);
        if (may_tell_partitions) look_at_partitions();
        if (cluster_.names) look_at_names(*cluster_.names);
        if (may_tell_partitions) look_at_nodes();
        return std::move(lines_);
    }

  private:
    [[nodiscard]] bool is_full() const noexcept { return lines_.size() >= most_lines; }

    [[gnu::cold]] void add(std::string line) {
        if (!is_full()) lines_.push_back(std::move(line));
    }

    template <typename Is>
    [[nodiscard]] bool are_all(Is is) const {
        return std::ranges::all_of(view_.partitions,
                                   [&](const PartitionChoice& choice) { return is(*choice.partition); });
    }

    void look_at_partitions() {
        const Partition& first = *view_.partitions.front().partition;
        if (are_all([](const Partition& p) { return !p.takes_jobs && !p.has_alternate; }))
            add(text::format("partition {} is {}: it takes no new jobs", first.name,
                             first.starts_jobs ? "drained" : "inactive"));
        if (view_.partitions.size() > 1) return; // slurmctld does not always want each to be open
        if (first.needs_reservation && !request_.reservation)
            add(text::format("partition {} is for jobs in a reservation: add --reservation=NAME",
                             first.name));
        if (first.is_for_root && request_.submit_uid != 0 && request_.submit_uid != cluster_.slurm_user_id)
            add(text::format("partition {} is for jobs that root submits", first.name));
    }

    void look_at_names(const model::KnownNames& names) {
        if (request_.reservation) look_at_reservations(names.reservations);
        if (request_.licenses) look_at_licenses(names.licenses);
        if (request_.features) look_at_features(names.features);
        for (const auto& text : {&request_.tres_per_job, &request_.tres_per_node, &request_.tres_per_socket,
                                 &request_.tres_per_task})
            if (*text) look_at_gres(**text, names.gres);
    }

    /// Says of a name that it is not known, and which is near, or else which there are.
    /// Bounded: a request may name hundreds, and each search for a near name costs.
    void add_unknown(std::string_view what, std::string_view name, std::span<const std::string> known) {
        if (is_full()) return;
        std::string better = text::did_you_mean(name, known);
        if (better.empty() && !known.empty()) better = text::format(" (known: {})", text::list_names(known));
        add(text::format("no {} '{}' is known{}", what, text::printable(name, 64), better));
    }

    void look_at_reservations(std::span<const model::Reservation> known) {
        std::optional<std::vector<std::string>> usable; // their lists of users are long: read once
        text::for_each_part(*request_.reservation, ',', [&](std::string_view name) {
            if (is_full() || name.empty() ||
                std::ranges::binary_search(known, name, {}, &model::Reservation::name))
                return;
            if (!usable) usable = usable_reservations(known);
            add_unknown("reservation", name, *usable);
        });
    }

    /// Those that may be named to the reader.
    [[nodiscard]] std::vector<std::string>
    usable_reservations(std::span<const model::Reservation> known) const {
        std::vector<std::string> names;
        if (view_.hidden.reservations) return names;
        for (const model::Reservation& one : known)
            if (view_.reader_is_operator || is_for_user(one, view_)) names.push_back(one.name);
        return names;
    }

    void look_at_licenses(std::span<const model::License> known) {
        if (request_.licenses->find('|') != std::string::npos) return; // one of several will do
        for (const TresItem& item : parse_licenses(*request_.licenses)) {
            if (is_full()) return;
            const auto license = std::ranges::find(known, item.name, &model::License::name);
            if (license == known.end()) {
                std::vector<std::string> names;
                std::ranges::transform(known, std::back_inserter(names), &model::License::name);
                add_unknown("license", item.name, names);
            } else if (item.count > license->total) {
                const std::string tres = "license/" + license->name;
                add(text::format("this cluster has {}; this job asks for {}",
                                 limits::format_amount(tres, license->total), item.count));
            }
        }
    }

    void look_at_features(std::span<const std::string> known) {
        constexpr std::string_view separators = "&|,[]()*";
        std::string_view rest = *request_.features;
        for (char before = ' '; !rest.empty();) {
            const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
            const std::string_view name = text::trim(rest.substr(0, end));
            const bool is_count = before == '*'; // "fast*4"
            if (!name.empty() && !is_count && !std::ranges::binary_search(known, name))
                add_unknown("feature", name, known);
            before = end < rest.size() ? rest[end] : ' ';
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    void look_at_gres(std::string_view text, std::span<const std::string> known) {
        for_each_tres_item(text, [&](const TresItem& item) {
            if (item.type != model::TresKind::gres || item.name.empty()) return;
            const std::string name =
                item.kind.empty() ? std::string(item.name) : text::format("{}:{}", item.name, item.kind);
            if (!std::ranges::binary_search(known, name)) add_unknown("gres", name, known);
        });
    }

    /// The GPUs asked for on each node, of all models together; 0 where that is not certain. Of two entries
    /// for one model (--gres beside --gpus-per-node) slurmctld takes one; next to models one without any is
    /// not counted.
    std::uint64_t gpus_per_node() const {
        if (!request_.tres_per_node) return 0;
        constexpr std::size_t max_models = 8;
        std::vector<std::string_view> models;
        std::uint64_t of_models = 0;
        std::optional<std::uint64_t> of_any;
        bool is_certain = true;
        for_each_tres_item(*request_.tres_per_node, [&](const TresItem& item) {
            if (item.type != model::TresKind::gres || item.name != "gpu" || !is_certain) return;
            if (item.kind.empty()) {
                is_certain = !of_any;
                of_any = item.count;
                return;
            }
            is_certain = models.size() < max_models && std::ranges::find(models, item.kind) == models.end();
            models.push_back(item.kind);
            of_models += item.count;
        });
        if (!is_certain) return 0;
        return models.empty() ? of_any.value_or(0) : of_models;
    }

    /// What no node has. A number of 0 is not known.
    void look_at_nodes() {
        if (request_.memory && !request_.memory->per_cpu)
            look_at_size("that much memory", request_.memory->mib, &model::LargestNode::memory_mib, "mem");
        look_at_size("that many CPUs", request_.cpus_per_task.value_or(0), &model::LargestNode::cpus, "cpu");
        const std::uint64_t gpus = gpus_per_node();
        look_at_size("that many GPUs", gpus, &model::LargestNode::gpus, "gres/gpu");
    }

    void look_at_size(std::string_view what, std::uint64_t asked, std::uint64_t model::LargestNode::*most,
                      std::string_view tres) {
        const auto has = [&](const Partition& partition) { return partition.largest.*most; };
        if (asked == 0 || !are_all([&](const Partition& p) { return has(p) != 0 && has(p) < asked; })) return;
        std::uint64_t largest = 0;
        for (const PartitionChoice& choice : view_.partitions)
            largest = std::max(largest, has(*choice.partition));
        add(text::format("no node of partition {} has {}: the largest has {}, this job asks for {}",
                         view_.partitions.front().partition->name, what,
                         model::format_tres_count(tres, largest), model::format_tres_count(tres, asked)));
    }

    const model::JobRequest& request_;
    const model::AccountView& view_;
    const model::Cluster& cluster_;
    std::vector<std::string> lines_;
};

} // namespace

std::vector<std::string> advice_lines(const model::JobRequest& request, const model::AccountView& view,
                                      const model::Cluster& cluster) {
    const bool names_anything = request.reservation || request.licenses || request.features ||
                                request.tres_per_node || request.tres_per_job || request.tres_per_socket ||
                                request.tres_per_task || request.memory || request.cpus_per_task;
    const auto is_open = [](const PartitionChoice& choice) { return choice.partition->is_open(); };
    if (!names_anything && std::ranges::all_of(view.partitions, is_open)) return {};
    return Adviser(request, view, cluster).run();
}

} // namespace qg::gate
