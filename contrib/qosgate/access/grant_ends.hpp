// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the end of temporary access changes. Pure: from values to values.
#pragma once

#include "access/grants.hpp"

#include "qosgate/model/association_record.hpp"
#include "qosgate/spec/plan.hpp"

#include <string>
#include <vector>

namespace qg::cli {

/// What happens to grants that are to end.
struct EndedGrants {
    struct Left {
        TemporaryGrant grant;
        std::string why;
        bool is_forgotten = true;            ///< false: it stays in the list, and is tried again
        std::vector<std::string> cures = {}; ///< commands after which it can be revoked
        bool was_revoked = false;            ///< the association did not have the QOS any more
    };
    struct Default {
        model::AssociationName name;
        std::string qos; ///< empty: the default of the account above
        bool is_usable = true;
    };
    std::vector<TemporaryGrant> revoked;
    std::vector<Left> left;        ///< whose QOS may still be used, or is gone
    std::vector<Default> defaults; ///< of users who had made a QOS that ends their default
    /// Sentences about who may use what differs from what one would expect.
    std::vector<std::string> warnings;
};

/// Adds all of `more` to `all`.
void append(const EndedGrants& more, EndedGrants& all);

struct PlannedEnds {
    spec::Plan plan; ///< access alone
    EndedGrants ended;
    std::vector<model::AssociationRecord> after; ///< all associations of the cluster
};

/// Ends all of the grants, which are of the cluster of `live`. What each association stored about the QOS
/// before comes back, whatever the accounts above may use by now; the other QOSs stay. A grant whose
/// association is not as it left it changes nothing. Users set their default QOS themselves, so that it must
/// not keep what ends: they get the default of the account above, or if they cannot use it, another.
PlannedEnds plan_ends(const std::vector<TemporaryGrant>& grants, const spec::LiveState& live);

/// Makes the associations of `live` what they are after these grants have ended, apart from those that cannot
/// end because an account has the QOS as its default. Returns the grants that have ended.
std::vector<TemporaryGrant> take_out(const std::vector<TemporaryGrant>& grants, spec::LiveState& live);

} // namespace qg::cli
