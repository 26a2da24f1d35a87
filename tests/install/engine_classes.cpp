// SPDX-License-Identifier: GPL-2.0-or-later
//
// A program outside the source tree that uses every public class of the engine: what one of them needs and
// the installed library lacks, the linker misses.
#include <qosgate/base/detached_thread.hpp>
#include <qosgate/base/json_reader.hpp>
#include <qosgate/base/json_text.hpp>
#include <qosgate/gate/gate.hpp>
#include <qosgate/limits/schedule.hpp>
#include <qosgate/model/qos_change.hpp>
#include <qosgate/policy/store.hpp>
#include <qosgate/quota/local_quota.hpp>
#include <qosgate/quota/user_groups.hpp>

#include <chrono>
#include <iostream>

using namespace qg;

int main() {
    DetachedThread thread;
    thread.wake();

    const DataTable table = read_json(R"({"a": 1})").value();
    std::cout << "key: " << table.find(table.root(), "a").has_value() << '\n';

    json::Members members;
    members.add_flag("known", true);
    std::cout << "written: " << members.object() << '\n';

    const limits::Release release = limits::Release::parse("22.05").value();
    const auto tres = model::TresCatalogue::built_in();
    quota::LocalQos normal;
    normal.qos.name = "normal";
    normal.qos.limits = model::Limits(tres->size());
    normal.qos.limits.set(model::TresLimit::grp_tres, 0, 8);
    quota::LocalRecords records;
    records.qos.push_back(normal);
    const quota::LocalQuota quota(records);
    const auto view = quota.check({});
    std::cout << "records: " << (view ? "a view" : view.error().message) << '\n';
    if (view) {
        model::ResolvedJob job;
        job.tres.resize(tres->size());
        limits::AppliedLimits applied(tres->size());
        limits::Evaluation evaluation(*view, job, 0, release, limits::Strictness::as_configured);
        std::vector<limits::Violation> found;
        evaluation.run(limits::submit_stage, found);
        std::cout << "violations: " << found.size() << ' ' << applied.words() << '\n';
    }

    const quota::RecordedGroups recorded(records.users, "there are none");
    const quota::AskedGroups asked(std::make_unique<quota::SystemDirectory>());
    std::cout << "groups: " << recorded.groups_of(0).has_value() << asked.groups_of(0).has_value() << '\n';

    const model::LimitSet limits = normal.qos.limits.which();
    const model::PartitionTable partitions({std::make_shared<model::Partition>()});
    const auto change = model::QosChange::parse(std::vector<std::string>{"MaxWall=1:00:00"}, *tres);
    std::cout << limits.is_empty() << ' ' << (partitions.find("main") == nullptr) << ' '
              << change.value().apply_to({}).max_wall_minutes.value_or(0) << " minutes\n";

    policy::PolicyStore store([](LogLevel, std::string) {});
    const std::shared_ptr<const policy::Policy> policy = store.current();
    const auto decision = gate::Gate(quota, release).decide({}, nullptr, policy.get());
    std::cout << "lines: " << decision.message.size() << '\n';
}
