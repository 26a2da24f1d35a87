// SPDX-License-Identifier: GPL-2.0-or-later
#include <benchmark/benchmark.h>

BENCHMARK_MAIN();
