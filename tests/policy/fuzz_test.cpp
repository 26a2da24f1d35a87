// SPDX-License-Identifier: GPL-2.0-or-later
//
// Rules and patterns that nobody wrote. With sanitizers, a wrong access or an overflow ends the test.
#include "shipped_files.hpp"
#include "support/sanitized.hpp"
#include "support/script_setup.hpp"
#include "support/small_view.hpp"
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

/// A script for changed copies. Most of them do not load.
constexpr const char* script = R"lua(
local count, names = 0, { "cpu", "gpu" }
local function split(text, sep) local t = {} for w in text:gmatch("[^" .. sep .. "]+") do t[#t + 1] = w end return t end
function slurm_job_submit(job_desc, part_list, submit_uid)
    count = count + 1 / 2 .. ""
    if job_desc.time_limit == slurm.NO_VAL then job_desc.time_limit = 60 end
    for name, part in pairs(part_list) do slurm.log_info("%s %d", name, part.max_time) end
    for id, job in pairs(slurm.jobs) do if job.user_id == submit_uid then slurm.log_user("job %s", id) end end
    local program = io.popen("id -Gn " .. submit_uid)
    for _, group in ipairs(split(program:read("*a"), " ")) do job_desc.environment[group] = os.date("%H") end
    local file = io.open("list.txt")
    if file then for line in file:lines() do job_desc.comment = line:gsub("%s+$", "") end file:close() end
    job_desc.qos = table.concat(names, ","):sub(1, -3) .. math.floor(job_desc.min_nodes % 7)
    if not pcall(error, "x") and job_desc.argv[0] ~= nil then return slurm.ERROR end
    return slurm.SUCCESS
end
)lua";

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
            BOOST_TEST_CONTEXT(changed) {
                BOOST_TEST(is_readable(busy_job().run(**policy)));
                BOOST_TEST(is_readable(run_with_view(**policy, busy_job())));
            }
        }
    }
    BOOST_TEST(loaded > 100);
}

BOOST_AUTO_TEST_CASE(changed_scripts_end_in_time) {
    Mutations mutations(script, "(){}[]\"'=.:,%#~\\\n 0");
    int loaded = 0, ended = 0;
    for (int i = 0; i < 1500; ++i) {
        const std::string changed = mutations.next();
        const Texts files{{"site.lua", "site { rule_time_ms = 5 }"},
                          {"compat/list.txt", "one\ntwo  \n"},
                          {script_name, changed}};
        if (!try_policy(files)) continue;
        ++loaded;
        ScriptSetup setup(files);
        const double begin = cpu_seconds();
        for (int job = 0; job < 2; ++job) // the second one in the state that the first one left
            if (!setup.run().failure) ++ended;
        BOOST_TEST_CONTEXT(changed) BOOST_TEST(cpu_seconds() - begin < 0.1 * slowness);
    }
    BOOST_TEST(loaded > 20);
    BOOST_TEST(ended > 0);
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
