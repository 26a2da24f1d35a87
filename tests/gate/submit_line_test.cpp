// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/answer/submit_line.hpp"

#include <boost/test/unit_test.hpp>

#include <string>

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
          "sbatch -p main --test-only job.sh", "sbatch --partition main --te job.sh",
          "sbatch --parsable --test-only job.sh", "sbatch -H --test-only job.sh", "srun -l --test-only prog",
          "salloc --exclusive --test-only prog", "sbatch -t 5 --mem=1G -N1 -J a --hold --test-only job.sh",
          "sbatch --unknown --test-only job.sh", "sbatch -J --wrap --test-only job.sh"})
        BOOST_TEST_CONTEXT(line) {
            BOOST_TEST(is_test_only(line));
        }
    for (const char* line : {"",
                             "--test-only",
                             "sbatch job.sh --test-only",
                             "sbatch -n3 job.sh --test-only",
                             "sbatch --test-onlyx",
                             "sbatch --wrap=prog --test-only",
                             "srun -- prog --test-only",
                             "sbatch --t --time=5",
                             "sbatch --parsable job.sh --test-only",
                             "sbatch -H job.sh --test-only",
                             "srun -l prog --test-only",
                             "salloc --exclusive prog --test-only",
                             "sbatch -Q --wait job.sh --test-only",
                             "srun --unknown prog --test-only",
                             "srun -Hp main prog --test-only",
                             "sbatch -p main -- --test-only",
                             "sbatch --part main --test-only",
                             "sbatch -J --test-only job.sh",
                             "sbatch - --test-only",
                             "sbatch --comment=a --test-only job.sh"})
        BOOST_TEST_CONTEXT(line) {
            BOOST_TEST(!is_test_only(line));
        }
}

BOOST_AUTO_TEST_CASE(of_a_very_long_command_only_the_first_words_are_looked_at) {
    const auto line_of = [](int words) {
        std::string line = "sbatch";
        for (int i = 0; i < words; ++i)
            line += " -v";
        return line + " --test-only job.sh";
    };
    BOOST_TEST(is_test_only(line_of(255)));
    BOOST_TEST(!is_test_only(line_of(256)));
}

BOOST_AUTO_TEST_SUITE_END()
