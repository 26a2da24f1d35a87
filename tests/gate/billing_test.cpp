// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/size/billing.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::Billing;

namespace {

const model::TresCatalogue tres{
    {"cpu", "mem", "energy", "node", "billing", "gres/gpu", "gres/gpu:a100", "license/foo"}};

/// The billing of 8 CPUs, 16 GiB, 2 nodes, 3 GPUs and 5 licenses.
std::uint64_t billing(std::string_view weights, Billing how = Billing::sum) {
    return gate::billing_of({8, 16384, 0, 2, 0, 3, 3, 5}, tres, weights, how);
}

} // namespace

BOOST_AUTO_TEST_SUITE(billing_module)

BOOST_AUTO_TEST_CASE(without_weights_cpus_are_billed) {
    for (const Billing how : {Billing::sum, Billing::largest, Billing::largest_and_gres})
        BOOST_TEST(billing("", how) == 8u);
}

BOOST_AUTO_TEST_CASE(names_are_read_in_any_case) {
    for (const char* weights : {"CPU=2", "cpu=2", " Cpu = 2 ", "CPU=2,"})
        BOOST_TEST(billing(weights) == 16u);
    BOOST_TEST(billing("GRES/gpu=10") == 30u);
    BOOST_TEST(billing("gres/gpu:A100=10") == 30u);
    BOOST_TEST(billing("License/foo=2") == 10u);
}

BOOST_AUTO_TEST_CASE(what_has_no_weight_or_no_count_costs_nothing) {
    BOOST_TEST(billing("Node=0") == 0u);
    BOOST_TEST(billing("Energy=5") == 0u);
    BOOST_TEST(billing("nosuch=5,CPU") == 0u);
}

BOOST_AUTO_TEST_CASE(memory_is_billed_by_the_unit_of_its_weight) {
    BOOST_TEST(billing("Mem=0.25") == 4096u);
    BOOST_TEST(billing("Mem=0.25M") == 4096u);
    BOOST_TEST(billing("Mem=0.25G") == 4u);
    BOOST_TEST(billing("Mem=64T") == 1u);
    BOOST_TEST(billing("Mem=1K") == 16384u * 1024);
}

BOOST_AUTO_TEST_CASE(the_result_is_cut_and_not_rounded) {
    BOOST_TEST(billing("CPU=0.24") == 1u); // 1.92
    BOOST_TEST(billing("CPU=0.24,Node=0.04") == 2u);
}

BOOST_AUTO_TEST_CASE(max_tres_bills_the_largest_of_what_belongs_to_nodes_and_all_else) {
    const char* weights = "CPU=2,Mem=0.5G,Node=1,GRES/gpu=4,License/foo=1";
    BOOST_TEST(billing(weights, Billing::sum) == 16u + 8 + 2 + 12 + 5);
    BOOST_TEST(billing(weights, Billing::largest) == 16u + 5);
    BOOST_TEST(billing(weights, Billing::largest_and_gres) == 16u + 12 + 5);

    BOOST_TEST(billing("CPU=1,GRES/gpu=4", Billing::largest) == 12u);
    BOOST_TEST(billing("CPU=1,GRES/gpu=4", Billing::largest_and_gres) == 20u);
}

BOOST_AUTO_TEST_SUITE_END()
