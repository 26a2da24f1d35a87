// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy diff [FILE...|DIR]
#include "common/command.hpp"
#include "policy/change_sums.hpp"
#include "policy/record_files.hpp"

#include "qosgate/base/text.hpp"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace qg::cli {
namespace {

using nlohmann::json;
using nlohmann::ordered_json;

struct DiffOptions {
    std::vector<std::string> files;
    std::string policy;
};

/// What the records say about one candidate.
struct CandidateSums {
    std::uint64_t compared = 0;
    std::string first; ///< the time of the first record, and of the last one
    std::string last;
    ChangeSums changes;
};

/// "qos: normal -> debug" is a change of "qos".
std::vector<std::string> fields_of(const json& candidate) {
    std::vector<std::string> fields = texts_of(candidate, "changes");
    for (std::string& field : fields)
        field.erase(std::min(field.find(':'), field.size()));
    return fields;
}

/// Those of `lines` that are not among `others`.
std::vector<std::string> lines_missing_in(const std::vector<std::string>& others,
                                          std::vector<std::string> lines) {
    std::erase_if(lines,
                  [&](const std::string& line) { return std::ranges::find(others, line) != others.end(); });
    return lines;
}

/// What only one of the two decisions tells the user; empty: the same, or the outcome is another one, too.
std::optional<OtherWords> other_words(const json& record, const json& candidate,
                                      const std::vector<std::string>& differs) {
    const auto has = [&](std::string_view what) { return std::ranges::find(differs, what) != differs.end(); };
    if (!has("message") || has("outcome")) return std::nullopt;
    const std::vector<std::string> before = texts_of(record, "message");
    const std::vector<std::string> after = texts_of(candidate, "message");
    OtherWords words{lines_missing_in(after, before), lines_missing_in(before, after)};
    if (words.before.empty() && words.after.empty()) return std::nullopt; // the same lines in another order
    return words;
}

std::optional<std::uint32_t> uid_of(const json& record) {
    const auto found = record.find("uid");
    if (found == record.end() || !found->is_number_unsigned()) return std::nullopt;
    return found->get<std::uint32_t>();
}

class Differences {
  public:
    void add(const json& record) {
        const auto candidate = record.find("candidate");
        if (candidate == record.end() || !candidate->is_object()) return;
        latest_ = text_of(*candidate, "policy");
        CandidateSums& sums = by_policy_[latest_];
        const std::string time = text_of(record, "time");
        if (sums.compared++ == 0) sums.first = time;
        sums.last = time;
        const std::vector<std::string> differs = texts_of(*candidate, "differs");
        if (differs.empty()) return;
        sums.changes.add(
            {.id = text_of(record, "id"),
             .user = text_of(record, "user"),
             .uid = uid_of(record),
             .rules = texts_of(*candidate, "rules"),
             .fields = fields_of(*candidate),
             .outcome = outcome_change(text_of(record, "outcome"), text_of(*candidate, "outcome")),
             .message_differs = std::ranges::find(differs, "message") != differs.end(),
             .words = other_words(record, *candidate, differs)});
    }

    [[nodiscard]] const std::string& latest() const noexcept { return latest_; }
    [[nodiscard]] std::vector<std::string> others(const std::string& policy) const {
        std::vector<std::string> found;
        for (const auto& [hash, sums] : by_policy_)
            if (hash != policy) found.push_back(hash);
        return found;
    }
    [[nodiscard]] const CandidateSums* find(const std::string& policy) const {
        const auto found = by_policy_.find(policy);
        return found == by_policy_.end() ? nullptr : &found->second;
    }

  private:
    std::map<std::string, CandidateSums> by_policy_; ///< by the candidate's hash
    std::string latest_;
};

void print_differences(const std::string& policy, const CandidateSums& sums, const RecordsRead& read,
                       const std::vector<std::string>& others, std::ostream& out) {
    out << text::format("Candidate {}: {} of {} recorded decisions differ, from {} to {}\n",
                        text::printable(policy, 20), sums.changes.changes(), sums.compared,
                        text::printable(sums.first, 40), text::printable(sums.last, 40));
    sums.changes.print(out);
    if (!others.empty())
        out << text::format("\nThere are records of other candidates, too: {} (--policy shows one)\n",
                            text::printable(text::join(others, ", "), 400));
    if (read.unreadable > 0) out << text::format("{} lines are no records\n", read.unreadable);
    if (read.lost > 0) out << text::format("{} records were lost while they were written\n", read.lost);
}

Result<int> diff(const DiffOptions& options, Output& output) {
    const auto files = find_record_files(options.files);
    if (!files) return files.error();
    Differences differences;
    const auto read = read_records(*files, [&](const json& record) { differences.add(record); });
    if (!read) return read.error();
    const std::string policy = options.policy.empty() ? differences.latest() : options.policy;
    const CandidateSums* sums = differences.find(policy);
    if (sums == nullptr)
        return Error{
            ErrorCode::not_found,
            text::format("{} records, and none was compared with {}; 'qosgate status' says whether a "
                         "candidate is loaded",
                         read->records,
                         policy.empty() ? "a candidate" : "the candidate " + text::quoted(policy, 20))};
    if (output.json()) {
        ordered_json answer{{"status", sums->changes.changes() == 0 ? "ok" : "differences"},
                            {"policy", policy},
                            {"compared", sums->compared},
                            {"first", sums->first},
                            {"last", sums->last}};
        sums->changes.add_to(answer);
        answer["other_policies"] = differences.others(policy);
        answer["unreadable"] = read->unreadable;
        answer["lost"] = read->lost;
        output.write(answer);
    } else
        print_differences(policy, *sums, *read, differences.others(policy), output.text());
    return sums->changes.changes() == 0 ? 0 : exit_differences;
}

} // namespace

void add_policy_diff(Command policy, Invocation& invocation) {
    auto options = std::make_shared<DiffOptions>();
    Command command = add_command(
        policy, "diff", "Sum up what the candidate policy in 'next' would have decided differently",
        "slurmctld loads the directory qosgate.d/next beside the rules in force, and decides each job a\n"
        "second time with it. The second decision does nothing to the job: it is only recorded, in the\n"
        "member 'candidate' of the decision record. This command reads records and sums up the differences\n"
        "by rule and by user.\n\n"
        "A decision that differs is always recorded, if site.lua names a record_file. Of the decisions that\n"
        "do not differ, those that did nothing are recorded only by record_percent: 'qosgate status' has\n"
        "the number of all comparisons.\n\n"
        "REFUSED counts jobs that were accepted and that the candidate refuses, ACCEPTED those that were\n"
        "refused and that it accepts, JOB those that get other values, MESSAGE those whose user reads other\n"
        "words. A decision counts for each rule that had a part in its difference; '(no rule)' is one by\n"
        "limits, partitions or settings. The examples are ids of records. For each rule whose decisions "
        "have\n"
        "the same outcome in other words, the lines are shown that only one of the two has, of one "
        "decision.\n\n"
        "Exit status:\n"
        "  0   no decision differs\n"
        "  1   some do\n"
        "  64  the command line is wrong\n"
        "  65  the rules that name the record file do not load\n"
        "  66  there is no such file, no record_file, or no record of a candidate\n"
        "  69  slurm.conf or a file cannot be read\n"
        "  74  the output cannot be written\n"
        "  78  this build has no Slurm support, and nothing is named\n\n"
        "Examples:\n"
        "  sudo qosgate policy diff\n"
        "  qosgate policy diff qosgate.jsonl.1 qosgate.jsonl\n"
        "  sudo qosgate policy diff --json | jq '.users[] | select(.refused > 0)'");
    command.add_option(
        "FILE", options->files,
        "Files of records, or a directory of rules whose record_file is read; default: qosgate.d "
        "beside slurm.conf");
    command.add_option("--policy", options->policy,
                       "The hash of a candidate; default: the one of the last record that has one");
    add_json_flag(command, invocation);
    command.callback([&invocation, options] {
        invocation.action = [options](Output& output) { return diff(*options, output); };
    });
}

} // namespace qg::cli
