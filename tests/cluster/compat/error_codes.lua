-- SPDX-License-Identifier: GPL-2.0-or-later
-- Each code that Slurm's plugin of this release has.
--: submit --comment=ERROR
--: submit --comment=ESLURM_ACCESS_DENIED
--: submit --comment=ESLURM_ACCOUNTING_POLICY
--: submit --comment=ESLURM_INVALID_ACCOUNT
--: submit --comment=ESLURM_INVALID_LICENSES
--: submit --comment=ESLURM_INVALID_NODE_COUNT
--: submit --comment=ESLURM_INVALID_TIME_LIMIT
--: submit --comment=ESLURM_JOB_MISSING_SIZE_SPECIFICATION
--: submit --comment=ESLURM_MISSING_TIME_LIMIT
function slurm_job_submit(job_desc, part_list, submit_uid)
    return slurm[job_desc.comment]
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
