// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/base/text.hpp"
#include "qosgate/slurm/host_symbols.hpp"
#include "qosgate/slurmdb/connection.hpp"

namespace qg::slurmdb {
Result<std::unique_ptr<Session>> Session::open(std::chrono::seconds time_limit, LateReport report) {
    // Only slurmctld has this symbol. A connection there would replace the controller's own
    // (slurm/README.md 2.5).
    if (slurm::host::acct_policy_validate.find() != nullptr)
        return Error{ErrorCode::unsupported, "no connection to slurmdbd from within slurmctld"};
    const auto path = find_slurm_conf();
    if (!path) return path.error();
    const auto conf = load_slurm_conf(*path);
    if (!conf) return conf.error();
    if (!text::iequals(conf->accounting_storage_type, "accounting_storage/slurmdbd")) {
        const std::string type =
            conf->accounting_storage_type.empty() ? "not set" : conf->accounting_storage_type;
        return Error{ErrorCode::unsupported, text::format("{}: AccountingStorageType is {}: QOS records need "
                                                          "accounting_storage/slurmdbd",
                                                          path->string(), type)};
    }
    if (const auto started = Library::start(*conf); !started) return started.error();
    return std::unique_ptr<Session>(new Session(*conf, time_limit, std::move(report)));
}

Session::Session(SlurmConf conf, std::chrono::seconds time_limit, LateReport report)
    : conf_(std::move(conf)), time_limit_(time_limit), report_(std::move(report)) {}

LateNotice Session::late_notice(std::string_view what, std::string_view why) const {
    LateNotice notice;
    if (!report_) return notice;
    notice.say = [this, what = std::string(what), why] {
        report_(text::format("waiting for {} to {}: {}", conf_.slurmdbd(), what, why));
    };
    return notice;
}

} // namespace qg::slurmdb
