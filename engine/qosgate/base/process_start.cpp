// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/process_start.hpp"

#include "qosgate/base/text.hpp"

#include <cstddef>
#include <fstream>
#include <string>

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

} // namespace qg
