// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/error.hpp"

namespace qg {

std::string_view to_string(ErrorCode code) noexcept {
    switch (code) {
    case ErrorCode::invalid_input: return "invalid_input";
    case ErrorCode::not_found: return "not_found";
    case ErrorCode::already_exists: return "already_exists";
    case ErrorCode::permission_denied: return "permission_denied";
    case ErrorCode::unavailable: return "unavailable";
    case ErrorCode::conflict: return "conflict";
    case ErrorCode::unsupported: return "unsupported";
    case ErrorCode::limit_exceeded: return "limit_exceeded";
    case ErrorCode::internal: return "internal";
    }
    return "internal";
}

Error Error::in(std::string_view where) const& {
    return Error{code, std::string(where) + ": " + message};
}

} // namespace qg
