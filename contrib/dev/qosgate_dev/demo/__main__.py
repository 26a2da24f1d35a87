# SPDX-License-Identifier: GPL-2.0-or-later
"""The steps of contrib/demo, on a cluster that exists as long as the demo. Started by contrib/demo."""

from __future__ import annotations

import argparse
import os
import re
import shlex
import shutil
import sys
import tempfile
import time
from pathlib import Path

from qosgate_dev import ROOT
from qosgate_dev.cluster import copies, interrupts, lifecycle, slurm_conf
from qosgate_dev.cluster.errors import EX_FAILED, ClusterError
from qosgate_dev.cluster.layout import Layout

from .stage import Answer, Stage, Unexpected

BUILD = Path(os.environ.get("QG_BUILD_ROOT") or ROOT / "build").absolute()

TOOL = shlex.quote(str(ROOT / "contrib/dev/cluster"))

USER = "ana"
OTHER = "ben"

SLURM_CONF = """\
PluginDir={build}/plugin:@PLUGINDIR@
JobSubmitPlugins=qosgate
PartitionName=viz Nodes=ALL Default=YES MaxTime=UNLIMITED
"""

# What replaces the table in the shipped rule.
RULE_TABLE = """\
local by_partition = {
    viz = {
        { gpus = 0, qos = "normal" },
        { qos = "moonlight" },
    },
}
"""

JOB_SCRIPT = """\
#!/bin/sh
echo "job $SLURM_JOB_ID of $USER on $SLURMD_NODENAME: QOS $SLURM_JOB_QOS, GPUs: $SLURM_GPUS_ON_NODE"
"""


def main(arguments: list[str]) -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--keep", action="store_true", help="leave the cluster running")
    keep = parser.parse_args(arguments).keep

    interrupts.raise_on_signals()
    os.umask(0o022)
    layout: Layout | None = None
    try:
        with interrupts.deferred():
            layout = choose_place()
        stage = play(layout)
    except (ClusterError, Unexpected) as error:
        print(f"contrib/demo: {error}", file=sys.stderr)
        if layout is not None:
            end(layout, remove=not layout.is_cluster())
            if layout.is_cluster():
                explain_failure(layout, error)
        return error.exit_code if isinstance(error, ClusterError) else EX_FAILED
    except interrupts.Interrupted as interruption:
        if layout is not None:
            end(layout, remove=True)
        print(f"\ncontrib/demo: {interruption}; the cluster is gone", file=sys.stderr)
        return 128 + interruption.signum
    if keep:
        explain_use(layout)
    else:
        end(layout, remove=True)
    all_as_expected = stage.as_expected == stage.steps
    if not all_as_expected and not keep:
        print("\nTo try by hand what was not as expected: contrib/demo --keep leaves the cluster running")
    print(f"\n{stage.as_expected} of {stage.steps} steps as expected")
    return 0 if all_as_expected else EX_FAILED


def choose_place() -> Layout:
    """In a new directory, which is below TMPDIR if a cluster can be there. Errors: ClusterError."""
    *others, last = dict.fromkeys([tempfile.gettempdir(), "/tmp", "/var/tmp"])
    for parent in others:
        try:
            return new_directory(parent)
        except ClusterError as error:
            print(f"contrib/demo: not in {parent}: {error}", file=sys.stderr)
    return new_directory(last)


def new_directory(parent: str) -> Layout:
    """Beside the cluster is a link to the build directory, whose own name slurm.conf may be unable to hold."""
    try:
        directory = Path(tempfile.mkdtemp(prefix="qosgate-demo-", dir=parent))
    except OSError as error:
        raise ClusterError(f"no directory can be made there: {error.strerror}") from error
    try:
        directory.chmod(0o755)
        layout = Layout(directory / "c")
        lifecycle.require_usable(layout, has_users=True)
    except ClusterError:
        directory.rmdir()
        raise
    (directory / "build").symlink_to(BUILD)
    return layout


def end(layout: Layout, *, remove: bool) -> None:
    """Ends every process of the cluster; a second Ctrl-C does not stop that."""
    interrupts.ignore()
    if layout.is_cluster():
        lifecycle.down(layout, now=True)
    if remove:
        shutil.rmtree(layout.root.parent)


def explain_use(layout: Layout) -> None:
    print(f"""
The cluster is still running. To use it as {USER}:
  {TOOL} run {layout.root} {USER} sbatch --gres=gpu:3 --wrap true
as root, from a shell that talks to it:
  . {layout.env_file}
  {layout.programs}/qosgate qos list
Rules, in force within two seconds of a change: {layout.etc}/qosgate.d/
What the plugin says of itself: {layout.log}/slurmctld.log
To end it:
  {TOOL} down {layout.root} && rm -r {layout.root.parent}""")


def explain_failure(layout: Layout, error: Exception) -> None:
    """Where the logs are, and how to try again what failed."""
    tries = [f"{TOOL} start {layout.root}"]
    if isinstance(error, Unexpected) and error.attempt is not None:
        user, command = error.attempt
        tries.append(f"{TOOL} run {layout.root} {user} {command}")
    tries.append(f"{TOOL} down {layout.root} && rm -r {layout.root.parent}")
    print(f"contrib/demo: the cluster is stopped; its logs: {layout.log}", file=sys.stderr)
    print("To try it by hand, as root:", *tries, sep="\n  ", file=sys.stderr)


def play(layout: Layout) -> Stage:
    stage = Stage(layout)
    stage.title("A cluster: 2 nodes with 4 GPUs each, partition viz, the plugin in its slurmctld")
    begin = time.monotonic()
    lifecycle.up(
        layout,
        lifecycle.Options(
            nodes=2,
            hardware=slurm_conf.Hardware(gpus=4),
            users=(USER, OTHER),
            extra_lines=SLURM_CONF.format(build=layout.root.with_name("build")),
        ),
    )
    copies.copy_command(layout, BUILD)
    stage.note(f"up after {time.monotonic() - begin:.1f} s")
    stage.prepare("grep -E '^(JobSubmitPlugins|PluginDir|PartitionName)=' slurm.conf")
    set_up_service(stage)
    set_up_rule(stage, layout)
    wait_for_explanations(stage)
    (layout.home / USER / "session.sh").write_text(JOB_SCRIPT)

    session_that_fits(stage)
    sessions_that_do_not_fit(stage)
    misspelt_qos(stage)
    no_qos(stage)
    session_that_waits(stage)
    return stage


def set_up_service(stage: Stage) -> None:
    stage.title("The service's QOS, and who may use it")
    stage.prepare("sacctmgr -i add account hpc-users")
    stage.prepare(f"sacctmgr -i add user {USER},{OTHER} account=hpc-users")
    stage.prepare(
        "qosgate qos create moonlight Priority=100 GraceTime=60 MaxWall=8:00:00"
        " MaxTRESPerUser=gpu=2 GrpTRES=gpu=3 Flags=DenyOnLimit"
    )
    stage.prepare("sacctmgr -i modify account hpc-users set qos+=moonlight")
    stage.prepare("qosgate qos get moonlight")


def set_up_rule(stage: Stage, layout: Layout) -> None:
    """The shipped rule with a table for this cluster, in force without a restart."""
    stage.title("A site rule: lua/rules/default-qos.lua, with a table for this cluster")
    shipped = (ROOT / "lua/rules/default-qos.lua").read_text()
    adapted, count = re.subn(r"^local by_partition = \{\n.*?^\}\n", RULE_TABLE, shipped, flags=re.M | re.S)
    if count != 1:
        raise Unexpected("lua/rules/default-qos.lua: has no table by_partition to adapt")
    directory = layout.etc / "qosgate.d"
    directory.mkdir(mode=0o755)
    rule = directory / "10-default-qos.lua"
    rule.write_text(adapted)
    rule.chmod(0o644)
    stage.prepare("sed -n '/^local by_partition/,/^}/p' qosgate.d/10-default-qos.lua")
    log = layout.log / "slurmctld.log"
    stage.wait_for(
        "slurmctld.log says that the rule is in force",
        lambda: re.search(r"in force: generation \d+, 1 rule", log.read_text(errors="replace")) is not None,
    )


def wait_for_explanations(stage: Stage) -> None:
    """Warms up: the plugin reads the partitions when slurmctld starts, and knows them a moment later.

    Until then it checks no limits, and Slurm alone answers. So that the first command on stage gets its
    explanation, one that Slurm refuses in any case goes before it.
    """
    refused = "sbatch --qos=moonlight --gres=gpu:3 --wrap true"
    stage.wait_for(
        "a refused job is explained", lambda: "this job asks for 3" in stage.run(USER, refused).output
    )


def session_that_fits(stage: Stage) -> None:
    stage.title("A session that fits runs")
    stage.type(USER, "cat session.sh")
    submitted = stage.type(
        USER, "sbatch --partition=viz --qos=moonlight --gres=gpu:1 --time=5:00 --output=out session.sh"
    )
    number = job_number(submitted.output)
    if number is None:
        stage.judge("one GPU for 5 minutes is accepted", submitted, True, "Submitted batch job")
        return
    show = f"squeue --states=all --job={number} --format='%A %u %P %q %T'"
    stage.wait_for(f"job {number} is COMPLETED", lambda: "COMPLETED" in stage.run(USER, show).output)
    state = stage.type(USER, show)
    output = stage.type(USER, "cat out")
    both = Answer(state.rc or output.rc, state.output + output.output)
    stage.judge(
        "accepted, and run to its end with one GPU",
        both, True, "moonlight COMPLETED", f"job {number} of {USER}", "QOS moonlight, GPUs: 1",
    )  # fmt: skip


def sessions_that_do_not_fit(stage: Stage) -> None:
    stage.title("Three GPUs: refused, with both numbers and what would pass")
    answer = stage.type(USER, "sbatch --qos=moonlight --gres=gpu:3 --time=5:00 session.sh")
    stage.judge(
        "refused with the numbers",
        answer, False, "limit 2, this job asks for 3", "would be accepted with:", "gpu:2",
    )  # fmt: skip

    stage.title("Ten hours: refused")
    answer = stage.type(USER, "sbatch --qos=moonlight --gres=gpu:1 --time=10:00:00 session.sh")
    stage.judge(
        "refused with the times",
        answer, False, "limit 08:00:00, this job asks for 10:00:00", "--time=08:00:00",
    )  # fmt: skip

    stage.title("Both at once: one answer names both")
    answer = stage.type(USER, "sbatch --qos=moonlight --gres=gpu:3 --time=10:00:00 session.sh")
    stage.judge(
        "refused once, with both reasons",
        answer, False, "limit 2, this job asks for 3", "limit 08:00:00, this job asks for 10:00:00",
        "gpu:2", "--time=08:00:00",
    )  # fmt: skip


def misspelt_qos(stage: Stage) -> None:
    stage.title("A misspelt QOS: the answer has the right names")
    answer = stage.type(USER, "sbatch --qos=moonligth --gres=gpu:1 --time=5:00 session.sh")
    stage.judge("refused, with the names there are", answer, False, "did you mean moonlight?", "normal")


def no_qos(stage: Stage) -> None:
    stage.title("No QOS at all: the rule chooses it")
    submitted = stage.type(USER, "sbatch --gres=gpu:1 --time=5:00 session.sh")
    number = job_number(submitted.output)
    if number is None:
        stage.judge("one GPU without a QOS is accepted", submitted, True, "Submitted batch job")
        return
    state = stage.type(USER, f"squeue --states=all --job={number} --format='%A %u %P %q'")
    stage.judge("accepted, with the QOS that the rule gave it", state, True, "viz moonlight")


def session_that_waits(stage: Stage) -> None:
    stage.title(f"{OTHER}'s sessions hold most of the service: the next one waits, and is told why")
    stage.wait_for(
        f"{USER}'s jobs have ended", lambda: not stage.run(USER, f"squeue --noheader --user={USER}").output
    )
    stage.type(OTHER, "sbatch --qos=moonlight --gres=gpu:1 --time=5:00 --array=1-2 --wrap='sleep 300'")
    running = f"squeue --user={OTHER} --states=RUNNING --format='%A %u %q %T %b'"
    stage.wait_for(
        f"both sessions of {OTHER} run", lambda: stage.run(OTHER, running).output.count("RUNNING") == 2
    )
    stage.type(OTHER, running)
    submitted = stage.type(USER, "sbatch --qos=moonlight --gres=gpu:2 --time=5:00 --output=late session.sh")
    stage.judge(
        "accepted, with a word on what it waits for",
        submitted, True,
        "GPUs of all running jobs in QOS moonlight: limit 3, in use 2 (none of it yours), this job asks for 2",
    )  # fmt: skip
    number = job_number(submitted.output)
    if number is None:
        return

    show = f"squeue --states=all --job={number} --format='%A %u %q %T %r'"
    stage.wait_for(
        f"slurmctld gives job {number} the same reason",
        lambda: "QOSGrpGRES" in stage.run(USER, show).output,
    )
    stage.type(USER, show)
    stage.type(OTHER, f"scancel --user={OTHER}")
    stage.wait_for(f"job {number} is COMPLETED", lambda: "COMPLETED" in stage.run(USER, show).output)
    state = stage.type(USER, show)
    stage.judge(f"run to its end once {OTHER}'s were gone", state, True, "moonlight COMPLETED")


def job_number(output: str) -> str | None:
    found = re.search(r"^Submitted batch job (\d+)$", output, re.M)
    return found[1] if found else None


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
