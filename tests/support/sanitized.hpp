// SPDX-License-Identifier: GPL-2.0-or-later
//
// How much a test may ask of code that is bounded in CPU time.
#pragma once

namespace qg::test {

/// AddressSanitizer without optimization makes Lua's C functions 20 times slower; the bounds stay as they
/// are.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr int slowness = 20;
#else
inline constexpr int slowness = 1;
#endif

} // namespace qg::test
