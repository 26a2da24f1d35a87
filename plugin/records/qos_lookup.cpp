// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/qos_lookup.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/values.hpp"

namespace qg::plugin {
namespace {

/// FNV-1a over the letters, ASCII case ignored.
std::uint32_t hash_of(std::string_view name) noexcept {
    std::uint32_t hash = 2166136261u;
    for (const char letter : name)
        hash = (hash ^ static_cast<unsigned char>(text::to_lower(letter))) * 16777619u;
    return hash;
}

} // namespace

template <typename Matches>
const slurmdb_qos_rec_t* QosList::find(std::uint32_t hash, Matches matches) const {
    const auto cached = cache_.find_qos(hash, generation_);
    if (cached.is_current && matches(*cached.record)) return cached.record;
    const auto* found =
        cached.record == nullptr
            ? nullptr
            : slurm::find_first<slurmdb_qos_rec_t>(
                  list_, [&cached](const slurmdb_qos_rec_t& qos) noexcept { return &qos == cached.record; });
    if (found == nullptr || !matches(*found)) found = slurm::find_first<slurmdb_qos_rec_t>(list_, matches);
    if (found != nullptr) cache_.remember_qos(hash, found, generation_);
    return found;
}

const slurmdb_qos_rec_t* QosList::find(std::string_view name) const {
    const auto* found = find(hash_of(name), [name](const slurmdb_qos_rec_t& qos) noexcept {
        return text::iequals(slurm::view_text(qos.name), name);
    });
    if (found != nullptr) cache_.remember_qos(found->id, found, generation_); // who finds it asks by its id
    return found;
}

const slurmdb_qos_rec_t* QosList::find(std::uint32_t id) const {
    return find(id, [id](const slurmdb_qos_rec_t& qos) noexcept { return qos.id == id; });
}

std::vector<std::string> QosList::permitted_names(const quota::QosDirectory& directory) const {
    std::vector<std::string> names;
    slurm::for_each<slurmdb_qos_rec_t>(list_, [&](const slurmdb_qos_rec_t& qos) {
        if (directory.is_permitted(qos.id)) names.emplace_back(slurm::view_text(qos.name));
    });
    return names;
}

} // namespace qg::plugin
