// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurmdb/permission.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/errors.hpp"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <memory>

#include <unistd.h>

namespace qg::slurmdb {
namespace {

bool is_trusted(const SlurmConf& conf) {
    return geteuid() == 0 || current_user() == conf.slurm_user;
}

/// The caller's AdminLevel. Errors: those of Connection::ask().
Result<std::uint16_t> read_admin_level(Connection& connection) {
    std::string user = current_user();
    const slurm::OwnedList names = slurm::make_borrowing_list();
    slurm::append(names, user.data());
    slurmdb_assoc_cond_t of_user{};
    of_user.user_list = names.get();
    slurmdb_user_cond_t condition{};
    condition.assoc_cond = &of_user;
    const auto list = connection.ask("read your AdminLevel",
                                     [&](void* handle) { return slurmdb_users_get(handle, &condition); });
    if (!list) return list.error();
    std::uint16_t level = SLURMDB_ADMIN_NONE;
    slurm::for_each<slurmdb_user_rec_t>(list->get(), [&](const slurmdb_user_rec_t& record) {
        if (record.name != nullptr && text::iequals(record.name, user)) level = record.admin_level;
    });
    return level;
}

/// The value of a setting in what slurm_print_key_pairs() writes, as "PrivateData            = users"; the
/// struct of a pair is not public. Not used from 26.05 on.
[[maybe_unused]] std::string find_setting(const slurm::OwnedList& settings, std::string_view name) {
    char* words = nullptr;
    std::size_t size = 0;
    std::FILE* const stream = open_memstream(&words, &size);
    if (stream == nullptr) return {};
    std::string title;
    slurm_print_key_pairs(stream, settings.get(), title.data());
    std::fclose(stream);
    const std::unique_ptr<char, decltype(&std::free)> owner(words, &std::free);
    for (const std::string_view line : text::split({words, size}, '\n')) {
        const auto equals = line.find('=');
        if (equals != std::string_view::npos && text::iequals(text::trim(line.substr(0, equals)), name))
            return std::string(text::trim(line.substr(equals + 1)));
    }
    return {};
}

/// Whether PrivateData of slurmdbd.conf has `users`. From 26.05 on slurmdbd does not say, so the answer is
/// yes: `get` then returns this host's settings in a structure, and a program without slurmdbd's functions
/// ends in it (slurm/README.md 5).
template <typename Get>
Result<bool> hides_users(Connection& connection, Get get) {
    if constexpr (std::is_invocable_v<Get, void*>) {
        const auto settings = connection.ask("read PrivateData of slurmdbd.conf", get);
        if (!settings) return settings.error();
        const std::string hidden = find_setting(*settings, "PrivateData");
        const auto words = text::split(hidden, ',');
        return std::ranges::any_of(words, [](std::string_view word) { return text::iequals(word, "users"); });
    } else {
        return true;
    }
}

} // namespace

Result<void> expect_administrator(Connection& connection, std::string_view what) {
    const SlurmConf& conf = connection.session().conf();
    if (is_trusted(conf)) return {};
    const auto level = read_admin_level(connection);
    if (!level) return level.error();
    if (*level >= SLURMDB_ADMIN_SUPER_USER) return {};
    return describe_failure(conf, what, ESLURM_ACCESS_DENIED);
}

Result<bool> hides_associations(Connection& connection) {
    if (is_trusted(connection.session().conf())) return false;
    const auto hides = hides_users(connection, &slurmdb_config_get);
    if (!hides || !*hides) return hides;
    const auto level = read_admin_level(connection);
    if (!level) return level.error();
    return *level < SLURMDB_ADMIN_OPERATOR;
}

} // namespace qg::slurmdb
