// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller_facts.hpp"

#include "qosgate/base/letters.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/limits.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>

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
    const auto guess = guesses_.find(hash, epoch_);
    if (guess.is_alive && matches(*guess.record)) return guess.record;
    const auto* found =
        guess.record == nullptr
            ? nullptr
            : slurm::find_first<slurmdb_qos_rec_t>(
                  list_, [&guess](const slurmdb_qos_rec_t& qos) noexcept { return &qos == guess.record; });
    if (found == nullptr || !matches(*found)) found = slurm::find_first<slurmdb_qos_rec_t>(list_, matches);
    if (found != nullptr) guesses_.remember(hash, found, epoch_);
    return found;
}

const slurmdb_qos_rec_t* QosList::find(std::string_view name) const {
    return find(hash_of(name), [name](const slurmdb_qos_rec_t& qos) noexcept {
        return text::iequals(slurm::view_text(qos.name), name);
    });
}

const slurmdb_qos_rec_t* QosList::find(std::uint32_t id) const {
    return find(id, [id](const slurmdb_qos_rec_t& qos) noexcept { return qos.id == id; });
}

std::vector<std::string> QosList::permitted_names(const quota::QosFacts& facts) const {
    std::vector<std::string> names;
    slurm::for_each<slurmdb_qos_rec_t>(list_, [&](const slurmdb_qos_rec_t& qos) {
        if (facts.is_permitted(qos.id)) names.emplace_back(slurm::view_text(qos.name));
    });
    std::sort(names.begin(), names.end());
    return names;
}

const slurmdb_qos_rec_t* ControllerFacts::record(std::uint32_t qos) const {
    if (last_ == nullptr || last_->id != qos) last_ = qos_list_.find(qos);
    return last_;
}

std::optional<std::uint32_t> ControllerFacts::find(std::string_view name) const {
    last_ = qos_list_.find(name);
    return last_ == nullptr ? std::nullopt : std::optional(last_->id);
}

bitstr_t* ControllerFacts::valid_qos() const noexcept {
    return association_ == nullptr || association_->usage == nullptr ? nullptr
                                                                     : association_->usage->valid_qos;
}

std::optional<std::uint32_t> ControllerFacts::association_default() const {
    // slurmctld looks at an association's default only where its list of QOSs is known.
    if (valid_qos() == nullptr || association_->def_qos_id == 0) return std::nullopt;
    return association_->def_qos_id;
}

std::optional<std::uint32_t> ControllerFacts::root_default() const {
    if (root_ == nullptr || root_->def_qos_id == 0) return std::nullopt;
    return root_->def_qos_id;
}

bool ControllerFacts::is_permitted(std::uint32_t qos) const {
    bitstr_t* const bits = valid_qos();
    return bits != nullptr && qos < slurm_bit_size(bits) && slurm_bit_test(bits, qos) != 0;
}

std::optional<std::uint32_t> ControllerFacts::only_permitted() const {
    std::optional<std::uint32_t> only;
    bitstr_t* const bits = valid_qos();
    const std::int64_t size = bits == nullptr ? 0 : slurm_bit_size(bits);
    for (std::int64_t id = 0; id < size; ++id) {
        if (slurm_bit_test(bits, id) == 0) continue;
        if (only) return std::nullopt;
        only = static_cast<std::uint32_t>(id);
    }
    return only;
}

model::QosFlags ControllerFacts::flags(std::uint32_t qos) const {
    const slurmdb_qos_rec_t* const found = record(qos);
    return found == nullptr ? model::QosFlags{} : slurm::read_qos_flags(found->flags);
}

std::uint32_t ControllerFacts::priority(std::uint32_t qos) const {
    const slurmdb_qos_rec_t* const found = record(qos);
    return found == nullptr ? 0 : found->priority;
}

bool ControllerFacts::is_partition_qos(std::uint32_t qos) const {
    const slurmdb_qos_rec_t* const found = record(qos);
    return found != nullptr && (static_cast<std::uint32_t>(found->flags) & slurm::qos_flag_of_partition) != 0;
}

} // namespace qg::plugin
