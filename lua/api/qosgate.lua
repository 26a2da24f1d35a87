-- SPDX-License-Identifier: GPL-2.0-or-later
---@meta
-- What rules can use, for editors with the Lua language server. Made by 'qosgate policy api'.

---@class qosgate.Gpu
---@field count integer GPUs for each job, node, socket or task
---@field type string? such as "a100"; nil: any
---@field per "job"|"node"|"socket"|"task"

---@class qosgate.Job
---@field qos string? the QOS, or the default one
---@field partition string? the partition, or several with commas; or the default one
---@field account string? the account, or the user's default one
---@field time_limit number|string|nil the time limit, or what the partition gives
---@field time_min number|string|nil --time-min
---@field name string? the job's name
---@field user string the login name of the job's owner (read-only)
---@field uid integer the user id of the job's owner (read-only)
---@field submit_uid integer the user id that sent the request (read-only)
---@field nodes integer the number of nodes: -N1-4 reads 4 (read-only)
---@field min_nodes integer? the minimum number of nodes asked for; 0 reads 1
---@field max_nodes integer? the maximum number of nodes asked for
---@field tasks integer? --ntasks
---@field cpus_per_task integer? --cpus-per-task
---@field tasks_per_node integer? --ntasks-per-node
---@field tasks_per_socket integer? --ntasks-per-socket
---@field mincpus integer? --mincpus: CPUs on each node
---@field tasks_per_core integer? --ntasks-per-core (read-only)
---@field threads_per_core integer? --threads-per-core (read-only)
---@field memory_per_node integer? --mem, in MiB; 0 is all of the node's
---@field memory_per_cpu integer? --mem-per-cpu, in MiB
---@field memory_per_gpu integer? --mem-per-gpu, in MiB (read-only)
---@field cpus_per_gpu integer? --cpus-per-gpu (read-only)
---@field tmp_disk integer? --tmp, in MiB for each node (read-only)
---@field switches integer? --switches: the maximum of leaf switches (read-only)
---@field switches_wait integer? how long it waits for them, in seconds: --switches=1@TIME (read-only)
---@field core_spec integer? --core-spec (read-only)
---@field thread_spec integer? --thread-spec (read-only)
---@field cpus integer CPUs, counted (read-only)
---@field memory integer MiB of memory, counted over all nodes (read-only)
---@field gpus integer GPUs of all types, counted (read-only)
---@field gpu qosgate.Gpu? the GPUs asked for: job.gpu.count, .type, .per; nil without GPUs (read-only)
---@field gpu_requests qosgate.Gpu[] a list of all requests for GPUs, each like job.gpu (read-only)
---@field tres table<string, integer> every TRES counted, by name: job.tres["gres/gpu"] (read-only)
---@field array_tasks integer tasks of the job array; 1 without --array (read-only)
---@field array string? --array as written (read-only)
---@field reservation string? --reservation
---@field comment string? --comment
---@field admin_comment string? the administrator's comment
---@field features string? --constraint; see prefer, too
---@field prefer string? --prefer: features that the job gets if they are free
---@field feature_names string[] a list of the features in --constraint and --prefer, without operators and counts (read-only)
---@field licenses string? --licenses
---@field license_counts table<string, integer> a table of the licenses asked for: job.license_counts.matlab (read-only)
---@field nodelist string? --nodelist (read-only)
---@field excluded_nodes string? --exclude
---@field tres_per_job string? --gpus, as Slurm writes it: gres:gpu:2 (read-only)
---@field tres_per_node string? --gres and --gpus-per-node (read-only)
---@field tres_per_socket string? --gpus-per-socket (read-only)
---@field tres_per_task string? --gpus-per-task (read-only)
---@field burst_buffer string? --bb, and --bbf of salloc and srun; sbatch writes --bbf into the script (read-only)
---@field network string? --network (read-only)
---@field priority integer? --priority of an operator, nil of others; 0 holds the job
---@field nice integer? --nice; below 0 is a higher priority
---@field begin_time integer? --begin, in seconds since 1970
---@field deadline integer? --deadline, in seconds since 1970 (read-only)
---@field dependency string? --dependency
---@field requeue boolean? --requeue is true, --no-requeue false; else nil
---@field wckey string? --wckey
---@field mail_user string? --mail-user
---@field mail_type string? --mail-type, as scontrol shows it: BEGIN,END,FAIL
---@field work_dir string? --chdir, or where the command was typed (read-only)
---@field std_in string? --input of sbatch (read-only)
---@field std_out string? --output of sbatch, as written (read-only)
---@field std_err string? --error of sbatch, as written (read-only)
---@field container string? --container (read-only)
---@field extra string? --extra; since Slurm 23.11 (read-only)
---@field submit_host string? the host where the job was submitted (read-only)
---@field is_batch boolean sent by sbatch, not by salloc or srun (read-only)
---@field interactive boolean sent by salloc or srun (read-only)
---@field script string? the batch script, at most its first 64 KiB (read-only)
---@field script_options string[] a list of the script's #SBATCH lines: "--time=10" (read-only)
---@field argv table<integer, string> the script's arguments: job.argv[1]; job.argv[0] is its name (read-only)
---@field env table<string, string> the job's environment: job.env["HOME"]; only sbatch sends it (read-only)
---@field exclusive boolean --exclusive, or another option that takes whole nodes
---@field oversubscribe string? who shares its nodes: no, user or mcs of --exclusive; ok of --oversubscribe (read-only)
---@field overcommit boolean --overcommit (read-only)
---@field contiguous boolean --contiguous (read-only)
---@field reboot boolean --reboot (read-only)
---@field spread_job boolean --spread-job (read-only)
---@field use_min_nodes boolean --use-min-nodes (read-only)
---@field enforce_binding boolean --gres-flags=enforce-binding (read-only)
---@field disable_binding boolean --gres-flags=disable-binding (read-only)
---@field is_het_part boolean one part of a heterogeneous job (read-only)
---@field het_offset integer? the part's place in it, from 0 (read-only)
local Job = {}
---Ends the rule and rejects the job with this message.
---@param format string
---@param ... any
function Job:reject(format, ...) end
---Warns the user; the rule goes on.
---@param format string
---@param ... any
function Job:warn(format, ...) end
---Sends the user a message that is no warning.
---@param format string
---@param ... any
function Job:note(format, ...) end
---Ends the rule without rejecting the job; the rules after it do not run.
function Job:stop() end
---Whether the request, or an earlier rule, sets the field.
---@param field string
---@return boolean
function Job:is_set(field) end
---Adds to a list that the job may have already, if the list does not have it.
---@param field "features"|"prefer"|"licenses"|"excluded_nodes"|"dependency"
---@param text string
function Job:add(field, text) end

---@class qosgate.view
---@field now qosgate.view.now the time of the decision
---@field cluster qosgate.view.cluster the cluster
---@field user qosgate.view.user the job's owner
---@field sender qosgate.view.user the user who sends the request
---@field client qosgate.view.client the command that is run; only in client = function(options, view)
---@field partition fun(name: string): qosgate.view.partition? a partition; nil: there is none of this name
---@field qos fun(name: string): qosgate.view.qos? a QOS; nil: there is none of this name
---@field qos_allowed fun(): string[] the names of the QOSs that the job's association may use
---@field accounts fun(): string[] the names of the accounts in which the job's owner has an association
---@field association fun(): qosgate.view.association? the job's association; nil: there is none
---@field jobs fun(filter: table<string, string>): number how many jobs there are of a QOS, account or user
---@field reservation fun(name: string): qosgate.view.reservation? a reservation; nil: there is none of this name

---@class qosgate.view.now
---@field seconds number seconds since 1970
---@field hour number 0 to 23
---@field minute number 0 to 59
---@field weekday number 1 is Monday, 7 is Sunday
---@field day number of the month, from 1
---@field month number 1 to 12
---@field year number with four digits

---@class qosgate.view.cluster
---@field name string ClusterName
---@field age number seconds since slurmctld last reported what it has
---@field default_partition string? its name; nil: there is none
---@field partitions string[]? the names of all partitions, also of hidden ones
---@field DefMemPerCPU number? in MiB; nil: not set
---@field DefMemPerNode number? the same; nil: not set
---@field MaxMemPerCPU number? in MiB; nil: unlimited
---@field MaxMemPerNode number? the same; nil: unlimited
---@field MaxArraySize number one more than the highest index of an array

---@class qosgate.view.user
---@field name string? the login name; nil: accounting does not know the user
---@field uid number the user id
---@field admin_level string AdminLevel: none, operator or administrator
---@field default_account string? the default account; nil: none
---@field groups string[] the names of the user's Linux groups, the primary one first
---@field coordinates fun(name: string): boolean whether the user coordinates the account
---@field in_group fun(name: string): boolean whether the user is in the Linux group

---@class qosgate.view.partition
---@field name string its name
---@field Default boolean whether jobs get it that name none
---@field State string UP, DOWN, DRAIN or INACTIVE
---@field MaxTime number math.huge: unlimited
---@field DefaultTime number? nil: not set, jobs get MaxTime
---@field MinNodes number of a job
---@field MaxNodes number of a job; math.huge: unlimited
---@field MaxCPUsPerNode number of a job; math.huge: unlimited
---@field DefMemPerCPU number? in MiB; nil: not set here, see view.cluster
---@field DefMemPerNode number? in MiB; nil: likewise
---@field MaxMemPerCPU number? in MiB; nil: likewise
---@field MaxMemPerNode number? in MiB; nil: likewise
---@field DefCpuPerGPU number? CPUs for each GPU of a job that asks for none; nil: not set
---@field DefMemPerGPU number? memory likewise, in MiB; nil: not set
---@field QoS string? the partition's QOS; nil: none
---@field AllowQos string[]? nil: all
---@field DenyQos string[]? nil: none
---@field AllowAccounts string[]? nil: every account
---@field DenyAccounts string[]? nil: no account
---@field AllowGroups string[]? Linux groups; nil: everybody
---@field Hidden boolean whether users do not see it
---@field RootOnly boolean whether only root may use it
---@field ReqResv boolean whether jobs must name a reservation
---@field PriorityTier number partitions with a higher one are tried first
---@field PriorityJobFactor number what it adds to the priority of its jobs, by PriorityWeightPartition
---@field TotalNodes number nodes that it has
---@field TotalCPUs number CPUs of these

---@class qosgate.view.qos
---@field name string its name as accounting writes it
---@field Priority number of its jobs
---@field Flags qosgate.view.flags its flags
---@field usage qosgate.view.usage of all its jobs
---@field user_usage qosgate.view.usage of the jobs of the user
---@field account_usage qosgate.view.usage of the jobs of the account
---@field MaxTRESPerJob table<string, number> Limits the size of a job.
---@field MaxTRESPerNode table<string, number> Limits what a job may use on each of its nodes, on average.
---@field MaxTRESPerUser table<string, number> Limits what all running jobs of one user may use together.
---@field MaxTRESPerAccount table<string, number> Limits what all running jobs of one account may use together.
---@field GrpTRES table<string, number> Limits what all running jobs, of every user, may use together.
---@field MaxTRESMinsPerJob table<string, number> Limits the size of a job times its time limit.
---@field GrpTRESMins table<string, number> Limits size times time of all jobs together, of those that have ended, too.
---@field GrpTRESRunMins table<string, number> Limits what all running jobs together may still use: their size times the time they have left.
---@field MaxTRESRunMinsPerAccount table<string, number> Limits what the running jobs of one account may still use: their size times the time they have left.
---@field MaxTRESRunMinsPerUser table<string, number> Limits what the running jobs of one user may still use: their size times the time they have left.
---@field MinTRESPerJob table<string, number> Sets what a job must ask for at least.
---@field GrpJobs number? Limits how many jobs, of every user, may run at once.
---@field MaxJobsPerUser number? Limits how many jobs of one user may run at once.
---@field MaxJobsPerAccount number? Limits how many jobs of one account may run at once.
---@field GrpSubmitJobs number? Limits how many jobs, of every user, may be pending and running together.
---@field MaxSubmitJobsPerUser number? Limits how many jobs of one user may be pending and running together.
---@field MaxSubmitJobsPerAccount number? Limits how many jobs of one account may be pending and running together.
---@field MaxWall number? Limits the time that a job may ask for.
---@field GrpWall number? Limits how long all jobs together may run.
---@field headroom fun(self: qosgate.view.qos): qosgate.view.headroom what its limits leave for the user now
---@field fits fun(self: qosgate.view.qos, job: qosgate.Job): boolean, string? whether the job would be accepted and start in this QOS; if not, also why

---@class qosgate.view.association
---@field account string its account
---@field user string? its user; nil: it is an account's
---@field partition string? its partition; nil: it is for all
---@field usage qosgate.view.usage of its jobs, and of those below it
---@field parent qosgate.view.association? the association above it; nil: it is the root
---@field MaxTRESPerJob table<string, number> Limits the size of a job.
---@field MaxTRESPerNode table<string, number> Limits what a job may use on each of its nodes, on average.
---@field GrpTRES table<string, number> Limits what all running jobs, of every user, may use together.
---@field MaxTRESMinsPerJob table<string, number> Limits the size of a job times its time limit.
---@field GrpTRESMins table<string, number> Limits size times time of all jobs together, of those that have ended, too.
---@field GrpTRESRunMins table<string, number> Limits what all running jobs together may still use: their size times the time they have left.
---@field GrpJobs number? Limits how many jobs, of every user, may run at once.
---@field MaxJobs number? Limits how many of your jobs in this account may run at once.
---@field GrpSubmitJobs number? Limits how many jobs, of every user, may be pending and running together.
---@field MaxSubmitJobs number? Limits how many of your jobs in this account may be pending and running together.
---@field MaxWall number? Limits the time that a job may ask for.
---@field GrpWall number? Limits how long all jobs together may run.

---@class qosgate.view.reservation
---@field name string its name
---@field Users string[]? who may use it; a minus in front excludes; nil: the accounts decide
---@field Accounts string[]? the same for accounts; nil: the users decide
---@field PartitionName string? its partition; nil: none is named
---@field StartTime number? in seconds since 1970; of a repeated one the next; nil: not known
---@field EndTime number? the same; nil: not known

---@class qosgate.view.usage
---@field jobs number running jobs
---@field submit_jobs number pending and running jobs, array tasks counted singly
---@field tres table<string, number> TRES of the running jobs
---@field tres_run_minutes table<string, number> TRES times minutes that running jobs may still use
---@field tres_minutes table<string, number> TRES times minutes used so far
---@field wall_minutes number minutes that jobs have run

---@class qosgate.view.headroom
---@field jobs number? more jobs that may run; nil: unlimited
---@field submit_jobs number? more jobs that may be submitted; nil: unlimited
---@field tres table<string, number> more TRES that running jobs may use
---@field tres_run_minutes table<string, number> more TRES times minutes that running jobs may still use
---@field tres_minutes table<string, number> what is left of TRES times minutes
---@field wall_minutes number? minutes that jobs may still run; nil: unlimited

---@class qosgate.view.flags
---@field DenyOnLimit boolean refuse a job at submission if it breaks a limit by itself
---@field EnforceUsageThreshold boolean jobs of associations below UsageThreshold do not start
---@field NoDecay boolean usage counted by GrpTRESMins and GrpWall does not decay
---@field OverPartQOS boolean its limits override those of the partition's QOS
---@field PartitionMaxNodes boolean jobs may exceed the partition's MaxNodes
---@field PartitionMinNodes boolean jobs may go below the partition's MinNodes
---@field PartitionTimeLimit boolean jobs may exceed the partition's time limit
---@field Relative boolean its TRES limits are percentages of the cluster; since Slurm 23.11
---@field RequiresReservation boolean jobs must name a reservation
---@field UsageFactorSafe boolean a job starts only if its usage times UsageFactor is within the limits

---@class qosgate.view.client
---@field command string sbatch, salloc, srun or scrontab
---@field interactive boolean whether the command reads from a terminal
---@field work_dir string? the directory in which the command was started; nil: it is not known
---@field env fun(name: string): string? a variable of the user's environment; nil: it is not set

---@class qosgate.Settings
---@field limits string? what to do with jobs that break a limit: add the reasons to Slurm's own answer, also reject jobs that can never start, or nothing; "explain", "enforce" or "off"; default "explain"
---@field contact string? whom users ask; shown if a job is rejected or can never start, if it names or needs what the cluster does not have, and if a rule fails; a text of at most 200 bytes in one line; default ""
---@field rule_instructions integer? Lua instructions that one rule may spend on one job; a whole number from 1000 to 10000000; default 100000
---@field rule_memory_mib integer? memory of one Lua state with all rules, in MiB; a whole number from 1 to 16; default 8
---@field rule_time_ms integer? CPU time of all rules for one job, in milliseconds; a whole number from 1 to 75; default 50
---@field rule_failures integer? after how many failures in a row a rule only warns, if its `on_error` is `"allow"` or `"warn"`; 0: never. See When a rule fails; a whole number from 0 to 1000000; default 0
---@field compat_on_error string? what to do with a job if the script `compat/job_submit.lua` fails: refuse it, or accept it as Slurm's own plugin does up to 25.11; "deny" or "allow"; default "deny"
---@field compat_files string[]? files, and directories with files, that the script `compat/job_submit.lua` may read besides those of this directory. See Moving from job_submit.lua; a list of at most 16 absolute paths; default {}
---@field compat_programs string[]? programs that the script `compat/job_submit.lua` starts with `io.popen`, and the files with their output. See Moving from job_submit.lua; a list of at most 32 texts "COMMAND > FILE"; default {}
---@field compat_writes string? what to do if the script `compat/job_submit.lua` writes a file: it fails, or slurmctld's log gets the text; "error" or "log"; default "error"
---@field writable_env string[]? the variables of a job's environment that rules may write; see job.env; a list of at most 64 names, like "SITE_PROJECT" or "OMP_*"; default {}
---@field run_tests boolean? whether slurmctld runs the tests in `tests` before a changed directory comes into force; if one fails, what was in force stays; true or false; default true
---@field record_file string? a file that gets a record of each decision that did something: JSON, one line each; an absolute path of at most 1000 bytes, or an empty text; default ""
---@field record_percent integer? how many of the jobs that are accepted unchanged, without a message, are recorded, too, in percent; a whole number from 0 to 100; default 0
---@field record_file_mib integer? the size at which a new `record_file` is begun, in MiB; a whole number from 1 to 10000; default 64
---@field record_files_kept integer? how many old files are kept: `record_file` with .1, .2 and so on behind the name; a whole number from 1 to 99; default 4
---@field client string? where the plugin of sbatch, salloc and srun judges jobs: where slurmctld has no qosgate, everywhere, or nowhere; "auto", "on" or "off"; default "auto"
---@field client_timeout_ms integer? how long a client waits for the answer of its plugin, in milliseconds; later the job is sent as it is; a whole number from 10 to 10000; default 300
---@field suggest_qos string[]? the QOSs that may be suggested to users, in this order; {}: none; nil: all. See What is suggested; a list of at most 64 names of QOSs; default nil
---@field suggest_partition string[]? the partitions that may be suggested to users, in this order; {}: none; nil: all. See What is suggested; a list of at most 64 names of partitions; default nil

---The options of a command, by their long names.
---@class qosgate.Options
---@field [string] string|integer|boolean|nil
local Options = {}
---Ends the rule and the command with this message.
---@param format string
---@param ... any
function Options:reject(format, ...) end
---Warns the user; the rule goes on.
---@param format string
---@param ... any
function Options:warn(format, ...) end
---Sends the user a message that is no warning.
---@param format string
---@param ... any
function Options:note(format, ...) end
---Ends the rule; the rules after it do not run.
function Options:stop() end

---@class qosgate.Rule
---@field name string? shown in messages and in the log; unique
---@field description string?
---@field mode "enforce"|"warn"|"shadow"|nil
---@field on_error "deny"|"allow"|"warn"|nil
---@field submit fun(job: qosgate.Job, view: qosgate.view)|nil called for new jobs
---@field modify fun(job: qosgate.Job, before: qosgate.Job, view: qosgate.view)|nil called for changes
---@field client fun(options: qosgate.Options, view: qosgate.view)|nil called in sbatch, salloc, srun and scrontab
---@field on string[]? "submit", "modify" or both
---@field exempt string[]? "root", "operators" and names of users
---@field stop boolean? ends the chain if the rule rejects

---What a test expects.
---@class qosgate.Expectation
---@field accept boolean? the job is accepted
---@field reject string|boolean|nil a part of the message, or true
---@field rule string|string[]|nil the rule that rejects the job
---@field runs string|string[]|boolean|nil a rule that runs; false: none
---@field warn string|boolean|nil a part of what the user reads; false: nothing
---@field job table? fields of the job after the rules
---@field options table? options after the rules
---@field fails boolean? a rule fails

---@class qosgate.Test
---@field job table? fields of the job, as rules read them
---@field before table? the job before a change
---@field given table? what a job gets that does not say it, and what view shows
---@field client table? instead of job: the command of a test of client functions
---@field expect qosgate.Expectation

---Declares the rule of this file.
---@param keys qosgate.Rule
function rule(keys) end
---Declares the settings of the site, in site.lua.
---@param settings qosgate.Settings
function site(settings) end
---Declares a test, in a file of tests/: test "name" { job = { ... }, expect = { ... } }
---@param name string
---@return fun(keys: qosgate.Test)
function test(name) end
---What all tests of a file give, in front of them: given { qos = "normal" }, or given "monday.json"
---@param what table|string
function given(what) end
---In expect.job of a test: the request does not set the field.
unset = {}
---A table of data/, by the name of its file.
---@param file string
---@return table
function data(file) end
---@class qosgate.buckets
local buckets = {}
---Whether the job is within all bounds of the bucket. Bounds that it does not set are not checked.
---@param job qosgate.Job
---@param bucket table
---@return boolean
function buckets.fits(job, bucket) end
---The first bucket of the list that the job fits into; nil: none.
---@param job qosgate.Job
---@param list table[]
---@return table?
function buckets.choose(job, list) end

---@class qosgate.lookup
local lookup = {}
---The value for the keys. Where a table has no such key, or no value behind it, its entry "*" counts;
---earlier keys are more important. nil: there is none.
---@param t table?
---@param key any
---@param ... any
---@return any
function lookup.find(t, key, ...) end
---The rows of a list by the values of their columns: lookup.index(rows, "partition", "account") has
---rows[i] at [rows[i].partition][rows[i].account]. A row with an empty field counts as "*" there.
---Two rows with the same keys are an error.
---@param rows table[]
---@param ... string the names of the columns
---@return table
function lookup.index(rows, ...) end

---@class qosgate.names
local names = {}
---The names in a text, in order. nil has none.
---@param text string?
---@return string[]
function names.list(text) end
---Goes through the names in a text, in order, without making a list. nil has none.
---@param text string?
---@return fun(list: string[], index: integer): integer?, string?
---@return string[]
---@return integer
function names.each(text) end
---Whether the text has the name.
---@param text string?
---@param name string
---@return boolean
function names.has(text, name) end
---The text with the name at its end, unless it has it already.
---@param text string?
---@param name string
---@return string
function names.add(text, name) end
---A list as a set: names.set { "a", "b" } is { a = true, b = true }.
---@param list string[]
---@return table<string, true>
function names.set(list) end

---@class qosgate.options
local options = {}
---The option that sets a field: "--time" for "time_limit".
---@param field string
---@return string
function options.option(field) end
---Whether the request gives one of the fields, "memory_per_node,memory_per_cpu".
---@param job qosgate.Job
---@param fields string
---@return boolean
function options.given(job, fields) end
---Rejects a job whose request gives none of the fields. The help says what to write.
---@param job qosgate.Job
---@param fields string
---@param help string
function options.required(job, fields, help) end
---Rejects a job whose request gives the field. The help says what to do instead.
---@param job qosgate.Job
---@param field string
---@param help string
function options.forbidden(job, field, help) end

---@class qosgate.ratios
local ratios = {}
---The most that the job may have of "cpus" or "memory"; nil: one of its types has no bound.
---Of several types each one counts as often as it is asked for.
---@param job qosgate.Job
---@param per_gpu table<string, { cpus: integer?, memory: integer? }>
---@param what "cpus"|"memory"
---@return number?
function ratios.allowed(job, per_gpu, what) end
---What is wrong with the job's CPUs or memory for its GPUs, as a text; nil: nothing, or it has no GPUs.
---@param job qosgate.Job
---@param per_gpu table<string, { cpus: integer?, memory: integer? }>
---@return string?
function ratios.problem(job, per_gpu) end

---@class qosgate.route
local route = {}
---For how many jobs like this one the limits of a QOS leave room, not rounded; math.huge: for any number.
---@param job qosgate.Job
---@param qos qosgate.view.qos
---@return number
function route.room(job, qos) end
---The name of the QOS, out of options.candidates, in which the job would be accepted and start, as far as limits
---decide. If there are several, options.choose says which: "first_fit" (the first of the list, the default),
---"highest_priority" (by Priority), "most_headroom" (where the most jobs like this one have room). Nil and the reason
---of the first candidate that was tried: there is none.
---@param job qosgate.Job
---@param view qosgate.view
---@param options { candidates: string[], choose: "first_fit"|"highest_priority"|"most_headroom"|nil }
---@return string?
---@return string? why there is none
function route.choose(job, view, options) end

---A module of lib/, or one that qosgate has.
---@overload fun(name: "buckets"): qosgate.buckets
---@overload fun(name: "lookup"): qosgate.lookup
---@overload fun(name: "names"): qosgate.names
---@overload fun(name: "options"): qosgate.options
---@overload fun(name: "ratios"): qosgate.ratios
---@overload fun(name: "route"): qosgate.route
---@param name string
---@return table
function require(name) end
