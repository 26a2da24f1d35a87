// SPDX-License-Identifier: GPL-2.0-or-later
//
// Result<T>: a value or an Error. Member names are those of C++23's std::expected, which gcc 12 does not
// have.
//
//   Result<Minutes> parse(std::string_view text);
//   auto wall = parse(text);
//   if (!wall) return wall.error().in("MaxWall");   // an Error converts into any Result
//   use(*wall);
#pragma once

#include "qosgate/base/check.hpp"
#include "qosgate/base/error.hpp"
#include "qosgate/base/with_result_of.hpp"

#include <utility>
#include <variant>

namespace qg {

/// Either a T or the Error that prevented it. Access to the missing one of the two is a bug (InternalError).
template <typename T>
class [[nodiscard]] Result {
  public:
    Result(T&& value) : state_(std::in_place_index<0>, std::move(value)) {}
    Result(const T& value) : state_(std::in_place_index<0>, value) {}
    /// A value constructed in place.
    template <typename Make>
    explicit Result(const WithResultOf<Make>& built) : state_(std::in_place_index<0>, built) {}
    Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

    [[nodiscard]] bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    T& value() & {
        QG_CHECK(has_value());
        return std::get<0>(state_);
    }
    const T& value() const& {
        QG_CHECK(has_value());
        return std::get<0>(state_);
    }
    T&& value() && {
        QG_CHECK(has_value());
        return std::get<0>(std::move(state_));
    }
    const Error& error() const& {
        QG_CHECK(!has_value());
        return std::get<1>(state_);
    }

    T& operator*() & { return value(); }
    const T& operator*() const& { return value(); }
    T&& operator*() && { return std::move(*this).value(); }
    T* operator->() { return &value(); }
    const T* operator->() const { return &value(); }

    template <typename U>
    T value_or(U&& otherwise) const& {
        return has_value() ? std::get<0>(state_) : static_cast<T>(std::forward<U>(otherwise));
    }

  private:
    std::variant<T, Error> state_;
};

/// Success without a value.
template <>
class [[nodiscard]] Result<void> {
  public:
    Result() = default;
    Result(Error error) : error_(std::move(error)), failed_(true) {}

    [[nodiscard]] bool has_value() const noexcept { return !failed_; }
    explicit operator bool() const noexcept { return !failed_; }
    const Error& error() const& {
        QG_CHECK(failed_);
        return error_;
    }

  private:
    Error error_;
    bool failed_ = false;
};

} // namespace qg
