// SPDX-License-Identifier: GPL-2.0-or-later
#include "support/policy_setup.hpp"

#include "qosgate/policy/store.hpp"

#include <boost/test/unit_test.hpp>

#include <atomic>
#include <thread>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

BOOST_AUTO_TEST_SUITE(concurrency)

BOOST_AUTO_TEST_CASE(judges_on_many_threads_without_mixing_jobs_up) {
    const auto policy = policy_of({
        {"a.lua", rule_with("job.comment = job.name .. '/' .. job.gpus")},
        {"b.lua", rule_with("if job.gpus % 7 == 0 then job:reject('%s', job.comment) end")},
        {"c.lua", rule_with("if job.gpus % 101 == 1 then while true do end end", "on_error = 'allow',")},
    });
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 8; ++t) {
        threads.emplace_back([&, t] {
            for (std::uint64_t i = 0; i < 300; ++i) {
                Job job;
                job.request.name = "job" + std::to_string(t);
                const auto outcome = job.gpus(i).run(*policy);
                const std::string expected = *job.request.name + "/" + std::to_string(i);
                const bool right = i % 7 == 0 ? outcome.rejected && outcome.reject_message == expected
                                              : !outcome.rejected && job.request.comment == expected;
                if (!right) ++wrong;
            }
        });
    }
    for (std::thread& thread : threads)
        thread.join();

    BOOST_TEST(wrong.load() == 0);
}

BOOST_AUTO_TEST_CASE(judges_while_the_policy_is_exchanged) {
    const TempDirectory temp;
    temp.write("a.lua", rule_with("job:warn('0')"));
    PolicyStore store([](LogLevel, const std::string&) {}, {.poll_interval = std::chrono::milliseconds(1)});
    store.start(temp.directory());
    std::atomic<bool> done{false};
    std::atomic<int> wrong{0};
    std::vector<std::thread> threads;
    for (int t = 0; t < 4; ++t) {
        threads.emplace_back([&] {
            while (!done) {
                Job job;
                if (job.run(*store.current()).warnings.size() != 1) ++wrong;
            }
        });
    }
    for (int i = 1; i <= 30; ++i) {
        temp.write("b.tmp", rule_with("job:warn('" + std::to_string(i) + "')"));
        fs::rename(temp.directory() / "b.tmp", temp.directory() / "a.lua");
        store.refresh();
    }
    done = true;
    for (std::thread& thread : threads)
        thread.join();

    BOOST_TEST(wrong.load() == 0);
    BOOST_TEST(store.status().generation > 1u);
}

BOOST_AUTO_TEST_SUITE_END()
