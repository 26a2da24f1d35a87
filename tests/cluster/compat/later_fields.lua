-- SPDX-License-Identifier: GPL-2.0-or-later
-- Fields that later releases have: nil where Slurm's plugin has none.
--: submit
--: submit --mcs-label=astro
--: submit --core-spec=1
local of_job = { "mcs_label", "segment_size", "core_spec", "thread_spec", "prefer", "container", "container_id",
    "extra", "tres_per_task", "power_flags", "selinux_context", "oversubscribe", "req_context" }

function slurm_job_submit(job_desc, part_list, submit_uid)
    for _, name in ipairs(of_job) do
        slurm.log_user("%s=%s", name, tostring(job_desc[name]))
    end
    slurm.log_user("%s", tostring(part_list.main.max_cpus_per_socket))
    slurm.log_user("%s", tostring(slurm.reservations.course.licenses))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
