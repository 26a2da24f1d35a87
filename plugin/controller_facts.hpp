// SPDX-License-Identifier: GPL-2.0-or-later
//
// The facts that choose a job's QOS, read from slurmctld's records.
#pragma once

#include "assoc_mgr.hpp"
#include "qos_guesses.hpp"
#include "qosgate/quota/choose_qos.hpp"

namespace qg::plugin {

/// slurmctld's list of QOSs. Where nothing was deleted since the last look, the record is where it was; else
/// a walk first looks for its address: what is on the list is alive, and the records passed on the way are
/// not even looked into, which is most of a walk's cost. Ownership: borrows. Threads: needs the qos lock.
class QosList {
  public:
    /// `epoch` is that of now.
    QosList(slurm::ListHandle list, QosGuesses& guesses, Epoch epoch)
        : list_(list), guesses_(guesses), epoch_(epoch) {}

    /// The QOS of that name, ASCII case ignored, or null. Cost: at most one walk.
    [[nodiscard]] const slurmdb_qos_rec_t* find(std::string_view name) const;

    /// The QOS of that id, or null. Cost: at most one walk.
    [[nodiscard]] const slurmdb_qos_rec_t* find(std::uint32_t id) const;

    /// The names of the QOSs that the facts permit, sorted. Cost: walks all of them.
    [[nodiscard]] std::vector<std::string> permitted_names(const quota::QosFacts& facts) const;

  private:
    template <typename Matches>
    const slurmdb_qos_rec_t* find(std::uint32_t hash, Matches matches) const;

    slurm::ListHandle list_;
    QosGuesses& guesses_;
    Epoch epoch_;
};

/// Ownership: borrows the records; lives no longer than the lock on them. `association` and `root` may be
/// null.
class ControllerFacts final : public quota::QosFacts {
  public:
    ControllerFacts(const QosList& qos_list, const slurmdb_assoc_rec_t* association,
                    const slurmdb_assoc_rec_t* root)
        : qos_list_(qos_list), association_(association), root_(root) {}

    [[nodiscard]] std::optional<std::uint32_t> find(std::string_view name) const override;
    [[nodiscard]] std::optional<std::uint32_t> association_default() const override;
    [[nodiscard]] std::optional<std::uint32_t> root_default() const override;
    [[nodiscard]] bool has_association() const override { return association_ != nullptr; }
    [[nodiscard]] bool is_permitted(std::uint32_t qos) const override;
    /// Cost: looks at ids up to the second one permitted.
    [[nodiscard]] std::optional<std::uint32_t> only_permitted() const override;
    [[nodiscard]] model::QosFlags flags(std::uint32_t qos) const override;
    [[nodiscard]] std::uint32_t priority(std::uint32_t qos) const override;
    [[nodiscard]] bool is_partition_qos(std::uint32_t qos) const override;

    /// The record of a QOS, or null. The last one asked for is remembered.
    [[nodiscard]] const slurmdb_qos_rec_t* record(std::uint32_t qos) const;

  private:
    [[nodiscard]] bitstr_t* valid_qos() const noexcept;

    const QosList& qos_list_;
    const slurmdb_assoc_rec_t* association_;
    const slurmdb_assoc_rec_t* root_;
    mutable const slurmdb_qos_rec_t* last_ = nullptr;
};

} // namespace qg::plugin
