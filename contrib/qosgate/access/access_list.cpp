// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate access list: the temporary access that was granted here.
#include "access/grants.hpp"
#include "common/command.hpp"
#include "common/table.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/base/text.hpp"

#include <algorithm>
#include <ctime>
#include <memory>

namespace qg::cli {
namespace {

struct ListAccessOptions {
    std::string state;
    std::string qos;
    std::string user;
};

Result<int> list_grants(const ListAccessOptions& options, Output& output) {
    const auto file = GrantFile::open(options.state);
    if (!file) return file.error();
    auto grants = file->read();
    if (!grants) return grants.error();
    std::erase_if(*grants, [&](const TemporaryGrant& grant) {
        return (!options.qos.empty() && !text::iequals(grant.qos, options.qos)) ||
               (!options.user.empty() && grant.name.user != options.user);
    });
    std::ranges::stable_sort(*grants, {}, &TemporaryGrant::until);
    const std::time_t now = std::time(nullptr);
    if (output.json()) {
        Json all = Json::array();
        for (const TemporaryGrant& grant : *grants) {
            all.push_back(to_json(grant));
            all.back()["is_due"] = grant.until <= now;
        }
        output.write({{"grants", all}});
        return 0;
    }
    if (grants->empty()) {
        output.text() << "No temporary access.\n";
        return 0;
    }
    Table table{{{"QOS"}, {"ACCOUNT"}, {"USER"}, {"PARTITION"}, {"UNTIL"}, {"BY"}, {"REASON", false, true}},
                {}};
    for (const TemporaryGrant& grant : *grants)
        table.rows.push_back({text::printable(grant.qos), text::printable(grant.name.account),
                              text::printable(grant.name.user), text::printable(grant.name.partition),
                              text::local_time(grant.until) + (grant.until <= now ? " (due)" : ""),
                              text::printable(grant.by), text::printable(grant.reason, 1000)});
    print_aligned(output.text(), table, terminal_width());
    return 0;
}

} // namespace

void add_access_list(Command access, Invocation& invocation) {
    auto options = std::make_shared<ListAccessOptions>();
    Command command =
        add_command(access, "list", "Show the temporary access that was granted here",
                    "Examples:\n"
                    "  qosgate access list\n"
                    "  qosgate access list --qos long --json | jq '.grants[] | select(.is_due)'\n\n"
                    "By their ends; '(due)' waits for 'qosgate access expire'. Slurm is not asked.\n\n"
                    "Exit status:\n"
                    "  0   shown\n"
                    "  64  the command line is wrong\n"
                    "  65  the list is damaged\n"
                    "  69  the list cannot be read\n"
                    "  74  the output cannot be written\n"
                    "  77  another user owns the directory, or may write into it");
    command.add_option("--qos", options->qos, "Only of this QOS").option_text("NAME");
    command.add_option("--user", options->user, "Only of this user").option_text("NAME");
    command
        .add_option("--state", options->state,
                    "The directory; default: /var/lib/qosgate, for others than root $XDG_STATE_HOME/qosgate")
        .option_text("DIR");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return list_grants(*options, output); };
    });
}

} // namespace qg::cli
