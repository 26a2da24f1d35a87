// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/process_start.hpp"

#include "qosgate/base/text.hpp"

#include <cstddef>
#include <ctime>
#include <fstream>
#include <string>

#include <unistd.h>

namespace qg {

std::optional<std::uint64_t> process_start(pid_t process) {
    // The fields of /proc/<pid>/stat from the third on. They stand behind the program's name, which may
    // contain any character.
    constexpr std::size_t state = 0;
    constexpr std::size_t start_time = 19;
    std::ifstream file("/proc/" + std::to_string(process) + "/stat");
    std::string line; // "17 (slurmctld) S 1 ..."
    std::getline(file, line);
    const std::size_t end_of_name = line.rfind(')');
    if (end_of_name == std::string::npos) return std::nullopt;
    const auto members = text::split(std::string_view(line).substr(end_of_name + 1), ' ');
    if (members.size() <= start_time || members[state] == "Z" || members[state] == "X") return std::nullopt;
    return text::parse_unsigned(members[start_time]);
}

std::optional<std::chrono::milliseconds> process_age(pid_t process) {
    const auto start = process_start(process);
    timespec since_boot{};
    if (!start || clock_gettime(CLOCK_BOOTTIME, &since_boot) != 0) return std::nullopt;
    const auto now = std::chrono::seconds(since_boot.tv_sec) + std::chrono::nanoseconds(since_boot.tv_nsec);
    const auto ticks_per_second = static_cast<std::uint64_t>(sysconf(_SC_CLK_TCK));
    const std::chrono::milliseconds started(*start * 1000 / ticks_per_second);
    return std::chrono::duration_cast<std::chrono::milliseconds>(now) - started;
}

} // namespace qg
