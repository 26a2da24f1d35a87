// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate limits: what a user may use, and how much of it is left.
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "common/job_user.hpp"
#include "common/or_null.hpp"
#include "common/table.hpp"
#include "job/judged_world.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/limit_facts.hpp"
#include "qosgate/model/tres.hpp"
#include "qosgate/report/user_limits.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <memory>
#include <string>
#include <string_view>

#include <unistd.h>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

struct LimitsOptions {
    std::string user;
    std::string world;
    report::LimitsQuery query;
    bool all = false;
};

/// How results look.
struct Style {
    bool all = false;
    bool colours = false;
};

std::string limit_number(const report::LimitUse& use, std::uint64_t value) {
    return limits::format_limit_value(use.limit.limit, use.tres, value);
}

std::string limit_number(const report::LimitUse& use, std::optional<std::uint64_t> value) {
    return value ? limit_number(use, *value) : std::string();
}

/// "[######....]  60%", and "binds first" for the limit that does.
std::string bar_of(const report::LimitUse& use, bool is_first, bool colours) {
    const auto share = use.share();
    return share ? usage_bar(*share, colours) + (is_first ? "  binds first" : "") : "";
}

std::vector<std::string> row_of(const report::LimitUse& use, bool is_first, const Style& style) {
    const bool is_minimum = model::facts_of(use.limit.limit).sense == model::LimitSense::minimum;
    const std::string hidden = use.hides_usage && use.counts_others() ? "hidden" : "";
    return {use.subject,
            use.set_by,
            (is_minimum ? "at least " : "") + limit_number(use, use.limit.value),
            limit_number(use, use.mine),
            !hidden.empty()       ? hidden
            : use.counts_others() ? limit_number(use, use.limit.used)
                                  : "",
            hidden.empty() ? limit_number(use, use.left()) : hidden,
            bar_of(use, is_first, style.colours)};
}

/// "ben 12, cleo 4, 3 others 5"
std::string list_users(const report::LimitUse& use) {
    constexpr std::size_t max_named = 10;
    std::vector<std::string> words;
    std::uint64_t rest = 0;
    for (const auto& [user, amount] : *use.users) {
        if (words.size() < max_named)
            words.push_back(text::format("{} {}", text::printable(user), limit_number(use, amount)));
        else
            rest += amount;
    }
    if (rest > 0)
        words.push_back(text::format("{} others {}", use.users->size() - max_named, limit_number(use, rest)));
    return text::join(words, ", ");
}

/// The limits that nothing sets: "MaxWall", "MaxTRESPerUser (node, gres/gpu)" if other TRES are limited.
std::vector<std::string> list_unlimited(const report::LimitGroup& group, const model::TresCatalogue& tres) {
    constexpr auto is_usual = [](model::TresKind kind) {
        return kind != model::TresKind::energy && kind != model::TresKind::other &&
               kind != model::TresKind::bb;
    };
    std::vector<std::string> names;
    for (const model::LimitFacts& facts : model::limit_facts) {
        std::vector<std::string> set;
        std::vector<std::string> unset;
        const auto is_set = [&](std::optional<std::size_t> at) {
            return std::ranges::any_of(group.limits, [&](const report::LimitUse& use) {
                return use.limit.limit == facts.limit && use.limit.tres == at;
            });
        };
        if (std::holds_alternative<model::CountLimit>(facts.limit)) {
            if (!is_set(std::nullopt)) names.emplace_back(facts.name);
            continue;
        }
        for (std::size_t at = 0; at < tres.size(); ++at)
            if (is_usual(tres.kind(at))) (is_set(at) ? set : unset).push_back(tres.name(at));
        if (set.empty())
            names.emplace_back(facts.name);
        else if (!unset.empty())
            names.push_back(text::format("{} ({})", facts.name, text::join(unset, ", ")));
    }
    return names;
}

/// "Account astro (default), QOS normal (default), counted, partition viz"
std::string headline(const report::AccountLimits& account, const report::LimitGroup& group) {
    std::vector<std::string> qos;
    for (const std::string& name : group.qos)
        qos.push_back(text::printable(name) + (text::iequals(name, account.default_qos) ? " (default)" : ""));
    std::string line = text::format("Account {}{}, {}", text::printable(account.name),
                                    account.is_default ? " (default)" : "",
                                    qos.empty() ? "no QOS" : "QOS " + text::join(qos, ", "));
    if (!group.partitions.empty())
        line += text::format(", partition {}", text::printable(text::join(group.partitions, ", "), 1000));
    return line;
}

void print_group(const report::AccountLimits& account, const report::LimitGroup& group,
                 const model::TresCatalogue& tres, const Style& style, std::ostream& out) {
    out << '\n' << headline(account, group) << '\n';
    if (group.limits.empty())
        out << (account.hides_limits ? "  no limit that you may see\n" : "  no limit is set\n");
    else {
        Table table{{{.heading = "LIMITED", .may_wrap = true},
                     {.heading = "SET BY", .may_wrap = true},
                     {"LIMIT", true},
                     {"MINE", true},
                     {"ALL", true},
                     {"LEFT", true},
                     {.heading = "USED", .shorten = without_bar}},
                    {}};
        for (std::size_t i = 0; i < group.limits.size(); ++i)
            table.rows.push_back(row_of(group.limits[i], group.first == i, style));
        print_aligned(out, table, terminal_width(), "  ");
    }
    for (const report::LimitUse& use : group.limits)
        if (use.is_passed_by_untyped && use.is_exceeded())
            out << text::format(
                "  {}: {} in use of {}: jobs that ask for {} and name no type count here, but "
                "this limit does not hold them\n",
                use.subject, limit_number(use, use.limit.used), limit_number(use, use.limit.value),
                model::untyped_tres(use.tres));
    if (!style.all) return;
    for (const report::LimitUse& use : group.limits)
        if (use.users && !use.users->empty())
            out << text::format("  {} of {}: {}\n", use.subject, use.set_by, list_users(use));
    if (const auto names = list_unlimited(group, tres); !names.empty() && !account.hides_limits)
        out << "  Not limited: " << text::join(names, ", ") << '\n';
}

void print_limits(const report::UserLimits& own, const model::TresCatalogue& tres, const Style& style,
                  std::ostream& out) {
    const std::string name = own.user.name.empty() ? "User" : "User " + text::printable(own.user.name);
    out << text::format("{} ({})\n", name, own.user.id);
    if (!own.is_enforced) {
        out << "AccountingStorageEnforce in slurm.conf does not have 'limits': no limit counts.\n";
        return;
    }
    for (const report::AccountLimits& account : own.accounts) {
        for (const report::LimitGroup& group : account.groups)
            print_group(account, group, tres, style, out);
        if (account.groups.empty())
            out << text::format("\nAccount {}: {}\n", text::printable(account.name),
                                account.qos_refusal.empty() ? "no partition is open to its jobs"
                                                            : text::printable(account.qos_refusal.front()));
        if (account.hides_limits)
            out << text::format("  PrivateData hides the limits of account {} and of those above it.\n",
                                text::printable(account.name));
    }
    if (!own.knows_partitions)
        out << "\nPrivateData hides the partitions: limits of their QOSs are not shown, and may replace "
               "these.\n";
    if (style.all && own.hides_users) out << "\nPrivateData hides which users hold how much.\n";
}

std::string_view scope_name(model::LimitScope scope) {
    switch (scope) {
    case model::LimitScope::job: return "job";
    case model::LimitScope::node: return "node";
    case model::LimitScope::user: return "user";
    case model::LimitScope::account: return "account";
    case model::LimitScope::group: break;
    }
    return "group";
}

ordered_json limit_json(const report::LimitUse& use, bool is_first) {
    const model::LimitFacts& facts = model::facts_of(use.limit.limit);
    const bool is_qos = use.limit.owner.kind == limits::OwnerKind::qos;
    ordered_json users;
    if (use.users) {
        users = ordered_json::object();
        for (const auto& [user, amount] : *use.users)
            users[user] = amount;
    }
    return {{"limit", facts.name},
            {"tres", use.tres.empty() ? ordered_json() : ordered_json(use.tres)},
            {"counts", scope_name(facts.scope)},
            {"set_by", is_qos ? "qos" : "association"},
            {"owner", use.owner},
            {"of_partition", use.partition.empty() ? ordered_json() : ordered_json(use.partition)},
            {"text", text::format("{} ({})", use.subject, use.set_by)},
            {"is_minimum", facts.sense == model::LimitSense::minimum},
            {"value", use.limit.value},
            {"mine", or_null(use.mine)},
            {"used", use.counts_others() && !use.hides_usage ? ordered_json(use.limit.used) : ordered_json()},
            {"left", or_null(use.left())},
            {"binds_first", is_first},
            {"passed_by_untyped", use.is_passed_by_untyped},
            {"reason", use.limit.reason},
            {"users", users}};
}

ordered_json limits_to_json(const report::UserLimits& own, const model::TresCatalogue& tres, bool all) {
    auto accounts = ordered_json::array();
    for (const report::AccountLimits& account : own.accounts) {
        auto groups = ordered_json::array();
        for (const report::LimitGroup& group : account.groups) {
            auto limits = ordered_json::array();
            for (std::size_t i = 0; i < group.limits.size(); ++i)
                limits.push_back(limit_json(group.limits[i], group.first == i));
            groups.push_back({{"qos", group.qos}, {"partitions", group.partitions}, {"limits", limits}});
            if (all)
                groups.back()["not_limited"] =
                    account.hides_limits ? ordered_json() : ordered_json(list_unlimited(group, tres));
        }
        accounts.push_back({{"account", account.name},
                            {"is_default", account.is_default},
                            {"default_qos", account.default_qos},
                            {"hides_limits", account.hides_limits},
                            {"groups", groups}});
    }
    return {{"uid", own.user.id},
            {"user", own.user.name.empty() ? ordered_json() : ordered_json(own.user.name)},
            {"is_enforced", own.is_enforced},
            {"knows_partitions", own.knows_partitions},
            {"hides_users", own.hides_users},
            {"accounts", accounts}};
}

Result<int> show_limits(const LimitsOptions& options, Output& output) {
    const auto world = read_user_world(options.world);
    if (!world) return world.error();
    const auto user =
        find_job_user(options.user, options.world.empty() ? decltype(world->users){} : world->users);
    if (!user) return user.error();
    const bool is_live = options.world.empty();
    if (is_live)
        if (const auto may = check_rights_over(*user, *world->accounting, "see limits of other users"); !may)
            return may.error();
    report::LimitsQuery query = options.query;
    query.lists_users = options.all;
    const auto own =
        report::find_user_limits(*world, *user, is_live ? getuid() : user->id, query, default_release());
    if (!own) return own.error();
    const model::TresCatalogue& tres = *world->accounting->records().tres;
    if (output.json())
        output.write(limits_to_json(*own, tres, options.all));
    else
        print_limits(*own, tres, {.all = options.all, .colours = takes_colours()}, output.text());
    return 0;
}

} // namespace

void add_limits(Command app, Invocation& invocation) {
    auto options = std::make_shared<LimitsOptions>();
    Command command = add_command(
        app, "limits", "Show what you may use, and how much of it is left",
        "For each account of yours and each QOS that you may use there: the limits that count, by Slurm's\n"
        "precedence. Limits of the QOS of a partition replace those of your QOS (the other way round if "
        "your\n"
        "QOS has OverPartQOS), and limits of QOSs replace those of accounts. Partitions whose QOS changes "
        "the\n"
        "limits are shown separately. Partitions that only some groups may use are left out, unless\n"
        "--partition names them.\n\n"
        "  LIMIT  the limit; zero allows none. A limit that is not set, or unlimited, has no line.\n"
        "  MINE   what you use of it; '-': Slurm does not count that, or the limit is for each job by "
        "itself\n"
        "  ALL    what all jobs use that count for it\n"
        "  LEFT   what is left for all of them\n\n"
        "'binds first' marks the limit of which the smallest part is left. A limit of zero on something\n"
        "that not every job uses, for example GPUs, is never marked. TRES minutes are numbers, as in\n"
        "sacctmgr. What PrivateData in slurm.conf hides from you is not shown, and the answer says so.\n\n"
        "--all also names the limits that are not set, and the users that hold the others.\n"
        "--user is for root, SlurmUser and operators. --world reads a file of 'qosgate capture' and asks\n"
        "nobody; then everybody may use --user.\n\n"
        "Exit status:\n"
        "  0   shown\n"
        "  64  the command line is wrong\n"
        "  65  the file of --world does not load\n"
        "  66  there is no such user, account, QOS or partition\n"
        "  69  slurmctld cannot be reached; slurm.conf or a file cannot be used\n"
        "  74  the output cannot be written\n"
        "  77  not permitted\n\n"
        "Examples:\n"
        "  qosgate limits\n"
        "  qosgate limits --account astro --qos normal --all\n"
        "  sudo qosgate limits --user ana --json | jq '.accounts[].groups[].limits[] | select(.left == 0)'");
    command.add_option("--user", options->user, "Whose limits, a name or a number; default: yours");
    command.add_option("--account", options->query.account, "Only this account");
    command.add_option("--qos", options->query.qos, "Only this QOS");
    command.add_option("--partition", options->query.partition, "Only for jobs in this partition");
    command.add_flag("--all", options->all, "Also the limits that are not set, and who holds the others");
    command.add_option("--world", options->world, "A file of 'qosgate capture'; default: slurmctld now");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return show_limits(*options, output); };
    });
}

} // namespace qg::cli
