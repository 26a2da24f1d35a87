// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/qos_convert.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/model/qos_fields.hpp"
#include "qosgate/model/qos_flags.hpp"
#include "qosgate/slurm/limit_rows.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace qg::slurmdb {
namespace {

using model::NameSet;
using model::OptionalLimit;
using model::QosRecord;
using model::TresLimits;
using Wire = slurmdb_qos_rec_t;

struct PlainRow {
    std::uint32_t QosRecord::*ours;
    std::uint32_t Wire::*theirs;
};
constexpr std::array<PlainRow, 2> plain_rows{{
    {&QosRecord::priority, &Wire::priority},
    {&QosRecord::grace_time_seconds, &Wire::grace_time},
}};

struct LimitRow {
    OptionalLimit QosRecord::*ours;
    std::uint32_t Wire::*theirs;
};

/// A record has each limit in the field with the limit's name.
template <typename Value>
Value QosRecord::*member_of(model::LimitId limit) {
    return std::get<Value QosRecord::*>(model::get_qos_field(model::name_of(limit)).value().field->member);
}

/// The limits of jobs and of time that verdicts know, and the numbers beside them.
const std::vector<LimitRow>& limit_rows() {
    static const std::vector<LimitRow> rows = [] {
        std::vector<LimitRow> all{
            {&QosRecord::preempt_exempt_seconds, &Wire::preempt_exempt_time},
            {&QosRecord::grp_jobs_accrue, &Wire::grp_jobs_accrue},
            {&QosRecord::max_jobs_accrue_per_user, &Wire::max_jobs_accrue_pu},
            {&QosRecord::max_jobs_accrue_per_account, &Wire::max_jobs_accrue_pa},
            {&QosRecord::min_prio_threshold, &Wire::min_prio_thresh},
        };
        for (const auto& row : slurm::rows::qos_count)
            all.push_back({member_of<OptionalLimit>(row.limit), row.value});
        return all;
    }();
    return rows;
}

struct FactorRow {
    std::optional<double> QosRecord::*ours;
    double Wire::*theirs;
};
constexpr std::array<FactorRow, 2> factor_rows{{
    {&QosRecord::usage_threshold, &Wire::usage_thres},
    {&QosRecord::limit_factor, &Wire::limit_factor},
}};
/// UsageFactor comes after the factor rows: it is the only factor that is never unset.
constexpr std::size_t usage_factor_row = factor_rows.size();

struct TresRow {
    TresLimits QosRecord::*ours;
    char* Wire::*theirs;
    /// The limit that slurmdbd 22.05 to 23.11 wrongly merges a change of this one into (slurm/README.md 4.4).
    TresLimits QosRecord::*merged_into = nullptr;
};

const std::vector<TresRow>& tres_rows() {
    static const std::vector<TresRow> rows = [] {
        std::vector<TresRow> all;
        for (const auto& row : slurm::rows::qos_tres) {
            const bool is_mistaken =
                slurm::mixes_up_run_minutes && row.limit == model::TresLimit::max_tres_run_mins_per_account;
            all.push_back({member_of<TresLimits>(row.limit), row.text,
                           is_mistaken ? &QosRecord::max_tres_run_mins_per_user : nullptr});
        }
        return all;
    }();
    return rows;
}

struct BitRow {
    std::string_view name;
    std::uint32_t bit = 0;
    bool is_known = true; ///< by the slurmdbd of this release
};
constexpr auto flag_rows = [] {
    std::array<BitRow, model::qos_flag_facts.size()> rows;
    std::ranges::transform(model::qos_flag_facts, rows.begin(), [](const model::QosFlagFacts& flag) {
        return BitRow{flag.name, flag.bit, slurm::knows_qos_flag(flag.bit)};
    });
    return rows;
}();
constexpr std::array<BitRow, 6> mode_rows{{
    {"SUSPEND", PREEMPT_MODE_SUSPEND},
    {"REQUEUE", PREEMPT_MODE_REQUEUE},
    {"CANCEL", PREEMPT_MODE_CANCEL},
    {"WITHIN", PREEMPT_MODE_WITHIN},
    {"GANG", PREEMPT_MODE_GANG},
    {"PRIORITY", slurm::preempt_mode_priority, slurm::knows_priority_preemption},
}};

constexpr std::string_view unknown_bit = "bit";

/// Bits without a name become "bit<N>", so that a newer slurmdbd's settings survive a change of others.
template <std::size_t N>
NameSet to_words(std::uint32_t bits, const std::array<BitRow, N>& rows) {
    NameSet words;
    for (const BitRow& row : rows) {
        if ((bits & row.bit) == 0) continue;
        words.emplace(row.name);
        bits &= ~row.bit;
    }
    for (unsigned number = 0; number < 32; ++number)
        if ((bits & 1u << number) != 0) words.insert(text::format("{}{}", unknown_bit, number));
    return words;
}

template <std::size_t N>
Result<std::uint32_t> to_bits(const NameSet& words, const std::array<BitRow, N>& rows) {
    std::uint32_t bits = 0;
    for (const std::string& word : words) {
        const auto row =
            std::find_if(rows.begin(), rows.end(), [&](const BitRow& r) { return r.name == word; });
        if (row != rows.end()) {
            if (!row->is_known)
                return Error{ErrorCode::unsupported, text::format("{}: Slurm {}.{:02} does not know it", word,
                                                                  slurm::release_year, slurm::release_month)};
            bits |= row->bit;
            continue;
        }
        QG_CHECK(word.starts_with(unknown_bit));
        bits |= 1u << text::parse_unsigned(std::string_view(word).substr(unknown_bit.size())).value_or(0);
    }
    return bits;
}

bool is_no_value(std::uint32_t number) {
    return number == INFINITE || number == NO_VAL;
}
bool is_no_value(double number) {
    return number == static_cast<double>(INFINITE) || number == static_cast<double>(NO_VAL);
}

/// slurmdbd keeps six decimals; a factor in a message has random digits beyond them.
double rounded(double factor) {
    return std::round(factor * 1e6) / 1e6;
}

const char* or_empty(const char* text) {
    return text == nullptr ? "" : text;
}

NameSet preempt_names(const Wire& record, const QosNames& names) {
    NameSet found;
    if (record.preempt_bitstr == nullptr) return found;
    const std::int64_t size = slurm_bit_size(record.preempt_bitstr);
    for (const auto& [id, name] : names)
        if (id < size && slurm_bit_test(record.preempt_bitstr, id) != 0) found.insert(name);
    return found;
}

/// "1=24,1001=18446744073709551615", which removes the second one: slurmdbd merges this into the stored
/// value, so it names only the differences.
Result<std::string> tres_change(const TresLimits& before, const TresLimits& after, const TresTable& table) {
    std::vector<std::string> parts;
    const auto add = [&](const std::string& name, const std::string& count) -> Result<void> {
        const auto id = table.find_id(name);
        if (!id)
            return Error{ErrorCode::invalid_input,
                         text::format("slurmdbd tracks no TRES {}", text::printable(name))};
        parts.push_back(text::format("{}={}", *id, count));
        return {};
    };
    for (const auto& [name, count] : after) {
        const auto old = before.find(name);
        if (old != before.end() && old->second == count) continue;
        if (const auto done = add(name, std::to_string(count)); !done) return done.error();
    }
    for (const auto& [name, count] : before) {
        if (after.contains(name)) continue;
        if (const auto done = add(name, std::to_string(INFINITE64)); !done) return done.error();
    }
    return text::join(parts, ",");
}

/// Same as tres_change(), but correct for both `before` and `mistaken` as the value that slurmdbd merges the
/// change into: it names all values to be stored, and clears all others that either of them has.
Result<std::string> tres_change_for_buggy_merge(TresLimits before, const TresLimits& mistaken,
                                                const TresLimits& after, const TresTable& table) {
    constexpr std::uint64_t no_limit_has_this = INFINITE64;
    before.insert(mistaken.begin(), mistaken.end());
    for (auto& [name, count] : before)
        count = no_limit_has_this;
    return tres_change(before, after, table);
}

/// The change of Preempt in slurmdbd's format: plain ids for a new QOS, additions and removals for others.
Result<std::vector<std::string>> preempt_change(const NameSet& before, const NameSet& after, bool is_new,
                                                const QosNames& names) {
    std::vector<std::string> words;
    const auto add = [&](std::string_view sign, const std::string& name) {
        const auto found =
            std::find_if(names.begin(), names.end(), [&](const auto& known) { return known.second == name; });
        if (found == names.end()) return false;
        words.push_back(text::format("{}{}", sign, found->first));
        return true;
    };
    for (const std::string& name : after)
        if (!before.contains(name) && !add(is_new ? "" : "+", name))
            return Error{ErrorCode::not_found,
                         text::format("Preempt: there is no QOS '{}'", text::printable(name))};
    for (const std::string& name : before)
        if (!after.contains(name)) QG_CHECK(add("-", name));
    return words;
}

/// A change with only additions or only removals is written as such, so that flags which sacctmgr sets
/// meanwhile stay. It is also the only way to clear all flags: a plain 0 means "leave as they are". A new QOS
/// may reuse the record of a deleted one, so it gets its flags as a whole.
std::uint32_t flags_change(std::uint32_t before, std::uint32_t after, bool is_new) {
    if (is_new) return after;
    if ((before & ~after) == 0) return (after & ~before) | QOS_FLAG_ADD;
    if ((after & ~before) == 0) return (before & ~after) | QOS_FLAG_REMOVE;
    return after;
}

} // namespace

QosRecord from_slurm(const Wire& record, const TresTable& tres, const QosNames& names) {
    QosRecord result;
    result.name = text::lower(or_empty(record.name));
    result.description = or_empty(record.description);
    for (const PlainRow& row : plain_rows)
        if (!is_no_value(record.*row.theirs)) result.*row.ours = record.*row.theirs;
    for (const LimitRow& row : limit_rows())
        if (!is_no_value(record.*row.theirs)) result.*row.ours = record.*row.theirs;
    for (const FactorRow& row : factor_rows)
        if (!is_no_value(record.*row.theirs)) result.*row.ours = rounded(record.*row.theirs);
    if (!is_no_value(record.usage_factor)) result.usage_factor = rounded(record.usage_factor);
    for (const TresRow& row : tres_rows())
        result.*row.ours = tres.parse(or_empty(record.*row.theirs));
    const auto flags = static_cast<std::uint32_t>(record.flags);
    if ((flags & QOS_FLAG_NOTSET) == 0)
        result.flags = to_words(flags & QOS_FLAG_BASE & ~slurm::qos_flags_internal, flag_rows);
    // Off is written 0 or, in lists, COND_OFF; both mean the cluster's own mode.
    const auto mode = static_cast<std::uint16_t>(record.preempt_mode & ~unsigned{PREEMPT_MODE_COND_OFF});
    if (record.preempt_mode != NO_VAL16 && record.preempt_mode != INFINITE16)
        result.preempt_mode = to_words(mode, mode_rows);
    result.preempt = preempt_names(record, names);
    return result;
}

Result<void> expect_known_words(const QosRecord& record) {
    if (const auto modes = to_bits(record.preempt_mode, mode_rows); !modes)
        return modes.error().in("PreemptMode");
    if (const auto flags = to_bits(record.flags, flag_rows); !flags) return flags.error().in("Flags");
    return {};
}

Result<QosPatch> make_patch(const QosRecord& before, const QosRecord& after, const TresTable& tres,
                            const QosNames& names) {
    QosPatch patch;
    const bool is_new = before.name.empty();
    std::size_t index = 0;
    for (const PlainRow& row : plain_rows) {
        if (before.*row.ours != after.*row.ours) patch.numbers[index] = after.*row.ours;
        ++index;
    }
    for (const LimitRow& row : limit_rows()) {
        if (before.*row.ours != after.*row.ours) patch.numbers[index] = (after.*row.ours).value_or(INFINITE);
        ++index;
    }
    for (index = 0; index < factor_rows.size(); ++index) {
        const FactorRow& row = factor_rows[index];
        if (before.*row.ours != after.*row.ours)
            patch.factors[index] = (after.*row.ours).value_or(static_cast<double>(INFINITE));
    }
    if (before.usage_factor != after.usage_factor) patch.factors[usage_factor_row] = after.usage_factor;
    for (index = 0; index < tres_rows().size(); ++index) {
        const TresRow& row = tres_rows()[index];
        if (before.*row.ours == after.*row.ours) continue;
        auto change = row.merged_into == nullptr
                          ? tres_change(before.*row.ours, after.*row.ours, tres)
                          : tres_change_for_buggy_merge(before.*row.ours, before.*row.merged_into,
                                                        after.*row.ours, tres);
        if (!change) return change.error();
        patch.tres[index] = *change;
    }
    if (before.description != after.description) patch.description = after.description;
    auto preempt = preempt_change(before.preempt, after.preempt, is_new, names);
    if (!preempt) return preempt.error();
    patch.preempt = std::move(*preempt);
    if (before.preempt_mode != after.preempt_mode) {
        const auto bits = to_bits(after.preempt_mode, mode_rows);
        if (!bits) return bits.error().in("PreemptMode");
        patch.preempt_mode = static_cast<std::uint16_t>(*bits);
    }
    if (before.flags != after.flags) {
        const auto bits = to_bits(after.flags, flag_rows);
        const auto old_bits = to_bits(before.flags, flag_rows);
        if (!bits) return bits.error().in("Flags");
        if (!old_bits) return old_bits.error().in("Flags");
        patch.flags = flags_change(*old_bits, *bits, is_new);
    }
    return patch;
}

WireQos::WireQos(std::string name, QosPatch patch)
    : name_(std::move(name)), patch_(std::move(patch)), preempt_(slurm::make_borrowing_list()) {
    slurmdb_init_qos_rec(&record_, false, NO_VAL);
    if (!name_.empty()) record_.name = name_.data();
    for (const auto& [index, number] : patch_.numbers) {
        if (index < plain_rows.size())
            record_.*plain_rows[index].theirs = number;
        else
            record_.*limit_rows()[index - plain_rows.size()].theirs = number;
    }
    for (const auto& [index, factor] : patch_.factors) {
        if (index == usage_factor_row)
            record_.usage_factor = factor;
        else
            record_.*factor_rows[index].theirs = factor;
    }
    for (auto& [index, change] : patch_.tres)
        record_.*tres_rows()[index].theirs = change.data();
    if (patch_.description) record_.description = patch_.description->data();
    for (std::string& word : patch_.preempt)
        slurm::append(preempt_, word.data());
    if (!patch_.preempt.empty()) record_.preempt_list = preempt_.get();
    if (patch_.preempt_mode) record_.preempt_mode = *patch_.preempt_mode;
    if (patch_.flags) slurm::assign_flags(record_.flags, *patch_.flags);
}

} // namespace qg::slurmdb
