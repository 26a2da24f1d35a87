// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/policy/files/data_files.hpp"

#include "qosgate/base/json_reader.hpp"
#include "qosgate/base/text.hpp"
#include "qosgate/base/utf8.hpp"

#include <algorithm>
#include <numeric>
#include <string>

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

// ---- files of comma-separated values -------------------------------------------------------------------

namespace {

class CsvReader {
  public:
    CsvReader(std::string_view text, std::size_t max_values) : text_(text), max_values_(max_values) {}

    Result<DataTable> run() {
        std::vector<DataValue> rows;
        const bool is_read = read_header() && read_rows(rows);
        if (!is_read) return Error{ErrorCode::invalid_input, problem_};
        table_.set_root(table_.add_list(rows));
        return std::move(table_);
    }

  private:
    [[nodiscard]] bool at_end() const noexcept { return at_ == text_.size(); }
    [[nodiscard]] bool at_line_end() const noexcept {
        return at_end() || text_[at_] == '\n' || text_.substr(at_).starts_with("\r\n");
    }
    void skip_line_end() noexcept {
        if (!at_end() && text_[at_] == '\r') ++at_;
        if (!at_end()) ++at_;
        ++line_;
    }
    void skip_empty_lines() noexcept {
        while (!at_end() && at_line_end())
            skip_line_end();
    }

    bool fail(std::string_view what) {
        problem_ = text::format("{}: {}", line_, what);
        return false;
    }

    /// The fields of one line, and its end.
    bool read_line() {
        fields_.clear();
        for (;;) {
            fields_.emplace_back();
            if (!read_field(fields_.back())) return false;
            if (fields_.size() > DataBounds::max_columns)
                return fail(text::format("more than {} columns", DataBounds::max_columns));
            if (at_line_end()) break;
            ++at_; // a comma
        }
        return true;
    }

    bool read_field(std::string& field) {
        const bool is_quoted = !at_end() && text_[at_] == '"';
        if (is_quoted ? !read_quoted(field) : !read_plain(field)) return false;
        if (field.size() > DataBounds::max_text_bytes)
            return fail(text::format("a field of more than {} bytes", DataBounds::max_text_bytes));
        for (std::size_t at = 0; at < field.size();) {
            const std::size_t bytes = text::decode_utf8(std::string_view(field).substr(at)).bytes;
            if (bytes == 0) return fail("the text is not UTF-8");
            at += bytes;
        }
        return true;
    }

    bool read_plain(std::string& field) {
        const std::size_t begin = at_;
        while (!at_line_end() && text_[at_] != ',') {
            if (text_[at_] == '"') return fail("a quote in a field that does not begin with one");
            if (text_[at_] == '\r' || text_[at_] == '\0') return fail("a control character in a field");
            ++at_;
        }
        field = text_.substr(begin, at_ - begin);
        return true;
    }

    bool read_quoted(std::string& field) {
        const std::size_t begin_line = line_;
        for (;;) {
            ++at_;
            const std::size_t end = text_.find('"', at_);
            if (end == std::string_view::npos) {
                line_ = begin_line;
                return fail("the quote that begins a field is not closed");
            }
            const std::string_view part = text_.substr(at_, end - at_);
            line_ += static_cast<std::size_t>(std::ranges::count(part, '\n'));
            field += part;
            at_ = end + 1;
            if (at_end() || text_[at_] != '"') break;
            field += '"';
        }
        if (at_line_end() || text_[at_] == ',') return true;
        return fail("a character behind the quote that ends a field");
    }

    bool read_header() {
        skip_empty_lines();
        if (at_end()) return fail("the file is empty: the first line names the columns");
        if (!read_line()) return false;
        for (const std::string& name : fields_) {
            if (name.empty()) return fail("a column has no name");
            if (name.size() > DataBounds::max_key_bytes)
                return fail(text::format("a column's name of more than {} bytes", DataBounds::max_key_bytes));
            columns_.push_back({table_.add_text(name), {}});
        }
        // Rows hold their fields in byte order of the names.
        order_.resize(fields_.size());
        std::iota(order_.begin(), order_.end(), std::size_t{0});
        const auto name_of = [this](std::size_t column) -> const std::string& { return fields_[column]; };
        std::ranges::sort(order_, {}, name_of);
        const auto twice = std::ranges::adjacent_find(order_, {}, name_of);
        if (twice != order_.end())
            return fail(text::format("two columns have the name '{}'", text::printable(name_of(*twice), 60)));
        return true;
    }

    bool read_rows(std::vector<DataValue>& rows) {
        for (;;) {
            if (!at_end()) skip_line_end();
            skip_empty_lines();
            if (at_end()) return true;
            const std::size_t line = line_;
            if (!read_line()) return false;
            if (fields_.size() != columns_.size()) {
                line_ = line;
                return fail(text::format("{} {}, and the first line names {}", fields_.size(),
                                         fields_.size() == 1 ? "field" : "fields", columns_.size()));
            }
            values_ += fields_.size() + 1;
            if (values_ > max_values_)
                return fail(text::format("the files hold more than {} values", DataBounds::max_values));
            rows.push_back(make_row());
        }
    }

    DataValue make_row() {
        row_.clear();
        for (const std::size_t column : order_) {
            DataEntry entry = columns_[column];
            if (!fields_[column].empty()) entry.value = table_.add_text(fields_[column]);
            row_.push_back(entry);
        }
        return table_.add_row(row_);
    }

    const std::string_view text_;
    const std::size_t max_values_;
    std::size_t at_ = 0;
    std::size_t line_ = 1;
    std::size_t values_ = 0;
    DataTable table_;
    std::vector<std::string> fields_; ///< of the line that was read last
    std::vector<DataEntry> columns_;  ///< their names, without values
    std::vector<std::size_t> order_;  ///< the columns in byte order of their names
    std::vector<DataEntry> row_;
    std::string problem_;
};

} // namespace

Result<DataTable> read_csv(std::string_view text, std::size_t max_values) {
    return CsvReader(text::without_byte_order_mark(text), max_values).run();
}

} // namespace qg::policy
