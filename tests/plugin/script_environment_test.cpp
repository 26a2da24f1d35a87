// SPDX-License-Identifier: GPL-2.0-or-later
//
// job_desc.environment of a script for job_submit/lua: a search counts what it looks at. A user can send
// millions of variables.
#include "qosgate/script/records_host.hpp"

#include "support/script_setup.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <functional>
#include <string>
#include <vector>

using namespace qg;
using model::ScriptValue;
using policy::ErrorText;
using test::cpu_seconds;
using test::has_text;

namespace {

class NoOwner final : public script::ScriptOwner {
  public:
    ScriptValue read(std::string_view /*field*/, const job_desc_msg_t& /*job*/,
                     ErrorText& /*error*/) noexcept override {
        return {};
    }
};

/// An environment, and the texts that a script writes into it.
class Environment final : public slurm::TextOwner {
  public:
    explicit Environment(std::vector<std::string> definitions) : definitions_(std::move(definitions)) {
        for (std::string& definition : definitions_)
            pointers_.push_back(definition.data());
        pointers_.push_back(nullptr);
    }
    void assign(char*& text, const std::optional<std::string>& value) override {
        text = written_.emplace_back(*value).data();
    }
    void add_variable(job_desc_msg_t& job) override {
        pointers_.insert(pointers_.begin(), nullptr);
        show(job);
    }
    void show(job_desc_msg_t& job) {
        job.environment = pointers_.data();
        job.env_size = static_cast<std::uint32_t>(pointers_.size() - 1);
    }
    [[nodiscard]] std::size_t written() const noexcept { return written_.size(); }

  private:
    std::vector<std::string> definitions_;
    std::vector<char*> pointers_;
    std::deque<std::string> written_;
};

class Host final : public test::FakeHost {
  public:
    explicit Host(std::vector<std::string> definitions) : environment(std::move(definitions)) {
        environment.show(description_);
    }
    [[nodiscard]] policy::compat::ScriptJob& job() override { return job_; }

    Environment environment;

  private:
    job_desc_msg_t description_{};
    NoOwner owner_;
    script::ScriptedJob job_{description_, owner_, environment};
};

/// "FIRST=1", then `count` others, "V0=..." and so on.
std::vector<std::string> variables(int count, const std::string& value) {
    std::vector<std::string> all{"FIRST=1"};
    for (int i = 0; i < count; ++i)
        all.push_back("V" + std::to_string(i) + "=" + value);
    return all;
}

struct Run {
    std::string said; ///< the error, or what the script tells the user
    double seconds;   ///< of CPU
};

Run run(Host& host, const std::string& body) {
    const auto policy =
        test::policy_of({{"site.lua", test::patient_site}, {test::script_name, test::script_with(body)}});
    const double start = cpu_seconds();
    const test::ScriptOutcome outcome = policy->script()->submit(host);
    return {outcome.failure ? outcome.failure->message : outcome.message.value_or(""), cpu_seconds() - start};
}

const std::string spent = "more than 100000 instructions for one job (setting rule_instructions)";
constexpr int very_many = 1'000'000;
constexpr double little = 0.1; ///< of what slurmctld waits for; in seconds

const std::string read_absent = "for i = 1, 90 do local x = job_desc.environment['ABSENT' .. i] end ";
const std::string tell_first = "slurm.log_user('%s', tostring(job_desc.environment.FIRST))";

} // namespace

BOOST_AUTO_TEST_SUITE(script_environment)

BOOST_AUTO_TEST_CASE(a_script_reads_and_writes_a_normal_environment) {
    Host host(variables(100, std::string(100, 'x')));

    const Run normal =
        run(host, read_absent + "for i = 0, 99 do assert(#job_desc.environment['V' .. i] == 100) end "
                                "job_desc.environment.V99 = 'y' job_desc.environment.NEW = 'z' "
                                "slurm.log_user('%s%s', job_desc.environment.V99, "
                                "job_desc.environment.NEW)");

    BOOST_TEST(normal.said == "yz");
    BOOST_TEST(host.environment.written() == 2u);
}

BOOST_AUTO_TEST_CASE(a_search_among_very_many_variables_ends_as_other_overruns_do) {
    Host host(variables(very_many, ""));

    const Run hostile = run(host, read_absent + tell_first);

    BOOST_TEST(has_text(hostile.said, spent), hostile.said);
    BOOST_TEST(hostile.seconds < little);
}

BOOST_AUTO_TEST_CASE(only_what_a_search_looks_at_counts) {
    Host host(variables(very_many, ""));

    const Run first = run(host, "for i = 1, 1000 do local x = job_desc.environment.FIRST end " + tell_first);

    BOOST_TEST(first.said == "1");
    BOOST_TEST(first.seconds < little);
}

BOOST_AUTO_TEST_CASE(a_variable_is_not_added_to_very_many) {
    Host host(variables(very_many, ""));

    const Run hostile = run(host, "for i = 1, 90 do job_desc.environment['NEW' .. i] = 'x' end");

    BOOST_TEST(has_text(hostile.said, spent), hostile.said);
    BOOST_TEST(hostile.seconds < little);
    BOOST_TEST(host.environment.written() == 0u);
    BOOST_TEST(run(host, "job_desc.environment.FIRST = '2' " + tell_first).said == "2");
}

BOOST_AUTO_TEST_CASE(adding_counts_the_variables_that_it_moves) {
    const std::string add = "job_desc.environment.NEW = 'x' slurm.log_user('%s', 'added')";
    Host few(variables(45'000, ""));
    Host many(variables(55'000, "")); // each is looked at, and moved

    BOOST_TEST(run(few, add).said == "added");
    BOOST_TEST(has_text(run(many, add).said, spent));
    BOOST_TEST(many.environment.written() == 0u);
}

BOOST_AUTO_TEST_CASE(what_long_names_have_in_common_counts) {
    const std::string name(60'000, 'N');
    const auto read = [](const std::string& length) {
        return "local name = ('N'):rep(" + length + ") local x = job_desc.environment[name .. 'O'] " +
               tell_first;
    };
    Host few(std::vector<std::string>(10, name + "=")), many(std::vector<std::string>(20, name + "="));

    BOOST_TEST(run(few, read("60000")).said == "nil");
    BOOST_TEST(has_text(run(many, read("60000")).said, spent));
    BOOST_TEST(run(many, read("100")).said == "nil");
}

BOOST_AUTO_TEST_CASE(a_value_is_read_up_to_the_largest_text) {
    const std::string tell = "slurm.log_user('%s', #job_desc.environment.V0)";
    Host largest(variables(1, std::string(65'536, 'x')));
    Host larger(variables(1, std::string(65'537, 'x')));

    BOOST_TEST(run(largest, tell).said == "65536");
    BOOST_TEST(has_text(run(larger, tell).said, "the text is longer than 65536 bytes"));
}

BOOST_AUTO_TEST_SUITE_END()
