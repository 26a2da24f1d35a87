// SPDX-License-Identifier: GPL-2.0-or-later
//
// What slurmctld may keep of a change while it refuses the rest.
#include "job_desc_setup.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_field_members.hpp"
#include "qosgate/slurm/stored_parts.hpp"

#include <boost/test/unit_test.hpp>

#include <set>
#include <string>
#include <type_traits>
#include <vector>

using namespace qg;
using namespace qg::slurm;
using test::submitter;
using test::unset_job;

namespace {

/// A job in partition main and QOS normal, and a change of it.
struct PartsSetup {
    PartsSetup() : current(unset_job()), update(unset_job()) {
        current.partition = main.data();
        current.qos = normal.data();
        current.time_limit = 600;
    }

    void set(char* job_desc_msg_t::*field) { update.*field = text.data(); }
    void set(std::time_t job_desc_msg_t::*field) { update.*field = 1; }
    template <typename Int>
    requires std::is_unsigned_v<Int>
    void set(Int job_desc_msg_t::*field) { update.*field = 1; }

    void move() {
        update.partition = gpu.data();
        update.qos = gpu.data();
    }

    [[nodiscard]] std::vector<model::StoredPart> parts() const {
        return read_update(current, update, submitter).stored_parts;
    }
    /// What slurmctld may refuse after it has stored each part.
    [[nodiscard]] std::vector<std::string> refused() const {
        std::vector<std::string> all;
        for (const auto& part : parts())
            all.push_back(part.refused);
        return all;
    }

    std::string main = "main", normal = "normal", gpu = "gpu", text = "text";
    job_desc_msg_t current;
    job_desc_msg_t update;
};

using Names = std::vector<std::string>;

/// Calls `test(member, stored)` for each row of the tables.
template <typename Test>
void for_each_row(Test test) {
    const auto each = [&test](const auto& rows) {
        for (const auto& row : rows)
            test(row.slurm, row.stored);
    };
    each(text_fields);
    each(wide_count_fields);
    each(narrow_count_fields);
    each(time_fields);
    each(text_details);
    each(short_details);
    each(count_details);
    each(time_details);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(stored_parts, PartsSetup)

BOOST_AUTO_TEST_CASE(one_field_is_stored_or_not) {
    for_each_row([this](const auto member, Stored) {
        update = unset_job();
        set(member);
        BOOST_TEST(parts().empty());
    });
    BOOST_TEST_REQUIRE(parts().empty());
}

BOOST_AUTO_TEST_CASE(fields_that_slurmctld_checks_before_it_stores_any_are_stored_with_the_others) {
    move();
    for (const auto field :
         {&job_desc_msg_t::tres_per_node, &job_desc_msg_t::name, &job_desc_msg_t::reservation,
          &job_desc_msg_t::req_nodes, &job_desc_msg_t::account})
        set(field);
    set(&job_desc_msg_t::requeue);
    BOOST_TEST(parts().empty());
}

BOOST_AUTO_TEST_CASE(what_is_stored_before_a_field_that_may_be_refused_is_a_part) {
    move();
    set(&job_desc_msg_t::tres_per_node);
    set(&job_desc_msg_t::features);

    BOOST_TEST_REQUIRE(refused() == Names{"Features"});
    const model::StoredPart part = parts().front();
    BOOST_TEST(*part.after.partition == "gpu");
    BOOST_TEST(*part.after.qos == "gpu");
    BOOST_TEST(!part.after.features.has_value());
    BOOST_TEST(!part.after.tres_per_node.has_value()); // stored after features
    BOOST_CHECK(part.parts == model::UpdateParts{model::UpdatePart::limits});
    BOOST_TEST(part.after.submit_uid == submitter);
}

BOOST_AUTO_TEST_CASE(each_field_that_may_be_refused_late_leaves_the_place_of_the_job) {
    current.time_limit = 1; // which none of them shortens
    for_each_row([this](const auto member, Stored stored) {
        if (stored.at <= StoreStep::place) return;
        update = unset_job();
        move();
        set(member);
        const bool is_refusable = stored.refusal == LateRefusal::possible;
        BOOST_TEST(parts().size() == (is_refusable ? 1u : 0u));
        for (const auto& part : parts()) {
            BOOST_TEST(*part.after.partition == "gpu");
            BOOST_TEST(part.refused == step_names[static_cast<std::size_t>(stored.at)]);
        }
    });
    for (const auto set_one : {+[](job_desc_msg_t& job) { job.nice = NICE_OFFSET - 1; },
                               +[](job_desc_msg_t& job) { job.shared = 0; },
                               +[](job_desc_msg_t& job) { job.core_spec = INFINITE16; },
                               +[](job_desc_msg_t& job) { job.end_time = 1; },
                               +[](job_desc_msg_t& job) { job.cores_per_socket = 1; },
                               +[](job_desc_msg_t& job) { job.overcommit = 1; },
                               +[](job_desc_msg_t& job) { job.bitflags = SPREAD_JOB; },
                               +[](job_desc_msg_t& job) { job.clusters = job.partition; },
                               +[](job_desc_msg_t& job) { job.cluster_features = job.partition; }}) {
        update = unset_job();
        move();
        BOOST_TEST(parts().empty());
        set_one(update);
        BOOST_TEST_REQUIRE(parts().size() == 1u);
        BOOST_TEST(*parts().front().after.partition == "gpu");
    }
}

BOOST_AUTO_TEST_CASE(parts_grow_in_the_order_in_which_slurmctld_stores) {
    set(&job_desc_msg_t::comment);
    move();
    update.time_limit = 900;
    update.nice = NICE_OFFSET + 5;
    set(&job_desc_msg_t::features);

    BOOST_TEST(refused() == (Names{"Partition, QOS or Account, TimeLimit, Nice, Features",
                                   "TimeLimit, Nice, Features", "Nice, Features", "Features"}),
               boost::test_tools::per_element());
    const auto all = parts();
    BOOST_TEST(*all[0].after.comment == "text");
    BOOST_TEST(*all[0].after.partition == "main");
    BOOST_TEST(*all[1].after.partition == "gpu");
    BOOST_TEST(all[1].after.time_limit->minutes == 600u);
    BOOST_TEST(all[2].after.time_limit->minutes == 900u);
    BOOST_CHECK(all[2].after.details.get(model::JobDetail::nice).kind == model::DetailValue::Kind::unset);
    BOOST_TEST(all[3].after.details.get(model::JobDetail::nice).number == 5);
}

BOOST_AUTO_TEST_CASE(what_only_a_started_job_is_refused_makes_no_part_of_a_change_that_needs_a_pending_job) {
    update.time_limit = 900;
    update.pn_min_memory = 100;
    BOOST_TEST(refused() == Names{"memory or MinTmpDiskNode"}, boost::test_tools::per_element());
    update.partition = main.data(); // the present one: slurmctld looks at nothing
    BOOST_TEST(refused().back() == "memory or MinTmpDiskNode");
    update.partition = gpu.data();
    BOOST_TEST(refused() == Names{"TimeLimit"}, boost::test_tools::per_element());
    update.partition = nullptr;
    set(&job_desc_msg_t::tres_per_node);
    BOOST_TEST(parts().empty());
}

BOOST_AUTO_TEST_CASE(a_shorter_time_limit_is_refused_to_nobody) {
    move();
    for (const auto& [minutes, count] : {std::pair{599u, 0u}, {600u, 1u}, {601u, 1u}, {0u, 1u}}) {
        update.time_limit = minutes;
        BOOST_TEST(parts().size() == count);
    }
}

BOOST_AUTO_TEST_CASE(a_part_of_which_nobody_sees_anything_is_none) {
    set(&job_desc_msg_t::array_inx);
    set(&job_desc_msg_t::alloc_node); // slurmctld sets it at every change
    move();
    BOOST_TEST(parts().empty());
}

BOOST_AUTO_TEST_CASE(what_this_release_does_not_store_is_a_part_of_no_part) {
    update.time_limit = 30;
    update.bitflags = SPREAD_JOB;
    BOOST_TEST_REQUIRE(parts().size() == 1u);
    BOOST_CHECK(parts().front().after.details.get(model::JobDetail::spread_job).kind ==
                model::DetailValue::Kind::unset);
}

BOOST_AUTO_TEST_CASE(a_change_that_sets_everything_has_a_bounded_number_of_parts) {
    for_each_row([this](const auto member, Stored) { set(member); });
    BOOST_TEST(parts().size() < std::size(step_names));
    for (const auto& part : parts())
        BOOST_TEST(part.refused.size() < 600u);
}

BOOST_AUTO_TEST_SUITE_END()
