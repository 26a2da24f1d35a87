// SPDX-License-Identifier: GPL-2.0-or-later
#include "policy/change_sums.hpp"

#include "common/table.hpp"

#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <utility>

namespace qg::cli {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t max_examples = 3;
constexpr std::size_t max_rows = 20; ///< for people
/// What stands for a difference that no rule made.
constexpr const char* no_rule = "(no rule)";
constexpr std::string_view outcome_accepted = "accepted";
constexpr std::size_t max_words = 300; ///< bytes of an example

/// The lines in one text for people.
std::string show_lines(const std::vector<std::string>& lines) {
    return lines.empty() ? "nothing else" : text::printable(text::join(lines, " / "), max_words);
}

} // namespace

OutcomeChange outcome_change(std::string_view before, std::string_view after) noexcept {
    if (before == after) return OutcomeChange::none;
    if (before == outcome_accepted) return OutcomeChange::refused;
    return after == outcome_accepted ? OutcomeChange::accepted : OutcomeChange::otherwise;
}

void ChangeSums::Sum::add(const Change& change) {
    ++decisions;
    refused += change.outcome == OutcomeChange::refused ? 1 : 0;
    accepted += change.outcome == OutcomeChange::accepted ? 1 : 0;
    otherwise += change.outcome == OutcomeChange::otherwise ? 1 : 0;
    job += change.fields.empty() ? 0 : 1;
    message += change.message_differs ? 1 : 0;
    waits += change.waits ? 1 : 0;
    waits_no_more += change.waits_no_more ? 1 : 0;
    cpu_hours += change.cpu_hours.value_or(0);
    gpu_hours += change.gpu_hours.value_or(0);
    hours_not_known += change.cpu_hours ? 0 : 1;
    if (examples.size() < max_examples) examples.push_back(change.id);
}

void ChangeSums::add(const Change& change) {
    all_.add(change);
    const std::string id = change.uid ? std::to_string(*change.uid) : std::string();
    by_user_[id.empty() ? change.user : id].add(change);
    if (!id.empty() && !change.user.empty()) names_[id] = change.user;
    const auto add_to_rule = [&](const std::string& rule) {
        by_rule_[rule].add(change);
        if (change.words) words_.try_emplace(rule, Example{change.id, *change.words});
    };
    std::ranges::for_each(change.rules, add_to_rule);
    if (change.rules.empty()) add_to_rule(no_rule);
    for (const std::string& field : change.fields)
        ++fields_[field];
}

ChangeSums::Sums ChangeSums::users_by_name() const {
    Sums named;
    for (const auto& [key, sum] : by_user_) {
        const auto name = names_.find(key);
        std::string shown = name != names_.end() ? name->second : key;
        if (shown.empty()) shown = "(not known)";
        if (named.contains(shown)) shown += text::format(" ({})", key); // two users of one name
        named.emplace(std::move(shown), sum);
    }
    return named;
}

void ChangeSums::print(const Sums& sums, const char* heading, std::ostream& out) const {
    std::vector<std::pair<std::string, Sum>> rows(sums.begin(), sums.end());
    std::ranges::stable_sort(
        rows, [](const auto& a, const auto& b) { return a.second.decisions > b.second.decisions; });
    Table table{
        .columns = {{heading}, {"DIFFER", true}, {"REFUSED", true}, {"ACCEPTED", true}, {"JOB", true}},
        .rows = {}};
    if (kind_ == SumKind::limits) table.columns.push_back({"WAIT", true});
    if (kind_ != SumKind::decisions) {
        table.columns.push_back({"CPU-HOURS", true});
        table.columns.push_back({"GPU-HOURS", true});
    } else
        table.columns.push_back({"MESSAGE", true});
    table.columns.push_back({"EXAMPLES"});
    for (const auto& [name, sum] : rows) {
        if (table.rows.size() == max_rows) break;
        std::vector<std::string> row{text::printable(name, 60), std::to_string(sum.decisions),
                                     std::to_string(sum.refused), std::to_string(sum.accepted),
                                     std::to_string(sum.job)};
        if (kind_ == SumKind::limits) row.push_back(std::to_string(sum.waits));
        if (kind_ != SumKind::decisions) {
            row.push_back(text::format("{:.0f}", sum.cpu_hours));
            row.push_back(text::format("{:.0f}", sum.gpu_hours));
        } else
            row.push_back(std::to_string(sum.message));
        row.push_back(text::printable(text::join(sum.examples, " "), 200));
        table.rows.push_back(std::move(row));
    }
    out << '\n';
    print_aligned(out, table);
    if (rows.size() > max_rows) out << text::format("and {} more (--json has all)\n", rows.size() - max_rows);
}

void ChangeSums::print_words(std::ostream& out) const {
    out << "\nOther words with the same outcome, an example for each rule:\n";
    std::size_t printed = 0;
    for (const auto& [rule, example] : words_) {
        if (printed++ == max_rows) break;
        out << text::format("  {} ({})\n    now:       {}\n    candidate: {}\n", text::printable(rule, 60),
                            text::printable(example.id, 40), show_lines(example.words.before),
                            show_lines(example.words.after));
    }
    if (words_.size() > max_rows)
        out << text::format("and {} more (--json has all)\n", words_.size() - max_rows);
}

void ChangeSums::print(std::ostream& out) const {
    if (all_.decisions == 0) return;
    out << text::format("  accepted before, refused now: {}\n", all_.refused)
        << text::format("  refused before, accepted now: {}\n", all_.accepted);
    if (all_.otherwise > 0) out << text::format("  refused by somebody else:     {}\n", all_.otherwise);
    out << text::format("  the job gets other values:    {}\n", all_.job);
    if (kind_ == SumKind::limits)
        out << text::format("  waits for a limit only now:   {}\n", all_.waits)
            << text::format("  waits for no limit any more:  {}\n", all_.waits_no_more);
    if (kind_ == SumKind::decisions)
        out << text::format("  the user reads other words:   {}\n", all_.message);
    if (kind_ != SumKind::decisions && all_.hours_not_known > 0)
        out << text::format("  hours not known:              {}\n", all_.hours_not_known);
    std::vector<std::string> fields;
    for (const auto& [field, count] : fields_)
        fields.push_back(text::format("{} ({})", text::printable(field, 60), count));
    if (!fields.empty()) out << "Values that differ: " << text::join(fields, ", ") << '\n';
    print(by_rule_, "RULE", out);
    if (!words_.empty()) print_words(out);
    print(users_by_name(), "USER", out);
}

ordered_json ChangeSums::to_json(const Sum& sum) const {
    ordered_json answer{{"differing", sum.decisions},
                        {"refused", sum.refused},
                        {"accepted", sum.accepted},
                        {"refused_otherwise", sum.otherwise},
                        {"job_differs", sum.job}};
    if (kind_ == SumKind::limits) {
        answer["waits"] = sum.waits;
        answer["waits_no_more"] = sum.waits_no_more;
    }
    if (kind_ != SumKind::decisions) {
        answer["cpu_hours"] = sum.cpu_hours;
        answer["gpu_hours"] = sum.gpu_hours;
        answer["hours_not_known"] = sum.hours_not_known;
    } else
        answer["message_differs"] = sum.message;
    answer["examples"] = sum.examples;
    return answer;
}

ordered_json ChangeSums::to_json(const Sums& sums, const char* name) const {
    ordered_json list = ordered_json::array();
    for (const auto& [key, sum] : sums) {
        ordered_json row{{name, key == no_rule ? ordered_json() : ordered_json(key)}};
        row.update(to_json(sum));
        list.push_back(std::move(row));
    }
    return list;
}

ordered_json ChangeSums::rules_json() const {
    ordered_json rules = to_json(by_rule_, "rule");
    if (kind_ != SumKind::decisions) return rules;
    for (ordered_json& row : rules) {
        const auto found = words_.find(row["rule"].is_null() ? no_rule : row["rule"].get<std::string>());
        row["words"] = found == words_.end() ? ordered_json()
                                             : ordered_json{{"id", found->second.id},
                                                            {"before", found->second.words.before},
                                                            {"after", found->second.words.after}};
    }
    return rules;
}

void ChangeSums::add_to(ordered_json& answer) const {
    answer.update(to_json(all_));
    answer["rules"] = rules_json();
    answer["users"] = to_json(users_by_name(), "user");
    ordered_json fields = ordered_json::object();
    for (const auto& [field, count] : fields_)
        fields[field] = count;
    answer["fields"] = fields;
}

} // namespace qg::cli
