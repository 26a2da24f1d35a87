// SPDX-License-Identifier: GPL-2.0-or-later
//
// The values of `job` that are tables.
#include "qosgate/base/text.hpp"
#include "qosgate/model/tres_request.hpp"
#include "qosgate/policy/check/unknown_name.hpp"
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/lua/read_only.hpp"
#include "qosgate/policy/lua/writable_env.hpp"
#include "qosgate/policy/objects/gpu_request.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"

#include <algorithm>
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
        Budget::charge_unknown_name(lua, 3);
        ErrorText error;
        assign_text(error, [&] { return describe_unknown_gpu_field(name); });
        return raise(lua, error);
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
    const auto [name, count] = model::read_license(license);
    if (!count) luaL_error(lua, "a count in --licenses cannot be read");
    if (*count == 0) return; // as if it were not named
    lua_pushlstring(lua, name.data(), name.size());
    lua_pushvalue(lua, -1);
    lua_rawget(lua, -3);
    const lua_Integer sum =
        model::LicensePart::sum(static_cast<std::uint64_t>(lua_tointeger(lua, -1)), *count);
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

// ---- job.script_options --------------------------------------------------------------------------------

/// Pushes the words behind each #SBATCH, up to the first line that is neither a comment nor blank, as sbatch
/// reads them.
void push_script_options(lua_State* lua, const JobDetails& details) {
    constexpr int max_options = 1024;
    constexpr std::string_view mark = "#SBATCH";
    const DetailValue script = details.get(model::JobDetail::script);
    lua_newtable(lua);
    if (script.kind != DetailValue::Kind::text) return;
    std::string_view rest = script.text;
    for (int count = 0; !rest.empty();) {
        const std::string_view line = rest.substr(0, rest.find('\n'));
        rest.remove_prefix(std::min(line.size() + 1, rest.size()));
        charge_bytes(lua, line.size());
        const std::string_view words = text::trim(line);
        if (!words.empty() && words.front() != '#') return;
        // sbatch takes the mark only at the beginning of a line, and followed by a blank.
        if (!line.starts_with(mark) || line.size() == mark.size()) continue;
        if (line[mark.size()] != ' ' && line[mark.size()] != '\t') continue;
        if (++count > max_options) luaL_error(lua, "the script has more than %d #SBATCH lines", max_options);
        const std::string_view option = text::trim(line.substr(mark.size()));
        lua_pushlstring(lua, option.data(), option.size());
        lua_rawseti(lua, -2, count);
    }
}

// ---- job.env -------------------------------------------------------------------------------------------

int read_env(lua_State* lua) {
    const auto* shown = static_cast<const Shown*>(luaL_checkudata(lua, 1, env_type));
    const RuleRun* run = LuaState::of(lua).run;
    if (run == nullptr) return luaL_error(lua, "job.env can be used only while a rule is run");
    const FieldSource source = *shown == Shown::job ? run->source() : source_before(lua, *run);
    if (lua_type(lua, 2) != LUA_TSTRING)
        return luaL_error(lua, "write job.env.NAME: the name of a variable is a text");
    const std::string_view name = text_at(lua, 2);
    const JobDetails& details = source.request.details;
    const std::size_t count = details.variable_count();
    if (count > JobDetails::max_variables)
        return luaL_error(lua, "the environment has more than %d variables",
                          static_cast<int>(JobDetails::max_variables));
    charge_bytes(lua, count * (16 + name.size()));
    const DetailValue value = details.variable(name);
    charge_bytes(lua, value.text.size());
    push_word(lua, value, "a variable");
    return 1;
}

int write_env(lua_State* lua) {
    const auto* shown = static_cast<const Shown*>(luaL_checkudata(lua, 1, env_type));
    const LuaState& state = LuaState::of(lua);
    if (*shown != Shown::job)
        return luaL_error(lua, "before cannot be changed: it is the job before the change");
    if (state.run == nullptr) return luaL_error(lua, "job.env can be used only while a rule is run");
    if (lua_type(lua, 2) != LUA_TSTRING || lua_type(lua, 3) != LUA_TSTRING)
        return luaL_error(lua, "write job.env.NAME = TEXT: the name and the value are texts");
    const std::string_view name = text_at(lua, 2);
    const std::string_view value = text_at(lua, 3);
    const JobDetails& details = state.run->source().request.details;
    charge_bytes(lua, name.size() + value.size() + details.variable_count() * (16 + name.size()));
    ErrorText error;
    check_variable(state.writable_env, name, value, error);
    if (error.empty() && details.variable_count() == 0)
        error.assign("job.env cannot be changed: the request has no environment; only sbatch sends one");
    if (error.empty()) state.run->write_variable(name, value, error);
    if (!error.empty()) return raise(lua, error);
    return 0;
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
    if (type == FieldType::arguments) {
        push_arguments(lua, source.request.details);
        return make_read_only(lua, "job.argv", "rules only read it");
    }
    if (type == FieldType::script_options) {
        push_script_options(lua, source.request.details);
        return make_read_only(lua, "job.script_options", "rules only read it");
    }
    if (type == FieldType::license_counts) {
        push_license_counts(lua, source.request.licenses);
        return make_read_only(
            lua, "job.license_counts",
            "it is read from job.licenses: write that, or job:add(\"licenses\", \"NAME:2\")");
    }
    if (type == FieldType::feature_names) {
        push_feature_names(lua, source.request);
        return make_read_only(lua, "job.feature_names",
                              "it is read from job.features and job.prefer: write these, or "
                              "job:add(\"features\", \"NAME\")");
    }
    if (type == FieldType::environment) {
        *static_cast<Shown*>(lua_newuserdatauv(lua, sizeof(Shown), 0)) = shown;
        return luaL_setmetatable(lua, env_type);
    }
    charge_parsing(lua, bytes_of_gpu_requests(source.request));
    const GpuRequests requests(source.request);
    if (type == FieldType::gpu_list) {
        push_gpus(lua, requests);
        return make_read_only(lua, "job.gpu_requests", "rules only read it");
    }
    const GpuRequest request = requests.first_kind();
    if (request.count == 0) return lua_pushnil(lua);
    push_gpu(lua, request);
}

// ---- tables of counts by TRES --------------------------------------------------------------------------
// `tres` of a job's object, and those of `view`, which are limits, usage and
// what limits leave. One binding serves all of them.

namespace {

// What a table shows. Trivial; all functions may raise a Lua error.

template <Shown shown>
struct CountsOfJob {
    FieldSource source;

    /// Of the object at stack index 1.
    static CountsOfJob check(lua_State* lua) { return {check_counted<shown>(lua, tres_object<shown>)}; }
    [[nodiscard]] const model::TresCatalogue& catalogue() const { return source.facts.catalogue; }
    /// How many TRES of the catalogue it may show.
    [[nodiscard]] std::size_t size() const {
        return std::min(catalogue().size(), source.facts.counted.tres.size());
    }
    [[nodiscard]] Value count(lua_State* lua, std::size_t index) const {
        ErrorText error;
        const Value count = read_tres_count(source, index, error);
        if (!error.empty()) raise(lua, error);
        return count;
    }
    static int refuse_write(lua_State* lua) {
        return luaL_error(lua, "job.tres cannot be changed (field '%s')", luaL_tolstring(lua, 2, nullptr));
    }
};

struct CountsOfView {
    ViewObject shown;
    const model::TresCatalogue& tres;

    static CountsOfView check(lua_State* lua) {
        const ViewObject shown = check_view_object(lua, ViewKind::tres).shown;
        const RuleRun* run = LuaState::of(lua).run;
        if (run == nullptr) luaL_error(lua, "view can be used only while a rule is run");
        return {shown, run->catalogue_of_view()};
    }
    [[nodiscard]] const model::TresCatalogue& catalogue() const { return tres; }
    [[nodiscard]] std::size_t size() const { return tres.size(); }
    [[nodiscard]] Value count(lua_State* /*lua*/, std::size_t index) const {
        const auto count = shown.count(shown.data, index);
        return count ? Value::of_count(*count) : Value{};
    }
    static int refuse_write(lua_State* lua) { return luaL_error(lua, "view cannot be changed"); }
};

template <typename Counts>
int read_tres(lua_State* lua) {
    const Counts counts = Counts::check(lua);
    const std::string_view name = key_at(lua, 2);
    const auto index = counts.catalogue().find(name);
    if (!index) {
        Budget::charge_unknown_name(lua, counts.catalogue().size());
        ErrorText error;
        assign_text(error, [&] { return describe_unknown_tres(counts.catalogue(), name); });
        return raise(lua, error);
    }
    push_value(lua, counts.count(lua, *index));
    return 1;
}

/// One step of pairs(): name and count of the next TRES that has one, behind the name given.
template <typename Counts>
int next_tres(lua_State* lua) {
    const Counts counts = Counts::check(lua);
    std::size_t index = 0;
    if (!lua_isnil(lua, 2))
        index = counts.catalogue().find(key_at(lua, 2)).value_or(counts.catalogue().size()) + 1;
    for (; index < counts.size(); ++index) {
        const Value count = counts.count(lua, index);
        if (count.kind == Value::Kind::nothing) continue;
        const std::string& name = counts.catalogue().name(index);
        lua_pushlstring(lua, name.data(), name.size());
        push_value(lua, count);
        return 2;
    }
    lua_pushnil(lua);
    return 1;
}

/// Adds the functions to the metatable on top of the stack.
template <typename Counts>
void set_functions(lua_State* lua) {
    static constexpr luaL_Reg functions[] = {{"__index", &read_tres<Counts>},
                                             {"__newindex", &Counts::refuse_write},
                                             {"__pairs", &pairs_with<&next_tres<Counts>>},
                                             {nullptr, nullptr}};
    luaL_setfuncs(lua, functions, 0);
}

template <Shown shown>
void push_tres_of(lua_State* lua, const char* type) {
    luaL_newmetatable(lua, type);
    set_functions<CountsOfJob<shown>>(lua);
    LuaState::of(lua).*tres_object<shown> = push_object(lua);
}

} // namespace

std::string describe_unknown_tres(const model::TresCatalogue& catalogue, std::string_view name) {
    return text::format("this cluster tracks no TRES '{}'{}{}", text::printable(name, 60),
                        model::hint_for_unknown(catalogue, name), list_of_names(catalogue.names()));
}

void push_tres(lua_State* lua, Shown shown) {
    if (shown == Shown::job)
        push_tres_of<Shown::job>(lua, "job.tres");
    else
        push_tres_of<Shown::before>(lua, "before.tres");
}

void push_view_tres_type(lua_State* lua) {
    push_new_view_type(lua, ViewKind::tres);
    set_functions<CountsOfView>(lua);
}

} // namespace qg::policy
