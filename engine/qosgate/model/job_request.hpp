// SPDX-License-Identifier: GPL-2.0-or-later
//
// JobRequest: a job as its submitter described it, free of Slurm's structs. An empty optional is a field that
// the submitter left unset; nothing here has been defaulted yet (that is gate/resolve).
#pragma once

#include "qosgate/base/units.hpp"
#include "qosgate/model/job_details.hpp"
#include "qosgate/model/partition.hpp"

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace qg::model {

/// A text of a request that is too long, or contains too many names, to be read.
struct UnreadText {
    std::string_view field;         ///< as rules name it ("partition"); a literal
    std::size_t max = 0;            ///< how much of it is read
    std::string_view unit;          ///< unit of `max` ("bytes"); a literal
    std::string_view options = {};  ///< the option of the clients ("--gres"); a literal
    bool slurmctld_refuses = false; ///< slurmctld refuses so long a text
};

struct JobRequest {
    std::uint32_t user_id = 0;    ///< the job's owner
    std::uint32_t submit_uid = 0; ///< the sender of the request

    // Texts as sent. An empty text counts as unset in rules and in most of Slurm, and is stored as unset.
    std::optional<std::string> name;
    std::optional<std::string> account;
    std::optional<std::string> partition; ///< one name, or several with commas
    std::optional<std::string> qos;
    std::optional<std::string> reservation;
    std::optional<std::string> comment;
    std::optional<std::string> admin_comment;
    std::optional<std::string> features; ///< --constraint
    std::optional<std::string> prefer;   ///< --prefer: features, used if nodes with them are free
    std::optional<std::string> licenses;
    std::optional<std::string> array;           ///< --array, not validated yet
    std::optional<std::string> required_nodes;  ///< --nodelist
    std::optional<std::string> tres_per_job;    ///< --gpus in Slurm's spelling, "gres:gpu:2"
    std::optional<std::string> tres_per_node;   ///< --gres, --gpus-per-node
    std::optional<std::string> tres_per_socket; ///< --gpus-per-socket
    std::optional<std::string> tres_per_task;   ///< --gpus-per-task
    std::optional<std::string> memory_per_tres; ///< --mem-per-gpu
    std::optional<std::string> cpus_per_tres;   ///< --cpus-per-gpu

    /// The beginning of the command as typed; empty: not known. Borrowed from the source of the request.
    std::string_view submit_line;

    /// The beginning of --exclude, whole names only; empty: no node is excluded. Borrowed likewise.
    std::string_view excluded_nodes;
    bool has_all_excluded = true; ///< this is the complete list

    std::optional<TimeLimit> time_limit;
    std::optional<TimeLimit> time_min;
    /// --deadline: the whole minutes until then, from --begin on; 0: less than one, or it has passed.
    std::optional<std::uint32_t> minutes_to_deadline;
    std::optional<std::uint32_t> min_nodes;
    std::optional<std::uint32_t> max_nodes;
    std::optional<std::uint32_t> listed_nodes; ///< those that --nodelist stands for, if not those it names
    std::optional<std::uint32_t> tasks;
    std::optional<std::uint32_t> min_cpus;
    std::optional<std::uint32_t> max_cpus;
    std::optional<std::uint32_t> cpus_per_task;
    std::optional<std::uint32_t> tasks_per_node;
    std::optional<std::uint32_t> tasks_per_socket;
    std::optional<std::uint32_t> tasks_per_tres;
    std::optional<std::uint32_t> sockets_per_node;
    std::optional<std::uint32_t> min_cpus_per_node; ///< --mincpus
    std::optional<std::uint32_t> priority;
    std::optional<Memory> memory; ///< --mem, --mem-per-cpu
    bool overcommit = false;
    bool exclusive = false;                ///< --exclusive of whole nodes
    bool is_batch = false;                 ///< sbatch sent it; else salloc or srun
    bool has_counted_cpus = false;         ///< of an existing job: `min_cpus` is not raised to its tasks
    bool has_default_memory = false;       ///< of an existing job: its memory is a default
    bool has_default_partition = false;    ///< an existing job named none, a list names none
    bool has_default_cpus_per_gpu = false; ///< `cpus_per_tres` is DefCpuPerGPU
    bool is_het_part = false;              ///< a part of a heterogeneous job
    bool begins_later = false;             ///< --begin, in the future
    bool has_dependency = false;           ///< --dependency
    bool asks_for_disk = false;            ///< --tmp
    /// The names given as empty texts, one bit for each row of model::looked_up_names.
    std::uint8_t empty_names = 0;

    JobDetails details; ///< the values that only rules read

    /// A text that was not read and is unset above; empty: all were read. With such a text it is not known
    /// what the job requests.
    std::optional<UnreadText> unread;

    /// The nodes that the job must not get, as rules changed them; else the beginning of --exclude.
    [[nodiscard]] std::string_view nodes_to_exclude() const noexcept {
        for (const auto& [detail, value] : details.written())
            if (detail == JobDetail::excluded_nodes) return details.get(detail).text;
        return excluded_nodes;
    }

    /// Whether Slurm does not try to start it yet. The present usage then says nothing about its start.
    [[nodiscard]] bool starts_later() const noexcept {
        return priority == 0u || begins_later || has_dependency;
    }

    /// The CPUs of each task: slurmctld raises 0 to 1.
    [[nodiscard]] std::uint64_t cpus_of_task() const noexcept {
        return std::max(cpus_per_task.value_or(1), 1u);
    }

    /// The CPUs that --mincpus requests on that many nodes. Tasks that share CPUs get none for it.
    [[nodiscard]] std::uint64_t min_cpus_on(std::uint64_t nodes) const noexcept {
        return overcommit ? 0 : nodes * min_cpus_per_node.value_or(0);
    }
};

} // namespace qg::model
