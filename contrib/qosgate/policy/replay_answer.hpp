// SPDX-License-Identifier: GPL-2.0-or-later
//
// What 'qosgate policy replay' answers.
#pragma once

#include "common/past_period.hpp"
#include "job/judged_world.hpp"
#include "policy/policy_directory.hpp"
#include "policy/record_files.hpp"
#include "policy/replay.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <ostream>
#include <string>
#include <vector>

namespace qg::cli {

/// What was read, from records or from accounting.
struct PastRead {
    RecordsRead records;
    std::uint64_t not_chosen = 0;
    bool is_complete = true;
};

/// Everything that the answer tells.
struct ReplayReport {
    const Replay& replay;
    const PastRead& read;
    const policy::Policy& policy;
    const PolicyDirectory& directory;
    const JudgedWorld& world;
    const std::vector<std::string>& changed_qos;
    bool is_of_accounting;
    PastPeriod period;
};

/// `rate`: decisions in a second.
nlohmann::ordered_json to_json(const ReplayReport& report, double rate);
void print(const ReplayReport& report, std::ostream& out);
/// The error if nothing was decided: an answer of "nothing changes" would be wrong.
std::string why_nothing_decided(const ReplayReport& report);

} // namespace qg::cli
