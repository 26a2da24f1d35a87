// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/field_values.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <limits>

namespace qg::spec {
namespace {

template <typename Map>
std::vector<std::string> names_of(const Map& map) {
    std::vector<std::string> names;
    for (const auto& entry : map)
        if (!entry.first.empty()) names.push_back(entry.first);
    return names;
}

std::uint64_t count_of(const Share& share, std::uint64_t capacity) {
    // Slurm's columns are signed.
    constexpr auto max_stored = static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max());
    const long double exact =
        static_cast<long double>(share.percent) * static_cast<long double>(capacity) / 100;
    if (!(exact > 0)) return 0;
    // 0.7 % of 1000 is 7, although 0.7 has no exact representation: a double is that close to what was
    // written.
    const long double written = exact * (1 + std::numeric_limits<double>::epsilon());
    const std::uint64_t most = std::min(capacity, max_stored);
    if (written >= static_cast<long double>(most)) return most;
    return std::max<std::uint64_t>(1, static_cast<std::uint64_t>(written));
}

class Resolver {
  public:
    Resolver(const model::QosField& field, const DesiredField& desired, const model::QosRecord& held,
             const std::map<std::string, model::TresLimits>& capacity)
        : field_(field), desired_(desired), held_(held), capacity_(capacity) {}

    ResolvedField resolve(const DesiredTres& desired) && {
        const model::FieldValue held = get_field(field_, held_);
        model::TresLimits limits;
        if (!desired.is_whole && std::holds_alternative<model::TresLimits>(held))
            limits = std::get<model::TresLimits>(held);
        for (const auto& [tres, count] : desired.counts) {
            limits.erase(tres);
            if (const auto number = to_number(tres, count)) limits.emplace(tres, *number);
        }
        result_.value = std::move(limits);
        return std::move(result_);
    }

  private:
    std::optional<std::uint64_t> to_number(const std::string& tres, const DesiredCount& count) {
        if (const auto* number = std::get_if<std::uint64_t>(&count)) return *number;
        if (const auto* share = std::get_if<Share>(&count)) return to_number(tres, *share);
        return {};
    }

    std::optional<std::uint64_t> to_number(const std::string& tres, const Share& share) {
        const auto refuse = [&](std::string_view why) {
            result_.problems.push_back(
                {place_of(desired_.entries, tres, desired_.position),
                 text::format("{}: {}={:g}%: {}", field_.name, text::printable(tres), share.percent, why)});
            return std::nullopt;
        };
        if (!field_.unit.empty()) return refuse("a share counts TRES, and this field counts TRES x minutes");
        if (capacity_.empty())
            return refuse("slurmctld did not answer, so what the cluster has is not known");
        const auto place = capacity_.find(share.partition);
        if (place == capacity_.end())
            return refuse(text::format("there is no partition '{}'{}", text::printable(share.partition),
                                       text::did_you_mean(share.partition, names_of(capacity_))));
        const auto has = place->second.find(tres);
        if (has == place->second.end() || has->second == 0)
            return refuse(text::format(
                "{} has no {}{}",
                share.partition.empty() ? std::string("the cluster")
                                        : text::format("partition '{}'", text::printable(share.partition)),
                text::printable(tres), text::did_you_mean(tres, names_of(place->second))));
        const std::uint64_t count = count_of(share, has->second);
        result_.shares.push_back({held_.name, std::string(field_.name), tres, share, count});
        return count;
    }

    const model::QosField& field_;
    const DesiredField& desired_;
    const model::QosRecord& held_;
    const std::map<std::string, model::TresLimits>& capacity_;
    ResolvedField result_;
};

} // namespace

ResolvedField resolve_field(const model::QosField& field, const DesiredField& desired,
                            const model::QosRecord& held,
                            const std::map<std::string, model::TresLimits>& capacity) {
    if (const auto* tres = std::get_if<DesiredTres>(&desired.value))
        return Resolver(field, desired, held, capacity).resolve(*tres);
    return {std::get<model::FieldValue>(desired.value), {}, {}};
}

} // namespace qg::spec
