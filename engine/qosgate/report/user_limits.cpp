// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/report/user_limits.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/gate/decide/refusal.hpp"
#include "qosgate/gate/partitions/partition_rules.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/explain.hpp"
#include "qosgate/limits/set_limit.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <iterator>
#include <map>
#include <set>
#include <tuple>
#include <utility>

namespace qg::report {
namespace {

using model::AssociationLevel;
using model::LimitFacts;
using model::LimitMeasure;
using model::LimitScope;

/// Where an association is in the records.
using Place = std::size_t;

/// Jobs of a user, with an account and a QOS, in a partition.
model::JobRequest make_request(const JobUser& user, std::uint32_t reader, const std::string& account,
                               const std::string& qos, const std::string& partition) {
    model::JobRequest request;
    request.user_id = user.id;
    request.submit_uid = reader;
    request.account = account;
    if (!qos.empty()) request.qos = qos;
    if (!partition.empty()) request.partition = partition;
    return request;
}

/// A user's jobs with one account.
class AccountReader {
  public:
    AccountReader(const UserWorld& world, const JobUser& user, std::uint32_t reader, const LimitsQuery& query,
                  limits::Release release)
        : world_(world), records_(world.accounting->records()), user_(user), reader_(reader), query_(query),
          release_(release) {
        for (Place i = 0; i < records_.associations.size(); ++i) {
            const quota::LocalAssociation& each = records_.associations[i];
            if (each.link.level != AssociationLevel::user) continue;
            users_.push_back(i);
            if (each.user_id == user_.id) own_.push_back(i);
        }
    }

    Result<AccountLimits> read(const std::string& account) {
        quota::Lookup lookup;
        lookup.user_id = user_.id;
        lookup.account = account;
        lookup.reader = reader_;
        lookup.names_others = lookup.lists_alternatives = true;
        auto view = world_.accounting->check(lookup);
        if (!view) return view.error();
        AccountLimits found{.name = view->account,
                            .is_default = view->account == view->default_account,
                            .default_qos = view->default_qos,
                            .groups = {}};
        std::vector<std::string> names = view->permitted_qos;
        if (names.empty()) names.emplace_back();
        for (const std::string& qos : names)
            if (query_.qos.empty() || text::iequals(qos, query_.qos)) add_qos(found, qos);
        if (found.groups.empty() && !query_.qos.empty()) found.qos_refusal = refuse_qos(found.name);
        return found;
    }

    /// Why partitions were left out, so far.
    [[nodiscard]] std::vector<std::string> refusals() const { return {refusals_.begin(), refusals_.end()}; }

  private:
    /// What sbatch says of the QOS that is asked for; empty: nothing.
    std::vector<std::string> refuse_qos(const std::string& account) const {
        const auto request = make_request(user_, reader_, account, query_.qos, "");
        const auto refusal = gate::check_qos(gate::resolve(request, context()).view(), release_);
        return refusal ? refusal->lines : std::vector<std::string>();
    }

    /// Adds what counts with a QOS, in each group of partitions.
    void add_qos(AccountLimits& to, const std::string& qos) {
        std::map<std::pair<std::string, bool>, std::vector<std::string>> partitions;
        for (const std::string& name : partitions_for(to.name, qos)) {
            const auto& partition = world_.cluster->partitions.find(name);
            partitions[{partition->qos, has_own_association(to.name, name)}].push_back(name);
        }
        if (!world_.knows_partitions()) partitions[{}] = {""};
        for (const auto& [key, names] : partitions) {
            // Partitions with an association of their own differ each from the other.
            const bool is_one_by_one = key.second;
            for (const std::string& name : names) {
                const bool is_usual = key.first.empty() && !is_one_by_one && query_.partition.empty();
                std::vector<std::string> shown = names;
                if (is_one_by_one) shown = {name};
                add(to, qos, is_usual ? std::vector<std::string>() : shown, name);
                if (!is_one_by_one) break;
            }
        }
    }

    /// The partitions that take such jobs, and that may be named to the reader.
    std::vector<std::string> partitions_for(const std::string& account, const std::string& qos) {
        std::vector<std::string> open;
        for (const auto& partition : world_.cluster->partitions.all()) {
            const bool is_named = partition->name == query_.partition;
            if (is_named || (query_.partition.empty() && may_be_named(*partition)))
                open.push_back(partition->name);
        }
        std::erase_if(open, [&](const std::string& name) {
            const auto request = make_request(user_, reader_, account, qos, name);
            const auto asked = gate::resolve(request, context());
            const auto& choices = asked.view().partitions;
            if (choices.empty() || choices.front().is_hidden) return true;
            const auto problems = gate::find_access_problems(asked, *choices.front().partition);
            for (const gate::PartitionProblem& problem : problems)
                refusals_.insert(problem.text);
            return !problems.empty();
        });
        return open;
    }

    /// Whether the reader may have jobs there. It is not known here who is in the groups of AllowGroups.
    bool may_be_named(const model::Partition& partition) const {
        const bool may_be_member = partition.allow_groups.empty() || world_.accounting->is_operator(reader_);
        return may_be_member && partition.takes_jobs && (!partition.is_for_root || user_.id == 0);
    }

    bool has_own_association(const std::string& account, const std::string& partition) const {
        return std::ranges::any_of(own_, [&](Place place) {
            const model::Association& link = records_.associations[place].link;
            return link.partition == partition && text::iequals(link.account, account);
        });
    }

    /// Adds the limits of one group of partitions, or the names to a group that is the same.
    void add(AccountLimits& to, const std::string& qos, std::vector<std::string> partitions,
             const std::string& partition) {
        const auto request = make_request(user_, reader_, to.name, qos, partition);
        const auto asked = gate::resolve(request, context());
        const model::AccountView& view = asked.view();
        LimitGroup group{.qos = {}, .partitions = std::move(partitions), .limits = {}};
        if (view.job_qos.qos) group.qos.push_back(view.job_qos.name);
        to.hides_limits = to.hides_limits || hides_accounts_above(view);
        for (const limits::BindingLimit& limit : limits::find_binding_limits(view, 0, release_)) {
            if (hides_limit(limit, view)) {
                to.hides_limits = true;
                continue;
            }
            group.limits.push_back(describe(limit, view));
        }
        mark_passed(group.limits);
        group.first = find_first(group.limits);
        if (std::ranges::any_of(to.groups, [&](const LimitGroup& usual) {
                return usual.partitions.empty() && usual.has_same_limits(group) &&
                       std::ranges::find(usual.qos, view.job_qos.name) != usual.qos.end();
            }))
            return; // the partition changes nothing
        const auto same = std::ranges::find_if(to.groups, [&](const LimitGroup& other) {
            return other.partitions == group.partitions && other.has_same_limits(group);
        });
        if (same == to.groups.end())
            to.groups.push_back(std::move(group));
        else
            same->qos.insert(same->qos.end(), group.qos.begin(), group.qos.end());
    }

    static bool hides_limit(const limits::BindingLimit& limit, const model::AccountView& view) {
        return limit.owner.kind == limits::OwnerKind::association &&
               view.associations[limit.owner.index].hides_limits;
    }

    /// Whether slurmctld has told nothing about the accounts above (slurm/README.md 3.4).
    bool hides_accounts_above(const model::AccountView& view) const {
        return records_.private_data.usage && !view.associations.empty() &&
               !text::iequals(view.associations.back().account, "root");
    }

    /// The limit with the least left, in proportion, without those that forbid a TRES; empty: nothing of any
    /// is used.
    static std::optional<std::size_t> find_first(const std::vector<LimitUse>& all) {
        std::optional<std::size_t> first;
        for (std::size_t i = 0; i < all.size(); ++i) {
            const auto share = all[i].forbids_tres() ? std::nullopt : all[i].share();
            if (share && *share > 0 && (!first || *share > *all[*first].share())) first = i;
        }
        return first;
    }

    static void mark_passed(std::vector<LimitUse>& all) {
        for (LimitUse& use : all) {
            const auto is_limited = [&](std::string_view tres) {
                return std::ranges::any_of(all, [&](const LimitUse& other) {
                    return other.limit.limit == use.limit.limit && other.tres == tres;
                });
            };
            use.is_passed_by_untyped =
                !limits::passed_by_untyped(model::facts_of(use.limit.limit), use.tres, is_limited).empty();
        }
    }

    LimitUse describe(const limits::BindingLimit& limit, const model::AccountView& view) const {
        const std::string tres = limit.tres ? view.tres->name(*limit.tres) : std::string();
        LimitUse use{.limit = limit,
                     .tres = tres,
                     .subject = limits::subject_of(limit.limit, tres),
                     .set_by = limits::owner_name(limit.owner, view),
                     .owner = {},
                     .mine = {}};
        if (limit.owner.kind == limits::OwnerKind::qos)
            describe_qos(use, view);
        else
            describe_association(use, view);
        return use;
    }

    void describe_qos(LimitUse& use, const model::AccountView& view) const {
        const std::size_t index = use.limit.owner.index;
        const LimitFacts& facts = model::facts_of(use.limit.limit);
        use.owner = view.qos[index].name;
        if (view.partitions.size() == 1 && view.partitions.front().qos == index && view.job_qos.qos != index)
            use.partition = view.partitions.front().partition->name;
        if (facts.scope == LimitScope::user) use.mine = use.limit.used;
        if (facts.scope != LimitScope::group) return;
        const bool is_kept = !facts.counts_the_past() && (facts.measure != LimitMeasure::tres_run_minutes ||
                                                          release_.follows(limits::rules::enforces_run_mins));
        if (!is_kept) return; // for each user
        use.mine = limits::used_against(use.limit.limit, use.limit.tres, view.qos[index].user_usage);
        if (!query_.lists_users || hides_users(view)) return;
        const auto qos = std::ranges::find(records_.qos, use.owner,
                                           [](const quota::LocalQos& each) { return each.qos.name; });
        std::map<std::string, std::uint64_t> users;
        for (const auto& [id, usage] : qos->users)
            users[world_.name_of(id)] += limits::used_against(use.limit.limit, use.limit.tres, usage);
        use.users = most_first(users);
    }

    void describe_association(LimitUse& use, const model::AccountView& view) const {
        const std::size_t index = use.limit.owner.index;
        const model::Association& link = view.associations[index];
        use.owner = link.account;
        use.hides_usage = link.hides_usage;
        const auto place = place_of(view, index);
        if (!place || !use.counts_others()) return;
        std::uint64_t mine = 0;
        std::map<std::string, std::uint64_t> users;
        for (const Place at : query_.lists_users ? users_ : own_) {
            if (!is_below(at, *place)) continue;
            const quota::LocalAssociation& each = records_.associations[at];
            const std::uint64_t used = limits::used_against(use.limit.limit, use.limit.tres, each.link.usage);
            if (each.user_id == user_.id) mine += used;
            users[each.link.user.empty() ? world_.name_of(each.user_id) : each.link.user] += used;
        }
        use.mine = mine;
        if (query_.lists_users && !use.hides_usage && !hides_users(view) &&
            link.level != AssociationLevel::user)
            use.users = most_first(users);
    }

    bool hides_users(const model::AccountView& view) const {
        const model::PrivateData& data = records_.private_data;
        return (data.usage || data.accounts) && !view.reader_is_operator;
    }

    static Amounts most_first(const std::map<std::string, std::uint64_t>& users) {
        Amounts amounts(users.begin(), users.end());
        std::erase_if(amounts, [](const auto& amount) { return amount.second == 0; });
        std::ranges::stable_sort(amounts, std::ranges::greater(), &Amounts::value_type::second);
        return amounts;
    }

    /// Where an association of the job's chain is.
    std::optional<Place> place_of(const model::AccountView& view, std::size_t index) const {
        const model::Association& own = view.associations.front();
        const auto first = std::ranges::find_if(own_, [&](Place at) {
            const model::Association& link = records_.associations[at].link;
            return link.partition == own.partition && text::iequals(link.account, own.account);
        });
        if (first == own_.end()) return std::nullopt;
        std::optional<Place> place = *first;
        for (std::size_t i = 0; i < index && place; ++i)
            place = records_.associations[*place].parent;
        return place;
    }

    bool is_below(Place place, Place above) const {
        constexpr std::size_t max_depth = 64;
        std::optional<Place> at = place;
        for (std::size_t i = 0; i < max_depth && at; ++i) {
            if (*at == above) return true;
            at = records_.associations[*at].parent;
        }
        return false;
    }

    gate::ClusterContext context() const { return {*world_.cluster, *world_.accounting, release_}; }

    const UserWorld& world_;
    const quota::LocalRecords& records_;
    const JobUser& user_;
    std::uint32_t reader_;
    const LimitsQuery& query_;
    limits::Release release_;
    std::vector<Place> users_; ///< the associations of users
    std::vector<Place> own_;   ///< of this user
    std::set<std::string> refusals_;
};

/// "user ana has no account ..."
Error has_none(const JobUser& user, std::string_view noun, const std::string& name,
               const std::vector<std::string>& all) {
    return {ErrorCode::not_found,
            text::format("user {} has no {} {}{}", user.name.empty() ? std::to_string(user.id) : user.name,
                         noun, text::quoted(name, 64), text::did_you_mean(name, all))};
}

} // namespace

bool LimitUse::counts_others() const noexcept {
    return model::facts_of(limit.limit).counts_others();
}

std::optional<std::uint64_t> LimitUse::left() const noexcept {
    if (!counts_others() || hides_usage) return std::nullopt;
    return limit.value - std::min(limit.value, limit.used);
}

std::optional<double> LimitUse::share() const noexcept {
    if (!left()) return std::nullopt;
    return std::min(limits::share_of(limit.used, limit.value), 1.0);
}

bool LimitUse::is_exceeded() const noexcept {
    return counts_others() && !hides_usage && limit.used > limit.value;
}

bool LimitUse::forbids_tres() const noexcept {
    return !tres.empty() && limit.value == 0 && !limits::meets_every_job(model::kind_of(tres));
}

bool LimitGroup::has_same_limits(const LimitGroup& other) const {
    const auto facts = [](const LimitUse& use) {
        return std::tie(use.limit.limit, use.limit.value, use.limit.used, use.tres, use.set_by, use.mine);
    };
    return std::ranges::equal(limits, other.limits, {}, facts, facts);
}

Result<UserLimits> find_user_limits(const UserWorld& world, const JobUser& user, std::uint32_t reader,
                                    const LimitsQuery& query, limits::Release release) {
    const auto& records = world.accounting->records();
    UserLimits own{.user = user,
                   .is_enforced = records.enforce.limits,
                   .knows_partitions = world.knows_partitions(),
                   .hides_users = (records.private_data.usage || records.private_data.accounts) &&
                                  !world.accounting->is_operator(reader),
                   .accounts = {}};
    std::vector<std::string> names;
    for (const quota::LocalAssociation& each : records.associations)
        if (each.user_id == user.id && each.link.level == AssociationLevel::user)
            names.push_back(each.link.account);
    names = quota::sorted(std::move(names));
    if (names.empty())
        return Error{ErrorCode::not_found,
                     text::format("user {} has no account: accounting knows no association of this user",
                                  user.name.empty() ? std::to_string(user.id) : user.name)};
    const auto is_named = [](const std::string& wanted) {
        return [&wanted](const std::string& name) { return text::iequals(name, wanted); };
    };
    if (!query.account.empty() && std::ranges::none_of(names, is_named(query.account)))
        return has_none(user, "account", query.account, names);
    if (!query.partition.empty() && !world.cluster->partitions.find(query.partition))
        return Error{ErrorCode::not_found,
                     text::format("there is no partition {}", text::quoted(query.partition, 64))};
    AccountReader reading(world, user, reader, query, release);
    bool has_groups = false;
    std::vector<std::string> qos_refusals;
    for (const std::string& name : names) {
        if (!query.account.empty() && !text::iequals(name, query.account)) continue;
        auto account = reading.read(name);
        if (!account) return account.error();
        has_groups = has_groups || !account->groups.empty();
        std::ranges::copy(account->qos_refusal, std::back_inserter(qos_refusals));
        own.accounts.push_back(*std::move(account));
    }
    if (const auto refusals = reading.refusals(); !has_groups && !refusals.empty())
        return Error{ErrorCode::not_found, text::join(refusals, "\n")};
    if (!has_groups && !qos_refusals.empty())
        return Error{ErrorCode::not_found, text::join(gate::lines_once(std::move(qos_refusals)), "\n")};
    if (!has_groups && !query.qos.empty()) return has_none(user, "QOS", query.qos, {});
    return own;
}

} // namespace qg::report
