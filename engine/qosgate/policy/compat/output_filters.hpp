// SPDX-License-Identifier: GPL-2.0-or-later
//
// output_filters: what `cut`, `tr`, `head` and awk '{print $N}' do with the output of a program before it.
#pragma once

#include <span>
#include <string>
#include <string_view>

namespace qg::policy::compat {

/// The name of a program without /bin/ or /usr/bin/.
std::string_view program_name(std::string_view path) noexcept;

/// Whether these words, the program first, are such a filter. If so, and unless `output` is null, it gets
/// what the filter makes of `input`.
bool filter_output(std::span<const std::string> words, std::string_view input, std::string* output);

} // namespace qg::policy::compat
