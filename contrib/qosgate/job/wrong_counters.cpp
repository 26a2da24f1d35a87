// SPDX-License-Identifier: GPL-2.0-or-later
#include "job/wrong_counters.hpp"

#include "job/judged_world.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/limits/catalogue.hpp"
#include "qosgate/model/limit_facts.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <map>
#include <thread>

#include <unistd.h>

namespace qg::cli {
namespace {

/// Sentences by the names of the counters.
using Wrong = std::map<std::string, std::string>;

Result<Wrong> read_wrong(const std::function<std::vector<LimitCounter>(const report::UserWorld&)>& pick) {
    const auto world = read_user_world();
    if (!world) return world.error();
    const auto queue = slurm::read_queue();
    if (!queue) return queue.error();
    Wrong wrong;
    if (!sees_all_jobs(*world, *queue)) return wrong;
    const report::UsageClock clock{std::time(nullptr), queue->usage_step};
    for (const LimitCounter& counter : pick(*world)) {
        const limits::LimitId& limit = counter.whose.limit;
        if (counter.used == 0 || !report::is_of_running_jobs(limit, counter.whose.tres)) continue;
        const report::Holders holders = report::find_holders(counter.whose, queue->jobs, clock);
        if (counter.used <= holders.most) continue;
        const auto amount = [&](std::uint64_t value) {
            return limits::format_limit_value(limit, counter.whose.tres, value);
        };
        wrong.emplace(
            counter.name,
            text::format(
                "of {}, slurmctld counts {} as in use, and the jobs of the queue have at most {}: its "
                "counter is too high until an administrator types 'scontrol reconfigure' ('qosgate "
                "verify' shows all such counters)",
                counter.name, amount(counter.used), amount(holders.most)));
    }
    return wrong;
}

} // namespace

bool sees_all_jobs(const report::UserWorld& world, const slurm::Queue& queue) {
    if (world.accounting->is_operator(getuid())) return true;
    const model::PrivateData& data = world.accounting->records().private_data;
    return !queue.hides_jobs && !data.usage && !data.accounts &&
           std::ranges::all_of(queue.jobs, [&](const model::QueuedJob& job) {
               return !job.holds_resources() || world.cluster->partitions.find(job.partition) != nullptr;
           });
}

Result<std::vector<std::string>>
find_wrong_counters(const std::function<std::vector<LimitCounter>(const report::UserWorld&)>& pick) {
    constexpr std::chrono::seconds between{1};
    const auto before = read_wrong(pick);
    if (!before) return before.error();
    std::vector<std::string> found;
    if (before->empty()) return found;
    std::this_thread::sleep_for(between);
    const auto again = read_wrong(pick);
    if (!again) return again.error();
    for (const auto& [name, sentence] : *again)
        if (before->contains(name)) found.push_back(sentence);
    return found;
}

std::vector<std::string> or_warning(Result<std::vector<std::string>> sentences, Output& output) {
    if (sentences) return *std::move(sentences);
    output.warn(
        text::format("whether slurmctld counts well could not be seen: {}", sentences.error().message));
    return {};
}

} // namespace qg::cli
