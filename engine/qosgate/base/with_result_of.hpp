// SPDX-License-Identifier: GPL-2.0-or-later
//
// WithResultOf: lets a container construct in place a value that a function returns. The value is not moved.
//
//   chain.emplace_back(WithResultOf([&] { return read_association(record); }));
#pragma once

#include <type_traits>
#include <utility>

namespace qg {

/// Converts into the result of `make()`. Convert it only once.
template <typename Make>
class WithResultOf {
  public:
    explicit WithResultOf(Make make) : make_(std::move(make)) {}

    operator std::invoke_result_t<const Make&>() const { return make_(); }

  private:
    Make make_;
};

} // namespace qg
