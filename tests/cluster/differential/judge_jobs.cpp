// SPDX-License-Identifier: GPL-2.0-or-later
//
// Reads scenarios, one JSON record per line, sets the cluster of SLURM_CONF up for each, and prints what the
// engine foretells of its jobs and what slurmctld makes of them, one line per scenario. For root only, and
// only on a private cluster: it ends all jobs there.
#include "judge.hpp"

#include <slurm/slurm.h>
#include <slurm/slurm_version.h>

#include <cstdlib>
#include <exception>
#include <iostream>
#include <string>
#include <string_view>

int main(int argc, char** argv) {
    if (argc == 2 && std::string_view(argv[1]) == "--release") {
        std::cout << SLURM_VERSION_MAJOR(SLURM_VERSION_NUMBER) << "."
                  << SLURM_VERSION_MINOR(SLURM_VERSION_NUMBER) << "\n";
        return EXIT_SUCCESS;
    }
    slurm_init(nullptr);
    for (std::string line; std::getline(std::cin, line);) {
        nlohmann::json answer;
        try {
            answer["results"] = qg::test::judge(nlohmann::json::parse(line));
        } catch (const std::exception& error) {
            answer["error"] = error.what();
        }
        std::cout << answer.dump() << std::endl;
    }
    return EXIT_SUCCESS;
}
