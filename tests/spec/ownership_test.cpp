// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/ownership.hpp"

#include "qosgate/model/qos_fields.hpp"
#include "spec/spec_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;

BOOST_AUTO_TEST_SUITE(ownership)

BOOST_AUTO_TEST_CASE(every_field_except_the_name_has_a_bit_of_its_own) {
    std::set<std::size_t> bits{bit_of(access_field).value()};
    for (const model::QosField& field : model::qos_fields()) {
        BOOST_TEST_CONTEXT(field.name) {
            if (field.kind == model::FieldKind::name) {
                BOOST_TEST(!bit_of(field.name).has_value());
                continue;
            }
            BOOST_TEST_REQUIRE(bit_of(field.name).has_value());
            BOOST_TEST(bits.insert(*bit_of(field.name)).second);
        }
    }
    BOOST_TEST(bits.size() == model::qos_fields().size());
    BOOST_TEST(*bits.rbegin() == bits.size() - 1, "a new field gets the next bit");
}

/// Databases have marks with these bits. New fields follow at the end; nothing else here may change.
BOOST_AUTO_TEST_CASE(bits_are_what_they_were_in_the_first_version) {
    const std::vector<std::string_view> fields{
        "access",
        "Description",
        "Priority",
        "MaxWall",
        "MaxTRESPerJob",
        "MaxTRESPerNode",
        "MaxTRESPerUser",
        "MaxTRESPerAccount",
        "MaxTRESMinsPerJob",
        "MaxTRESRunMinsPerUser",
        "MaxTRESRunMinsPerAccount",
        "MaxJobsPerUser",
        "MaxJobsPerAccount",
        "MaxSubmitJobsPerUser",
        "MaxSubmitJobsPerAccount",
        "MaxJobsAccruePerUser",
        "MaxJobsAccruePerAccount",
        "MinTRESPerJob",
        "MinPrioThreshold",
        "GrpTRES",
        "GrpTRESMins",
        "GrpTRESRunMins",
        "GrpJobs",
        "GrpSubmitJobs",
        "GrpJobsAccrue",
        "GrpWall",
        "Flags",
        "UsageFactor",
        "UsageThreshold",
        "LimitFactor",
        "Preempt",
        "PreemptMode",
        "PreemptExemptTime",
        "GraceTime",
    };
    for (std::size_t bit = 0; bit < fields.size(); ++bit)
        BOOST_TEST(bit_of(fields[bit]).value() == bit, fields[bit]);
}

BOOST_AUTO_TEST_CASE(a_mark_is_written_at_the_end_and_read_back) {
    MarkedDescription marked{"Moonlight streaming", {}};
    marked.ownership.creator = "base";
    marked.ownership.managed = {{"base", {"access", "MaxWall"}}, {"ops", {"Priority", "GraceTime"}}};

    const std::string written = write_mark(marked);

    BOOST_TEST(written == "Moonlight streaming [qosgate:base*=9,ops=200000004]");
    BOOST_TEST(read_mark(written) == marked);
}

BOOST_AUTO_TEST_CASE(without_owners_there_is_no_mark) {
    BOOST_TEST(write_mark({"text", {}}) == "text");
    BOOST_TEST(write_mark({"text", {{}, {{"base", {}}}}}) == "text");
    BOOST_TEST(read_mark("text") == (MarkedDescription{"text", {}}));
}

BOOST_AUTO_TEST_CASE(a_creator_needs_no_field) {
    BOOST_TEST(write_mark({"text", {"base", {}}}) == "text [qosgate:base*]");
    BOOST_TEST(read_mark("text [qosgate:base*]") == (MarkedDescription{"text", {"base", {}}}));
}

BOOST_AUTO_TEST_CASE(a_mark_can_stand_without_text) {
    BOOST_TEST(write_mark({"", {"base", {}}}) == "[qosgate:base*]");
    BOOST_TEST(read_mark("[qosgate:base*]") == (MarkedDescription{"", {"base", {}}}));
}

BOOST_AUTO_TEST_CASE(bits_of_newer_versions_survive) {
    const std::string newest = "text [qosgate:base=80000000000000000000000000000009]";

    MarkedDescription marked = read_mark(newest);
    marked.ownership.release("MaxWall");

    BOOST_TEST(marked.ownership.managed.at("base").contains("bit127"));
    BOOST_TEST(write_mark(marked) == "text [qosgate:base=80000000000000000000000000000001]");
}

const std::vector<std::string> no_marks{
    "text [qosgate:]",
    "text [qosgate:base]",                                   // manages nothing
    "text [qosgate:base=]",                                  //
    "text [qosgate:base=0]",                                 //
    "text [qosgate:base=0f]",                                // we write no leading zeros
    "text [qosgate:base=F]",                                 // nor capitals
    "text [qosgate:base=g]",                                 //
    "text [qosgate:base=1 ]",                                //
    "text [qosgate: base=1]",                                //
    "text [qosgate:base=1,]",                                //
    "text [qosgate:b,a=1]",                                  //
    "text [qosgate:b=1,a=1]",                                // not sorted
    "text [qosgate:a=1,a=2]",                                //
    "text [qosgate:a*=1,b*=2]",                              // two creators
    "text [qosgate:a**=1]",                                  //
    "text [qosgate:a b=1]",                                  //
    "text [qosgate:a=1=2]",                                  //
    "text [qosgate:base=1] ",                                // not at the end
    "text [qosgate:base=1] more",                            //
    "text[qosgate:base=1]",                                  // not apart
    " [qosgate:base=1]",                                     //
    "text [QOSGATE:base=1]",                                 //
    "text [qosgate:base=1",                                  //
    "text [qosgate:base=100000000000000000000000000000000]", // 129 bits
    "[qosgate:" + std::string(65, 'a') + "=1]",              //
};

BOOST_DATA_TEST_CASE(what_only_looks_like_a_mark_stays_text, boost::unit_test::data::make(no_marks)) {
    BOOST_TEST(read_mark(sample) == (MarkedDescription{sample, {}}));
}

BOOST_AUTO_TEST_CASE(the_longest_owner_is_32_bytes) {
    const std::string longest = "[qosgate:" + std::string(32, 'a') + "=1]";
    BOOST_TEST(read_mark(longest).ownership.owner_of("access") == std::string(32, 'a'));
    BOOST_TEST(is_owner(std::string(32, 'a')));
    BOOST_TEST(!is_owner(std::string(33, 'a')));
    BOOST_TEST(!is_owner(""));
    BOOST_TEST(is_owner("1site-1.ops_x"));
    BOOST_TEST(!is_owner("Site"));
    BOOST_TEST(!is_owner("-site"));
    BOOST_TEST(!is_owner("a,b"));
    BOOST_TEST(!is_owner("a]"));
    BOOST_TEST(!is_owner("\xc3\xa4"));
}

BOOST_AUTO_TEST_CASE(only_the_last_mark_counts) {
    const MarkedDescription marked = read_mark("text [qosgate:old=1] [qosgate:base=1]");
    BOOST_TEST(marked.text == "text [qosgate:old=1]");
    BOOST_TEST(marked.ownership.owner_of("access") == "base");
}

BOOST_AUTO_TEST_CASE(a_field_has_one_owner) {
    Ownership ownership{{}, {{"ops", {"MaxWall", "Flags"}}}};

    ownership.assign("MaxWall", "base");
    BOOST_TEST(ownership.owner_of("MaxWall") == "base");
    BOOST_TEST(ownership.owner_of("Flags") == "ops");
    BOOST_TEST(ownership.owner_of("Priority") == "");

    ownership.release("MaxWall");
    ownership.release("Flags");
    BOOST_TEST(ownership == Ownership{});
}

BOOST_AUTO_TEST_SUITE_END()
