-- SPDX-License-Identifier: GPL-2.0-or-later
-- All numbers of the size, as they come.
--: submit
--: submit -N1-2 -n2 -c2 --ntasks-per-node=2
--: submit --mincpus=2 --tmp=5 --threads-per-core=1
--: submit -n2 --cores-per-socket=1 --ntasks-per-core=1
local names = { "min_cpus", "max_cpus", "min_nodes", "max_nodes", "num_tasks", "cpus_per_task", "ntasks_per_node",
    "ntasks_per_socket", "ntasks_per_core", "ntasks_per_board", "ntasks_per_tres", "ntasks_per_gpu", "pn_min_cpus",
    "pn_min_tmp_disk", "threads_per_core", "cores_per_socket", "sockets_per_node", "sockets_per_board",
    "boards_per_node", "priority", "nice", "requeue", "shared", "contiguous", "reboot", "immediate", "group_id",
    "user_id", "begin_time", "end_time", "mail_type", "bitflags", "delay_boot", "wait4switch", "req_switch",
    "het_job_offset", "pack_job_offset", "site_factor", "cpu_freq_min", "cpu_freq_max", "cpu_freq_gov", "time_min",
    "argc", "spank_job_env_size", "power_flags", "pn_min_memory", "oversubscribe" }

function slurm_job_submit(job_desc, part_list, submit_uid)
    for _, name in ipairs(names) do
        slurm.log_user("%s=%s", name, tostring(job_desc[name]))
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
