// SPDX-License-Identifier: GPL-2.0-or-later
//
// The limit that a Reason is about, with its numbers, the jobs that hold it, and when it may have room.
#pragma once

#include "job/waiting_job.hpp"

#include "qosgate/limits/binding.hpp"
#include "qosgate/limits/violation.hpp"
#include "qosgate/model/account_view.hpp"

#include <cstdint>

namespace qg::cli {

/// A limit that blocks a job of this user now. Ownership: its holders borrow the jobs of the context.
HeldLimit describe_held(const limits::Violation& violation, const model::AccountView& view,
                        std::uint32_t user_id, const QueueContext& context);

/// The same for a limit that has room.
HeldLimit describe_held(const limits::BindingLimit& limit, const model::AccountView& view,
                        std::uint32_t user_id, const QueueContext& context);

} // namespace qg::cli
