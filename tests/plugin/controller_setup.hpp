// SPDX-License-Identifier: GPL-2.0-or-later
//
// slurmctld's records of some users, accounts and QOSs.
#pragma once

#include "records/controller_quota.hpp"

#include "fake_controller.hpp"

#include <boost/test/unit_test.hpp>

#include <memory>
#include <utility>
#include <vector>

namespace qg::test {

inline constexpr std::uint32_t ana = 1001, ben = 1002, stranger = 9999;
enum : std::uint32_t { normal = 1, small = 2, other = 3 };

/// root -> astro -> ana (default), root -> bio -> ana, ben; QOSs normal, small, other.
struct ControllerRecords : FakeController {
    ControllerRecords() {
        add_qos("normal", normal);
        add_qos("small", small);
        add_qos("other", other);
        root = &add_association("root", nullptr, nullptr, {normal});
        astro = &add_association("astro", nullptr, root, {normal});
        bio = &add_association("bio", nullptr, root, {normal});
        user_ana = &add_user("ana", ana, "astro");
        user_ben = &add_user("ben", ben, "bio");
        ana_astro = &add_association("astro", user_ana, astro, {normal, small});
        ana_bio = &add_association("bio", user_ana, bio, {normal});
        add_association("bio", user_ben, bio, {small});
    }

    slurmdb_assoc_rec_t *astro, *bio, *ana_astro, *ana_bio;
    slurmdb_user_rec_t *user_ana, *user_ben;
};

/// What the plugin reads from these records.
struct ControllerSetup {
    ControllerRecords records;
    plugin::ControllerQuota quota{records.symbols()};

    ControllerSetup() { lookup.user_id = ana; }

    model::AccountView view() const {
        auto result = quota.check(lookup);
        BOOST_TEST_REQUIRE(result.has_value());
        BOOST_TEST(records.locks_held == 0);
        return std::move(result).value();
    }

    void in_partition(const char* name, const char* qos = "", bool is_hidden = false) {
        model::Partition partition;
        partition.name = name;
        partition.qos = qos;
        partition.is_hidden = is_hidden;
        partitions.push_back(std::make_shared<const model::Partition>(partition));
        lookup.partitions = partitions;
    }

    std::vector<std::shared_ptr<const model::Partition>> partitions;
    quota::Lookup lookup;
};

} // namespace qg::test
