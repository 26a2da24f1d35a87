// SPDX-License-Identifier: GPL-2.0-or-later
#include "exporter_page.hpp"

#include "common/output.hpp"
#include "limit_samples.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/limits/other_reasons.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace qg::cli {
namespace {

inline constexpr std::string_view page_style = R"css(
:root { --text: #1d2430; --faint: #5b6675; --ground: #f6f7f9; --card: #fff; --line: #dde2e8;
  --low: #2f7d4f; --high: #b57a00; --full: #b3261e; --rest: #e6eaef; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ee; --faint: #9aa6b5; --ground: #12161c; --card: #1b212a; --line: #2c3541;
    --low: #4fae78; --high: #d9a227; --full: #ea6a5f; --rest: #2a323d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; color: var(--text); background: var(--ground);
  font: 16px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; color: var(--faint); }
ul { margin: .4rem 0 0; padding-left: 1.2rem; color: var(--faint); font-size: .9rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
  margin-bottom: .6rem; }
.jobs { color: var(--faint); font-weight: normal; font-size: .9rem; margin-left: .5rem; }
.limit { display: grid; grid-template-columns: minmax(0, 16rem) minmax(4rem, 1fr) minmax(7rem, 14rem);
  gap: .2rem .8rem; align-items: center; font-size: .9rem; margin-top: .3rem; }
.bar { background: var(--rest); border-radius: .3rem; height: .7rem; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--low); }
.bar.high i { background: var(--high); }
.bar.full i { background: var(--full); }
.n { text-align: right; font-variant-numeric: tabular-nums; }
.who { color: var(--faint); font-size: .85rem; overflow-wrap: anywhere; }
.warning { color: var(--full); }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line);
  font-size: .9rem; }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th.n, td.n { text-align: right; }
@media (max-width: 40rem) {
  .limit { grid-template-columns: 1fr auto; }
  .limit .bar { grid-column: 1 / -1; grid-row: 2; }
  th, td { padding: .35rem .4rem; }
  table { display: block; overflow-x: auto; } }
)css";

/// A user's text, safe between tags and in quoted attributes, bounded and visible.
inline std::string html_text(std::string_view text, std::size_t max_bytes = 200) {
    std::string safe;
    for (const char letter : text::printable(text, max_bytes)) {
        switch (letter) {
        case '&': safe += "&amp;"; break;
        case '<': safe += "&lt;"; break;
        case '>': safe += "&gt;"; break;
        case '"': safe += "&quot;"; break;
        case '\'': safe += "&#39;"; break;
        default: safe += letter;
        }
    }
    return safe;
}

constexpr std::size_t max_holders = 5;
constexpr std::size_t max_reasons = 50;

/// A QOS or an account with its rows.
struct Owner {
    std::string name;
    std::vector<LimitRow> rows;
    double share = 0; ///< the largest

    void add(LimitRow row) {
        share = std::max(share, row.share().value_or(0));
        rows.push_back(std::move(row));
    }
};

std::string amount(const LimitRow& row, std::uint64_t value) {
    return html_text(limits::format_limit_value(row.facts->limit, row.tres, value));
}

/// "astro 12, bio 4 and 3 more"
template <typename Holders, typename Name>
std::string list_holders(const LimitRow& row, const Holders& holders, Name name_of) {
    std::string list;
    for (std::size_t i = 0; i < std::min(holders.size(), max_holders); ++i)
        list += text::format("{}{} <b>{}</b>", i == 0 ? "" : ", ", html_text(name_of(holders[i].first)),
                             amount(row, holders[i].second));
    if (holders.size() > max_holders) list += text::format(" and {} more", holders.size() - max_holders);
    return list;
}

/// A TRES of the kind that the Reason names.
std::string tres_of(const limits::ReasonEntry& entry) {
    if (entry.kinds.empty()) return "";
    switch (entry.kinds.front()) {
    case model::TresKind::cpu: return "cpu";
    case model::TresKind::mem: return "mem";
    case model::TresKind::energy: return "energy";
    case model::TresKind::node: return "node";
    case model::TresKind::billing: return "billing";
    case model::TresKind::gres: return "GRES";
    case model::TresKind::license: return "licenses";
    case model::TresKind::bb: return "burst buffers";
    case model::TresKind::other: break;
    }
    return "TRES";
}

std::string meaning_of(const std::string& reason) {
    if (const auto entries = limits::find_reason(reason); !entries.empty())
        return text::format("{} limit: {}",
                            entries.front().owner == limits::OwnerKind::qos ? "QOS" : "Account",
                            limits::subject_of(entries.front().limit, tres_of(entries.front())));
    const auto* other = limits::find_other_reason(reason);
    return other == nullptr ? std::string() : std::string(other->meaning);
}

class Page {
  public:
    Page(std::string& out, const ClusterState& state, const PageOptions& options)
        : out_(out), state_(state), names_users_(options.names_users && state.shows_users()) {}

    void add_qos() {
        std::map<std::string, Owner> owners;
        std::map<std::string, std::string> about;
        for (const quota::LocalQos& each : state_.records.qos) {
            owners[each.qos.name].name = each.qos.name;
            about[each.qos.name] = describe(each);
        }
        for (LimitRow& row : find_qos_rows(state_.records, state_.release))
            owners[row.owner].add(std::move(row));
        out_ += "<h2>QOS</h2>\n";
        add_owners(std::move(owners), "QOS", [&about](const std::string& name) { return about[name]; });
    }

    void add_accounts() {
        if (!state_.shows_accounts()) return;
        std::map<std::string, Owner> owners;
        for (LimitRow& row : find_account_rows(state_.records)) {
            Owner& owner = owners[row.owner];
            owner.name = row.owner;
            owner.add(std::move(row));
        }
        if (owners.empty()) return;
        out_ += "<h2>Accounts</h2>\n";
        add_owners(std::move(owners), "account", [](const std::string&) { return std::string(); });
    }

    void add_pending() {
        std::map<std::string, std::uint64_t> counts;
        for (const auto& [key, count] : state_.pending)
            counts[key.second] += count;
        out_ += "<h2>Pending by Reason</h2>\n";
        if (counts.empty()) {
            out_ += "<p>No job is pending.</p>\n";
            return;
        }
        std::vector<std::pair<std::string, std::uint64_t>> order(counts.begin(), counts.end());
        std::ranges::stable_sort(order, std::ranges::greater(), [](const auto& each) { return each.second; });
        out_ += "<table id=\"pending\"><tr><th>Reason<th class=\"n\">Jobs<th>Meaning</tr>\n";
        for (std::size_t i = 0; i < std::min(order.size(), max_reasons); ++i)
            out_ += text::format("<tr data-reason=\"{0}\"><td>{0}<td class=\"n\">{1}<td>{2}</tr>\n",
                                 html_text(order[i].first), order[i].second,
                                 html_text(meaning_of(order[i].first), 400));
        out_ += "</table>\n";
    }

  private:
    std::string describe(const quota::LocalQos& qos) const {
        const JobCounts jobs = state_.jobs_of(qos);
        std::string of_partitions;
        if (const auto found = state_.partitions.find(qos.qos.name); found != state_.partitions.end())
            of_partitions = "; the QOS of " + list_partitions(found->second);
        return text::format("<span class=\"jobs\">{} running, {} pending{}</span>", jobs.running,
                            jobs.pending, of_partitions);
    }

    /// "partition debug", "partitions a, b and 3 more"
    static std::string list_partitions(const std::vector<std::string>& names) {
        std::string list = names.size() == 1 ? "partition " : "partitions ";
        for (std::size_t i = 0; i < std::min(names.size(), max_holders); ++i)
            list += (i == 0 ? "" : ", ") + html_text(names[i]);
        if (names.size() > max_holders) list += text::format(" and {} more", names.size() - max_holders);
        return list;
    }

    template <typename Describe>
    void add_owners(std::map<std::string, Owner> owners, std::string_view noun, Describe describe) {
        std::vector<Owner> order;
        for (auto& [name, owner] : owners)
            order.push_back(std::move(owner));
        std::ranges::stable_sort(order, std::ranges::greater(), &Owner::share);
        for (std::size_t i = 0; i < std::min(order.size(), max_page_owners); ++i)
            add_owner(order[i], describe(order[i].name));
        if (order.size() > max_page_owners)
            out_ += text::format("<p class=\"cut\">{} more {}s are not shown.</p>\n",
                                 order.size() - max_page_owners, noun);
    }

    void add_owner(const Owner& owner, const std::string& about) {
        out_ += text::format("<section data-owner=\"{0}\"><h3>{0} {1}</h3>\n", html_text(owner.name), about);
        std::string for_each_job;
        for (const LimitRow& row : owner.rows) {
            if (row.used)
                add_bar(row);
            else
                for_each_job += text::format(
                    "<li>{}: {}{}{}</li>", html_text(limits::subject_of(row.facts->limit, row.tres)),
                    is_minimum(row) ? "at least " : "", amount(row, row.value),
                    row.facts->counts_others() ? " (this release of Slurm does not count it)" : "");
        }
        if (!for_each_job.empty()) out_ += "<ul>" + for_each_job + "</ul>\n";
        if (owner.rows.empty()) out_ += "<p>No limit is set.</p>\n";
        out_ += "</section>\n";
    }

    static bool is_minimum(const LimitRow& row) { return row.facts->sense == model::LimitSense::minimum; }

    void add_bar(const LimitRow& row) {
        const int percent = static_cast<int>(std::floor(std::min(*row.share(), 9.99) * 100));
        const std::string_view level = percent >= 100 ? "full" : percent >= 80 ? "high" : "low";
        out_ += text::format(
            "<div class=\"limit\" data-limit=\"{}\" data-tres=\"{}\"><div class=\"what\">{}{}</div>"
            "<div class=\"bar {}\"><i style=\"width:{}%\"></i></div>"
            "<div class=\"n\">{} of {}</div></div>\n",
            row.facts->name, html_text(row.tres), html_text(limits::subject_of(row.facts->limit, row.tres)),
            counts_of(*row.facts) == "all" ? "" : ", most", level, std::min(percent, 100),
            amount(row, *row.used), amount(row, row.value));
        std::string holders;
        if (state_.shows_accounts())
            holders = list_holders(row, row.accounts, [](const std::string& name) { return name; });
        if (!holders.empty()) holders = "accounts: " + holders;
        if (names_users_ && !row.users.empty())
            holders += (holders.empty() ? "users: " : "; users: ") +
                       list_holders(row, row.users, [this](std::uint32_t id) { return state_.name_of(id); });
        if (!holders.empty()) out_ += "<div class=\"who\">" + holders + "</div>\n";
    }

    std::string& out_;
    const ClusterState& state_;
    bool names_users_;
};

void add_gate_line(std::string& out, const Result<GateReport>* gate, bool is_expected, std::time_t now) {
    if (gate == nullptr || !*gate) return;
    if (!(*gate)->is_loaded(now)) {
        out += is_expected
                   ? "<p id=\"gate\" class=\"warning\">The plugin is not loaded; <code>qosgate "
                     "status</code> says why.</p>\n"
                   : "<p id=\"gate\">The plugin is not loaded; JobSubmitPlugins in slurm.conf does not "
                     "name it.</p>\n";
        return;
    }
    const auto count = [gate](const char* key) { return (*gate)->count(key); };
    const std::string standing = (*gate)->text("standing");
    out += text::format(
        "<p id=\"gate\"{}>The plugin is {}: {}; {} and {} checked, {} refused, {} changed by rules.</p>\n",
        standing == "in force" ? "" : " class=\"warning\"", html_text(standing),
        text::count_of(count("rules"), "rule"), text::count_of(count("jobs"), "job"),
        text::count_of(count("changes"), "change"), count("refused"), count("changed_by_rules"));
}

/// A table with the rows that are first.
void add_table(std::string& out, const char* head, std::vector<std::pair<std::uint64_t, std::string>> rows) {
    if (rows.empty()) return;
    std::ranges::stable_sort(rows, std::ranges::greater(), [](const auto& each) { return each.first; });
    out += head;
    for (std::size_t i = 0; i < std::min(rows.size(), max_reasons); ++i)
        out += rows[i].second;
    out += "</table>\n";
}

/// Which limit refuses most, and what the others do; the first by refused jobs, then by all. `gate` is
/// loaded.
void add_limited(std::string& out, const GateReport& gate) {
    constexpr std::array<std::string_view, 3> outcomes{"refused", "never starts", "waits"};
    std::map<std::string, std::array<std::uint64_t, outcomes.size()>> limits;
    for (const ReportPart& each : gate.parts("results")) {
        const auto at = std::ranges::find(outcomes, each.text("outcome"));
        if (at != outcomes.end())
            limits[each.text("reason")][static_cast<std::size_t>(at - outcomes.begin())] +=
                each.count("count");
    }
    std::vector<std::pair<std::uint64_t, std::string>> rows;
    for (const auto& [reason, counts] : limits) {
        constexpr std::uint64_t most = 0xffffffff; // that counts in the order
        const std::uint64_t all = std::min(counts[0] + counts[1] + counts[2], most);
        rows.emplace_back((std::min(counts[0], most) << 32u) + all,
                          text::format("<tr data-reason=\"{0}\"><td>{0}<td class=\"n\">{1}<td class=\"n\">{2}"
                                       "<td class=\"n\">{3}<td>{4}</tr>\n",
                                       html_text(reason), counts[0], counts[1], counts[2],
                                       html_text(meaning_of(reason), 400)));
    }
    add_table(out,
              "<h2>What limits did since slurmctld began</h2>\n"
              "<table id=\"limited\"><tr><th>Reason<th class=\"n\">Refused<th class=\"n\">Never start"
              "<th class=\"n\">Wait<th>Meaning</tr>\n",
              std::move(rows));
}

/// What rules refused, and the plugin for other causes than limits, most first. Users' names are not in it.
void add_refusals(std::string& out, const GateReport& gate) {
    std::vector<std::pair<std::uint64_t, std::string>> rows;
    for (const ReportPart& each : gate.parts("results")) {
        const std::string effect = each.text("effect");
        // A rule that failed and so refused the job has a row "rejected", too; limits have a table of their
        // own.
        if ((effect != "rejected" && effect != "refused") || !each.text("outcome").empty()) continue;
        const std::string rule = each.text("rule");
        const std::string cause = rule.empty() ? each.text("reason", "another cause") : "rule " + rule;
        const std::uint64_t count = each.count("count");
        rows.emplace_back(count, text::format("<tr><td>{}<td>{}<td class=\"n\">{}</tr>\n", html_text(effect),
                                              html_text(cause), count));
    }
    add_table(out,
              "<h2>Refused since slurmctld began</h2>\n"
              "<table id=\"refused\"><tr><th>Answer<th>By<th class=\"n\">Jobs</tr>\n",
              std::move(rows));
}

} // namespace

std::string make_page(const ClusterState* state, std::string_view why, const Result<GateReport>* gate,
                      const PageOptions& options, std::time_t now) {
    const std::string cluster = state == nullptr ? std::string() : html_text(state->cluster);
    std::string out = text::format(
        "<!DOCTYPE html>\n<html lang=\"en\"><head><meta charset=\"utf-8\">\n"
        "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
        "<meta name=\"color-scheme\" content=\"light dark\">\n<meta http-equiv=\"refresh\" content=\"{}\">\n"
        "<title>QOS {}</title>\n<style>{}</style></head><body>\n<h1>Quality of service {}</h1>\n",
        options.refresh.count(), cluster, page_style, cluster.empty() ? "" : "on " + cluster);
    if (state == nullptr) {
        out += text::format("<p id=\"blind\" class=\"warning\">{}: {}.</p>\n", text::local_time(now),
                            html_text(why, 500));
        add_gate_line(out, gate, options.expects_plugin, now);
        return out + "</body></html>\n";
    }
    out += text::format("<p>As of <time>{}</time>.{}</p>\n", text::local_time(state->read_at),
                        state->sees_all ? "" : " PrivateData hides a part of the jobs and usage.");
    add_gate_line(out, gate, options.expects_plugin, now);
    Page page(out, *state, options);
    page.add_qos();
    page.add_pending();
    if (gate != nullptr && *gate && (*gate)->is_loaded(now)) {
        add_limited(out, **gate);
        add_refusals(out, **gate);
    }
    page.add_accounts();
    return out + "</body></html>\n";
}

} // namespace qg::cli
