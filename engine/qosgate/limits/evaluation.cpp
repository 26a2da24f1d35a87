// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/evaluation.hpp"

#include "qosgate/limits/comparison.hpp"

#include <algorithm>

namespace qg::limits {
namespace {

/// A bit for each index of this word, from 64 x word up to `count`, for which `is_set(index)`; lowest first.
template <typename IsSet>
std::uint64_t bits_of_word(std::size_t word, std::size_t count, IsSet is_set) {
    const std::size_t begin = word * 64;
    std::uint64_t bits = 0;
    for (std::size_t i = begin; i < std::min(count, begin + 64); ++i)
        bits |= std::uint64_t{is_set(i)} << (i % 64);
    return bits;
}

} // namespace

Evaluation::Evaluation(const model::AccountView& the_view, const model::ResolvedJob& the_job,
                       std::size_t partition, Release the_release, Strictness strictness)
    : view(the_view), job(the_job), release(the_release), counts(&the_job.tres), time(the_job.time_limit),
      applied(the_view.tres->size()) {
    const auto job_qos = view.job_qos.qos;
    std::optional<std::size_t> partition_qos;
    if (partition < view.partitions.size()) {
        partition_qos = view.partitions[partition].qos;
        if (view.partitions[partition].is_hidden && partition_qos != job_qos) hidden_qos_ = partition_qos;
        partition_max_time = view.partitions[partition].partition->max_time;
        // What is hidden must not be told by what is compared with it.
        if (!view.partitions[partition].is_hidden) max_to_cut = partition_max_time;
    }
    if (job_qos) {
        const model::Qos& qos = view.qos[*job_qos];
        usage_factor = qos.usage_factor;
        job_qos_scales_time = qos.flags.usage_factor_safe;
    }

    // limits/README.md 3.1: the partition's QOS first, unless the job's QOS carries OverPartQOS.
    const bool job_qos_is_first = job_qos && view.qos[*job_qos].flags.over_part_qos;
    if (job_qos_is_first) add_qos(*job_qos);
    if (partition_qos && partition_qos != job_qos) add_qos(*partition_qos);
    if (job_qos && !job_qos_is_first) add_qos(*job_qos);
    if (qos_count_ == 0) strict = true;
    // Assumed for a job that never starts: so it is told what keeps it from starting.
    if (strictness == Strictness::assume_strict && !strict) strict = counts_time_min = true;
}

void Evaluation::add_qos(std::size_t index) noexcept {
    const model::Qos& qos = view.qos[index];
    qos_order_[qos_count_++] = index;
    strict = strict || qos.flags.deny_on_limit;
    if (limit_factor_ || !qos.limit_factor) return;
    limit_factor_ = qos.limit_factor;
    is_first_factor_ = qos_count_ == 1;
}

std::uint64_t Evaluation::find_asked_bits(std::size_t word) const noexcept {
    return bits_of_word(word, counts->size(), [this](std::size_t tres) { return (*counts)[tres] != 0; });
}

std::uint64_t Evaluation::find_operator_bits(std::size_t word) const noexcept {
    const auto& set = job.operator_set_tres;
    return bits_of_word(word, set.size(), [&set](std::size_t tres) -> bool { return set[tres]; });
}

void Evaluation::run_rows(std::span<const Row> rows, const OwnerView& owner, bool reads_users_limits,
                          std::vector<Violation>& found) {
    for (const Row& row : rows) {
        if (!applies(row, owner, reads_users_limits)) continue;
        if (row.when == When::strict && !strict) continue;
        row.check({*this, row, owner, found}, row.limit);
    }
}

void Evaluation::find_all(const Stage& stage, std::vector<Violation>& found) {
    if (asked_counts_ != counts) {
        asked_counts_ = counts;
        first_asked_ = find_asked_bits(0);
    }
    const auto time_before = time;
    const auto begin_qos = [&] {
        if (stage.restarts_time) time = time_before;
        time_of_owner.reset();
    };
    const std::size_t rows_at_once = stage.limit_by_limit ? 1 : stage.qos.size();
    for (auto rest = stage.qos; !rest.empty(); rest = rest.subspan(rows_at_once))
        for_each_qos([&](const OwnerView& owner) {
            begin_qos();
            run_rows(rest.first(rows_at_once), owner, /*reads_users_limits=*/true, found);
        });
    if (stage.restarts_time) time = time_before;
    for_each_association([&](const OwnerView& owner, bool reads_users_limits) {
        time_of_owner.reset();
        run_rows(stage.association, owner, reads_users_limits, found);
    });
}

bool Evaluation::may_be_shown(const Violation& violation) const noexcept {
    if (violation.owner.kind == OwnerKind::qos && violation.owner.index == hidden_qos_) return false;
    if (job.is_time_hidden && model::facts_of(violation.limit).is_about_time()) return false;
    return !violation.tres || *violation.tres >= job.hidden_tres.size() || !job.hidden_tres[*violation.tres];
}

void Evaluation::run(const Stage& stage, std::vector<Violation>& found) {
    find_all(stage, found);
    if (hidden_qos_ || job.is_time_hidden || !job.hidden_tres.empty())
        std::erase_if(found, [this](const Violation& v) { return !may_be_shown(v); });
}

} // namespace qg::limits
