// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/reason.hpp"

#include <set>

#include <boost/test/unit_test.hpp>

using namespace qg::limits;

BOOST_AUTO_TEST_SUITE(catalogue)

BOOST_AUTO_TEST_CASE(every_token_has_a_meaning_and_advice) {
    const auto reasons = all_reasons();

    BOOST_TEST_REQUIRE(!reasons.empty());
    for (const std::string& reason : reasons)
        BOOST_TEST_CONTEXT(reason) {
            const auto entries = find_reason(reason);
            BOOST_TEST_REQUIRE(!entries.empty());
            for (const ReasonEntry& entry : entries) {
                BOOST_TEST(!text_of(entry.limit).meaning.empty());
                BOOST_TEST(!text_of(entry.limit).waiting.empty());
                BOOST_TEST(!text_of(entry.limit).change.empty());
            }
        }
}

BOOST_AUTO_TEST_CASE(the_tokens_are_those_of_every_limit_each_once) {
    std::set<std::string_view> tokens;
    for (const OwnerKind owner : {OwnerKind::qos, OwnerKind::association}) {
        for (std::size_t limit = 0; limit < qg::model::tres_limit_count; ++limit)
            for (std::size_t kind = 0; kind < qg::model::tres_kind_count; ++kind)
                tokens.insert(
                    reason_of(owner, static_cast<TresLimit>(limit), static_cast<qg::model::TresKind>(kind)));
        for (std::size_t limit = 0; limit < qg::model::count_limit_count; ++limit)
            tokens.insert(reason_of(owner, static_cast<CountLimit>(limit)));
    }
    tokens.erase(""); // an owner that has no such limit

    BOOST_TEST(all_reasons() == (std::vector<std::string>(tokens.begin(), tokens.end())));
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
    BOOST_TEST(format_amount("license/foo", 1) == "1 foo license");
    BOOST_TEST(format_amount("mem", 8192) == "8G of memory");
}

BOOST_AUTO_TEST_SUITE_END()
