-- SPDX-License-Identifier: GPL-2.0-or-later
-- All ways to say something.
--: submit
--: submit --comment=no
function slurm_job_submit(job_desc, part_list, submit_uid)
    slurm.log_info("info %s", "a")
    slurm.log_verbose("verbose")
    slurm.log_debug("debug")
    slurm.log_debug2("debug2")
    slurm.log_debug3("debug3")
    slurm.log_debug4("debug4")
    slurm.log_error("error %d", 5)
    slurm.error("plain error")
    slurm.log(0, "plain log")
    slurm.user_msg("plain %d")
    slurm.user_msg("with a tab\tand\nsecond line")
    slurm.log_user("%5.2f|%-4s|%04d|%x|%%|%c", 3.14159, "ab", 42, 255, 65)
    slurm.user_msg(12)
    if job_desc.comment == "no" then
        return slurm.FAILURE
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
