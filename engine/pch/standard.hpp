// SPDX-License-Identifier: GPL-2.0-or-later
//
// The precompiled header of all targets: standard headers that most files include. A file includes what it
// uses all the same: -Db_pch=false -Dunity=off compiles it without this header and without the includes of
// other files.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>

#include <fmt/format.h>
