// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/installation.hpp"

#include "qosgate/base/text.hpp"
#ifdef QG_HAVE_SLURM
#include "qosgate/slurmdb/slurm_conf.hpp"
#endif

#include <algorithm>
#include <array>
#include <cstdio>
#include <string_view>
#include <system_error>

extern "C" const char qosgate_commit[];

namespace qg::cli {
namespace {

namespace fs = std::filesystem;

#ifdef QG_HAVE_SLURM

/// "22.05, 24.11"; empty: there are none.
std::string find_branches(const fs::path& directory) {
    constexpr std::string_view begin = "job_submit-", end = ".so";
    std::vector<std::string> branches;
    std::error_code problem;
    for (fs::directory_iterator at(directory, problem), last; !problem && at != last; at.increment(problem)) {
        const std::string name = at->path().filename().string();
        if (name.starts_with(begin) && name.ends_with(end))
            branches.push_back(name.substr(begin.size(), name.size() - begin.size() - end.size()));
    }
    std::ranges::sort(branches);
    return text::join(branches, ", ");
}

std::string describe_gates() {
    const fs::path installed(QG_SLURM_PLUGIN_DIR "/qosgate");
    for (const fs::path& place : places_of(installed))
        if (const std::string branches = find_branches(place); !branches.empty())
            return text::format("gates for Slurm {} in {}", branches, place.string());
    return text::format("no gates in {}", installed.string());
}

/// "Slurm 22.05.8 on this host".
std::string describe_slurm() {
    const auto conf = slurmdb::find_slurm_conf();
    if (!conf) return text::format("no Slurm on this host: {}", conf.error().message);
    std::array<char, 256> line{};
    // Without a cluster that it can read of, scontrol waits.
    std::FILE* const output = popen("timeout 5 scontrol --version 2>/dev/null", "r"); // NOLINT(cert-env33-c)
    if (output == nullptr) return "no scontrol on this host";
    const bool has_line = std::fgets(line.data(), line.size(), output) != nullptr;
    pclose(output);
    const std::string_view words = has_line ? text::trim(line.data()) : std::string_view();
    const auto version = words.rfind(' ');
    if (version == words.npos) return "no Slurm on this host: scontrol --version says nothing";
    return text::format("Slurm {} on this host", text::printable(words.substr(version + 1)));
}

#endif

} // namespace

std::vector<fs::path> places_of(const fs::path& directory) {
    std::error_code problem;
    const fs::path own = fs::read_symlink("/proc/self/exe", problem).parent_path();
    return {own, (own / directory.lexically_relative(QG_BIN_DIR)).lexically_normal(), directory};
}

std::string describe_installation() {
    const std::string_view commit = qosgate_commit;
    std::string lines = commit.empty() ? QG_VERSION : text::format("{}, commit {}", QG_VERSION, commit);
#ifdef QG_HAVE_SLURM
    lines += text::format("\n{}\n{}", describe_gates(), describe_slurm());
#endif
    return lines;
}

} // namespace qg::cli
