// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/job_objects.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/budget.hpp"
#include "qosgate/policy/gpu_request.hpp"
#include "qosgate/policy/lua_state.hpp"

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>

#include <lua.hpp>

namespace qg::policy {
namespace {

using model::DetailValue;
using model::JobDetails;

constexpr const char* gpu_type = "job.gpu"; // as tostring shows it
constexpr const char* env_type = "job.env";

/// Takes the instructions for looking at so many bytes.
void charge_bytes(lua_State* lua, std::size_t bytes) {
    Budget::charge(lua, 1 + static_cast<std::int64_t>(bytes / 16));
}
/// The same for taking a text apart.
void charge_parsing(lua_State* lua, std::size_t bytes) {
    Budget::charge(lua, 1 + static_cast<std::int64_t>(bytes / 4));
}

/// Pushes a word of a command or environment, also an empty one; nil if there is none.
void push_word(lua_State* lua, const DetailValue& word, const char* what) {
    if (word.kind == DetailValue::Kind::too_long)
        luaL_error(lua, "%s is longer than %d bytes", what, static_cast<int>(word.number));
    if (word.kind == DetailValue::Kind::unset) return lua_pushnil(lua);
    lua_pushlstring(lua, word.text.data(), word.text.size());
}

// ---- job.gpu -------------------------------------------------------------------------------------------

/// What the object holds; the type is its user value.
struct GpuObject {
    std::uint64_t count;
    const char* per;
};

void push_gpu(lua_State* lua, const GpuRequest& request) {
    auto* object = static_cast<GpuObject*>(lua_newuserdatauv(lua, sizeof(GpuObject), 1));
    *object = {request.count, request.per};
    if (request.type.empty())
        lua_pushnil(lua);
    else
        lua_pushlstring(lua, request.type.data(), request.type.size());
    lua_setiuservalue(lua, -2, 1);
    luaL_setmetatable(lua, gpu_type);
}

int read_gpu(lua_State* lua) {
    const auto* object = static_cast<const GpuObject*>(luaL_checkudata(lua, 1, gpu_type));
    const char* name = luaL_tolstring(lua, 2, nullptr);
    if (std::strcmp(name, "count") == 0) {
        push_value(lua, Value::of_count(object->count));
    } else if (std::strcmp(name, "type") == 0) {
        lua_getiuservalue(lua, 1, 1);
    } else if (std::strcmp(name, "per") == 0) {
        lua_pushstring(lua, object->per);
    } else {
        return luaL_error(lua, "unknown field '%s' of job.gpu (there are: count, per, type)",
                          std::strlen(name) > 60 ? "..." : name);
    }
    return 1;
}

int write_gpu(lua_State* lua) {
    return luaL_error(lua, "job.gpu cannot be changed");
}

/// A list of all requests; an empty one without GPUs.
void push_gpus(lua_State* lua, const GpuRequests& requests) {
    lua_createtable(lua, static_cast<int>(requests.all().size()), 0);
    lua_Integer place = 0;
    for (const GpuRequest& request : requests.all()) {
        push_gpu(lua, request);
        lua_rawseti(lua, -2, ++place);
    }
}

// ---- job.argv ------------------------------------------------------------------------------------------

/// The name of the script at 0, its arguments from 1 on; an empty list if there is no script.
void push_arguments(lua_State* lua, const JobDetails& details) {
    const std::size_t count = details.argument_count();
    if (count > JobDetails::max_arguments)
        luaL_error(lua, "the command has more than %d arguments",
                   static_cast<int>(JobDetails::max_arguments));
    lua_createtable(lua, static_cast<int>(count), 1);
    for (std::size_t i = 0; i < count; ++i) {
        const DetailValue word = details.argument(i);
        charge_bytes(lua, word.text.size());
        push_word(lua, word, "an argument");
        lua_rawseti(lua, -2, static_cast<lua_Integer>(i));
    }
}

// ---- job.license_counts, job.feature_names -------------------------------------------------------------

/// Adds to the table on top of the stack: of a license that is named twice, slurmctld takes the sum.
void add_license(lua_State* lua, std::string_view license) {
    const std::string_view name = text::trim(license.substr(0, license.find(':')));
    std::optional<std::uint64_t> count = 1;
    if (license.find(':') != license.npos)
        count = text::parse_unsigned(license.substr(license.find(':') + 1));
    if (!count || *count > UINT32_MAX) luaL_error(lua, "a count in --licenses cannot be read");
    if (*count == 0) return; // as if it were not named
    lua_pushlstring(lua, name.data(), name.size());
    lua_pushvalue(lua, -1);
    lua_rawget(lua, -3);
    const lua_Integer sum = lua_tointeger(lua, -1) + static_cast<lua_Integer>(*count);
    lua_pop(lua, 1);
    lua_pushinteger(lua, sum);
    lua_rawset(lua, -3);
}

/// The table of a text like "matlab:2,abaqus".
void push_license_counts(lua_State* lua, const std::optional<std::string>& licenses) {
    lua_newtable(lua);
    if (!licenses) return;
    charge_parsing(lua, licenses->size());
    std::string_view rest = *licenses;
    while (!rest.empty())
        if (const std::string_view license = take_part(rest, ",;|"); !license.empty())
            add_license(lua, license);
}

/// Adds the names in a text like "(a|b*2)&[c]" to the list on top of the stack.
void add_feature_names(lua_State* lua, const std::optional<std::string>& features) {
    if (!features) return;
    charge_parsing(lua, features->size());
    std::string_view rest = *features;
    while (!rest.empty()) {
        const std::string_view counted = take_part(rest, "&|,()[]");
        const std::string_view name = text::trim(counted.substr(0, counted.find('*')));
        if (name.empty()) continue;
        lua_pushlstring(lua, name.data(), name.size());
        lua_rawseti(lua, -2, static_cast<lua_Integer>(lua_rawlen(lua, -2)) + 1);
    }
}

void push_feature_names(lua_State* lua, const model::JobRequest& request) {
    lua_newtable(lua);
    add_feature_names(lua, request.features);
    add_feature_names(lua, request.prefer);
}

// ---- job.env -------------------------------------------------------------------------------------------

int read_env(lua_State* lua) {
    const auto* shown = static_cast<const Shown*>(luaL_checkudata(lua, 1, env_type));
    const RuleRun* run = LuaState::of(lua).run;
    if (run == nullptr) return luaL_error(lua, "job.env can be used only while a rule is run");
    const FieldSource source = *shown == Shown::job ? run->source() : source_before(lua, *run);
    std::size_t length = 0;
    const char* bytes = luaL_checklstring(lua, 2, &length);
    const JobDetails& details = source.request.details;
    const std::size_t count = details.variable_count();
    if (count > JobDetails::max_variables)
        return luaL_error(lua, "the environment has more than %d variables",
                          static_cast<int>(JobDetails::max_variables));
    charge_bytes(lua, count * (16 + length));
    const DetailValue value = details.variable({bytes, length});
    charge_bytes(lua, value.text.size());
    push_word(lua, value, "a variable");
    return 1;
}

int write_env(lua_State* lua) {
    return luaL_error(lua, "job.env cannot be changed");
}

void make_type(lua_State* lua, const char* type, lua_CFunction read, lua_CFunction write) {
    luaL_newmetatable(lua, type);
    lua_pushcfunction(lua, read);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, write);
    lua_setfield(lua, -2, "__newindex");
    lua_pop(lua, 1);
}

} // namespace

void install_job_objects(lua_State* lua) {
    make_type(lua, gpu_type, &read_gpu, &write_gpu);
    make_type(lua, env_type, &read_env, &write_env);
}

void push_object_field(lua_State* lua, const FieldSource& source, FieldType type, Shown shown) {
    if (type == FieldType::arguments) return push_arguments(lua, source.request.details);
    if (type == FieldType::license_counts) return push_license_counts(lua, source.request.licenses);
    if (type == FieldType::feature_names) return push_feature_names(lua, source.request);
    if (type == FieldType::environment) {
        *static_cast<Shown*>(lua_newuserdatauv(lua, sizeof(Shown), 0)) = shown;
        return luaL_setmetatable(lua, env_type);
    }
    charge_parsing(lua, bytes_of_gpu_requests(source.request));
    const GpuRequests requests(source.request);
    if (type == FieldType::gpu_list) return push_gpus(lua, requests);
    const GpuRequest request = requests.first_kind();
    if (request.count == 0) return lua_pushnil(lua);
    push_gpu(lua, request);
}

} // namespace qg::policy
