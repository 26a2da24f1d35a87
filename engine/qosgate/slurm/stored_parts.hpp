// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld may make of a change: not only all of it, or nothing.
#pragma once

#include <slurm/slurm.h>

#include <memory>
#include <string>
#include <vector>

namespace qg::slurm {

/// What stays of a change if slurmctld refuses the rest.
struct StoredPart {
    std::shared_ptr<const job_desc_msg_t> update; ///< never null; its texts are borrowed from the change
    std::string refused; ///< what it may refuse, as scontrol calls it; a bounded text
};

/// The parts of a change of the job `current` that slurmctld stores before it may refuse the rest
/// (limits/README.md 9), from the smallest to the largest, without the whole. Most changes set one field and
/// have none. A part of which neither rules nor limits can see anything is left out. Cost: linear in the
/// fields that the change sets; at most one part for each StoreStep.
std::vector<StoredPart> stored_parts(const job_desc_msg_t& current, const job_desc_msg_t& update);

/// A change without the fields that slurmctld never stores: the job keeps what it had. Ownership: borrows the
/// texts.
job_desc_msg_t without_what_is_never_stored(const job_desc_msg_t& update);

} // namespace qg::slurm
