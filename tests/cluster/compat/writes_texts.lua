-- SPDX-License-Identifier: GPL-2.0-or-later
-- Writes texts; an empty one clears the field.
--: submit
--: submit --comment=c --job-name=n --constraint=f -A bio
function slurm_job_submit(job_desc, part_list, submit_uid)
    job_desc.comment = ""
    job_desc.admin_comment = "by the script"
    job_desc.name = (job_desc.name or "none") .. "-x"
    job_desc.account = "astro"
    job_desc.features = ""
    job_desc.work_dir = "/tmp"
    job_desc.std_out = "/tmp/out-%j"
    job_desc.std_err = "/dev/null"
    job_desc.mail_user = "ops@example.org"
    job_desc.mail_type = slurm.MAIL_JOB_END + slurm.MAIL_JOB_FAIL
    job_desc.wckey = 12
    slurm.log_user("%s|%s", tostring(job_desc.comment), job_desc.name)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
