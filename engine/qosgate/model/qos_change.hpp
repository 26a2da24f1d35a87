// SPDX-License-Identifier: GPL-2.0-or-later
//
// QosChange: what an administrator typed ("MaxWall=8:00:00", "Flags+=NoDecay"), checked once and then applied
// to any number of records.
//
//   auto change = QosChange::parse(arguments, catalogue);
//   auto fresh = change->apply_to(old);
//   for (const FieldDifference& d : differences(old, fresh)) ... d.field->name, d.before, d.after
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/tres.hpp"

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::model {

/// A checked set of assignments, at most one per field (per TRES where an alias names one).
///
/// Field=value   sets; of a TRES field only the TRES named, as sacctmgr does; a count of -1 clears that TRES
/// Field=unset   clears the whole field (also: Field=-1)
/// Field+=value  adds to, and Field-=value removes from, Flags and Preempt
class QosChange {
  public:
    /// Reads assignments as typed. TRES names are checked against `catalogue`.
    /// Errors: invalid_input, naming the assignment and what would be right.
    static Result<QosChange> parse(std::span<const std::string> assignments, const TresCatalogue& catalogue);

    /// `record` with the assignments made.
    [[nodiscard]] QosRecord apply_to(QosRecord record) const;

    [[nodiscard]] bool empty() const noexcept { return steps_.empty(); }

  private:
    enum class Action : std::uint8_t { set, clear, merge_tres, add_words, remove_words };
    struct Step {
        const QosField* field;
        Action action;
        FieldValue value;
        TresList tres;
    };

    Result<void> read(std::string_view assignment, const TresCatalogue& catalogue);
    Result<void> add_step(Step step);

    std::vector<Step> steps_;
};

/// The value of a field that has no TRES counts, as QosChange reads it; "unset" and "-1" give an empty one.
/// Errors: invalid_input, with what is allowed.
Result<FieldValue> parse_field_value(const QosField& field, std::string_view value);

/// The largest count of a TRES that slurmdbd can store.
inline constexpr std::uint64_t max_tres_count = 0x7fffffffffffffff;

/// One field that differs between two records, in words ("unset" if it has no value).
struct FieldDifference {
    const QosField* field;
    std::string before;
    std::string after;

    friend bool operator==(const FieldDifference&, const FieldDifference&) = default;
};

/// The fields in which two records differ, in the schema's order.
std::vector<FieldDifference> differences(const QosRecord& before, const QosRecord& after);

/// The parts of the change from `before` to `after` that `now` does not contain. In each difference, `before`
/// is the value that should be stored and `after` is the value that is stored. In lists, only the entries
/// that the change touched count.
std::vector<FieldDifference> lost_changes(const QosRecord& before, const QosRecord& after,
                                          const QosRecord& now);

/// The assignments that create this record from a new one, in which nothing is set except the description
/// (its name).
std::vector<std::string> assignments_for(const QosRecord& record);

/// A QOS name as slurmdbd keeps it (lower case).
/// Errors: invalid_input if Slurm or its command line could not handle the name.
Result<std::string> parse_qos_name(std::string_view name);

/// The same for a QOS that is to be created. Errors: the same, and invalid_input for a name that people or
/// programs would mistake for something else: a number, a field of a QOS, a keyword of Slurm, a path or
/// format.
Result<std::string> parse_new_qos_name(std::string_view name);

} // namespace qg::model
