// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/policy_directory.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/directory_findings.hpp"
#include "qosgate/policy/files/candidate.hpp"
#include "qosgate/slurmdb/slurm_conf.hpp"

#include <system_error>
#include <utility>

#include <grp.h>
#include <pwd.h>
#include <unistd.h>

namespace qg::cli {
namespace {

namespace fs = std::filesystem;

#ifdef QG_HAVE_SLURM
/// SlurmUser, a name or a number.
Result<PolicyDirectory> with_reader(const slurmdb::SlurmConf& conf) {
    PolicyDirectory directory{fs::absolute(conf.path).parent_path() / "qosgate.d"};
    const passwd* user = getpwnam(conf.slurm_user.c_str());
    if (const auto number = text::parse_unsigned(conf.slurm_user); user == nullptr && number)
        user = getpwuid(static_cast<uid_t>(*number));
    if (user == nullptr)
        return Error{ErrorCode::not_found,
                     text::format("{}: this host has no user {}, which is SlurmUser", conf.path.string(),
                                  text::quoted(conf.slurm_user, 64))};
    directory.reader = user->pw_uid;
    directory.reader_group = user->pw_gid;
    directory.reader_name = user->pw_name;
    return directory;
}

Result<PolicyDirectory> find_live_directory() {
    const auto path = slurmdb::find_slurm_conf();
    if (!path) return path.error();
    const auto conf = slurmdb::load_slurm_conf(*path);
    if (!conf) return conf.error();
    return with_reader(*conf);
}
#else
Result<PolicyDirectory> find_live_directory() {
    return Error{ErrorCode::unsupported,
                 "this build has no Slurm support and reads no slurm.conf: name a directory"};
}
#endif

Result<std::shared_ptr<const policy::Policy>> compile(policy::SourceDirectory sources,
                                                      std::optional<policy::Coverage>* coverage) {
    if (coverage == nullptr) return policy::compile_policy(std::move(sources));
    auto found = policy::Coverage::of(sources);
    if (!found) return found.error();
    policy::Coverage& lines = coverage->emplace(*std::move(found));
    return policy::compile_policy(std::move(sources), {.coverage = &lines});
}

} // namespace

Result<PolicyDirectory> find_policy_directory(const std::string& named) {
    auto live = find_live_directory();
    if (named.empty()) return live;
    // slurmctld reads the candidate, too.
    const auto is_live = [&](const fs::path& path) {
        std::error_code problem;
        return fs::equivalent(named, path, problem);
    };
    if (!live || !(is_live(live->path) || is_live(live->path / policy::candidate_directory_name)))
        return PolicyDirectory{named};
    live->path = named;
    return live;
}

ReaderRights::ReaderRights(const PolicyDirectory& directory) {
    is_needed_ = geteuid() == 0 && directory.reader && *directory.reader != 0;
    if (!is_needed_) return;
    const int count = getgroups(0, nullptr);
    groups_.resize(static_cast<std::size_t>(std::max(count, 0)));
    if (getgroups(count, groups_.data()) != count) return;
    are_changed_ = initgroups(directory.reader_name.c_str(), directory.reader_group) == 0 &&
                   setegid(directory.reader_group) == 0 && seteuid(*directory.reader) == 0;
}

ReaderRights::~ReaderRights() {
    if (!is_needed_) return; // what failed may have been done in part
    // If the process keeps the lesser rights, what needs more ends with an error.
    if (seteuid(getuid()) != 0 || setegid(getgid()) != 0) return;
    if (setgroups(groups_.size(), groups_.data()) != 0) return;
}

Result<std::shared_ptr<const policy::Policy>> load_policy_to_try(const std::filesystem::path& directory,
                                                                 std::optional<policy::Coverage>* coverage) {
    auto sources = policy::read_loadable_sources(directory, {.is_needed = false});
    if (!sources) return sources.error();
    auto loaded = compile(std::move(*sources), coverage);
    if (!loaded)
        return Error{loaded.error().code, text::format("{}; 'qosgate policy check' lists all that is wrong",
                                                       loaded.error().message)};
    return loaded;
}

} // namespace qg::cli
