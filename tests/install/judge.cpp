// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program outside the source tree: judges one job by one QOS, and prints what its user would read.
#include <qosgate/limits/explain.hpp>
#include <qosgate/limits/submit.hpp>
#include <qosgate/quota/scenario.hpp>

#include <iostream>

constexpr std::string_view scenario_text = R"({
    "id": "one job", "enforce": ["associations", "limits", "qos"], "tres": ["cpu", "mem", "energy", "node"],
    "qos": [{"name": "small", "MaxTRESPerJob": {"cpu": 8}, "flags": ["DenyOnLimit"]}],
    "partitions": [{"name": "main"}],
    "associations": [{"level": "user", "user": 1000, "account": "astro"}, {"level": "root", "account": "root"}],
    "job": {"user": 1000, "account": "astro", "qos": "small", "partitions": ["main"], "time_limit": 10,
            "tres": {"cpu": 9, "node": 1}}})";

int main() {
    const auto scenario = qg::quota::parse_scenario(scenario_text);
    const auto release = qg::limits::Release::parse("22.05");
    if (!scenario || !release) {
        std::cerr << (scenario ? release.error() : scenario.error()).message << '\n';
        return 1;
    }
    const auto verdict = qg::limits::evaluate_submit(scenario->view, scenario->job, *release);
    for (const std::string& line : qg::limits::explain_refusal(verdict.violations, scenario->view))
        std::cout << line << '\n';
}
