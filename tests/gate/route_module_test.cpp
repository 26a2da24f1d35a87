// SPDX-License-Identifier: GPL-2.0-or-later
//
// require("route"): a QOS chosen by what limits leave.
#include "support/texts.hpp"
#include "support/view_setup.hpp"

#include <boost/test/unit_test.hpp>

using namespace qg;
using model::CountLimit;
using model::TresLimit;

namespace {

/// Ana may use normal and moonlight, and uses 2 of 4 CPUs of normal and 2 of 8 of moonlight.
struct RouteSetup : test::ViewSetup {
    RouteSetup() {
        request.submit_uid = 1000;
        for (const auto& [index, limit] : {std::pair(0u, 4u), {1u, 8u}}) {
            qos(index).limits.set(TresLimit::max_tres_per_user, cpu, limit);
            model::TresCounts used(records.tres->size());
            used.at(cpu) = 2;
            records.qos.at(index).users[1000].tres = used;
        }
    }

    void ask_cpus(std::uint32_t count) {
        request.tasks = count;
        request.min_cpus = count;
    }

    /// The QOS chosen from normal and moonlight, or "none: " and the reason.
    std::string choose(const std::string& options = {}) const {
        return answer("local qos, why = route.choose(job, view, { candidates = { 'normal', 'moonlight' }" +
                      options + " }) job:note('%s', qos or 'none: ' .. why)");
    }
    std::string room(const std::string& name) const {
        return answer("job:note('%s', tostring(route.room(job, view.qos('" + name + "'))))");
    }

  private:
    std::string answer(const std::string& body) const {
        const auto policy = test::load_rule("local route = require('route')\n"
                                            "rule { submit = function(job, view) " +
                                            body + " end }");
        return shown(decide(policy.get()));
    }

    const std::size_t cpu = tres("cpu");
};

const std::string by_priority = ", choose = 'highest_priority'";
const std::string by_headroom = ", choose = 'most_headroom'";

} // namespace

BOOST_FIXTURE_TEST_SUITE(route_module, RouteSetup)

BOOST_AUTO_TEST_CASE(the_first_candidate_with_room_is_chosen) {
    ask_cpus(2);
    BOOST_TEST(choose() == "normal");
    BOOST_TEST(choose(", choose = 'first_fit'") == "normal");
    ask_cpus(3);
    BOOST_TEST(choose() == "moonlight");
    ask_cpus(6);
    BOOST_TEST(choose() == "moonlight");
}

BOOST_AUTO_TEST_CASE(where_none_has_room_the_first_reason_is_told) {
    ask_cpus(7);
    BOOST_TEST(choose() ==
               "none: QOS normal: this job can never start as it is: CPUs per user in QOS normal: limit 4, "
               "in use 2 (all yours), this job asks for 7 (QOSMaxCpuPerUserLimit)");
}

BOOST_AUTO_TEST_CASE(a_higher_priority_is_tried_first) {
    ask_cpus(1);
    BOOST_TEST(choose(by_priority) == "normal"); // the same priority: the first of the list
    qos(1).priority = 1;
    BOOST_TEST(choose(by_priority) == "moonlight");
    BOOST_TEST(choose() == "normal");
    ask_cpus(7);
    BOOST_TEST(choose(by_priority).starts_with("none: QOS moonlight: "));
}

BOOST_AUTO_TEST_CASE(more_room_is_tried_first) {
    ask_cpus(1);
    BOOST_TEST(room("normal") == "2.0");
    BOOST_TEST(room("moonlight") == "6.0");
    BOOST_TEST(choose(by_headroom) == "moonlight");
    qos(1).limits.set(CountLimit::grp_jobs, 2);
    BOOST_TEST(room("moonlight") == "2.0");
    BOOST_TEST(choose(by_headroom) == "normal"); // the same room: the first of the list
}

BOOST_AUTO_TEST_CASE(most_room_does_not_help_where_another_limit_is_exceeded) {
    ask_cpus(1);
    qos(1).limits.set(CountLimit::max_wall, 5);
    request.time_limit = TimeLimit{6};
    BOOST_TEST(choose(by_headroom) == "normal");
    request.time_limit = TimeLimit{5};
    BOOST_TEST(choose(by_headroom) == "moonlight");
}

BOOST_AUTO_TEST_CASE(minutes_and_tasks_of_arrays_take_room) {
    ask_cpus(2);
    request.time_limit = TimeLimit{30};
    qos(1).limits.set(TresLimit::grp_tres_mins, tres("cpu"), 90);
    BOOST_TEST(room("moonlight") == "1.5");
    request.time_limit = TimeLimit::unlimited();
    BOOST_TEST(room("moonlight") == "0");
    request.time_limit = TimeLimit{1};
    qos(1).limits.set(CountLimit::grp_submit_jobs, 5);
    request.array = "1-10";
    BOOST_TEST(room("moonlight") == "0.5");
}

BOOST_AUTO_TEST_CASE(a_qos_without_limits_has_room_for_any_number) {
    qos(0).limits = model::Limits(records.tres->size());
    BOOST_TEST(room("normal") == "inf");
}

BOOST_AUTO_TEST_CASE(candidates_that_do_not_exist_or_are_not_permitted_are_passed_over) {
    ask_cpus(1);
    const auto from = [&](const std::string& list) { return choose(", candidates = { " + list + " }"); };
    BOOST_TEST(from("'nosuch', 'secret', 'moonlight'") == "moonlight");
    BOOST_TEST(from("'nosuch'") == "none: there is none of them");
    BOOST_TEST(from("'secret'").starts_with("none: QOS secret: "));
}

BOOST_AUTO_TEST_CASE(candidates_are_a_list_of_names) {
    const std::string usage = "write route.choose(job, view, { candidates = { \"short\", \"long\" } })";
    for (const char* wrong : {", candidates = 'normal'", ", candidates = {}", ", candidates = false"}) {
        const std::string answer = choose(wrong);
        BOOST_TEST(answer.starts_with("error"), answer);
        BOOST_TEST(answer.find(usage) != std::string::npos, answer);
    }
    const auto many = [](std::size_t count) {
        return ", candidates = { " + test::repeated("'nosuch', ", count) + "}";
    };
    BOOST_TEST(choose(many(16)) == "none: there is none of them");
    BOOST_TEST(choose(many(17)).find(usage) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_unknown_way_to_choose_is_an_error) {
    const std::string answer = choose(", choose = 'best'");
    BOOST_TEST(answer.starts_with("error: "));
    BOOST_TEST(answer.find(": choose = 'best' is unknown (first_fit, highest_priority, most_headroom)") !=
               std::string::npos);
}

BOOST_AUTO_TEST_SUITE_END()
