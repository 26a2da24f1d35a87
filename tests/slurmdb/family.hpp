// SPDX-License-Identifier: GPL-2.0-or-later
//
// Names of an account, of one in it, and of its two users.
#pragma once

#include "qosgate/model/association_record.hpp"

namespace qg::test {

inline const model::AssociationName top{.cluster = "c", .account = "top"};
inline const model::AssociationName sub{.cluster = "c", .account = "sub"};
inline const model::AssociationName ana{.cluster = "c", .account = "sub", .user = "ana"};
inline const model::AssociationName bob{.cluster = "c", .account = "sub", .user = "bob"};

} // namespace qg::test
