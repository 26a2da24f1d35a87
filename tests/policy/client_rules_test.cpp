// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/objects/client_binding.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/policy_tests.hpp"
#include "support/empty_view.hpp"
#include "support/plain_world.hpp"
#include "support/policy_setup.hpp"

#include <boost/test/data/test_case.hpp>
#include <boost/test/unit_test.hpp>

#include <map>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;

namespace {

/// A client with three options.
class SmallClient final : public ClientHost {
  public:
    std::map<std::string, OptionValue> options;
    std::string variable_value = "value";

    [[nodiscard]] std::string_view command() const override { return "salloc"; }
    [[nodiscard]] bool is_interactive() const override { return true; }
    [[nodiscard]] std::string_view work_dir() const override { return "/home/ana"; }
    [[nodiscard]] std::optional<std::string_view> variable(std::string_view name) const override {
        return name == "NAME" ? std::optional<std::string_view>(variable_value) : std::nullopt;
    }
    [[nodiscard]] OptionForm form_of(const std::string& option) const override {
        if (option == "hold") return OptionForm::alone;
        if (option == "exclusive") return OptionForm::value_possible;
        return option == "time" || option == "mem-per-cpu" ? OptionForm::with_value : OptionForm::unknown;
    }
    [[nodiscard]] std::vector<std::string> option_names() const override {
        return {"exclusive", "hold", "mem-per-cpu", "time"};
    }
    [[nodiscard]] OptionValue get(const std::string& option) const override {
        const auto found = options.find(option);
        return found == options.end() ? OptionValue{} : found->second;
    }
    [[nodiscard]] bool takes(const OptionChange& change) override { return change.value.text != "never"; }
    void set(const OptionChange& change) override { options[change.name] = change.value; }
};

RuleOutcome run(const Policy& policy, SmallClient& client, const std::string& user = "ana") {
    EmptyView view;
    view.client = &client;
    model::JobRequest sender;
    sender.user_id = sender.submit_uid = 1000;
    RuleInput facts = no_facts();
    facts.user_name = user;
    facts.view = &view;
    facts.client = &client;
    return policy.run_in_client(sender, facts);
}

std::shared_ptr<const Policy> client_rule(const std::string& body, const std::string& keys = "") {
    return policy_of(
        {{"t.lua", "rule { " + keys + " client = function(options, view)\n" + body + "\nend }"}});
}

/// The failure of a rule's run; "" if there is none.
std::string client_failure_of(const std::string& body) {
    SmallClient client;
    const RuleOutcome outcome = run(*client_rule(body), client);
    return outcome.events.empty() ? std::string() : outcome.events.front().text;
}

/// The value of `time` after a rule's run.
std::string time_after(const std::string& body, OptionValue before = {}) {
    SmallClient client;
    client.options["time"] = std::move(before);
    run(*client_rule(body), client);
    return show(client.get("time"));
}

} // namespace

BOOST_AUTO_TEST_SUITE(client_rules)

BOOST_AUTO_TEST_CASE(a_rule_reads_and_writes_options) {
    SmallClient client;
    client.options = {{"time", {true, "30"}}, {"hold", {.is_set = true}}};
    const auto outcome =
        run(*client_rule("if options.time == '30' and options.hold == true and\n"
                         "options.exclusive == nil and options['mem-per-cpu'] == nil then\n"
                         "options.time = 60; options.hold = false; options.exclusive = true\n"
                         "options.mem_per_cpu = '2G'; options.mem_per_cpu = options['mem-per-cpu'] .. 'B'\n"
                         "end"),
            client);
    BOOST_TEST(!outcome.rejected);
    BOOST_TEST_REQUIRE(outcome.options.size() == 4);
    BOOST_TEST(show(client.get("time")) == "60");
    BOOST_TEST(show(client.get("hold")) == "(unset)");
    BOOST_TEST(show(client.get("exclusive")) == "(set)");
    BOOST_TEST(show(client.get("mem-per-cpu")) == "2GB");
    BOOST_TEST(outcome.events.front().text == "time: 30 -> 60");
    const bool same = outcome.options.front() == OptionChange{"time", {true, "60"}};
    BOOST_TEST(same);
}

BOOST_AUTO_TEST_CASE(an_option_that_is_written_as_it_was_is_no_change) {
    SmallClient client;
    client.options = {{"time", {true, "30"}}};
    BOOST_TEST(run(*client_rule("options.time = 30; options.hold = nil"), client).options.empty());
}

BOOST_AUTO_TEST_CASE(later_rules_read_what_earlier_ones_wrote) {
    SmallClient client;
    const auto policy =
        policy_of({{"10.lua", "rule { client = function(options) options.time = '5' end }"},
                   {"20.lua", "rule { client = function(options) if options.time == '5' then\n"
                              "options.time = '6' end end }"}});
    const auto outcome = run(*policy, client);
    BOOST_TEST_REQUIRE(outcome.options.size() == 1);
    BOOST_TEST(show(outcome.options.front().value) == "6");
}

BOOST_AUTO_TEST_CASE(only_enforcing_rules_change_options) {
    for (const char* mode : {"warn", "shadow"}) {
        SmallClient client;
        const auto outcome =
            run(*client_rule("options.time = '5'", text::format("mode = '{}',", mode)), client);
        BOOST_TEST(outcome.options.empty());
        BOOST_TEST(!client.get("time").is_set);
        BOOST_TEST_REQUIRE(outcome.events.size() == 1);
        BOOST_TEST(outcome.events.front().text == "time: (unset) -> 5");
    }
}

BOOST_AUTO_TEST_CASE(a_rejected_job_has_no_changes_to_apply) {
    SmallClient client;
    const auto outcome = run(
        *client_rule("options.time = '5'; options:warn('a %d', 1)\noptions:reject('no %s', 'x')"), client);
    BOOST_TEST(outcome.rejected);
    BOOST_TEST(outcome.reject_message == "no x");
    BOOST_TEST(outcome.warnings == std::vector<std::string>{"a 1"}, boost::test_tools::per_element());
    BOOST_TEST(outcome.options.empty());
}

BOOST_AUTO_TEST_CASE(view_shows_the_client) {
    BOOST_TEST(
        time_after("options.time = view.client.command .. tostring(view.client.interactive) ..\n"
                   "view.client.work_dir .. view.client.env('NAME') .. tostring(view.client.env('OTHER'))") ==
        "salloctrue/home/anavaluenil");
}

BOOST_AUTO_TEST_CASE(an_empty_variable_is_not_an_unset_one) {
    SmallClient client;
    client.variable_value = "";
    run(*client_rule("if view.client.env('NAME') == '' then options.time = '1' end"), client);
    BOOST_TEST(show(client.get("time")) == "1");
}

BOOST_AUTO_TEST_CASE(what_slurmctld_knows_is_an_error_while_it_is_away) {
    BOOST_TEST(client_failure_of("return view.user.name").find("slurmctld is away") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_failing_rule_neither_rejects_nor_changes) {
    for (const char* on_error : {"deny", "allow", "warn"}) {
        SmallClient client;
        const auto outcome = run(
            *client_rule("options.time = '5'; local x = nil + 1", text::format("on_error = '{}',", on_error)),
            client);
        BOOST_TEST(!outcome.rejected);
        BOOST_TEST(outcome.options.empty());
        BOOST_TEST(!client.get("time").is_set);
        BOOST_TEST(outcome.warnings.empty() == (std::string(on_error) == "allow"));
        BOOST_TEST(outcome.events.front().text.ends_with("; ignored, because a client only gives advice"));
    }
}

struct Failure {
    const char* body;
    const char* text; ///< behind "t.lua:2: "
    friend std::ostream& operator<<(std::ostream& out, const Failure& failure) { return out << failure.body; }
};

const Failure failures[] = {
    {"options.exclusiv = '1'", "this salloc has no option --exclusiv; did you mean exclusive?"},
    {"local t = options.mem_per_gpu", "this salloc has no option --mem-per-gpu; did you mean mem-per-cpu?"},
    {"options.time = true", "options[\"time\"] cannot be true: write a text, a whole number, or nil"},
    {"options.time = 1.5", "options[\"time\"] cannot be a fraction or too large a number: write a text"},
    {"options.time = {}", "options[\"time\"] cannot be a table: write a text"},
    {"options.time = math.huge", "options[\"time\"] cannot be math.huge: write a text"},
    {"options.hold = 'yes'", "options[\"hold\"] cannot be \"yes\": write true, or false for the default"},
    {"options.hold = 1", "options[\"hold\"] cannot be 1: write true, or false"},
    {"options.time = 'never'", "salloc does not take --time=never from a rule"},
    {"options.time = 'a\\0b'", "options[\"time\"] cannot be \"a?b\": write a text without a zero byte"},
    {"options.time = ('x'):rep(32769)", "options[\"time\"]: the text has 32769 bytes; at most 32768 are"},
    {"options[1] = '1'", "write options.time or options[\"mem-per-cpu\"]: an option has a name"},
    {"local call = options.reject; call('no')",
     "the functions of options are called with a colon: options:reject(...)"},
    {"options.reject = 'no'", "the functions of options cannot be changed"},
    {"local name = 'comand'; local x = view.client[name]",
     "unknown field 'comand' of view.client; did you mean command?"},
    {"local env = view.client.env; local x = env()", "write view.client.env(name): it takes one text"},
};

BOOST_DATA_TEST_CASE(a_wrong_use_fails, failures, failure) {
    const std::string text = client_failure_of(failure.body);
    BOOST_TEST(text.starts_with(std::string("t.lua:2: ") + failure.text), text);
}

BOOST_AUTO_TEST_CASE(a_rule_returns_nothing) {
    BOOST_TEST(client_failure_of("return (false)").find("to refuse a job, call options:reject(...)") !=
               std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_longest_text_is_taken) {
    SmallClient client;
    run(*client_rule("options.time = ('x'):rep(32768)"), client);
    BOOST_TEST(client.get("time").text.value_or("") == std::string(32768, 'x'));
}

BOOST_AUTO_TEST_CASE(too_long_values_are_not_read) {
    SmallClient client;
    client.options["time"] = {true, std::string(max_option_bytes, 'x')};
    const auto policy = client_rule("if #options.time > 0 then options.hold = true end");
    run(*policy, client);
    BOOST_TEST(client.get("hold").is_set);
    client.options = {{"time", {true, std::string(max_option_bytes + 1, 'x')}}};
    const auto outcome = run(*policy, client);
    BOOST_TEST(!client.get("hold").is_set);
    BOOST_TEST(outcome.events.front().text.find("the value of this option is too long") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(each_event_runs_only_its_function) {
    const auto policy =
        policy_of({{"t.lua", "rule { client = function(options) options:reject('client') end,\n"
                             "submit = function(job) job:reject('submit') end }"}});
    SmallClient client;
    BOOST_TEST(run(*policy, client).reject_message == "client");
    BOOST_TEST(policy->run({}, no_facts()).reject_message == "submit");
    BOOST_TEST(policy->run_at_change({}, no_facts(), nullptr).reject_message == "submit");
    const auto only = client_rule("options:reject('no')");
    BOOST_TEST(only->has_rules_at(JobEvent::client));
    BOOST_TEST(!only->has_rules_at(JobEvent::submit));
    BOOST_TEST(!only->has_rules_at(JobEvent::modify));
    BOOST_TEST(!only->run({}, no_facts()).rejected);
    BOOST_TEST(!only->run_at_change({}, no_facts(), nullptr).rejected);
}

BOOST_AUTO_TEST_CASE(exempt_users_are_not_looked_at) {
    const auto policy = client_rule("options:reject('no')", "exempt = {'ben'},");
    SmallClient client;
    BOOST_TEST(run(*policy, client, "ana").rejected);
    BOOST_TEST(!run(*policy, client, "ben").rejected);
}

BOOST_AUTO_TEST_CASE(options_cannot_be_used_outside_a_client_function) {
    const auto policy =
        policy_of({{"t.lua", "local kept\n"
                             "rule { client = function(options) kept = options end,\n"
                             "submit = function(job) if kept then kept.time = '1' end end }"}});
    SmallClient client;
    run(*policy, client);
    const auto outcome = policy->run({}, no_facts());
    BOOST_TEST(outcome.rejected);
    BOOST_TEST(outcome.reject_message.find(
                   "options can be used only while client = function(options, view)") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(the_declaration_is_checked) {
    const auto error_of = [](const std::string& source) { return load_error({{"t.lua", source}}); };
    BOOST_TEST(error_of("rule { client = function(options, view) end }") == "");
    BOOST_TEST(error_of("rule { client = function(a, b, c) end }").find("two arguments, options and view") !=
               std::string::npos);
    BOOST_TEST(error_of("rule { client = 5 }").find("function(options, view) ... end") != std::string::npos);
    BOOST_TEST(error_of("rule { on = {'modify'}, client = function() end }")
                   .find("there is no function 'submit' or 'modify'") != std::string::npos);
    BOOST_TEST(error_of("rule { on = {'submit'}, client = function() end }").find("no function 'submit'") !=
               std::string::npos);
    BOOST_TEST(
        error_of("rule { clinet = function() end, submit = function() end }").find("did you mean client?") !=
        std::string::npos);
    BOOST_TEST(error_of("rule { client = function(o) o:notes('x') end }")
                   .find("unknown function 'options:notes'; did you mean note?") != std::string::npos);
    for (const char* keys : {"client = f, submit = f", "submit = f, client = f", "modify = f, client = f"})
        BOOST_TEST(error_of(text::format("local function f(x) x:is_set('qos') end\nrule {{ {} }}", keys)) ==
                   "");
    BOOST_TEST(error_of("rule { client = function(o) o.note('x') end }").find("with a colon") !=
               std::string::npos);
    BOOST_TEST(error_of("rule { client = function(o) o.notes = 'x'; local note = o.note end }") == "");
    BOOST_TEST(error_of("rule { client = function(options, view) local x = view.clinet end }")
                   .find("unknown field 'clinet' of view; did you mean client?") != std::string::npos);
}

// ---- tests of rules ------------------------------------------------------------------------------------

/// What does not pass in a test with this table of one rule; "" if it passes.
std::string problems_of(const std::string& body, const std::string& table) {
    const auto tests = read_tests({"t.lua", "test 'x' {" + table + "}"});
    if (!tests) return tests.error().message;
    EmptyView view;
    PlainWorld world(&view);
    return text::join(run_test(*client_rule(body), tests->at(0), world).problems, "; ");
}

struct Pair {
    const char* body;
    const char* passes;
    const char* fails;
    const char* problem;
    friend std::ostream& operator<<(std::ostream& out, const Pair& pair) { return out << pair.fails; }
};

const Pair pairs[] = {
    {"if not options.time then options.time = '1:00:00' end",
     "client = {}, expect = { options = { time = '1:00:00' } }",
     "client = { options = { time = 5 } }, expect = { options = { time = '1:00:00' } }",
     "expect.options[\"time\"]: 1:00:00 is expected, and it is 5"},
    {"if view.client.command == 'salloc' then options.exclusive = true end",
     "client = { command = 'salloc' }, expect = { options = { exclusive = true } }",
     "client = { command = 'srun' }, expect = { options = { exclusive = true } }",
     "expect.options[\"exclusive\"]: (set) is expected, and it is (unset)"},
    {"if view.client.env('GROUP') == 'x' and view.client.interactive then options:reject('no') end",
     "client = { env = { GROUP = 'x' }, interactive = true }, expect = { reject = 'no' }",
     "client = { env = { GROUP = 'x' } }, expect = { reject = 'no' }", "expect.reject: the job was accepted"},
    {"if view.client.work_dir == '/home' then options.mem_per_cpu = nil end",
     "client = { work_dir = '/home', options = { ['mem-per-cpu'] = '1G' } }, expect = { options = { "
     "mem_per_cpu = false } }",
     "client = { options = { ['mem-per-cpu'] = '1G' } }, expect = { options = { mem_per_cpu = false } }",
     "expect.options[\"mem-per-cpu\"]: (unset) is expected, and it is 1G"},
    {"", "client = {}, expect = { accept = true }",
     "client = { comand = 'srun' }, expect = { accept = true }",
     "client: unknown key 'comand'; did you mean command?"},
    {"", "client = { command = 'srun' }, expect = { accept = true }",
     "client = { command = 'scrun' }, expect = { accept = true }",
     "client.command cannot be \"scrun\": write \"sbatch\", \"salloc\", \"srun\" or \"scrontab\""},
    {"", "client = {}, expect = { accept = true }",
     "client = {}, job = { qos = 'a' }, expect = { accept = true }",
     "a test with client has options and no job: job.qos is not for it"},
    {"", "client = { options = {} }, expect = { accept = true }",
     "client = { options = 5 }, expect = { accept = true }", "client.options cannot be 5: write a table"},
    {"", "expect = { accept = true }", "expect = { options = { time = 5 } }",
     "expect.options is for tests with client = { ... }"},
};

BOOST_DATA_TEST_CASE(a_test_of_a_client_passes_or_says_why_not, pairs, pair) {
    BOOST_TEST(problems_of(pair.body, pair.passes) == "");
    const std::string problems = problems_of(pair.body, pair.fails);
    BOOST_TEST(problems.starts_with(pair.problem), problems);
}

BOOST_AUTO_TEST_SUITE_END()
