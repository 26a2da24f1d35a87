// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy check [DIR], qosgate policy check --compat FILE
#include "common/command.hpp"
#include "common/default_release.hpp"
#include "common/table.hpp"
#include "policy/policy_directory.hpp"
#ifdef QG_HAVE_SLURM
#include "common/cluster_names.hpp"
#endif

#include "qosgate/base/enumerators.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/unrolled.hpp"
#include "qosgate/gate/rules/test_world.hpp"
#include "qosgate/policy/compat/site_script.hpp"
#include "qosgate/policy/files/candidate.hpp"
#include "qosgate/policy/findings.hpp"

#include <nlohmann/json.hpp>

#include <filesystem>
#include <memory>
#include <optional>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

struct CheckOptions {
    std::string directory;
    bool no_owner_check = false;
    std::string script; ///< check only this file
};

constexpr int exit_findings = 1;

std::string hash_text(const policy::PolicyReport& report) {
    return text::format_hash(report.hash);
}

ordered_json value_to_json(const policy::Value& value) {
    if (value.kind == policy::Value::Kind::integer) return value.integer;
    if (value.kind == policy::Value::Kind::flag) return value.integer != 0;
    return value.text;
}

/// The parts of a job whose change runs the rule, "limits" first; empty: none, or any does.
std::vector<std::string> parts_looked_at(const policy::RuleInfo& rule) {
    std::vector<std::string> names;
    for_each_index<count_enumerators<model::UpdatePart>()>([&]<std::size_t i>() {
        constexpr auto part = static_cast<model::UpdatePart>(i);
        const std::string_view name = spelling_of<part>();
        if (rule.looks_at.has(part)) names.emplace_back(name.substr(name.rfind(':') + 1));
    });
    return names;
}

bool runs_at_any_change(const policy::RuleInfo& rule) {
    return rule.runs_at_change && rule.looks_at == model::UpdateParts::all();
}

/// "none", "any" or "limits, name": the changes that run a rule.
std::string describe_changes(const policy::RuleInfo& rule) {
    if (!rule.runs_at_change) return "none";
    return runs_at_any_change(rule) ? "any" : text::join(parts_looked_at(rule), ", ");
}

ordered_json changes_json(const policy::RuleInfo& rule) {
    if (!rule.runs_at_change) return ordered_json::array();
    return runs_at_any_change(rule) ? ordered_json() : ordered_json(parts_looked_at(rule));
}

/// null: a list that is not set.
ordered_json setting_to_json(const policy::SettingSpec& spec, const policy::Settings& settings) {
    if (spec.get_list == nullptr) return value_to_json(spec.get(settings));
    const std::vector<std::string>* const items = spec.get_list(settings);
    return items == nullptr ? ordered_json() : ordered_json(*items);
}

ordered_json policy_report_to_json(const policy::PolicyReport& report,
                                   const std::filesystem::path& directory) {
    ordered_json rules = ordered_json::array();
    for (const policy::RuleInfo& rule : report.rules)
        rules.push_back({{"name", rule.name},
                         {"file", rule.file},
                         {"mode", to_string(rule.mode)},
                         {"on_error", to_string(rule.on_error)},
                         {"changes", changes_json(rule)}});
    ordered_json settings;
    for (const policy::SettingSpec& spec : policy::setting_specs())
        settings[std::string(spec.name)] = setting_to_json(spec, report.settings);
    ordered_json findings = ordered_json::array();
    for (const policy::Finding& finding : report.findings)
        findings.push_back({{"file", finding.file.empty() ? ordered_json() : ordered_json(finding.file)},
                            {"line", finding.line == 0 ? ordered_json() : ordered_json(finding.line)},
                            {"message", finding.message},
                            {"stops_loading", finding.stops_loading}});
    return {{"status", report.findings.empty() ? "ok" : "findings"},
            {"directory", directory.string()},
            {"loads", report.loads()},
            {"hash", report.loads() ? ordered_json(hash_text(report)) : ordered_json()},
            {"script", report.script.empty() ? ordered_json() : ordered_json(report.script)},
            {"rules", rules},
            {"settings", settings},
            {"findings", findings}};
}

/// Adds what is wrong in the candidate.
void add_candidate(ordered_json& answer, const policy::PolicyReport& next,
                   const std::filesystem::path& directory) {
    const ordered_json own = policy_report_to_json(next, directory);
    for (const ordered_json& finding : own["findings"])
        answer["findings"].push_back(finding);
    if (!next.findings.empty()) answer["status"] = "findings";
    answer["next"] = {{"loads", own["loads"]}, {"hash", own["hash"]}, {"rules", own["rules"]}};
}

/// "10-debug.lua:3: what"
std::string finding_line(const policy::Finding& finding, const std::filesystem::path& directory) {
    const std::string file = finding.file.empty() ? directory.string() : finding.file;
    const std::string line = finding.line == 0 ? "" : text::format("{}:", finding.line);
    return text::format("{}:{} {}\n", text::printable(file, 4000), line,
                        text::printable(finding.message, 4000));
}

/// What slurmctld would have in force.
void print_policy(const policy::PolicyReport& report, std::ostream& out) {
    std::vector<std::string> settings;
    for (const policy::SettingSpec& spec : policy::setting_specs())
        settings.push_back(text::format("{} = {}", spec.name, describe_setting(spec, report.settings)));
    out << text::format("Policy:   limits {}, {}{}, hash {}\n", to_string(report.settings.limits),
                        report.script.empty() ? "" : "the script " + report.script + ", ",
                        text::count_of(report.rules.size(), "rule"), hash_text(report))
        << "Settings: " << text::join(settings, ", ") << '\n';
    if (report.rules.empty()) return;
    Table table{{{"file"}, {"mode"}, {"on_error"}, {"changes"}, {"name"}}, {}};
    for (const policy::RuleInfo& rule : report.rules)
        table.rows.push_back({text::printable(rule.file, 4000), std::string(to_string(rule.mode)),
                              std::string(to_string(rule.on_error)), describe_changes(rule), rule.name});
    out << '\n';
    print_aligned(out, table);
    out << '\n';
}

void print_policy_report(const policy::PolicyReport& report, const std::filesystem::path& directory,
                         std::ostream& out) {
    for (const policy::Finding& finding : report.findings)
        out << finding_line(finding, directory);
    if (report.loads()) print_policy(report, out);
    out << text::printable(directory.string(), 4000) << ": ";
    if (report.findings.empty())
        out << "no findings\n";
    else
        out << text::count_of(report.findings.size(), "finding") << "; slurmctld would "
            << (report.loads() ? "" : "not ") << "load this directory\n";
}

/// The finding about a file of records whose directory is missing; empty: there is one, or no such file.
std::optional<policy::Finding> find_missing_place(const std::filesystem::path& record_file) {
    if (record_file.empty()) return std::nullopt;
    const std::filesystem::path place = record_file.parent_path();
    std::error_code problem;
    const auto type = std::filesystem::status(place, problem).type();
    if (type == std::filesystem::file_type::directory || problem == std::errc::permission_denied)
        return std::nullopt;
    return policy::Finding{
        "site.lua", 0,
        text::format("record_file: {} {}, so no decision would be recorded; make a directory that SlurmUser "
                     "can write, or change the setting",
                     text::printable(place.string(), 1000),
                     type == std::filesystem::file_type::not_found ? "does not exist" : "is no directory"),
        /*stops_loading=*/false};
}

Result<policy::PolicyReport> examine_policy(const PolicyDirectory& directory, bool checks_owners) {
    const ReaderRights rights(directory);
    if (rights.are_missing())
        return Error{ErrorCode::unavailable,
                     text::format("{} cannot be read as user {}, as slurmctld reads it: this process may not "
                                  "change its user; run the command as {}",
                                  directory.path.string(), directory.reader_name, directory.reader_name)};
    gate::ScenarioWorld world(default_release());
    auto report = policy::check_policy(
        directory.path, {.is_needed = checks_owners, .trusted_user = directory.reader}, {.world = &world});
    if (report && checks_owners)
        if (auto missing = find_missing_place(report->settings.record_file))
            report->findings.push_back(*std::move(missing));
    const bool is_a_finding =
        !report && rights.are_changed() && report.error().code == ErrorCode::unavailable;
    if (!is_a_finding) return report;
    policy::PolicyReport unread;
    unread.findings.push_back(
        {{}, 0, text::format("as user {}: {}", directory.reader_name, report.error().message)});
    return unread;
}

/// The candidate in the directory `next`, whose files are named with it; empty: there is none.
Result<std::optional<policy::PolicyReport>> examine_candidate(const PolicyDirectory& directory,
                                                              bool checks_owners) {
    PolicyDirectory next = directory;
    next.path /= policy::candidate_directory_name;
    std::error_code problem;
    const auto type = std::filesystem::status(next.path, problem).type();
    if (type == std::filesystem::file_type::not_found) return std::optional<policy::PolicyReport>();
    auto report = examine_policy(next, checks_owners);
    if (!report) return report.error();
    const auto name_with_it = [](std::string& file) {
        file = text::format("{}{}{}", policy::candidate_directory_name, file.empty() ? "" : "/", file);
    };
    for (policy::Finding& finding : report->findings)
        name_with_it(finding.file);
    for (policy::WrittenName& written : report->names)
        name_with_it(written.file);
    return std::optional(*std::move(report));
}

/// Adds names in rules that the cluster of this host does not have. That it cannot be asked is a warning.
void compare_with_cluster([[maybe_unused]] policy::PolicyReport& report,
                          [[maybe_unused]] std::optional<policy::PolicyReport>& next,
                          [[maybe_unused]] Output& output) {
#ifdef QG_HAVE_SLURM
    if (report.names.empty() && (!next || next->names.empty())) return;
    const auto names = read_cluster_names();
    if (!names)
        return output.warn("names of QOSs, partitions, accounts, features and licenses in rules were not "
                           "compared with those of the cluster: " +
                           names.error().message);
    if (!*names) return;
    policy::compare_names(report, **names);
    if (next) policy::compare_names(*next, **names);
#endif
}

/// What else to ask about a script that lies in a directory of rules: alone, it has neither settings nor
/// files.
std::string directory_hint(const std::filesystem::path& file) {
    std::error_code unknown;
    const auto whole = std::filesystem::absolute(file, unknown).lexically_normal();
    const auto directory = whole.parent_path().parent_path();
    if (whole != directory / policy::compat::script_file_name ||
        !std::filesystem::exists(directory / policy::site_file_name, unknown))
        return {};
    return text::format("The script was checked alone. With site.lua and the files beside it: "
                        "qosgate policy check {}\n",
                        text::printable(directory.string(), 4000));
}

/// One script for job_submit/lua or cli_filter/lua.
Result<int> check_script(const std::filesystem::path& file, Output& output) {
    const auto report = policy::check_script_file(file);
    if (!report) return report.error();
    if (output.json()) {
        output.write(policy_report_to_json(*report, file));
    } else {
        for (const policy::Finding& finding : report->findings)
            output.text() << finding_line(finding, file);
        output.text() << text::printable(file.string(), 4000) << ": "
                      << (report->findings.empty() ? "no findings"
                                                   : text::count_of(report->findings.size(), "finding"))
                      << text::format("; {} would {}load this script\n",
                                      report->is_for_clients ? "clients (cli_filter)" : "slurmctld",
                                      report->loads() ? "" : "not ")
                      << (report->findings.empty() ? std::string() : directory_hint(file));
    }
    return report->findings.empty() ? 0 : exit_findings;
}

Result<int> check_rules(const CheckOptions& options, Output& output) {
    if (!options.script.empty()) return check_script(options.script, output);
    const auto directory = find_policy_directory(options.directory);
    if (!directory) return directory.error();
    auto report = examine_policy(*directory, !options.no_owner_check);
    if (!report) return report.error();
    auto next = examine_candidate(*directory, !options.no_owner_check);
    if (!next) return next.error();
    compare_with_cluster(*report, *next, output);
    if (output.json()) {
        ordered_json answer = policy_report_to_json(*report, directory->path);
        if (*next) add_candidate(answer, **next, directory->path);
        output.write(answer);
    } else {
        print_policy_report(*report, directory->path, output.text());
        if (*next) {
            output.text() << "\nThe candidate:\n";
            print_policy_report(**next, directory->path / policy::candidate_directory_name, output.text());
        }
    }
    return report->findings.empty() && (!*next || (*next)->findings.empty()) ? 0 : exit_findings;
}

} // namespace

void add_policy_check(Command policy, Invocation& invocation) {
    auto options = std::make_shared<CheckOptions>();
    Command command = add_command(
        policy, "check", "Find what is wrong in a directory of rules, before slurmctld reads it",
        "It loads the directory as slurmctld would, without a slurmctld, and prints everything that is\n"
        "wrong, one line each: FILE:LINE: WHAT; for site.lua it reports only the first error. Misspelt\n"
        "names, and calls and values with which a rule certainly fails, keep a directory from loading. It\n"
        "also finds messages without their values, comparisons that are never true, rules that do\n"
        "nothing, modules and data that nobody uses, and files and directories that are not read although\n"
        "they look like rules. On a host of a cluster, names of QOSs, partitions, accounts, features and\n"
        "licenses that rules have as literals are compared with those of the cluster; if it cannot be\n"
        "asked, a warning says so. If nothing keeps the directory from loading, it runs the tests in\n"
        "DIR/tests; one in which no rule runs is reported. Then it prints what slurmctld would have in "
        "force;\n"
        "the hash is that of 'qosgate status'. The column changes has which\n"
        "changes of a job run a rule: none, any, or those of what it looks at; limits stands for all that\n"
        "limits depend on (partition, QOS, account, time, size ...).\n\n"
        "A candidate in DIR/next is checked, too: its findings begin with next/.\n\n"
        "Owners and modes of files count, too. In the directory beside slurm.conf the files must belong\n"
        "to root or SlurmUser, who must be able to read them (root can find that out). In another\n"
        "directory they may belong to root or to you. --no-owner-check skips this, for a checkout that\n"
        "belongs to somebody else or that a group can write; places of compat_files and record_file that\n"
        "do not exist are no findings then.\n\n"
        "With --compat it checks one script for job_submit/lua before it is moved to DIR/compat: whether it\n"
        "loads, what it names that reaches the host, fields of job_desc and names of slurm that do not\n"
        "exist, and functions that end without a return. A script for cli_filter/lua is known by its\n"
        "functions (slurm_cli_pre_submit ...): whether it compiles, functions that are missing or end\n"
        "without a return, and names of slurm that do not exist.\n\n"
        "Exit status:\n"
        "  0   nothing is wrong\n"
        "  1   something is: there are findings\n"
        "  64  the command line is wrong\n"
        "  66  there is no such directory\n"
        "  69  slurm.conf, the directory or the script cannot be read\n"
        "  74  the output cannot be written\n"
        "  78  this build has no Slurm support, and no directory is named\n\n"
        "Examples:\n"
        "  qosgate policy check\n"
        "  qosgate policy check ./qosgate.d --no-owner-check\n"
        "  qosgate policy check --compat /etc/slurm/job_submit.lua\n"
        "  qosgate policy check --json | jq -r '.findings[].message'");
    const Option directory =
        command.add_option("DIR", options->directory, "The directory; default: qosgate.d beside slurm.conf");
    command.add_flag("--no-owner-check", options->no_owner_check,
                     "Do not check who owns the files and who can write them");
    command
        .add_option("--compat", options->script,
                    "Check only this script for job_submit/lua or cli_filter/lua")
        .type_name("FILE")
        .excludes(directory);
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return check_rules(*options, output); };
    });
}

} // namespace qg::cli
