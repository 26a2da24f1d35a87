// SPDX-License-Identifier: GPL-2.0-or-later
//
// The schema of a QOS: one table with every field's names, places, kind, unit and purpose. Reading, printing,
// comparing, sorting, JSON, table columns, manifests, owners' marks, the search of slurmdbd's log and the
// manual are all made from this table.
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

namespace qg::model {

/// How a field is written and printed.
enum class FieldKind : std::uint8_t {
    name,         ///< identifies the QOS: never assigned
    text,         ///< free text
    number,       ///< a whole number
    factor,       ///< a decimal number, not negative, six decimals
    duration,     ///< a time in one of Slurm's spellings
    tres,         ///< a count per TRES
    flags,        ///< names from a fixed list
    preempt_mode, ///< at most one mode, and modifiers
    qos_names,    ///< names of other QOSs
};

/// Another name of a field. With `tres`, the value is a plain count of that TRES (GrpCPUs=8 is
/// GrpTRES=cpu=8).
struct FieldAlias {
    std::string_view name;
    std::string_view tres = {};
};

/// A value that a field with a fixed list allows.
struct AllowedValue {
    std::string_view name;
    std::vector<std::string_view> aliases; ///< including Slurm's REST spelling
    std::string_view help;
};

/// Any field's value; empty means unset.
using FieldValue = std::variant<std::monostate, std::string, std::uint32_t, double, TresLimits, NameSet>;

/// Where a field is kept outside a QosRecord.
struct FieldPlaces {
    std::string_view column;    ///< of qos_table in slurmdbd's database; the same in all releases
    std::string_view rest_path; ///< in a QOS of slurmrestd, from v0.0.40 on: "limits/max/wall_clock/per/job"
    /// In the marks of owners (spec/ownership.hpp). Marks are stored in databases: a bit never gets another
    /// meaning, and a new field gets the next bit. Bit 0 is access. Empty: nobody manages the field.
    std::optional<std::size_t> mark_bit;
};

/// Where in a QosRecord a field lives.
using FieldMember =
    std::variant<std::string QosRecord::*, std::uint32_t QosRecord::*, OptionalLimit QosRecord::*,
                 double QosRecord::*, std::optional<double> QosRecord::*, TresLimits QosRecord::*,
                 NameSet QosRecord::*>;

/// One row of the schema.
struct QosField {
    std::string_view name; ///< sacctmgr's own, in full
    FieldPlaces places;
    FieldKind kind;
    FieldMember member;
    std::string_view unit; ///< of the stored number; for a duration "seconds" or "minutes"
    std::string_view help; ///< one sentence
    std::vector<FieldAlias> aliases;
    std::uint32_t plain_seconds = 60; ///< for a duration: the unit of a plain number, as in sacctmgr
};

/// All fields, in the order in which they are shown. Threads: immutable.
std::span<const QosField> qos_fields();

/// What a typed field name stands for.
struct FieldMatch {
    const QosField* field; ///< lives as long as the program
    std::string_view tres; ///< not empty: the name implies this TRES
};

/// Looks a field up by its name or an alias, ASCII case ignored.
/// Errors: invalid_input, with the near miss and where to see all fields.
Result<FieldMatch> get_qos_field(std::string_view name);

/// The full name for an abbreviation that fits exactly one field: sacctmgr accepts "prio" for Priority. Empty
/// if several fields fit, or none.
std::optional<std::string_view> find_abbreviated_field(std::string_view beginning);

/// The values that Flags and PreemptMode allow; empty for other fields.
std::span<const AllowedValue> allowed_words(FieldKind kind);

/// The canonical spelling of a flag or mode, case and underscores ignored.
/// Errors: invalid_input, with the near miss and all that is allowed.
Result<std::string> parse_allowed_word(const QosField& field, std::string_view word);

/// A field's value in a record.
FieldValue get_field(const QosField& field, const QosRecord& record);

/// Stores a value of the field's own type; an empty value resets the field to its default.
void put_field(const QosField& field, QosRecord& record, const FieldValue& value);

/// Whether the field differs from a QOS that was created without settings.
bool is_set(const QosField& field, const QosRecord& record);

/// A value as people and sacctmgr write it ("08:00:00", "cpu=24,mem=1T"); empty if unset.
std::string format_value(const QosField& field, const FieldValue& value);

/// format_value() of a record's field.
std::string format_field(const QosField& field, const QosRecord& record);

/// What may be written as the field's value, for help texts: "a time: minutes, hh:mm:ss or d-hh:mm:ss".
std::string describe_value(const QosField& field);

/// Whether `a` sorts before `b` by this field; unset comes last in both directions.
bool sorts_before(const QosField& field, const QosRecord& a, const QosRecord& b, bool descending);

} // namespace qg::model
