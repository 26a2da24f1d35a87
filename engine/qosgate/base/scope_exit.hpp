// SPDX-License-Identifier: GPL-2.0-or-later
//
// ScopeExit: one clean-up at the end of a scope, for resources that need no class of their own.
#pragma once

#include <utility>

namespace qg {

/// Runs its function when it goes out of scope. The function must not throw.
template <typename F>
class ScopeExit {
  public:
    explicit ScopeExit(F on_exit) : on_exit_(std::move(on_exit)) {}
    ScopeExit(const ScopeExit&) = delete;
    ScopeExit& operator=(const ScopeExit&) = delete;
    ~ScopeExit() { on_exit_(); }

  private:
    F on_exit_;
};

} // namespace qg
