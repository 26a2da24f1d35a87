// SPDX-License-Identifier: GPL-2.0-or-later
//
// ClientHost: what sbatch, salloc, srun or scrontab let the rules for clients read and change: the options of
// a job that is not sent yet, and what only the client knows.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace qg::policy {

/// What an option has.
struct OptionValue {
    bool is_set = false;                  ///< else it has its default
    std::optional<std::string> text = {}; ///< empty: the option stands alone, like --exclusive
    friend bool operator==(const OptionValue&, const OptionValue&) = default;
};

/// A new value of an option. One that is not set puts the default back.
struct OptionChange {
    std::string name; ///< the long name without dashes: "mem-per-cpu"
    OptionValue value;
    friend bool operator==(const OptionChange&, const OptionChange&) = default;
};

/// How an option is written.
enum class OptionForm : std::uint8_t {
    unknown,        ///< the client has no such option
    alone,          ///< --hold
    with_value,     ///< --time=1:00:00
    value_possible, ///< --exclusive, --exclusive=user
};

/// One client. Functions for options take their long names.
/// Threads: not thread-safe. Ownership: texts that they return as a view live as long as the object.
class ClientHost {
  public:
    ClientHost() = default;
    ClientHost(const ClientHost&) = delete;
    ClientHost& operator=(const ClientHost&) = delete;
    virtual ~ClientHost() = default;

    /// "sbatch", "salloc", "srun" or "scrontab".
    [[nodiscard]] virtual std::string_view command() const = 0;
    /// Whether standard input is a terminal.
    [[nodiscard]] virtual bool is_interactive() const = 0;
    /// The directory in which the command was started; empty: it cannot be told.
    [[nodiscard]] virtual std::string_view work_dir() const = 0;
    /// A variable of the command's environment; empty: it is not set.
    [[nodiscard]] virtual std::optional<std::string_view> variable(std::string_view name) const = 0;

    [[nodiscard]] virtual OptionForm form_of(const std::string& option) const = 0;
    /// The names of all options.
    [[nodiscard]] virtual std::vector<std::string> option_names() const = 0;
    [[nodiscard]] virtual OptionValue get(const std::string& option) const = 0;
    /// Whether the client accepts a value of an option that it has. It changes nothing.
    [[nodiscard]] virtual bool takes(const OptionChange& change) = 0;
    /// Sets what it takes.
    virtual void set(const OptionChange& change) = 0;
};

} // namespace qg::policy
