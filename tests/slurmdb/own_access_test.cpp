// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"
#include "qosgate/model/own_access.hpp"
#include "qosgate/slurmdb/association_tree.hpp"
#include "slurmdb/family.hpp"
#include "slurmdb/sent_to_slurmctld.hpp"

#include <boost/test/unit_test.hpp>

#include <algorithm>
#include <random>

using namespace qg;
using namespace qg::slurmdb;
using namespace qg::test;
using model::AccessChange;
using model::AssociationName;
using model::NameSet;
using model::OwnAccess;
using Kind = AccessWrite::Kind;
using Words = std::vector<std::string>;

namespace {

/// root {normal} - top {a, b} - sub - ana (+x), bob.
std::vector<StoredAssociation> family_with_x() {
    return {{.id = 1, .name = {.cluster = "c", .account = "root"}, .whole = {"normal"}},
            {.id = 2, .name = top, .parent_account = "root", .whole = {"a", "b"}},
            {.id = 3, .name = sub, .parent_account = "top"},
            {.id = 4, .name = ana, .added = {"x"}},
            {.id = 5, .name = bob}};
}

/// "=a,b", or "+a -b"
std::string stored_for(const AssociationTree& tree, const AssociationName& name) {
    const StoredAssociation& one = *tree.find(name);
    Words words;
    if (!one.whole.empty()) words.push_back("=" + text::join(Words(one.whole.begin(), one.whole.end()), ","));
    for (const std::string& qos : one.added)
        words.push_back("+" + qos);
    for (const std::string& qos : one.removed)
        words.push_back("-" + qos);
    return text::join(words, " ");
}

std::string name_of(Kind kind) {
    switch (kind) {
    case Kind::grant: return "grant";
    case Kind::set_default: return "set_default";
    case Kind::rewrite: return "rewrite";
    case Kind::set_list: return "set_list";
    case Kind::unlist: return "unlist";
    case Kind::revoke: return "revoke";
    case Kind::end: return "end";
    case Kind::tell: return "tell";
    case Kind::restore: break;
    }
    return "restore";
}

Words kinds_of(const std::vector<AccessWrite>& writes) {
    Words kinds;
    for (const AccessWrite& write : writes)
        kinds.push_back(name_of(write.kind));
    return kinds;
}

std::string refusal(const AccessChange& change) {
    const auto plan = AssociationTree(family_with_x()).plan(std::vector{change});
    BOOST_TEST(!plan.has_value());
    return plan ? "" : plan.error().message;
}

bool has_usable_default(const model::AssociationRecord& record) {
    return !record.default_qos || record.qos.contains(*record.default_qos);
}

/// Random trees, and changes that fit them now and then.
class RandomTree {
  public:
    explicit RandomTree(unsigned seed) : engine_(seed) {}

    bool chance(unsigned percent) { return below(100) < percent; }

    std::vector<StoredAssociation> tree() {
        std::vector<StoredAssociation> all{
            {.id = 1, .name = {.cluster = "c", .account = "root"}, .whole = {"normal"}}};
        std::vector<std::string> accounts{"root"};
        for (const char* account : {"p", "q", "r", "s"}) {
            add(all, {.name = {.cluster = "c", .account = account},
                      .parent_account = accounts[below(accounts.size())]});
            accounts.emplace_back(account);
        }
        for (const char* user : {"ana", "bob"})
            for (std::size_t i = 1; i < accounts.size(); ++i)
                add(all, {.name = {.cluster = "c", .account = accounts[i], .user = user}});
        for (const auto& record : AssociationTree(all).records()) {
            if (record.qos.empty() || !chance(25)) continue;
            auto& own_default = std::ranges::find(all, record.name, &StoredAssociation::name)->own_default;
            own_default = *record.qos.begin();
            const auto with_it = AssociationTree(all).records();
            if (!std::ranges::all_of(with_it, has_usable_default)) own_default.reset();
        }
        return all;
    }

    OwnAccess own() {
        if (chance(40)) return {.whole = names()};
        if (chance(30)) return {};
        OwnAccess own{.added = names(), .removed = names()};
        own.removed = model::difference(own.removed, own.added);
        return own;
    }

    std::vector<AccessChange> own_changes(const std::vector<StoredAssociation>& all) {
        std::vector<AccessChange> changes;
        for (const StoredAssociation& one : all)
            if (one.id != 1 && chance(15)) changes.push_back({.name = one.name, .own = own()});
        return changes;
    }

    std::vector<AccessChange> any_changes(const std::vector<StoredAssociation>& all) {
        auto changes = own_changes(all);
        for (const StoredAssociation& one : all) {
            if (std::ranges::count(changes, one.name, &AccessChange::name) != 0 || !chance(20)) continue;
            AccessChange change{.name = one.name, .granted = names(), .revoked = names()};
            change.revoked = model::difference(change.revoked, change.granted);
            changes.push_back(std::move(change));
        }
        for (AccessChange& change : changes)
            if (chance(15)) change.default_qos = chance(30) ? "" : name();
        return changes;
    }

  private:
    std::size_t below(std::size_t bound) {
        return std::uniform_int_distribution<std::size_t>(0, bound - 1)(engine_);
    }

    std::string name() {
        static const Words all{"a", "b", "d", "normal"};
        return all[below(all.size())];
    }

    NameSet names() {
        NameSet names;
        for (const char* name : {"a", "b", "d", "normal"})
            if (chance(40)) names.insert(name);
        return names;
    }

    void add(std::vector<StoredAssociation>& all, StoredAssociation one) {
        one.id = static_cast<std::uint32_t>(all.size() + 1);
        if (chance(60)) {
            OwnAccess stored = own();
            one.whole = std::move(stored.whole);
            one.added = std::move(stored.added);
            one.removed = std::move(stored.removed);
        }
        all.push_back(std::move(one));
    }

    std::mt19937 engine_;
};

std::string words_of(const SentToSlurmctld::Access& access) {
    return text::join(Words(access.qos.begin(), access.qos.end()), ",") + " default " +
           access.default_qos.value_or("none");
}

/// slurmctld and slurmdbd after the changes and what repeats them.
/// False: nothing was to be told, or a default could not be used.
bool expect_told(SentToSlurmctld& slurm, const std::vector<AccessChange>& changes, bool repeats) {
    const auto plan = slurm.tree().plan(changes);
    if (!plan || plan->writes.empty()) return false;
    slurm.commit(plan->writes);
    BOOST_TEST(std::ranges::equal(slurm.stored(), plan->after.stored()));
    if (repeats) {
        slurm.commit(plan->after.repeat(changes));
        BOOST_TEST(std::ranges::equal(slurm.stored(), plan->after.stored()));
    }
    const auto right = slurm.should_have();
    for (const auto& [name, access] : slurm.has())
        BOOST_TEST(words_of(access) == words_of(right.at(name)),
                   describe(name) << ": " << words_of(access) << ", should be " << words_of(right.at(name)));
    BOOST_TEST(slurm.has_each_once());
    BOOST_TEST(slurm.refused() == Words{}, boost::test_tools::per_element());
    return true;
}

} // namespace

BOOST_AUTO_TEST_SUITE(own_access)

BOOST_AUTO_TEST_CASE(a_list_is_set_as_a_whole) {
    const auto plan = AssociationTree(family_with_x())
                          .plan(std::vector{AccessChange{.name = bob, .own = OwnAccess{{"b", "y"}}}});

    BOOST_TEST_REQUIRE(plan.has_value());
    BOOST_TEST(kinds_of(plan->writes) == (Words{"grant", "set_list"}), boost::test_tools::per_element());
    BOOST_TEST(plan->writes[1].qos == (Words{"b", "y"}), boost::test_tools::per_element());
    BOOST_TEST(stored_for(plan->after, bob) == "=b,y");
}

BOOST_AUTO_TEST_CASE(what_is_stored_already_needs_no_call) {
    BOOST_TEST(AssociationTree(family_with_x())
                   .plan(std::vector{AccessChange{.name = top, .own = OwnAccess{{"a", "b"}}},
                                     AccessChange{.name = ana, .own = OwnAccess{.added = {"x"}}},
                                     AccessChange{.name = bob, .own = OwnAccess{}}})
                   .value()
                   .writes.empty());
}

BOOST_AUTO_TEST_CASE(below_an_account_that_gets_a_list_differences_are_written_once_more) {
    const auto plan = AssociationTree(family_with_x())
                          .plan(std::vector{AccessChange{.name = sub, .own = OwnAccess{{"b"}}}});

    BOOST_TEST_REQUIRE(plan.has_value());
    BOOST_TEST(kinds_of(plan->writes) == (Words{"rewrite", "set_list"}), boost::test_tools::per_element());
    BOOST_TEST(plan->writes[0].qos == Words{"+x"}, boost::test_tools::per_element());
    BOOST_TEST(plan->writes[0].ids == std::vector<std::uint32_t>{4}, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_that_ends_is_told_by_what_is_gained_and_lost) {
    auto all = family_with_x();
    all[4].whole = {"a", "y"};

    const auto plan =
        AssociationTree(all).plan(std::vector{AccessChange{.name = bob, .own = OwnAccess{.removed = {"a"}}}});

    BOOST_TEST_REQUIRE(plan.has_value());
    BOOST_TEST(kinds_of(plan->writes) == (Words{"grant", "end", "restore"}),
               boost::test_tools::per_element());
    BOOST_TEST(plan->writes[1].qos == (Words{"-a", "-y", "+b"}), boost::test_tools::per_element());
    BOOST_TEST(plan->writes[2].qos == Words{"-a"}, boost::test_tools::per_element());
    BOOST_TEST(stored_for(plan->after, bob) == "-a");
}

BOOST_AUTO_TEST_CASE(an_end_is_never_told_without_a_word) {
    auto all = family_with_x();
    all[4].whole = {"a", "b"};
    all[3].removed = {"z"};
    all[3].added.clear();

    const auto plan = AssociationTree(all).plan(std::vector{AccessChange{.name = bob, .own = OwnAccess{}},
                                                            AccessChange{.name = ana, .own = OwnAccess{}}});

    for (const AccessWrite& write : plan.value().writes)
        BOOST_TEST(!write.qos.empty());
    BOOST_TEST(plan.value().writes.size() == 1u);
    BOOST_TEST(plan.value().writes[0].ids.size() == 2u);
}

BOOST_AUTO_TEST_CASE(a_revoked_grant_leaves_the_other_differences) {
    auto all = family_with_x();
    all[3].added = {"x", "y"};
    all[3].removed = {"a"};

    const auto plan = AssociationTree(all).plan(std::vector{AccessChange{.name = ana, .revoked = {"x"}}});

    BOOST_TEST(stored_for(plan.value().after, ana) == "+y -a");
}

BOOST_AUTO_TEST_CASE(a_default_among_the_differences_is_never_cleared) {
    auto all = family_with_x();
    all[3].added = {"x", "y"};
    all[3].own_default = "y";

    const auto plan = AssociationTree(all).plan(std::vector{AccessChange{.name = ana, .revoked = {"x"}}});

    BOOST_TEST(kinds_of(plan.value().writes) == (Words{"set_list", "unlist"}),
               boost::test_tools::per_element());
    BOOST_TEST(plan.value().writes[0].qos == (Words{"a", "b", "y"}), boost::test_tools::per_element());
    BOOST_TEST(plan.value().writes[1].qos == (Words{"-a", "-b", "-y", "+y"}),
               boost::test_tools::per_element());
    BOOST_TEST(stored_for(plan.value().after, ana) == "+y");
}

BOOST_AUTO_TEST_CASE(a_default_of_a_user_below_is_never_cleared) {
    auto all = family_with_x();
    all[2].added = {"y", "z"};
    const auto plan_of = [&] {
        return AssociationTree(all).plan(std::vector{AccessChange{.name = sub, .revoked = {"z"}}}).value();
    };
    BOOST_TEST(kinds_of(plan_of().writes) == (Words{"end", "restore"}), boost::test_tools::per_element());

    all[4].own_default = "y";
    BOOST_TEST(kinds_of(plan_of().writes) == (Words{"rewrite", "set_list", "unlist"}),
               boost::test_tools::per_element());
    BOOST_TEST(stored_for(plan_of().after, sub) == "+y");

    all[4].own_default = "b"; // of the list above: it is there without any difference
    BOOST_TEST(kinds_of(plan_of().writes) == (Words{"end", "restore"}), boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_list_that_ends_keeps_the_default_that_it_had) {
    auto all = family_with_x();
    all[4].whole = {"d", "y"};
    all[4].own_default = "d";

    const auto plan =
        AssociationTree(all).plan(std::vector{AccessChange{.name = bob, .own = OwnAccess{.added = {"d"}}}});

    BOOST_TEST(kinds_of(plan.value().writes) == (Words{"grant", "grant", "set_list", "unlist"}),
               boost::test_tools::per_element());
    BOOST_TEST(stored_for(plan.value().after, bob) == "+d");
}

BOOST_AUTO_TEST_CASE(what_cannot_be_stored_is_refused) {
    BOOST_TEST(refusal({.name = bob, .granted = {"x"}, .own = OwnAccess{{"a"}}})
                   .find("a list of its own is set, and something is granted or revoked besides") !=
               std::string::npos);
    BOOST_TEST(refusal({.name = bob, .own = OwnAccess{{"a"}, {"x"}}})
                   .find("a list of its own has no differences to the list above") != std::string::npos);
    BOOST_TEST(refusal({.name = bob, .own = OwnAccess{.added = {"x"}, .removed = {"x"}}})
                   .find("a QOS is added to the list above and removed from it") != std::string::npos);
    BOOST_TEST(refusal({.name = ana, .default_qos = "x", .own = OwnAccess{{"a"}}})
                   .find("user ana in account sub of cluster c would have QOS 'x' as its default") == 0u);
}

/// Tells what `make` changes of random trees; of how many trees expect_told() was true.
template <typename Make>
std::size_t count_told(unsigned trees, bool repeats, Make make) {
    std::size_t told = 0;
    for (unsigned seed = 0; seed < trees; ++seed) {
        BOOST_TEST_CONTEXT("seed " << seed) {
            RandomTree random(seed);
            SentToSlurmctld slurm(random.tree());
            told += expect_told(slurm, make(random, slurm.stored()), repeats) ? 1 : 0;
        }
    }
    return told;
}

BOOST_AUTO_TEST_CASE(slurmctld_has_what_slurmdbd_has_after_any_changes) {
    const auto any = [](RandomTree& random, const auto& stored) { return random.any_changes(stored); };
    BOOST_TEST(count_told(2000, /*repeats=*/true, any) > 1000u);
}

BOOST_AUTO_TEST_CASE(a_single_own_list_is_told_in_its_own_transaction) {
    const auto one = [](RandomTree& random, const auto& stored) {
        auto changes = random.own_changes(stored);
        if (changes.size() > 1) changes.resize(1);
        return changes;
    };
    BOOST_TEST(count_told(1000, /*repeats=*/false, one) > 500u);
}

BOOST_AUTO_TEST_SUITE_END()
