// SPDX-License-Identifier: GPL-2.0-or-later
//
// The files that a command of `qosgate spec` is about, and the plan that follows from them.
#pragma once

#include "common/command.hpp"
#include "qos/qos_connection.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/plan.hpp"

#include <string>
#include <variant>
#include <vector>

#include <sys/types.h>

namespace qg::cli {

/// Of spec files that are written: everybody may read what is in git, too.
inline constexpr mode_t spec_mode = 0644;

/// Options of the commands that read spec files and compare them with the cluster.
struct SpecOptions : AccessOptions {
    std::vector<std::string> paths;
    spec::PlanOptions plan;
};

/// Adds PATH.
void add_spec_paths(Command command, std::vector<std::string>& paths);

/// Adds PATH, --prune, --take-over, --timeout and --json.
void add_spec_options(Command command, SpecOptions& options, Invocation& invocation);

/// Why a spec cannot be used, and the members for JSON beside code and message: `problems` or `conflicts`.
struct SpecFailure {
    Error error;
    Json details = Json::object();

    /// Writes it; returns the exit status.
    int report(Output& output) const;
};

/// A T, or why there is none.
template <typename T>
using SpecResult = std::variant<T, SpecFailure>;

/// Reads the files; without paths, those of the directory qos.d beside slurm.conf. If something is wrong,
/// what the cluster contradicts is told, too. A null `access`: without a cluster, names of TRES are not
/// checked.
SpecResult<spec::Desired> read_spec(const std::vector<std::string>& paths, QosConnection* access);

/// What the files want, what there is, and what is to be done.
struct PlannedSpec {
    spec::Desired desired;
    spec::LiveState live;
    spec::Plan plan;
    std::vector<std::string> unreached; ///< see spec::Planned
};

/// The plan for what was read. Conflicts with other owners and problems are failures.
SpecResult<PlannedSpec> plan_spec(spec::Desired desired, spec::LiveState live,
                                  const spec::PlanOptions& options);

/// Reads the files and the cluster, and plans.
SpecResult<PlannedSpec> read_and_plan(const SpecOptions& options, QosConnection& access);

/// "QOS night: MaxWall is managed by ops, and base wants it"
std::string describe(const spec::Conflict& conflict);
Json to_json(const spec::Conflict& conflict);

/// "night.yaml:12"; empty if it is not known.
std::string place_of(const spec::Position& position);

} // namespace qg::cli
