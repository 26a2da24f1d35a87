// SPDX-License-Identifier: GPL-2.0-or-later
#include "load_setup.hpp"

#include <filesystem>
#include <fstream>

#include <sys/stat.h>
#include <unistd.h>

using namespace qg;
using namespace qg::spec;
using namespace qg::test;
namespace fs = std::filesystem;

namespace {

/// A directory with files, removed at the end.
class Directory {
  public:
    Directory() {
        std::string pattern = (fs::temp_directory_path() / "qosgate-spec-XXXXXX").string();
        BOOST_TEST_REQUIRE(mkdtemp(pattern.data()) != nullptr);
        path_ = pattern;
    }
    Directory(const Directory&) = delete;
    Directory& operator=(const Directory&) = delete;
    ~Directory() { fs::remove_all(path_); }

    void write(const std::string& name, std::string_view text = "x") const {
        fs::create_directories((path_ / name).parent_path());
        std::ofstream(path_ / name) << text;
    }

    void link(const std::string& name, const std::string& target) const {
        fs::create_symlink(target, path_ / name);
    }
    void make_pipe(const std::string& name) const {
        BOOST_TEST_REQUIRE(mkfifo((path_ / name).c_str(), 0600) == 0);
    }

    /// What read_files() finds for these names; relative names.
    [[nodiscard]] std::string read(std::initializer_list<std::string> names) const {
        std::vector<std::string> paths;
        for (const std::string& name : names)
            paths.push_back((path_ / name).string());
        const auto sources = read_files(paths);
        if (!sources) return text::format("{}: {}", to_string(sources.error().code), sources.error().message);
        std::vector<std::string> found;
        for (const SourceText& source : *sources)
            found.push_back(fs::path(source.file).lexically_relative(path_).string() + "=" + source.text);
        return text::join(found, " ");
    }

  private:
    fs::path path_;
};

} // namespace

BOOST_AUTO_TEST_SUITE(read_spec_files)

BOOST_AUTO_TEST_CASE(links_and_pipes_in_a_directory_are_refused_unless_they_are_named) {
    const Directory directory;
    directory.write("secret", "s");
    directory.write("d/a.yaml", "a");
    BOOST_TEST(directory.read({"d"}) == "d/a.yaml=a");
    directory.link("d/b.yaml", "../secret");
    BOOST_TEST(directory.read({"d"}).starts_with("invalid_input: "));
    BOOST_TEST(directory.read({"d"}).find("d/b.yaml: is no regular file") != std::string::npos);
    BOOST_TEST(directory.read({"d/b.yaml"}) == "d/b.yaml=s");
    const Directory other;
    other.write("d/a.yaml");
    other.make_pipe("d/c.json");
    BOOST_TEST(other.read({"d"}).find("d/c.json: is no regular file") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(directories_give_their_spec_files_sorted) {
    const Directory directory;
    for (const char* name : {"d/b.yaml", "d/a.yml", "d/c.json", "d/e/f.yaml", "d/readme.md", "d/.hidden.yaml",
                             "d/.git/x.yaml", "other.txt"})
        directory.write(name);

    BOOST_TEST(directory.read({"d"}) == "d/a.yml=x d/b.yaml=x d/c.json=x d/e/f.yaml=x");
    BOOST_TEST(directory.read({"other.txt"}) == "other.txt=x");
    BOOST_TEST(directory.read({"d/c.json", "d"}) == "d/c.json=x d/a.yml=x d/b.yaml=x d/e/f.yaml=x");
    BOOST_TEST(directory.read({}) == "");
}

BOOST_AUTO_TEST_CASE(a_missing_path_and_too_much_are_errors) {
    const Directory directory;
    BOOST_TEST(directory.read({"none.yaml"}).starts_with("not_found: "));
    directory.write("exact.yaml", std::string(std::size_t{4} << 20u, '#'));
    directory.write("large.yaml", std::string((std::size_t{4} << 20u) + 1, '#'));
    BOOST_TEST(directory.read({"exact.yaml"}).starts_with("exact.yaml=#"));
    BOOST_TEST(directory.read({"large.yaml"}).starts_with("limit_exceeded: "));
    for (int i = 0; i < 1001; ++i)
        directory.write(text::format("many/{}.yaml", i));
    BOOST_TEST(directory.read({"many"}).starts_with("limit_exceeded: too many files"));
}

BOOST_AUTO_TEST_SUITE_END()
