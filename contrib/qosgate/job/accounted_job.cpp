// SPDX-License-Identifier: GPL-2.0-or-later
//
// ReplayedJob of what accounting has of a job.
#include "policy/replayed_job.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/slurmdb/past_jobs.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <string_view>
#include <utility>

namespace qg::cli {
namespace {

using model::DetailValue;
using model::JobDetail;

constexpr std::size_t max_array_text = 4096; // as in Slurm

/// The indices as ranges, "0-3,7".
std::string ranges_of(const std::vector<std::uint32_t>& tasks) {
    std::string text;
    for (std::size_t first = 0; first < tasks.size();) {
        std::size_t last = first;
        while (last + 1 < tasks.size() && tasks[last + 1] == tasks[last] + 1)
            ++last;
        text += text::format("{}{}", text.empty() ? "" : ",", tasks[first]);
        if (last > first) text += text::format("-{}", tasks[last]);
        first = last + 1;
    }
    return text;
}

void append_part(std::optional<std::string>& list, const std::string& part) {
    list = list ? *list + "," + part : part;
}

/// GRES by name: of types if all of them have one.
struct Gres {
    std::uint64_t all = 0;
    std::map<std::string, std::uint64_t> types;
};

/// The GRES as a request has them: for each node if they can be divided, else for the job.
void add_gres(model::JobRequest& request, const std::map<std::string, Gres>& found, std::uint64_t nodes) {
    for (const auto& [name, gres] : found) {
        std::uint64_t typed = 0;
        for (const auto& [type, count] : gres.types)
            typed += count;
        const bool has_types = typed > 0 && (gres.all == 0 || gres.all == typed);
        const std::map<std::string, std::uint64_t> all{{"", gres.all}};
        for (const auto& [type, count] : has_types ? gres.types : all) {
            if (count == 0) continue;
            const bool is_even = count % nodes == 0;
            const std::string words = text::format("gres:{}{}{}:{}", name, type.empty() ? "" : ":", type,
                                                   is_even ? count / nodes : count);
            append_part(is_even ? request.tres_per_node : request.tres_per_job, words);
        }
    }
}

void add_tres(model::JobRequest& request, const model::TresLimits& tres) {
    constexpr std::string_view gres_prefix = "gres/";
    constexpr std::string_view license_prefix = "license/";
    std::uint64_t nodes = 1;
    if (const auto found = tres.find("node"); found != tres.end() && found->second > 0) {
        nodes = found->second;
        request.min_nodes = static_cast<std::uint32_t>(std::min<std::uint64_t>(nodes, 0xfffffff0u));
    }
    std::map<std::string, Gres> gres;
    for (const auto& [name, count] : tres) {
        if (name.starts_with(license_prefix) && count > 0)
            append_part(request.licenses, text::format("{}:{}", name.substr(license_prefix.size()), count));
        if (!name.starts_with(gres_prefix)) continue;
        const std::string rest = name.substr(gres_prefix.size());
        const std::size_t colon = rest.find(':');
        if (colon == rest.npos)
            gres[rest].all = count;
        else
            gres[rest.substr(0, colon)].types[rest.substr(colon + 1)] = count;
    }
    add_gres(request, gres, nodes);
}

/// The program that sent the request; empty: not known.
std::string_view client_of(std::string_view submit_line) {
    const std::string_view word = submit_line.substr(0, submit_line.find(' '));
    const std::string_view name = word.substr(word.rfind('/') + 1);
    constexpr std::array<std::string_view, 3> clients{"sbatch", "salloc", "srun"};
    return std::ranges::find(clients, name) == clients.end() ? std::string_view() : name;
}

std::optional<std::string> or_unset(const std::string& text) {
    return text.empty() ? std::nullopt : std::optional(text);
}

// What accounting holds of a request. Values that jobs have got without asking count as values, but not as
// set. The sender is not there, and counts as the owner: only root and SlurmUser submit for others.
constexpr std::array<std::string_view, 24> known_values{
    "qos",         "partition",   "account",     "time_limit", "name",           "user",     "uid",
    "submit_uid",  "nodes",       "cpus",        "memory",     "gpus",           "tres",     "array",
    "array_tasks", "reservation", "features",    "licenses",   "license_counts", "work_dir", "is_het_part",
    "het_offset",  "is_batch",    "interactive",
};
constexpr std::array<std::string_view, 8> known_if_set{
    "array", "array_tasks", "reservation", "features", "licenses", "license_counts", "is_het_part", "gpus"};

} // namespace

/// Notes what a rule asks for.
class ReplayedJob::Unaccounted final : public model::DetailReader {
  public:
    [[nodiscard]] DetailValue read(const void* /*job*/, const void* /*update*/,
                                   JobDetail /*detail*/) const noexcept override {
        return {};
    }
    [[nodiscard]] std::size_t argument_count(const void* /*job*/) const noexcept override { return 0; }
    [[nodiscard]] DetailValue argument(const void* /*job*/, std::size_t /*index*/) const noexcept override {
        return {};
    }
    [[nodiscard]] std::size_t variable_count(const void* /*job*/) const noexcept override { return 0; }
    [[nodiscard]] DetailValue variable(const void* /*job*/,
                                       std::string_view /*name*/) const noexcept override {
        return {};
    }
    void note_use(const void* source, std::string_view field, model::FieldUse use) const noexcept override {
        const auto& job = *static_cast<const ReplayedJob*>(source);
        const bool is_of_client = field == "is_batch" || field == "interactive";
        const bool is_known = use == model::FieldUse::is_set
                                  ? std::ranges::find(known_if_set, field) != known_if_set.end()
                                  : std::ranges::find(known_values, field) != known_values.end();
        if ((is_known && (!is_of_client || job.knows_client_)) || !job.missed_.empty()) return;
        job.missed_ = field;
        job.missed_use_ = use;
    }
};

Result<void> ReplayedJob::take(const slurmdb::PastJob& job) {
    static const Unaccounted unaccounted;
    begin(unaccounted, model::SourceExtent::partial);
    source_ = "accounting";
    id_ = std::to_string(job.job_id);
    user_ = job.user;
    time_ = job.submit;
    const auto left_out = [](const char* why) { return Error{ErrorCode::unsupported, why}; };
    if (job.has_lost_qos) return left_out("a job of a QOS that does not exist any more");
    if (job.cpus == 0) return left_out("a job without a count of CPUs");
    request_.user_id = request_.submit_uid = job.user_id;
    request_.name = or_unset(job.name);
    request_.account = or_unset(job.account);
    request_.partition = or_unset(job.partition);
    request_.qos = or_unset(job.qos);
    request_.reservation = or_unset(job.reservation);
    request_.features = or_unset(job.constraints);
    request_.time_limit = job.time_limit;
    request_.min_cpus = job.cpus;
    request_.memory = job.memory;
    request_.array = or_unset(ranges_of(job.tasks));
    if (request_.array && request_.array->size() > max_array_text)
        return left_out("an array whose indices are not recorded as they were asked for");
    add_tres(request_, job.tres);
    if (!job.work_dir.empty()) request_.details.set(JobDetail::work_dir, job.work_dir);
    if (job.het_offset) {
        request_.is_het_part = true;
        request_.details.set(JobDetail::het_offset, std::int64_t{*job.het_offset});
    }
    const std::string_view client = client_of(job.submit_line);
    knows_client_ = !client.empty();
    request_.is_batch = client == "sbatch";
    return {};
}

} // namespace qg::cli
