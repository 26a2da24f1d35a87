// SPDX-License-Identifier: GPL-2.0-or-later
//
// Waiting for what another thread does.
#pragma once

#include <chrono>
#include <thread>

namespace qg::test {

/// Whether `check` becomes true. Gives up after so many looks that only what hangs needs them: a minute, and
/// longer where the machine is busy.
template <typename Check>
bool comes_true(Check check) {
    constexpr int most_looks = 60'000;
    for (int looks = 0; looks < most_looks; ++looks) {
        if (check()) return true;
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
    }
    return false;
}

} // namespace qg::test
