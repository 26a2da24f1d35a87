// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules and patterns that nobody wrote. With sanitizers, a wrong access or an overflow ends the test.
#include "shipped_files.hpp"
#include "support/texts.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// A job for which most rules have something to do.
Job busy_job() {
    Job job;
    job.request.name = "job";
    job.request.partition = "gpu,cpu";
    job.request.comment = "project=a42 (b) [c]";
    job.request.features = "a100|h100";
    job.request.licenses = "matlab:2";
    job.request.array = "1-100%5";
    job.request.tres_per_node = "gres:gpu:a100:2";
    return job.gpus(2).minutes(60);
}

/// Whether everything that users and the log read is one line each, without control characters.
bool is_readable(const RuleOutcome& outcome) {
    const auto is_line = [](const std::string& text) {
        return std::ranges::none_of(text, [](char c) { return static_cast<unsigned char>(c) < 0x20; });
    };
    std::string message = outcome.reject_message;
    std::ranges::replace(message, '\n', ' '); // between the lines of several rules
    return is_line(message) && std::ranges::all_of(outcome.warnings, is_line) &&
           std::ranges::all_of(outcome.events, is_line, &RuleEvent::text);
}

} // namespace

BOOST_AUTO_TEST_SUITE(fuzz)

BOOST_AUTO_TEST_CASE(changed_rules_give_readable_answers) {
    constexpr int copies = 120;
    const auto rules = all_shipped_rules();
    BOOST_TEST_REQUIRE(rules.size() > 10u);
    int loaded = 0;
    for (const auto& [name, rule] : rules) {
        Mutations mutations(rule, "(){}[]\"'=.:,%#~\\\n 0");
        for (int i = 0; i < copies; ++i) {
            const std::string changed = mutations.next();
            Texts files = with_shipped_data("t.lua", changed);
            files.emplace_back("site.lua", "site { rule_time_ms = 5 }");
            const auto policy = try_policy(files);
            if (!policy) continue;
            ++loaded;
            BOOST_TEST_CONTEXT(changed) BOOST_TEST(is_readable(busy_job().run(**policy)));
        }
    }
    BOOST_TEST(loaded > 100);
}

BOOST_AUTO_TEST_CASE(changed_patterns_give_readable_answers) {
    const auto policy = policy_of({{"site.lua", patient_site}, {"t.lua", rule_with(R"lua(
        local text, pattern = job.comment or "", job.name or ""
        for _, search in ipairs { string.find, string.match, string.gsub } do
            job:note("%s", select(2, pcall(search, text, pattern, "<%0%1>")))
        end
        for word in text:gmatch("%w+") do job:note(word) end
    )lua")}});
    for (const char* seed : {"^%s*(.-)%s*$", "[%w_]+()", "%b()[^%]-]*", "%f[%w]%w+%f[%W]", "(a*(.)%w(%s*))%2",
                             "[%a-z%]][]-]?[^^]", "(()())%1?.-$"}) {
        Mutations mutations(seed, "()[]%^$.-*+?bf1");
        for (int i = 0; i < 400; ++i) {
            Job job = busy_job();
            job.request.name = mutations.next();
            BOOST_TEST_CONTEXT(*job.request.name) BOOST_TEST(is_readable(job.run(*policy)));
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
