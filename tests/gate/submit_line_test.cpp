// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/submit_line.hpp"

#include <boost/test/unit_test.hpp>

using qg::gate::find_option;
using qg::gate::is_test_only;

BOOST_AUTO_TEST_SUITE(submit_line)

BOOST_AUTO_TEST_CASE(finds_the_value_after_an_equals_sign_or_a_space) {
    BOOST_TEST(find_option("sbatch --gres=gpu:3 job.sh", "--gres").value() == "gpu:3");
    BOOST_TEST(find_option("sbatch --gres  gpu:3 job.sh", "--gres").value() == "gpu:3");
    BOOST_TEST(find_option("sbatch --gres", "--gres").value() == "");
}

BOOST_AUTO_TEST_CASE(the_last_one_counts) {
    BOOST_TEST(find_option("sbatch --gres=gpu:3 --gres=gpu:2", "--gres").value() == "gpu:2");
}

BOOST_AUTO_TEST_CASE(an_option_that_begins_alike_is_another_one) {
    BOOST_TEST(!find_option("sbatch --gres-flags=enforce-binding", "--gres").has_value());
    BOOST_TEST(!find_option("sbatch --gpus-per-node=2", "--gpus").has_value());
    BOOST_TEST(!find_option("", "--gres").has_value());
}

BOOST_AUTO_TEST_CASE(a_test_is_told_from_a_submission) {
    for (const char* line :
         {"sbatch --test-only job.sh", "srun -n3 --test-only hostname", "sbatch --test job.sh",
          "sbatch -p main --test-only job.sh", "sbatch --partition main --te job.sh"})
        BOOST_TEST_CONTEXT(line) {
            BOOST_TEST(is_test_only(line));
        }
    for (const char* line : {"", "--test-only", "sbatch job.sh --test-only", "sbatch -n3 job.sh --test-only",
                             "sbatch --test-onlyx", "sbatch --wrap=prog --test-only",
                             "srun -- prog --test-only", "sbatch --t --time=5"})
        BOOST_TEST_CONTEXT(line) {
            BOOST_TEST(!is_test_only(line));
        }
}

BOOST_AUTO_TEST_SUITE_END()
