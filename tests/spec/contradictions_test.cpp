// SPDX-License-Identifier: GPL-2.0-or-later
//
// All that is wrong with files is told at once, and where: what they say by themselves, and what the cluster
// contradicts.
#include "spec/load_setup.hpp"
#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

LiveState cluster() {
    return live({stored_qos("low"), stored_qos("normal")},
                {account("root", "", {{"normal"}}), account("physics", "root"), account("chemistry", "root"),
                 user("ana", "physics"), user("bob", "chemistry")});
}

/// What the cluster contradicts, also in a file that is wrong by itself.
std::vector<std::string> contradictions(const std::string& text) {
    const Loaded loaded = load_text(text);
    return texts_of(find_contradictions(loaded.desired, loaded.has_all_qos, cluster()));
}

std::vector<std::string> problems_of_plan(const std::string& text) {
    return texts_of(make_plan({.qos = qos_in(text)}, cluster(), {}).problems);
}

const std::string contradicted = R"(owner: base
qos:
  q:
    Preempt: [low, nosuch]
    GrpTRES: { cpu: 5, gpu: 50% of nopart }
    access:
      accounts: [physics, chemistri]
      users:
        - ana
        - { user: bob, account: astro }
      default_for: [chem]
  r:
    access: { default_for: { accounts: [chemistry], users: [{ user: ana, account: physics }] } }
)";

const std::vector<std::string> told{
    "a.yaml:4:20: QOS 'q': Preempt: there is no QOS 'nosuch'",
    "a.yaml:5:29: QOS 'q': GrpTRES: gres/gpu=50%: there is no partition 'nopart'",
    "a.yaml:7:27: QOS 'q': access: there is no account 'chemistri'; did you mean chemistry?",
    "a.yaml:10:11: QOS 'q': access: there is no account 'astro'",
    "a.yaml:11:21: QOS 'q': access: there is no account 'chem'",
    "a.yaml:13:41: QOS 'r': it cannot be the default QOS of account 'chemistry', which may not use it; name "
    "that in access, too",
    "a.yaml:13:61: QOS 'r': it cannot be the default QOS of user 'ana' in account 'physics', which may not "
    "use it; name that in access, too"};

} // namespace

BOOST_AUTO_TEST_SUITE(contradictions_of_the_cluster)

BOOST_AUTO_TEST_CASE(all_are_told_at_once_and_each_with_the_place_of_its_entry) {
    BOOST_TEST(problems_of_plan(contradicted) == told, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(they_are_told_beside_what_is_wrong_in_the_files) {
    const std::string text = contradicted + "  s:\n    MaxWal: 5\n    GrpTRES: { widgets: 5 }\n";

    BOOST_TEST(load_text(text).problems.size() == 2u);
    BOOST_TEST(load_text(text).has_all_qos);
    BOOST_TEST(contradictions(text) == told, boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(what_may_follow_from_a_problem_of_the_files_is_not_told) {
    // The QOS with the wrong name may be the one in Preempt.
    const std::string wrong_name = "  b c: {}\n  s: { Preempt: [bc] }\n";
    BOOST_TEST(contradictions("owner: base\nqos:\n" + wrong_name).empty());
    BOOST_TEST(!load_text("owner: base\nqos:\n" + wrong_name).has_all_qos);
    // The entry with the wrong name may be the one that may use it.
    BOOST_TEST(
        contradictions("owner: base\nqos:\n  q: { access: { accounts: ['a b'], default_for: [physics] } }\n")
            .empty());
    BOOST_TEST(contradictions(
                   "owner: base\nqos:\n  q: { access: { accounts: [physiks], default_for: [physics] } }\n")
                   .size() == 1u);
    // The owner is told by the loader.
    BOOST_TEST(contradictions("owner: Base!\nqos: { q: { MaxWall: 5 } }\n").empty());
    BOOST_TEST(
        contradictions("owner: base\nqos: { q: { Flags: [Relative], GrpTRES: { cpu: 50% } } }\n").empty());
}

BOOST_AUTO_TEST_CASE(an_entry_of_a_template_has_its_place_there) {
    const std::vector<std::string> problems = problems_of_plan(
        "owner: base\ntemplates:\n  t:\n    Preempt: nosuch\n    access: { accounts: [physiks] }\n"
        "qos:\n  q: { template: t, access: { users: [anna] } }\n");

    BOOST_TEST(problems == (std::vector<std::string>{
                               "a.yaml:4:5: QOS 'q': Preempt: there is no QOS 'nosuch'",
                               "a.yaml:5:26: QOS 'q': access: there is no account 'physiks'; did you mean "
                               "physics?",
                               "a.yaml:7:39: QOS 'q': access: there is no user 'anna'; did you mean ana?"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(a_loop_of_preemption_has_a_place) {
    BOOST_TEST(problems_of_plan("owner: base\nqos:\n  a: { Preempt: [low, b] }\n  b: { Preempt: [a] }\n") ==
                   (std::vector<std::string>{
                       "a.yaml:3:23: Preempt: these QOSs could preempt each other in a loop: a > b > a"}),
               boost::test_tools::per_element());
}

BOOST_AUTO_TEST_CASE(hidden_associations_are_not_taken_for_missing_ones) {
    LiveState state = cluster();
    state.associations.clear();
    state.hides_associations = true;
    const std::string access = "owner: base\nqos:\n  q:\n    access: { accounts: [physics] }\n";

    const Planned planned = make_plan({.qos = qos_in(access)}, state, {});
    BOOST_TEST(planned.lacks_permission);
    BOOST_TEST(
        texts_of(planned.problems) ==
            (std::vector<std::string>{"a.yaml:4:5: QOS 'q': access: who may use a QOS cannot be compared: " +
                                      std::string(hidden_associations)}),
        boost::test_tools::per_element());
    // Fields can be compared.
    BOOST_TEST(make_plan({.qos = qos_in(with_line("MaxWall: 5"))}, state, {}).problems.empty());
    state.hides_associations = false;
    BOOST_TEST(!make_plan({.qos = qos_in(access)}, state, {}).lacks_permission);
}

BOOST_AUTO_TEST_SUITE_END()
