// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests with texts of all sizes and shapes, on the way that the plugin takes with them, on a cluster of
// 1,000 partitions and 1,000 QOSs. slurmctld holds its locks meanwhile, so no text may cost it much.
#include "controller_quota.hpp"
#include "fake_controller.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/slurm/job_desc.hpp"
#include "qosgate/slurm/job_desc_fields.hpp"
#include "support/work_meter.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace qg;

namespace {

constexpr std::uint32_t user = 1000;
constexpr std::uint32_t name_count = 1000;
constexpr std::size_t mib = 1024 * 1024;

/// Instructions of about a millisecond, or what becomes of them where the code is not optimized.
constexpr std::uint64_t a_millisecond = 3'000'000 * std::uint64_t{QG_INSTRUCTIONS_TIMES};

std::string numbered(const char* prefix, std::size_t number) {
    return prefix + std::to_string(number);
}

/// QOSs q0 ... q999; "denying" and "waiting", which hold nearly every job; and a user who may use them all.
struct Records : test::FakeController {
    Records() {
        set_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/gpu",
                  "gres/gpu:a100", "license/foo"});
        std::vector<std::uint32_t> all;
        const auto add = [&](const std::string& name) -> slurmdb_qos_rec_t& {
            all.push_back(static_cast<std::uint32_t>(all.size() + 1));
            return add_qos(name.c_str(), all.back());
        };
        for (std::uint32_t i = 0; i < name_count; ++i)
            add(numbered("q", i));
        for (const char* name : {"denying", "waiting"}) {
            slurmdb_qos_rec_t& qos = add(name);
            qos.max_tres_pj_ctld = one_of_each_.data();
            qos.max_wall_pj = 1;
            if (name == std::string("denying")) slurm::assign_flags(qos.flags, QOS_FLAG_DENY_LIMIT);
        }
        root = &add_association("root", nullptr, nullptr, all);
        auto& account = add_association("astro", nullptr, root, all);
        add_association("astro", &add_user("ana", user, "astro"), &account, all);
    }

  private:
    std::vector<std::uint64_t> one_of_each_ = std::vector<std::uint64_t>(11, 1);
};

/// Reservations of many users, the last of whom is ana, and some of each other kind.
model::KnownNames make_names() {
    model::KnownNames names;
    for (std::size_t i = 0; i < name_count; ++i) {
        model::Reservation& one = names.reservations.emplace_back();
        one.name = numbered("r", name_count + i); // sorted
        for (std::size_t other = 0; other < 20; ++other)
            one.users.push_back(numbered("user", other));
        one.users.push_back("ana");
        one.accounts = {"bio", "astro"};
    }
    names.licenses = {{"foo", 10}};
    names.gres = {"gpu", "gpu:a100"};
    names.features = {"big", "fast"};
    return names;
}

model::Cluster make_cluster() {
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    for (std::size_t i = 0; i < name_count; ++i) {
        auto partition = std::make_shared<model::Partition>();
        partition->name = numbered("p", i);
        partition->is_default = i == 0;
        partition->qos = numbered("q", i);
        partition->total_nodes = 16;
        partition->total_cpus = 1024;
        partition->max_time = TimeLimit{60};
        partition->billing_weights = "CPU=1.0,Mem=0.25G,GRES/gpu=2.0";
        partitions.push_back(std::move(partition));
    }
    model::Cluster cluster;
    cluster.partitions = model::PartitionTable(std::move(partitions), /*generation=*/1);
    cluster.enforce_part_limits = model::EnforcePartLimits::any;
    cluster.max_array_size = 4'000'001;
    cluster.names = make_names();
    return cluster;
}

/// What a text repeats.
struct Shape {
    const char* name;
    std::string (*part)(std::size_t number);
};
constexpr Shape shapes[] = {
    {"one name", [](std::size_t) { return std::string("x"); }},
    {"unknown names", [](std::size_t i) { return numbered("partitoin", i) + ","; }},
    {"partitions", [](std::size_t i) { return numbered("p", i % name_count) + ","; }},
    {"QOSs", [](std::size_t i) { return numbered("q", i % name_count) + ","; }},
    {"commas", [](std::size_t) { return std::string(","); }},
    {"models of gres", [](std::size_t i) { return numbered("gres:gpu:a", i) + ":1,"; }},
    {"one gres", [](std::size_t) { return std::string("gpu:1,"); }},
    {"licenses", [](std::size_t i) { return numbered("l", i) + ":1|foo:1,"; }},
    {"whole ranges", [](std::size_t) { return std::string("0-4000000,"); }},
    {"ranges with steps", [](std::size_t i) { return numbered("0-4000000:", i + 1) + ","; }},
    {"indices", [](std::size_t i) { return std::to_string(i * 7919 % 1'000'003) + ","; }},
    {"nodes", [](std::size_t i) { return numbered("n[1-9,11]r[1-", i + 1) + "],"; }},
    {"opening brackets", [](std::size_t) { return std::string("["); }},
};

/// A text of exactly this size, its parts different for as long as most texts are read.
std::string make_text(const Shape& shape, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; text.size() < std::min(size, slurm::longest_list); ++i)
        text += shape.part(i);
    while (text.size() < size)
        text += text.substr(0, size - text.size());
    text.resize(size);
    return text;
}

/// A text without the part at its end that was cut.
std::string whole_parts(std::string text) {
    text.resize(text.rfind(','));
    return text;
}

/// "p0,p1,p2"
std::string list_of(const char* prefix, std::size_t count) {
    std::string list = numbered(prefix, 0);
    for (std::size_t i = 1; i < count; ++i)
        list += "," + numbered(prefix, i);
    return list;
}

struct HostileRequests {
    /// The work for a job of ana's with these settings.
    template <typename Set>
    std::uint64_t work_for(limits::Release release, const char* qos_name, Set set) {
        std::string qos = qos_name;
        job_desc_msg_t job;
        slurm_init_job_desc_msg(&job);
        job.het_job_offset = NO_VAL;
        job.user_id = user;
        job.min_cpus = job.num_tasks = 8;
        job.time_limit = 30;
        if (!qos.empty()) job.qos = qos.data();
        set(job);
        const gate::Gate gate(quota, release);
        return meter.measure([&] {
            const auto decision = gate.decide(slurm::read_job_desc(job, user), &cluster, nullptr);
            static_cast<void>(text::join(decision.message, "\n"));
        });
    }

    /// The most work that a text makes in one field, whatever else holds the job.
    std::uint64_t most_work(const slurm::TextField& field, char* text) {
        std::uint64_t most = 0;
        for (const limits::Release release : releases)
            for (const char* qos : {"", "denying", "waiting"})
                most = std::max(
                    most, work_for(release, qos, [&](job_desc_msg_t& job) { job.*field.slurm = text; }));
        return most;
    }

    const std::vector<limits::Release> releases{{22, 5, 8}, {24, 11, 5}};
    Records records;
    plugin::ControllerQuota quota{records.symbols()};
    model::Cluster cluster = make_cluster();
    test::WorkMeter meter;
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_requests, HostileRequests)

BOOST_AUTO_TEST_CASE(no_text_of_any_size_takes_a_millisecond) {
    for (const Shape& shape : shapes) {
        std::string text = make_text(shape, 16 * mib);
        for (const slurm::TextField& field : slurm::text_fields)
            for (const std::size_t size : {std::size_t{1023}, slurm::longest_text, field.most_bytes,
                                           field.most_bytes + 1, mib, 16 * mib}) {
                const char whole = std::exchange(text[size], '\0');
                BOOST_TEST_CONTEXT(size << " bytes of " << shape.name << " as " << field.name)
                BOOST_TEST(most_work(field, text.data()) < a_millisecond);
                text[size] = whole;
            }
    }
}

BOOST_AUTO_TEST_CASE(twice_the_text_is_at_most_twice_the_work) {
    constexpr std::uint64_t apart = a_millisecond / 20; // what does not depend on the text
    for (const Shape& shape : shapes)
        for (const slurm::TextField& field : slurm::text_fields) {
            std::string half = make_text(shape, field.most_bytes / 2),
                        whole = make_text(shape, field.most_bytes);
            BOOST_TEST_CONTEXT(shape.name << " as " << field.name)
            BOOST_TEST(most_work(field, whole.data()) < 2 * most_work(field, half.data()) + apart);
        }
}

BOOST_AUTO_TEST_CASE(all_texts_at_once_take_less_than_two_milliseconds) {
    std::string array = whole_parts(make_text(shapes[9], slurm::longest_array));
    std::string nodes = whole_parts(make_text(shapes[11], slurm::longest_node_list));
    for (const std::size_t ways : {1, 2, 3, 4, 6, 8, 16, 32, 64, 65}) {
        std::string partitions = list_of("p", ways);
        // As long as they are looked at in so many partitions, and a little longer.
        for (const std::size_t bytes : {16384 / ways, 20000 / ways}) {
            std::string gres, licenses;
            for (std::size_t i = 0; i < slurm::most_resources && 7 * gres.size() < bytes; ++i)
                gres += numbered(gres.empty() ? "gres:gpu:a" : ",gres:gpu:a", i) + ":1";
            for (std::size_t i = 0; i < slurm::most_licenses && 6 * gres.size() + licenses.size() < bytes;
                 ++i)
                licenses += numbered(licenses.empty() ? "l" : ",l", i) + ":1";
            for (const limits::Release release : releases)
                for (const char* qos : {"", "denying", "waiting", "q1,waiting", "q1,q2,q3,q4"}) {
                    const auto work = work_for(release, qos, [&](job_desc_msg_t& job) {
                        job.partition = partitions.data();
                        job.array_inx = array.data();
                        job.req_nodes = nodes.data();
                        job.licenses = licenses.data();
                        job.tres_per_job = job.tres_per_node = job.tres_per_socket = gres.data();
                        job.tres_per_task = job.cpus_per_tres = job.mem_per_tres = gres.data();
                    });
                    BOOST_TEST_CONTEXT("QOS " << qos << ", " << ways << " partitions, " << bytes << " bytes"
                                              << (release == releases.front() ? "" : ", new Slurm"))
                    BOOST_TEST(work < a_millisecond * 3 / 2);
                }
        }
    }
}

BOOST_AUTO_TEST_SUITE_END()
