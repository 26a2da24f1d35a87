-- SPDX-License-Identifier: GPL-2.0-or-later
-- The other constants.
--: submit
local names = { "ALLOC_SID_ADMIN_HOLD", "ALLOC_SID_USER_HOLD", "INFINITE", "INFINITE64", "MAIL_INVALID_DEPEND",
    "MAIL_JOB_BEGIN", "MAIL_JOB_END", "MAIL_JOB_FAIL", "MAIL_JOB_REQUEUE", "MAIL_JOB_TIME100", "MAIL_JOB_TIME890",
    "MAIL_JOB_TIME80", "MAIL_JOB_TIME50", "MAIL_JOB_STAGE_OUT", "MEM_PER_CPU", "NICE_OFFSET", "JOB_SHARED_NONE",
    "JOB_SHARED_OK", "JOB_SHARED_USER", "JOB_SHARED_MCS", "NO_VAL64", "NO_VAL", "NO_VAL16", "NO_VAL8", "SHARED_FORCE",
    "GRES_DISABLE_BIND", "GRES_ENFORCE_BIND", "KILL_INV_DEP", "NO_KILL_INV_DEP", "SPREAD_JOB", "USE_MIN_NODES" }

function slurm_job_submit(job_desc, part_list, submit_uid)
    for _, name in ipairs(names) do
        slurm.log_user("%s=%s", name, tostring(slurm[name]))
    end
    slurm.log_user("%s %s", tostring(slurm.NO_SUCH_NAME), type(slurm.CLUSTER_NAME))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
