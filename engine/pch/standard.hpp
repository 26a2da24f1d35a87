// SPDX-License-Identifier: GPL-2.0-or-later
//
// What the compiler reads once for all files of a layer (a precompiled header): standard headers that most
// files include. A file still includes what it uses; builds with -Db_pch=false, as that with ThreadSanitizer
// in contrib/test, fail where one does not.
#include <algorithm>
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>
#include <variant>
#include <vector>
