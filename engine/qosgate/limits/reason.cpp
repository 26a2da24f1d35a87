// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/reason.hpp"

#include <array>

namespace qg::limits {
namespace {

using TokenRow = std::array<std::string_view, model::tres_kind_count>;
using ReasonTable = std::array<TokenRow, model::tres_limit_count>;

// Rows in the order of TresLimit, columns in that of TresKind: cpu, mem, energy, node, billing, bb, gres,
// license, other.

// Slurm names a burst buffer's minutes after associations also where a QOS limits them.
constexpr ReasonTable qos_tokens{{
    // max_tres_per_job
    {"QOSMaxCpuPerJobLimit", "QOSMaxMemoryPerJob", "QOSMaxEnergyPerJob", "QOSMaxNodePerJobLimit",
     "QOSMaxBillingPerJob", "QOSMaxBBPerJob", "QOSMaxGRESPerJob", "QOSMaxLicensePerJob",
     "QOSMaxUnknownPerJob"},
    // max_tres_per_node
    {"QOSMaxCpuPerNode", "QOSMaxMemoryPerNode", "QOSMaxEnergyPerNode", "QOSMaxUnknownPerNode",
     "QOSMaxBillingPerNode", "QOSMaxBBPerNode", "QOSMaxGRESPerNode", "QOSMaxUnknownPerNode",
     "QOSMaxUnknownPerNode"},
    // max_tres_per_user
    {"QOSMaxCpuPerUserLimit", "QOSMaxMemoryPerUser", "QOSMaxEnergyPerUser", "QOSMaxNodePerUserLimit",
     "QOSMaxBillingPerUser", "QOSMaxBBPerUser", "QOSMaxGRESPerUser", "QOSMaxLicensePerUser",
     "QOSMaxUnknownPerUser"},
    // max_tres_per_account
    {"MaxCpuPerAccount", "MaxMemoryPerAccount", "MaxEnergyPerAccount", "MaxNodePerAccount",
     "MaxBillingPerAccount", "MaxBBPerAccount", "MaxGRESPerAccount", "MaxLicensePerAccount",
     "MaxUnknownPerAccount"},
    // grp_tres
    {"QOSGrpCpuLimit", "QOSGrpMemLimit", "QOSGrpEnergy", "QOSGrpNodeLimit", "QOSGrpBilling", "QOSGrpBB",
     "QOSGrpGRES", "QOSGrpLicense", "QOSGrpUnknown"},
    // max_tres_mins_per_job
    {"QOSMaxCpuMinutesPerJobLimit", "QOSMaxMemoryMinutesPerJob", "QOSMaxEnergyMinutesPerJob",
     "QOSMaxNodeMinutesPerJob", "QOSMaxBillingMinutesPerJob", "AssocMaxBBMinutesPerJob",
     "QOSMaxGRESMinutesPerJob", "QOSMaxLicenseMinutesPerJob", "QOSMaxUnknownMinutesPerJob"},
    // grp_tres_mins
    {"QOSGrpCPUMinutesLimit", "QOSGrpMemoryMinutes", "QOSGrpEnergyMinutes", "QOSGrpNodeMinutes",
     "QOSGrpBillingMinutes", "QOSGrpBBMinutes", "QOSGrpGRESMinutes", "QOSGrpLicenseMinutes",
     "QOSGrpUnknownMinutes"},
    // grp_tres_run_mins
    {"QOSGrpCPURunMinutesLimit", "QOSGrpMemoryRunMinutes", "QOSGrpEnergyRunMinutes", "QOSGrpNodeRunMinutes",
     "QOSGrpBillingRunMinutes", "QOSGrpBBRunMinutes", "QOSGrpGRESRunMinutes", "QOSGrpLicenseRunMinutes",
     "QOSGrpUnknownRunMinutes"},
    // max_tres_run_mins_per_account
    {"MaxCpuRunMinsPerAccount", "MaxMemoryRunMinsPerAccount", "MaxEnergyRunMinsPerAccount",
     "MaxNodeRunMinsPerAccount", "MaxBillingRunMinsPerAccount", "MaxBBRunMinsPerAccount",
     "MaxGRESRunMinsPerAccount", "MaxLicenseRunMinsPerAccount", "MaxUnknownRunMinsPerAccount"},
    // max_tres_run_mins_per_user
    {"MaxCpuRunMinsPerUser", "MaxMemoryRunMinsPerUser", "MaxEnergyRunMinsPerUser", "MaxNodeRunMinsPerUser",
     "MaxBillingRunMinsPerUser", "MaxBBRunMinsPerUser", "MaxGRESRunMinsPerUser", "MaxLicenseRunMinsPerUser",
     "MaxUnknownRunMinsPerUser"},
    // min_tres_per_job
    {"QOSMinCpuNotSatisfied", "QOSMinMemory", "QOSMinEnergy", "QOSMinNode", "QOSMinBilling", "QOSMinBB",
     "QOSMinGRES", "QOSMinLicense", "QOSMinUnknown"},
}};

// Associations have six of the limits.
constexpr ReasonTable association_tokens{{
    // max_tres_per_job
    {"AssocMaxCpuPerJobLimit", "AssocMaxMemPerJob", "AssocMaxEnergyPerJob", "AssocMaxNodePerJobLimit",
     "AssocMaxBillingPerJob", "AssocMaxBBPerJob", "AssocMaxGRESPerJob", "AssocMaxLicensePerJob",
     "AssocMaxUnknownPerJob"},
    // max_tres_per_node
    {"AssocMaxCpuPerNode", "AssocMaxMemPerNode", "AssocMaxEnergyPerNode", "AssocMaxUnknownPerNode",
     "AssocMaxBillingPerNode", "AssocMaxBBPerNode", "AssocMaxGRESPerNode", "AssocMaxUnknownPerNode",
     "AssocMaxUnknownPerNode"},
    // max_tres_per_user: no association has it
    {},
    // max_tres_per_account: no association has it
    {},
    // grp_tres
    {"AssocGrpCpuLimit", "AssocGrpMemLimit", "AssocGrpEnergy", "AssocGrpNodeLimit", "AssocGrpBilling",
     "AssocGrpBB", "AssocGrpGRES", "AssocGrpLicense", "AssocGrpUnknown"},
    // max_tres_mins_per_job
    {"AssocMaxCpuMinutesPerJobLimit", "AssocMaxMemMinutesPerJob", "AssocMaxEnergyMinutesPerJob",
     "AssocMaxNodeMinutesPerJob", "AssocMaxBillingMinutesPerJob", "AssocMaxBBMinutesPerJob",
     "AssocMaxGRESMinutesPerJob", "AssocMaxLicenseMinutesPerJob", "AssocMaxUnknownMinutesPerJob"},
    // grp_tres_mins
    {"AssocGrpCPUMinutesLimit", "AssocGrpMemMinutes", "AssocGrpEnergyMinutes", "AssocGrpNodeMinutes",
     "AssocGrpBillingMinutes", "AssocGrpBBMinutes", "AssocGrpGRESMinutes", "AssocGrpLicenseMinutes",
     "AssocGrpUnknownMinutes"},
    // grp_tres_run_mins
    {"AssocGrpCPURunMinutesLimit", "AssocGrpMemRunMinutes", "AssocGrpEnergyRunMinutes",
     "AssocGrpNodeRunMinutes", "AssocGrpBillingRunMinutes", "AssocGrpBBRunMinutes", "AssocGrpGRESRunMinutes",
     "AssocGrpLicenseRunMinutes", "AssocGrpUnknownRunMinutes"},
    // max_tres_run_mins_per_account: no association has it
    {},
    // max_tres_run_mins_per_user: no association has it
    {},
    // min_tres_per_job: no association has it
    {},
}};

// Rows in the order of CountLimit.
struct CountTokens {
    std::string_view qos;
    std::string_view association;
};
constexpr std::array<CountTokens, model::count_limit_count> count_tokens{{
    {"QOSGrpJobsLimit", "AssocGrpJobsLimit"},
    {"", "AssocMaxJobsLimit"},
    {"QOSMaxJobsPerUserLimit", ""},
    {"MaxJobsPerAccount", ""},
    {"QOSGrpSubmitJobsLimit", "AssocGrpSubmitJobsLimit"},
    {"", "AssocMaxSubmitJobLimit"},
    {"QOSMaxSubmitJobPerUserLimit", ""},
    {"MaxSubmitJobsPerAccount", ""},
    {"QOSMaxWallDurationPerJobLimit", "AssocMaxWallDurationPerJobLimit"},
    {"QOSGrpWallLimit", "AssocGrpWallLimit"},
}};

} // namespace

std::string_view reason_of(OwnerKind owner, TresLimit limit, model::TresKind kind) noexcept {
    const ReasonTable& table = owner == OwnerKind::qos ? qos_tokens : association_tokens;
    return table[static_cast<std::size_t>(limit)][static_cast<std::size_t>(kind)];
}

std::string_view reason_of(OwnerKind owner, CountLimit limit) noexcept {
    const CountTokens& tokens = count_tokens[static_cast<std::size_t>(limit)];
    return owner == OwnerKind::qos ? tokens.qos : tokens.association;
}

} // namespace qg::limits
