// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/submit_line.hpp"

#include <algorithm>
#include <iterator>

namespace qg::gate {
namespace {

/// Removes the first word from the line and returns it.
std::string_view take_word(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t\n"), line.size()));
    const std::string_view word = line.substr(0, line.find_first_of(" \t\n"));
    line.remove_prefix(word.size());
    return word;
}

/// The options of sbatch, srun and salloc that take the next word as their value. All others count as options
/// without a value, so that the next word may be the script. An option missing here never makes a real job a
/// test.
// clang-format off
constexpr std::string_view takes_next_word[] = {
    "-A", "-B", "-C", "-D", "-F", "-G", "-J", "-L", "-M", "-N", "-S", "-T", "-a", "-b", "-c", "-d", "-e",
    "-i", "-m", "-n", "-o", "-p", "-q", "-r", "-t", "-w", "-x", "--account", "--acctg-freq", "--array",
    "--bb", "--bbf", "--bcast-exclude", "--begin", "--chdir", "--cluster-constraint", "--clusters",
    "--constraint", "--container", "--core-spec", "--cores-per-socket", "--cpu-bind", "--cpu-freq",
    "--cpus-per-gpu", "--cpus-per-task", "--deadline", "--delay-boot", "--dependency", "--distribution",
    "--epilog", "--error", "--exclude", "--export", "--export-file", "--extra-node-info", "--gid",
    "--gpu-bind", "--gpu-freq", "--gpus", "--gpus-per-node", "--gpus-per-socket", "--gpus-per-task",
    "--gres", "--gres-flags", "--het-group", "--hint", "--input", "--job-name", "--jobid", "--licenses",
    "--mail-type", "--mail-user", "--mcs-label", "--mem", "--mem-bind", "--mem-per-cpu", "--mem-per-gpu",
    "--mincpus", "--mpi", "--nodefile", "--nodelist", "--nodes", "--ntasks", "--ntasks-per-core",
    "--ntasks-per-gpu", "--ntasks-per-node", "--ntasks-per-socket", "--open-mode", "--output",
    "--partition", "--power", "--priority", "--profile", "--prolog", "--qos", "--relative", "--reservation",
    "--signal", "--slurmd-debug", "--sockets-per-node", "--switches", "--task-epilog", "--task-prolog",
    "--thread-spec", "--threads", "--threads-per-core", "--time", "--time-min", "--tmp", "--uid",
    "--wait-all-nodes", "--wckey",
};
// clang-format on

} // namespace

std::optional<std::string_view> find_option(std::string_view submit_line, std::string_view option) {
    std::optional<std::string_view> value;
    while (!submit_line.empty()) {
        const std::string_view word = take_word(submit_line);
        if (!word.starts_with(option)) continue;
        if (word.size() == option.size())
            value = take_word(submit_line);
        else if (word[option.size()] == '=')
            value = word.substr(option.size() + 1);
    }
    return value;
}

bool is_test_only(std::string_view submit_line) {
    constexpr std::string_view option = "--test-only", shortest = "--te";
    constexpr int max_words = 256;             // each is compared with the whole table
    static_cast<void>(take_word(submit_line)); // the command itself
    bool takes_value = false;
    for (int words = 0; words < max_words; ++words) {
        const std::string_view word = take_word(submit_line);
        if (takes_value) {
            takes_value = false;
            continue;
        }
        if (word.starts_with(shortest) && option.starts_with(word)) return true;
        const bool is_option = word.size() > 1 && word.starts_with('-') && word != "--";
        if (!is_option || word.starts_with("--wrap") || word.starts_with("--comment")) return false;
        takes_value = std::ranges::find(takes_next_word, word) != std::end(takes_next_word);
    }
    return false;
}

} // namespace qg::gate
