// SPDX-License-Identifier: GPL-2.0-or-later
//
// TRES (trackable resources): which ones a cluster has, and counts of them.
// slurmctld keeps every TRES limit and usage as an array in one fixed order (limits/README.md 1.3); that
// order decides which TRES a Reason names, so all arrays here have the same order.
#pragma once

#include "qosgate/base/result.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::model {

/// The kinds of TRES that Slurm's Reasons tell apart (limits/README.md 1.4).
enum class TresKind : std::uint8_t { cpu, mem, energy, node, billing, bb, gres, license, other };
inline constexpr std::size_t tres_kind_count = 9;

/// The kind that a TRES name ("cpu", "gres/gpu:a100", "license/foo") belongs to.
TresKind kind_of(std::string_view tres_name) noexcept;

/// The TRES that counts a gres of all types: "gres/gpu" for "gres/gpu:a100". Empty: the name has no type.
inline std::string_view untyped_tres(std::string_view tres_name) noexcept {
    const auto colon = tres_name.find(':');
    if (colon == std::string_view::npos || kind_of(tres_name) != TresKind::gres) return {};
    return tres_name.substr(0, colon);
}

/// The TRES of one cluster in array order. Immutable once made, shared by everything that holds counts.
class TresCatalogue {
  public:
    /// `names` in Slurm's array order; they include "cpu", "mem", "energy", "node", "billing".
    explicit TresCatalogue(std::vector<std::string> names);

    /// A catalogue of Slurm's eight built-in TRES.
    static std::shared_ptr<const TresCatalogue> built_in();

    [[nodiscard]] std::size_t size() const noexcept { return names_.size(); }
    [[nodiscard]] const std::string& name(std::size_t index) const { return names_.at(index); }
    [[nodiscard]] TresKind kind(std::size_t index) const noexcept { return kinds_[index]; }
    [[nodiscard]] std::span<const std::string> names() const noexcept { return names_; }

    /// The index of a TRES by its full name, ASCII case ignored; short names of gres ("gpu" for "gres/gpu")
    /// too.
    [[nodiscard]] std::optional<std::size_t> find(std::string_view name) const noexcept;

    /// Index of the first TRES of a kind; kinds like "cpu", "mem" and "node" have only one. Cost: none.
    [[nodiscard]] std::optional<std::size_t> find(TresKind kind) const noexcept {
        return first_of_[static_cast<std::size_t>(kind)];
    }

    /// Index of the count of all GPUs, "gres/gpu". Cost: none.
    [[nodiscard]] std::optional<std::size_t> gpu() const noexcept { return gpu_; }

    /// Index of the node count, which some rules treat specially; empty in a catalogue without it.
    [[nodiscard]] std::optional<std::size_t> node() const noexcept { return find(TresKind::node); }

    friend bool operator==(const TresCatalogue& a, const TresCatalogue& b) { return a.names_ == b.names_; }

  private:
    std::vector<std::string> names_;
    std::vector<TresKind> kinds_;
    std::array<std::optional<std::size_t>, tres_kind_count> first_of_;
    std::optional<std::size_t> gpu_;
};

/// One count per TRES of a catalogue, in Slurm's units (mem in MiB, everything else plain), 0 = none.
using TresCounts = std::vector<std::uint64_t>;

/// What to add to a message about a name that is not in the catalogue: the near miss (gres also by their
/// short names), or, for TRES that slurm.conf must list (GPUs, licenses), what to write there.
std::string hint_for_unknown(const TresCatalogue& catalogue, std::string_view name);

/// A count for people: "3" for a plain TRES, "4000M" for mem.
std::string format_tres_count(std::string_view tres_name, std::uint64_t count);

/// A TRES list as people type it: names in their canonical spelling, in the given order.
/// A count that is `-1` (clear this TRES) is nullopt.
using TresList = std::vector<std::pair<std::string, std::optional<std::uint64_t>>>;

/// Reads "cpu=24,mem=1T,gpu=2" (memory with suffix, gres with or without "gres/").
/// Names are checked against `catalogue` and returned in its spelling.
/// Errors: invalid_input, naming the part, the near miss and the names allowed; a TRES given twice.
Result<TresList> parse_tres_list(const TresCatalogue& catalogue, std::string_view text);

} // namespace qg::model
