// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/check/directory_findings.hpp"

#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/expression_types.hpp"
#include "qosgate/policy/check/lua_tokens.hpp"
#include "qosgate/policy/files/candidate.hpp"
#include "qosgate/policy/files/data_files.hpp"
#include "qosgate/policy/files/modules.hpp"
#include "qosgate/policy/files/site_files.hpp"
#include "qosgate/policy/files/trusted_files.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <fstream>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <unistd.h>

#include <sys/stat.h>

namespace qg::policy {
namespace {

namespace fs = std::filesystem;

/// An absolute path without a "." in it or a slash behind it, as it stands in messages.
fs::path tidy(const fs::path& path) {
    std::error_code problem;
    const fs::path whole = fs::absolute(path, problem);
    // The meaning of ".." depends on links.
    if (problem || std::ranges::find(whole, fs::path("..")) != whole.end()) return path;
    fs::path normal = whole.lexically_normal();
    return normal.has_filename() ? normal : normal.parent_path();
}

/// The message of an error, without the path in front of it.
std::string without_path(const Error& error, const fs::path& path) {
    const std::string prefix = path.string() + ": ";
    return error.message.starts_with(prefix) ? error.message.substr(prefix.size()) : error.message;
}

/// The directories of a policy.
constexpr std::array<std::string_view, 5> read_directories{module_directory_name, data_directory_name,
                                                           compat_directory_name, tests_directory_name,
                                                           candidate_directory_name};

/// How a name ends whose file or directory somebody switched off.
constexpr std::array<std::string_view, 2> switched_off{"off", "disabled"};

/// Why a file is ignored although it looks like one of the part; empty if it does not look like one.
std::string_view why_ignored(const SourcePart& part, std::string_view name) {
    constexpr std::string_view ending = ".lua";
    const std::string lower = text::lower(name);
    if (name.starts_with('.') || name.ends_with(ending)) return {};
    if (part.directory == data_directory_name)
        return is_data_name(lower) ? "is ignored: a name must end in '.json' or '.csv', in lower case"
                                   : std::string_view();
    if (lower.ends_with(ending)) return "is ignored: a name must end in '.lua', in lower case";
    const std::size_t at = lower.rfind(".lua.");
    if (at == std::string::npos) return {};
    const std::string_view rest = std::string_view(lower).substr(at + ending.size() + 1);
    if (std::ranges::find(switched_off, rest) != switched_off.end()) return {};
    return "is ignored, because its name does not end in '.lua': move it away, or, to keep a rule that is "
           "switched off, let its name end in '.lua.off'";
}

/// The directory of a policy whose name a similar one misses: tests for "test" or "Tests"; empty: none.
std::string_view missed_directory(std::string_view name) {
    for (const std::string_view known : read_directories) {
        const std::string written(name);
        const std::string real(known);
        const bool is_near = text::iequals(name, known) || text::iequals(written + "s", known) ||
                             text::iequals(written, real + "s");
        if (is_near) return name == known ? std::string_view() : known;
    }
    return {};
}

/// Whether a file declares a rule.
bool is_rule(const fs::path& file) {
    constexpr std::size_t max_bytes = 64 * 1024;
    std::ifstream stream(file, std::ios::binary);
    std::string text(max_bytes, '\0');
    stream.read(text.data(), max_bytes);
    text.resize(static_cast<std::size_t>(stream.gcount()));
    const auto tokens = read_tokens(text);
    for (std::size_t i = 0; i + 1 < tokens.size(); ++i)
        if (tokens[i].is_name("rule") && tokens[i + 1].is("{") && (i == 0 || !tokens[i - 1].is(".")))
            return true;
    return false;
}

/// Whether a directory that is not read has rules in it. One that is switched off, or hidden, has none.
bool has_lost_rules(const fs::path& directory) {
    const std::string name = directory.filename().string();
    const bool is_off = std::ranges::any_of(
        switched_off, [&](std::string_view word) { return name.ends_with(text::format(".{}", word)); });
    if (is_off || name.starts_with('.') ||
        std::ranges::find(read_directories, name) != read_directories.end())
        return false;
    constexpr int max_looked_at = 100;
    std::error_code problem;
    int count = 0;
    for (fs::directory_iterator at(directory, problem), end; !problem && at != end && count < max_looked_at;
         at.increment(problem), ++count)
        if (at->path().extension() == ".lua" && at->is_regular_file(problem) && is_rule(at->path()))
            return true;
    return false;
}

/// Whether read_site_files() finds nothing at a path.
bool is_missing(const std::string& path) {
    struct stat info {};
    return lstat(path.c_str(), &info) != 0 && (errno == ENOENT || errno == ENOTDIR);
}

/// The line of site.lua that names a path of compat_files; 0: none has it as it is.
int line_of_path(const SourceFile& site, const std::string& path) {
    for (const Token& token : read_tokens(site.text))
        if (token.kind == TokenKind::text && token.text.starts_with('/') && normal_path(token.text) == path)
            return token.line;
    return 0;
}

/// Reads the parts of one directory.
class FindingReader {
  public:
    FindingReader(fs::path directory, const OwnerCheck& owners) : directory_(std::move(directory)) {
        if (owners.is_needed) trusted_user_ = owners.trusted_user.value_or(geteuid());
    }

    Result<DirectoryFindings> read() {
        std::error_code problem;
        const auto type = fs::status(directory_, problem).type();
        if (type == fs::file_type::not_found)
            return Error{ErrorCode::not_found, directory_.string() + ": there is no such directory"};
        if (problem) return system_error(directory_, problem.value());
        if (type != fs::file_type::directory) return system_error(directory_, ENOTDIR);
        found_.sources.exists = true;
        for (const SourcePart& part : source_parts())
            if (auto done = read_part(part, found_.sources.files); !done) return done.error();
        const std::vector<std::string> paths = site_paths(found_.sources);
        if (auto read = read_site_files(paths, directory_, trusted_user_, found_.sources.files); !read)
            note({}, read.error().message);
        if (trusted_user_) note_missing(paths); // else it may be a checkout on another host
        if (auto done = read_part(test_part(), found_.sources.tests); !done) return done.error();
        return std::move(found_);
    }

  private:
    void note(std::string file, std::string message, bool stops_loading = true) {
        found_.findings.push_back({std::move(file), 0, std::move(message), stops_loading});
    }

    /// A script may do without a file, so a missing one does not keep the directory from loading.
    void note_missing(std::span<const std::string> paths) {
        const SourceFile* site = found_.sources.find(site_file_name);
        for (const std::string& path : paths)
            if (site != nullptr && is_missing(path))
                found_.findings.push_back(
                    {site->name, line_of_path(*site, path),
                     text::format(
                         "compat_files: {} does not exist; as long as it is missing, io.open gives the "
                         "script nil, and io.lines, dofile and require fail",
                         path),
                     /*stops_loading=*/false});
    }

    Result<void> read_part(const SourcePart& part, std::vector<SourceFile>& files) {
        const fs::path directory = part.in(directory_);
        std::error_code problem;
        if (fs::symlink_status(directory, problem).type() == fs::file_type::not_found) return {};
        check_directory(part);
        auto names = list(part);
        if (!names && part.directory.empty()) return names.error();
        if (!names) {
            note(std::string(part.directory), without_path(names.error(), directory));
            return {};
        }
        if (names->size() > part.max_files)
            note(std::string(part.directory),
                 text::format("holds {} files, at most {} are read", names->size(), part.max_files));
        std::ranges::sort(*names);
        const std::size_t before = files.size();
        for (const std::string& name : *names)
            add_file(part, name, files);
        std::size_t bytes = 0;
        for (const SourceFile& file : std::span(files).subspan(before))
            bytes += file.text.size();
        if (bytes > part.max_bytes)
            note(std::string(part.directory), without_path({{}, part.describe_excess(directory)}, directory));
        return {};
    }

    void check_directory(const SourcePart& part) {
        if (!trusted_user_ || !is_directory_trusted_) return;
        const fs::path directory = part.in(directory_);
        const auto real = resolve_trusted(directory, *trusted_user_);
        const auto trusted = real ? check_trusted(real->path, real->info, *trusted_user_) : real.error();
        if (trusted) return;
        note(std::string(part.directory), without_path(trusted.error(), directory));
        is_directory_trusted_ = false;
    }

    /// The names of the part's files; notes the ignored ones.
    Result<std::vector<std::string>> list(const SourcePart& part) {
        const fs::path directory = part.in(directory_);
        std::vector<std::string> names;
        std::error_code problem;
        for (fs::directory_iterator at(directory, problem), end; !problem && at != end;
             at.increment(problem)) {
            std::string name = at->path().filename().string();
            if (part.takes(name)) {
                names.push_back(std::move(name));
                continue;
            }
            std::error_code unknown;
            const std::string_view missed =
                part.directory.empty() ? missed_directory(name) : std::string_view();
            if (!missed.empty() && at->is_directory(unknown))
                note(name, "is not read" + text::did_you_mean(name, missed), /*stops_loading=*/false);
            else if (part.directory.empty() && at->is_directory(unknown) && has_lost_rules(at->path()))
                note(
                    name,
                    "is not read: rules lie in the directory of site.lua itself; to keep a directory that is "
                    "switched off, let its name end in '.off' or '.disabled'",
                    /*stops_loading=*/false);
            const std::string_view why = why_ignored(part, name);
            if (!why.empty() && at->is_regular_file(unknown))
                note(part.name_of(name), std::string(why), /*stops_loading=*/false);
        }
        if (problem) return system_error(directory, problem.value());
        return names;
    }

    void add_file(const SourcePart& part, const std::string& file, std::vector<SourceFile>& files) {
        const fs::path path = part.in(directory_) / file;
        const std::string name = part.name_of(file);
        if (trusted_user_) {
            auto content = read_trusted_file(path, *trusted_user_, part.max_file_bytes);
            if (content) return files.push_back({name, *std::move(content)});
            // If the directory is not trusted, no file below it is: that was said once.
            const bool is_own = is_directory_trusted_ || content.error().code != ErrorCode::permission_denied;
            if (is_own) note(name, without_path(content.error(), path));
            if (content.error().code != ErrorCode::permission_denied) return;
            if (!is_own) check_file_alone(path, name);
        }
        auto content = read_any_file(path, part.max_file_bytes);
        if (content) return files.push_back({name, *std::move(content)});
        note(name, without_path(content.error(), path));
    }

    void check_file_alone(const fs::path& path, const std::string& name) {
        struct stat info {};
        if (stat(path.c_str(), &info) != 0) return;
        if (const auto trusted = check_trusted(path, info, *trusted_user_); !trusted)
            note(name, without_path(trusted.error(), path));
    }

    const fs::path directory_;
    std::optional<uid_t> trusted_user_; ///< empty: anybody may own the files
    bool is_directory_trusted_ = true;  ///< the part being read, and those before
    DirectoryFindings found_;
};

} // namespace

Result<DirectoryFindings> read_all_sources(const fs::path& directory, const OwnerCheck& owners) {
    return FindingReader(tidy(directory), owners).read();
}

Result<SourceDirectory> read_loadable_sources(const fs::path& directory, const OwnerCheck& owners) {
    auto read = read_all_sources(directory, owners);
    if (!read) return read.error();
    for (const Finding& finding : read->findings)
        if (finding.stops_loading)
            return Error{ErrorCode::unavailable,
                         text::format("{}: {}", finding.file.empty() ? directory.string() : finding.file,
                                      finding.message)};
    return std::move(read->sources);
}

// ---- files that do nothing -----------------------------------------------------------------------------

namespace {

bool is_code(const SourceFile& file) {
    return kind_of(file.name) == SourceKind::rule || kind_of(file.name) == SourceKind::module;
}

/// Adds the names with which a file calls a function. False: one may be any name.
bool add_names_given_to(std::string_view function, const SourceFile& file, std::set<std::string>& names) {
    const SyntaxTree tree(file.text);
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, NodeKind::name) || tree.text(id) != function) continue;
        const std::string_view name =
            tree.is_called(id) ? tree.only_text(tree.parent(id)) : std::string_view();
        if (name.empty()) return false;
        names.emplace(name);
    }
    return tree.is_complete();
}

/// The same of all rules, modules and tests. Empty: one may be any name.
std::optional<std::set<std::string>> names_given_to(std::string_view function,
                                                    const SourceDirectory& sources) {
    std::set<std::string> names;
    for (const SourceFile& file : sources.files)
        if (is_code(file) && !add_names_given_to(function, file, names)) return std::nullopt;
    for (const SourceFile& file : sources.tests)
        if (is_source_name(file.name) && !add_names_given_to(function, file, names)) return std::nullopt;
    return names;
}

void find_unused_files(const SourceDirectory& sources, SourceKind kind, std::string_view function,
                       std::string_view complaint, std::vector<Finding>& found) {
    const auto names = names_given_to(function, sources);
    if (!names) return;
    for (const SourceFile& file : sources.files) {
        if (kind_of(file.name) != kind) continue;
        const std::string_view name =
            kind == SourceKind::module ? module_name(file.name)
                                       : std::string_view(file.name).substr(data_directory_name.size() + 1);
        if (!names->contains(std::string(name)))
            found.push_back({file.name, 0, std::string(complaint), /*stops_loading=*/false});
    }
}

/// Whether the rule's only code is submit = function(job) job:stop() end.
bool only_stops(const SourceFile& file) {
    const SyntaxTree tree(file.text);
    const ExpressionTypes types(tree, {});
    NodeId only = no_node;
    for (NodeId id = 0; id < tree.size(); ++id) {
        if (!tree.is(id, NodeKind::function)) continue;
        if (only != no_node) return false;
        only = id;
    }
    if (only == no_node || types.key_of(only) != "submit") return false;
    const auto statements = tree.children(tree.body(only));
    return statements.size() == 1 && tree.is(statements[0], NodeKind::method) &&
           tree.member(statements[0]) == "stop" && tree.arguments(statements[0]).empty() &&
           types.meaning(tree.object(statements[0])) == Meaning::job;
}

void find_unreached_rules(const SourceDirectory& sources, std::span<const RuleInfo> rules,
                          std::vector<Finding>& found) {
    const RuleInfo* last = nullptr;
    for (const RuleInfo& rule : rules) {
        if (last != nullptr) {
            const bool is_reached = (rule.runs_at_submission && !last->runs_at_submission) ||
                                    (rule.runs_at_change && !last->runs_at_change) || rule.runs_in_client;
            if (!is_reached)
                found.push_back(
                    {rule.file, 0,
                     text::format("is never run: the rule in {} ends the chain for every job", last->file),
                     /*stops_loading=*/false});
            continue;
        }
        const SourceFile* file = sources.find(rule.file);
        const bool is_for_all = rule.mode == RuleMode::enforce && !rule.exempt.has_any();
        if (is_for_all && file != nullptr && only_stops(*file)) last = &rule;
    }
}

} // namespace

std::vector<Finding> find_unused(const SourceDirectory& sources, std::span<const RuleInfo> rules) {
    std::vector<Finding> found;
    if (rules.empty()) return found;
    find_unreached_rules(sources, rules, found);
    // A script for job_submit/lua can read all files of the directory.
    if (std::ranges::any_of(sources.files,
                            [](const SourceFile& file) { return kind_of(file.name) == SourceKind::compat; }))
        return found;
    find_unused_files(sources, SourceKind::module, "require",
                      "is not used: no rule, module or test requires it", found);
    find_unused_files(sources, SourceKind::data, "data", "is not used: no rule, module or test reads it",
                      found);
    return found;
}

} // namespace qg::policy
