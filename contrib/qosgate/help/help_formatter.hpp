// SPDX-License-Identifier: GPL-2.0-or-later
//
// What `--help` prints. CLI11's own layout changes from release to release, and newer ones fill paragraphs,
// which spoils tables and examples; programs and tests read the texts.
#pragma once

#include <CLI/App.hpp>

#include <string>

namespace qg::cli {

/// The description, the usage, arguments, options and commands; then the footer as it is.
class HelpFormatter final : public CLI::FormatterBase {
  public:
    [[nodiscard]] std::string make_help(const CLI::App* app, std::string name,
                                        CLI::AppFormatMode mode) const override;
};

} // namespace qg::cli
