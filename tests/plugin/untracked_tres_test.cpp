// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/untracked_tres.hpp"

#include "fake_controller.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

using namespace qg;

namespace {

constexpr std::uint32_t cpu = 1, gpu = 1001;

struct UntrackedSetup {
    UntrackedSetup() {
        tracked.id = cpu;
        slurm::append(tres, &tracked);
        qos = &records.add_qos("gpus", 5);
    }

    std::vector<std::string> found() const {
        return plugin::qos_with_untracked_tres(records.qos_list, tres.get());
    }

    test::FakeController records;
    slurm::OwnedList tres = slurm::make_borrowing_list();
    slurmdb_tres_rec_t tracked{};
    slurmdb_qos_rec_t* qos = nullptr;
    std::string text;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(untracked_tres, UntrackedSetup)

BOOST_AUTO_TEST_CASE(a_limit_on_a_tres_that_slurmctld_does_not_have_is_found) {
    const std::vector<std::string> gpus{"gpus"}, none;
    text = "1=4";
    qos->max_tres_pu = text.data();
    BOOST_TEST(found() == none);
    text = "1=4,1001=2";
    qos->max_tres_pu = text.data();
    BOOST_TEST(found() == gpus);

    slurmdb_tres_rec_t gpu_record{};
    gpu_record.id = gpu;
    slurm::append(tres, &gpu_record);
    BOOST_TEST(found() == none);
}

BOOST_AUTO_TEST_CASE(each_tres_limit_of_a_qos_is_read) {
    text = "1001=2";
    for (const auto limit :
         {&slurmdb_qos_rec_t::grp_tres, &slurmdb_qos_rec_t::grp_tres_mins,
          &slurmdb_qos_rec_t::grp_tres_run_mins, &slurmdb_qos_rec_t::max_tres_pj,
          &slurmdb_qos_rec_t::max_tres_pn, &slurmdb_qos_rec_t::max_tres_pa, &slurmdb_qos_rec_t::max_tres_pu,
          &slurmdb_qos_rec_t::max_tres_mins_pj, &slurmdb_qos_rec_t::max_tres_run_mins_pa,
          &slurmdb_qos_rec_t::max_tres_run_mins_pu, &slurmdb_qos_rec_t::min_tres_pj}) {
        qos->*limit = text.data();
        BOOST_TEST(found().size() == 1u);
        qos->*limit = nullptr;
        BOOST_TEST(found().empty());
    }
}

BOOST_AUTO_TEST_CASE(what_is_not_known_yet_is_no_problem) {
    text = "1001=2";
    qos->max_tres_pu = text.data();

    BOOST_TEST(plugin::qos_with_untracked_tres(records.qos_list, nullptr).empty());
    BOOST_TEST(plugin::qos_with_untracked_tres(nullptr, tres.get()).empty());
}

BOOST_AUTO_TEST_SUITE_END()
