// SPDX-License-Identifier: GPL-2.0-or-later
//
// The values of fields as spec files write them.
#pragma once

#include "qosgate/spec/desired.hpp"
#include "qosgate/spec/read_context.hpp"

#include <optional>
#include <string>
#include <string_view>

namespace qg::spec {

/// A field's value. `key` is the field's name or an alias as the file has it, which `match` says the meaning
/// of. Empty: there is a problem, or a placeholder is skipped.
std::optional<DesiredField> read_value(const Node& key, const Node& value, const model::FieldMatch& match,
                                       const ReadContext& context);

/// A TRES name in full ("gres/gpu" for "gpu"), as the catalogue spells it. Without a catalogue, Slurm's
/// built-in TRES and those with a type ("license/matlab") are names.
/// Errors: invalid_input, with the near miss.
Result<std::string> full_tres_name(std::string_view name, const model::TresCatalogue* catalogue);

} // namespace qg::spec
