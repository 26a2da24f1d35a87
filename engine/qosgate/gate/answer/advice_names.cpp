// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/advice_case.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/nodes/reservations.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <optional>
#include <span>
#include <utility>

namespace qg::gate {
namespace {

/// Whether a host list has a bracket without its other half; slurmctld knows no such name.
bool lacks_bracket(std::string_view list) noexcept {
    bool is_open = false;
    for (const char letter : list) {
        if (letter == (is_open ? '[' : ']')) return true;
        is_open = letter == '[' || (is_open && letter != ']');
    }
    return is_open;
}

using model::Partition;

class NameAdviser {
  public:
    NameAdviser(const AdviceCase& at, bool may_tell_partitions, AdviceLines& lines)
        : at_(at), may_tell_partitions_(may_tell_partitions), lines_(lines) {}

    void run() {
        if (at_.cluster.names) check_names(*at_.cluster.names);
        if (at_.cluster.names && !at_.cluster.names->nodes.empty()) check_node_lists(*at_.cluster.names);
    }

  private:
    void check_names(const model::KnownNames& names) {
        if (at_.request.reservation && at_.knows_reservations) check_reservations(names);
        if (at_.request.licenses) check_licenses(names.licenses);
        for (const auto& text : {&at_.request.features, &at_.request.prefer})
            if (*text) check_features(**text, names);
        for (const auto& text : {&at_.request.tres_per_job, &at_.request.tres_per_node,
                                 &at_.request.tres_per_socket, &at_.request.tres_per_task})
            if (*text) check_gres(**text, names);
    }

    /// Whether one more unknown name may be reported. A request may repeat a name hundreds of times, which
    /// adds no lines.
    bool may_report() {
        constexpr int max_unknown = 8;
        return !lines_.is_full() && unknown_++ < max_unknown;
    }

    /// Reports an unknown name, with similar names or else the known ones.
    /// The search for similar names is expensive and a request may contain hundreds of names, so a long list
    /// of known names is searched only once.
    void add_unknown(std::string_view what, std::string_view name, std::span<const std::string> known) {
        constexpr std::size_t max_for_all = 100;
        std::string better;
        if (!has_searched_ || known.size() <= max_for_all) better = text::did_you_mean(name, known);
        has_searched_ = true;
        if (better.empty() && !known.empty()) better = text::format(" (known: {})", text::list_names(known));
        lines_.add(text::format("no {} '{}' is known{}", what, text::printable(name, 64), better));
    }

    void check_reservations(const model::KnownNames& known) {
        std::optional<std::vector<std::string>> usable; // filled once: the lists of users are long
        text::for_each_part(*at_.request.reservation, ',', [&](std::string_view name) {
            if (const auto* one = find_reservation(known, name)) return check_reservation(*one);
            if (name.empty() || !may_report()) return;
            if (!usable) usable = usable_reservations(known.reservations);
            add_unknown("reservation", name, *usable);
        });
    }

    /// slurmctld refuses a job if one of its reservations is not for its user. [L22]
    void check_reservation(const model::Reservation& one) {
        if (is_for_others(one, at_.view()) && may_report())
            lines_.add(text::format("reservation {} is not for {} with account {}", one.name,
                                    at_.view().user_name, at_.view().account));
        else
            check_reservation_size(one);
    }

    /// slurmctld refuses a job that needs more nodes than its active reservation has, and lets it wait for
    /// one that is not active yet. With several, others may have enough. [L22]
    void check_reservation_size(const model::Reservation& one) {
        const std::uint64_t asked = nodes_needed(at_.resolved);
        if (at_.names_one_reservation() && may_tell(one, at_.view()) && one.nodes && asked > *one.nodes &&
            may_report())
            lines_.add(text::format(
                "reservation {} has {}; this job {} {}", one.name, limits::format_amount("node", *one.nodes),
                asked > at_.resolved.counter.sent().nodes.value_or(1) ? "gets the MinNodes of its partition,"
                                                                      : "asks for",
                asked));
    }

    /// The names that Slurm shows to the reader.
    [[nodiscard]] std::vector<std::string> shown_names(const model::NamesOfNodes& names) const {
        if (at_.view().hidden.partitions || at_.view().hidden.nodes) return {};
        if (at_.view().reader_is_operator) return names.all;
        std::vector<std::string> shown;
        std::ranges::set_difference(names.all, names.hidden, std::back_inserter(shown));
        return shown;
    }

    /// Reports a name that no node has, with similar names or else the known ones.
    void add_unknown(std::string_view what, std::string_view name, const model::NamesOfNodes& names) {
        if (may_report()) add_unknown(what, name, shown_names(names));
    }

    /// The reservations that may be named to the reader.
    [[nodiscard]] std::vector<std::string>
    usable_reservations(std::span<const model::Reservation> known) const {
        std::vector<std::string> names;
        if (at_.view().hidden.reservations) return names;
        for (const model::Reservation& one : known)
            if (at_.view().reader_is_operator || is_for_user(one, at_.view())) names.push_back(one.name);
        return names;
    }

    void check_licenses(std::span<const model::License> known) {
        if (at_.request.licenses->find('|') != std::string::npos) return; // one alternative is enough
        std::map<std::string_view, std::uint64_t> asked;                  // named twice: the sum
        const std::vector<model::TresItem> items = model::parse_licenses(*at_.request.licenses);
        for (const model::TresItem& item : items)
            asked[item.name] = model::LicensePart::sum(asked[item.name], item.count);
        for (const model::TresItem& item : items) {
            if (lines_.is_full()) return;
            const auto license = std::ranges::find(known, item.name, &model::License::name);
            if (license == known.end()) {
                if (!may_report()) return;
                std::vector<std::string> names;
                std::ranges::transform(known, std::back_inserter(names), &model::License::name);
                add_unknown("license", item.name, names);
            } else if (asked[item.name] > license->total) {
                const std::string tres = "license/" + license->name;
                lines_.add(text::format("this cluster has {}; this job asks for {}",
                                        limits::format_amount(tres, license->total), asked[item.name]));
            }
        }
    }

    void check_features(std::string_view rest, const model::KnownNames& known) {
        constexpr std::string_view separators = "&|,[]()*";
        for (char before = ' '; !rest.empty();) {
            const std::size_t end = std::min(rest.find_first_of(separators), rest.size());
            const std::string_view name = text::trim(rest.substr(0, end));
            const bool is_count = before == '*'; // "fast*4"
            if (!name.empty() && !is_count && !std::ranges::binary_search(known.features.all, name))
                add_unknown("feature", name, known.features);
            before = end < rest.size() ? rest[end] : ' ';
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }

    void check_gres(std::string_view text, const model::KnownNames& known) {
        model::for_each_tres_item(text, [&](const model::TresItem& item) {
            if (item.type != model::TresKind::gres || item.name.empty()) return;
            const std::string name =
                item.kind.empty() ? std::string(item.name) : text::format("{}:{}", item.name, item.kind);
            if (!std::ranges::binary_search(known.gres.all, name)) add_unknown("gres", name, known.gres);
        });
    }

    void check_node_lists(const model::KnownNames& known) {
        const KnownNodes &wanted = at_.named.required, &excluded = at_.named.excluded;
        const std::pair<const char*, std::string_view> lists[] = {
            {"--nodelist", at_.request.required_nodes ? *at_.request.required_nodes : std::string_view()},
            // A list that was cut may end within brackets.
            {"--exclude",
             at_.request.has_all_excluded ? at_.request.nodes_to_exclude() : std::string_view()}};
        for (const auto& [option, list] : lists)
            if (lacks_bracket(list))
                return lines_.add(text::format("{}: '{}' lacks a bracket: write n1,n2 or n[1-4,7]", option,
                                               text::printable(list, 64)));
        const std::optional<std::string>& unknown = wanted.unknown ? wanted.unknown : excluded.unknown;
        if (unknown) return add_unknown_node(*unknown, known);
        std::vector<std::uint32_t> both;
        std::ranges::set_intersection(wanted.indices, excluded.indices, std::back_inserter(both));
        if (!both.empty())
            return lines_.add(
                text::format("node {} is in --nodelist and in --exclude", known.name_of_node(both.front())));
        if (at_.named.knows_reserved() && !check_reserved_nodes(wanted, known)) return;
        if (!may_tell_partitions_) return;
        check_wanted_nodes(wanted, known);
        if (excluded.is_whole && !excluded.indices.empty()) check_excluded_nodes(excluded);
    }

    /// Suggests only nodes that the job may use and that are close in alphabetical order.
    void add_unknown_node(std::string_view name, const model::KnownNames& known) {
        constexpr std::ptrdiff_t reach = 16;
        const auto place = std::ranges::lower_bound(known.nodes, name) - known.nodes.begin();
        const auto end = std::min<std::ptrdiff_t>(place + reach, std::ssize(known.nodes));
        std::vector<std::string> near;
        for (auto i = static_cast<std::size_t>(std::max<std::ptrdiff_t>(place - reach, 0));
             std::cmp_less(i, end) && may_tell_partitions_ && !at_.view().hidden.nodes; ++i)
            if (!at_.are_all([&](const Partition& p) { return !p.has_node(known.node_indices[i]); }))
                near.push_back(known.nodes[i]);
        lines_.add(text::format("no node '{}' is known{}", text::printable(name, 64),
                                text::did_you_mean(name, near)));
    }

    /// The first of the nodes that the partition does not have.
    static std::optional<std::uint32_t> find_outside(const Partition& partition, const KnownNodes& nodes) {
        if (partition.nodes.empty()) return std::nullopt;
        const auto outside = std::ranges::find_if(
            nodes.indices, [&](std::uint32_t index) { return !partition.has_node(index); });
        return outside == nodes.indices.end() ? std::nullopt : std::optional(*outside);
    }

    /// slurmctld refuses a job, or never starts it, whose reservations lack a node of --nodelist, or have no
    /// node of its partitions. [L22] False: that is so.
    bool check_reserved_nodes(const KnownNodes& wanted, const model::KnownNames& known) {
        const std::string have = at_.its_reservations_have();
        const auto lacking = std::ranges::find_if_not(
            wanted.indices, [&](std::uint32_t index) { return at_.named.may_have(index); });
        if (lacking != wanted.indices.end()) {
            lines_.add(text::format("{} no node {} (--nodelist)", have, known.name_of_node(*lacking)));
            return false;
        }
        const auto has_none = [&](const Partition& partition) {
            return !partition.nodes.empty() && at_.named.reserved->in(partition).empty();
        };
        if (!may_tell_partitions_ || !at_.are_all(has_none)) return true;
        lines_.add(at_.view().partitions.size() > 1
                       ? text::format("{} no node of a partition of this job", have)
                       : text::format("{} no node of partition {}", have, at_.first_partition().name));
        return false;
    }

    void check_wanted_nodes(const KnownNodes& wanted, const model::KnownNames& known) {
        if (!at_.are_all([&](const Partition& p) { return find_outside(p, wanted).has_value(); })) return;
        if (at_.view().partitions.size() > 1)
            return lines_.add("no partition of this job has all nodes of --nodelist");
        const Partition& only = at_.first_partition();
        lines_.add(text::format("partition {} has no node {}", only.name,
                                known.name_of_node(*find_outside(only, wanted))));
    }

    /// Reports how many nodes --exclude leaves if they are too few.
    void check_excluded_nodes(const KnownNodes& excluded) {
        const std::uint64_t asked = at_.resolved.counter.sent().nodes.value_or(1);
        const auto left_of = [&](const Partition& partition) -> std::uint64_t {
            const auto taken = std::ranges::count_if(
                excluded.indices, [&](std::uint32_t index) { return partition.has_node(index); });
            return partition.total_nodes -
                   std::min<std::uint64_t>(static_cast<std::uint64_t>(taken), partition.total_nodes);
        };
        const auto has_too_few = [&](const Partition& partition) {
            return asked <= partition.total_nodes && left_of(partition) < asked;
        };
        if (!at_.are_all(has_too_few)) return;
        const Partition& first = at_.first_partition();
        lines_.add(
            text::format("--exclude leaves {} of partition {}; this job asks for {}",
                         left_of(first) == 0 ? "no node" : limits::format_amount("node", left_of(first)),
                         first.name, asked));
    }

    const AdviceCase& at_;
    bool may_tell_partitions_;
    AdviceLines& lines_;
    bool has_searched_ = false; ///< for similar names
    int unknown_ = 0;           ///< unknown names so far
};

} // namespace

void advise_on_names(const AdviceCase& at, bool may_tell_partitions, AdviceLines& lines) {
    NameAdviser(at, may_tell_partitions, lines).run();
}

} // namespace qg::gate
