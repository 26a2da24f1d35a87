// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/evaluation.hpp"

#include <algorithm>

namespace qg::limits {

std::uint64_t MetLimits::hidden_bits(LimitSet hidden_by, std::size_t word) const noexcept {
    std::uint64_t hidden = 0;
    hidden_by.for_each_tres_limit([&](TresLimit limit) { hidden |= bits(limit, word); });
    return hidden;
}

Evaluation::Evaluation(const model::AccountView& the_view, const model::ResolvedJob& the_job,
                       std::size_t partition, Release the_release, Strictness strictness)
    : view(the_view), job(the_job), release(the_release), counts(&the_job.tres), time(the_job.time_limit),
      met(the_view.tres->size()) {
    const auto job_qos = view.job_qos.qos;
    std::optional<std::size_t> partition_qos;
    if (partition < view.partitions.size()) {
        partition_qos = view.partitions[partition].qos;
        partition_max_time = view.partitions[partition].partition->max_time;
    }
    if (job_qos) {
        const model::Qos& qos = view.qos[*job_qos];
        usage_factor = qos.usage_factor;
        job_qos_scales_time = qos.flags.usage_factor_safe;
    }

    // limits.md 2.2: the partition's QOS first, unless the job's QOS carries OverPartQOS.
    if (partition_qos == job_qos)
        qos_order_ = {job_qos, std::nullopt};
    else if (!partition_qos || (job_qos && view.qos[*job_qos].flags.over_part_qos))
        qos_order_ = {job_qos, partition_qos};
    else
        qos_order_ = {partition_qos, job_qos};

    bool has_qos = false;
    for (const auto& index : qos_order_) {
        if (!index) continue;
        const model::Qos& qos = view.qos[*index];
        has_qos = true;
        strict = strict || qos.flags.deny_on_limit;
        if (!limit_factor_) limit_factor_ = qos.limit_factor;
    }
    if (!has_qos || strictness == Strictness::assume_strict) strict = true;
}

std::uint64_t Evaluation::take_bits(const Row& row, const OwnerView& owner, std::size_t word,
                                    std::uint64_t among) {
    const TresLimit limit = std::get<TresLimit>(row.limit);
    std::uint64_t bits = owner.limits.set_bits(limit, word) & among & ~met.hidden_bits(row.hidden_by, word);
    if (row.remembers) {
        bits &= ~met.bits(limit, word);
        met.add_bits(limit, word, bits);
    }
    return bits;
}

std::optional<std::uint64_t> Evaluation::take(const Row& row, const OwnerView& owner, std::size_t tres) {
    if (take_bits(row, owner, tres / 64, std::uint64_t{1} << (tres % 64)) == 0) return std::nullopt;
    return scaled(row, owner.limits.values(std::get<TresLimit>(row.limit))[tres]);
}

std::optional<std::uint64_t> Evaluation::peek(const Row& row, const OwnerView& owner) const {
    const CountLimit limit = std::get<CountLimit>(row.limit);
    if (met.hides(row.hidden_by) || (row.remembers && met.has(limit))) return std::nullopt;
    return owner.limits.get(limit);
}

std::optional<std::uint64_t> Evaluation::take(const Row& row, const OwnerView& owner) {
    const auto value = peek(row, owner);
    if (value && row.remembers) met.add(std::get<CountLimit>(row.limit));
    return value;
}

std::uint64_t Evaluation::find_asked_bits(std::size_t word) const noexcept {
    const std::size_t begin = word * 64;
    const std::size_t end = std::min(counts->size(), begin + 64);
    std::uint64_t bits = 0;
    for (std::size_t tres = begin; tres < end; ++tres)
        bits |= std::uint64_t{(*counts)[tres] != 0} << (tres % 64);
    return bits;
}

void Evaluation::run(const Stage& stage, std::vector<Violation>& found) {
    first_asked_ = find_asked_bits(0);
    for_each_owner([&](const OwnerView& owner, bool is_user_level) {
        if (!owner.limits.has_any()) return;
        const bool is_qos = owner.owner.kind == OwnerKind::qos;
        for (const Row& row : is_qos ? stage.qos : stage.association) {
            if (!owner.limits.has_any(row.reads) || row.since > release) continue;
            if (row.when == When::strict && !strict) continue;
            if (row.levels == Levels::user && !is_user_level) continue;
            run_check(*this, row, owner, found);
        }
    });
}

} // namespace qg::limits
