// SPDX-License-Identifier: GPL-2.0-or-later
//
// Manifests of kind SlurmQos: QOSs as a Kubernetes operator for Slurm describes them, with fields in
// slurmrestd's spelling.
#pragma once

#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/read_context.hpp"

#include <vector>

namespace qg::spec {

/// Whether a document is a manifest: it has apiVersion and kind.
bool is_manifest(const Node& root);

/// The QOSs of a manifest, or of a List of them. What has no counterpart is a problem.
std::vector<DesiredQos> read_manifest(const Node& root, const ReadContext& context);

} // namespace qg::spec
