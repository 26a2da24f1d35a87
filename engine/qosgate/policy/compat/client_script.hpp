// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClientScript: a script for Slurm's cli_filter/lua, run as that plugin runs it, in the process of the client
// and with the user's own rights: it may read files and start programs.
//
//   auto script = ClientScript::load(sources, settings, "cluster");
//   const ClientScriptOutcome outcome = (*script)->pre_submit(host, 0);
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/policy/compat/script_files.hpp"
#include "qosgate/policy/compat/script_run.hpp"
#include "qosgate/policy/lua/lua_state.hpp"
#include "qosgate/policy/settings.hpp"
#include "qosgate/policy/source_files.hpp"

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace qg::policy::compat {

/// The name of its file in the directory.
inline constexpr std::string_view client_script_name = "compat/cli_filter.lua";

/// The functions that Slurm's plugin calls.
inline constexpr const char* client_functions[] = {"slurm_cli_setup_defaults", "slurm_cli_pre_submit",
                                                   "slurm_cli_post_submit"};

/// An option of a SPANK plugin, with its value; no value: it is not given.
using SpankOption = std::pair<std::string, std::optional<std::string>>;

/// What the script sees of its client. Errors: no function throws but std::bad_alloc. Ownership: what they
/// return belongs to the caller.
class ClientScriptHost {
  public:
    /// The value of an option as Slurm tells it, also of one that is not set; empty: it tells none.
    [[nodiscard]] virtual std::optional<std::string> get(const std::string& option) = 0;
    /// Sets an option as the command line does. Slurm ends the client if an option needs a number
    /// and the text is none.
    virtual void set(const std::string& option, const std::string& value, bool early) = 0;
    /// "sbatch", "salloc", "srun", "scrontab" or "other".
    [[nodiscard]] virtual std::string type() const = 0;
    /// The command of the job: the script or program, and its arguments.
    [[nodiscard]] virtual std::vector<std::string> arguments() const = 0;
    /// The options of SPANK plugins, by plugin.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::vector<SpankOption>>> spank() const = 0;
    /// The options that are set, with the values that Slurm tells; empty: it tells none.
    [[nodiscard]] virtual std::vector<std::pair<std::string, std::optional<std::string>>>
    set_options() const = 0;
    /// The environment, "NAME=value".
    [[nodiscard]] virtual std::vector<std::string> environment() const = 0;

  protected:
    ~ClientScriptHost() = default;
};

/// What one call of the script did.
struct ClientScriptOutcome {
    int code = 0;                    ///< what the function returned; other numbers than 0 end the client
    std::optional<LuaError> failure; ///< the function failed: then the code is 0
};

/// Threads: not thread-safe. Its globals live as long as it does: from one hook to the next.
class ClientScript {
  public:
    /// The file of this name must be among the sources. Errors: invalid_input if it does not compile, or
    /// fails while it is loaded; limit_exceeded if it takes too much time or memory. Ownership: borrows the
    /// settings.
    /// `write` gets the lines for the client's log at once: what comes behind them may end the client.
    static Result<std::unique_ptr<ClientScript>> load(std::shared_ptr<const SourceDirectory> sources,
                                                      const Settings& settings,
                                                      const std::string& cluster_name,
                                                      void (*write)(int level, const char* line));

    ClientScriptOutcome setup_defaults(ClientScriptHost& host, bool early);
    ClientScriptOutcome pre_submit(ClientScriptHost& host, int part);
    ClientScriptOutcome post_submit(ClientScriptHost& host, int part, std::uint32_t job, std::uint32_t step);

    /// What one call may spend. A person may be asked something meanwhile: only the processor's time counts.
    static BudgetLimits limits();

  private:
    ClientScript(std::shared_ptr<const SourceDirectory> sources, const Settings& settings,
                 void (*write)(int level, const char* line))
        : sources_(std::move(sources)), files_(*sources_, settings), write_(write) {}

    struct Call;
    ClientScriptOutcome call(ClientScriptHost& host, Call& call);

    std::shared_ptr<const SourceDirectory> sources_;
    ScriptFiles files_;
    void (*write_)(int level, const char* line);
    std::unique_ptr<LuaState> state_;
};

} // namespace qg::policy::compat
