// SPDX-License-Identifier: GPL-2.0-or-later
//
// Requests with texts of all sizes and shapes.
#include "hostile_setup.hpp"
#include "qosgate/slurm/job_field_members.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

using namespace qg;
using namespace qg::test;

namespace {

/// The part that a text repeats.
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
    {"one feature", [](std::size_t) { return std::string("x&"); }},
    {"models of gres", [](std::size_t i) { return numbered("gres:gpu:a", i) + ":1,"; }},
    {"one gres", [](std::size_t) { return std::string("gpu:1,"); }},
    {"licenses", [](std::size_t i) { return numbered("l", i) + ":1|foo:1,"; }},
    {"whole ranges", [](std::size_t) { return std::string("0-4000000,"); }},
    {"ranges with steps", [](std::size_t i) { return numbered("0-4000000:", i + 1) + ","; }},
    {"indices", [](std::size_t i) { return std::to_string(i * 7919 % 1'000'003) + ","; }},
    {"nodes", [](std::size_t i) { return numbered("n[1-9,11]r[1-", i + 1) + "],"; }},
    {"opening brackets", [](std::size_t) { return std::string("["); }},
};

/// A text of exactly this size. Its parts differ within the length that is read of most texts.
std::string make_text(const Shape& shape, std::size_t size) {
    std::string text;
    for (std::size_t i = 0; text.size() < std::min(size, slurm::max_list_length); ++i)
        text += shape.part(i);
    while (text.size() < size)
        text += text.substr(0, size - text.size());
    text.resize(size);
    return text;
}

/// The text without the incomplete part at its end.
std::string whole_parts(std::string text) {
    text.resize(text.rfind(','));
    return text;
}

struct HostileTexts : HostileRequests {
    /// The maximum of work that a text causes in one field, whatever else blocks the job.
    std::uint64_t max_work(const slurm::TextField& field, char* text) {
        std::uint64_t max = 0;
        for (const limits::Release release : releases)
            for (const char* qos : {"", "denying", "waiting"})
                max = std::max(max, work_for(release, qos, [&](job_desc_msg_t& job) {
                                   job.*field.slurm = text;
                                   if (field.slurm == &job_desc_msg_t::req_nodes) job.exc_nodes = text;
                               }));
        return max;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(hostile_requests, HostileTexts)

BOOST_AUTO_TEST_CASE(no_text_of_any_size_takes_a_millisecond) {
    for (const Shape& shape : shapes) {
        std::string text = make_text(shape, 16 * mib);
        for (const slurm::TextField& field : slurm::text_fields)
            for (const std::size_t size : {std::size_t{1023}, slurm::max_text_length, field.max_bytes,
                                           field.max_bytes + 1, mib, 16 * mib}) {
                const char whole = std::exchange(text[size], '\0');
                BOOST_TEST_CONTEXT(size << " bytes of " << shape.name << " as " << field.name)
                BOOST_TEST(max_work(field, text.data()) < a_millisecond);
                text[size] = whole;
            }
    }
}

BOOST_AUTO_TEST_CASE(twice_the_text_is_at_most_twice_the_work) {
    constexpr std::uint64_t apart = a_millisecond / 20; // the work that does not depend on the text
    for (const Shape& shape : shapes)
        for (const slurm::TextField& field : slurm::text_fields) {
            std::string half = make_text(shape, field.max_bytes / 2),
                        whole = make_text(shape, field.max_bytes);
            BOOST_TEST_CONTEXT(shape.name << " as " << field.name)
            BOOST_TEST(max_work(field, whole.data()) < 2 * max_work(field, half.data()) + apart);
        }
}

BOOST_AUTO_TEST_CASE(all_texts_at_once_take_less_than_two_milliseconds) {
    std::string array = whole_parts(make_text(shapes[9], slurm::max_array_length));
    std::string nodes = whole_parts(make_text(shapes[11], slurm::max_node_list_length));
    std::string names = whole_parts(make_text(shapes[1], slurm::max_text_length));
    for (const std::size_t ways : {1, 2, 3, 4, 6, 8, 16, 32, 64, 65}) {
        std::string partitions = list_of("p", ways);
        // The maximum length that is checked in so many partitions, and a little more.
        for (const std::size_t bytes : {16384 / ways, 20000 / ways}) {
            std::string gres, licenses;
            for (std::size_t i = 0; i < slurm::max_resources && 7 * gres.size() < bytes; ++i)
                gres += numbered(gres.empty() ? "gres:gpu:a" : ",gres:gpu:a", i) + ":1";
            for (std::size_t i = 0; i < slurm::max_licenses && 6 * gres.size() + licenses.size() < bytes; ++i)
                licenses += numbered(licenses.empty() ? "l" : ",l", i) + ":1";
            for (const limits::Release release : releases)
                for (const char* qos : {"", "denying", "waiting", "q1,waiting", "q1,q2,q3,q4"}) {
                    const auto work = work_for(release, qos, [&](job_desc_msg_t& job) {
                        job.partition = partitions.data();
                        job.features = job.prefer = names.data();
                        job.array_inx = array.data();
                        job.req_nodes = job.exc_nodes = nodes.data();
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

BOOST_AUTO_TEST_CASE(what_holds_a_job_in_each_of_many_partitions_takes_less_than_two_milliseconds) {
    struct Ways {
        std::size_t partitions;
        const char* qos;
    };
    using Enforce = model::EnforcePartLimits;
    const Ways cases[] = {{strict_count, ""},
                          {strict_count, "denying"},
                          {strict_count, "waiting"},
                          {strict_count / 2, "q1,waiting"},
                          {strict_count / 4, "q1,q2,q3,waiting"},
                          {8, ""}, // the maximum for which a suggestion is searched
                          {8, "waiting"},
                          {4, "q1,waiting"},
                          {1, "denying"}};
    for (const Ways& ways : cases)
        for (const Enforce enforce : {Enforce::no, Enforce::any, Enforce::all})
            for (const limits::Release release : releases) {
                std::string partitions = list_of("strict", ways.partitions);
                cluster.enforce_part_limits = enforce;
                const auto work = work_for(release, ways.qos, [&](job_desc_msg_t& job) {
                    job.partition = partitions.data();
                    job.min_nodes = 8;
                });
                BOOST_TEST_MESSAGE(ways.partitions << " partitions: " << work << " instructions");
                BOOST_TEST_CONTEXT(ways.partitions << " partitions, QOS " << ways.qos
                                                   << ", EnforcePartLimits " << static_cast<int>(enforce))
                BOOST_TEST(work < a_millisecond * 3 / 2);
            }
}

BOOST_AUTO_TEST_CASE(long_names_to_compare_with_take_less_than_a_millisecond) {
    std::vector<std::shared_ptr<const model::Partition>> partitions;
    for (std::size_t i = 0; i < name_count; ++i) {
        auto partition = std::make_shared<model::Partition>();
        partition->name = numbered("ab", i) + std::string(56, i % 2 == 0 ? 'a' : 'b');
        partitions.push_back(std::move(partition));
    }
    cluster.partitions = model::PartitionTable(std::move(partitions));
    std::string wrong;
    while (wrong.size() < 60)
        wrong += "ab";
    for (const limits::Release release : releases) {
        const auto work = work_for(release, "", [&](job_desc_msg_t& job) { job.partition = wrong.data(); });
        BOOST_TEST_MESSAGE("long names: " << work << " instructions");
        BOOST_TEST(work < a_millisecond);
    }
}

BOOST_AUTO_TEST_SUITE_END()
