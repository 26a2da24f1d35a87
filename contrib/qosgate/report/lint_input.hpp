// SPDX-License-Identifier: GPL-2.0-or-later
//
// What lint checks: the settings of a cluster, its QOSs, associations and partitions, as plain values. They
// may come from daemons or from files.
#pragma once

#include "qosgate/limits/release.hpp"
#include "qosgate/limits/set_limit.hpp"
#include "qosgate/model/account_view.hpp"
#include "qosgate/model/cluster_settings.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/partition.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/policy/findings.hpp"

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {

struct LintAssociation {
    model::AssociationLevel level = model::AssociationLevel::user;
    std::string account;
    std::string user = {};
    std::string partition = {};
    std::optional<std::size_t> parent = {};           ///< index; empty: the root
    std::optional<std::string> default_qos = {};      ///< its own, or that of an account above
    std::optional<std::vector<std::string>> qos = {}; ///< that it may use; empty: not known
    model::Limits limits = {};                        ///< in the order of LintInput::tres
};

struct LintInput {
    std::string cluster; ///< ClusterName
    model::ClusterSettings settings;
    std::shared_ptr<const model::TresCatalogue> tres = model::TresCatalogue::built_in();
    std::vector<model::QosRecord> qos;
    std::vector<LintAssociation> associations;
    std::vector<model::Partition> partitions;
    model::NodeTable nodes = {};                      ///< of the cluster; empty: not known
    std::optional<model::Memory> default_memory = {}; ///< DefMemPerNode, DefMemPerCPU of the cluster
    std::vector<std::string> named_in_conf = {};      ///< QOSs that slurm.conf gives to a partition or lists
    limits::Release release = limits::newest_release;
    std::vector<policy::Finding> unknown_in_rules = {}; ///< literal names that the cluster does not have
};

using limits::SetLimit;

/// The limits of a QOS.
std::vector<SetLimit> limits_of(const model::QosRecord& qos);
/// Those of an association that are its own: Grp limits. Its Max limits may be those of an account above.
std::vector<SetLimit> limits_of(const LintAssociation& association, const model::TresCatalogue& tres);

/// With the Max limits, those of an account above among them.
std::vector<SetLimit> effective_limits_of(const LintAssociation& association,
                                          const model::TresCatalogue& tres);

/// The limit of the same kind and TRES, or null.
const SetLimit* find_limit(const std::vector<SetLimit>& limits, const SetLimit& same);

/// The QOSs that partitions have, allow or deny in the text of a slurm.conf.
std::vector<std::string> find_qos_in_conf(std::string_view conf);

/// Whether a partition takes jobs of this QOS.
bool admits(const model::Partition& partition, const std::string& qos);
/// Whether it is the partition's own QOS.
bool is_qos_of(const model::Partition& partition, const std::string& qos);

} // namespace qg::cli
