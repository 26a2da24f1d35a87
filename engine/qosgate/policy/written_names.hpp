// SPDX-License-Identifier: GPL-2.0-or-later
//
// written_names: the names of QOSs, partitions, accounts, features and licences that rules have as literals,
// to be compared with those of a cluster: a rule with job.qos = "gpuu" loads, and refuses every job that it
// gives this QOS.
#pragma once

#include "qosgate/policy/source_files.hpp"

#include <array>
#include <compare>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace qg::policy {

enum class NameKind : std::uint8_t { qos, partition, account, feature, license };

struct WrittenName {
    std::string file;
    int line = 0;
    NameKind kind = NameKind::qos;
    std::string name;
    friend auto operator<=>(const WrittenName&, const WrittenName&) = default;
};

/// The names in rules and modules of the site, sorted, each line once. Only what certainly is
/// such a name is found: job.qos = "x", job.partition == "x", view.qos("x"), view.qos(name).name == "x",
/// view.jobs{ account = "x" }, job:add("features", "x"), names.has(job.partition, "x") and, for a table
/// with literal keys, t[job.qos]. Cost: linear.
std::vector<WrittenName> find_written_names(const SourceDirectory& sources);

/// The names that a cluster has, by NameKind. Empty: not known.
struct ClusterNames {
    std::array<std::optional<std::vector<std::string>>, 5> of;
};

/// "the cluster has no QOS 'gpuu'; did you mean gpu?" Empty: it has it, or that is not known.
std::string describe_unknown_name(const WrittenName& written, const ClusterNames& names);

} // namespace qg::policy
