"""The clock on the wall jumps, by hours, both ways: the scheduler goes on as if nothing had happened."""

import struct
import time

import cluster as clusters
import kube
from daemon import metric
from world import BerthTest, Suite, configuration

JUMPS = (3600, -7200, 30, 0)  # seconds from the true time


class Clock(BerthTest):
    starts_daemon = False
    config = configuration(leaderElection={
        "leaderElect": True, "resourceName": "berth", "resourceNamespace": "kube-system",
        "leaseDuration": "6s", "renewDeadline": "4s", "retryPeriod": "1s"})

    def test_jumps_of_the_clock_change_nothing(self):
        if Suite.clock_shim is None:
            self.skipTest("no clock shim; ctest gives one")
        if Suite.is_reference:
            self.skipTest("Go does not ask libc for the time")
        path = self.cluster.folder / "clock"
        set_clock(path, 0)
        environment = {"LD_PRELOAD": str(Suite.clock_shim), "BERTH_TEST_CLOCK": str(path)}
        self.nodes(kube.node("n1", cpu=8))
        with self.start_daemon(environment=environment) as daemon:
            self.works("at-first")
            for number, seconds in enumerate(JUMPS):
                self.pod(f"waits-{number}", cpu=16)
                self.pending(f"waits-{number}")
                set_clock(path, seconds)
                self.works(f"after-{number}")
                # Longer than the lease: it must have been renewed by the new clock.
                time.sleep(3)
                self.works(f"later-{number}")
                self.assertEqual(metric(daemon.metrics(clusters.ADMIN), "leader_election_master_status"), 1)
            # Pods that failed under the old clock have not been forgotten in their back-off.
            self.nodes(kube.node("large", cpu=128))
            for number in range(len(JUMPS)):
                self.bound(f"waits-{number}", "large", timeout=30)
            self.checker.check(daemon)

    def works(self, name):
        self.pod(name, cpu="100m")
        self.bound(name)


def set_clock(path, seconds):
    with open(path, "r+b" if path.exists() else "wb") as file:
        file.write(struct.pack("q", seconds))
