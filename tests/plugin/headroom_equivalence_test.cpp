// SPDX-License-Identifier: GPL-2.0-or-later
//
// A view without the limits that leave room gives the same decisions as the whole one: random clusters and
// jobs, most of them near some limit, are judged both ways. The seed is fixed, so a failure can be repeated.
#include "fake_controller.hpp"
#include "qosgate/gate/gate.hpp"
#include "qosgate/slurm/limit_rows.hpp"
#include "records/controller_quota.hpp"
#include "support/decision_text.hpp"

#include <boost/test/unit_test.hpp>

#include <deque>
#include <random>
#include <string>
#include <vector>

using namespace qg;
using model::EnforcePartLimits;

namespace {

constexpr std::uint32_t ana = 1001, ben = 1002;
const std::vector<std::string> tres{"cpu",  "mem",   "energy",   "node",          "billing",       "fs/disk",
                                    "vmem", "pages", "gres/gpu", "gres/gpu:a100", "license/matlab"};

class Dice {
  public:
    bool one_in(unsigned n) { return engine_() % n == 0; }
    template <typename T>
    T of(std::initializer_list<T> values) {
        return *(values.begin() + engine_() % values.size());
    }

  private:
    std::mt19937 engine_{20'26};
};

/// Three QOSs and an account with one user, under random limits and usage.
class World {
  public:
    explicit World(Dice& dice) : dice_(dice) {
        records.set_tres(tres);
        records.enforce = slurm::enforce_associations | slurm::enforce_qos;
        if (!dice.one_in(10)) records.enforce |= slurm::enforce_limits;
        if (dice.one_in(3)) records.enforce |= slurm::enforce_safe;

        for (std::uint32_t id = 1; id <= 3; ++id)
            add_qos(names[id - 1], id);
        records.root = &add_association("root", nullptr, nullptr);
        auto& astro = add_association("astro", nullptr, records.root);
        const auto& user = records.add_user("ana", ana, "astro");
        add_association("astro", &user, &astro);
        if (dice.one_in(4)) add_association("astro", &user, &astro, "side");
        if (dice.one_in(4)) add_association("bio", &user, records.root);
        records.add_user("ben", ben, "astro");
        records.private_data = dice.of<std::uint16_t>({0, 0, PRIVATE_DATA_USAGE, PRIVATE_DATA_PARTITIONS});
        add_partitions();
        cluster.usage_lasts = dice.one_in(5);
    }

    model::JobRequest job() {
        model::JobRequest job;
        job.user_id = job.submit_uid = ana;
        if (dice_.one_in(10)) job.submit_uid = dice_.of({0u, ben});
        if (dice_.one_in(4)) job.account = dice_.of<const char*>({"astro", "bio"});
        job.qos = dice_.of<std::optional<std::string>>({std::nullopt, "normal", "small", "big"});
        if (dice_.one_in(12)) job.qos = dice_.of<const char*>({"small,big", "big,normal", "moon"});
        job.partition =
            dice_.of<std::optional<std::string>>({std::nullopt, "main", "side", "main,side", "side,main"});
        if (dice_.one_in(20)) job.partition = dice_.of<const char*>({"moon", "main,moon"});
        if (!dice_.one_in(4)) job.time_limit = TimeLimit{dice_.of({1u, 10u, 60u, 600u})};
        if (dice_.one_in(10)) job.time_min = TimeLimit{dice_.of({1u, 60u})};
        if (dice_.one_in(2)) job.min_nodes = dice_.of({1u, 2u, 3u});
        if (dice_.one_in(4)) job.max_nodes = job.min_nodes.value_or(1) + dice_.of({0u, 1u, 2u});
        if (dice_.one_in(2)) job.tasks = dice_.of({1u, 2u, 4u, 8u});
        if (dice_.one_in(5)) job.cpus_per_task = dice_.of({1u, 2u, 4u});
        if (dice_.one_in(6)) job.tasks_per_node = dice_.of({1u, 2u});
        if (dice_.one_in(2)) job.min_cpus = dice_.of({1u, 2u, 4u, 16u});
        if (dice_.one_in(3))
            job.memory = model::Memory{dice_.of<std::uint64_t>({0, 100, 2'000}), dice_.one_in(2)};
        add_resources(job);
        if (dice_.one_in(6)) job.array = dice_.of<std::string>({"1-2", "1-5", "0-20%2"});
        if (dice_.one_in(8)) job.priority = 0;
        if (dice_.one_in(20)) job.reservation = "maintenance";
        job.begins_later = dice_.one_in(12);
        job.exclusive = dice_.one_in(12);
        job.overcommit = dice_.one_in(12);
        job.is_batch = !dice_.one_in(3);
        return job;
    }

    test::FakeController records;
    model::Cluster cluster;

  private:
    static constexpr const char* names[] = {"normal", "small", "big"};

    void add_resources(model::JobRequest& job) {
        using Text = std::optional<std::string>;
        if (dice_.one_in(4))
            job.tres_per_node = dice_.of<Text>({"gres:gpu:1", "gres:gpu:2", "gres:gpu:a100:1"});
        if (dice_.one_in(8)) job.tres_per_job = dice_.of<Text>({"gres:gpu:4", "gres:gpu:a100:2"});
        if (dice_.one_in(10)) job.tres_per_task = "gres:gpu:1";
        if (dice_.one_in(12)) {
            job.tres_per_socket = "gres:gpu:1";
            job.sockets_per_node = 2;
        }
        if (dice_.one_in(10)) job.memory_per_tres = "gres:gpu:100";
        if (dice_.one_in(10)) job.cpus_per_tres = "gres:gpu:2";
        if (dice_.one_in(5)) job.licenses = dice_.of<Text>({"matlab", "matlab:2,matlab", "idl:3"});
        if (dice_.one_in(10)) job.min_cpus_per_node = 2;
    }

    void add_qos(const char* name, std::uint32_t id) {
        slurmdb_qos_rec_t& qos = records.add_qos(name, id);
        std::uint32_t flags = 0;
        for (const std::uint32_t flag :
             {QOS_FLAG_DENY_LIMIT, QOS_FLAG_OVER_PART_QOS, QOS_FLAG_USAGE_FACTOR_SAFE, QOS_FLAG_PART_MIN_NODE,
              QOS_FLAG_PART_MAX_NODE, QOS_FLAG_PART_TIME_LIMIT})
            if (dice_.one_in(flag == QOS_FLAG_DENY_LIMIT ? 2 : 10)) flags |= flag;
        slurm::assign_flags(qos.flags, flags);
        if (dice_.one_in(4)) qos.usage_factor = dice_.of({0.0, 0.5, 2.0});
        if (dice_.one_in(12)) qos.limit_factor = dice_.of({0.5, 2.0});
        limit(qos, slurm::rows::qos_tres, slurm::rows::qos_count);
        use(*qos.usage);
        qos.usage->grp_used_jobs = some_count();
        qos.usage->grp_used_submit_jobs = some_count();
        use(records.add_user_usage(qos, ana));
        use(records.add_account_usage(qos, "astro"));
    }

    slurmdb_assoc_rec_t& add_association(const char* account, const slurmdb_user_rec_t* user,
                                         slurmdb_assoc_rec_t* parent, const char* partition = nullptr) {
        const auto permitted = dice_.one_in(5) ? std::vector{1u, 3u} : std::vector{1u, 2u, 3u};
        slurmdb_assoc_rec_t& association =
            records.add_association(account, user, parent, permitted, partition);
        limit(association, slurm::rows::assoc_tres, slurm::rows::assoc_count);
        use(*association.usage);
        association.usage->used_jobs = some_count();
        association.usage->used_submit_jobs = some_count();
        return association;
    }

    void add_rules(model::Partition& partition) {
        partition.max_time = dice_.of({TimeLimit::unlimited(), TimeLimit{60}, TimeLimit{600}});
        partition.default_time =
            dice_.of<std::optional<TimeLimit>>({std::nullopt, TimeLimit{0}, TimeLimit{30}});
        partition.min_nodes = dice_.of({0u, 1u, 2u});
        partition.max_nodes = dice_.of<std::optional<std::uint32_t>>({std::nullopt, 2u, 8u});
        if (dice_.one_in(4)) partition.allow_accounts = {dice_.of<const char*>({"astro", "root", "bio"})};
        if (dice_.one_in(8)) partition.deny_accounts = {dice_.of<const char*>({"astro", "root", "bio"})};
        if (dice_.one_in(5)) partition.allow_qos = {"normal", "big"};
        if (dice_.one_in(8)) partition.deny_qos = {"big"};
    }

    void add_partitions() {
        const bool has_rules = dice_.one_in(2);
        std::vector<std::shared_ptr<const model::Partition>> partitions;
        for (const char* name : {"main", "side"}) {
            model::Partition partition;
            partition.name = name;
            partition.is_default = partitions.empty();
            partition.qos = dice_.of<const char*>({"", "", "small"});
            if (has_rules) add_rules(partition);
            partition.priority_tier = dice_.of<std::uint16_t>({1, 5});
            partition.total_nodes = 4;
            partition.total_cpus = 32;
            partition.node_memory_mib = 8'000;
            partition.min_node_cpus = dice_.of({0u, 8u});
            partition.min_node_memory_mib = dice_.of({0u, 4'000u, 8'000u});
            partition.is_hidden = dice_.one_in(8);
            if (dice_.one_in(3))
                partition.default_memory = model::Memory{dice_.of<std::uint64_t>({50, 500}), dice_.one_in(2)};
            if (dice_.one_in(5)) partition.billing_weights = "CPU=1.0,Mem=0.01,GRES/gpu=3";
            partitions.push_back(std::make_shared<const model::Partition>(std::move(partition)));
        }
        cluster.partitions = model::PartitionTable(std::move(partitions));
        cluster.enforce_part_limits =
            dice_.of({EnforcePartLimits::no, EnforcePartLimits::all, EnforcePartLimits::any});
    }

    std::uint32_t some_count() { return dice_.of({0u, 1u, 3u, 10u}); }

    std::uint64_t* array(std::initializer_list<std::uint64_t> values) {
        auto& made = arrays_.emplace_back(tres.size());
        for (std::uint64_t& value : made)
            value = dice_.of(values);
        return made.data();
    }

    /// Sets one limit in eight, or very few, to values near the counts of jobs.
    template <typename Record, typename TresRows, typename CountRows>
    void limit(Record& record, const TresRows& tres_rows, const CountRows& count_rows) {
        const unsigned rarity = dice_.of({8u, 60u, 200u});
        for (const auto& row : tres_rows) {
            if (!dice_.one_in(rarity)) continue;
            record.*row.text = text_.data();
            record.*row.values =
                row.limit == model::TresLimit::min_tres_per_job
                    ? array({INFINITE64, INFINITE64, INFINITE64, 1, 2})
                    : array({INFINITE64, INFINITE64, 0, 1, 2, 4, 16, 100, 2'000, 40'000, 1'000'000});
        }
        for (const auto& row : count_rows)
            if (dice_.one_in(rarity))
                record.*row.value = dice_.of({0u, 1u, 2u, 5u, 12u, 60u, 700u, 100'000u});
    }

    template <typename Usage>
    void use(Usage& usage) {
        const auto in_use = {0ul, 0ul, 1ul, 3ul, 10ul, 1'000ul};
        const auto seconds = {0ul, 0ul, 59ul, 60ul, 3'600ul, 600'000ul};
        if constexpr (requires { usage.grp_used_tres; }) {
            usage.grp_used_tres = array(in_use);
            usage.grp_used_tres_run_secs = array(seconds);
            auto& past = past_.emplace_back(tres.size());
            for (long double& value : past)
                value = static_cast<long double>(dice_.of(seconds));
            usage.usage_tres_raw = past.data();
            usage.grp_used_wall = static_cast<double>(dice_.of(seconds));
        } else {
            usage.jobs = some_count();
            usage.submit_jobs = some_count();
            usage.tres = array(in_use);
            if constexpr (requires { usage.tres_run_secs; })
                usage.tres_run_secs = array(seconds);
            else
                usage.tres_run_mins = array(in_use);
        }
    }

    Dice& dice_;
    std::string text_ = "1=1";
    std::deque<std::vector<std::uint64_t>> arrays_;
    std::deque<std::vector<long double>> past_;
};

/// Always returns whole views.
class Whole final : public quota::QuotaProvider {
  public:
    explicit Whole(const quota::QuotaProvider& inner) : inner_(inner) {}
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        quota::Lookup whole = lookup;
        whole.job_bounds = nullptr;
        return inner_.check(whole);
    }

  private:
    const quota::QuotaProvider& inner_;
};

/// Counts the views without limits.
class Watched final : public quota::QuotaProvider {
  public:
    explicit Watched(const quota::QuotaProvider& inner) : inner_(inner) {}
    [[nodiscard]] Result<model::AccountView> check(const quota::Lookup& lookup) const override {
        auto view = inner_.check(lookup);
        with_room += view && view->is_within_limits ? 1 : 0;
        return view;
    }
    mutable int with_room = 0;

  private:
    const quota::QuotaProvider& inner_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(headroom_equivalence)

BOOST_AUTO_TEST_CASE(views_that_leave_out_limits_decide_as_whole_ones) {
    constexpr int worlds = 400, jobs_of_each = 30;
    Dice dice;
    int with_room = 0, silent = 0, different = 0;
    for (int i = 0; i < worlds; ++i) {
        World world(dice);
        const limits::Release release = dice.of({limits::Release(22, 5, 8), limits::Release(23, 11, 0),
                                                 limits::Release(24, 11, 5), limits::Release(25, 11, 1)});
        const plugin::ControllerQuota quota(world.records.symbols());
        const Whole whole(quota);
        const Watched watched(quota);
        const gate::Gate of_whole(whole, release), of_any(watched, release);
        for (int job = 0; job < jobs_of_each; ++job) {
            const model::JobRequest request = world.job();
            const int before = watched.with_room;
            const std::string expected = test::describe(of_whole.decide(request, &world.cluster, nullptr));
            const std::string found = test::describe(of_any.decide(request, &world.cluster, nullptr));
            const bool had_room = watched.with_room != before;
            with_room += had_room ? 1 : 0;
            silent += expected.find('\n') == std::string::npos ? 1 : 0;
            if (found == expected) continue;
            ++different;
            BOOST_TEST(found == expected, "world " << i << ", job " << job << ": " << found
                                                   << "\ninstead of\n"
                                                   << expected);
        }
    }
    BOOST_TEST(different == 0);
    // Both ways must be common, and jobs without any message must often take the short way.
    BOOST_TEST_MESSAGE(with_room << " of " << worlds * jobs_of_each << " had room, " << silent << " silent");
    BOOST_TEST(with_room > worlds * jobs_of_each / 10);
    BOOST_TEST(with_room < worlds * jobs_of_each * 9 / 10);
    BOOST_TEST(with_room > silent / 3);
}

BOOST_AUTO_TEST_SUITE_END()
