// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/provider.hpp"

namespace qg::quota {

void QuotaProvider::allocate(const Lookup&, const model::ResolvedJob&) {}
void QuotaProvider::release(const Lookup&, const model::ResolvedJob&) {}
Result<void> QuotaProvider::sync() {
    return {};
}

} // namespace qg::quota
