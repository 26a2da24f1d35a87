// SPDX-License-Identifier: GPL-2.0-or-later
//
// LikelyQos: the names of the QOSs that the user's jobs got by default the last times, for the next client.
// An association tells only the number of its default QOS; slurmctld finds records by name. With the right
// name a client need not ask for all QOSs. A wrong one costs as little as none: what counts is slurmctld's
// answer.
#pragma once

#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace qg::plugin {

/// A file in a directory that ends with the user's session. Threads: not thread-safe; processes may share it.
class LikelyQos {
  public:
    /// At most this many names are remembered.
    static constexpr std::size_t max_names = 4;

    /// `directory` is $XDG_RUNTIME_DIR. Nothing is remembered if it is not the effective user's alone, or if
    /// `cluster` is no name for a file.
    LikelyQos(const std::filesystem::path& directory, std::string_view cluster);

    /// The names, the newest first. Never fails: what cannot be read has none. Cost: blocking.
    [[nodiscard]] std::vector<std::string> names() const;

    /// Puts a new name first, in place of the oldest; a name that is there keeps its place. Never fails.
    /// Cost: blocking.
    void note(std::string_view name) const;

  private:
    std::filesystem::path file_; ///< empty: nothing is remembered
};

/// $XDG_RUNTIME_DIR; empty if the environment has none.
std::filesystem::path runtime_directory();

} // namespace qg::plugin
