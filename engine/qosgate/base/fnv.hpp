// SPDX-License-Identifier: GPL-2.0-or-later
//
// FNV-1a, 64 bits: detects different contents. It does not protect against contents that are made to have
// equal hashes.
#pragma once

#include <cstdint>
#include <string_view>

namespace qg {

class Fnv {
  public:
    void add(std::string_view bytes) noexcept {
        for (const char c : bytes)
            state_ = (state_ ^ static_cast<unsigned char>(c)) * 0x100000001b3u;
    }
    void add_number(std::uint64_t number) noexcept {
        for (unsigned shift = 0; shift < 64; shift += 8)
            state_ = (state_ ^ (number >> shift & 0xffu)) * 0x100000001b3u;
    }
    [[nodiscard]] std::uint64_t value() const noexcept { return state_; }

  private:
    std::uint64_t state_ = 0xcbf29ce484222325u;
};

} // namespace qg
