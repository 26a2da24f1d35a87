// SPDX-License-Identifier: GPL-2.0-or-later
#include "qosgate/spec/sealed_file.hpp"

#include "qosgate/base/text.hpp"

#include <limits>

namespace qg::spec {
namespace {

std::string dump(const Json& json, int indent) {
    return json.dump(indent, ' ', /*ensure_ascii=*/false, Json::error_handler_t::replace);
}

/// The sum does not depend on how the file is indented.
std::string sum_of(const SealedFile& file) {
    return checksum_of(dump(text_to_json(file.cluster), -1) + dump(file.contents, -1));
}

} // namespace

std::string seal(const SealedFile& file) {
    Json frame = Json::object();
    frame["format"] = file.format;
    frame["version"] = file.version;
    frame["cluster"] = text_to_json(file.cluster);
    frame["checksum"] = sum_of(file);
    frame[file.key] = file.contents;
    return dump(frame, 2) + "\n";
}

Result<SealedFile> unseal(std::string_view text, const SealedFile& expected) {
    const auto json = parse_json(text);
    if (!json) return json.error();
    JsonReader reader;
    JsonMembers members(reader, *json, "");
    SealedFile file;
    file.format = reader.text(members.get("format"), "format");
    if (reader.ok() && file.format != expected.format)
        reader.fail("format", text::format("must be '{}'", expected.format));
    file.version =
        reader.number(members.get("version"), "version", std::numeric_limits<std::uint32_t>::max());
    if (reader.ok() && file.version != expected.version)
        return Error{ErrorCode::unsupported, text::format("version: this program reads version {}, not {}",
                                                          expected.version, file.version)};
    file.cluster = reader.text(members.get("cluster"), "cluster");
    const std::string sum = reader.text(members.get("checksum"), "checksum");
    file.contents = members.get(expected.key);
    file.key = expected.key;
    members.finish();
    if (!reader.ok()) return reader.error();
    if (sum != sum_of(file))
        return Error{
            ErrorCode::invalid_input,
            text::format("checksum: the contents were changed after they were written ({} is not {})",
                         text::printable(sum), sum_of(file))};
    if (!expected.cluster.empty() && file.cluster != expected.cluster)
        return Error{ErrorCode::conflict,
                     text::format("cluster: it is for '{}', and this is '{}'", text::printable(file.cluster),
                                  text::printable(expected.cluster))};
    return file;
}

} // namespace qg::spec
