// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/model/tres.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/base/units.hpp"
#include "qosgate/model/amount_text.hpp"

#include <algorithm>
#include <array>

namespace qg::model {
namespace {

struct KindName {
    std::string_view name; ///< whole name, or a type when it ends with '/'
    TresKind kind;
};

constexpr std::array<KindName, 8> kind_names{{
    {"cpu", TresKind::cpu},
    {"mem", TresKind::mem},
    {"energy", TresKind::energy},
    {"node", TresKind::node},
    {"billing", TresKind::billing},
    {"bb/", TresKind::bb},
    {"gres/", TresKind::gres},
    {"license/", TresKind::license},
}};

constexpr std::string_view gres_prefix = "gres/";

/// The name as slurm.conf writes it: "gpu" and "gpu:a100", and names of other kinds that slurm.conf must
/// list. Empty: not such a kind.
std::string configured_name(std::string_view name) {
    constexpr std::string_view gpu = "gpu";
    const bool is_gpu =
        text::istarts_with(name, gpu) && (name.size() == gpu.size() || name[gpu.size()] == ':');
    if (is_gpu) return std::string(gres_prefix) + std::string(name);
    const TresKind kind = kind_of(name);
    const bool is_typed = kind == TresKind::gres || kind == TresKind::license || kind == TresKind::bb;
    return is_typed ? std::string(name) : std::string();
}

Error bad_tres(std::string_view part, std::string_view why) {
    return {ErrorCode::invalid_input, text::format("'{}': {}", text::printable(part), why)};
}

} // namespace

TresKind kind_of(std::string_view tres_name) noexcept {
    for (const KindName& entry : kind_names) {
        const bool is_type = entry.name.back() == '/';
        if (is_type ? text::istarts_with(tres_name, entry.name) : text::iequals(tres_name, entry.name))
            return entry.kind;
    }
    return TresKind::other;
}

TresCatalogue::TresCatalogue(std::vector<std::string> names) : names_(std::move(names)) {
    kinds_.reserve(names_.size());
    for (std::size_t i = 0; i < names_.size(); ++i) {
        kinds_.push_back(kind_of(names_[i]));
        auto& first = first_of_[static_cast<std::size_t>(kinds_[i])];
        if (!first) first = i;
    }
    gpu_ = find("gres/gpu");
}

std::shared_ptr<const TresCatalogue> TresCatalogue::built_in() {
    static const auto catalogue = std::make_shared<const TresCatalogue>(
        std::vector<std::string>{"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"});
    return catalogue;
}

std::optional<std::size_t> TresCatalogue::find(std::string_view name) const noexcept {
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (text::iequals(names_[i], name)) return i;
    for (std::size_t i = 0; i < names_.size(); ++i)
        if (kinds_[i] == TresKind::gres &&
            text::iequals(std::string_view(names_[i]).substr(gres_prefix.size()), name))
            return i;
    return std::nullopt;
}

std::string hint_for_unknown(const TresCatalogue& catalogue, std::string_view name) {
    const std::string configured = configured_name(name);
    std::vector<std::string> names;
    for (std::size_t i = 0; i < catalogue.size(); ++i) {
        const std::string& known = catalogue.name(i);
        if (configured.empty() || !configured_name(known).empty()) names.push_back(known);
        if (catalogue.kind(i) == TresKind::gres) names.push_back(known.substr(gres_prefix.size()));
    }
    std::string near = text::did_you_mean(name, names);
    if (!near.empty() || configured.empty()) return near;
    return text::format("; to count it, add {} to AccountingStorageTRES in slurm.conf",
                        text::printable(configured, 64));
}

std::string format_tres_count(std::string_view tres_name, std::uint64_t count) {
    return kind_of(tres_name) == TresKind::mem ? units::format_mib(count) : std::to_string(count);
}

Result<TresList> parse_tres_list(const TresCatalogue& catalogue, std::string_view text) {
    TresList list;
    for (std::string_view part : text::split(text, ',')) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos)
            return bad_tres(part, "write NAME=COUNT, for example gres/gpu=2");
        const std::string_view name = text::trim(part.substr(0, equals));
        const std::string_view count = text::trim(part.substr(equals + 1));
        const auto index = catalogue.find(name);
        if (!index)
            return bad_tres(part, "this cluster tracks no TRES of that name" +
                                      hint_for_unknown(catalogue, name) + " (it tracks " +
                                      text::join(catalogue.names(), ", ") + ")");
        const std::string& canonical = catalogue.name(*index);
        if (std::any_of(list.begin(), list.end(), [&](const auto& seen) { return seen.first == canonical; }))
            return bad_tres(part, canonical + " is given twice");
        if (count == "-1") {
            list.emplace_back(canonical, std::nullopt);
            continue;
        }
        const auto value = parse_tres_count(canonical, count);
        if (!value) return value.error().in(text::printable(part));
        list.emplace_back(canonical, *value);
    }
    return list;
}

} // namespace qg::model
