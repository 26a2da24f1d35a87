// SPDX-License-Identifier: GPL-2.0-or-later
//
// What rules copy from slurmctld's records, one by one.
#include "controller_setup.hpp"

#include "qosgate/quota/view_builder.hpp"

using namespace qg;
using namespace qg::test;

namespace {

/// Calls `copy(records)` as ControllerQuota::read() does.
template <typename Copy>
void read_records(const ControllerSetup& setup, Copy copy) {
    class Reader final : public quota::RecordsReader {
      public:
        Reader(const ControllerSetup& setup, Copy& copy) : setup_(setup), copy_(copy) {}
        void read(const quota::JobRecords& records) override {
            BOOST_TEST(setup_.records.locks_held == 1);
            copy_(records);
        }

      private:
        const ControllerSetup& setup_;
        Copy& copy_;
    };
    Reader reader(setup, copy);
    BOOST_TEST(setup.quota.read(setup.lookup, reader).has_value());
    BOOST_TEST(setup.records.locks_held == 0);
}

} // namespace

BOOST_FIXTURE_TEST_SUITE(controller_reader, ControllerSetup)

BOOST_AUTO_TEST_CASE(records_of_users_are_read_one_by_one) {
    records.user_ben->admin_level = SLURMDB_ADMIN_OPERATOR;
    records.add_coordinator(*records.user_ben, "astro");
    read_records(*this, [](const quota::JobRecords& all) {
        const quota::UserRecord of_ben = all.copy_user(ben);
        BOOST_TEST(of_ben.id == ben);
        BOOST_TEST(of_ben.name == "ben");
        BOOST_TEST(of_ben.default_account == "bio");
        BOOST_TEST(of_ben.level == quota::AdminLevel::operators);
        BOOST_TEST(of_ben.coordinates == std::vector<std::string>{"astro"}, boost::test_tools::per_element());
        BOOST_TEST(all.copy_user(ana).level == quota::AdminLevel::none);
        BOOST_TEST(all.copy_user(0).level == quota::AdminLevel::administrator);
        BOOST_TEST(all.copy_user(stranger).name.empty());
        BOOST_TEST(all.copy_user(stranger).id == stranger);
    });
    records.user_ben->admin_level = SLURMDB_ADMIN_SUPER_USER;
    read_records(*this, [](const quota::JobRecords& all) {
        BOOST_TEST(all.copy_user(ben).level == quota::AdminLevel::administrator);
    });
}

BOOST_AUTO_TEST_CASE(it_is_known_that_a_user_coordinates_more_accounts_than_are_read) {
    for (std::size_t i = 0; i < quota::UserRecord::max_coordinates; ++i)
        records.add_coordinator(*records.user_ben, "astro");
    read_records(*this,
                 [](const quota::JobRecords& all) { BOOST_TEST(!all.copy_user(ben).coordinates_more); });
    records.add_coordinator(*records.user_ben, "bio");
    read_records(*this, [](const quota::JobRecords& all) {
        BOOST_TEST(all.copy_user(ben).coordinates.size() == quota::UserRecord::max_coordinates);
        BOOST_TEST(all.copy_user(ben).coordinates_more);
    });
}

BOOST_AUTO_TEST_CASE(all_usage_is_read_also_where_nothing_limits_it) {
    slurmdb_qos_rec_t& qos = records.add_qos("free", 4);
    qos.usage->grp_used_submit_jobs = 7;
    records.add_user_usage(qos, ana).submit_jobs = 3;
    records.add_account_usage(qos, "astro").jobs = 2;
    records.astro->usage->used_jobs = 5;
    read_records(*this, [](const quota::JobRecords& all) {
        BOOST_TEST(all.copy_qos(4).usage.submit_jobs == 0u);
        const model::Qos copy = all.copy_qos_with_usage(4);
        BOOST_TEST(copy.usage.submit_jobs == 7u);
        BOOST_TEST(copy.user_usage.submit_jobs == 3u);
        BOOST_TEST(copy.account_usage.jobs == 2u);
        const auto chain = all.copy_associations_with_usage();
        BOOST_TEST_REQUIRE(chain.size() == 3u);
        BOOST_TEST(chain.at(1).account == "astro");
        BOOST_TEST(chain.at(1).usage.jobs == 5u);
    });
}

BOOST_AUTO_TEST_CASE(without_records_there_is_nothing_to_read) {
    struct Reader final : quota::RecordsReader {
        void read(const quota::JobRecords&) override { BOOST_ERROR("there are none"); }
    } reader;
    const plugin::ControllerQuota without_symbols{Error{ErrorCode::unsupported, "no symbols"}};
    const auto done = without_symbols.read(lookup, reader);
    BOOST_TEST_REQUIRE(!done.has_value());
    BOOST_TEST(done.error().message == "no symbols");
}

BOOST_AUTO_TEST_SUITE_END()
