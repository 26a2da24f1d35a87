// SPDX-License-Identifier: GPL-2.0-or-later
//
// job.mail_type, and variables of the environment that rules may write.
#include "support/policy_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::policy;
using namespace qg::test;
using model::DetailValue;
using model::JobDetail;
using model::JobDetails;

namespace {

Job with_mail(std::int64_t bits) {
    Job job;
    job.request.details.set(JobDetail::mail_type, bits);
    return job;
}

/// What a rule reads after it wrote the value.
std::string written(const std::string& value) {
    Job job;
    const auto outcome = job.run(*one_rule("job.mail_type = (" + value + ")"));
    return outcome.rejected ? outcome.events.at(0).text : value_of("job.mail_type", job);
}

/// An environment of one variable, as sbatch sends it.
struct Environment final : model::DetailReader {
    [[nodiscard]] DetailValue read(const void*, const void*, JobDetail) const noexcept override { return {}; }
    [[nodiscard]] std::size_t argument_count(const void*) const noexcept override { return 0; }
    [[nodiscard]] DetailValue argument(const void*, std::size_t) const noexcept override { return {}; }
    [[nodiscard]] std::size_t variable_count(const void*) const noexcept override { return 1; }
    [[nodiscard]] DetailValue variable(const void*, std::string_view name) const noexcept override {
        return name == "OMP_OLD" ? DetailValue{DetailValue::Kind::text, 0, "1"} : DetailValue{};
    }
};
const Environment environment;

/// A policy in which rules may write some variables.
std::shared_ptr<const Policy> writing(const std::string& body,
                                      const std::string& names = "'OMP_*', 'SITE_PROJECT'") {
    return policy_of(
        {{"site.lua", "site { writable_env = { " + names + " } }"}, {"t.lua", rule_with(at_run_time(body))}});
}

Job batch_job() {
    Job job;
    job.request.details = JobDetails(environment, nullptr);
    return job;
}

/// Why a rule may not write; empty: it may.
std::string refusal(const std::string& body) {
    const auto outcome = batch_job().run(*writing(body));
    return outcome.rejected ? outcome.events.at(0).text : std::string();
}

std::string setting_error(const std::string& value) {
    return load_error({{"site.lua", "site { writable_env = " + value + " }"}});
}

} // namespace

BOOST_AUTO_TEST_SUITE(mail_and_env)

BOOST_AUTO_TEST_CASE(mail_types_read_as_scontrol_shows_them) {
    BOOST_TEST(value_of("job.mail_type") == "nil");
    BOOST_TEST(value_of("job:is_set('mail_type')") == "false");
    BOOST_TEST(value_of("job.mail_type", with_mail(1)) == "BEGIN");
    BOOST_TEST(value_of("job.mail_type", with_mail(2 + 4)) == "END,FAIL");
    BOOST_TEST(value_of("job:is_set('mail_type')", with_mail(4)) == "true");
    BOOST_TEST(
        value_of("job.mail_type", with_mail(0x7ff)) ==
        "ARRAY_TASKS,INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT,TIME_LIMIT_50,TIME_LIMIT_80,TIME_LIMIT_"
        "90,TIME_LIMIT");
    BOOST_TEST(value_of("job.mail_type", with_mail(0x801)) == "BEGIN"); // a bit of a later release
}

BOOST_AUTO_TEST_CASE(mail_types_are_written_as_sbatch_takes_them) {
    BOOST_TEST(written("'END'") == "END");
    BOOST_TEST(written("'fail, begin'") == "BEGIN,FAIL");
    BOOST_TEST(written("'ALL'") == "INVALID_DEPEND,BEGIN,END,FAIL,REQUEUE,STAGE_OUT");
    BOOST_TEST(written("'NONE'") == "nil");
    BOOST_TEST(written("nil") == "nil");
    BOOST_TEST(written("''") == "nil");
    BOOST_TEST(has_text(written("'END,FIAL'"), "write names as --mail-type takes them"));
    BOOST_TEST(has_text(written("5"), "job.mail_type cannot be 5"));
}

BOOST_AUTO_TEST_CASE(a_change_of_mail_types_is_told) {
    Job job = with_mail(1);
    const auto outcome = job.run(*one_rule("job.mail_type = 'END'"));
    BOOST_TEST(outcome.events.at(0).text == "mail_type: BEGIN -> END");
}

BOOST_AUTO_TEST_CASE(variables_that_the_site_names_are_written) {
    Job job = batch_job();
    const auto outcome =
        job.run(*writing("job.env.SITE_PROJECT = 'x y' job.env.OMP_OLD = '2' job.env.OMP_NEW = '' "
                         "job:note('%s%s%s', job.env.SITE_PROJECT, job.env.OMP_OLD, job.env.OMP_NEW)"));

    BOOST_TEST(outcome.warnings.at(0) == "x y2");
    const auto written = job.request.details.written_variables();
    BOOST_TEST_REQUIRE(written.size() == 3u);
    BOOST_TEST(written[0].first == "SITE_PROJECT");
    BOOST_TEST(written[0].second == "x y");
    BOOST_TEST(outcome.events.at(1).text == "env.SITE_PROJECT: (unset) -> x y");
    BOOST_TEST(outcome.events.at(2).text == "env.OMP_OLD: 1 -> 2");
}

BOOST_AUTO_TEST_CASE(other_variables_are_not) {
    BOOST_TEST(refusal("job.env.OMP_X = '1'") == "");
    BOOST_TEST(has_text(refusal("job.env.SITE_PROJECTS = '1'"), "site.lua does not name it"));
    BOOST_TEST(has_text(refusal("job.env.OM = '1'"), "site.lua does not name it"));
    for (const char* name :
         {"LD_PRELOAD", "LD_X", "PATH", "SLURM_JOB_ID", "SBATCH_QOS", "OMP_PATH", "PYTHONHOME", "HOME"})
        BOOST_TEST(has_text(refusal(std::string("job.env.") + name + " = '1'"), "never write this variable"),
                   name);
    for (const char* name : {"OMP_A=B", "", "OMP_A B", "1OMP"})
        BOOST_TEST(
            has_text(refusal(std::string("job.env['") + name + "'] = '1'"), "is no name of a variable"),
            name);
    BOOST_TEST(has_text(refusal("job.env.OMP_X = 1"), "the name and the value are texts"));
    BOOST_TEST(has_text(refusal("job.env.OMP_X = nil"), "the name and the value are texts"));
    BOOST_TEST(has_text(refusal("job.env[1] = 'x'"), "the name and the value are texts"));
    BOOST_TEST(has_text(refusal("job.env.OMP_X = 'a\\0b'"), "without NUL"));
    BOOST_TEST(refusal("job.env.OMP_X = string.rep('x', 4096)") == "");
    BOOST_TEST(has_text(refusal("job.env.OMP_X = string.rep('x', 4097)"), "at most 4096 bytes"));
}

BOOST_AUTO_TEST_CASE(there_is_a_bound_on_written_variables) {
    BOOST_TEST(refusal("for i = 1, 64 do job.env['OMP_' .. i] = 'x' end job.env.OMP_1 = 'y'") == "");
    BOOST_TEST(has_text(refusal("for i = 1, 65 do job.env['OMP_' .. i] = 'x' end"), "at most 64 variables"));
}

BOOST_AUTO_TEST_CASE(only_requests_with_an_environment_have_one) {
    Job interactive;
    const auto outcome = interactive.run(*writing("job.env.OMP_X = '1'"));
    BOOST_TEST(has_text(outcome.events.at(0).text, "only sbatch sends one"));
}

BOOST_AUTO_TEST_CASE(nothing_is_written_at_a_change_or_in_mode_warn) {
    const auto policy = writing("job.env.OMP_X = '1'");
    BOOST_TEST(!batch_job().change_from(batch_job(), *policy).changed.has_value());
    Job job = batch_job();
    const auto warned = job.run(*policy_of({{"site.lua", "site { writable_env = { 'OMP_X' } }"},
                                            {"t.lua", rule_with("job.env.OMP_X = '1'", "mode = 'warn',")}}));
    BOOST_TEST(!warned.changed.has_value());
    BOOST_TEST(has_text(warned.events.at(0).text, "env.OMP_X"), warned.events.at(0).text);
}

BOOST_AUTO_TEST_CASE(the_setting_is_checked_when_it_is_loaded) {
    BOOST_TEST(setting_error("{}") == "");
    BOOST_TEST(setting_error("{ 'A', 'B_*' }") == "");
    BOOST_TEST(has_text(setting_error("'A'"), "setting 'writable_env' cannot be \"A\": write a list"));
    BOOST_TEST(has_text(setting_error("{ '*' }"), "is no name of a variable"));
    BOOST_TEST(has_text(setting_error("{ 'A*B' }"), "is no name of a variable"));
    for (const char* name : {"LD_*", "LD_PRELOAD", "SLURM_*", "PATH", "MY_PATH", "PYTHON*"})
        BOOST_TEST(has_text(setting_error(std::string("{ '") + name + "' }"), "rules never write"), name);
    BOOST_TEST(has_text(setting_error("{ 5 }"), "cannot be 5: write a list of at most 64 names"));
    BOOST_TEST(has_text(setting_error("{ 'A,B' }"), "is no name of a variable"));
    BOOST_TEST(has_text(setting_error("5"), "setting 'writable_env' cannot be 5"));
}

BOOST_AUTO_TEST_SUITE_END()
