"""Clusters of two machines: one is removed during a training, and the model is the same."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

SCRIPT = """
import sys, time
from pathlib import Path
from ray.cluster_utils import Cluster
from tagpool import CRF, builtin_corpus
from tagpool.bridges.ray import Ray
from tagpool.optim.lbfgs import LBFGS

folder = Path(sys.argv[1])
cluster = Cluster(initialize_head=True, head_node_args={"num_cpus": 1, "include_dashboard": False})
second = cluster.add_node(num_cpus=1)
cluster.wait_for_nodes()
train, seen = builtin_corpus(300), []

def remove(epoch):
    seen.append(epoch.number)
    if epoch.number == 5:
        cluster.remove_node(second, allow_graceful=False)

def learner():
    return CRF("word[-1..1]", trainer=LBFGS(warm_up=0, iterations=15))

engine = Ray(workers=2, address=cluster.address, cpus=0.5)
learner().fit(train, on_epoch=remove, engine=engine).save(folder / "cluster")
cluster.shutdown()
learner().fit(train).save(folder / "alone")
assert max(seen) > 5
assert (folder / "cluster").read_bytes() == (folder / "alone").read_bytes()
print("the same bytes")
"""


@pytest.mark.long
@pytest.mark.scale
def test_a_machine_that_is_removed(tmp_path: Path) -> None:
    """In a process of its own: one process has one connection to Ray."""
    done = subprocess.run([sys.executable, "-c", SCRIPT, str(tmp_path)], capture_output=True, text=True, timeout=300)
    assert "the same bytes" in done.stdout, done.stdout + done.stderr
