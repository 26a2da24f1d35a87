// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller/job_desc_writer.hpp"

#include "fake_host.hpp"
#include "host/host_alloc.hpp"
#include "qosgate/slurm/compat.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/values.hpp"

#include <boost/test/unit_test.hpp>

#include <cstring>

using namespace qg;
using model::JobRequest;
using plugin::write_changes;

namespace {

/// A description whose texts are allocated and freed by the host's allocator.
class Description {
  public:
    Description() {
        for (const auto& field : slurm::wide_count_fields)
            job_.*field.slurm = NO_VAL;
        for (const auto& field : slurm::narrow_count_fields)
            job_.*field.slurm = NO_VAL16;
        for (const auto& field : slurm::time_fields)
            job_.*field.slurm = NO_VAL;
        job_.pn_min_memory = NO_VAL64;
        job_.overcommit = NO_VAL8;
        job_.shared = NO_VAL16;
        job_.het_job_offset = NO_VAL;
        for (const auto& row : slurm::short_details)
            job_.*row.slurm = NO_VAL16;
        job_.nice = NO_VAL;
        job_.core_spec = NO_VAL16;
        job_.pn_min_tmp_disk = NO_VAL;
    }
    Description(const Description&) = delete;
    Description& operator=(const Description&) = delete;
    ~Description() {
        for (const auto& field : slurm::text_fields)
            plugin::assign_text(job_.*field.slurm, std::nullopt);
        for (const auto& row : slurm::text_details)
            plugin::assign_text(job_.*row.slurm, std::nullopt);
    }

    job_desc_msg_t& operator*() { return job_; }
    job_desc_msg_t* operator->() { return &job_; }
    [[nodiscard]] JobRequest read() const { return slurm::read_job_desc(job_, 0); }

    /// Changes the request with `change` and writes it back.
    template <typename Change>
    void rewrite(Change change) {
        JobRequest changed = read();
        change(changed);
        write_changes(job_, read(), changed);
    }

  private:
    job_desc_msg_t job_{};
};

} // namespace

BOOST_AUTO_TEST_SUITE(job_desc_writer)

BOOST_AUTO_TEST_CASE(writes_nothing_where_nothing_changed) {
    Description description;
    description->qos = test::host_text("normal");
    description->shared = JOB_SHARED_USER;
    job_desc_msg_t before = *description;

    description.rewrite([](JobRequest&) {});

    BOOST_TEST(std::memcmp(&*description, &before, sizeof before) == 0);
}

BOOST_AUTO_TEST_CASE(each_text_can_be_set_changed_and_taken_away) {
    for (const auto& field : slurm::text_fields) {
        Description description;
        for (const auto& value : {std::optional<std::string>("one"), std::optional<std::string>("another"),
                                  std::optional<std::string>()}) {
            description.rewrite([&](JobRequest& request) { request.*field.request = value; });
            BOOST_TEST((description.read().*field.request) == value);
            BOOST_TEST(slurm::view_text((*description).*field.slurm) == value.value_or(""));
        }
    }
}

BOOST_AUTO_TEST_CASE(each_count_can_be_set_and_taken_away) {
    const auto check = [](const auto& table) {
        for (const auto& field : table) {
            Description description;
            for (const auto& value : {std::optional<std::uint32_t>(4), std::optional<std::uint32_t>()}) {
                description.rewrite([&](JobRequest& request) { request.*field.request = value; });
                BOOST_TEST((description.read().*field.request) == value);
            }
        }
    };
    check(slurm::wide_count_fields);
    check(slurm::narrow_count_fields);
}

BOOST_AUTO_TEST_CASE(each_time_can_be_set_made_unlimited_and_taken_away) {
    for (const auto& field : slurm::time_fields) {
        Description description;
        for (const auto& value : {std::optional(TimeLimit{60}), std::optional(TimeLimit::unlimited()),
                                  std::optional<TimeLimit>()}) {
            description.rewrite([&](JobRequest& request) { request.*field.request = value; });
            BOOST_TEST((description.read().*field.request) == value);
        }
    }
}

BOOST_AUTO_TEST_CASE(memory_can_be_set_and_taken_away) {
    Description description;
    for (const auto& value : {std::optional(model::Memory{2000, true}),
                              std::optional(model::Memory{0, false}), std::optional<model::Memory>()}) {
        description.rewrite([&](JobRequest& request) { request.memory = value; });
        BOOST_TEST(description.read().memory == value);
    }
}

BOOST_AUTO_TEST_CASE(switches_can_be_turned_on_and_off) {
    Description description;
    description.rewrite([](JobRequest& request) { request.overcommit = request.exclusive = true; });
    BOOST_TEST(description->overcommit == 1);
    BOOST_TEST(description->shared == JOB_SHARED_NONE);
    description.rewrite([](JobRequest& request) { request.overcommit = request.exclusive = false; });
    BOOST_TEST(description->overcommit == NO_VAL8);
    BOOST_TEST(description->shared == NO_VAL16);
}

BOOST_AUTO_TEST_CASE(each_text_detail_can_be_set_changed_and_taken_away) {
    for (const auto& row : slurm::text_details) {
        Description description;
        for (const std::string value : {"one", "another", ""}) {
            description.rewrite([&](JobRequest& request) { request.details.set(row.detail, value); });
            BOOST_TEST(description.read().details.get(row.detail).text == value);
            BOOST_TEST(!((*description).*row.slurm) == value.empty());
        }
        description.rewrite([&](JobRequest& request) { request.details.set(row.detail, std::string("x")); });
        description.rewrite([&](JobRequest& request) { request.details.set(row.detail, {}); });
        BOOST_TEST(!((*description).*row.slurm));
    }
}

BOOST_AUTO_TEST_CASE(each_number_detail_can_be_set_and_taken_away) {
    for (const auto detail : {model::JobDetail::nice, model::JobDetail::begin_time, model::JobDetail::requeue,
                              model::JobDetail::contiguous, model::JobDetail::reboot}) {
        Description description;
        const job_desc_msg_t before = *description;
        description.rewrite([&](JobRequest& request) { request.details.set(detail, std::int64_t{1}); });
        BOOST_TEST(description.read().details.get(detail).number == 1);
        description.rewrite([&](JobRequest& request) { request.details.set(detail, {}); });
        BOOST_TEST(std::memcmp(&*description, &before, sizeof before) == 0);
    }
}

BOOST_AUTO_TEST_CASE(nice_is_written_with_slurm_s_offset) {
    Description description;
    for (const std::int64_t nice : {-2147483645, -5, 0, 5, 2147483645}) {
        description.rewrite([&](JobRequest& request) { request.details.set(model::JobDetail::nice, nice); });
        BOOST_TEST(description->nice == static_cast<std::uint32_t>(NICE_OFFSET + nice));
        BOOST_TEST(description.read().details.get(model::JobDetail::nice).number == nice);
    }
}

BOOST_AUTO_TEST_CASE(no_requeue_differs_from_unset) {
    Description description;
    description.rewrite(
        [](JobRequest& request) { request.details.set(model::JobDetail::requeue, std::int64_t{0}); });
    BOOST_TEST(description->requeue == 0);
}

BOOST_AUTO_TEST_CASE(specialized_cores_and_threads_can_be_taken_away) {
    for (const auto detail : {model::JobDetail::core_spec, model::JobDetail::thread_spec}) {
        Description description;
        description->core_spec = 1;
        description.rewrite([&](JobRequest& request) { request.details.set(detail, std::int64_t{2}); });
        BOOST_TEST(description->core_spec == 1);
        description.rewrite([&](JobRequest& request) { request.details.set(detail, {}); });
        BOOST_TEST(description->core_spec == NO_VAL16);
    }
}

BOOST_AUTO_TEST_CASE(details_that_rules_only_read_stay_as_they_are) {
    Description description;
    const job_desc_msg_t before = *description;
    description.rewrite([](JobRequest& request) {
        for (const auto detail : {model::JobDetail::script, model::JobDetail::het_offset,
                                  model::JobDetail::core_spec, model::JobDetail::sharing})
            request.details.set(detail, std::int64_t{1});
    });
    BOOST_TEST(std::memcmp(&*description, &before, sizeof before) == 0);
}

BOOST_AUTO_TEST_CASE(gpus_that_follow_from_tasks_are_named) {
    const std::string prefix(slurm::gres_prefix);
    const auto named = [](Description& description) {
        plugin::name_gpus_of_tasks(*description, description.read());
        const JobRequest request = description.read();
        return request.tres_per_job.value_or("-") + " " + request.tres_per_node.value_or("-");
    };
    Description description;
    description->num_tasks = 8;
    BOOST_TEST(named(description) == "- -");
    description->ntasks_per_tres = 4;
    plugin::assign_text(description->tres_per_job, prefix + "nic:1");
    BOOST_TEST(named(description) == prefix + "nic:1," + prefix + "gpu:2 -");
    BOOST_TEST(named(description) == prefix + "nic:1," + prefix + "gpu:2 -"); // they are named already

    for (const std::uint32_t tasks : {0u, 3u, 9u}) {
        Description refused;
        refused->num_tasks = tasks;
        refused->ntasks_per_tres = 4;
        BOOST_TEST(named(refused) == "- -");
    }

    Description of_nodes; // without a number of tasks, each node has a GPU
    of_nodes->ntasks_per_tres = 4;
    of_nodes->min_nodes = 2;
    BOOST_TEST(named(of_nodes) == "- -"); // slurmctld refuses it
    of_nodes->max_nodes = 2;
    BOOST_TEST(named(of_nodes) == "- " + prefix + "gpu:1");

    Description of_one_node;
    of_one_node->ntasks_per_tres = 4;
    of_one_node->max_nodes = 1;
    BOOST_TEST(named(of_one_node) == "- " + prefix + "gpu:1");

    Description of_tasks_per_node;
    of_tasks_per_node->ntasks_per_tres = 2;
    of_tasks_per_node->ntasks_per_node = 4;
    of_tasks_per_node->min_nodes = 3;
    BOOST_TEST(named(of_tasks_per_node) == prefix + "gpu:6 -");

    Description of_sockets;
    of_sockets->num_tasks = 8;
    of_sockets->ntasks_per_tres = 4;
    plugin::assign_text(of_sockets->tres_per_socket, prefix + "gpu:a100:1");
    BOOST_TEST(named(of_sockets) == "- -");
}

BOOST_AUTO_TEST_CASE(tasks_that_follow_from_gpus_of_each_node_are_named) {
    const std::string prefix(slurm::gres_prefix);
    const auto named = [](Description& description) {
        plugin::name_gpus_of_tasks(*description, description.read());
        return description->ntasks_per_node;
    };
    Description description;
    plugin::assign_text(description->tres_per_node, prefix + "gpu:a100:1," + prefix + "gpu:v100:2");
    BOOST_TEST(named(description) == NO_VAL16);
    description->ntasks_per_tres = 4;
    BOOST_TEST(named(description) == 12);
    description->ntasks_per_node = 3;
    BOOST_TEST(named(description) == 3);

    Description of_sockets;
    of_sockets->ntasks_per_tres = 4;
    of_sockets->sockets_per_node = 2;
    plugin::assign_text(of_sockets->tres_per_socket, prefix + "gpu:1");
    BOOST_TEST(named(of_sockets) == 8);

    Description of_job; // its tasks do not depend on the nodes
    of_job->ntasks_per_tres = 4;
    plugin::assign_text(of_job->tres_per_job, prefix + "gpu:2");
    BOOST_TEST(named(of_job) == NO_VAL16);

    Description too_many;
    too_many->ntasks_per_tres = 4000;
    plugin::assign_text(too_many->tres_per_node, prefix + "gpu:20");
    BOOST_TEST(named(too_many) == NO_VAL16);
}

BOOST_AUTO_TEST_CASE(who_and_how_cannot_be_changed) {
    Description description;
    description->user_id = 1000;

    description.rewrite([](JobRequest& request) {
        request.user_id = request.submit_uid = 0;
        request.is_batch = request.is_het_part = true;
    });

    BOOST_TEST(description->user_id == 1000u);
    BOOST_TEST(description->script == nullptr);
    BOOST_TEST(description->het_job_offset == NO_VAL);
}

BOOST_AUTO_TEST_CASE(leaves_no_block_behind) {
    const int before = test::blocks_in_use();
    {
        Description description;
        for (const char* text : {"one", "two", "three"})
            for (const auto& field : slurm::text_fields)
                description.rewrite([&](JobRequest& request) { request.*field.request = text; });
        for (const char* text : {"one", "two", "three"})
            for (const auto& row : slurm::text_details)
                description.rewrite(
                    [&](JobRequest& request) { request.details.set(row.detail, std::string(text)); });
    }
    BOOST_TEST(test::blocks_in_use() == before);
}

BOOST_AUTO_TEST_SUITE_END()
