// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/reason.hpp"

#include "qosgate/model/limit_facts.hpp"

namespace qg::limits {
namespace {

const model::ReasonTokens& tokens_of(OwnerKind owner, const model::LimitFacts& facts) noexcept {
    return owner == OwnerKind::qos ? facts.qos_reasons : facts.association_reasons;
}

} // namespace

std::string_view reason_of(OwnerKind owner, TresLimit limit, model::TresKind kind) noexcept {
    return tokens_of(owner, model::facts_of(limit))[static_cast<std::size_t>(kind)];
}

std::string_view reason_of(OwnerKind owner, CountLimit limit) noexcept {
    return tokens_of(owner, model::facts_of(limit)).front();
}

} // namespace qg::limits
