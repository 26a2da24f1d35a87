// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which QOS a job gets, and whether it may use it (limits/README.md 8.1). The rule is independent of where
// the records are kept: every provider answers the questions below from its own records.
#pragma once

#include "qosgate/model/account_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::quota {

/// What the rule needs from a provider's records. Ids are Slurm's QOS ids.
class QosDirectory {
  public:
    virtual ~QosDirectory() = default;
    /// The QOS with that name, ASCII case ignored.
    [[nodiscard]] virtual std::optional<std::uint32_t> find(std::string_view name) const = 0;
    /// The DefaultQOS of the job's association / of the root association.
    [[nodiscard]] virtual std::optional<std::uint32_t> association_default() const = 0;
    [[nodiscard]] virtual std::optional<std::uint32_t> root_default() const = 0;
    /// The QOSs that the association may use: inherited ones and its own changes.
    [[nodiscard]] virtual bool has_association() const = 0;
    [[nodiscard]] virtual bool is_permitted(std::uint32_t qos) const = 0;
    /// The only QOS that the association may use; empty unless there is exactly one.
    [[nodiscard]] virtual std::optional<std::uint32_t> only_permitted() const = 0;
    [[nodiscard]] virtual model::QosFlags flags(std::uint32_t qos) const = 0;
    [[nodiscard]] virtual std::uint32_t priority(std::uint32_t qos) const = 0;
    /// Whether the QOS is some partition's QOS.
    [[nodiscard]] virtual bool is_partition_qos(std::uint32_t qos) const = 0;
};

struct ChosenQos {
    std::optional<std::uint32_t> id; ///< the QOS, also when `problem` is set and the QOS exists
    model::QosFlags flags;           ///< of that QOS
    std::vector<std::uint32_t>
        alternatives;       ///< the others of a list, by descending priority; empty with a `problem`
    std::string_view asked; ///< the text that `id` or `problem` is about: a part of the request
    bool is_default = false;
    model::QosProblem problem = model::QosProblem::none;
};

/// What is known about a job when its QOS is chosen.
struct QosQuestion {
    std::string_view requested; ///< empty: none asked for
    bool has_reservation = false;
    bool takes_lists = false;     ///< whether "a,b" names two QOSs
    bool any_qos_allowed = false; ///< an operator changes the job: any QOS is allowed
};

/// The QOS for a job. For a list: the QOS with the highest priority, if the job may use all of them.
ChosenQos choose_qos(const QosDirectory& directory, const QosQuestion& question,
                     const model::Enforce& enforce);

/// The QOS of a job that asks for none, even if it may not use it.
std::optional<std::uint32_t> find_default_qos(const QosDirectory& directory);

} // namespace qg::quota
