// SPDX-License-Identifier: GPL-2.0-or-later
//
// BuiltBy: a value that a function returns, built where a container wants it instead of moved there.
//
//   chain.emplace_back(BuiltBy([&] { return read_association(record); }));
#pragma once

#include <type_traits>
#include <utility>

namespace qg {

/// Converts once into what `make()` returns.
template <typename Make>
class BuiltBy {
  public:
    explicit BuiltBy(Make make) : make_(std::move(make)) {}

    operator std::invoke_result_t<const Make&>() const { return make_(); }

  private:
    Make make_;
};

} // namespace qg
