// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/reason.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <iterator>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include <boost/test/unit_test.hpp>

using namespace qg::limits;

namespace {

/// The tokens of Slurm's limits, sorted. Not read from limit_facts: a slip there has to be seen here. 22.05
/// has all but the 18 of RunMins per account and per user.
constexpr std::string_view slurms_tokens = R"(
AssocGrpBB AssocGrpBBMinutes AssocGrpBBRunMinutes AssocGrpBilling AssocGrpBillingMinutes
AssocGrpBillingRunMinutes AssocGrpCPUMinutesLimit AssocGrpCPURunMinutesLimit AssocGrpCpuLimit AssocGrpEnergy
AssocGrpEnergyMinutes AssocGrpEnergyRunMinutes AssocGrpGRES AssocGrpGRESMinutes AssocGrpGRESRunMinutes
AssocGrpJobsLimit AssocGrpLicense AssocGrpLicenseMinutes AssocGrpLicenseRunMinutes AssocGrpMemLimit
AssocGrpMemMinutes AssocGrpMemRunMinutes AssocGrpNodeLimit AssocGrpNodeMinutes AssocGrpNodeRunMinutes
AssocGrpSubmitJobsLimit AssocGrpUnknown AssocGrpUnknownMinutes AssocGrpUnknownRunMinutes AssocGrpWallLimit
AssocMaxBBMinutesPerJob AssocMaxBBPerJob AssocMaxBBPerNode AssocMaxBillingMinutesPerJob
AssocMaxBillingPerJob AssocMaxBillingPerNode AssocMaxCpuMinutesPerJobLimit AssocMaxCpuPerJobLimit
AssocMaxCpuPerNode AssocMaxEnergyMinutesPerJob AssocMaxEnergyPerJob AssocMaxEnergyPerNode
AssocMaxGRESMinutesPerJob AssocMaxGRESPerJob AssocMaxGRESPerNode AssocMaxJobsLimit
AssocMaxLicenseMinutesPerJob AssocMaxLicensePerJob AssocMaxMemMinutesPerJob AssocMaxMemPerJob
AssocMaxMemPerNode AssocMaxNodeMinutesPerJob AssocMaxNodePerJobLimit AssocMaxSubmitJobLimit
AssocMaxUnknownMinutesPerJob AssocMaxUnknownPerJob AssocMaxUnknownPerNode AssocMaxWallDurationPerJobLimit
MaxBBPerAccount MaxBBRunMinsPerAccount MaxBBRunMinsPerUser MaxBillingPerAccount MaxBillingRunMinsPerAccount
MaxBillingRunMinsPerUser MaxCpuPerAccount MaxCpuRunMinsPerAccount MaxCpuRunMinsPerUser MaxEnergyPerAccount
MaxEnergyRunMinsPerAccount MaxEnergyRunMinsPerUser MaxGRESPerAccount MaxGRESRunMinsPerAccount
MaxGRESRunMinsPerUser MaxJobsPerAccount MaxLicensePerAccount MaxLicenseRunMinsPerAccount
MaxLicenseRunMinsPerUser MaxMemoryPerAccount MaxMemoryRunMinsPerAccount MaxMemoryRunMinsPerUser
MaxNodePerAccount MaxNodeRunMinsPerAccount MaxNodeRunMinsPerUser MaxSubmitJobsPerAccount
MaxUnknownPerAccount MaxUnknownRunMinsPerAccount MaxUnknownRunMinsPerUser QOSGrpBB QOSGrpBBMinutes
QOSGrpBBRunMinutes QOSGrpBilling QOSGrpBillingMinutes QOSGrpBillingRunMinutes QOSGrpCPUMinutesLimit
QOSGrpCPURunMinutesLimit QOSGrpCpuLimit QOSGrpEnergy QOSGrpEnergyMinutes QOSGrpEnergyRunMinutes QOSGrpGRES
QOSGrpGRESMinutes QOSGrpGRESRunMinutes QOSGrpJobsLimit QOSGrpLicense QOSGrpLicenseMinutes
QOSGrpLicenseRunMinutes QOSGrpMemLimit QOSGrpMemoryMinutes QOSGrpMemoryRunMinutes QOSGrpNodeLimit
QOSGrpNodeMinutes QOSGrpNodeRunMinutes QOSGrpSubmitJobsLimit QOSGrpUnknown QOSGrpUnknownMinutes
QOSGrpUnknownRunMinutes QOSGrpWallLimit QOSMaxBBPerJob QOSMaxBBPerNode QOSMaxBBPerUser
QOSMaxBillingMinutesPerJob QOSMaxBillingPerJob QOSMaxBillingPerNode QOSMaxBillingPerUser
QOSMaxCpuMinutesPerJobLimit QOSMaxCpuPerJobLimit QOSMaxCpuPerNode QOSMaxCpuPerUserLimit
QOSMaxEnergyMinutesPerJob QOSMaxEnergyPerJob QOSMaxEnergyPerNode QOSMaxEnergyPerUser QOSMaxGRESMinutesPerJob
QOSMaxGRESPerJob QOSMaxGRESPerNode QOSMaxGRESPerUser QOSMaxJobsPerUserLimit QOSMaxLicenseMinutesPerJob
QOSMaxLicensePerJob QOSMaxLicensePerUser QOSMaxMemoryMinutesPerJob QOSMaxMemoryPerJob QOSMaxMemoryPerNode
QOSMaxMemoryPerUser QOSMaxNodeMinutesPerJob QOSMaxNodePerJobLimit QOSMaxNodePerUserLimit
QOSMaxSubmitJobPerUserLimit QOSMaxUnknownMinutesPerJob QOSMaxUnknownPerJob QOSMaxUnknownPerNode
QOSMaxUnknownPerUser QOSMaxWallDurationPerJobLimit QOSMinBB QOSMinBilling QOSMinCpuNotSatisfied QOSMinEnergy
QOSMinGRES QOSMinLicense QOSMinMemory QOSMinNode QOSMinUnknown
)";

std::vector<std::string> words_of(std::string_view text) {
    std::istringstream stream{std::string(text)};
    return {std::istream_iterator<std::string>(stream), {}};
}

} // namespace

BOOST_AUTO_TEST_SUITE(catalogue)

BOOST_AUTO_TEST_CASE(every_token_has_a_meaning_and_advice) {
    const auto reasons = all_reasons();

    BOOST_TEST_REQUIRE(reasons.size() == words_of(slurms_tokens).size());
    for (const std::string& reason : reasons)
        BOOST_TEST_CONTEXT(reason) {
            const auto entries = find_reason(reason);
            BOOST_TEST_REQUIRE(!entries.empty());
            for (const ReasonEntry& entry : entries) {
                BOOST_TEST(text_of(entry.limit).meaning.ends_with('.'));
                BOOST_TEST(text_of(entry.limit).waiting.ends_with('.'));
                BOOST_TEST(text_of(entry.limit).change.ends_with('.'));
            }
        }
}

BOOST_AUTO_TEST_CASE(what_to_change_says_nothing_about_waiting) {
    // It may stand behind "Waiting does not help".
    for (const qg::model::LimitFacts& facts : qg::model::limit_facts)
        for (const char* word : {"Wait", "wait", " end"})
            BOOST_TEST(facts.words.change.find(word) == std::string_view::npos, facts.name);
}

BOOST_AUTO_TEST_CASE(the_tokens_are_those_of_slurm_each_once) {
    BOOST_TEST(all_reasons() == words_of(slurms_tokens), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_token_that_stands_for_several_tres_names_them_once) {
    const auto entries = find_reason("qosmaxunknownpernode");

    BOOST_TEST_REQUIRE(entries.size() == 1u);
    BOOST_TEST(entries[0].kinds.size() == 3u); // node, license and whatever else
}

BOOST_AUTO_TEST_CASE(slurms_slip_of_a_token_stands_for_both_owners) {
    BOOST_TEST(find_reason("AssocMaxBBMinutesPerJob").size() == 2u);
}

BOOST_AUTO_TEST_CASE(what_is_no_limits_token_has_no_meaning) {
    BOOST_TEST(find_reason("Priority").empty());
    BOOST_TEST(find_reason("").empty());
}

BOOST_AUTO_TEST_CASE(names_what_is_limited) {
    BOOST_TEST(subject_of(TresLimit::max_tres_per_user, "gres/gpu") == "GPUs per user");
    BOOST_TEST(subject_of(TresLimit::max_tres_mins_per_job, "cpu") == "CPU minutes per job");
    BOOST_TEST(subject_of(TresLimit::grp_tres, "license/foo") == "foo licenses of all running jobs");
    BOOST_TEST(subject_of(CountLimit::max_wall, "") == "wall time per job");
}

BOOST_AUTO_TEST_CASE(one_is_told_from_many_and_from_none) {
    BOOST_TEST(format_amount("gres/gpu", 1) == "1 GPU");
    BOOST_TEST(format_amount("gres/gpu:a100", 2) == "2 a100 GPUs");
    BOOST_TEST(format_amount("node", 0) == "no nodes");
    BOOST_TEST(format_count("node", 0xfffffffeu) == "4294967294");
    BOOST_TEST(format_count("cpu", 0xffffffffu) == "4294967295");
    BOOST_TEST(format_count("node", 0xffffffffu).starts_with("INFINITE, which slurmctld sets"));
    BOOST_TEST(format_amount("license/foo", 1) == "1 foo license");
    BOOST_TEST(format_amount("mem", 8192) == "8G of memory");
}

BOOST_AUTO_TEST_SUITE_END()
