// SPDX-License-Identifier: GPL-2.0-or-later
#include "assoc_mgr.hpp"

#include "host_conf.hpp"
#include "qosgate/slurm/values.hpp"

#include <dlfcn.h>

#include <string>

namespace qg::plugin {
namespace {

/// Looks symbols up one by one and keeps the name of the first one that is missing.
class Symbols {
  public:
    template <typename Pointer>
    void find(const char* name, Pointer& symbol) {
        find_optional(name, symbol);
        if (symbol == nullptr && missing_ == nullptr) missing_ = name;
    }
    template <typename Pointer>
    static void find_optional(const char* name, Pointer& symbol) {
        symbol = reinterpret_cast<Pointer>(dlsym(RTLD_DEFAULT, name));
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
    symbols.find("assoc_mgr_lock", manager.lock);
    symbols.find("assoc_mgr_unlock", manager.unlock);
    symbols.find("assoc_mgr_fill_in_assoc", manager.fill_in_assoc);
    symbols.find("assoc_mgr_qos_list", manager.qos_list);
    symbols.find("assoc_mgr_user_list", manager.user_list);
    symbols.find("assoc_mgr_root_assoc", manager.root_assoc);
    symbols.find("assoc_mgr_tres_name_array", manager.tres_names);
    symbols.find("g_tres_count", manager.tres_count);
    symbols.find("accounting_enforce", manager.enforce);
    Symbols::find_optional("assoc_mgr_assoc_list", manager.assoc_list);
    Symbols::find_optional("assoc_mgr_tres_list", manager.tres_list);
    Symbols::find_optional("g_qos_count", manager.after_max_qos_id);
    Symbols::find_optional("running_cache", manager.running_cache);
    if (const auto* conf = host_conf()) manager.private_data = &conf->private_data;
    manager.keeps_accounts = has_slurmdbd();
    if (symbols.missing() != nullptr)
        return Error{ErrorCode::unsupported,
                     std::string("this slurmctld does not export ") + symbols.missing()};
    return manager;
}

} // namespace qg::plugin
