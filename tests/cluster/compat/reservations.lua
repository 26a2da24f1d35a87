-- SPDX-License-Identifier: GPL-2.0-or-later
-- Looks for the next reservation, and for one that the job names.
--: submit
--: submit -t 10
--: submit --reservation=course
--: submit --reservation=course -t 200
function slurm_job_submit(job_desc, part_list, submit_uid)
    local names = {}
    for name, reservation in pairs(slurm.reservations) do
        table.insert(names, name)
        slurm.log_info("%s: %s %s %s %s %s %s %d %s", name, tostring(reservation.users), tostring(reservation.accounts),
            tostring(reservation.node_list), tostring(reservation.node_cnt), tostring(reservation.partition),
            tostring(reservation.features), reservation.flags, tostring(reservation.nonsense))
    end
    local course = slurm.reservations["course"]
    slurm.log_info("%d %s %d", #names, tostring(slurm.reservations.none), (course.end_time - course.start_time) / 60)
    if job_desc.reservation == "course" and course.start_time > os.time() and job_desc.time_limit ~= slurm.NO_VAL and
        job_desc.time_limit > 100 then
        slurm.log_user("course takes at most 100 minutes")
        return slurm.ESLURM_INVALID_TIME_LIMIT
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
