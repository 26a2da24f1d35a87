// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/lua/budget.hpp"
#include "qosgate/policy/lua/read_only.hpp"
#include "qosgate/policy/objects/job_binding_common.hpp"

#include <array>
#include <cstdint>
#include <string_view>
#include <tuple>

#include <lua.hpp>

namespace qg::policy {
namespace {

/// A list must fit into one table.
constexpr std::size_t max_names = 4096;

/// The keys of the metatables in the registry: an address is found faster than a name.
constexpr std::array<char, view_kind_count> type_keys{};

/// Pushes the metatable of a kind.
void push_type(lua_State* lua, ViewKind kind) {
    lua_rawgetp(lua, LUA_REGISTRYINDEX, &type_keys[static_cast<std::size_t>(kind)]);
}

/// Whether the value at a stack index is an object of this kind.
bool is_object(lua_State* lua, int index, ViewKind kind) {
    if (lua_type(lua, index) != LUA_TUSERDATA || lua_getmetatable(lua, index) == 0) return false;
    const void* const type = lua_topointer(lua, -1);
    lua_pop(lua, 1);
    return type == LuaState::of(lua).view_types[static_cast<std::size_t>(kind)];
}

/// The view of the present run. Errors: raises a Lua error outside of a run, and if there is none.
RuleView& check_view(lua_State* lua) {
    const RuleRun* run = LuaState::of(lua).run;
    if (run == nullptr) luaL_error(lua, "view can be used only while a rule is run");
    RuleView* view = run->view();
    if (view == nullptr) luaL_error(lua, "view is not known here");
    return *view;
}

void push_object(lua_State* lua, const ViewObject& shown) {
    if (shown.data == nullptr) return lua_pushnil(lua);
    auto* object = static_cast<BoundObject*>(lua_newuserdatauv(lua, sizeof(BoundObject), 0));
    *object = {LuaState::of(lua).runs, shown};
    push_type(lua, shown.kind);
    lua_setmetatable(lua, -2);
}

void push_names(lua_State* lua, std::span<const std::string> names) {
    if (names.size() > max_names)
        luaL_error(lua, "the list has more than %d names", static_cast<int>(max_names));
    lua_createtable(lua, static_cast<int>(names.size()), 0);
    lua_Integer place = 0;
    for (const std::string& name : names) {
        Budget::charge(lua, 1 + static_cast<std::int64_t>(name.size() / 16));
        push_value(lua, Value::of_text(name));
        lua_rawseti(lua, -2, ++place);
    }
    make_read_only(lua, "a list of view", "copy its elements to a table of your own");
}

void push_answer(lua_State* lua, ViewType type, const ViewAnswer& answer) {
    switch (type) {
    case ViewType::text:
    case ViewType::count:
    case ViewType::minutes:
    case ViewType::flag: return push_value(lua, answer.value);
    case ViewType::names:
        if (answer.names.empty()) return lua_pushnil(lua);
        return push_names(lua, answer.names);
    case ViewType::some_names: return push_names(lua, answer.names);
    case ViewType::object: return push_object(lua, answer.object);
    }
}

[[noreturn]] void raise_unknown(lua_State* lua, ViewKind kind, std::string_view name) {
    Budget::charge_unknown_name(lua, view_fields(kind).size() + view_functions(kind).size());
    ErrorText error;
    assign_text(error, [&] { return describe_unknown_view_field(kind, name); });
    raise(lua, error);
    __builtin_unreachable(); // a Lua error does not return
}

/// The kind of the objects that the running function is of: upvalue 2 of each.
ViewKind own_kind(lua_State* lua) {
    return static_cast<ViewKind>(lua_tointeger(lua, lua_upvalueindex(2)));
}

/// The content of the object of view at stack index 1. Errors: raises a Lua error for one of an earlier run.
const BoundObject& check_run_of_object(lua_State* lua) {
    const auto* object = static_cast<const BoundObject*>(lua_touserdata(lua, 1));
    const ViewKind kind = object->shown.kind;
    if (kind != ViewKind::view && object->run != LuaState::of(lua).runs)
        luaL_error(lua, "%s was read by another run of a rule: read it again", name_of(kind));
    return *object;
}

/// Calls a function for the object at stack index 1. Returns the number of values that it pushed.
int answer_call(lua_State* lua, const ViewFunction& function, const CallArguments& arguments) {
    const BoundObject object = check_run_of_object(lua);
    RuleView& view = check_view(lua);
    Budget::charge(lua, function.cost);
    ErrorText error;
    const ViewAnswer answer = function.call(view, object.shown, arguments, error);
    if (!error.empty()) return raise(lua, error);
    push_answer(lua, function.type, answer);
    if (answer.reason.empty()) return 1;
    push_value(lua, Value::of_text(answer.reason));
    return 2;
}

/// The function whose row is upvalue 1.
const ViewFunction& called_function(lua_State* lua) {
    return *static_cast<const ViewFunction*>(lua_touserdata(lua, lua_upvalueindex(1)));
}

/// Reads the table at stack index 1, which holds the texts. Errors: raises a Lua error.
JobFilter read_filter(lua_State* lua) {
    JobFilter filter;
    std::size_t found = 0;
    for (const JobFilterKey& key : job_filter_keys) {
        lua_pushstring(lua, key.name);
        const int type = lua_rawget(lua, 1);
        if (type != LUA_TNIL) {
            const std::string_view value = type == LUA_TSTRING ? text_at(lua, -1) : std::string_view();
            if (value.empty()) luaL_error(lua, "view.jobs: %s is a text that is not empty", key.name);
            filter.*key.member = value;
            ++found;
        }
        lua_pop(lua, 1);
    }
    std::size_t given = 0;
    for (lua_pushnil(lua); lua_next(lua, 1) != 0; lua_pop(lua, 1))
        ++given;
    if (given != found)
        luaL_error(
            lua, "view.jobs counts by { user = ..., account = ..., qos = ..., state = ... }, and by nothing "
                 "else");
    return filter;
}

/// A function that is called with a table. Upvalue 3: the object.
int call_with_filter(lua_State* lua) {
    const ViewFunction& function = called_function(lua);
    if (lua_gettop(lua) != 1 || lua_istable(lua, 1) == 0)
        return luaL_error(lua, "write %s: it takes one table", function.usage.data());
    const CallArguments arguments{.filter =
                                      read_filter(lua)}; // borrows from the table, which stays on the stack
    lua_pushvalue(lua, lua_upvalueindex(3));
    lua_insert(lua, 1);
    return answer_call(lua, function, arguments);
}

/// A function that is called with a dot. Upvalue 3: the object.
int call_with_dot(lua_State* lua) {
    const ViewFunction& function = called_function(lua);
    if (lua_type(lua, 1) == LUA_TUSERDATA)
        return luaL_error(lua, "write %s, with a dot", function.usage.data());
    const bool takes_name = function.how == ViewCall::with_name;
    if (lua_gettop(lua) != (takes_name ? 1 : 0) || (takes_name && lua_type(lua, 1) != LUA_TSTRING))
        return luaL_error(lua, "write %s: it takes %s", function.usage.data(),
                          takes_name ? "one text" : "no arguments");
    CallArguments arguments;
    if (takes_name) arguments.name = key_at(lua, 1); // stays on the stack
    lua_pushvalue(lua, lua_upvalueindex(3));
    lua_insert(lua, 1);
    return answer_call(lua, function, arguments);
}

/// A function that is called with a colon.
int call_with_colon(lua_State* lua) {
    const ViewFunction& function = called_function(lua);
    const bool takes_job = function.how == ViewCall::with_job;
    if (!is_object(lua, 1, own_kind(lua)) || lua_gettop(lua) != (takes_job ? 2 : 1))
        return luaL_error(lua, "write %s, with a colon", function.usage.data());
    const LuaState& state = LuaState::of(lua);
    if (takes_job && lua_touserdata(lua, 2) != state.job_object)
        return luaL_error(lua, "write %s: it takes the rule's job", function.usage.data());
    if (state.run == nullptr) return luaL_error(lua, "view can be used only while a rule is run");
    if (!takes_job) return answer_call(lua, function, {});
    return answer_call(lua, function, {.job = &state.run->source().request});
}

/// Pushes a row of one of the tables.
template <typename Row>
void push_row(lua_State* lua, const Row& row) {
    lua_pushlightuserdata(lua, const_cast<Row*>(&row)); // read_member() and called_function() only read it
}

/// Pushes a function that is called with a dot, of the object at a stack index.
void push_dot_function(lua_State* lua, ViewKind kind, const ViewFunction& function, int object) {
    push_row(lua, function);
    lua_pushinteger(lua, static_cast<lua_Integer>(kind));
    lua_pushvalue(lua, object);
    lua_pushcclosure(lua, function.how == ViewCall::with_filter ? &call_with_filter : &call_with_dot, 3);
}

/// Upvalue 1: names to functions, to the rows of fields, and to the places of other functions.
int read_member(lua_State* lua) {
    const ViewKind kind = own_kind(lua);
    const BoundObject object = check_view_object(lua, kind);
    RuleView& view = check_view(lua);
    lua_pushvalue(lua, 2);
    const int found = lua_rawget(lua, lua_upvalueindex(1));
    if (found == LUA_TFUNCTION) return 1;
    if (found == LUA_TNUMBER) {
        const auto place = static_cast<std::size_t>(lua_tointeger(lua, -1));
        push_dot_function(lua, kind, view_functions(kind)[place], 1);
        return 1;
    }
    if (found != LUA_TLIGHTUSERDATA) raise_unknown(lua, kind, key_at(lua, 2));
    const auto& field = *static_cast<const ViewField*>(lua_touserdata(lua, -1));
    ErrorText error;
    const ViewAnswer answer = field.read(view, object.shown, error);
    if (!error.empty()) return raise(lua, error);
    push_answer(lua, field.type, answer);
    return 1;
}

int refuse_view_write(lua_State* lua) {
    return luaL_error(lua, "view cannot be changed");
}

/// Pushes what the name of a function stands for in read_member(). Functions that are called with a colon are
/// made once, and so are those of the one object `view`; others are made when they are read. `view` is at a
/// stack index.
void push_function(lua_State* lua, ViewKind kind, std::size_t place, int view) {
    const ViewFunction& function = view_functions(kind)[place];
    if (function.how == ViewCall::on_itself || function.how == ViewCall::with_job) {
        push_row(lua, function);
        lua_pushinteger(lua, static_cast<lua_Integer>(kind));
        lua_pushcclosure(lua, &call_with_colon, 2);
    } else if (kind == ViewKind::view)
        push_dot_function(lua, kind, function, view);
    else
        lua_pushinteger(lua, static_cast<lua_Integer>(place));
}

/// Makes the metatable of a kind with its fields and functions. The object `view` is at a stack index.
void make_filled_type(lua_State* lua, ViewKind kind, int view) {
    push_new_view_type(lua, kind);
    lua_createtable(lua, 0, static_cast<int>(view_fields(kind).size() + view_functions(kind).size()));
    for (const ViewField& field : view_fields(kind)) {
        lua_pushlstring(lua, field.name.data(), field.name.size());
        push_row(lua, field);
        lua_rawset(lua, -3);
    }
    for (std::size_t i = 0; i < view_functions(kind).size(); ++i) {
        const std::string_view name = view_functions(kind)[i].name;
        lua_pushlstring(lua, name.data(), name.size());
        push_function(lua, kind, i, view);
        lua_rawset(lua, -3);
    }
    lua_pushinteger(lua, static_cast<lua_Integer>(kind));
    lua_pushcclosure(lua, &read_member, 2);
    lua_setfield(lua, -2, "__index");
    lua_pushcfunction(lua, &refuse_view_write);
    lua_setfield(lua, -2, "__newindex");
    lua_pop(lua, 1);
}

} // namespace

void push_new_view_type(lua_State* lua, ViewKind kind) {
    const auto index = static_cast<std::size_t>(kind);
    luaL_newmetatable(lua, name_of(kind)); // with the name, for texts of errors
    lua_pushvalue(lua, -1);
    lua_rawsetp(lua, LUA_REGISTRYINDEX, &type_keys[index]);
    static_assert(view_kind_count <= std::tuple_size_v<decltype(LuaState::view_types)>);
    LuaState::of(lua).view_types[index] = lua_topointer(lua, -1);
}

const BoundObject& check_view_object(lua_State* lua, ViewKind kind) {
    if (!is_object(lua, 1, kind)) luaL_typeerror(lua, 1, name_of(kind));
    return check_run_of_object(lua);
}

int make_view(lua_State* lua) {
    auto* object = static_cast<BoundObject*>(lua_newuserdatauv(lua, sizeof(BoundObject), 0));
    *object = {};
    const int view = lua_gettop(lua);
    for (std::size_t kind = 0; kind + 1 < view_kind_count; ++kind) // the last one is `tres`
        make_filled_type(lua, static_cast<ViewKind>(kind), view);
    push_view_tres_type(lua);
    lua_pop(lua, 1);
    push_type(lua, ViewKind::view);
    lua_setmetatable(lua, -2);
    return luaL_ref(lua, LUA_REGISTRYINDEX);
}

} // namespace qg::policy
