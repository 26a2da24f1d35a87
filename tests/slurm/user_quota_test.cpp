// SPDX-License-Identifier: GPL-2.0-or-later
//
// UserQuota asks slurmctld for parts of the records and answers as all of them do. A fake slurmctld answers
// the requests.
#include "qosgate/slurm/user_quota.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/assoc_messages.hpp"
#include "qosgate/slurm/values.hpp"
#include "support/records_part.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <map>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

extern "C" {
bitstr_t* slurm_bit_alloc(std::int64_t size);
void slurm_bit_set(bitstr_t* bits, std::int64_t bit);
void slurm_bit_free(bitstr_t** bits);
}

using namespace qg;
using slurm::OwnedList;
using slurm::UserQuota;
using test::shown;

namespace {

constexpr std::uint32_t ana_id = 1001;
constexpr std::int64_t max_qos_id = 64;

/// An answer. Its lists borrow the records.
struct SentRecords : assoc_mgr_info_msg_t {
    SentRecords() : assoc_mgr_info_msg_t{} {}
    OwnedList qos = slurm::make_borrowing_list();
    OwnedList associations = slurm::make_borrowing_list();
    OwnedList users = slurm::make_borrowing_list();
};

/// slurmctld's records of one user. Only one may exist at a time.
class FakeSlurmctld {
  public:
    FakeSlurmctld();
    FakeSlurmctld(const FakeSlurmctld&) = delete;
    FakeSlurmctld& operator=(const FakeSlurmctld&) = delete;
    ~FakeSlurmctld() {
        for (slurmdb_assoc_usage_t& usage : usages_)
            if (usage.valid_qos != nullptr) slurm_bit_free(&usage.valid_qos);
        current = nullptr;
    }

    void add_qos(const std::string& name, std::uint32_t id, std::uint64_t max_cpus) {
        slurmdb_qos_rec_t& qos = qos_.emplace_back();
        slurmdb_init_qos_rec(&qos, /*free_it=*/false, INFINITE);
        slurm::assign_flags(qos.flags, 0);
        qos.name = text(name);
        qos.id = id;
        qos.max_tres_pu = text("1=1");
        qos.max_tres_pu_ctld = counts_.emplace_back(tres_.size(), INFINITE64).data();
        qos.max_tres_pu_ctld[0] = max_cpus;
    }
    void set_default_account(const std::string& name) {
        user_.name = text("ana");
        user_.uid = ana_id;
        user_.default_acct = text(name);
    }
    /// An association of an account; above 0: the root.
    slurmdb_assoc_rec_t& add_account(const std::string& name, std::uint32_t id, std::uint32_t above) {
        slurmdb_assoc_rec_t& association = associations_.emplace_back();
        slurmdb_init_assoc_rec(&association, /*free_it=*/false);
        association.id = id;
        association.acct = text(name);
        association.uid = NO_VAL;
        association.parent_id = above;
        std::string lineage = "/" + name + "/";
        for (const slurmdb_assoc_rec_t& each : associations_)
            if (each.id == above && above > 1) {
                association.parent_acct = each.acct;
                lineage = lineages_[above] + name + "/";
            } else if (each.id == above) {
                association.parent_acct = each.acct;
            }
        lineages_[id] = lineage;
        set_lineage(association, lineage);
        return association;
    }
    void add_user(const std::string& account, std::uint32_t id, std::uint32_t account_id,
                  const std::string& partition, const std::vector<std::uint32_t>& permitted,
                  std::uint32_t default_qos) {
        slurmdb_assoc_rec_t& association = associations_.emplace_back();
        slurmdb_init_assoc_rec(&association, /*free_it=*/false);
        association.id = id;
        association.acct = text(account);
        association.user = user_.name;
        association.uid = ana_id;
        association.parent_id = account_id;
        association.parent_acct = association.acct;
        if (!partition.empty()) association.partition = text(partition);
        association.def_qos_id = default_qos;
        association.usage = &usages_.emplace_back();
        association.usage->valid_qos = slurm_bit_alloc(max_qos_id);
        for (const std::uint32_t qos : permitted)
            slurm_bit_set(association.usage->valid_qos, qos);
        set_lineage(association, lineages_[account_id] + "0-ana/");
    }

    /// As slurm_load_assoc_mgr_info().
    int answer(const assoc_mgr_info_request_msg_t& wanted, assoc_mgr_info_msg_t** message) {
        ++requests;
        if (is_down) {
            errno = ESLURM_PROTOCOL_INCOMPLETE_PACKET;
            return SLURM_ERROR;
        }
        auto sent = std::make_unique<SentRecords>();
        sent->tres_names = tres_.data();
        sent->tres_cnt = static_cast<std::uint32_t>(tres_.size());
        const auto has_flag = [&wanted](std::uint32_t flag) { return (wanted.flags & flag) != 0; };
        if (has_flag(ASSOC_MGR_INFO_FLAG_QOS))
            for (slurmdb_qos_rec_t& qos : qos_)
                if (has_name(wanted.qos_list, qos.name)) {
                    ++sent_qos;
                    slurm::append(sent->qos, &qos);
                }
        if (has_flag(ASSOC_MGR_INFO_FLAG_ASSOC))
            for (slurmdb_assoc_rec_t& each : associations_)
                if (has_account(wanted.acct_list, each.acct) &&
                    (each.user == nullptr || has_name(wanted.user_list, each.user)))
                    slurm::append(sent->associations, &each);
        if (has_flag(ASSOC_MGR_INFO_FLAG_USERS) && has_name(wanted.user_list, user_.name))
            slurm::append(sent->users, &user_);
        sent->qos_list = sent->qos.get();
        sent->assoc_list = sent->associations.get();
        sent->user_list = sent->users.get();
        *message = sent.release();
        return SLURM_SUCCESS;
    }

    /// What the records have for a job.
    model::AccountView view(const quota::Lookup& lookup) {
        const auto all = slurm::load_assoc_info({.flags = slurm::every_kind});
        return slurm::view_of(slurm::read_assoc_records(**all, slurm::accounting_conf_of(conf)), lookup);
    }

    slurm_conf_t conf{};
    bool is_down = false;
    int requests = 0;
    std::size_t sent_qos = 0;

    static FakeSlurmctld* current;

  private:
    /// An empty list asks for all.
    static bool has_name(slurm::ListHandle names, const char* name) {
        bool is_there = names == nullptr;
        slurm::for_each<char>(names, [&](const char& each) { is_there |= std::string_view(&each) == name; });
        return is_there;
    }
    static bool has_account(slurm::ListHandle names, const char* name) {
        bool is_there = names == nullptr;
        slurm::for_each<char>(names, [&](const char& each) { is_there |= text::iequals(&each, name); });
        return is_there;
    }
    template <typename Association>
    void set_lineage(Association& association, const std::string& lineage) {
        if constexpr (requires { association.lineage; }) association.lineage = text(lineage);
    }
    char* text(const std::string& value) { return texts_.emplace_back(value).data(); }

    std::deque<std::string> texts_;
    std::deque<std::vector<std::uint64_t>> counts_;
    std::map<std::uint32_t, std::string> lineages_;
    std::deque<slurmdb_qos_rec_t> qos_;
    std::deque<slurmdb_assoc_rec_t> associations_;
    std::deque<slurmdb_assoc_usage_t> usages_;
    slurmdb_user_rec_t user_{};
    std::vector<char*> tres_;
};

FakeSlurmctld* FakeSlurmctld::current = nullptr;

FakeSlurmctld::FakeSlurmctld() {
    current = this;
    for (const char* const name : {"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages"})
        tres_.push_back(text(name));
    conf.accounting_storage_enforce =
        slurm::enforce_associations | slurm::enforce_limits | slurm::enforce_qos;
}

/// All that a view says about QOSs and associations.
std::string written(const model::AccountView& view) {
    std::ostringstream out;
    const auto index = [](std::optional<std::size_t> at) { return at ? std::to_string(*at) : "none"; };
    out << "user " << view.user_name << " account " << view.account << " QOS " << view.job_qos.name << ' '
        << index(view.job_qos.qos) << (view.job_qos.is_default ? " by default" : "") << " problem "
        << static_cast<int>(view.job_qos.problem);
    for (const std::size_t other : view.job_qos.alternatives)
        out << " or " << other;
    for (const model::Qos& qos : view.qos) {
        const auto& limits = qos.limits;
        out << "\nQOS " << qos.id << ' ' << qos.name << " CPUs "
            << limits.get(model::TresLimit::max_tres_per_user, 0).value_or(0);
    }
    for (const auto& choice : view.partitions)
        out << "\npartition " << choice.partition->name << " QOS " << index(choice.qos);
    out << "\nanother association in " << index(view.differing_partition);
    for (const model::Association& link : view.associations)
        out << "\nlink " << static_cast<int>(link.level) << ' ' << link.account << ' ' << link.user << ' '
            << link.partition;
    out << "\npermitted " << text::join(view.permitted_qos, ",") << " accounts "
        << text::join(view.accounts, ",") << " defaults " << view.default_qos << ' ' << view.default_account;
    return out.str();
}

/// Choices, the same ones in every run.
class Dice {
  public:
    explicit Dice(unsigned seed) : random_(seed) {}
    bool is_heads() { return random_() % 2 == 0; }
    template <typename T>
    T of(const std::vector<T>& all) {
        return all[random_() % all.size()];
    }

  private:
    std::mt19937 random_; // NOLINT(cert-msc51-cpp)
};

const std::vector<std::string> qos_names{"normal", "high", "low", "ana", "astro", "q1", "q2", "q3"};

void fill(FakeSlurmctld& slurmctld, Dice& dice) {
    std::vector<std::uint32_t> ids;
    for (const std::string& name : qos_names)
        if (dice.is_heads()) {
            ids.push_back(static_cast<std::uint32_t>(2 * ids.size() + 1));
            slurmctld.add_qos(name, ids.back(), 10 + ids.back());
        }
    ids.push_back(60); // a QOS that was deleted
    slurmctld.set_default_account(dice.of<std::string>({"astro", "bio", "", "deep"}));
    slurmctld.add_account("root", 1, 0).def_qos_id = dice.is_heads() ? dice.of(ids) : 0;
    slurmctld.add_account("lab", 2, 1);
    slurmctld.add_account("astro", 3, 2);
    slurmctld.add_account("bio", 4, 1);
    slurmctld.add_account("deep", 5, 3);
    std::uint32_t id = 10;
    for (const auto& [account, above] : {std::pair("astro", 3u), {"bio", 4u}, {"deep", 5u}})
        for (const char* const partition : {"", "viz"}) {
            if (dice.is_heads()) continue;
            std::vector<std::uint32_t> permitted;
            std::ranges::copy_if(ids, std::back_inserter(permitted), [&](auto) { return dice.is_heads(); });
            const std::uint32_t own = dice.is_heads() ? 0 : dice.of(ids);
            slurmctld.add_user(account, id++, above, partition, permitted, own);
        }
}

std::shared_ptr<const model::Partition> make_partition(Dice& dice) {
    auto partition = std::make_shared<model::Partition>();
    partition->name = dice.of<std::string>({"main", "viz"});
    partition->qos = dice.of<std::string>({"", "high", "q1", "nosuch"});
    if (dice.is_heads()) partition->allow_qos = {"low", "q2"};
    return partition;
}

} // namespace

extern "C" {

int slurm_load_assoc_mgr_info(assoc_mgr_info_request_msg_t* wanted, assoc_mgr_info_msg_t** message) {
    return FakeSlurmctld::current->answer(*wanted, message);
}

void slurm_free_assoc_mgr_info_msg(assoc_mgr_info_msg_t* message) {
    delete static_cast<SentRecords*>(message);
}
}

BOOST_AUTO_TEST_SUITE(user_quota)

BOOST_AUTO_TEST_CASE(parts_of_the_records_give_the_answers_of_all) {
    for (unsigned seed = 0; seed < 3'000; ++seed) {
        Dice dice(seed);
        FakeSlurmctld slurmctld;
        fill(slurmctld, dice);
        UserQuota quota(slurmctld.conf, "ana");
        slurm::RecordsPart likely;
        if (dice.is_heads()) likely.qos = {dice.of(qos_names), "nosuch"};
        if (dice.is_heads())
            likely.accounts = {dice.of<std::string>({"astro", "bio", "deep", "lab", "nosuch"})};
        BOOST_TEST_REQUIRE(quota.start(likely).has_value());
        for (int job = 0; job < 2; ++job) {
            std::vector partitions{make_partition(dice)};
            if (dice.is_heads()) partitions.push_back(make_partition(dice));
            const std::string account = dice.of<std::string>({"", "astro", "BIO", "deep", "nosuch"});
            const std::string qos = dice.of<std::string>({"", "", "high", "HIGH", "low", "q3,low", "nosuch"});
            quota::Lookup lookup;
            lookup.user_id = lookup.reader = ana_id;
            lookup.account = account;
            lookup.qos = qos;
            lookup.takes_qos_lists = dice.is_heads();
            lookup.lists_alternatives = dice.is_heads();
            if (dice.is_heads()) lookup.partitions = partitions;
            const std::string expected = written(slurmctld.view(lookup));
            slurmctld.requests = 0;

            const auto view = quota.check(lookup);

            BOOST_TEST_CONTEXT("seed " << seed << ", account '" << account << "', QOS '" << qos << "'") {
                BOOST_TEST_REQUIRE(view.has_value());
                BOOST_TEST_REQUIRE(written(*view) == expected);
                BOOST_TEST_REQUIRE(slurmctld.requests <= UserQuota::max_requests);
            }
        }
    }
}

struct OneAccount {
    FakeSlurmctld slurmctld;
    quota::Lookup lookup;

    OneAccount() {
        for (std::uint32_t id = 1; id <= 30; ++id)
            slurmctld.add_qos("q" + std::to_string(id), id, id);
        slurmctld.set_default_account("astro");
        slurmctld.add_account("root", 1, 0);
        slurmctld.add_account("astro", 2, 1);
        slurmctld.add_user("astro", 3, 2, "", {7, 8}, 7);
        lookup.user_id = lookup.reader = ana_id;
    }
};

BOOST_FIXTURE_TEST_CASE(what_is_likely_and_right_needs_no_further_request, OneAccount) {
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start({.qos = {"q7"}, .accounts = {"astro"}}).has_value());

    BOOST_TEST(quota.check(lookup).value().job_qos.name == "q7");

    BOOST_TEST(slurmctld.sent_qos == 1u);
    BOOST_TEST(slurmctld.requests == 1);
    BOOST_TEST(shown(quota.needed_first()) == "qos q7, accounts astro");
}

BOOST_FIXTURE_TEST_CASE(what_one_job_needed_is_all_that_the_next_one_needs, OneAccount) {
    slurmctld.add_account("lab", 4, 1);
    slurmctld.add_account("group", 5, 4);
    slurmctld.add_account("bio", 6, 5);
    slurmctld.add_user("bio", 7, 6, "", {7, 8}, 8);
    lookup.account = "bio";
    slurm::RecordsPart needed;
    {
        UserQuota quota(slurmctld.conf, "ana");
        BOOST_TEST_REQUIRE(quota.start().has_value());
        BOOST_TEST(quota.check(lookup).value().job_qos.name == "q8");
        needed = quota.needed_first();
    }
    BOOST_TEST(slurmctld.requests > 2);
    BOOST_TEST(shown(needed) == "qos q8, accounts bio group lab");
    slurmctld.requests = 0;

    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start(needed).has_value());
    BOOST_TEST(quota.check(lookup).value().job_qos.name == "q8");

    BOOST_TEST(slurmctld.requests == 1);
    BOOST_TEST(shown(quota.needed_first()) == "qos q8, accounts bio group lab");
}

BOOST_FIXTURE_TEST_CASE(a_default_qos_that_is_not_expected_is_found_among_all, OneAccount) {
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start({.qos = {"q8"}, .accounts = {"astro"}}).has_value());

    BOOST_TEST(quota.check(lookup).value().job_qos.name == "q7");

    BOOST_TEST(slurmctld.sent_qos == 31u);
    BOOST_TEST(slurmctld.requests == 2);
    BOOST_TEST(shown(quota.needed_first()) == "qos q7, accounts astro");
}

BOOST_FIXTURE_TEST_CASE(what_was_only_likely_was_not_needed, OneAccount) {
    slurmctld.add_account("bio", 4, 1);
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start({.qos = {"q7", "q9"}, .accounts = {"astro", "bio"}}).has_value());

    BOOST_TEST_REQUIRE(quota.check(lookup).has_value());

    BOOST_TEST(shown(quota.needed_first()) == "qos q7, accounts astro");
}

BOOST_FIXTURE_TEST_CASE(an_account_that_the_user_is_not_in_is_not_needed_again, OneAccount) {
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start().has_value());
    lookup.account = "typo";

    BOOST_TEST_REQUIRE(quota.check(lookup).has_value());

    BOOST_TEST(shown(quota.needed_first()) == "qos, accounts");
}

BOOST_FIXTURE_TEST_CASE(a_default_that_can_be_guessed_spares_the_list_of_all, OneAccount) {
    slurmctld.add_qos("normal", 40, 1);
    slurmctld.add_account("bio", 4, 1);
    slurmctld.add_user("bio", 5, 4, "", {40}, 40);
    lookup.account = "bio";
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start({.qos = {"q7"}, .accounts = {"astro", "bio"}}).has_value());

    BOOST_TEST(quota.check(lookup).value().job_qos.name == "normal");

    BOOST_TEST(slurmctld.requests == 1);
}

BOOST_FIXTURE_TEST_CASE(the_first_job_says_what_was_needed, OneAccount) {
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start().has_value());
    BOOST_TEST(shown(quota.needed_first()) == "qos, accounts");
    lookup.qos = "q8";

    BOOST_TEST(quota.check(lookup).value().job_qos.name == "q8");
    lookup.qos = "q7";
    BOOST_TEST_REQUIRE(quota.check(lookup).has_value());

    BOOST_TEST(slurmctld.sent_qos == 2u);
    BOOST_TEST(shown(quota.needed_first()) == "qos q8, accounts astro");
}

BOOST_FIXTURE_TEST_CASE(what_is_known_is_not_asked_for_again, OneAccount) {
    UserQuota quota(slurmctld.conf, "ana");
    BOOST_TEST_REQUIRE(quota.start().has_value());
    BOOST_TEST_REQUIRE(quota.check(lookup).has_value());
    slurmctld.is_down = true;

    BOOST_TEST(quota.check(lookup).value().job_qos.name == "q7");
    BOOST_TEST(!quota.failure().has_value());
}

BOOST_FIXTURE_TEST_CASE(a_slurmctld_that_is_away_is_an_error_that_is_kept, OneAccount) {
    UserQuota quota(slurmctld.conf, "ana");
    slurmctld.is_down = true;
    BOOST_TEST(quota.start().error().code == ErrorCode::unavailable);
    slurmctld.is_down = false;
    BOOST_TEST_REQUIRE(quota.start().has_value());
    BOOST_TEST(!quota.failure().has_value());

    slurmctld.is_down = true;
    BOOST_TEST(quota.check(lookup).error().code == ErrorCode::unavailable);
    slurmctld.is_down = false;

    BOOST_TEST(quota.check(lookup).has_value());
    BOOST_TEST_REQUIRE(quota.failure().has_value());
    BOOST_TEST(quota.failure()->code == ErrorCode::unavailable);
}

BOOST_AUTO_TEST_SUITE_END()
