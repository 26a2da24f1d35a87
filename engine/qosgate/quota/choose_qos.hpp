// SPDX-License-Identifier: GPL-2.0-or-later
//
// Which QOS a job gets, and whether it may have it: the rule of limits/README.md 8.1, apart from where the
// facts are kept. Every provider answers the questions below from its own records.
#pragma once

#include "qosgate/model/account_view.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::quota {

/// What the rule asks of a provider's records. Ids are Slurm's QOS ids.
class QosFacts {
  public:
    virtual ~QosFacts() = default;
    /// The QOS of that name, ASCII case ignored.
    [[nodiscard]] virtual std::optional<std::uint32_t> find(std::string_view name) const = 0;
    /// The DefaultQOS of the job's association / of the root association.
    [[nodiscard]] virtual std::optional<std::uint32_t> association_default() const = 0;
    [[nodiscard]] virtual std::optional<std::uint32_t> root_default() const = 0;
    /// The QOSs that the association may use, by inheritance and edits.
    [[nodiscard]] virtual bool has_association() const = 0;
    [[nodiscard]] virtual bool is_permitted(std::uint32_t qos) const = 0;
    /// The QOS that the association may use where that is exactly one.
    [[nodiscard]] virtual std::optional<std::uint32_t> only_permitted() const = 0;
    [[nodiscard]] virtual model::QosFlags flags(std::uint32_t qos) const = 0;
    [[nodiscard]] virtual std::uint32_t priority(std::uint32_t qos) const = 0;
    /// Whether the QOS is some partition's QOS.
    [[nodiscard]] virtual bool is_partition_qos(std::uint32_t qos) const = 0;
};

struct ChosenQos {
    std::optional<std::uint32_t> id; ///< the QOS, also when `problem` is set and the QOS exists
    std::vector<std::uint32_t> more; ///< the others of a list, of descending priority; none with a `problem`
    std::string_view asked;          ///< the text that `id` or `problem` is about: a part of what was asked
    bool is_default = false;
    model::QosProblem problem = model::QosProblem::none;
};

/// What is known of a job when its QOS is chosen.
struct QosQuestion {
    std::string_view requested; ///< empty: none asked for
    bool has_reservation = false;
    bool takes_lists = false; ///< whether "a,b" names two QOSs
    bool may_all = false;     ///< an operator changes the job: any QOS will do
};

/// The QOS for a job. Of a list the one of the highest priority, if the job may have every one of them.
ChosenQos choose_qos(const QosFacts& facts, const QosQuestion& question, const model::Enforce& enforce);

} // namespace qg::quota
