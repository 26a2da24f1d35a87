// SPDX-License-Identifier: GPL-2.0-or-later
#include "controller_setup.hpp"

using namespace qg;
using namespace qg::test;
using model::AssociationLevel;
using model::QosProblem;

BOOST_FIXTURE_TEST_SUITE(controller_quota, ControllerSetup)

BOOST_AUTO_TEST_CASE(without_slurms_symbols_it_says_which_is_missing) {
    const plugin::ControllerQuota none(Error{ErrorCode::unsupported, "no symbols"});

    const auto result = none.check(lookup);

    BOOST_TEST_REQUIRE(!result.has_value());
    BOOST_TEST(result.error().message == "no symbols");
}

BOOST_AUTO_TEST_CASE(without_slurms_symbols_anybody_may_have_the_right_to_change_a_job) {
    const plugin::ControllerQuota none(Error{ErrorCode::unsupported, "no symbols"});

    BOOST_TEST(none.may_change(/*user_id=*/1002, /*owner=*/1001, "astro"));
}

BOOST_AUTO_TEST_CASE(before_the_first_word_of_the_database_it_is_unavailable) {
    records.qos_list = nullptr;

    const auto result = quota.check(lookup);

    BOOST_TEST_REQUIRE(!result.has_value());
    BOOST_TEST(result.error().code == ErrorCode::unavailable);
    BOOST_TEST(records.locks_held == 0);
}

BOOST_AUTO_TEST_CASE(a_job_is_changed_by_its_owner_its_coordinator_operators_and_nobody_else) {
    slurmdb_coord_rec_t of_astro{};
    std::string name = "Astro";
    of_astro.name = name.data();
    const slurm::OwnedList coordinated = slurm::make_borrowing_list();
    slurm::append(coordinated, &of_astro);
    records.user_ben->coord_accts = coordinated.get();

    BOOST_TEST(quota.may_change(ana, ana, "astro"));
    BOOST_TEST(quota.may_change(0, ana, "astro"));
    BOOST_TEST(quota.may_change(ben, ana, "astro"));
    BOOST_TEST(!quota.may_change(ben, ana, "bio"));
    BOOST_TEST(!quota.may_change(stranger, ana, "astro"));
    records.user_ben->coord_accts = nullptr;
    BOOST_TEST(!quota.may_change(ben, ana, "astro"));
    records.user_ben->admin_level = SLURMDB_ADMIN_OPERATOR;
    BOOST_TEST(quota.may_change(ben, ana, "astro"));
}

BOOST_AUTO_TEST_CASE(without_a_database_there_is_nothing_to_be_found) {
    records.qos_list = nullptr;
    auto symbols = records.symbols();
    symbols.keeps_accounts = false;

    const auto result = plugin::ControllerQuota(symbols).check(lookup);

    BOOST_TEST_REQUIRE(!result.has_value());
    BOOST_TEST(result.error().code == ErrorCode::not_found);
}

BOOST_AUTO_TEST_CASE(it_holds_read_locks_on_what_it_reads_and_no_others) {
    static_cast<void>(view());

    const auto& locks = records.last_locks;
    const std::vector<int> locked{locks.assoc, locks.qos, locks.tres, locks.user};
    const std::vector<int> left_alone{locks.file, locks.res, locks.wckey};
    BOOST_TEST(locked == std::vector(4, 1)); // for reading
    BOOST_TEST(left_alone == std::vector(3, 0));
}

BOOST_AUTO_TEST_CASE(a_job_without_account_has_the_users_default_account) {
    const auto found = view();

    BOOST_TEST(found.user_name == "ana");
    BOOST_TEST(found.account == "astro");
    BOOST_TEST_REQUIRE(found.associations.size() == 3u);
    BOOST_TEST(found.associations[0].level == AssociationLevel::user);
    BOOST_TEST(found.associations[1].level == AssociationLevel::account);
    BOOST_TEST(found.associations[2].level == AssociationLevel::root);
}

BOOST_AUTO_TEST_CASE(a_default_account_that_changed_is_seen_at_once) {
    BOOST_TEST(view().account == "astro");

    std::string account = "bio";
    records.user_ana->default_acct = account.data();
    records.ana_astro->is_def = 0;
    records.ana_bio->is_def = 1;

    BOOST_TEST(view().account == "bio");
    BOOST_TEST(view().account == "bio");
}

BOOST_AUTO_TEST_CASE(an_account_asked_for_is_used_whatever_its_case) {
    lookup.account = "BIO";

    BOOST_TEST(view().account == "bio");
}

BOOST_AUTO_TEST_CASE(an_account_the_user_is_not_in_has_no_association) {
    lookup.account = "chem";

    const auto found = view();

    BOOST_TEST(found.associations.empty());
    BOOST_TEST(found.account == "chem");
    BOOST_TEST(found.user_name == "ana");
}

BOOST_AUTO_TEST_CASE(where_associations_are_not_enforced_the_default_account_stands_in) {
    records.enforce = 0;
    lookup.account = "chem";

    BOOST_TEST(view().account == "astro");
}

BOOST_AUTO_TEST_CASE(a_user_unknown_to_accounting_has_no_name) {
    lookup.user_id = stranger;

    const auto found = view();

    BOOST_TEST(found.user_name.empty());
    BOOST_TEST(found.account.empty());
    BOOST_TEST(found.associations.empty());
}

BOOST_AUTO_TEST_CASE(a_user_without_default_account_has_no_association) {
    records.add_user("eve", 1003, nullptr);
    lookup.user_id = 1003;

    const auto found = view();

    BOOST_TEST(found.user_name == "eve");
    BOOST_TEST(found.associations.empty());
}

BOOST_AUTO_TEST_CASE(an_association_for_the_first_partition_wins) {
    records.add_association("astro", records.user_ana, records.astro, {small}, "gpu");
    in_partition("gpu");
    in_partition("main");

    BOOST_TEST(view().associations.at(0).partition == "gpu");
    BOOST_TEST(view().differing_partition.value() == 1u);

    lookup.partitions = lookup.partitions.subspan(1);
    BOOST_TEST(view().associations.at(0).partition.empty());
    BOOST_TEST(!view().differing_partition.has_value());
}

BOOST_AUTO_TEST_CASE(a_loop_in_the_account_tree_ends) {
    records.root->usage->parent_assoc_ptr = records.astro;

    BOOST_TEST(view().associations.size() == 64u);
}

BOOST_AUTO_TEST_CASE(a_qos_is_found_by_name_whatever_its_case) {
    lookup.qos = "SMALL";

    const auto found = view();

    BOOST_TEST(found.job_qos.problem == QosProblem::none);
    BOOST_TEST(found.job_qos.name == "small");
    BOOST_TEST(found.qos.at(*found.job_qos.qos).id == small);
    BOOST_TEST(!found.job_qos.is_default);
    BOOST_TEST(found.permitted_qos.empty());
}

BOOST_AUTO_TEST_CASE(the_record_of_a_deleted_qos_is_not_looked_into) {
    slurmdb_qos_rec_t& gone = records.add_qos("gone", 11);
    lookup.qos = "gone";
    BOOST_TEST(view().job_qos.problem == QosProblem::not_permitted);

    records.remove_qos(gone.id);
    gone.name = reinterpret_cast<char*>(1); // as if freed: reading the name crashes
    BOOST_TEST(view().job_qos.problem == QosProblem::unknown);
}

BOOST_AUTO_TEST_CASE(a_qos_made_again_under_another_id_is_found) {
    lookup.qos = "small";
    BOOST_TEST(view().qos.at(0).id == small);

    records.remove_qos(small);
    BOOST_TEST(view().job_qos.problem == QosProblem::unknown);

    records.add_qos("unrelated", small);
    records.add_qos("small", 12);
    BOOST_TEST(view().qos.at(0).id == 12u);
}

BOOST_AUTO_TEST_CASE(an_unknown_qos_is_a_problem_with_the_permitted_ones_named) {
    lookup.qos = "tiny";

    const auto found = view();

    BOOST_TEST(found.job_qos.problem == QosProblem::unknown);
    BOOST_TEST(found.job_qos.name == "tiny");
    BOOST_TEST(!found.job_qos.qos.has_value());
    BOOST_TEST(found.permitted_qos == (std::vector<std::string>{"normal", "small"}));
}

BOOST_AUTO_TEST_CASE(a_qos_the_association_may_not_use_is_a_problem) {
    lookup.qos = "other";

    BOOST_TEST(view().job_qos.problem == QosProblem::not_permitted);
}

BOOST_AUTO_TEST_CASE(the_default_qos_follows_slurmctlds_rule) {
    const auto chosen = [this] { return view().job_qos.name; };

    // Two QOSs are permitted and no default is set: "normal" by name.
    BOOST_TEST(chosen() == "normal");
    records.root->def_qos_id = small;
    BOOST_TEST(chosen() == "small");
    records.ana_astro->def_qos_id = normal;
    BOOST_TEST(chosen() == "normal");
    // The only permitted one.
    lookup.user_id = ben;
    BOOST_TEST(chosen() == "small");
    BOOST_TEST(view().job_qos.is_default);
}

BOOST_AUTO_TEST_CASE(a_default_that_is_not_permitted_is_a_problem) {
    records.ana_astro->def_qos_id = other;

    BOOST_TEST(view().job_qos.problem == QosProblem::default_not_permitted);
}

BOOST_AUTO_TEST_CASE(the_qos_of_a_partition_is_copied_once) {
    lookup.qos = "normal";
    in_partition("main", "small");
    in_partition("big", "normal");
    in_partition("plain");
    in_partition("odd", "gone");

    const auto found = view();

    BOOST_TEST(found.qos.size() == 2u);
    BOOST_TEST_REQUIRE(found.partitions.size() == 4u);
    BOOST_TEST(found.qos.at(*found.partitions[0].qos).name == "small");
    BOOST_TEST(found.partitions[1].qos == found.job_qos.qos);
    BOOST_TEST(!found.partitions[2].qos.has_value());
    BOOST_TEST(!found.partitions[3].qos.has_value());
}

BOOST_AUTO_TEST_CASE(a_list_of_qos_is_copied_in_the_order_of_priorities) {
    slurm_bit_set(records.ana_astro->usage->valid_qos, other);
    records.add_qos("urgent", 4).priority = 10;
    slurm_bit_set(records.ana_astro->usage->valid_qos, 4);
    lookup.qos = "normal,urgent,SMALL";
    lookup.takes_qos_lists = true;

    const auto found = view();

    BOOST_TEST(found.job_qos.problem == QosProblem::none);
    BOOST_TEST(found.job_qos.name == "urgent");
    BOOST_TEST_REQUIRE(found.job_qos.alternatives.size() == 2u);
    BOOST_TEST(found.qos.at(found.job_qos.alternatives[0]).name == "normal");
    BOOST_TEST(found.qos.at(found.job_qos.alternatives[1]).name == "small");
}

BOOST_AUTO_TEST_CASE(of_a_list_the_qos_that_is_not_permitted_is_named) {
    lookup.qos = "normal,other,small";
    lookup.takes_qos_lists = true;

    BOOST_TEST(view().job_qos.problem == QosProblem::not_permitted);
    BOOST_TEST(view().job_qos.name == "other");
    lookup.qos = "normal,nosuch";
    BOOST_TEST(view().job_qos.problem == QosProblem::unknown);
    BOOST_TEST(view().job_qos.name == "nosuch");
}

BOOST_AUTO_TEST_CASE(operators_may_give_jobs_any_qos) {
    lookup.qos = "other";
    lookup.requester = ben;
    BOOST_TEST(view().job_qos.problem == QosProblem::not_permitted);
    BOOST_TEST(!view().requester_is_operator);

    records.user_ben->admin_level = SLURMDB_ADMIN_OPERATOR;
    BOOST_TEST(view().job_qos.problem == QosProblem::none);
    BOOST_TEST(view().requester_is_operator);

    lookup.requester = 0;
    BOOST_TEST(view().requester_is_operator);
    lookup.requester.reset(); // a submission
    BOOST_TEST(view().job_qos.problem == QosProblem::not_permitted);
}

BOOST_AUTO_TEST_CASE(alternatives_come_with_what_the_user_gets_who_asks_for_none) {
    BOOST_TEST(view().default_account == "");
    lookup.lists_alternatives = true;
    BOOST_TEST(view().default_account == "astro");
    BOOST_TEST(view().default_qos == "normal");
    lookup.account = "bio"; // even if another account is asked for
    BOOST_TEST(view().default_account == "astro");
}

BOOST_AUTO_TEST_CASE(enforcement_is_slurmctlds) {
    BOOST_TEST(view().enforce.qos);
    records.enforce = 0;
    BOOST_TEST(!view().enforce.qos);
    BOOST_TEST(!view().enforce.limits);
}

BOOST_AUTO_TEST_CASE(the_tres_catalogue_is_shared_until_the_names_change) {
    const auto first = view().tres;
    BOOST_TEST(first->names().back() == "gres/gpu");
    BOOST_TEST(view().tres == first);

    records.set_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/fpga"});

    BOOST_TEST(view().tres != first);
    BOOST_TEST(view().tres->names().back() == "gres/fpga");
    BOOST_TEST(first->names().back() == "gres/gpu");
}

BOOST_AUTO_TEST_CASE(names_of_tres_are_compared_where_nothing_is_known_of_the_records) {
    records.running_cache = 1;
    BOOST_TEST(view().tres->names().back() == "gres/gpu");
    std::string renamed = "gres/fpga";
    (*records.symbols().tres_names)[view().tres->size() - 1] = renamed.data();
    BOOST_TEST(view().tres->names().back() == "gres/fpga");
}

BOOST_AUTO_TEST_SUITE_END()
