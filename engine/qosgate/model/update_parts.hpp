// SPDX-License-Identifier: GPL-2.0-or-later
//
// UpdateParts: what a change of a job sets, and what a rule looks at. Limits depend on some fields, which are
// one part; each of the others is a part of its own, because only rules look at it.
#pragma once

#include <cstdint>
#include <initializer_list>

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

} // namespace qg::model
