// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/request_options.hpp"
#include "qosgate/model/tres_request.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::gate;
using model::TresItem;

namespace {

/// The only item; the test fails if there is none, or more.
TresItem only(const std::vector<TresItem>& items) {
    BOOST_TEST_REQUIRE(items.size() == 1u);
    return items.front();
}

/// How many GPUs a request asks for whose count is written so.
std::uint64_t count_of(const std::string& count) {
    return only(model::parse_tres_request("gres:gpu:" + count)).count;
}

} // namespace

BOOST_AUTO_TEST_SUITE(tres_request)

BOOST_AUTO_TEST_CASE(reads_the_spellings_of_every_release) {
    for (const char* text : {"gres:gpu:2", "gres/gpu:2", "gres/gpu=2", "gpu:2", "gpu=2", "GRES:gpu:2"})
        BOOST_TEST_CONTEXT(text) {
            const TresItem item = only(model::parse_tres_request(text));
            BOOST_TEST(item.tres_name() == "gres/gpu");
            BOOST_TEST(item.count == 2u);
        }
}

BOOST_AUTO_TEST_CASE(tells_a_model_from_a_count) {
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:a100")).tres_name() == "gres/gpu:a100");
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:a100")).count == 1u);
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:a100:4")).count == 4u);
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:a100:4")).untyped_tres_name() == "gres/gpu");
}

BOOST_AUTO_TEST_CASE(a_count_of_zero_asks_for_nothing) {
    BOOST_TEST(model::parse_tres_request("gres:gpu:0").empty());
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:1k")).count == 1024u);
}

BOOST_AUTO_TEST_CASE(reads_suffixes_as_slurmctld_does) {
    BOOST_TEST(count_of("2KB") == 2000u);
    BOOST_TEST(count_of("2kb") == 2000u);
    BOOST_TEST(count_of("2KiB") == 2048u);
    BOOST_TEST(count_of("2m") == 2097152u);
    BOOST_TEST(count_of("2MB") == 2000000u);
    BOOST_TEST(count_of("1GB") == 1000000000u);
    BOOST_TEST(count_of("1TiB") == 1099511627776u);
    BOOST_TEST(count_of("1PiB") == 1125899906842624u);
    BOOST_TEST(count_of("1pb") == 1000000000000000u);
    for (const char* model : {"1E", "2B", "2KiBx", "1.5G", "4x", "2 K"})
        BOOST_TEST_CONTEXT(model) {
            BOOST_TEST(count_of(model) == 1u);
            BOOST_TEST(only(model::parse_tres_request("gres:gpu:" + std::string(model))).kind == model);
        }
}

BOOST_AUTO_TEST_CASE(counts_modulo_what_64_bits_hold_as_slurmctld_does) {
    BOOST_TEST(count_of("36028797018963969K") == 1024u);
    BOOST_TEST(count_of("17592186044417M") == 1048576u);
    BOOST_TEST(count_of("17592186045P") == 15200774642282266624u);
    BOOST_TEST(model::parse_tres_request("gres:gpu:18014398509481984K").empty());
    BOOST_TEST(count_of("-18446744073709551614") == 2u);
    BOOST_TEST(count_of("-18446744073709551614K") == 2048u);
    BOOST_TEST(count_of("-2") == 18446744073709551614u);
    BOOST_TEST(count_of("18446744073709551614") == 18446744073709551614u);
    for (const char* model : {"18446744073709551615", "18446744073709551616", "18446744073709551615K"})
        BOOST_TEST(only(model::parse_tres_request("gres:gpu:" + std::string(model))).kind == model);
}

BOOST_AUTO_TEST_CASE(reads_counts_in_every_spelling_that_slurm_takes) {
    for (const char* text : {"gres:gpu:4", "gres:gpu:+4", "gres:gpu: 4", "gres:gpu:\t4", "gres:gpu: +4"})
        BOOST_TEST_CONTEXT(text) {
            const TresItem item = only(model::parse_tres_request(text));
            BOOST_TEST(item.tres_name() == "gres/gpu");
            BOOST_TEST(item.count == 4u);
        }
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:+4k")).count == 4096u);
    BOOST_TEST(only(model::parse_tres_request("gres:gpu:a100:+2")).count == 2u);
    const auto two = model::parse_tres_request("gres:gpu:1,gres:gpu:+3");
    BOOST_TEST_REQUIRE(two.size() == 2u);
    BOOST_TEST(two[1].count == 3u);
    BOOST_TEST(model::parse_tres_request("gres:gpu:+0").empty());
    for (const char* text : {"foo:+5", "foo: 5", "foo: +5"})
        BOOST_TEST(only(model::parse_licenses(text)).count == 5u, text);
}

BOOST_AUTO_TEST_CASE(takes_for_a_model_what_slurm_does) {
    for (const char* model : {"++4", "+ 4", "+4x", "+99999999999999999999", "99999999999999999999", "-1"})
        BOOST_TEST_CONTEXT(model) {
            const std::string text = std::string("gres:gpu:") + model;
            const TresItem item = only(model::parse_tres_request(text));
            BOOST_TEST(item.name == "gpu");
            BOOST_TEST(item.count == 1u);
        }
}

BOOST_AUTO_TEST_CASE(leaves_out_what_cannot_be_read) {
    BOOST_TEST(model::parse_tres_request(",,").empty());
    BOOST_TEST(model::parse_tres_request("gpu=x").empty());
    BOOST_TEST(model::parse_tres_request("gpu=99999999999999999999").empty());
}

BOOST_AUTO_TEST_CASE(takes_colons_alone_for_a_resource_that_no_cluster_has) {
    const qg::model::TresCatalogue catalogue({"cpu", "mem", "energy", "node", "billing", "gres/gpu"});

    const TresItem item = only(model::parse_tres_request(":::"));

    BOOST_TEST(item.name.empty());
    BOOST_TEST(find_tres(catalogue, item) == std::nullopt);
}

BOOST_AUTO_TEST_CASE(reads_cpus_and_licenses) {
    BOOST_TEST(only(model::parse_tres_request("cpu=4")).tres_name() == "cpu");
    const auto licenses = model::parse_licenses("foo:2,bar");
    BOOST_TEST_REQUIRE(licenses.size() == 2u);
    BOOST_TEST(licenses[1].tres_name() == "license/bar");
}

BOOST_AUTO_TEST_CASE(reads_the_spellings_of_licenses) {
    for (const char* text : {"foo:2,bar", "foo=2,bar:1", "foo:2;bar", ",foo:2,,bar,", "foo:2|bar"})
        BOOST_TEST_CONTEXT(text) {
            const auto items = model::parse_licenses(text);
            BOOST_TEST_REQUIRE(items.size() == 2u);
            BOOST_TEST(items[0].tres_name() == "license/foo");
            BOOST_TEST(items[0].count == 2u);
            BOOST_TEST(items[1].tres_name() == "license/bar");
            BOOST_TEST(items[1].count == 1u);
        }
    BOOST_TEST(only(model::parse_licenses("foo@server:3")).tres_name() == "license/foo@server");
    for (const char* text :
         {"", ",", ";|,", "foo:0", "foo:", ":2", "foo:x", "foo:2x", "foo:-1", "foo:2147483648"})
        BOOST_TEST(model::parse_licenses(text).empty());
}

BOOST_AUTO_TEST_CASE(keeps_32_bits_of_licenses) {
    for (const auto& [text, count] : {std::pair("foo:2147483647", 2147483647u),
                                      {"foo:4294967298", 2u},
                                      {"foo:-4294967290", 6u},
                                      {"foo:18446744069414584321", 0u},
                                      {"foo:4294967296", 0u},
                                      {"foo:-99999999999999999999", 0u}})
        BOOST_TEST_CONTEXT(text) {
            const auto items = model::parse_licenses(text);
            BOOST_TEST((items.empty() ? 0u : items.at(0).count) == count);
        }
    BOOST_TEST(model::LicensePart::sum(2147483647u, 2147483651u) == 2u);
}

BOOST_AUTO_TEST_CASE(formats_what_it_reads) {
    for (const char* text : {"gres:gpu:2", "gres:gpu:a100:1,gres:shard:4", "license:foo:3", "cpu:2"})
        BOOST_TEST(format_tres_request(model::parse_tres_request(text)) == text);
}

BOOST_AUTO_TEST_SUITE_END()
