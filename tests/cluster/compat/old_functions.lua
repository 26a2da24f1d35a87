-- SPDX-License-Identifier: GPL-2.0-or-later
-- Functions of Lua 5.1 that later versions lack.
--: submit
function slurm_job_submit(job_desc, part_list, submit_uid)
    local sum = 0
    table.foreach({ a = 1, b = 2 }, function(_, value) sum = sum + value end)
    table.foreachi({ 5, 6 }, function(_, value) sum = sum + value end)
    local make = loadstring("return ... , 'text of ' .. 4 / 2")
    local a, b = make(unpack({ 7, 8 }))
    slurm.log_user("%d %s %s %s", sum, tostring(a), tostring(b), math.pow(2, 3))
    slurm.log_user("%d %s", table.maxn({ 1, 2, 3 }), tostring(loadstring("this is no Lua")))
    for word in string.gfind("one two", "%a+") do
        slurm.log_user(word)
    end
    slurm.log_user("%s", math.mod(7, 4))
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end

return slurm.SUCCESS
