-- SPDX-License-Identifier: GPL-2.0-or-later
-- Who may use what, in nested tables; root passes.
--: submit -p short
--: submit -p main -A bio
--: submit as root -p main --comment=root
local allowed = {
    main = { astro = true, ["root"] = true },
    short = { astro = { "small", "normal" } },
}

function slurm_job_submit(job_desc, part_list, submit_uid)
    if submit_uid == 0 then
        slurm.log_user("root may")
        return slurm.SUCCESS
    end
    local account = job_desc.account or job_desc.default_account
    local entry = allowed[job_desc.partition][account]
    if not entry then
        slurm.log_user("Account %s may not use partition %s.", account, job_desc.partition)
        return slurm.ESLURM_INVALID_ACCOUNT
    end
    if type(entry) == "table" then
        slurm.log_user("%d QOSs: %s", #entry, table.concat(entry, ", "))
    end
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
