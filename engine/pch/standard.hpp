// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the compiler reads once for all targets (a precompiled header): standard headers that most files
// include. A file still includes what it uses; a build with -Db_pch=false -Dunity=off fails where one does
// not.
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
