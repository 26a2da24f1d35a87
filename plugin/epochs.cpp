// SPDX-License-Identifier: GPL-2.0-or-later
#include "epochs.hpp"

namespace qg::plugin {
namespace {

constexpr std::chrono::seconds longest_epoch{1};

} // namespace

Epoch Epochs::enter(const std::optional<RecordsState>& state, Clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    if (!state) {
        state_.reset();
        return unknown_epoch;
    }
    if (state_ != state || now - begin_ >= longest_epoch) {
        state_ = state;
        begin_ = now;
        ++epoch_;
    }
    return epoch_;
}

} // namespace qg::plugin
