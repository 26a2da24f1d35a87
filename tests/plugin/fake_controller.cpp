// SPDX-License-Identifier: GPL-2.0-or-later
#include "fake_controller.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/values.hpp"

namespace qg::test {
namespace {

FakeController* the_controller = nullptr;
constexpr std::int64_t max_qos_id = 2000;

/// Adds an element to `list`; makes the list if there is none yet.
void add_to(std::deque<slurm::OwnedList>& lists, slurm::ListHandle& list, void* element) {
    if (list == nullptr) list = lists.emplace_back(slurm::make_borrowing_list()).get();
    static_cast<void>(slurm_list_append(list, element));
}

} // namespace

FakeController::FakeController() : qos_(slurm::make_borrowing_list()), users_(slurm::make_borrowing_list()) {
    the_controller = this;
    qos_list = qos_.get();
    users_handle_ = users_.get();
    set_tres({"cpu", "mem", "energy", "node", "billing", "fs/disk", "vmem", "pages", "gres/gpu"});
}

FakeController::~FakeController() {
    for (auto& usage : association_usage_)
        if (usage.valid_qos != nullptr) slurm_bit_free(&usage.valid_qos);
    the_controller = nullptr;
}

plugin::AssocMgr FakeController::symbols() {
    return {.lock = lock,
            .unlock = unlock,
            .fill_in_assoc = fill_in_assoc,
            .qos_list = &qos_list,
            .assoc_list = nullptr,
            .user_list = &users_handle_,
            .root_assoc = &root,
            .tres_list = nullptr,
            .tres_names = &tres_array_,
            .tres_count = &tres_count_,
            .after_max_qos_id = &after_max_qos_id,
            .running_cache = &running_cache,
            .private_data = &private_data,
            .enforce = &enforce};
}

char* FakeController::text(const char* value) {
    return value == nullptr ? nullptr : texts_.emplace_back(value).data();
}

slurmdb_qos_rec_t& FakeController::add_qos(const char* name, std::uint32_t id) {
    slurmdb_qos_rec_t& qos = qos_records_.emplace_back();
    slurmdb_init_qos_rec(&qos, /*free_it=*/false, INFINITE);
    slurm::assign_flags(qos.flags, 0);
    qos.name = text(name);
    qos.id = id;
    qos.priority = 0;
    qos.usage = &qos_usage_.emplace_back();
    qos.usage->tres_cnt = tres_count_;
    slurm::append(qos_, &qos);
    after_max_qos_id = std::max(after_max_qos_id, id + 1);
    return qos;
}

void FakeController::remove_qos(std::uint32_t id) {
    // The list keeps its address, as in slurmctld.
    for (int left = slurm_list_count(qos_.get()); left > 0; --left) {
        auto* const qos = static_cast<slurmdb_qos_rec_t*>(slurm_list_pop(qos_.get()));
        if (qos->id != id) slurm::append(qos_, qos);
    }
}

slurmdb_user_rec_t& FakeController::add_user(const char* name, std::uint32_t uid,
                                             const char* default_account) {
    slurmdb_user_rec_t& user = user_records_.emplace_back();
    user.name = text(name);
    user.uid = uid;
    user.default_acct = text(default_account);
    slurm::append(users_, &user);
    return user;
}

slurmdb_assoc_rec_t& FakeController::add_association(const char* account, const slurmdb_user_rec_t* user,
                                                     slurmdb_assoc_rec_t* parent,
                                                     const std::vector<std::uint32_t>& permitted,
                                                     const char* partition) {
    slurmdb_assoc_rec_t& association = associations_.emplace_back();
    slurmdb_init_assoc_rec(&association, /*free_it=*/false);
    association.acct = text(account);
    association.partition = text(partition);
    association.user = user == nullptr ? nullptr : user->name;
    association.uid = user == nullptr ? NO_VAL : user->uid;
    association.is_def = user != nullptr && slurm::view_text(user->default_acct) == account ? 1 : 0;
    association.def_qos_id = 0;
    association.usage = &association_usage_.emplace_back();
    association.usage->parent_assoc_ptr = parent;
    association.usage->tres_cnt = tres_count_;
    association.usage->valid_qos = slurm_bit_alloc(max_qos_id);
    for (const std::uint32_t id : permitted)
        slurm_bit_set(association.usage->valid_qos, id);
    return association;
}

slurmdb_used_limits_t& FakeController::add_user_usage(slurmdb_qos_rec_t& qos, std::uint32_t uid) {
    slurmdb_used_limits_t& used = used_.emplace_back();
    used.uid = uid;
    add_to(lists_, qos.usage->user_limit_list, &used);
    return used;
}

slurmdb_used_limits_t& FakeController::add_account_usage(slurmdb_qos_rec_t& qos, const char* account) {
    slurmdb_used_limits_t& used = used_.emplace_back();
    used.acct = text(account);
    add_to(lists_, qos.usage->acct_limit_list, &used);
    return used;
}

void FakeController::add_coordinator(slurmdb_user_rec_t& user, const char* account) {
    slurmdb_coord_rec_t& coordinated = coordinated_.emplace_back();
    coordinated.name = text(account);
    add_to(lists_, user.coord_accts, &coordinated);
}

void FakeController::set_tres(std::vector<std::string> names) {
    // As in slurmctld, the old array is freed after the new one was made.
    std::vector<char*> fresh;
    for (const std::string& name : names)
        fresh.push_back(text(name.c_str()));
    tres_names_.swap(fresh);
    tres_array_ = tres_names_.data();
    tres_count_ = static_cast<std::uint32_t>(tres_names_.size());
}

void FakeController::lock(plugin::AssocMgrLocks* locks) {
    ++the_controller->locks_held;
    the_controller->last_locks = *locks;
}

void FakeController::unlock(plugin::AssocMgrLocks*) {
    --the_controller->locks_held;
}

const slurmdb_assoc_rec_t* FakeController::find(const slurmdb_assoc_rec_t& wanted,
                                                const char* partition) const {
    for (const slurmdb_assoc_rec_t& association : associations_)
        if (association.uid == wanted.uid && text::iequals(wanted.acct, association.acct) &&
            slurm::view_text(association.partition) == slurm::view_text(partition))
            return &association;
    return nullptr;
}

int FakeController::fill_in_assoc(void*, slurmdb_assoc_rec_t* wanted, int, slurmdb_assoc_rec_t** found,
                                  bool) {
    const slurmdb_assoc_rec_t* match = the_controller->find(*wanted, wanted->partition);
    if (match == nullptr) match = the_controller->find(*wanted, nullptr);
    *found = const_cast<slurmdb_assoc_rec_t*>(match);
    return SLURM_SUCCESS;
}

} // namespace qg::test
