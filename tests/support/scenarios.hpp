// SPDX-License-Identifier: GPL-2.0-or-later
//
// Scenarios for tests, written as JSON with only the keys that matter to the test:
//
//   auto s = make_scenario(R"({"MaxWall": 60, "flags": ["DenyOnLimit"]})", R"({"time_limit": 61})");
#pragma once

#include "qosgate/quota/scenario.hpp"

#include <string>

#include <nlohmann/json.hpp>

namespace qg::test {

/// A job of user 1000 in account acct under QOS "q", in partition "p1", one CPU on one node for ten minutes,
/// overridden by the keys of `qos`, `job` and `root`.
inline quota::Scenario make_scenario(const std::string& qos, const std::string& job = "{}",
                                     const std::string& root = "{}") {
    using nlohmann::json;
    json whole = json::parse(R"({
        "id": "test", "enforce": ["associations", "limits", "qos"],
        "tres": ["cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages",
                 "bb/dw", "gres/gpu", "gres/gpu:a100", "license/foo"],
        "qos": [{"name": "q"}], "partitions": [{"name": "p1"}],
        "associations": [{"level": "user", "user": 1000, "account": "acct"},
                         {"level": "account", "account": "acct"}, {"level": "root", "account": "root"}],
        "job": {"user": 1000, "account": "acct", "qos": "q", "partitions": ["p1"], "time_limit": 10,
                "tres": {"cpu": 1, "node": 1}}})");
    whole["qos"][0].update(json::parse(qos));
    whole["job"].update(json::parse(job));
    whole.update(json::parse(root), /*merge_objects=*/false);
    return quota::parse_scenario(whole.dump()).value();
}

} // namespace qg::test
