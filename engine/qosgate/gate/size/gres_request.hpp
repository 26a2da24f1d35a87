// SPDX-License-Identifier: GPL-2.0-or-later
//
// The gres of a request, asked for in all possible ways at once (limits/README.md 6.2).
#pragma once

#include "qosgate/base/saturate.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace qg::gate {

/// What a request asks for of one model of a gres ("gpu:a100"), or of any model ("gpu").
struct GresEntry {
    model::TresItem item; ///< its count is not used
    std::uint64_t per_job = 0;
    std::uint64_t per_node = 0;
    std::uint64_t per_socket = 0;
    std::uint64_t per_task = 0;
    std::uint64_t cpus = 0;   ///< --cpus-per-gpu
    std::uint64_t memory = 0; ///< --mem-per-gpu, MiB
    std::uint64_t total = 0;  ///< the maximum over the ways to ask
};

/// Whether the request asks for at least one of some gres.
bool asks_for_gres(const model::JobRequest& request);

/// Whether the request names at least one GPU.
bool names_gpus(const model::JobRequest& request);

/// The first gres that the request names twice in one list, as in --gres=gpu:4,gpu:1; empty: none. slurmctld
/// compares limits with the largest count, and gives the job the last one. Cost: quadratic in the entries of
/// a list, which slurm/job_field_members.hpp bounds.
std::optional<std::string> find_repeated_gres(const model::JobRequest& request);

/// Reads the gres of a request like slurmctld. Of a request that slurmctld would refuse before it checks
/// limits, it reads as much as makes sense.
/// Ownership: borrows the request, which must not change.
class GresRequest {
  public:
    /// Reads nothing yet.
    explicit GresRequest(const model::JobRequest& request) noexcept;
    GresRequest(const model::JobRequest& request, const JobSize& size, limits::Release release)
        : GresRequest(request) {
        read(size, release);
    }

    /// Reads the gres, once. `size` is the job's size so far.
    void read(const JobSize& size, limits::Release release) {
        size_ = size;
        if (asks_) read_all(release);
    }

    /// The job's size with the counts that gres imply.
    [[nodiscard]] const JobSize& size() const noexcept { return size_; }

    /// Adds the counts of all models asked for. A model also counts for its gres as a whole. An entry without
    /// a model counts for no model, unless the cluster counts only models of that gres.
    void count(const model::TresCatalogue& catalogue, model::TresCounts& counts) const {
        if (!entries_.empty()) add_counts(catalogue, counts);
    }

    /// The MiB that --mem-per-gpu amounts to; empty without it.
    [[nodiscard]] std::optional<std::uint64_t> memory(std::uint64_t nodes) const {
        return entries_.empty() ? std::nullopt : sum_memory(nodes);
    }

    /// The same when the job starts: that of all its GPUs, whichever ways it asks for them. [L22]
    [[nodiscard]] std::uint64_t memory_of_all() const noexcept {
        std::uint64_t sum = 0;
        for (const GresEntry& entry : entries_)
            sum = saturated_sum(sum, saturated_product(entry.memory, entry.total));
        return sum;
    }

    /// What it asks for, in the order of the models. Empty: read() was not called, or there are none.
    [[nodiscard]] std::span<const GresEntry> entries() const noexcept { return entries_; }

    /// Whether the request mentions gres at all. If not, gres do not change its size.
    [[nodiscard]] bool asks() const noexcept { return asks_; }

    /// Whether any count is per job or per task. The selection then takes as few nodes as possible.
    [[nodiscard]] bool is_per_job() const noexcept {
        return std::any_of(entries_.begin(), entries_.end(),
                           [](const GresEntry& entry) { return entry.per_job != 0; });
    }

    /// The CPUs that --cpus-per-gpu amounts to, at least; 0 without it.
    [[nodiscard]] std::uint64_t cpus() const noexcept {
        std::uint64_t sum = 0;
        for (const GresEntry& entry : entries_)
            sum = saturated_sum(sum, saturated_product(entry.cpus, entry.total));
        return sum;
    }

    /// The same at most: slurmctld may take those of one model for all models of its gres. [L22]
    [[nodiscard]] std::uint64_t most_cpus() const noexcept { return most_cpus_; }

    /// The tasks among which slurmctld may divide the CPUs of --cpus-per-gpu, each with its gres; 0: none.
    [[nodiscard]] std::uint64_t tasks_of_cpus() const noexcept { return tasks_of_cpus_; }

    /// The CPUs that slurmctld sets aside for each task: those asked for, or those of the task's gres.
    [[nodiscard]] std::uint64_t cpus_of_task() const noexcept { return cpus_of_task_; }

    /// Whether all gres that bring CPUs along are counted.
    [[nodiscard]] bool knows_cpus() const noexcept {
        return std::none_of(entries_.begin(), entries_.end(),
                            [](const GresEntry& entry) { return entry.cpus != 0 && entry.total == 0; });
    }

  private:
    // Most jobs ask for no gres. The public functions above return quickly for them.
    void read_all(limits::Release release);
    void add_counts(const model::TresCatalogue& catalogue, model::TresCounts& counts) const;
    [[nodiscard]] std::optional<std::uint64_t> sum_memory(std::uint64_t nodes) const;
    template <typename Apply>
    void read_text(const std::optional<std::string>& text, Apply apply);
    GresEntry& entry_for(const model::TresItem& item);
    void derive_tasks();
    void apply_tasks_per_gpu();
    void merge_any_model();
    void add_gpus_of_tasks();
    void forget_cpus_of_earlier_models();
    [[nodiscard]] std::uint64_t cpus_of_all_models() const;
    void reconcile_counts();
    void set_cpus_of_task();

    const model::JobRequest* request_;
    JobSize size_;
    bool asks_;
    std::uint64_t cpus_of_task_;
    std::uint64_t tasks_of_cpus_ = 0;
    std::uint64_t most_cpus_ = 0;
    std::vector<GresEntry> entries_;
};

/// The GPUs that the request asks for on each node, if it counts GPUs per node or per socket; else 0.
std::uint64_t gpus_of_each_node(const model::JobRequest& request, limits::Release release);

} // namespace qg::gate
