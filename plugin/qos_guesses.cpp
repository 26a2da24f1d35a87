// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos_guesses.hpp"

namespace qg::plugin {
namespace {

constexpr std::chrono::seconds longest_epoch{1};

} // namespace

QosGuesses::Epoch QosGuesses::enter(const std::optional<QosListState>& state, Clock::time_point now) {
    const std::scoped_lock lock(mutex_);
    if (!state) {
        state_.reset();
        return unknown;
    }
    if (state_ != state || now - begin_ >= longest_epoch) {
        state_ = state;
        begin_ = now;
        ++epoch_;
    }
    return epoch_;
}

} // namespace qg::plugin
