// SPDX-License-Identifier: GPL-2.0-or-later
//
// Drift as rows: where the cluster is not what the files say, and who changed it.
#pragma once

#include "qos/qos_json.hpp"

#include "qosgate/slurmdb/transactions.hpp"
#include "qosgate/spec/plan.hpp"

#include <cstddef>
#include <ctime>
#include <ostream>
#include <span>
#include <string>
#include <vector>

namespace qg::cli {

/// One field that differs. Values in words.
struct DriftRow {
    std::string qos;
    std::string field; ///< "MaxWall"; "access"; empty: the QOS itself
    std::string wanted;
    std::string live;
    std::string sentence = {}; ///< both for people, without the names of QOS and field
    bool is_managed = false;   ///< it was as wanted, and somebody changed it; false: it was not applied yet
    std::string actor = {};    ///< by the log of transactions; empty: not known
    std::time_t time = 0;
};

/// What the plan would set right. Marks of ownership that differ are no drift.
std::vector<DriftRow> list_drift(const spec::Plan& plan, const spec::LiveState& live);

/// Adds actors and times from the log.
void add_actors(std::vector<DriftRow>& drift, std::span<const slurmdb::LoggedChange> log);

/// A line each.
void print(const std::vector<DriftRow>& drift, std::ostream& out);
Json to_json(const std::vector<DriftRow>& drift);

} // namespace qg::cli
