// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/reject_codes.hpp"

#include <slurm/slurm_errno.h>

#include <boost/test/unit_test.hpp>

#include <cerrno>
#include <set>

using qg::model::RejectCode;
using qg::slurm::to_slurm_error;

namespace {
constexpr RejectCode rejections[] = {
    RejectCode::invalid_qos,       RejectCode::accounting_policy,  RejectCode::invalid_account,
    RejectCode::invalid_partition, RejectCode::invalid_time_limit, RejectCode::invalid_time_min,
    RejectCode::text_too_long,     RejectCode::access_denied,      RejectCode::invalid_node_count,
    RejectCode::invalid_tres,      RejectCode::invalid_nice,       RejectCode::invalid_array,
    RejectCode::too_many_cpus,     RejectCode::partition_assoc,    RejectCode::bad_task_count,
};
}

BOOST_AUTO_TEST_SUITE(error_codes)

BOOST_AUTO_TEST_CASE(none_is_success) {
    BOOST_TEST(to_slurm_error(RejectCode::none) == SLURM_SUCCESS);
}

BOOST_AUTO_TEST_CASE(each_rejection_has_a_code_of_its_own) {
    std::set<int> codes;
    for (const RejectCode code : rejections)
        codes.insert(to_slurm_error(code));

    BOOST_TEST(codes.size() == std::size(rejections));
    BOOST_TEST(!codes.contains(SLURM_SUCCESS));
}

BOOST_AUTO_TEST_CASE(no_rejection_makes_a_client_try_again) {
    // 2007 counts as "too many jobs, try again" for sbatch of some releases under one name or another.
    const std::set<int> retried = {EAGAIN, 2007, ESLURM_NODES_BUSY, ESLURM_PORTS_BUSY, 1804};
    for (const RejectCode code : rejections)
        BOOST_TEST(!retried.contains(to_slurm_error(code)));
}

BOOST_AUTO_TEST_SUITE_END()
