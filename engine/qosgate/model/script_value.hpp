// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScriptValue: one value of slurmctld as scripts for job_submit/lua read and write it: a text, or a number in
// Slurm's own coding, where NO_VAL means "unset". ScriptRecords: such values of partitions and the like, as
// they were read in the background.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace qg::model {

/// Trivial. Ownership: `text` is borrowed.
struct ScriptValue {
    enum class Kind : std::uint8_t {
        nothing,
        flag,
        number,
        text,
        unknown, ///< there may be one, and nobody tells it
    };
    Kind kind = Kind::nothing;
    double number = 0; ///< as precise as scripts get it; of a flag: 0 or 1
    std::string_view text = {};

    static ScriptValue of_number(double value) noexcept { return {Kind::number, value, {}}; }
    static ScriptValue of_flag(bool value) noexcept { return {Kind::flag, value ? 1.0 : 0.0, {}}; }
    static ScriptValue of_text(std::string_view value) noexcept { return {Kind::text, 0, value}; }
    /// Null is no value; an empty text is one.
    static ScriptValue of_text(const char* value) noexcept {
        return value == nullptr ? ScriptValue{} : of_text(std::string_view(value));
    }

    static ScriptValue unknown() noexcept { return {Kind::unknown, 0, {}}; }

    friend bool operator==(const ScriptValue&, const ScriptValue&) = default;
};

/// A copied value.
class KeptScriptValue {
  public:
    KeptScriptValue() = default;
    KeptScriptValue(const ScriptValue& value) : value_(value) { // NOLINT(google-explicit-constructor)
        if (value.kind == ScriptValue::Kind::text) text_ = value.text;
    }
    [[nodiscard]] ScriptValue get() const noexcept {
        return value_.kind == ScriptValue::Kind::text ? ScriptValue::of_text(std::string_view(text_))
                                                      : value_;
    }

  private:
    ScriptValue value_;
    std::string text_;
};

/// One record. Its values are in the order of the names of its kind.
struct ScriptRecord {
    std::string name; ///< how scripts find it in the table of all
    std::vector<KeptScriptValue> values;
};

/// All records of one kind at one moment. Ownership: `names` are literals.
struct ScriptRecords {
    std::vector<std::string_view> names; ///< of the fields
    std::vector<ScriptRecord> records;
    std::vector<std::string_view> unreadable =
        {};                                    ///< names that records have, and whose values are not known
    std::vector<std::string_view> unread = {}; ///< likewise, because the script does not mention them

    /// The value of a field; nothing for an unknown name.
    [[nodiscard]] ScriptValue get(std::size_t record, std::string_view field) const noexcept {
        for (std::size_t i = 0; i < names.size(); ++i)
            if (names[i] == field) return records[record].values[i].get();
        return {};
    }
};

} // namespace qg::model
