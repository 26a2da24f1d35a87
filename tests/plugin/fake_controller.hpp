// SPDX-License-Identifier: GPL-2.0-or-later
//
// A slurmctld's records in memory, reachable the way the real ones are: through an AssocMgr.
#pragma once

#include "records/assoc_mgr.hpp"

#include <deque>
#include <string>
#include <vector>

extern "C" {
bitstr_t* slurm_bit_alloc(std::int64_t size);
void slurm_bit_set(bitstr_t* bits, std::int64_t bit);
void slurm_bit_free(bitstr_t** bits);
}

namespace qg::test {

/// Records and symbols. Only one may exist at a time, because slurmctld's functions have no object.
/// The addresses of users, QOSs and associations never change.
class FakeController {
  public:
    FakeController();
    FakeController(const FakeController&) = delete;
    FakeController& operator=(const FakeController&) = delete;
    ~FakeController();

    [[nodiscard]] plugin::AssocMgr symbols();

    slurmdb_qos_rec_t& add_qos(const char* name, std::uint32_t id);
    void remove_qos(std::uint32_t id);
    slurmdb_user_rec_t& add_user(const char* name, std::uint32_t uid, const char* default_account);
    /// An association of a user, or with a null user of an account. `permitted` are QOS ids.
    slurmdb_assoc_rec_t& add_association(const char* account, const slurmdb_user_rec_t* user,
                                         slurmdb_assoc_rec_t* parent,
                                         const std::vector<std::uint32_t>& permitted = {},
                                         const char* partition = nullptr);
    /// Usage of a user within a QOS.
    slurmdb_used_limits_t& add_user_usage(slurmdb_qos_rec_t& qos, std::uint32_t uid);
    slurmdb_used_limits_t& add_account_usage(slurmdb_qos_rec_t& qos, const char* account);

    /// Makes the user a coordinator of an account.
    void add_coordinator(slurmdb_user_rec_t& user, const char* account);

    void set_tres(std::vector<std::string> names);

    slurmdb_assoc_rec_t* root = nullptr;
    std::uint16_t enforce = slurm::enforce_associations | slurm::enforce_limits | slurm::enforce_qos;
    std::uint32_t after_max_qos_id = 1;
    std::uint16_t running_cache = 0;
    std::uint16_t private_data = 0;
    slurm::ListHandle qos_list = nullptr; ///< null: a slurmctld without data yet
    int locks_held = 0;
    plugin::AssocMgrLocks last_locks{};

  private:
    static void lock(plugin::AssocMgrLocks* locks);
    static void unlock(plugin::AssocMgrLocks* locks);
    static int fill_in_assoc(void* connection, slurmdb_assoc_rec_t* wanted, int enforce,
                             slurmdb_assoc_rec_t** found, bool is_locked);
    const slurmdb_assoc_rec_t* find(const slurmdb_assoc_rec_t& wanted, const char* partition) const;
    char* text(const char* value);

    slurm::OwnedList qos_;
    slurm::OwnedList users_;
    slurm::ListHandle users_handle_ = nullptr;
    std::deque<slurmdb_qos_rec_t> qos_records_;
    std::deque<slurmdb_qos_usage_t> qos_usage_;
    std::deque<slurmdb_user_rec_t> user_records_;
    std::deque<slurmdb_assoc_rec_t> associations_;
    std::deque<slurmdb_assoc_usage_t> association_usage_;
    std::deque<slurmdb_used_limits_t> used_;
    std::deque<slurmdb_coord_rec_t> coordinated_;
    std::deque<slurm::OwnedList> lists_;
    std::deque<std::string> texts_;
    std::vector<char*> tres_names_;
    char** tres_array_ = nullptr;
    std::uint32_t tres_count_ = 0;
};

} // namespace qg::test
