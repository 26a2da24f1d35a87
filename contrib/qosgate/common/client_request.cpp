// SPDX-License-Identifier: GPL-2.0-or-later
#include "common/client_request.hpp"

#include "common/client_module.hpp"
#include "common/installation.hpp"

#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <optional>
#include <string_view>

#include <elf.h>
#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

namespace qg::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view module_name = "qosgate_client.so";
constexpr std::string_view no_conf = "/nonexistent/slurm.conf"; ///< until the module puts the right one back
constexpr int loader_failed = 127; ///< the exit status of a program that lacks what a library needs
constexpr std::size_t max_request_bytes = std::size_t{256} << 20u; ///< scripts have at most some MiB

/// The module: beside this program where it was built, else where it is installed.
Result<fs::path> find_module() {
    std::error_code problem;
    for (const fs::path& place : places_of(QG_MODULE_DIR))
        if (fs::exists(place / module_name, problem)) return place / module_name;
    return Error{
        ErrorCode::unavailable,
        text::format(
            "there is no {} beside this program or in {}: build all of qosgate ('ninja' in its build "
            "directory), or install it completely",
            module_name, QG_MODULE_DIR)};
}

/// Words as C functions take them. Ownership: borrows.
std::vector<char*> pointers_to(const std::vector<std::string>& words) {
    std::vector<char*> pointers;
    for (const std::string& word : words)
        pointers.push_back(const_cast<char*>(word.c_str())); // NOLINT: they are not written to
    pointers.push_back(nullptr);
    return pointers;
}

/// The environment of a client until its module has started.
std::vector<std::string> environment_for(const fs::path& module, const fs::path& policy, int pipe) {
    struct Replaced {
        const char* name;
        const char* kept;
        std::string value;
    };
    const char* const own_preload = std::getenv("LD_PRELOAD");
    const std::array<Replaced, 2> replaced{{
        {"LD_PRELOAD", client_preload_variable,
         own_preload == nullptr ? module.string() : text::format("{}:{}", module.string(), own_preload)},
        {"SLURM_CONF", client_conf_variable, std::string(no_conf)},
    }};
    std::vector<std::string> environment;
    for (char** variable = environ; *variable != nullptr; ++variable) {
        const std::string_view definition = *variable;
        const std::string_view name = definition.substr(0, definition.find('='));
        const bool is_replaced = name == replaced[0].name || name == replaced[1].name;
        if (!is_replaced && !name.starts_with(client_variables_begin)) environment.emplace_back(definition);
    }
    for (const Replaced& variable : replaced) {
        environment.push_back(text::format("{}={}", variable.name, variable.value));
        if (const char* own = std::getenv(variable.name))
            environment.push_back(text::format("{}={}", variable.kept, own));
    }
    environment.push_back(text::format("{}={}", client_pipe_variable, pipe));
    if (!policy.empty())
        environment.push_back(text::format("{}={}", client_policy_variable, fs::absolute(policy).string()));
    return environment;
}

bool is_binary(const fs::path& program) {
    std::array<char, SELFMAG> magic{};
    std::ifstream(program).read(magic.data(), magic.size());
    return std::string_view(magic.data(), magic.size()) == std::string_view(ELFMAG, SELFMAG);
}

/// Whether the loader ignores LD_PRELOAD for it.
bool has_privileges(const fs::path& program) {
    std::error_code problem;
    const fs::perms mode = fs::status(program, problem).permissions();
    return (mode & (fs::perms::set_uid | fs::perms::set_gid)) != fs::perms::none ||
           getxattr(program.c_str(), "security.capability", nullptr, 0) > 0;
}

/// Slurm's own client. Only into a binary a module can be loaded, and a script may undo what keeps its client
/// from submitting the job. Errors: unavailable.
Result<fs::path> find_client(const std::string& name) {
    const char* const path = std::getenv("PATH");
    for (const std::string_view directory : text::split(path == nullptr ? "/usr/bin:/bin" : path, ':')) {
        const fs::path program = fs::path(directory.empty() ? "." : directory) / name;
        std::error_code problem;
        if (!fs::is_regular_file(program, problem) || access(program.c_str(), X_OK) != 0) continue;
        if (has_privileges(program))
            return Error{
                ErrorCode::unavailable,
                text::format(
                    "{} runs with privileges of its own (setuid, setgid or file capabilities), so nothing "
                    "can be loaded into it",
                    text::printable(program.string(), 4000))};
        if (is_binary(program)) return program;
        return Error{ErrorCode::unavailable,
                     text::format("{} is a script, or cannot be read: put the directory of Slurm's own {} "
                                  "in front of it in PATH",
                                  text::printable(program.string(), 4000), name)};
    }
    return Error{ErrorCode::unavailable, text::format("there is no {} in PATH", name)};
}

Result<pid_t> start_client(std::span<const std::string> words, const fs::path& module, const fs::path& policy,
                           int pipe) {
    const auto program = find_client(words.front());
    if (!program) return program.error();
    const std::vector<std::string> own_words(words.begin(), words.end());
    const std::vector<std::string> environment = environment_for(module, policy, pipe);
    posix_spawn_file_actions_t actions;
    posix_spawn_file_actions_init(&actions);
    const ScopeExit end_actions([&actions] { posix_spawn_file_actions_destroy(&actions); });
    posix_spawn_file_actions_adddup2(&actions, pipe, pipe); // so that it stays open
    posix_spawn_file_actions_adddup2(&actions, STDERR_FILENO, STDOUT_FILENO);
    pid_t process = 0;
    const int problem = posix_spawn(&process, program->c_str(), &actions, nullptr,
                                    pointers_to(own_words).data(), pointers_to(environment).data());
    if (problem == 0) return process;
    return Error{ErrorCode::unavailable,
                 text::format("{} cannot be run: {}", own_words.front(), std::strerror(problem))};
}

/// What the other end of the pipe sends until it is closed.
Result<std::string> read_all(int pipe) {
    std::string bytes;
    std::array<char, 65536> part{};
    while (bytes.size() <= max_request_bytes) {
        const ssize_t count = read(pipe, part.data(), part.size());
        if (count < 0 && errno == EINTR) continue;
        if (count < 0)
            return Error{ErrorCode::unavailable,
                         text::format("reading from the client: {}", std::strerror(errno))};
        if (count == 0) return bytes;
        bytes.append(part.data(), static_cast<std::size_t>(count));
    }
    return Error{ErrorCode::limit_exceeded, "the job's description has more than 256 MiB"};
}

/// Whether a word may be srun's --no-allocate, with which it would run the program: also where the word
/// belongs to the program.
bool may_be_no_allocate(const std::string& word) {
    if (word.starts_with("--no-a")) return true;
    return word.size() > 1 && word[0] == '-' && word[1] != '-' && word.find('Z') != std::string::npos;
}

int wait_for(pid_t process) {
    int status = 0;
    while (waitpid(process, &status, 0) < 0 && errno == EINTR) {
    }
    return status;
}

/// What the module of a started client sends. Errors: as ask_client().
Result<std::string> receive_request(const std::string& client, pid_t process, int pipe) {
    auto bytes = read_all(pipe);
    if (!bytes) kill(process, SIGTERM); // it may wait for a reader
    const int status = wait_for(process);
    if (!bytes || !bytes->empty()) return bytes;
    if (WIFSIGNALED(status))
        return Error{ErrorCode::unavailable, text::format("{} ended by signal {}", client, WTERMSIG(status))};
    if (WEXITSTATUS(status) == loader_failed)
        return Error{
            ErrorCode::unavailable,
            text::format("the {} in PATH cannot load {}, so it is not Slurm's own: put the directory of "
                         "that one in front of it in PATH",
                         client, module_name)};
    if (WEXITSTATUS(status) != 0)
        return Error{
            ErrorCode::invalid_input,
            text::format("{} refuses these arguments, or the site's cli_filter refuses the job; its own "
                         "message says why",
                         client)};
    return Error{ErrorCode::invalid_input,
                 text::format("{} submits no job with these arguments{}", client,
                              client == "srun" ? " (inside a job it runs a step of it)" : "")};
}

Result<ClientJob> unpack_parts(std::string_view descriptions) {
    ClientJob job;
    while (!descriptions.empty()) {
        auto part = slurm::JobDescCopy::unpack(descriptions);
        if (!part) return part.error();
        job.parts.push_back(*std::move(part));
    }
    if (job.parts.size() == 1) job.parts.front().set_alone();
    for (std::uint32_t i = 0; job.parts.size() > 1 && i < job.parts.size(); ++i)
        job.parts[i].set_part(i);
    return job;
}

/// What the module has sent; not empty.
Result<ClientJob> read_answer(const std::string& client, std::string_view bytes) {
    const std::string_view sent = bytes.substr(1);
    if (bytes.front() == client_refuses_job) return ClientJob{{}, slurm::read_refusal(sent)};
    if (bytes.front() == client_sends_job && !sent.empty()) return unpack_parts(sent);
    return Error{ErrorCode::unsupported,
                 text::format("{} in {} is of another version than this qosgate: install qosgate completely",
                              module_name, client)};
}

} // namespace

Result<ClientJob> ask_client(std::span<const std::string> words, const fs::path& policy) {
    if (words.front() == "srun" && std::ranges::any_of(words.subspan(1), may_be_no_allocate))
        return Error{ErrorCode::invalid_input,
                     "srun --no-allocate (-Z) runs a program without a job: there is nothing to judge"};
    const auto module = find_module();
    if (!module) return module.error();
    std::array<int, 2> ends{};
    if (pipe2(ends.data(), O_CLOEXEC) != 0)
        return Error{ErrorCode::unavailable, text::format("a pipe: {}", std::strerror(errno))};
    const ScopeExit close_reader([&ends] { close(ends[0]); });
    const auto process = start_client(words, *module, policy, ends[1]);
    close(ends[1]);
    if (!process) return process.error();
    const auto bytes = receive_request(words.front(), *process, ends[0]);
    if (!bytes) return bytes.error();

    return read_answer(words.front(), *bytes);
}

} // namespace qg::cli
