// SPDX-License-Identifier: GPL-2.0-or-later
//
// TresTable: slurmdbd's TRES, by the ids that it uses in limits ("1=24,1001=2").
#pragma once

#include "qosgate/base/result.hpp"
#include "qosgate/model/qos_record.hpp"
#include "qosgate/model/tres.hpp"

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>

namespace qg::slurmdb {

class Connection;

/// A cluster database's TRES. Immutable.
class TresTable {
  public:
    /// `names` by id.
    explicit TresTable(std::map<std::uint32_t, std::string> names);

    /// Errors: as Connection::ask().
    static Result<TresTable> load(Connection& connection);

    /// All names, in the order of their ids.
    [[nodiscard]] const model::TresCatalogue& catalogue() const noexcept { return catalogue_; }

    [[nodiscard]] std::optional<std::uint32_t> find_id(std::string_view name) const;

    /// Reads "1=24,1001=2". An id that is not in the table keeps its number as name, so that nothing is lost.
    [[nodiscard]] model::TresLimits parse(std::string_view ids_and_counts) const;

  private:
    std::map<std::uint32_t, std::string> names_;
    model::TresCatalogue catalogue_;
};

} // namespace qg::slurmdb
