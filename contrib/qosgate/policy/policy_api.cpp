// SPDX-License-Identifier: GPL-2.0-or-later
//
// qosgate policy api
#include "common/command.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/modules.hpp"
#include "qosgate/policy/objects/fields.hpp"
#include "qosgate/policy/objects/view_table.hpp"
#include "qosgate/policy/settings.hpp"

#include <ostream>
#include <span>
#include <string>
#include <string_view>

namespace qg::cli {
namespace {

using policy::FieldType;
using policy::ViewCall;
using policy::ViewKind;
using policy::ViewType;

constexpr std::string_view function_begin = "function M.";

/// A line of a comment as editors read it: of "-- text" the text, of "---@param ..." all.
std::string annotation(std::string_view comment) {
    if (comment.starts_with("---")) return text::format("{}\n", comment);
    comment.remove_prefix(comment.starts_with("-- ") ? 3 : 2);
    return text::format("---{}\n", comment);
}

/// The functions of a module, each with the comment above it.
void print_functions(std::ostream& out, const policy::ShippedModule& module) {
    std::string comment;
    for (const std::string_view line : text::split(module.text, '\n', /*keep_empty=*/true)) {
        if (line.starts_with("--")) {
            comment += annotation(line);
            continue;
        }
        if (line.starts_with(function_begin))
            out << comment
                << text::format("function {}.{} end\n", module.name, line.substr(function_begin.size()));
        comment.clear();
    }
}

/// Writes a class of LuaLS for each module, with the functions and comments of its source, and require(),
/// which returns them.
void print_modules(std::ostream& out, std::span<const policy::ShippedModule> modules) {
    for (const policy::ShippedModule& module : modules) {
        out << text::format("---@class qosgate.{0}\nlocal {0} = {{}}\n", module.name);
        print_functions(out, module);
        out << '\n';
    }
    out << "---A module of lib/, or one that qosgate has.\n";
    for (const policy::ShippedModule& module : modules)
        out << text::format("---@overload fun(name: \"{0}\"): qosgate.{0}\n", module.name);
    out << "---@param name string\n---@return table\nfunction require(name) end\n";
}

constexpr std::string_view beginning = R"(-- SPDX-License-Identifier: GPL-2.0-or-later
---@meta
-- What rules can use, for editors with the Lua language server. Made by 'qosgate policy api'.

---@class qosgate.Gpu
---@field count integer GPUs for each job, node, socket or task
---@field type string? such as "a100"; nil: any
---@field per "job"|"node"|"socket"|"task"

)";

/// The functions of `job`; the keys of rules; the functions of rule files.
constexpr std::string_view job_functions = R"(local Job = {}
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
)";

constexpr std::string_view other_functions = R"(---The options of a command, by their long names.
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
)";

std::string_view type_name(FieldType type) {
    switch (type) {
    case FieldType::text: return "string?";
    case FieldType::count: return "integer?";
    case FieldType::minutes: return "number|string|nil";
    case FieldType::flag: return "boolean?";
    case FieldType::tres:
    case FieldType::license_counts: return "table<string, integer>";
    case FieldType::gpu: return "qosgate.Gpu?";
    case FieldType::gpu_list: return "qosgate.Gpu[]";
    case FieldType::arguments: return "table<integer, string>";
    case FieldType::environment: return "table<string, string>";
    case FieldType::feature_names:
    case FieldType::script_options: return "string[]";
    }
    return "any";
}

/// Whether a request that sets nothing has a value.
bool is_there_by_default(const policy::FieldSpec& field) {
    policy::ErrorText no_answer;
    return field.read({{}, policy::no_facts()}, no_answer).kind != policy::Value::Kind::nothing;
}

/// Without the mark of what may be nil, if the field never is.
std::string_view type_name(const policy::FieldSpec& field) {
    std::string_view type = type_name(field.type);
    const bool is_always_there = field.basis == policy::FieldBasis::counts || field.is_set == nullptr ||
                                 (field.type == FieldType::flag && is_there_by_default(field));
    if (is_always_there && type.ends_with('?')) type.remove_suffix(1);
    return type;
}

std::string class_name(ViewKind kind) {
    return kind == ViewKind::tres ? "table<string, number>" : text::format("qosgate.{}", name_of(kind));
}

std::string type_name(ViewType type, ViewKind kind) {
    switch (type) {
    case ViewType::text: return "string";
    case ViewType::count:
    case ViewType::minutes: return "number";
    case ViewType::flag: return "boolean";
    case ViewType::names:
    case ViewType::some_names: return "string[]";
    case ViewType::object: return class_name(kind);
    }
    return "any";
}

/// Of a field or of what a function returns.
template <typename Row>
std::string type_name(const Row& row) {
    return type_name(row.type, row.kind) + (policy::may_be_nil(row) ? "?" : "");
}

std::string type_of(const policy::ViewFunction& function, ViewKind owner) {
    const auto result = type_name(function);
    switch (function.how) {
    case ViewCall::with_name: return text::format("fun(name: string): {}", result);
    case ViewCall::with_filter: return text::format("fun(filter: table<string, string>): {}", result);
    case ViewCall::with_nothing: return text::format("fun(): {}", result);
    case ViewCall::on_itself: return text::format("fun(self: {}): {}", class_name(owner), result);
    case ViewCall::with_job:
        return text::format("fun(self: {}, job: qosgate.Job): {}, string?", class_name(owner), result);
    }
    return "any";
}

void print_field(std::ostream& out, std::string_view name, std::string_view type,
                 std::string_view description) {
    out << text::format("---@field {} {} {}\n", name, type, description);
}

/// What job:add takes.
std::vector<std::string> names_of_lists() {
    std::vector<std::string> names;
    for (const policy::FieldSpec& field : policy::job_fields())
        if (field.list != policy::ListForm::none) names.push_back(text::format("\"{}\"", field.name));
    return names;
}

void print_job(std::ostream& out) {
    out << "---@class qosgate.Job\n";
    for (const policy::FieldSpec& field : policy::job_fields())
        print_field(out, field.name, type_name(field),
                    field.write == nullptr ? text::format("{} (read-only)", field.description)
                                           : std::string(field.description));
    out << job_functions << "---@param field " << text::join(names_of_lists(), "|")
        << "\n---@param text string\nfunction Job:add(field, text) end\n\n";
}

void print_view(std::ostream& out, ViewKind kind) {
    if (kind == ViewKind::tres) return;
    out << text::format("---@class {}\n", class_name(kind));
    for (const policy::ViewField& field : policy::view_fields(kind))
        print_field(out, field.name, type_name(field), field.description);
    for (const policy::ViewFunction& function : policy::view_functions(kind))
        print_field(out, function.name, type_of(function, kind), function.description);
    out << '\n';
}

std::string_view type_name(const policy::Value& value) {
    if (value.kind == policy::Value::Kind::integer) return "integer?";
    return value.kind == policy::Value::Kind::flag ? "boolean?" : "string?";
}

void print_settings(std::ostream& out) {
    const policy::Settings defaults;
    out << "---@class qosgate.Settings\n";
    for (const policy::SettingSpec& setting : policy::setting_specs())
        print_field(
            out, setting.name,
            setting.get_list == nullptr ? type_name(setting.get(defaults)) : std::string_view("string[]?"),
            text::format("{}; {}; default {}", setting.description, setting.allowed, setting.default_text));
    out << '\n';
}

Result<int> print_api(Output& output) {
    std::ostream& out = output.text();
    out << beginning;
    print_job(out);
    for (std::size_t kind = 0; kind < policy::view_kind_count; ++kind)
        print_view(out, static_cast<ViewKind>(kind));
    print_settings(out);
    out << other_functions;
    print_modules(out, policy::shipped_modules());
    return 0;
}

} // namespace

void add_policy_api(Command policy, Invocation& invocation) {
    Command command = add_command(
        policy, "api", "Print what rules can use, for the Lua language server of an editor",
        "The output has the fields of 'job', what 'view' shows, the settings of site.lua and the functions\n"
        "of rule files, with types and meanings, as annotations of LuaLS. An editor that knows the file\n"
        "completes names and marks wrong ones. A copy is in share/qosgate/api; the guides\n"
        "rules-view.md and rules-reference.md describe all of it.\n\n"
        "Exit status:\n"
        "  0   done\n"
        "  64  the command line is wrong\n"
        "  74  the output cannot be written\n\n"
        "Examples:\n"
        "  qosgate policy api > qosgate.lua     then name the file in workspace.library of .luarc.json\n"
        "  qosgate policy api | grep -w time_limit");
    command.callback([&invocation] { invocation.action = print_api; });
}

} // namespace qg::cli
