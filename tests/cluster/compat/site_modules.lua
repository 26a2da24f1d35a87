-- SPDX-License-Identifier: GPL-2.0-or-later
-- Configuration in files of Lua: require with package.path, dofile, loadfile.
--: submit -t 100
--: submit -N2
--: submit -A bio
package.path = "@FILES@/?.lua;" .. package.path
local config = require("site_config")
dofile("@FILES@/defaults.lua")

function slurm_job_submit(job_desc, part_list, submit_uid)
    if job_desc.min_nodes ~= slurm.NO_VAL and job_desc.min_nodes > config.max_nodes then
        slurm.log_user("at most %d nodes; ask %s", config.max_nodes, config.contact)
        return slurm.ERROR
    end
    job_desc.time_limit = job_desc.time_limit == slurm.NO_VAL and DEFAULT_MINUTES or config.round(job_desc.time_limit)
    job_desc.qos = ACCOUNTS[job_desc.account or job_desc.default_account]
    slurm.log_info("%s %s", tostring(require("site_config") == config), tostring(package.loaded["site_config"] == config))
    require("deep.names")
    slurm.log_info("%s %s", SITE_NAME, package.loaded["deep.names"][1])
    local chunk, why = loadfile("@FILES@/none.lua")
    slurm.log_info("%s %s", tostring(chunk), tostring(why ~= nil))
    slurm.log_info("%s %d", tostring((pcall(require, "optional"))), loadfile("@FILES@/deep/names.lua")(7, 8)[2])
    return slurm.SUCCESS
end

function slurm_job_modify(job_desc, job_rec, part_list, modify_uid)
    return slurm.SUCCESS
end
