// SPDX-License-Identifier: GPL-2.0-or-later
//
// The generic resources of a request, in all the ways to ask for them at once (limits/README.md 6.2).
#pragma once

#include "qosgate/gate/job_size.hpp"
#include "qosgate/gate/tres_request.hpp"
#include "qosgate/model/tres.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qg::gate {

/// What a request says of one model of one resource ("gpu:a100"), or of any model ("gpu").
struct GresEntry {
    TresItem item; ///< its count is not used
    std::uint64_t per_job = 0;
    std::uint64_t per_node = 0;
    std::uint64_t per_socket = 0;
    std::uint64_t per_task = 0;
    std::uint64_t cpus = 0;   ///< --cpus-per-gpu
    std::uint64_t memory = 0; ///< --mem-per-gpu, MiB
    std::uint64_t total = 0;  ///< the largest that the ways to ask come to
};

/// Reads the request's resources the way slurmctld does. What it would refuse before looking at limits is
/// read as far as it makes sense.
/// Ownership: borrows the request, which must stay as it is.
class GresRequest {
  public:
    /// `size` is the job's so far; counts that the resources imply are filled in.
    GresRequest(const model::JobRequest& request, JobSize& size, limits::Release release);

    /// Writes the counts of all models asked for. Asking for one model counts for the resource as a whole
    /// too; asking for any model counts for no model, unless the cluster counts nothing but models.
    void count(const model::TresCatalogue& catalogue, model::TresCounts& counts) const {
        if (!entries_.empty()) add_counts(catalogue, counts);
    }

    /// The memory that --mem-per-gpu comes to, in MiB; nothing without it.
    [[nodiscard]] std::optional<std::uint64_t> memory(std::uint64_t nodes) const {
        return entries_.empty() ? std::nullopt : sum_memory(nodes);
    }

    /// Whether the request says anything of resources; else it changes no size.
    [[nodiscard]] bool asks() const noexcept { return asks_; }

    /// Whether some are asked for per job or task: the selection then takes as few nodes as will do.
    [[nodiscard]] bool is_per_job() const noexcept {
        return std::any_of(entries_.begin(), entries_.end(),
                           [](const GresEntry& entry) { return entry.per_job != 0; });
    }

    /// The CPUs that --cpus-per-gpu comes to; 0 without it.
    [[nodiscard]] std::uint64_t cpus() const noexcept {
        std::uint64_t sum = 0;
        for (const GresEntry& entry : entries_)
            sum += entry.cpus * entry.total;
        return sum;
    }

    /// Whether all resources that bring CPUs along are counted.
    [[nodiscard]] bool knows_cpus() const noexcept {
        return std::none_of(entries_.begin(), entries_.end(),
                            [](const GresEntry& entry) { return entry.cpus != 0 && entry.total == 0; });
    }

  private:
    // Most jobs ask for no resource: what does nothing then stands here, the rest apart.
    void read_all(const model::JobRequest& request, JobSize& size, limits::Release release);
    void add_counts(const model::TresCatalogue& catalogue, model::TresCounts& counts) const;
    [[nodiscard]] std::optional<std::uint64_t> sum_memory(std::uint64_t nodes) const;
    template <typename Apply>
    void read(const std::optional<std::string>& text, Apply apply);
    GresEntry& entry_for(const TresItem& item);
    void imply_tasks(JobSize& size);
    void apply_tasks_per_gpu(JobSize& size);
    void merge_any_model();
    void settle(JobSize& size);

    const model::JobRequest* request_;
    bool asks_;
    std::vector<GresEntry> entries_;
    std::optional<std::uint64_t> tasks_;
};

} // namespace qg::gate
