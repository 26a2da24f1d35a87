// SPDX-License-Identifier: GPL-2.0-or-later
//
// Details (model/job_details.hpp) of all sizes: what no rule reads costs nothing, and what a rule reads is
// bounded.
#include "hostile_setup.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <string>
#include <vector>

using namespace qg;
using namespace qg::test;

namespace {

/// Reads every detail, whether it can be read or not.
constexpr const char* read_all =
    "for _, name in ipairs{'burst_buffer', 'dependency', 'excluded_nodes', 'mail_user', 'network', 'script',"
    " 'std_err', 'std_in', 'std_out', 'submit_host', 'wckey', 'work_dir', 'argv'} do"
    " pcall(function() return job[name] end) end"
    " pcall(function() return job.env.HOME end)";

/// A job with a text of this size in each detail, and words of a command and an environment.
struct HostileDetails : HostileRequests {
    HostileDetails() {
        for (std::string& word : words)
            pointers.push_back(word.data());
    }

    std::uint64_t work(std::size_t size) {
        std::string text(size, 'x');
        return work_for(releases.front(), "", [&](job_desc_msg_t& job) {
            for (const slurm::TextDetail& row : slurm::text_details)
                if (row.slurm != &job_desc_msg_t::exc_nodes) job.*row.slurm = text.data();
            job.script = text.data();
            job.argv = job.environment = pointers.data();
            job.argc = job.env_size = static_cast<std::uint32_t>(pointers.size());
        });
    }

    std::vector<std::string> words = std::vector<std::string>(model::JobDetails::max_variables, "HOM=x");
    std::vector<char*> pointers;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_details, HostileDetails)

BOOST_AUTO_TEST_CASE(a_text_of_any_size_that_no_rule_reads_costs_nothing) {
    for (const bool has_rule : {false, true}) {
        policy = has_rule ? one_rule("local x = job.qos") : nullptr;
        const std::uint64_t small = work(1);
        for (const std::size_t size : {slurm::max_detail_length + 1, mib, 16 * mib})
            BOOST_TEST(work(size) < small + a_millisecond / 20, size);
    }
}

BOOST_AUTO_TEST_CASE(a_rule_that_reads_texts_of_any_size_takes_less_than_two_milliseconds) {
    policy = one_rule(read_all);
    for (const std::size_t count : {std::size_t{10}, model::JobDetails::max_arguments, words.size()}) {
        pointers.resize(count);
        for (const std::size_t size :
             {std::size_t{1024}, slurm::max_path_length, slurm::max_detail_length, mib, 16 * mib})
            BOOST_TEST(work(size) < a_millisecond * 3 / 2, count << " words, " << size << " bytes");
    }
}

BOOST_AUTO_TEST_SUITE_END()
