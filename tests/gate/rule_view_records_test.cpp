// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules read as `view`: partitions, QOSs, associations, reservations.
#include "support/texts.hpp"
#include "support/view_setup.hpp"

#include "qosgate/policy/objects/view_table.hpp"

#include <limits>

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::TresLimit;
using test::has;

namespace {

/// Ana has 2 of 3 GPUs of the QOS moonlight, and 5 jobs in it.
struct RecordsSetup : test::ViewSetup {
    RecordsSetup() {
        request.submit_uid = 1000;
        request.qos = "moonlight";
        times = {.now = 1784538245, .cluster_read_at = 1784538240};
        qos(1).limits.set(TresLimit::max_tres_per_user, gpu, 3);
        qos(1).limits.set(TresLimit::grp_tres, tres("cpu"), 100);
        qos(1).limits.set(CountLimit::max_wall, 480);
        qos(1).priority = 40;
        of_ana().tres = counts(gpu, 2);
        of_ana().jobs = 4;
        of_ana().submit_jobs = 5;
        qos(1).usage.tres = counts(tres("cpu"), 90);
    }

    const std::size_t gpu = tres("gres/gpu");
    model::Usage& of_ana() { return records.qos.at(1).users[1000]; }
    model::TresCounts counts(std::size_t index, std::uint64_t count) const {
        model::TresCounts all(records.tres->size());
        all.at(index) = count;
        return all;
    }
    void ask_gpus(std::uint64_t count) { request.tres_per_job = "gres:gpu:" + std::to_string(count); }

    /// "true", or "false" and the reason.
    std::string fits(const std::string& name = "moonlight") const {
        return shown(run("local ok, why = view.qos('" + name +
                         "'):fits(job); job:note('%s%s', ok, why and ' ' .. why or '')"));
    }
    std::string qos_value(const std::string& member) const {
        return value_of("view.qos('moonlight')" + member);
    }
};

/// Looks a job up, and cannot be asked for records after that.
class OneLook final : public quota::QuotaProvider {
  public:
    explicit OneLook(const quota::LocalRecords& records) : all_(records) {}
    Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        return all_.check(lookup);
    }

  private:
    quota::LocalQuota all_;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(rule_view_records, RecordsSetup)

BOOST_AUTO_TEST_CASE(a_partition_tells_its_bounds) {
    partitions[1].max_time = TimeLimit{600};
    partitions[1].default_time = TimeLimit{60};
    partitions[1].max_nodes = 4;
    partitions[1].qos = "moonlight";
    partitions[1].allow_qos = {"moonlight", "normal"};
    partitions[1].is_hidden = true;
    partitions[1].allow_groups = {"lab-bio", "staff"};
    partitions[1].cpus_per_gpu = 4;
    partitions[1].memory_per_gpu_mib = 2048;
    partitions[1].priority_job_factor = 7;
    const auto viz = [this](const std::string& member) {
        return value_of("view.partition('viz')." + member);
    };
    BOOST_TEST(viz("name") == "viz");
    BOOST_TEST(viz("Default") == "false");
    BOOST_TEST(viz("MaxTime") == "600");
    BOOST_TEST(viz("DefaultTime") == "60");
    BOOST_TEST(viz("MinNodes") == "0");
    BOOST_TEST(viz("MaxNodes") == "4");
    BOOST_TEST(viz("QoS") == "moonlight");
    BOOST_TEST(viz("AllowQos[2]") == "normal");
    BOOST_TEST(viz("DenyQos") == "nil");
    BOOST_TEST(viz("AllowAccounts") == "nil");
    BOOST_TEST(viz("DefMemPerCPU") == "1000");
    BOOST_TEST(viz("DefMemPerNode") == "nil");
    BOOST_TEST(viz("TotalNodes") == "4");
    BOOST_TEST(viz("Hidden") == "true");
    BOOST_TEST(viz("AllowGroups[2]") == "staff");
    BOOST_TEST(viz("DefCpuPerGPU") == "4");
    BOOST_TEST(viz("DefMemPerGPU") == "2048");
    BOOST_TEST(viz("PriorityJobFactor") == "7");
}

BOOST_AUTO_TEST_CASE(what_is_unlimited_is_huge) {
    BOOST_TEST(value_of("view.partition('main').MaxTime == math.huge") == "true");
    BOOST_TEST(value_of("view.partition('main').MaxNodes == math.huge") == "true");
    BOOST_TEST(value_of("view.partition('main').DefaultTime") == "nil");
    BOOST_TEST(value_of("view.partition('main').QoS") == "nil");
}

BOOST_AUTO_TEST_CASE(a_partition_has_one_of_four_states) {
    const auto state = [this](bool takes, bool starts) {
        partitions[0].takes_jobs = takes;
        partitions[0].starts_jobs = starts;
        return value_of("view.partition('main').State");
    };
    BOOST_TEST(state(true, true) == "UP");
    BOOST_TEST(state(true, false) == "DOWN");
    BOOST_TEST(state(false, true) == "DRAIN");
    BOOST_TEST(state(false, false) == "INACTIVE");
}

BOOST_AUTO_TEST_CASE(only_what_may_be_nil_is_nil) {
    using policy::ViewKind;
    partitions[1].default_memory.reset();
    records.qos[1].qos.limits = model::Limits(records.tres->size());
    for (const auto& [kind, object, has_all] : {std::tuple(ViewKind::now, "view.now", true),
                                                {ViewKind::cluster, "view.cluster", false},
                                                {ViewKind::user, "view.user", false},
                                                {ViewKind::partition, "view.partition('viz')", true},
                                                {ViewKind::qos, "view.qos('moonlight')", true},
                                                {ViewKind::usage, "view.qos('moonlight').usage", true},
                                                {ViewKind::flags, "view.qos('moonlight').Flags", true},
                                                {ViewKind::association, "view.association()", false}})
        for (const policy::ViewField& field : policy::view_fields(kind)) {
            const std::string name = std::string(object) + "." + std::string(field.name);
            if (name == "view.user.groups" || name == "view.cluster.name")
                continue; // not known in these tests
            const std::string value = value_of(name);
            BOOST_TEST(!value.starts_with("error"), name << ": " << value);
            if (value == "nil" || has_all)
                BOOST_TEST((value == "nil") == policy::may_be_nil(field), name << ": " << value);
        }
}

BOOST_AUTO_TEST_CASE(an_unknown_partition_is_nil_unless_it_may_be_new) {
    BOOST_TEST(value_of("view.partition('vix')") == "nil");
    BOOST_TEST(value_of("view.partition('')") == "nil");
    may_have_changed = true;
    BOOST_TEST(has(value_of("view.partition('vix')"), "error: slurmctld has just changed its partitions"));
    BOOST_TEST(value_of("view.partition('viz').name") == "viz");
    is_cluster_known = false;
    BOOST_TEST(has(value_of("view.partition('viz')"), "error: the cluster is not known yet"));
}

BOOST_AUTO_TEST_CASE(a_qos_tells_its_limits_under_sacctmgrs_names) {
    BOOST_TEST(qos_value(".name") == "moonlight");
    BOOST_TEST(value_of("view.qos('MoonLight').name") == "moonlight");
    BOOST_TEST(qos_value(".Priority") == "40");
    BOOST_TEST(qos_value(".MaxWall") == "480");
    BOOST_TEST(qos_value(".GrpJobs") == "nil");
    BOOST_TEST(qos_value(".MaxTRESPerUser.gpu") == "3");
    BOOST_TEST(qos_value(".MaxTRESPerUser['gres/gpu']") == "3");
    BOOST_TEST(qos_value(".MaxTRESPerUser.cpu") == "nil");
    BOOST_TEST(qos_value(".MaxTRESPerJob.gpu") == "nil");
    qos(1).limits.set(TresLimit::max_tres_per_user, gpu, 0);
    BOOST_TEST(qos_value(".MaxTRESPerUser.gpu") == "0"); // which is not "unset"
}

BOOST_AUTO_TEST_CASE(flags_are_true_or_false) {
    BOOST_TEST(qos_value(".Flags.DenyOnLimit") == "false");
    qos(1).flags.deny_on_limit = true;
    BOOST_TEST(qos_value(".Flags.DenyOnLimit") == "true");
    BOOST_TEST(qos_value(".Flags.NoDecay") == "false");
    BOOST_TEST(has(qos_value(".Flags.DenyOnLimits"), "did you mean DenyOnLimit?"));
}

BOOST_AUTO_TEST_CASE(usage_is_of_all_of_the_user_and_of_the_account) {
    records.qos[1].accounts["hpc-users"].jobs = 6;
    qos(1).usage.jobs = 17;
    BOOST_TEST(qos_value(".usage.jobs") == "17");
    BOOST_TEST(qos_value(".usage.tres.cpu") == "90");
    BOOST_TEST(qos_value(".user_usage.jobs") == "4");
    BOOST_TEST(qos_value(".user_usage.submit_jobs") == "5");
    BOOST_TEST(qos_value(".user_usage.tres.gpu") == "2");
    BOOST_TEST(qos_value(".user_usage.tres.cpu") == "0");
    BOOST_TEST(qos_value(".account_usage.jobs") == "6");
}

BOOST_AUTO_TEST_CASE(pairs_gives_the_tres_that_are_set) {
    const auto all = run("local s = ''; for name, count in pairs(view.qos('moonlight').MaxTRESPerUser) do "
                         "s = s .. name .. '=' .. count .. ' ' end; job:note('%s', s)");
    BOOST_TEST(shown(all) == "gres/gpu=3");
}

BOOST_AUTO_TEST_CASE(headroom_is_the_least_that_limits_leave) {
    BOOST_TEST(qos_value(":headroom().tres.gpu") == "1");
    BOOST_TEST(qos_value(":headroom().tres.cpu") == "10");
    BOOST_TEST(qos_value(":headroom().tres.mem") == "nil");
    BOOST_TEST(qos_value(":headroom().jobs") == "nil");
    qos(1).limits.set(TresLimit::grp_tres, gpu, 20);
    BOOST_TEST(qos_value(":headroom().tres.gpu") == "1");
    qos(1).usage.tres.at(gpu) = 20;
    BOOST_TEST(qos_value(":headroom().tres.gpu") == "0");
    qos(1).usage.tres.at(gpu) = 21; // the limit was lowered meanwhile
    BOOST_TEST(qos_value(":headroom().tres.gpu") == "0");
}

BOOST_AUTO_TEST_CASE(headroom_counts_jobs_minutes_and_wall_time) {
    qos(1).limits.set(CountLimit::max_jobs_per_user, 4);
    qos(1).limits.set(CountLimit::max_submit_jobs_per_user, 10);
    qos(1).limits.set(CountLimit::grp_submit_jobs, 9);
    qos(1).limits.set(CountLimit::grp_wall, 1000);
    qos(1).limits.set(TresLimit::grp_tres_mins, gpu, 600);
    qos(1).limits.set(TresLimit::grp_tres_run_mins, gpu, 500);
    qos(1).usage.submit_jobs = 7;
    qos(1).usage.wall_minutes = 400;
    qos(1).usage.tres_minutes = counts(gpu, 100);
    BOOST_TEST(qos_value(":headroom().jobs") == "0");
    BOOST_TEST(qos_value(":headroom().submit_jobs") == "2");
    BOOST_TEST(qos_value(":headroom().wall_minutes") == "600");
    BOOST_TEST(qos_value(":headroom().tres_minutes.gpu") == "500");
    BOOST_TEST(qos_value(":headroom().tres_run_minutes.gpu") == "500");
}

BOOST_AUTO_TEST_CASE(minutes_of_running_jobs_are_taken_where_limits_are_safe) {
    qos(1).limits.set(TresLimit::grp_tres_mins, gpu, 600);
    qos(1).usage.tres_minutes = counts(gpu, 100);
    qos(1).usage.tres_run_minutes = counts(gpu, 450);
    BOOST_TEST(qos_value(":headroom().tres_minutes.gpu") == "500");
    records.enforce.safe = true;
    BOOST_TEST(qos_value(":headroom().tres_minutes.gpu") == "50");
    ask_gpus(1); // fits() agrees
    request.time_limit = TimeLimit{50};
    BOOST_TEST(fits() == "true");
    request.time_limit = TimeLimit{51};
    BOOST_TEST(has(fits(), "false "));
    qos(1).usage.tres_run_minutes = counts(gpu, 501);
    BOOST_TEST(qos_value(":headroom().tres_minutes.gpu") == "0");
    qos(1).usage.tres_run_minutes = counts(gpu, std::numeric_limits<std::uint64_t>::max());
    BOOST_TEST(qos_value(":headroom().tres_minutes.gpu") == "0");
}

BOOST_AUTO_TEST_CASE(limits_of_one_job_leave_no_headroom_to_count) {
    qos(1).limits.set(TresLimit::max_tres_per_job, tres("mem"), 1000);
    qos(1).limits.set(TresLimit::max_tres_per_node, tres("mem"), 1000);
    BOOST_TEST(qos_value(":headroom().tres.mem") == "nil");
    BOOST_TEST(qos_value(":headroom().wall_minutes") == "nil"); // MaxWall
}

BOOST_AUTO_TEST_CASE(a_job_fits_up_to_the_limit) {
    ask_gpus(1);
    BOOST_TEST(fits() == "true");
    ask_gpus(2);
    BOOST_TEST(has(fits(), "false this job will wait: GPUs per user in QOS moonlight: limit 3, in use 2"));
    request.qos = "normal";
    BOOST_TEST(fits("normal") == "true");
    BOOST_TEST(has(fits(), "false this job will wait: GPUs per user in QOS moonlight"));
}

BOOST_AUTO_TEST_CASE(a_job_fits_as_the_rules_have_left_it) {
    const std::string ask = "; local ok = view.qos('moonlight'):fits(job); job:note('%s', ok)";
    request.time_limit = TimeLimit{481};
    BOOST_TEST(shown(run("local _ = job" + ask)) == "false");
    BOOST_TEST(shown(run("job.time_limit = 480" + ask)) == "true");
}

BOOST_AUTO_TEST_CASE(a_job_does_not_fit_a_qos_that_it_may_not_use) {
    BOOST_TEST(has(fits("secret"), "false"));
    BOOST_TEST(has(fits("secret"), "false QOS secret exists, but ana cannot use it"));
}

BOOST_AUTO_TEST_CASE(fits_agrees_with_the_gate) {
    for (const std::uint64_t gpus : {1u, 2u, 3u, 4u})
        for (const bool denies : {false, true}) {
            ask_gpus(gpus);
            qos(1).flags.deny_on_limit = denies;
            const model::Forecast gate = forecast();
            const bool starts = gate.code == model::RejectCode::none && gate.pending_reason.empty();
            BOOST_TEST((fits() == "true") == starts, gpus << " GPUs");
        }
}

BOOST_AUTO_TEST_CASE(fits_needs_the_partitions) {
    may_have_changed = true;
    BOOST_TEST(has(fits(), "error: slurmctld has just changed its partitions"));
    is_cluster_known = false;
    BOOST_TEST(has(fits(), "error: the cluster is not known yet"));
}

BOOST_AUTO_TEST_CASE(methods_are_called_with_a_colon_and_the_job) {
    BOOST_TEST(has(qos_value(".headroom()"), "write qos:headroom(), with a colon"));
    BOOST_TEST(has(qos_value(":fits()"), "write qos:fits(job), with a colon"));
    BOOST_TEST(has(qos_value(":fits({})"), "write qos:fits(job): it takes the rule's job"));
    BOOST_TEST(has(value_of("view:qos('normal')"), "write view.qos(name), with a dot"));
    BOOST_TEST(has(value_of("view.qos()"), "write view.qos(name): it takes one text"));
    BOOST_TEST(has(value_of("view.qos_allowed('x')"), "write view.qos_allowed(): it takes no arguments"));
}

BOOST_AUTO_TEST_CASE(an_unknown_qos_is_nil) {
    BOOST_TEST(value_of("view.qos('moon')") == "nil");
    BOOST_TEST(value_of("view.qos('')") == "nil");
    BOOST_TEST(value_of("view.qos(('x'):rep(2000))") == "nil");
}

BOOST_AUTO_TEST_CASE(misspelt_names_are_errors_with_a_hint) {
    BOOST_TEST(has(qos_value(".MaxWal"), "unknown field 'MaxWal' of view.qos; did you mean MaxWall?"));
    BOOST_TEST(has(qos_value(".MaxTRESPerUser.gpus"), "this cluster tracks no TRES 'gpus'"));
    BOOST_TEST(has(qos_value(".usage.job"), "unknown field 'job' of view.usage; did you mean jobs?"));
    BOOST_TEST(has(value_of("view.partition('viz').MaxTme"), "did you mean MaxTime?"));
}

BOOST_AUTO_TEST_CASE(allowed_qos_are_those_of_the_association) {
    BOOST_TEST(value_of("table.concat(view.qos_allowed(), ' ')") == "moonlight normal");
    records.associations[0].permitted_qos = std::vector<std::string>{};
    BOOST_TEST(value_of("#view.qos_allowed()") == "0");
}

BOOST_AUTO_TEST_CASE(accounts_are_those_in_which_the_owner_has_an_association) {
    BOOST_TEST(value_of("table.concat(view.accounts(), ' ')") == "hpc-users");
    quota::LocalAssociation second = records.associations[0];
    second.link.account = "astro";
    quota::LocalAssociation of_a_partition = second;
    of_a_partition.link.partition = "viz";
    records.associations.push_back(second);
    records.associations.push_back(of_a_partition);
    BOOST_TEST(value_of("table.concat(view.accounts(), ' ')") == "astro hpc-users");
    request.user_id = request.submit_uid = 4711;
    BOOST_TEST(value_of("#view.accounts()") == "0");
    BOOST_TEST(has(value_of("view.accounts('x')"), "write view.accounts(): it takes no arguments"));
}

BOOST_AUTO_TEST_CASE(an_association_tells_limits_usage_and_parent) {
    auto& link = records.associations[0].link;
    link.limits = model::Limits(records.tres->size());
    link.limits.set(CountLimit::max_jobs, 8);
    link.usage.jobs = 3;
    records.associations[1].link.limits = model::Limits(records.tres->size());
    records.associations[1].link.limits.set(TresLimit::grp_tres, gpu, 64);
    BOOST_TEST(value_of("view.association().account") == "hpc-users");
    BOOST_TEST(value_of("view.association().user") == "ana");
    BOOST_TEST(value_of("view.association().MaxJobs") == "8");
    BOOST_TEST(value_of("view.association().GrpJobs") == "nil");
    BOOST_TEST(value_of("view.association().usage.jobs") == "3");
    BOOST_TEST(value_of("view.association().parent.account") == "root");
    BOOST_TEST(value_of("view.association().parent.user") == "nil");
    BOOST_TEST(value_of("view.association().parent.GrpTRES.gpu") == "64");
    BOOST_TEST(value_of("view.association().parent.parent") == "nil");
    BOOST_TEST(has(value_of("view.association().MaxJobsPerUser"), "unknown field 'MaxJobsPerUser'"));
}

BOOST_AUTO_TEST_CASE(a_user_without_association_has_none) {
    request.user_id = request.submit_uid = 4711;
    BOOST_TEST(value_of("view.association()") == "nil");
}

BOOST_AUTO_TEST_CASE(a_reservation_tells_who_may_use_it) {
    names.emplace().reservations = {{.name = "maint", .users = {"root"}},
                                    {.name = "course", .accounts = {"bio"}}};
    BOOST_TEST(value_of("view.reservation('maint').Users[1]") == "root");
    BOOST_TEST(value_of("view.reservation('maint').Accounts") == "nil");
    BOOST_TEST(value_of("view.reservation('course').Accounts[1]") == "bio");
    BOOST_TEST(value_of("view.reservation('Maint')") == "nil");
    BOOST_TEST(value_of("view.reservation('maint').PartitionName") == "nil");
    names->reservations[0].partition = "viz";
    names->reservations[0].start_time = 1'700'000'000;
    names->reservations[0].end_time = 1'700'003'600;
    BOOST_TEST(value_of("view.reservation('maint').PartitionName") == "viz");
    BOOST_TEST(value_of("view.reservation('maint').StartTime") == "1700000000");
    BOOST_TEST(value_of("view.reservation('maint').EndTime - view.reservation('maint').StartTime") == "3600");
    may_have_new_reservations = true;
    BOOST_TEST(
        has(value_of("view.reservation('new')"), "error: slurmctld has just changed its reservations"));
}

BOOST_AUTO_TEST_CASE(look_ups_are_bounded) {
    const auto endless = run("for i = 1, 10000 do local _ = view.qos('normal') end");
    BOOST_TEST(has(test::first_line(endless.message), "more than 100000 instructions for one job"));
    const auto many = run("for i = 1, 129 do local _ = view.qos('q' .. i) end");
    BOOST_TEST(has(test::first_line(many.message), "the rules of one job read at most 128 QOSs"));
    BOOST_TEST(run("for i = 1, 128 do local _ = view.qos('q' .. i) end").message.empty());
    const auto judged = run("for i = 1, 100 do local _ = view.qos('normal'):fits(job) end");
    BOOST_TEST(has(test::first_line(judged.message), "more than 100000 instructions for one job"));
}

BOOST_AUTO_TEST_CASE(all_rules_of_a_job_read_the_same) {
    const auto policy = test::load_rules(
        {{"a.lua", "rule { submit = function(job, view) job:note('%d', view.qos('normal').Priority) end }"},
         {"b.lua", "rule { submit = function(job, view) job:note('%d', view.qos('normal').Priority) end }"}});
    BOOST_TEST(decide(policy.get()).message.size() == 2u);
}

BOOST_AUTO_TEST_CASE(the_next_job_reads_its_own_qos_as_it_is_then) {
    const auto policy = test::load_rules(
        {{"a.lua", "rule { submit = function(job, view) local qos = view.qos('Moonlight') "
                   "job:note('%d, %d GPUs left', qos.Priority, qos:headroom().tres['gres/gpu']) end }"}});
    const auto told = [&] { return shown(decide(policy.get())); };
    BOOST_TEST(!policy->reads_own_qos());
    BOOST_TEST(has(told(), "40, 1 GPUs left"));
    BOOST_TEST(policy->reads_own_qos()); // from now on it is copied when the job is looked up
    qos(1).priority = 50;
    of_ana().tres = counts(gpu, 0);
    BOOST_TEST(has(told(), "50, 3 GPUs left"));
    request.qos = "normal"; // another one is copied, which the rule does not ask for
    BOOST_TEST(has(told(), "50, 3 GPUs left"));
    BOOST_TEST(!policy->reads_own_qos());
    request.qos = "moonlight";
    qos(1).priority = 60;
    BOOST_TEST(has(told(), "60, 3 GPUs left"));
}

BOOST_AUTO_TEST_CASE(the_next_job_needs_no_second_look_for_its_own_qos) {
    const auto policy = test::load_rule(
        "rule { submit = function(job, view) job:note('%d', view.qos(job.qos).Priority) end }");
    qos(0).priority = 7;
    const OneLook one_look(records); // has a copy
    BOOST_TEST(has(shown(decide_with(one_look, policy.get())), "cannot be read one by one"));
    BOOST_TEST(has(shown(decide_with(one_look, policy.get())), "40"));
    request.qos = "normal";
    BOOST_TEST(shown(decide_with(one_look, policy.get())) == "7");
}

BOOST_AUTO_TEST_CASE(names_of_records_are_checked_when_the_rules_are_loaded) {
    const auto error = [](const std::string& body) {
        const std::string rule = "rule { submit = function(job, view) " + body + " end }";
        const auto policy =
            policy::compile_policy(policy::SourceDirectory{.exists = true, .files = {{"rule.lua", rule}}});
        return policy ? std::string() : policy.error().message;
    };
    BOOST_TEST(has(error("return view.qos('x').MaxWal"), "'MaxWal' of view.qos; did you mean MaxWall?"));
    BOOST_TEST(has(error("return view.qos(job.qos or 'x').MaxWal"), "'MaxWal' of view.qos"));
    BOOST_TEST(has(error("return view.qos 'x'.usage.job"), "'job' of view.usage"));
    BOOST_TEST(has(error("return view.qoss('x')"), "'qoss' of view; did you mean qos?"));
    BOOST_TEST(has(error("return view:qos('x')"), "write view.qos(name), with a dot"));
    BOOST_TEST(has(error("return view.qos('x').headroom()"), "write qos:headroom(), with a colon"));
    BOOST_TEST(has(error("local q = view.qos('x'); if q.MaxWal then return end"), "'MaxWal' of view.qos"));
    BOOST_TEST(has(error("local left = view.qos('x'):headroom() return left.gpu"), "'gpu' of view.headroom"));
    BOOST_TEST(error("local q = view.qos('x') or { MaxWal = 1 }; return q.MaxWal") == "");
    BOOST_TEST(error("local q = view.qos('x'); q = { a = 1 }; return q.a") == "");
    BOOST_TEST(error("local w = view.qos('x').MaxWall; return w.x") == "");
    BOOST_TEST(error("return view.qos('x').MaxTRESPerUser.anything") == "");
    BOOST_TEST(error("local f = view.qos; return f('x')") == "");
    BOOST_TEST(error("return view.qos('x'):headroom().tres.gpu") == "");
}

BOOST_AUTO_TEST_SUITE_END()
