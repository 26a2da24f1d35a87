// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/quota/user_groups.hpp"

#include "qosgate/base/text.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace qg;
using quota::AskedGroups;
using quota::RecordedGroups;

namespace {

/// What the test's directory service knows, and how often it was asked.
struct Service {
    std::vector<model::DirectoryUser> users{
        {"ana", 1001, 50, "x", {}, {}, {}, {{50, ""}, {60, ""}, {77, ""}}},
        {"ben", 1002, 50, "x", {}, {}, {}, {{50, ""}}},
    };
    std::vector<model::DirectoryGroup> groups{{"staff", 50, "x", {}}, {"gpu", 60, "x", {}}};
    std::string other_name; ///< of every id; empty: the users' own
    bool is_down = false;
    int questions = 0;
};

class FakeDirectory final : public quota::UserDirectory {
  public:
    explicit FakeDirectory(Service& service) : service_(service) {}

    Result<std::optional<model::DirectoryUser>> find_user(const std::string& name) override {
        return find(service_.users, [&](const auto& user) { return user.name == name; });
    }
    Result<std::optional<std::string>> find_user_name(std::uint32_t id) override {
        if (!service_.other_name.empty()) return std::optional(service_.other_name);
        const auto user = find(service_.users, [&](const auto& each) { return each.id == id; });
        if (!user) return user.error();
        return *user ? std::optional((*user)->name) : std::nullopt;
    }
    Result<std::optional<model::DirectoryGroup>> find_group(const std::string& name) override {
        return find(service_.groups, [&](const auto& group) { return group.name == name; });
    }
    Result<std::optional<model::DirectoryGroup>> find_group(std::uint32_t id) override {
        return find(service_.groups, [&](const auto& group) { return group.id == id; });
    }

  private:
    template <typename Record, typename Is>
    Result<std::optional<Record>> find(const std::vector<Record>& all, Is is) {
        ++service_.questions;
        if (service_.is_down) return Error{ErrorCode::unavailable, "the directory is down"};
        for (const Record& record : all)
            if (is(record)) return std::optional(record);
        return std::optional<Record>();
    }

    Service& service_;
};

struct Setup {
    Service service;
    AskedGroups asked{std::make_unique<FakeDirectory>(service)};

    /// Why they are not known if they are not.
    static std::string shown(const quota::UserGroups& groups, std::uint32_t id) {
        const auto names = groups.groups_of(id);
        return names ? text::join(*names, " ") : names.error().message;
    }
};

} // namespace

BOOST_FIXTURE_TEST_SUITE(user_groups, Setup)

BOOST_AUTO_TEST_CASE(the_service_tells_the_names_of_all_groups) {
    BOOST_TEST(shown(asked, 1001) == "staff gpu"); // 77 has no name
    BOOST_TEST(shown(asked, 1002) == "staff");
}

BOOST_AUTO_TEST_CASE(the_service_is_asked_once_about_each_user_and_group) {
    BOOST_TEST(shown(asked, 1001) == "staff gpu");
    const int questions = service.questions;
    BOOST_TEST(shown(asked, 1001) == "staff gpu");
    BOOST_TEST(service.questions == questions);
    BOOST_TEST(shown(asked, 1002) == "staff");
    BOOST_TEST(service.questions == questions + 2); // the name and the user, but not the group
}

BOOST_AUTO_TEST_CASE(a_user_who_does_not_exist_has_no_groups) {
    BOOST_TEST(shown(asked, 4711) == "the directory service knows no user 4711, and so no groups of it");
}

BOOST_AUTO_TEST_CASE(the_groups_of_another_id_with_this_name_do_not_count) {
    service.other_name = "ana";
    BOOST_TEST(shown(asked, 1001) == "staff gpu");
    BOOST_TEST(shown(asked, 1002) == "the directory service knows no user 1002, and so no groups of it");
}

BOOST_AUTO_TEST_CASE(a_service_that_is_down_is_an_error) {
    service.is_down = true;
    BOOST_TEST(shown(asked, 1001) == "the directory is down");
}

BOOST_AUTO_TEST_CASE(records_have_the_groups_of_some_users) {
    std::vector<quota::UserRecord> users(3);
    for (std::uint32_t i = 0; i < 3; ++i)
        users[i].id = 1001 + i;
    users[0].groups = {"staff", "gpu"};
    users[1].groups.emplace(); // none
    const RecordedGroups recorded(users, "ask root");

    BOOST_TEST(shown(recorded, 1001) == "staff gpu");
    BOOST_TEST(shown(recorded, 1002).empty());
    BOOST_TEST(shown(recorded, 1003) == "the groups of user 1003 are not known: ask root");
    BOOST_TEST(shown(recorded, 4711) == "the groups of user 4711 are not known: ask root");
}

BOOST_AUTO_TEST_SUITE_END()
