// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/compat/slurm_constants.hpp"

#include <array>
#include <cstdint>

namespace qg::policy::compat {
namespace {

constexpr double bit(unsigned place) noexcept {
    return static_cast<double>(std::uint64_t{1} << place);
}

constexpr auto all = std::to_array<NamedNumber>({
    {"ERROR", -1},
    {"FAILURE", -1},
    {"SUCCESS", 0},

    // Numbers that mean something else than a count.
    {"INFINITE", 0xffffffff},
    {"INFINITE64", 0x1p64}, // the nearest number that Lua has
    {"NO_VAL", 0xfffffffe},
    {"NO_VAL16", 0xfffe},
    {"NO_VAL64", 0x1p64},
    {"NO_VAL8", 0xfe},
    {"MEM_PER_CPU", bit(63)},
    {"NICE_OFFSET", bit(31)},
    {"SHARED_FORCE", bit(15)},
    {"ALLOC_SID_ADMIN_HOLD", bit(0)},
    {"ALLOC_SID_USER_HOLD", bit(1)},

    // job_desc.mail_type
    {"MAIL_JOB_BEGIN", bit(0)},
    {"MAIL_JOB_END", bit(1)},
    {"MAIL_JOB_FAIL", bit(2)},
    {"MAIL_JOB_REQUEUE", bit(3)},
    {"MAIL_JOB_TIME100", bit(4)},
    {"MAIL_JOB_TIME90", bit(5)},
    {"MAIL_JOB_TIME890", bit(5)}, // so Slurm spells it
    {"MAIL_JOB_TIME80", bit(6)},
    {"MAIL_JOB_TIME50", bit(7)},
    {"MAIL_JOB_STAGE_OUT", bit(8)},
    {"MAIL_INVALID_DEPEND", bit(10)},

    // job_desc.shared
    {"JOB_SHARED_NONE", 0},
    {"JOB_SHARED_OK", 1},
    {"JOB_SHARED_USER", 2},
    {"JOB_SHARED_MCS", 3},

    // job_desc.bitflags
    {"KILL_INV_DEP", bit(0)},
    {"NO_KILL_INV_DEP", bit(1)},
    {"GRES_ENFORCE_BIND", bit(4)},
    {"SPREAD_JOB", bit(8)},
    {"USE_MIN_NODES", bit(9)},
    {"GRES_DISABLE_BIND", bit(19)},
    {"GRES_ONE_TASK_PER_SHARING", bit(38)},
    {"GRES_MULT_TASKS_PER_SHARING", bit(39)},
    {"GRES_ALLOW_TASK_SHARING", bit(40)},
    {"STEPMGR_ENABLED", bit(41)},
    {"SPREAD_SEGMENTS", bit(43)},
    {"CONSOLIDATE_SEGMENTS", bit(44)},
    {"EXPEDITED_REQUEUE", bit(45)},
});

} // namespace

std::span<const NamedNumber> constants() noexcept {
    return all;
}

} // namespace qg::policy::compat
