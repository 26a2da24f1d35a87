// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/untracked_tres.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "qosgate/slurm/values.hpp"

#include <algorithm>
#include <cstdint>
#include <utility>

namespace qg::plugin {
namespace {

using Ids = std::vector<std::uint64_t>;

/// Whether a text "1=4,1001=2" has an id that is not among `tracked`.
bool has_other_id(std::string_view limits, const Ids& tracked) {
    bool found = false;
    text::for_each_part(limits, ',', [&](std::string_view limit) {
        const auto id = text::parse_unsigned(limit.substr(0, limit.find('=')));
        found = found || (id && std::ranges::find(tracked, *id) == tracked.end());
    });
    return found;
}

} // namespace

std::vector<std::string> qos_with_untracked_tres(slurm::ListHandle qos_list, slurm::ListHandle tres_list) {
    if (qos_list == nullptr || tres_list == nullptr) return {};
    Ids tracked;
    slurm::for_each<slurmdb_tres_rec_t>(tres_list,
                                        [&](const slurmdb_tres_rec_t& tres) { tracked.push_back(tres.id); });
    std::vector<std::string> names;
    slurm::for_each<slurmdb_qos_rec_t>(qos_list, [&](const slurmdb_qos_rec_t& qos) {
        const auto limits_other = [&](const auto& row) {
            return has_other_id(slurm::view_text(qos.*row.text), tracked);
        };
        if (std::ranges::any_of(slurm::rows::qos_tres, limits_other))
            names.emplace_back(slurm::view_text(qos.name));
    });
    return names;
}

void UntrackedTresWatch::check_if_due() {
    constexpr std::chrono::seconds interval{10};
    const auto now = std::chrono::steady_clock::now();
    if (!manager_ || manager_->tres_list == nullptr || now < due_) return;
    std::vector<std::string> found;
    {
        const AssocMgrReadLock lock(*manager_);
        if (*manager_->qos_list == nullptr || *manager_->tres_list == nullptr) return;
        found = qos_with_untracked_tres(*manager_->qos_list, *manager_->tres_list);
    }
    due_ = now + interval;
    const std::scoped_lock lock(mutex_);
    found_ = std::move(found);
}

std::vector<std::string> UntrackedTresWatch::qos() const {
    const std::scoped_lock lock(mutex_);
    return found_;
}

} // namespace qg::plugin
