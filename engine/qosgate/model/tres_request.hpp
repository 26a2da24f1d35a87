// SPDX-License-Identifier: GPL-2.0-or-later
//
// The TRES texts of a request, "gres:gpu:a100:2,license:foo:1", in the spellings of all releases.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::model {

/// One entry of a TRES text.
/// Ownership: borrows from that text.
struct TresItem {
    TresKind type = TresKind::gres; ///< or license, bb; or one without a name, such as cpu
    std::string_view name;          ///< "gpu"; empty for "cpu"
    std::string_view kind;          ///< the model ("a100"); empty: any
    std::uint64_t count = 1;

    /// Whether both name the same TRES, regardless of counts.
    [[nodiscard]] bool is_same_tres(const TresItem& other) const noexcept {
        return is_same_resource(other) && kind == other.kind;
    }
    /// Whether both name the same resource, of any model.
    [[nodiscard]] bool is_same_resource(const TresItem& other) const noexcept {
        return type == other.type && name == other.name;
    }

    /// "gres", "cpu": the type as spelled in requests.
    [[nodiscard]] std::string_view type_name() const noexcept;
    /// "gres/gpu:a100", "cpu": the name in the TRES catalogue.
    [[nodiscard]] std::string tres_name() const;
    /// "gres/gpu": the same without the model.
    [[nodiscard]] std::string untyped_tres_name() const;
};

/// The index of the item's TRES in the catalogue, with its model or without; ignores ASCII case.
std::optional<std::size_t> find_tres(const TresCatalogue& catalogue, const TresItem& item);
std::optional<std::size_t> find_untyped_tres(const TresCatalogue& catalogue, const TresItem& item);

/// The first model of the item's resource in the catalogue.
std::optional<std::size_t> find_any_model(const TresCatalogue& catalogue, const TresItem& item);

/// Reads the items of a TRES text. Unreadable items are skipped, because slurmctld refuses such a job before
/// it checks limits. Reads both spellings of the type ("gres:gpu:2" through 23.02, "gres/gpu:2" from 23.11
/// on), and counts after ':' or '=' as slurmctld reads those of gres, with suffixes such as k, kb and kib.
/// Items with count 0 are skipped, as in slurmctld.
std::vector<TresItem> parse_tres_request(std::string_view text);

/// Reads one item; empty if it is not readable or its count is 0.
std::optional<TresItem> parse_tres_item(std::string_view part);

/// Calls `body(item)` for each item that parse_tres_request() returns.
template <typename Body>
void for_each_tres_item(std::string_view text, Body body) {
    text::for_each_part(text, ',', [&](std::string_view part) {
        if (const auto item = parse_tres_item(part)) body(*item);
    });
}

/// One part of --licenses, "foo:2" or "foo=2".
/// Ownership: borrows from that text.
struct LicensePart {
    std::string_view name;
    std::optional<std::uint32_t> count; ///< empty: slurmctld refuses the job

    /// slurmctld keeps 32 bits of a count, and of the sum of a license that is named twice: 4294967298 is 2,
    /// and -4294967290 is 6. [L22]
    [[nodiscard]] static std::uint32_t sum(std::uint64_t one, std::uint64_t other) noexcept {
        return static_cast<std::uint32_t>(one + other);
    }
};

/// Reads one part.
LicensePart read_license(std::string_view part);

/// --licenses: "foo:2,bar" (also "foo=2", and ';' for ','). Leaves out counts of 0 and those that slurmctld
/// refuses. Returns all alternatives of "foo:2|bar" (25.05):
/// slurmctld counts each of them until the job starts.
std::vector<TresItem> parse_licenses(std::string_view text);

/// Calls `body(item)` for each gres in a text.
template <typename Body>
void for_each_gres_item(const std::optional<std::string>& text, Body body) {
    if (!text) return;
    for_each_tres_item(*text, [&](const TresItem& item) {
        if (item.type == TresKind::gres && item.count != 0) body(item);
    });
}

} // namespace qg::model
