// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/tres_table.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/connection.hpp"

#include <limits>

namespace qg::slurmdb {
namespace {

std::vector<std::string> in_order(const std::map<std::uint32_t, std::string>& names) {
    std::vector<std::string> list;
    for (const auto& [id, name] : names)
        list.push_back(name);
    return list;
}

} // namespace

TresTable::TresTable(std::map<std::uint32_t, std::string> names)
    : names_(std::move(names)), catalogue_(in_order(names_)) {}

Result<TresTable> TresTable::load(Connection& connection) {
    slurmdb_tres_cond_t everything{};
    slurmdb_init_tres_cond(&everything, 0);
    const auto list =
        connection.ask("read the TRES", [&](void* handle) { return slurmdb_tres_get(handle, &everything); });
    if (!list) return list.error();
    std::map<std::uint32_t, std::string> names;
    slurm::for_each<slurmdb_tres_rec_t>(list->get(), [&](const slurmdb_tres_rec_t& tres) {
        std::string name = tres.type == nullptr ? "" : tres.type;
        if (tres.name != nullptr && *tres.name != '\0') name += std::string("/") + tres.name;
        names.emplace(tres.id, std::move(name));
    });
    return TresTable(std::move(names));
}

std::optional<std::uint32_t> TresTable::find_id(std::string_view name) const {
    for (const auto& [id, known] : names_)
        if (text::iequals(known, name)) return id;
    const auto number = text::parse_unsigned(name);
    if (number && *number <= std::numeric_limits<std::uint32_t>::max())
        return static_cast<std::uint32_t>(*number);
    return std::nullopt;
}

model::TresLimits TresTable::parse(std::string_view ids_and_counts) const {
    model::TresLimits limits;
    for (std::string_view part : text::split(ids_and_counts, ',')) {
        const auto equals = part.find('=');
        if (equals == std::string_view::npos) continue;
        const auto id = text::parse_unsigned(part.substr(0, equals));
        const auto count = text::parse_unsigned(part.substr(equals + 1));
        if (!id || !count || *count == INFINITE64) continue;
        const auto known = names_.find(static_cast<std::uint32_t>(*id));
        limits[known != names_.end() ? known->second : std::to_string(*id)] = *count;
    }
    return limits;
}

} // namespace qg::slurmdb
