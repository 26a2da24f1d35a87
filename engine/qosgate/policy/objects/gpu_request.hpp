// SPDX-License-Identifier: GPL-2.0-or-later
//
// The GPUs that a job asks for, whatever the spelling: --gpus, --gpus-per-node, --gres=gpu,
// --gpus-per-socket,
// --gpus-per-task, --ntasks-per-gpu.
#pragma once

#include "qosgate/model/job_request.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace qg::policy {

/// One request for GPUs. Trivial. Ownership: `type` is borrowed from the job.
struct GpuRequest {
    std::uint64_t count = 0;
    std::string_view type; ///< the model ("a100"); empty: any
    const char* per = "";  ///< "job", "node", "socket" or "task"
};

/// All requests for GPUs of a job: per job first, then per node, socket and task; each in the order written.
/// Trivial. Requests beyond the maximum are left out; the reader of job descriptions takes no more.
class GpuRequests {
  public:
    explicit GpuRequests(const model::JobRequest& request) noexcept;

    [[nodiscard]] std::span<const GpuRequest> all() const noexcept { return {requests_.data(), count_}; }

    /// The requests of the first kind as one: their sum, and their type if they have only one. A count of 0
    /// if the job asks for no GPUs.
    [[nodiscard]] GpuRequest first_kind() const noexcept;

  private:
    static constexpr std::size_t max = 64;
    void add(const GpuRequest& request) noexcept;

    std::array<GpuRequest, max> requests_;
    std::size_t count_ = 0;
};

/// The length of the texts that GpuRequests reads.
std::size_t bytes_of_gpu_requests(const model::JobRequest& request) noexcept;

/// "unknown field 'cuont' of job.gpu; did you mean count? ..."; empty for the fields that it has.
std::string describe_unknown_gpu_field(std::string_view name);

} // namespace qg::policy
