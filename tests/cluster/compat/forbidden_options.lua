-- SPDX-License-Identifier: GPL-2.0-or-later
-- Options that users must not give, each with a text of its own.
--: submit
--: submit --exclusive
--: submit -w node1
--: submit --exclude=node1
--: submit --nice=10
--: submit --oversubscribe
--: submit --contiguous
--: submit --reboot
function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.shared == 0 then
        slurm.log_user("--exclusive is not for users")
        return slurm.ERROR
    end
    if job_desc.shared == slurm.JOB_SHARED_OK then
        slurm.log_user("shared: %d", job_desc.oversubscribe)
    end
    if job_desc.req_nodes or job_desc.exc_nodes then
        slurm.log_user("no names of nodes: %s %s", tostring(job_desc.req_nodes), tostring(job_desc.exc_nodes))
        return slurm.ERROR
    end
    if job_desc.nice ~= slurm.NO_VAL then
        slurm.log_user("nice is %d", job_desc.nice - slurm.NICE_OFFSET)
    end
    if job_desc.contiguous == 1 then
        slurm.log_user("contiguous")
    end
    if job_desc.reboot ~= slurm.NO_VAL16 and job_desc.reboot ~= 0 then
        slurm.log_user("reboot")
        return slurm.ERROR
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
