// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/script/records_host.hpp"

#include "fake_host.hpp"
#include "host/host_texts.hpp"
#include "qosgate/policy/compat/partition_use.hpp"
#include "qosgate/policy/compat/record_fields.hpp"
#include "qosgate/policy/compat/script_findings.hpp"
#include "qosgate/policy/compat/slurm_constants.hpp"
#include "qosgate/slurm/script_fields.hpp"
#include "qosgate/slurm/script_jobs.hpp"
#include "qosgate/slurm/script_records.hpp"

#include <slurm/slurm_errno.h>

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <ostream>
#include <set>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

using namespace qg;
using model::ScriptValue;
using policy::ErrorText;
using policy::compat::FieldType;
using script::ScriptedJob;

// Declared in no public header.
extern "C" {
void* slurm_xrecalloc(void** block, std::size_t count, std::size_t size, bool clear, bool may_fail,
                      const char* file, int line, const char* function);
}

// In the namespace of ScriptValue: Boost.Test finds the operator by its argument.
namespace qg::model {
static std::ostream& operator<<(std::ostream& out, const ScriptValue& value) {
    if (value.kind == ScriptValue::Kind::nothing) return out << "nothing";
    if (value.kind == ScriptValue::Kind::text) return out << '"' << value.text << '"';
    return out << value.number;
}
} // namespace qg::model

BOOST_AUTO_TEST_SUITE(script_job)

namespace {

class NoOwner final : public script::ScriptOwner {
  public:
    ScriptValue read(std::string_view field, const job_desc_msg_t& /*job*/,
                     ErrorText& /*error*/) noexcept override {
        return field == "user_name" ? ScriptValue::of_text("ana") : ScriptValue{};
    }
};

/// One job was read, 7.
class OneListedJob final : public script::ListedJobs {
  public:
    ScriptValue read(std::uint32_t job_id, std::string_view field, ErrorText& error) noexcept override {
        if (job_id != 7) error.assign("not known yet");
        return job_id == 7 && field == "job_state" ? ScriptValue::of_number(1) : ScriptValue{};
    }
};

/// A description whose texts are the host's.
struct ScriptJobSetup {
    job_desc_msg_t description{};
    NoOwner owner;
    ScriptedJob job{description, owner, plugin::host_texts};

    ScriptJobSetup() = default;
    ScriptJobSetup(const ScriptJobSetup&) = delete;
    ScriptJobSetup& operator=(const ScriptJobSetup&) = delete;
    ~ScriptJobSetup() {
        for (const slurm::ScriptField& field : slurm::script_fields)
            if (const auto* text = std::get_if<char * job_desc_msg_t::*>(&field.member))
                plugin::assign_text(description.**text, std::nullopt);
    }

    ScriptValue read(std::string_view field) {
        ErrorText error;
        const ScriptValue value = job.read(field, error);
        BOOST_TEST(error.c_str() == "");
        return value;
    }
    [[nodiscard]] bool takes(std::string_view field, FieldType type) const {
        return job.type_of(field) == type;
    }
    void write(std::string_view field, const ScriptValue& value) {
        ErrorText error;
        job.write(field, value, error);
        BOOST_TEST(error.c_str() == "");
    }
};

double constant(std::string_view name) {
    for (const auto rows : {policy::compat::constants(), policy::compat::error_codes()})
        for (const auto& row : rows)
            if (row.name == name) return row.number;
    return -12345;
}

} // namespace

BOOST_AUTO_TEST_CASE(constants_are_those_of_slurms_headers) {
#define QG_SAME(name) BOOST_TEST(constant(#name) == static_cast<double>(name))
    QG_SAME(NO_VAL);
    QG_SAME(NO_VAL8);
    QG_SAME(NO_VAL16);
    QG_SAME(NO_VAL64);
    QG_SAME(INFINITE);
    QG_SAME(INFINITE64);
    QG_SAME(MEM_PER_CPU);
    QG_SAME(NICE_OFFSET);
    QG_SAME(SHARED_FORCE);
    QG_SAME(JOB_SHARED_MCS);
    QG_SAME(MAIL_JOB_STAGE_OUT);
    QG_SAME(MAIL_INVALID_DEPEND);
    QG_SAME(GRES_ENFORCE_BIND);
    QG_SAME(GRES_DISABLE_BIND);
    QG_SAME(SPREAD_JOB);
    QG_SAME(USE_MIN_NODES);
    QG_SAME(NO_KILL_INV_DEP);
    QG_SAME(ESLURM_INVALID_PARTITION_NAME);
    QG_SAME(ESLURM_ACCESS_DENIED);
    QG_SAME(ESLURM_ACCOUNTING_POLICY);
    QG_SAME(ESLURM_INVALID_QOS);
    QG_SAME(ESLURM_INVALID_GRES);
    QG_SAME(ESLURM_INVALID_LICENSES);
    QG_SAME(ESLURM_MISSING_TIME_LIMIT);
    QG_SAME(ESLURM_REQUESTED_PART_CONFIG_UNAVAILABLE);
#undef QG_SAME
}

BOOST_AUTO_TEST_CASE(every_field_is_known_to_the_check_of_scripts) {
    const auto names = model::job_desc_fields;
    for (const slurm::ScriptField& field : slurm::script_fields)
        BOOST_TEST(std::ranges::count(names, field.name) == 1, field.name);
    for (const std::string_view name : {"gres", "min_mem_per_cpu", "default_qos", "environment", "argv"})
        BOOST_TEST(std::ranges::count(names, name) == 1, name);
    for (const std::string_view name : {"nodes", "num_gpus", "job_id", "min_mem_per_gpu"})
        BOOST_TEST(std::ranges::count(names, name) == 0, name);
}

BOOST_AUTO_TEST_CASE(every_field_of_a_partition_is_known_to_the_check_of_scripts) {
    const auto names = policy::compat::partition_field_names();
    const auto read = slurm::read_script_partitions({}).names;

    BOOST_TEST(std::vector<std::string_view>(names.begin(), names.end()) ==
                   std::vector<std::string_view>(read.begin(), read.end()),
               boost::test_tools::per_element());
    BOOST_TEST(std::ranges::is_sorted(names));
}

BOOST_AUTO_TEST_CASE(an_unset_text_is_nothing_and_an_unset_number_is_slurms_own) {
    ScriptJobSetup setup;
    setup.description.min_nodes = NO_VAL;

    BOOST_TEST(setup.read("partition") == ScriptValue{});
    BOOST_TEST(setup.read("min_nodes") == ScriptValue::of_number(NO_VAL));
    BOOST_TEST(setup.read("nodes") == ScriptValue{}); // there is no such field
    BOOST_TEST(setup.read("user_name") == ScriptValue::of_text("ana"));
}

BOOST_AUTO_TEST_CASE(writes_texts_with_the_hosts_allocator_and_clears_them) {
    ScriptJobSetup setup;

    setup.write("qos", ScriptValue::of_text("high"));
    BOOST_TEST(setup.description.qos == std::string("high"));
    setup.write("qos", ScriptValue::of_text(""));
    BOOST_TEST(setup.description.qos == nullptr);
}

BOOST_AUTO_TEST_CASE(numbers_are_cut_to_the_field) {
    ScriptJobSetup setup;

    setup.write("max_nodes", ScriptValue::of_number(1.7));
    BOOST_TEST(setup.description.max_nodes == 1u);
    setup.write("min_nodes", ScriptValue::of_number(-1));
    BOOST_TEST(setup.description.min_nodes == INFINITE);
    setup.write("shared", ScriptValue::of_number(NO_VAL16));
    BOOST_TEST(setup.description.shared == NO_VAL16);
    setup.write("shared", ScriptValue::of_number(65537));
    BOOST_TEST(setup.description.shared == 1u);
}

BOOST_AUTO_TEST_CASE(memory_has_two_names) {
    ScriptJobSetup setup;
    setup.description.pn_min_memory = NO_VAL64;
    BOOST_TEST(setup.read("min_mem_per_cpu") == ScriptValue{});
    BOOST_TEST(setup.read("min_mem_per_node") == ScriptValue{});

    setup.write("min_mem_per_cpu", ScriptValue::of_number(100));
    BOOST_TEST(setup.description.pn_min_memory == (MEM_PER_CPU | 100u));
    BOOST_TEST(setup.read("min_mem_per_cpu") == ScriptValue::of_number(100));
    BOOST_TEST(setup.read("min_mem_per_node") == ScriptValue{});

    setup.write("min_mem_per_node", ScriptValue::of_number(7));
    BOOST_TEST(setup.read("min_mem_per_node") == ScriptValue::of_number(7));
    BOOST_TEST(setup.read("min_mem_per_cpu") == ScriptValue{});
}

BOOST_AUTO_TEST_CASE(gres_is_written_as_slurmctld_keeps_it) {
    ScriptJobSetup setup;
    const std::string prefix(slurm::gres_prefix);

    setup.write("gres", ScriptValue::of_text("gpu:2,tape"));
    BOOST_TEST(setup.description.tres_per_node == prefix + "gpu:2," + prefix + "tape");
    setup.write("gres", ScriptValue::of_text(prefix + "gpu:1"));
    BOOST_TEST(setup.description.tres_per_node == prefix + "gpu:1");
}

BOOST_AUTO_TEST_CASE(some_fields_can_only_be_read) {
    ScriptJobSetup setup;

    for (const char* name : {"user_id", "alloc_node", "argc", "network", "cron_job", "user_name", "nonsense"})
        BOOST_TEST(setup.takes(name, FieldType::unknown), name);
    BOOST_TEST(setup.takes("comment", FieldType::text));
    BOOST_TEST(setup.takes("time_limit", FieldType::number));
    BOOST_TEST(setup.takes("min_mem_per_cpu", FieldType::number));
}

BOOST_AUTO_TEST_CASE(a_script_that_is_too_long_to_be_read_cannot_be_set) {
    ScriptJobSetup setup;
    const std::string script(64 * 1024, 'x');
    setup.write("script", ScriptValue::of_text(script));
    setup.write("script", ScriptValue::of_text(script + "y"));
    BOOST_TEST(setup.read("script").text.size() == script.size() + 1); // an error for the script

    ErrorText error;
    setup.job.write("script", ScriptValue::of_text("short"), error);

    BOOST_TEST(error.c_str() == "job_desc.script cannot be set: it is longer than 64 KiB");
    BOOST_TEST(std::string(setup.description.script).size() == script.size() + 1);
}

BOOST_AUTO_TEST_CASE(variables_are_replaced_or_added_in_front) {
    ScriptJobSetup setup;
    BOOST_TEST(!setup.job.has_environment());
    void* block = nullptr;
    slurm_xrecalloc(&block, 2, sizeof(char*), true, false, "", 0, "");
    setup.description.environment = static_cast<char**>(block);
    setup.description.environment[0] = test::host_text("HOME=/home/ana");
    setup.description.env_size = 1;
    ErrorText error;
    policy::Budget budget({});
    budget.start_rule();

    setup.job.set_variable("HOME", "/tmp", budget, error);
    setup.job.set_variable("HO", "x", budget, error);

    char** environment = setup.description.environment;
    BOOST_TEST(environment[0] == std::string("HO=x"));
    BOOST_TEST(environment[1] == std::string("HOME=/tmp"));
    BOOST_TEST(environment[2] == nullptr);
    BOOST_TEST(setup.description.env_size == 2u);
    BOOST_TEST(setup.job.variable("HOME", budget) == ScriptValue::of_text("/tmp"));
    BOOST_TEST(setup.job.variable("HOM", budget) == ScriptValue{});
    for (char** variable : {&environment[0], &environment[1]})
        plugin::assign_text(*variable, std::nullopt);
    slurm_xfree(reinterpret_cast<void**>(&setup.description.environment));
}

BOOST_AUTO_TEST_CASE(a_record_is_read_from_its_copy_and_from_the_listed_jobs) {
    job_desc_msg_t copy{};
    copy.max_nodes = NO_VAL;
    copy.restart_cnt = 3;
    copy.time_limit = 60;
    NoOwner owner;
    OneListedJob listed;
    const auto read = [&](std::uint32_t id, std::string_view field, std::string_view expected_error = "") {
        script::ScriptedRecord record(copy, id, owner, listed, plugin::host_texts);
        ErrorText error;
        const ScriptValue value = record.read(field, error);
        BOOST_TEST(error.c_str() == expected_error);
        return value;
    };
    BOOST_TEST(read(7, "job_id") == ScriptValue::of_number(7));
    BOOST_TEST(read(7, "max_nodes") == ScriptValue::of_number(0));
    BOOST_TEST(read(8, "restart_cnt") == ScriptValue::of_number(3));
    BOOST_TEST(read(8, "time_limit") == ScriptValue::of_number(60));
    BOOST_TEST(read(7, "user_name") == ScriptValue::of_text("ana"));
    BOOST_TEST(read(7, "job_state") == ScriptValue::of_number(1));
    BOOST_TEST(read(8, "job_state", "not known yet") == ScriptValue{});
    BOOST_TEST(read(7, "direct_set_prio", "job_rec.direct_set_prio cannot be read") == ScriptValue{});
    BOOST_TEST(read(7, "no_such_field") == ScriptValue{});
    BOOST_TEST(read(7, "num_tasks") == ScriptValue{}); // job_desc has it
}

BOOST_AUTO_TEST_CASE(listed_jobs_have_every_listed_field_of_a_record) {
    using policy::compat::RecordField;
    slurm::MentionedNames names;
    for (const std::string_view name : policy::compat::record_field_names())
        if (policy::compat::record_field(name) == RecordField::listed) names.emplace(name);
    BOOST_TEST(names.contains("job_state"));

    const auto jobs = slurm::read_script_jobs({}, names).value();

    BOOST_TEST(std::set<std::string>(jobs.names.begin(), jobs.names.end()) ==
                   std::set<std::string>(names.begin(), names.end()),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_SUITE_END()
