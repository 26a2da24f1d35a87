// SPDX-License-Identifier: GPL-2.0-or-later
#include "job_description.hpp"

#include <ctime>
#include <map>
#include <stdexcept>
#include <string_view>

namespace qg::test {
namespace {

using Field = job_desc_msg_t;

const std::map<std::string_view, char * Field::*> text_fields{
    {"account", &Field::account},
    {"partition", &Field::partition},
    {"qos", &Field::qos},
    {"reservation", &Field::reservation},
    {"licenses", &Field::licenses},
    {"dependency", &Field::dependency},
    {"array_inx", &Field::array_inx},
    {"req_nodes", &Field::req_nodes},
    {"tres_per_job", &Field::tres_per_job},
    {"tres_per_node", &Field::tres_per_node},
    {"tres_per_socket", &Field::tres_per_socket},
    {"tres_per_task", &Field::tres_per_task},
    {"mem_per_tres", &Field::mem_per_tres},
    {"cpus_per_tres", &Field::cpus_per_tres},
};
const std::map<std::string_view, std::uint32_t Field::*> wide_fields{
    {"user_id", &Field::user_id},
    {"group_id", &Field::group_id},
    {"min_nodes", &Field::min_nodes},
    {"max_nodes", &Field::max_nodes},
    {"num_tasks", &Field::num_tasks},
    {"min_cpus", &Field::min_cpus},
    {"time_limit", &Field::time_limit},
    {"time_min", &Field::time_min},
    {"priority", &Field::priority},
    {"nice", &Field::nice},
    {"pn_min_tmp_disk", &Field::pn_min_tmp_disk},
};
const std::map<std::string_view, std::uint16_t Field::*> narrow_fields{
    {"cpus_per_task", &Field::cpus_per_task},
    {"ntasks_per_node", &Field::ntasks_per_node},
    {"ntasks_per_socket", &Field::ntasks_per_socket},
    {"ntasks_per_tres", &Field::ntasks_per_tres},
    {"sockets_per_node", &Field::sockets_per_node},
    {"shared", &Field::shared},
    {"core_spec", &Field::core_spec},
    {"immediate", &Field::immediate},
};

// slurmctld stores each batch job's environment and script; both are as small as they may be.
char environment_entry[] = "A=1";
char* environment[] = {environment_entry, nullptr};

} // namespace

JobDescription::JobDescription(const nlohmann::json& job) {
    slurm_init_job_desc_msg(&description_);
    description_.name = keep("case");
    description_.work_dir = keep("/");
    description_.alloc_node = keep("localhost");
    description_.std_out = keep("/dev/null");
    for (const auto& [key, value] : job.items())
        set(key, value);
    if (!job.contains("group_id")) description_.group_id = description_.user_id;
    if (is_allocation_) return;
    description_.script = keep("#!/bin/sh\n");
    description_.environment = environment;
    description_.env_size = 1;
}

void JobDescription::set(const std::string& key, const nlohmann::json& value) {
    if (const auto text = text_fields.find(key); text != text_fields.end())
        description_.*text->second = keep(value.get<std::string>());
    else if (const auto wide = wide_fields.find(key); wide != wide_fields.end())
        description_.*wide->second = value == "UNLIMITED" ? INFINITE : value.get<std::uint32_t>();
    else if (const auto narrow = narrow_fields.find(key); narrow != narrow_fields.end())
        description_.*narrow->second = value.get<std::uint16_t>();
    else if (key == "overcommit")
        description_.overcommit = value.get<std::uint8_t>();
    else if (key == "mem_per_node")
        description_.pn_min_memory = value.get<std::uint64_t>();
    else if (key == "mem_per_cpu")
        description_.pn_min_memory = value.get<std::uint64_t>() | MEM_PER_CPU;
    else if (key == "begins_in")
        description_.begin_time = std::time(nullptr) + value.get<std::time_t>();
    else if (key == "client")
        is_allocation_ = value == "salloc";
    else
        throw std::invalid_argument("no such field of a job: " + key);
}

char* JobDescription::keep(std::string text) {
    texts_.push_back(std::move(text));
    return texts_.back().data();
}

} // namespace qg::test
