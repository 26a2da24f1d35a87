// SPDX-License-Identifier: GPL-2.0-or-later
#include "client/client_script_hooks.hpp"

#include "client/parent_command.hpp"
#include "client/spank_options.hpp"
#include "host/host_conf.hpp"
#include "host/host_log.hpp"
#include "host/slurm_text.hpp"
#include "qosgate/base/scope_exit.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/check/directory_findings.hpp"
#include "qosgate/policy/compat/client_script.hpp"
#include "qosgate/policy/run/compiled_rules.hpp"
#include "qosgate/slurm/host_symbols.hpp"
#include "qosgate/slurm/script_fields.hpp"

#include <algorithm>
#include <cstddef>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include <getopt.h>
#include <unistd.h>

// Exported by the library that the clients use, declared in no public header; the same in all releases.
extern "C" {
char* slurm_option_get(void* options, const char* name);
int slurm_option_set(void* options, const char* name, const char* value, bool early);
bool slurm_option_get_next_set(void* options, char** name, char** value, std::size_t* state);
struct option* slurm_option_table_create(void* options, char** letters);
void slurm_option_table_destroy(struct option* table);
}

namespace qg::plugin {
namespace {

using policy::compat::ClientScript;
using policy::compat::ClientScriptOutcome;

/// The words of this process' command line.
std::vector<std::string> own_words() {
    std::ifstream file("/proc/self/cmdline", std::ios::binary);
    std::vector<std::string> words;
    for (std::string word; std::getline(file, word, '\0');)
        words.push_back(word);
    return words;
}

class ScriptClient final : public policy::compat::ClientScriptHost {
  public:
    ScriptClient(void* options, std::string_view client, int part = 0) noexcept
        : options_(options), client_(client), part_(part) {}

    [[nodiscard]] std::optional<std::string> get(const std::string& option) override {
        if (options_ == nullptr) return std::nullopt;
        const SlurmText value(slurm_option_get(options_, option.c_str()));
        if (value == nullptr) return std::nullopt;
        return std::string(value.get());
    }
    void set(const std::string& option, const std::string& value, bool early) override {
        if (options_ != nullptr) slurm_option_set(options_, option.c_str(), value.c_str(), early);
    }
    [[nodiscard]] std::string type() const override {
        return client_.empty() ? "other" : std::string(client_);
    }

    /// The words behind the client's options; its own list is private.
    [[nodiscard]] std::vector<std::string> arguments() const override {
        if (options_ == nullptr) return {};
        if (client_ == "salloc" && !slurm::scripts_read_command_of_salloc) return {};
        std::vector<std::string> words = command_words();
        if (client_ != "sbatch" || words.empty()) return words;
        // sbatch has looked for its script, and has the path that it found.
        auto* const search = slurm::host::search_path.find();
        if (search == nullptr) return words;
        const SlurmText directory(slurm_option_get(options_, "chdir"));
        const SlurmText found(
            search(directory.get(), words.front().data(), /*looks_here_last=*/false, R_OK, /*tests=*/false));
        if (found != nullptr) words.front() = found.get();
        return words;
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::vector<policy::compat::SpankOption>>>
    spank() const override {
        std::vector<std::pair<std::string, std::vector<policy::compat::SpankOption>>> all;
        for (SpankPlugin& plugin : spank_options()) {
            std::vector<policy::compat::SpankOption> options;
            for (std::string& name : plugin.options) {
                auto value = spank_value(name);
                options.emplace_back(std::move(name), std::move(value));
            }
            all.emplace_back(std::move(plugin.name), std::move(options));
        }
        return all;
    }

    [[nodiscard]] std::vector<std::pair<std::string, std::optional<std::string>>>
    set_options() const override {
        std::vector<std::pair<std::string, std::optional<std::string>>> all;
        std::size_t state = 0;
        char* name = nullptr;
        char* value = nullptr;
        while (options_ != nullptr && slurm_option_get_next_set(options_, &name, &value, &state)) {
            const SlurmText owned_name(name);
            const SlurmText owned_value(value);
            all.emplace_back(name, value == nullptr ? std::nullopt : std::optional<std::string>(value));
            name = value = nullptr;
        }
        return all;
    }

    [[nodiscard]] std::vector<std::string> environment() const override {
        std::vector<std::string> all;
        for (char** variable = environ; variable != nullptr && *variable != nullptr; ++variable)
            all.emplace_back(*variable);
        return all;
    }

  private:
    /// The words of the part behind its options. All parts of a job of sbatch have the script of the last
    /// one.
    [[nodiscard]] std::vector<std::string> command_words() const {
        std::vector<std::string> words = own_words();
        std::size_t behind = behind_options(words);
        const int wanted = client_ == "sbatch" ? std::numeric_limits<int>::max() : part_;
        for (int part = 0; part < wanted && behind < words.size() && words[behind] == ":"; ++part) {
            // getopt_long() leaves the first word out, which is the colon now.
            words.erase(words.begin(), words.begin() + static_cast<std::ptrdiff_t>(behind));
            behind = behind_options(words);
        }
        const auto first = words.begin() + static_cast<std::ptrdiff_t>(behind);
        return {first, std::find(first, words.end(), ":")};
    }

    /// The place of the first word behind the options, as the client finds it.
    [[nodiscard]] std::size_t behind_options(std::vector<std::string>& words) const {
        std::vector<char*> argv;
        for (std::string& word : words)
            argv.push_back(word.data());
        argv.push_back(nullptr);
        const auto kept = std::make_tuple(optind, opterr, optopt, optarg);
        const ScopeExit put_back([&] { std::tie(optind, opterr, optopt, optarg) = kept; });
        char* letters = nullptr;
        option* const table = slurm_option_table_create(options_, &letters);
        const SlurmText owned(letters);
        optind = 0; // begin again
        opterr = 0;
        while (getopt_long(static_cast<int>(words.size()), argv.data(), letters, table, nullptr) != -1) {
        }
        slurm_option_table_destroy(table);
        return std::min(static_cast<std::size_t>(optind), words.size());
    }

    void* options_;
    std::string_view client_;
    int part_; ///< of a heterogeneous job
};

void log_failure(const std::string& what, std::string_view outcome) {
    slurm_error("%s",
                text::printable(text::format("qosgate: {}; {}", what, outcome), max_line_length).c_str());
}

/// No script, because of this.
ClientScript* leave_out(const Error& why) {
    log_failure(why.message, "the site's script for clients is left out");
    return nullptr;
}

/// The script, loaded by the first hook; null: there is none. Never freed: hooks may run until the client
/// ends.
ClientScript* find_script() {
    static ClientScript* const script = []() -> ClientScript* {
        const slurm_conf_t* conf = host_conf();
        if (conf == nullptr) return nullptr;
        const RulesPlace place = find_rules_place(*conf);
        if (place.directory.empty() ||
            access((place.directory / policy::compat::client_script_name).c_str(), F_OK) != 0)
            return nullptr;
        auto sources = policy::read_loadable_sources(place.directory, {.trusted_user = place.trusted_user});
        if (!sources) return leave_out(sources.error());
        const auto* site = sources->find(policy::site_file_name);
        auto* const settings = new policy::Settings;
        if (site != nullptr) {
            auto loaded = policy::load_settings(*site);
            if (!loaded) return leave_out(loaded.error());
            *settings = *std::move(loaded);
        }
        if (settings->client == policy::ClientUse::off) return nullptr;
        // Modules in C look for Lua's functions among the symbols of the process.
        dlopen("liblua5.4.so.0", RTLD_NOW | RTLD_GLOBAL | RTLD_NOLOAD);
        auto loaded =
            ClientScript::load(std::make_shared<const policy::SourceDirectory>(*std::move(sources)),
                               *settings, std::string(slurm::view_text(conf->cluster_name)), &log_of_script);
        return loaded ? loaded->release() : leave_out(loaded.error());
    }();
    return script;
}

/// The client of the last hook: a script may keep its options until the job is sent.
struct LastClient {
    void* options = nullptr;
    std::string name;
    int part = 0;
};
LastClient& last_client() {
    static LastClient last;
    return last;
}

/// Whether the client goes on.
bool finish(const ClientScriptOutcome& outcome) {
    if (outcome.failure)
        log_failure(outcome.failure->message,
                    "this function of the site's script for clients failed, and is left out");
    return outcome.code == SLURM_SUCCESS;
}

} // namespace

bool script_sets_defaults(void* options, std::string_view client, bool early) {
    ClientScript* script = find_script();
    if (script == nullptr) return true;
    last_client() = {options, std::string(client)};
    ScriptClient host(options, client);
    return finish(script->setup_defaults(host, early));
}

bool script_allows(void* options, std::string_view client, int part) {
    ClientScript* script = find_script();
    if (script == nullptr) return true;
    last_client() = {options, std::string(client), part};
    ScriptClient host(options, client, part);
    return finish(script->pre_submit(host, part));
}

void script_sees_submitted(int part, std::uint32_t job, std::uint32_t step) {
    ClientScript* script = find_script();
    if (script == nullptr) return;
    const LastClient& last = last_client();
    ScriptClient host(last.options, last.name, last.part);
    finish(script->post_submit(host, part, job, step));
}

} // namespace qg::plugin
