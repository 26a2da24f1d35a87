// SPDX-License-Identifier: GPL-2.0-or-later
//
// The TRES texts of a request: "gres:gpu:a100:2,license:foo:1" as clients of every release spell them.
#pragma once

#include "qosgate/base/text.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::gate {

/// One entry of a TRES text.
/// Ownership: borrows from that text.
struct TresItem {
    model::TresKind type = model::TresKind::gres; ///< or license, bb; or cpu and the like, which have no name
    std::string_view name;                        ///< "gpu"; empty for "cpu"
    std::string_view kind;                        ///< the model asked for ("a100"); empty: any
    std::uint64_t count = 1;

    /// Whether both name the same TRES, whatever the counts.
    [[nodiscard]] bool is_same_tres(const TresItem& other) const noexcept {
        return is_same_resource(other) && kind == other.kind;
    }
    /// The same, of any model.
    [[nodiscard]] bool is_same_resource(const TresItem& other) const noexcept {
        return type == other.type && name == other.name;
    }

    /// "gres", "cpu": the type as requests spell it.
    [[nodiscard]] std::string_view type_name() const noexcept;
    /// "gres/gpu:a100", "cpu": the name in the TRES catalogue.
    [[nodiscard]] std::string tres_name() const;
    /// The same without the kind.
    [[nodiscard]] std::string untyped_tres_name() const;
};

/// Where the catalogue has the item's TRES, of its model or as a whole; ASCII case ignored.
std::optional<std::size_t> find_tres(const model::TresCatalogue& catalogue, const TresItem& item);
std::optional<std::size_t> find_untyped_tres(const model::TresCatalogue& catalogue, const TresItem& item);

/// The first model of the item's resource that the catalogue has.
std::optional<std::size_t> find_any_model(const model::TresCatalogue& catalogue, const TresItem& item);

/// Reads the field as far as it can be read; what cannot be understood is left out, because slurmctld refuses
/// such a job before its limits are looked at. Both spellings of the type are known ("gres:gpu:2"
/// through 23.02, "gres/gpu:2" from 23.11 on), counts after ':' or '=', with suffixes k, m, g, t, p. An entry
/// with count 0 is left out, as slurmctld does.
std::vector<TresItem> parse_tres_request(std::string_view text);

/// One part of such a text, if it can be read.
std::optional<TresItem> parse_tres_item(std::string_view part);

/// Calls `body(item)` for what parse_tres_request() returns.
template <typename Body>
void for_each_tres_item(std::string_view text, Body body) {
    text::for_each_part(text, ',', [&](std::string_view part) {
        if (const auto item = parse_tres_item(part)) body(*item);
    });
}

/// --licenses: "foo:2,bar" (also "foo=2", and ';' for ','). Of alternatives ("foo:2|bar", from 25.05 on) all
/// are given: slurmctld counts each of them until the job starts.
std::vector<TresItem> parse_licenses(std::string_view text);

} // namespace qg::gate
