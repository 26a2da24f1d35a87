-- SPDX-License-Identifier: GPL-2.0-or-later
-- Slurm's reader of times, and the clock.
--: submit
function slurm_job_submit(job_desc, part_list, submit_uid)
    for _, text in ipairs({ "10", "1:30", "2:00:00", "1-0", "1-12:30", "UNLIMITED", "INFINITE", "-1", "x", "" }) do
        slurm.log_user("%s is %s", text, tostring(slurm.time_str2mins(text)))
    end
    local now = os.time()
    slurm.log_user("%s %s %s", tostring(now > 1e9), os.date("!%Y-%m-%d", 86400), tostring(os.difftime(now, now - 5)))
    slurm.log_user("%s %s", os.date("!%H:%M", 3600), tostring(os.clock() >= 0))
    slurm.log_user("%s", tostring(os.getenv("NO_SUCH_VARIABLE")))
    slurm.log_user("%d", os.time({ year = 2020, month = 1, day = 2, hour = 3 }) % 60)
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
