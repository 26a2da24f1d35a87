// SPDX-License-Identifier: GPL-2.0-or-later
//
// Where libslurm puts what slurmctld says to the user of a refused job: it prints the lines on standard error
// and hands only the number to its caller.
#pragma once

#include <cstdio>
#include <string>

#include <sys/mman.h>
#include <unistd.h>

namespace qg::test {

/// Takes what this process writes to standard error, for as long as it lives.
/// Threads: one of them in the process at a time.
class StderrCapture {
  public:
    StderrCapture() : real_(dup(STDERR_FILENO)), memory_(memfd_create("stderr", 0)) {
        std::fflush(stderr);
        dup2(memory_, STDERR_FILENO);
    }
    StderrCapture(const StderrCapture&) = delete;
    StderrCapture& operator=(const StderrCapture&) = delete;
    ~StderrCapture() {
        std::fflush(stderr);
        dup2(real_, STDERR_FILENO);
        close(memory_);
        close(real_);
    }

    /// What was written so far.
    [[nodiscard]] std::string text() const {
        std::fflush(stderr);
        std::string all(static_cast<std::size_t>(lseek(memory_, 0, SEEK_END)), '\0');
        const ssize_t size = pread(memory_, all.data(), all.size(), 0);
        all.resize(size < 0 ? 0 : static_cast<std::size_t>(size));
        return all;
    }

  private:
    int real_;
    int memory_;
};

} // namespace qg::test
