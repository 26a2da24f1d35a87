// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/slurm/user_quota.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurm/assoc_messages.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::slurm {
namespace {

/// Of a list of QOSs in a request, and of the QOSs that partitions allow.
constexpr std::size_t max_guesses = 64;

constexpr std::string_view root_account = "root";

std::vector<std::string> list(const std::set<std::string, std::less<>>& names) {
    return {names.begin(), names.end()};
}

void guess(RecordsPart& part, std::string_view qos) {
    if (!qos.empty() && part.qos.size() < max_guesses) part.qos.emplace(qos);
}

} // namespace

UserQuota::UserQuota(const slurm_conf_t& conf, std::string user) : user_(std::move(user)) {
    records_.part = {};
    records_.conf = accounting_conf_of(conf);
}

Result<void> UserQuota::start(RecordsPart likely) {
    const std::scoped_lock lock(mutex_);
    if (!likely.accounts.empty()) {
        likely.accounts.emplace(root_account); // every account is below it
        guess(likely, "normal");
        guess(likely, user_);
    }
    return ask(likely, ASSOC_MGR_INFO_FLAG_USERS);
}

RecordsPart UserQuota::needed_first() const {
    const std::scoped_lock lock(mutex_);
    return needed_first_.value_or(RecordsPart());
}

/// What the first request asks for besides the names that the job has. An association has only the number of
/// its default QOS; the names that it may have cost next to nothing, and save the list of all QOSs.
RecordsPart UserQuota::first_names(const quota::Lookup& lookup) const {
    RecordsPart part;
    part.accounts.emplace(root_account);
    if (!lookup.qos.empty()) {
        for (const std::string_view name : text::split(lookup.qos, ','))
            guess(part, name);
        return part;
    }
    guess(part, "normal");
    guess(part, user_);
    guess(part, lookup.account);
    for (const auto& [id, user] : records_.users)
        guess(part, user.default_account);
    for (const auto& partition : lookup.partitions)
        for (const std::string& name : partition->allow_qos)
            guess(part, name);
    return part;
}

/// Asks for this part, and what else the flags say.
Result<void> UserQuota::ask(const RecordsPart& wanted, std::uint32_t flags) const {
    AssocRequest request{.flags = flags, .users = {user_}};
    if (wanted.all_associations || !wanted.accounts.empty()) {
        request.flags |= ASSOC_MGR_INFO_FLAG_ASSOC;
        if (!wanted.all_associations) request.accounts = list(wanted.accounts);
    }
    if (wanted.all_qos || !wanted.qos.empty()) {
        request.flags |= ASSOC_MGR_INFO_FLAG_QOS;
        if (!wanted.all_qos) request.qos = list(wanted.qos);
    }
    auto message = load_assoc_info(std::move(request));
    if (!message) return message.error();
    add_records(records_, *std::move(message));
    RecordsPart& part = records_.part;
    part.all_qos |= wanted.all_qos;
    part.all_associations |= wanted.all_associations;
    part.qos.insert(wanted.qos.begin(), wanted.qos.end());
    part.accounts.insert(wanted.accounts.begin(), wanted.accounts.end());
    return {};
}

/// Calls `answer(missing)` until nothing is missing. The caller holds the mutex.
template <typename Answer>
Result<void> UserQuota::complete(const quota::Lookup& lookup, Answer answer) const {
    for (int request = 1;; ++request) {
        RecordsPart missing;
        answer(missing);
        if (missing.is_empty()) return {};
        if (request >= max_requests) { // these know everything
            missing = all_records;
        } else if (missing.names_any()) {
            missing.all_qos = missing.all_associations = false;
            if (records_.part.is_empty()) {
                const RecordsPart names = first_names(lookup);
                missing.qos.insert(names.qos.begin(), names.qos.end());
                missing.accounts.insert(names.accounts.begin(), names.accounts.end());
            }
        }
        const auto asked = ask(missing);
        if (asked) continue;
        if (!failure_) failure_ = asked.error();
        return asked.error();
    }
}

/// The QOSs and accounts of a view, and accounts above that slurmctld hides: those that were asked for only
/// now. An account that the user is not in was asked for, too; it is not needed again.
RecordsPart UserQuota::names_in(const model::AccountView& view,
                                const std::set<std::string, std::less<>>& known_before) const {
    RecordsPart names;
    for (const model::Qos& qos : view.qos)
        names.qos.insert(qos.name);
    for (const model::Association& link : view.associations)
        names.accounts.insert(text::lower(link.account));
    if (!names.accounts.empty())
        std::ranges::set_difference(records_.part.accounts, known_before,
                                    std::inserter(names.accounts, names.accounts.end()));
    names.accounts.erase(std::string(root_account));
    return names;
}

Result<model::AccountView> UserQuota::check(const quota::Lookup& lookup) const {
    const std::scoped_lock lock(mutex_);
    const auto known_before = records_.part.accounts;
    std::optional<model::AccountView> view;
    const auto done =
        complete(lookup, [&](RecordsPart& missing) { view.emplace(view_of(records_, lookup, missing)); });
    if (!done) return done.error();
    if (!needed_first_) needed_first_ = names_in(*view, known_before);
    return *std::move(view);
}

Result<void> UserQuota::read(const quota::Lookup& lookup, quota::RecordsReader& reader) const {
    const std::scoped_lock lock(mutex_);
    return complete(lookup, [&](RecordsPart& missing) { read_records(records_, lookup, reader, missing); });
}

bool UserQuota::is_operator(std::uint32_t user_id) const {
    const std::scoped_lock lock(mutex_);
    return slurm::is_operator(records_, user_id);
}

std::optional<Error> UserQuota::failure() const {
    const std::scoped_lock lock(mutex_);
    return failure_;
}

} // namespace qg::slurm
