// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/gate/predict/fit_resources.hpp"

#include "qosgate/base/saturate.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/gate/answer/request_options.hpp"
#include "qosgate/gate/size/client_counts.hpp"
#include "qosgate/gate/size/job_size.hpp"
#include "qosgate/gate/size/ranges.hpp"
#include "qosgate/model/tres_request.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <span>
#include <vector>

namespace qg::gate {
namespace {

using model::JobRequest;

using TextMember = std::optional<std::string> JobRequest::*;

/// `value` x target / asked, rounded down to keep a maximum, up to keep a minimum.
std::uint64_t scale(std::uint64_t value, Amount amount) {
    const long double exact = static_cast<long double>(value) * static_cast<long double>(amount.target) /
                              static_cast<long double>(std::max<std::uint64_t>(amount.asked, 1));
    return saturate(amount.target > amount.asked ? std::ceil(exact) : exact);
}

bool is_of(const model::TresItem& item, std::string_view tres) {
    return text::iequals(item.tres_name(), tres) || text::iequals(item.untyped_tres_name(), tres);
}

bool fit_memory_per_gpu(JobRequest& request, Amount mib) {
    auto items = model::parse_tres_request(*request.memory_per_tres);
    if (items.size() != 1) return false;
    items.front().count = scale(items.front().count, mib);
    if (items.front().count == 0) return false;
    request.memory_per_tres = format_tres_request(items);
    return true;
}

/// The ways to ask for gres. Two at once would also determine the nodes or tasks.
constexpr std::array<TextMember, 4> gres_ways{&JobRequest::tres_per_job, &JobRequest::tres_per_node,
                                              &JobRequest::tres_per_socket, &JobRequest::tres_per_task};

std::uint64_t sum_of(std::span<const model::TresItem> items) {
    std::uint64_t sum = 0;
    for (const model::TresItem& item : items)
        sum = saturated_sum(sum, item.count);
    return sum;
}

/// Reduces the largest of the items that count as this TRES, or raises the first.
bool change_items(std::vector<model::TresItem>& items, std::string_view tres, Amount amount) {
    std::vector<model::TresItem*> counted;
    std::uint64_t sum = 0;
    for (model::TresItem& item : items) {
        if (!is_of(item, tres)) continue;
        counted.push_back(&item);
        sum += item.count;
    }
    if (counted.empty()) return false;
    std::ranges::stable_sort(counted, std::ranges::greater(), &model::TresItem::count);
    const std::uint64_t wanted = scale(sum, amount);
    if (wanted > sum) {
        counted.front()->count += wanted - sum;
        return true;
    }
    std::uint64_t excess = sum - wanted;
    for (model::TresItem* item : counted) {
        const std::uint64_t cut = std::min(excess, item->count);
        item->count -= cut;
        excess -= cut;
    }
    return wanted != sum;
}

} // namespace

bool fit_memory(JobRequest& request, Amount mib, std::uint64_t nodes) {
    if (mib.target == 0 || mib.asked == mib.target) return false;
    if (!request.memory && request.memory_per_tres) return fit_memory_per_gpu(request, mib);
    model::Memory memory = request.memory.value_or(model::Memory{});
    if (memory.mib == 0)
        memory = {mib.target / std::max<std::uint64_t>(nodes, 1), /*per_cpu=*/false};
    else
        memory.mib = scale(memory.mib, mib);
    if (memory.mib == 0 || memory == request.memory) return false;
    request.memory = memory;
    return true;
}

bool fit_gres(JobRequest& request, std::string_view tres, Amount count, std::uint64_t nodes) {
    if (!tres.starts_with("gres/")) return false;
    const auto is_used = [&](TextMember way) { return (request.*way).has_value(); };
    const auto way = std::ranges::find_if(gres_ways, is_used);
    if (way == gres_ways.end()) {
        if (count.target <= count.asked || request.tasks_per_tres) return false;
        // Nothing asks for this gres yet, and a limit requires a minimum of it.
        request.tres_per_node = text::format("gres:{}:{}", tres.substr(5),
                                             divide_up(count.target, std::max<std::uint64_t>(nodes, 1)));
        return true;
    }
    if (std::find_if(way + 1, gres_ways.end(), is_used) != gres_ways.end()) return false;

    auto items = model::parse_tres_request(*(request.*(*way)));
    const std::uint64_t before = sum_of(items);
    if (!change_items(items, tres, count)) return false;
    std::erase_if(items, [](const model::TresItem& item) { return item.count == 0; });
    const bool is_needed = request.memory_per_tres || request.cpus_per_tres || request.tasks_per_tres;
    if (items.empty() && (is_needed || count.target != 0)) return false;
    if (request.tasks_per_tres && request.tasks) { // the clients count as many for each
        if (before == 0 || *request.tasks % before != 0) return false;
        request.tasks = to_count(*request.tasks / before * sum_of(items));
        derive_counts(request);
    }
    const std::string text = format_tres_request(items);
    if (text.empty())
        (request.*(*way)).reset();
    else
        request.*(*way) = text;
    return true;
}

bool fit_licenses(JobRequest& request, std::string_view tres, std::uint64_t max) {
    if (!request.licenses) return false;
    auto items = model::parse_licenses(*request.licenses);
    std::uint64_t sum = 0;
    for (const model::TresItem& item : items)
        if (is_of(item, tres)) sum += item.count;
    if (max == 0 || sum <= max || sum > UINT32_MAX || !change_items(items, tres, {sum, max})) return false;
    std::erase_if(items, [](const model::TresItem& item) { return item.count == 0; });
    request.licenses = format_licenses(items);
    return true;
}

bool fit_array(JobRequest& request, std::uint64_t max) {
    if (!request.array) return false;
    auto fewer = first_of_array(*request.array, max);
    if (!fewer || fewer == request.array) return false;
    request.array = std::move(fewer);
    return true;
}

} // namespace qg::gate
