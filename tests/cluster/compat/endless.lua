-- SPDX-License-Identifier: GPL-2.0-or-later
-- Never ends for some jobs: it would stop Slurm's own plugin, and slurmctld with it.
--: submit
--: only_ours --comment=loop
--: submit
calls = 0

function slurm_job_submit(job_desc, part_list, submit_uid)
    calls = 1
    while job_desc.comment == "loop" do
        pcall(error, "x")
    end
    slurm.log_user("call %d", calls)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
