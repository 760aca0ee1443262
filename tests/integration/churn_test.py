"""Thousands of pods come and go while everything fails now and then. `run BERTH --soak MINUTES` does it for longer."""

import random
import threading
import time

import cluster as clusters
import kube
from daemon import metric
from processes import wait_until
from proxy import TcpProxy
from world import BerthTest, Suite, note

NODES = 40
ROUNDS = 5
PODS_PER_ROUND = 150  # 750 pods, for a test run of a minute or two
PODS_PER_ROUND_OF_A_SOAK = 1000
FLAT = 1.25  # how much more memory the last rounds may need than the middle ones
SEED = 20260


def pods_per_round():
    return PODS_PER_ROUND if Suite.soak_minutes is None else PODS_PER_ROUND_OF_A_SOAK


class Churn(BerthTest):
    starts_daemon = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = TcpProxy(cls.cluster.port)
        cls.daemon = cls.start_daemon(server=cls.proxy.address)

    @classmethod
    def tearDownClass(cls):
        try:
            super().tearDownClass()
        finally:
            cls.proxy.__exit__(None, None, None)

    def test_pods_come_and_go_while_connections_break(self):
        rounds = self.rounds()
        chance = random.Random(SEED)
        self.nodes(*(kube.node(f"n{number}", cpu=16, memory="64Gi", labels={"zone": f"z{number % 3}"})
                     for number in range(NODES)))
        memory = []
        started = time.monotonic()
        for number in rounds:
            stop = threading.Event()
            faults = threading.Thread(target=self.break_things, args=(stop, chance.random()), daemon=True)
            faults.start()
            try:
                self.one_round(number, chance)
            finally:
                stop.set()
                faults.join(20)
                self.proxy.passing()
            self.all_bound()
            self.admin.delete_all("Pod", "default")
            self.admin.wait_all("Pod", lambda found: not found, timeout=60, what="gone")
            memory.append(self.daemon.process.memory())
        seconds = time.monotonic() - started
        note(f"churn: {len(memory) * pods_per_round()} pods in {seconds:.0f} s; memory after each round, MB: "
             + " ".join(f"{size / 1e6:.0f}" for size in memory))
        middle = max(memory[1:max(2, len(memory) // 2 + 1)])
        self.assertLess(memory[-1], middle * FLAT + 8e6, "memory grows")
        wait_until(lambda: metric(self.daemon.metrics(clusters.ADMIN), "scheduler_cache_size", type="pods") == 0,
                   kube.WAIT_SECONDS, "the scheduler has forgotten all pods")

    def rounds(self):
        if Suite.soak_minutes is None:
            yield from range(ROUNDS)
            return
        deadline = time.monotonic() + 60 * Suite.soak_minutes
        number = 0
        while number < ROUNDS or time.monotonic() < deadline:
            yield number
            number += 1

    def one_round(self, number, chance):
        """Pods of several kinds; a third of them deleted again as they come."""
        pods = [self.some_pod(f"r{number}-{index}", chance) for index in range(pods_per_round())]
        for start in range(0, len(pods), 100):
            some = pods[start:start + 100]
            self.admin.create_all(some)
            for item in chance.sample(some, 33):
                self.admin.delete("Pod", item["metadata"]["name"])
            if start % 300 == 0:
                name = f"n{chance.randrange(NODES)}"
                self.admin.patch("Node", name, {"spec": {"unschedulable": True}})
                self.admin.patch("Node", name, {"spec": {"unschedulable": None}})

    @staticmethod
    def some_pod(name, chance):
        kind = chance.randrange(10)
        if kind == 0:
            return kube.pod(name, cpu="100m", labels={"app": "spread"}, topologySpreadConstraints=[
                {"maxSkew": 3, "topologyKey": "zone", "whenUnsatisfiable": "DoNotSchedule",
                 "labelSelector": {"matchLabels": {"app": "spread"}}}])
        if kind == 1:
            return kube.pod(name, cpu="100m", nodeSelector={"zone": f"z{chance.randrange(3)}"})
        if kind == 2:
            return kube.pod(name, cpu=100)  # fits nowhere
        return kube.pod(name, cpu="100m", memory="64Mi")

    def break_things(self, stop, seed):
        chance = random.Random(seed)
        ways = (self.proxy.cut, self.proxy.garble, lambda: self.proxy.truncate(chance.randrange(5000)),
                self.proxy.refusing, self.proxy.stalled, lambda: self.proxy.delaying(0.05))
        while not stop.wait(chance.uniform(0.3, 1.5)):
            chance.choice(ways)()
            stop.wait(chance.uniform(0.1, 0.8))
            self.proxy.passing()

    def all_bound(self):
        """All but those that fit nowhere, and each where it may be (the checker looks at room)."""
        def is_done(pods):
            return all(kube.node_of(pod) or _wants_too_much(pod) for pod in pods)
        self.admin.wait_all("Pod", is_done, timeout=120, what="bound")
        self.checker.check(timeout=90)


def _wants_too_much(pod):
    return pod["spec"]["containers"][0]["resources"]["requests"]["cpu"] == "100"
