// SPDX-License-Identifier: GPL-2.0-or-later
//
// UpdateParts: what a change of a job sets, and what a rule looks at. Limits depend on some fields, which are
// one part; each of the others is a part of its own, because only rules look at it.
#pragma once

#include "qosgate/model/job_details.hpp"

#include <cstdint>
#include <initializer_list>
#include <optional>

namespace qg::model {

/// A part of a job that a change can set.
enum class UpdatePart : std::uint8_t {
    limits, ///< all that limits depend on: partition, QOS, account, times, size, nodes, sharing, licenses …
    name,
    comment,
    admin_comment,
    priority, ///< also of a job that is held or released
    begin_time,
    burst_buffer,
    container,
    contiguous,
    deadline,
    dependency,
    extra,
    flags, ///< --gres-flags, --spread-job, --use-min-nodes
    mail_type,
    mail_user,
    network,
    nice,
    reboot,
    requeue,
    std_err,
    std_in,
    std_out,
    switches,
    tmp_disk,
    wckey,
    work_dir,
};

/// A set of parts. Trivial.
class UpdateParts {
  public:
    constexpr UpdateParts() = default;
    constexpr UpdateParts(std::initializer_list<UpdatePart> parts) {
        for (const UpdatePart part : parts)
            add(part);
    }
    static constexpr UpdateParts all() noexcept {
        UpdateParts parts;
        parts.bits_ = ~0u;
        return parts;
    }

    constexpr void add(UpdatePart part) noexcept { bits_ |= 1u << static_cast<unsigned>(part); }
    constexpr void add(UpdateParts others) noexcept { bits_ |= others.bits_; }
    [[nodiscard]] constexpr bool has(UpdatePart part) const noexcept { return has_any(UpdateParts{part}); }
    [[nodiscard]] constexpr bool has_any(UpdateParts others) const noexcept {
        return (bits_ & others.bits_) != 0;
    }
    friend constexpr bool operator==(UpdateParts, UpdateParts) = default;

  private:
    std::uint32_t bits_ = 0;
};
static_assert(static_cast<unsigned>(UpdatePart::work_dir) < 32);

/// The part that a detail belongs to; empty: no change sets it.
constexpr std::optional<UpdatePart> part_of(JobDetail detail) noexcept {
    switch (detail) {
    case JobDetail::core_spec: // it may take whole nodes
    case JobDetail::excluded_nodes:
    case JobDetail::sharing:
    case JobDetail::thread_spec:
    case JobDetail::threads_per_core: return UpdatePart::limits;
    case JobDetail::het_offset:
    case JobDetail::plane:
    case JobDetail::script:
    case JobDetail::submit_host:
    case JobDetail::tasks_per_core: return std::nullopt;
    case JobDetail::begin_time: return UpdatePart::begin_time;
    case JobDetail::burst_buffer: return UpdatePart::burst_buffer;
    case JobDetail::container: return UpdatePart::container;
    case JobDetail::contiguous: return UpdatePart::contiguous;
    case JobDetail::deadline: return UpdatePart::deadline;
    case JobDetail::dependency: return UpdatePart::dependency;
    case JobDetail::disable_binding:
    case JobDetail::enforce_binding:
    case JobDetail::spread_job:
    case JobDetail::use_min_nodes: return UpdatePart::flags;
    case JobDetail::extra: return UpdatePart::extra;
    case JobDetail::mail_type: return UpdatePart::mail_type;
    case JobDetail::mail_user: return UpdatePart::mail_user;
    case JobDetail::network: return UpdatePart::network;
    case JobDetail::nice: return UpdatePart::nice;
    case JobDetail::reboot: return UpdatePart::reboot;
    case JobDetail::requeue: return UpdatePart::requeue;
    case JobDetail::std_err: return UpdatePart::std_err;
    case JobDetail::std_in: return UpdatePart::std_in;
    case JobDetail::std_out: return UpdatePart::std_out;
    case JobDetail::switches:
    case JobDetail::switches_wait: return UpdatePart::switches;
    case JobDetail::tmp_disk: return UpdatePart::tmp_disk;
    case JobDetail::wckey: return UpdatePart::wckey;
    case JobDetail::work_dir: return UpdatePart::work_dir;
    }
    return std::nullopt;
}

} // namespace qg::model
