// SPDX-License-Identifier: GPL-2.0-or-later
//
// How the page looks: one column on a phone, more on a wide screen; light and dark.
#pragma once

#include <string_view>

namespace qg::cli {

inline constexpr std::string_view page_style = R"css(
:root { --text: #1d2430; --faint: #5b6675; --ground: #f6f7f9; --card: #fff; --line: #dde2e8;
  --low: #2f7d4f; --high: #b57a00; --full: #b3261e; --rest: #e6eaef; }
@media (prefers-color-scheme: dark) {
  :root { --text: #e4e8ee; --faint: #9aa6b5; --ground: #12161c; --card: #1b212a; --line: #2c3541;
    --low: #4fae78; --high: #d9a227; --full: #ea6a5f; --rest: #2a323d; } }
* { box-sizing: border-box; }
body { margin: 0 auto; padding: 1rem; max-width: 80rem; color: var(--text); background: var(--ground);
  font: 16px/1.45 system-ui, sans-serif; }
h1 { font-size: 1.4rem; margin: 0 0 .3rem; }
h2 { font-size: 1.1rem; margin: 1.6rem 0 .6rem; }
h3 { font-size: 1rem; margin: 0 0 .5rem; overflow-wrap: anywhere; }
p { margin: .3rem 0; color: var(--faint); }
ul { margin: .4rem 0 0; padding-left: 1.2rem; color: var(--faint); font-size: .9rem; }
section { background: var(--card); border: 1px solid var(--line); border-radius: .5rem; padding: .8rem 1rem;
  margin-bottom: .6rem; }
.jobs { color: var(--faint); font-weight: normal; font-size: .9rem; margin-left: .5rem; }
.limit { display: grid; grid-template-columns: minmax(0, 16rem) minmax(4rem, 1fr) minmax(7rem, 14rem);
  gap: .2rem .8rem; align-items: center; font-size: .9rem; margin-top: .3rem; }
.bar { background: var(--rest); border-radius: .3rem; height: .7rem; overflow: hidden; }
.bar i { display: block; height: 100%; background: var(--low); }
.bar.high i { background: var(--high); }
.bar.full i { background: var(--full); }
.n { text-align: right; font-variant-numeric: tabular-nums; }
.who { color: var(--faint); font-size: .85rem; overflow-wrap: anywhere; }
.warning { color: var(--full); }
table { border-collapse: collapse; width: 100%; background: var(--card); border: 1px solid var(--line);
  font-size: .9rem; }
th, td { text-align: left; padding: .35rem .7rem; border-bottom: 1px solid var(--line); vertical-align: top; }
th.n, td.n { text-align: right; }
@media (max-width: 40rem) {
  .limit { grid-template-columns: 1fr auto; }
  .limit .bar { grid-column: 1 / -1; grid-row: 2; }
  th, td { padding: .35rem .4rem; }
  table { display: block; overflow-x: auto; } }
)css";

} // namespace qg::cli
