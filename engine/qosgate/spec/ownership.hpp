// SPDX-License-Identifier: GPL-2.0-or-later
//
// Who created a QOS and who manages which of its fields. This is kept at the end of the QOS's description, in
// brackets, so that every administrator's machine sees the same; our own output hides it. It is advice:
// sacctmgr can change everything, and `qosgate spec drift` names what it changed.
//
//   Moonlight streaming [qosgate:base*=1f3a0,ops=400]
//
// `*` marks the creator; the hexadecimal number has one bit per field that the owner manages. The bits of
// fields are in model/qos_schema.cpp and never change.
#pragma once

#include "qosgate/model/qos_record.hpp"

#include <cstddef>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>

namespace qg::spec {

/// What is managed beside the fields: who may use the QOS.
inline constexpr std::string_view access_field = "access";

/// How many bytes slurmdbd's table stores of a description (its column has the type `text`).
inline constexpr std::size_t max_description_bytes = 65'535;

/// Names of the fields ("MaxWall"), and "access". A bit of a newer version, which this one has no name for,
/// is "bit<N>".
using FieldNames = std::set<std::string, std::less<>>;

struct Ownership {
    std::string creator;                       ///< empty: not created by a spec
    std::map<std::string, FieldNames> managed; ///< by owner
    friend bool operator==(const Ownership&, const Ownership&) = default;

    /// The owner of a field; empty: none.
    [[nodiscard]] std::string owner_of(std::string_view field) const;

    /// Makes `owner` the owner of a field, instead of whoever was.
    void assign(std::string_view field, const std::string& owner);

    /// Takes a field from its owner, if it has one.
    void release(std::string_view field);
};

/// Whether the text can be an owner: a lower-case letter or digit, then up to 31 of these, '_', '.', '-'.
bool is_owner(std::string_view text);

/// What an owner must look like, for problems.
std::string_view owner_rule();

/// The bit of a field ("MaxWall") or of "access" in marks; empty for any other name.
std::optional<std::size_t> bit_of(std::string_view field);

/// A description without its mark, and the mark.
struct MarkedDescription {
    std::string text;
    Ownership ownership;
    friend bool operator==(const MarkedDescription&, const MarkedDescription&) = default;
};

/// A mark that cannot be read, or that write_mark() would write differently, belongs to the text.
MarkedDescription read_mark(std::string_view description);

/// The description with the mark at its end; without anything to say, the text alone. The owners must be
/// valid, and the fields must have bits.
std::string write_mark(const MarkedDescription& marked);

} // namespace qg::spec
