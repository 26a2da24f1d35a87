// SPDX-License-Identifier: GPL-2.0-or-later
//
// How long something takes, without a clock.
#pragma once

#include <chrono>
#include <future>
#include <utility>

namespace qg::test {

/// Runs `work` in a thread of its own. Returns how many looks saw that it is not over: one each 50 ms, and
/// fewer where the machine is busy.
template <typename Work>
int looks_until_over(Work work) {
    auto over = std::async(std::launch::async, std::move(work));
    int looks = 0;
    while (over.wait_for(std::chrono::milliseconds(50)) != std::future_status::ready)
        ++looks;
    over.get();
    return looks;
}

} // namespace qg::test
