// SPDX-License-Identifier: GPL-2.0-or-later
//
// HostTexts: texts of job descriptions that Slurm will free.
#pragma once

#include "host/host_alloc.hpp"
#include "qosgate/slurm/text_owner.hpp"

#include <algorithm>
#include <cstddef>

namespace qg::plugin {

class HostTexts final : public slurm::TextOwner {
  public:
    void assign(char*& text, const std::optional<std::string>& value) override { assign_text(text, value); }

    void add_variable(job_desc_msg_t& job) override {
        char** end = job.environment;
        while (*end != nullptr)
            ++end;
        const auto size = static_cast<std::size_t>(end - job.environment);
        slurm_xrecalloc(reinterpret_cast<void**>(&job.environment), size + 2, sizeof(char*), true, false,
                        __FILE__, __LINE__, __func__);
        std::copy_backward(job.environment, job.environment + size, job.environment + size + 1);
        job.environment[size + 1] = nullptr;
        job.environment[0] = nullptr;
        ++job.env_size;
    }
};

/// One for all: it keeps nothing.
inline HostTexts host_texts;

} // namespace qg::plugin
