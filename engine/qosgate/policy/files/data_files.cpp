// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/data_files.hpp"

#include "qosgate/base/json_reader.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/policy/files/csv_reader.hpp"

#include <algorithm>

namespace qg::policy {

std::string_view data_name(std::string_view file) noexcept {
    file.remove_prefix(std::min(data_directory_name.size() + 1, file.size()));
    return file;
}

std::vector<std::string> data_names(const SourceDirectory& sources) {
    std::vector<std::string> names;
    for (const SourceFile& file : sources.files)
        if (kind_of(file.name) == SourceKind::data) names.emplace_back(data_name(file.name));
    return names;
}

Result<DataFile> read_data_file(const SourceFile& file, std::size_t max_values) {
    auto table =
        file.name.ends_with(".csv") ? read_csv(file.text, max_values) : read_json(file.text, max_values);
    // The line is a part of the place: "data/map.csv:3: ...".
    if (!table) return Error{table.error().code, text::format("{}:{}", file.name, table.error().message)};
    return DataFile{std::string(data_name(file.name)), *std::move(table)};
}

Result<std::vector<DataFile>> read_data_files(const SourceDirectory& sources) {
    std::vector<DataFile> files;
    std::size_t left = DataBounds::max_values;
    for (const SourceFile& source : sources.files) {
        if (kind_of(source.name) != SourceKind::data) continue;
        auto file = read_data_file(source, left);
        if (!file) return file.error();
        left -= std::min(left, file->table.size());
        files.push_back(*std::move(file));
    }
    return files;
}

} // namespace qg::policy
