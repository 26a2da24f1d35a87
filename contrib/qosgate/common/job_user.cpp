// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/job_user.hpp"

#include "qosgate/base/text.hpp"

#include <pwd.h>
#include <unistd.h>

namespace qg::cli {

Result<report::JobUser> find_job_user(const std::string& named,
                                      const std::map<std::string, std::uint32_t>& known) {
    if (named.empty()) {
        const passwd* caller = getpwuid(getuid());
        return report::JobUser{getuid(), caller ? caller->pw_name : "", false};
    }
    if (const auto found = known.find(named); found != known.end())
        return report::JobUser{found->second, named, true};
    if (const passwd* user = getpwnam(named.c_str()))
        return report::JobUser{user->pw_uid, user->pw_name, true};
    if (const auto number = text::parse_unsigned(named); number && *number < 0xffffffffu)
        return report::JobUser{static_cast<std::uint32_t>(*number), "", true};
    return Error{
        ErrorCode::not_found,
        text::format("{} user {}",
                     known.empty() ? "this host has no" : "neither the file of --world nor this host has",
                     text::quoted(named, 64))};
}

std::string name_of_caller() {
    const passwd* caller = getpwuid(getuid());
    return caller == nullptr ? std::to_string(getuid()) : caller->pw_name;
}

Result<void> check_rights_over(const report::JobUser& user, const quota::QuotaProvider& accounting,
                               const char* what) {
    if (user.id == getuid() || accounting.is_operator(getuid())) return {};
    return Error{ErrorCode::permission_denied,
                 text::format("only root, SlurmUser and operators may {}: leave --user out", what)};
}

} // namespace qg::cli
