// SPDX-License-Identifier: GPL-2.0-or-later
//
// The Slurm release whose rules are applied. Releases differ in a few places (limits/README.md 10); those
// places ask the release, they do not depend on the build.
#pragma once

#include "qosgate/base/result.hpp"

#include <compare>
#include <cstdint>
#include <string>
#include <string_view>

namespace qg::limits {

/// A Slurm release, "24.11" or "25.11.1". Without a micro number the newest state of the branch is meant.
class Release {
  public:
    constexpr Release(std::uint16_t major, std::uint16_t minor, std::uint16_t micro = newest_micro) noexcept
        : number_((std::uint32_t{major} << 16) | (std::uint32_t{minor} << 8) | (micro & 0xffu)) {}

    /// From SLURM_VERSION_NUMBER of slurm_version.h: one byte each for major, minor and micro.
    static constexpr Release from_version_number(std::uint32_t number) noexcept {
        return {static_cast<std::uint16_t>(number >> 16 & 0xffu),
                static_cast<std::uint16_t>(number >> 8 & 0xffu), static_cast<std::uint16_t>(number & 0xffu)};
    }

    /// From text. Errors: invalid_input; releases before 22.05 are not known.
    static Result<Release> parse(std::string_view text);

    /// The branch, as people name it: "22.05".
    [[nodiscard]] std::string branch() const;

    friend constexpr auto operator<=>(Release, Release) = default;

  private:
    static constexpr std::uint16_t newest_micro = 0xff;
    std::uint32_t number_;
};

/// The newest release whose rules are known, for offline use when none is named.
inline constexpr Release newest_release{26, 5};

/// From here on --qos may name several.
inline constexpr Release takes_qos_lists{24, 11, 0};

} // namespace qg::limits
