// SPDX-License-Identifier: GPL-2.0-or-later
#include "records/assoc_mgr.hpp"

#include "host/host_conf.hpp"
#include "qosgate/slurm/values.hpp"

#include <string>

namespace qg::plugin {

namespace host = slurm::host;

namespace {

/// Looks required symbols up one by one and keeps the name of the first one that is missing.
class Symbols {
  public:
    template <typename Type>
    Type* find(const slurm::HostSymbol<Type>& symbol) {
        Type* const found = symbol.find();
        if (found == nullptr && missing_ == nullptr) missing_ = symbol.name;
        return found;
    }
    [[nodiscard]] const char* missing() const noexcept { return missing_; }

  private:
    const char* missing_ = nullptr;
};

/// Whether slurm.conf names a slurmdbd: AccountingStorageType, read once by slurmctld.
bool has_slurmdbd() {
    const slurm_conf_t* conf = host_conf();
    return conf == nullptr ||
           slurm::view_text(conf->accounting_storage_type).find("slurmdbd") != std::string_view::npos;
}

} // namespace

Result<AssocMgr> AssocMgr::find() {
    AssocMgr manager{};
    Symbols symbols;
    manager.lock = symbols.find(host::assoc_mgr_lock);
    manager.unlock = symbols.find(host::assoc_mgr_unlock);
    manager.fill_in_assoc = symbols.find(host::assoc_mgr_fill_in_assoc);
    manager.qos_list = symbols.find(host::assoc_mgr_qos_list);
    manager.user_list = symbols.find(host::assoc_mgr_user_list);
    manager.root_assoc = symbols.find(host::assoc_mgr_root_assoc);
    manager.tres_names = symbols.find(host::assoc_mgr_tres_name_array);
    manager.tres_count = symbols.find(host::tres_count);
    manager.enforce = symbols.find(host::accounting_enforce);
    manager.assoc_list = host::assoc_mgr_assoc_list.find();
    manager.tres_list = host::assoc_mgr_tres_list.find();
    manager.after_max_qos_id = host::qos_count.find();
    manager.running_cache = host::running_cache.find();
    if (const auto* conf = host_conf()) manager.private_data = &conf->private_data;
    manager.keeps_accounts = has_slurmdbd();
    if (symbols.missing() != nullptr)
        return Error{ErrorCode::unsupported,
                     std::string("this slurmctld does not export ") + symbols.missing()};
    return manager;
}

} // namespace qg::plugin
