// SPDX-License-Identifier: GPL-2.0-or-later
#include "qos/qos_connection.hpp"

#include "common/interrupt.hpp"
#include "qos/qos_json.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/report/lint_checks.hpp"
#include "qosgate/slurmdb/permission.hpp"
#include "qosgate/spec/changes.hpp"

#include <algorithm>

namespace qg::cli {

void add_access_options(Command command, AccessOptions& options, Invocation& invocation) {
    command
        .add_option("--timeout", options.timeout_seconds,
                    "Seconds to wait for each answer of slurmdbd or slurmctld (60)")
        .range(1, 3600)
        .type_name("SECONDS");
    add_json_flag(command, invocation);
}

Result<std::unique_ptr<QosConnection>> QosConnection::open(const AccessOptions& options, Output& output) {
    auto client = admin::Client::open(std::chrono::seconds(options.timeout_seconds),
                                      [&output](const std::string& late) { output.note(late); });
    if (!client) return client.error();
    return std::unique_ptr<QosConnection>(new QosConnection(std::move(*client)));
}

Result<slurmdb::QosPlan> carry_out(QosConnection& access, const slurmdb::Planner& plan_from,
                                   slurmdb::WriteMode mode, Output& output) {
    if (mode == slurmdb::WriteMode::write) {
        InterruptWatch watch;
        return slurmdb::commit_plan(access.connection(), access.store(), plan_from,
                                    [&](slurmdb::CommitStep step) {
                                        watch.note(step);
                                        if (step == slurmdb::CommitStep::stored) output.note_stored();
                                    });
    }
    const auto all = access.store().read_all();
    if (!all) return all.error();
    auto plan = plan_from(*all);
    if (!plan) return plan;
    if (const auto done = access.store().write(*plan, *all, mode); !done) return done.error();
    if (const auto may = slurmdb::expect_administrator(access.connection(), "change QOSs"); !may)
        return may.error();
    return plan;
}

Result<void> check_old_words(std::string_view verb, const std::vector<std::string>& arguments,
                             std::span<const slurmdb::StoredQos> all) {
    for (const std::string& word : arguments)
        if (arguments.size() > 1 && is_sacctmgrs(word) && slurmdb::find_qos(all, word) == nullptr)
            return takes_no_such_word(verb, word, arguments);
    return {};
}

Result<std::vector<model::QosRecord>> select(std::span<const slurmdb::StoredQos> all,
                                             const std::vector<std::string>& names) {
    std::vector<model::QosRecord> records;
    for (const std::string& name : names) {
        const slurmdb::StoredQos* found = slurmdb::find_qos(all, name);
        if (found == nullptr) return slurmdb::unknown_qos(all, name);
        records.push_back(spec::without_mark(found->record));
    }
    return records;
}

void warn_of_mistakes(std::span<const slurmdb::QosUpdate> updates, Output& output) {
    std::vector<model::QosRecord> old;
    std::vector<model::QosRecord> now;
    for (const auto& [before, after] : updates) {
        old.push_back(before);
        now.push_back(after);
    }
    for (const report::Finding& finding : report::find_new_mistakes(std::move(old), std::move(now)))
        output.warn(report::warning_of(finding));
}

void report_changes(Output& output, std::string_view done, std::span<const slurmdb::QosUpdate> updates,
                    slurmdb::WriteMode mode, const nlohmann::ordered_json& more) {
    const bool is_dry = mode == slurmdb::WriteMode::check_only;
    std::vector<slurmdb::QosUpdate> shown;
    for (const auto& [before, after] : updates)
        shown.push_back({spec::without_mark(before), spec::without_mark(after)});
    if (output.json()) {
        Json list = Json::array();
        for (const auto& [before, after] : shown)
            list.push_back({{"Name", after.name}, {"changes", differences_to_json(before, after)}});
        Json answer{{std::string(done), list}, {"dry_run", is_dry}};
        if (!more.is_null()) answer.update(more);
        output.write(answer);
        return;
    }
    for (const auto& [before, after] : shown) {
        const auto changes = model::differences(before, after);
        if (before == after) {
            output.text() << after.name << ": nothing to change\n";
            continue;
        }
        output.text() << after.name << (is_dry ? ": would be " : ": ") << done << '\n';
        for (const model::FieldDifference& change : changes)
            output.text() << "  " << change.field->name << ": " << text::printable(change.before, 4000)
                          << " -> " << text::printable(change.after, 4000) << '\n';
    }
}

} // namespace qg::cli
