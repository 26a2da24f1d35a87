// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld offers its plugins, for tests: an allocator that recognizes its own blocks, and a log that
// tests can read.
#pragma once

#include <string>
#include <vector>

namespace qg::test {

/// Lines logged since the last call, "error: …" or "info: …".
std::vector<std::string> take_log();

/// A text from the host's allocator, like the texts of slurmctld.
char* host_text(const char* text);

/// How many blocks of the host's allocator are in use.
int blocks_in_use() noexcept;

} // namespace qg::test
