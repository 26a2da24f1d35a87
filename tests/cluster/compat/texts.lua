-- SPDX-License-Identifier: GPL-2.0-or-later
-- All texts, as they come.
--: submit
--: submit --job-name=x --comment=c -A bio -p short --qos=normal --wckey=w --mail-user=m --mail-type=END,FAIL
--: submit --constraint=a&b --licenses=x:1 --dependency=afterany:1 --array=1-3%2 --network=n
--: submit --output=o-%j --error=e --input=/dev/null --chdir=/tmp --acctg-freq=task=60 --container=c
--: submit --export=NONE --prefer=p --reservation=none --cpus-per-gpu=2 --gpus=1 --mem-per-gpu=3 --bb=x
local names = { "account", "acctg_freq", "admin_comment", "array_inx", "batch_features", "burst_buffer", "clusters",
    "comment", "container", "cpus_per_tres", "dependency", "extra", "exc_nodes", "features", "gres", "licenses",
    "mail_user", "mem_per_tres", "name", "network", "partition", "prefer", "qos", "req_context", "req_nodes",
    "reservation", "script", "selinux_context", "std_err", "std_in", "std_out", "tres_bind", "tres_freq",
    "tres_per_job", "tres_per_node", "tres_per_socket", "tres_per_task", "wckey", "work_dir", "cron_job",
    "default_account", "default_qos", "user_name" }

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
