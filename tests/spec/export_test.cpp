// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/export.hpp"

#include "spec/spec_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;

namespace {

const std::string head = "# QOSs of cluster c. Fields that are not named stay as they are.\nowner: base\n";

std::string exported(const LiveState& state, std::vector<std::string> names = {}) {
    return export_spec(state, {"base", std::move(names)}).value();
}

} // namespace

BOOST_AUTO_TEST_SUITE(export_spec_text)

BOOST_AUTO_TEST_CASE(what_is_set_is_written_as_people_write_it) {
    const LiveState state = live({stored_qos(
        "night", {"Description=Long: \"jobs\" # here", "Priority=7", "GrpTRES=cpu=5,mem=2048,gres/gpu=2",
                  "MaxWall=90", "Flags=NoReserve,DenyOnLimit", "Preempt=low", "UsageFactor=0.5",
                  "GraceTime=30", "GrpJobs=0", "PreemptMode=REQUEUE"})});
    BOOST_TEST(exported(state) == head + R"(qos:
  night:
    Description: "Long: \"jobs\" # here"
    Priority: 7
    MaxWall: "01:30:00"
    GrpTRES: {cpu: 5, mem: 2G, "gres/gpu": 2}
    GrpJobs: 0
    Flags: [DenyOnLimit, NoReserve]
    UsageFactor: 0.5
    Preempt: [low]
    PreemptMode: [REQUEUE]
    GraceTime: "00:00:30"
)");
}

BOOST_AUTO_TEST_CASE(a_qos_with_nothing_set_and_no_qos_at_all) {
    BOOST_TEST(exported(live({stored_qos("night")})) == head + "qos:\n  night: {}\n");
    BOOST_TEST(exported(live({})) == head + "qos: {}\n");
}

BOOST_AUTO_TEST_CASE(names_that_yaml_takes_for_something_else_are_quoted) {
    const std::string text =
        exported(live({stored_qos("12"), stored_qos("no"), stored_qos("a-b.c"), stored_qos("a:b")}));
    BOOST_TEST(text == head + "qos:\n  \"12\": {}\n  a-b.c: {}\n  \"a:b\": {}\n  \"no\": {}\n");
}

BOOST_AUTO_TEST_CASE(marks_are_hidden_and_fields_of_others_left_out) {
    const LiveState state =
        live({stored_qos("night", {"MaxWall=60", "Priority=5", "Description=Text [qosgate:base*=8,ops=4]"})});
    BOOST_TEST(exported(state) == head + "qos:\n  night:\n    # managed by ops: Priority\n    Description: "
                                         "Text\n    MaxWall: \"01:00:00\"\n");
}

BOOST_AUTO_TEST_CASE(what_no_spec_can_say_is_left_out_with_a_comment) {
    model::QosRecord night = stored_qos("night");
    night.description = "two\nlines";
    night.flags = {"bit20"};
    BOOST_TEST(exported(live({night})) == head + R"(qos:
  night: {}
    # Description is left out: it has control characters, or spaces at its ends
    # Flags is left out: a newer Slurm set bit20
)");
    night.flags = {};
    night.description = "caf\xe9";
    BOOST_TEST(exported(live({night})) ==
               head + "qos:\n  night: {}\n    # Description is left out: it is not UTF-8\n");
    BOOST_TEST(exported(live({stored_qos("a b")})).find("# QOS 'a b' is left out") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(a_value_that_no_spec_can_have_is_left_out_with_a_comment) {
    const model::QosField& counts = *model::get_qos_field("GrpTRES").value().field;
    model::QosRecord night = stored_qos("night", {"MaxWall=60"});
    const auto with = [&](std::uint64_t count) {
        put_field(counts, night, model::TresLimits{{"cpu", count}});
        return exported(live({night}));
    };
    BOOST_TEST(with(9223372036854775807U) ==
               head + "qos:\n  night:\n    MaxWall: \"01:00:00\"\n    GrpTRES: {cpu: 9223372036854775807}\n");
    BOOST_TEST(with(9223372036854775808U) ==
               head + "qos:\n  night:\n    MaxWall: \"01:00:00\"\n    # GrpTRES is left out: cpu is "
                      "9223372036854775808, and a spec has at most 9223372036854775807\n");
}

BOOST_AUTO_TEST_CASE(records_become_a_spec_without_an_owner) {
    const std::vector<model::QosRecord> records{
        stored_qos("night", {"MaxWall=60", "Priority=5", "Description=Text [qosgate:base*=8,ops=4]"})};
    const std::vector<model::AssociationRecord> all =
        associations({account("root", "", {{"normal"}}), account("physics", "root", {{"night"}})});
    const std::string start = "# To plan it, put \"owner: NAME\" here.\nqos:\n  night:\n";
    const std::string comments = "    # managed by base: MaxWall\n    # managed by ops: Priority\n";

    BOOST_TEST(write_records(records, nullptr, {}) ==
               start + comments + "    Description: Text\n    Priority: 5\n    MaxWall: \"01:00:00\"\n");
    BOOST_TEST(write_records(records, &all, {"Description", "Priority"}) ==
               start + comments + "    MaxWall: \"01:00:00\"\n    access:\n      accounts: [physics]\n");
    BOOST_TEST(write_records({}, nullptr, {}) == "# To plan it, put \"owner: NAME\" here.\nqos: {}\n");
}

BOOST_AUTO_TEST_CASE(hidden_access_is_left_out_with_a_comment) {
    LiveState state = live({stored_qos("night")}, {account("root", "", {{"night"}})});
    BOOST_TEST(exported(state).find("accounts: [root]") != std::string::npos);
    state.hides_associations = true;
    const std::string text = exported(state);
    BOOST_TEST(text.find("accounts: [root]") == std::string::npos);
    BOOST_TEST(text.find("# Access is left out: PrivateData in slurmdbd.conf hides") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(access_names_own_lists_and_own_defaults) {
    const LiveState state = live({stored_qos("night"), stored_qos("normal")},
                                 {account("root", "", {{"normal"}}),
                                  with_default(account("physics", "root", {{"night", "normal"}}), "night"),
                                  account("chemistry", "root"), user("ana", "physics"),
                                  with_default(user("bob", "chemistry", {{"night"}}), "night"),
                                  user("cyd", "physics", {{"night"}}, "gpu")});
    BOOST_TEST(exported(state, {"night"}) == head + R"(qos:
  night:
    access:
      accounts: [physics]
      users:
        - {user: bob, account: chemistry}
        - {user: cyd, account: physics, partition: gpu}
      default_for:
        accounts: [physics]
        users:
          - {user: bob, account: chemistry}
)");
}

BOOST_AUTO_TEST_CASE(a_user_who_has_it_in_some_partitions_only_is_a_comment) {
    const LiveState state =
        live({stored_qos("night")}, {account("root", "", {{"normal"}}), user("ana", "root", {{"night"}}),
                                     user("ana", "root", {{"normal"}}, "gpu")});
    const std::string text = exported(state);
    BOOST_TEST(text.find("access:\n") == std::string::npos);
    BOOST_TEST(
        text.find("# access: user 'ana' in account 'root' is left out, because without a partition it would "
                  "stand for all partitions") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(comments_of_a_qos_without_fields_stand_below_it) {
    const LiveState state = live({stored_qos("day", {"Priority=5"}),
                                  stored_qos("night", {"MaxWall=60", "Description=night [qosgate:ops=8]"})});
    BOOST_TEST(exported(state) ==
               head + "qos:\n  day:\n    Priority: 5\n  night: {}\n    # managed by ops: MaxWall\n");
}

BOOST_AUTO_TEST_CASE(chosen_qos_must_exist) {
    const LiveState state = live({stored_qos("night"), stored_qos("day")});
    BOOST_TEST(exported(state, {"Night"}) == head + "qos:\n  night: {}\n");
    BOOST_TEST(export_spec(state, {"base", {"nigth"}}).error().message ==
               "there is no QOS 'nigth'; did you mean night?");
}

BOOST_AUTO_TEST_CASE(the_owner_must_be_one_that_a_spec_can_have) {
    const LiveState state = live({stored_qos("night")});
    BOOST_TEST(export_spec(state, {"base-2"}).has_value());
    for (const std::string owner : {"a b", "Base", "", "aaaaaaaaaabbbbbbbbbbccccccccccddd"})
        BOOST_TEST(!export_spec(state, {owner}).has_value(), owner);
    BOOST_TEST(export_spec(state, {"Base"}).error().message ==
               "'Base' cannot be an owner: " + std::string(owner_rule()));
}

BOOST_AUTO_TEST_CASE(a_deleted_qos_comes_back_with_its_access) {
    const auto all =
        associations({account("root", "", {{"normal"}}), account("physics", "root", {{"night"}})});
    const model::QosRecord record = stored_qos("night", {"MaxWall=60", "Description=night [qosgate:ops*=8]"});
    BOOST_TEST(
        spec_for(record, {all[1]}, "base") ==
        "owner: base\nqos:\n  night:\n    MaxWall: \"01:00:00\"\n    access:\n      accounts: [physics]\n");
}

BOOST_AUTO_TEST_SUITE_END()
