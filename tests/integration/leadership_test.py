"""Several instances, one leader: who works when one dies, leaves, or only thinks that it leads."""

import datetime
import time

import cluster as clusters
import kube
from daemon import metric
from proxy import TcpProxy
from world import BerthTest, configuration, note

LEASE = ("Lease", "berth", "kube-system")
LEASE_SECONDS, RENEW_SECONDS, RETRY_SECONDS = 4, 3, 1


class Leadership(BerthTest):
    starts_daemon = False
    config = configuration(leaderElection={
        "leaderElect": True, "resourceName": "berth", "resourceNamespace": "kube-system",
        "leaseDuration": f"{LEASE_SECONDS}s", "renewDeadline": f"{RENEW_SECONDS}s", "retryPeriod": f"{RETRY_SECONDS}s"})

    def setUp(self):
        super().setUp()
        self.instances = []
        self.admin.delete(*LEASE)

    def tearDown(self):
        try:
            super().tearDown()
        finally:
            for instance in self.instances:
                instance.__exit__(None, None, None)

    def start(self, **options):
        started = self.start_daemon(**options)
        self.instances.append(started)
        return started

    def holder(self):
        found = self.admin.find(*LEASE)
        return found["spec"].get("holderIdentity") if found else None

    def leads(self, instance):
        return metric(instance.metrics(clusters.ADMIN), "leader_election_master_status") == 1

    def two(self):
        """(leader, follower), by which was first."""
        leader = self.start()
        self.admin.wait_for(*LEASE[:2], lambda found: found and found["spec"].get("holderIdentity"), LEASE[2])
        follower = self.start()
        return leader, follower

    def take_over(self, name):
        """Seconds until a new pod is bound."""
        started = time.monotonic()
        self.pod(name)
        self.bound(name, timeout=60)
        return time.monotonic() - started

    def test_lease_says_who_leads(self):
        self.nodes("n1")
        leader, follower = self.two()
        self.take_over("p")
        spec = self.admin.get(*LEASE)["spec"]
        self.assertRegex(spec["holderIdentity"], r"^.+_[0-9a-f-]{36}$")
        self.assertEqual(spec["leaseDurationSeconds"], LEASE_SECONDS)
        for field in ("acquireTime", "renewTime"):
            stamp = datetime.datetime.fromisoformat(spec[field])
            self.assertLess(abs(stamp.timestamp() - time.time()), 60)
        self.assertTrue(self.leads(leader))
        self.assertFalse(self.leads(follower))
        for instance in (leader, follower):
            self.assertEqual(instance.read("/healthz").status, 200)
        events = [event for event in self.admin.list("Event", "kube-system") if event.get("reason") == "LeaderElection"]
        self.assertTrue(any("became leader" in event["note"] for event in events), events)

    def test_killed_leader_is_followed(self):
        self.nodes("n1")
        leader, follower = self.two()
        self.take_over("before")
        transitions = self.admin.get(*LEASE)["spec"].get("leaseTransitions", 0)
        leader.process.kill()
        seconds = self.take_over("after")
        note(f"leader killed: the next one bound a pod after {seconds:.1f} s (lease of {LEASE_SECONDS} s)")
        self.assertLess(seconds, LEASE_SECONDS + 3 * RETRY_SECONDS + 5)
        self.assertEqual(self.admin.get(*LEASE)["spec"]["leaseTransitions"], transitions + 1)
        self.assertTrue(self.leads(follower))

    def test_follower_reads_nothing_before_it_leads_where_that_is_wanted(self):
        self.nodes("n1")
        leader = self.start()
        self.take_over("before")
        follower = self.start(config={**self.config, "delayCacheUntilActive": True}, wait=False)
        self.admin.wait_for("Pod", "before", lambda _: _is_served(follower), what="there, and so is the follower")
        self.assertIn("[-]sched-handler-sync failed", follower.read("/readyz?verbose").text)
        self.assertEqual(follower.read("/healthz").status, 200)
        self.assertFalse(metric(follower.metrics(clusters.ADMIN), "scheduler_cache_size", type="nodes"))
        leader.process.kill()
        self.take_over("after")
        self.assertEqual(follower.read("/readyz").status, 200)

    def test_follower_holds_pending_pods_and_does_not_attempt_them(self):
        self.nodes("n1")
        _, follower = self.two()
        self.pod("huge", cpu="1000")
        self.pending("huge")

        def active(_):
            return metric(follower.metrics(clusters.ADMIN), "scheduler_pending_pods", queue="active") == 1
        self.admin.wait_for("Pod", "huge", active, what="in the follower's active queue")
        self.assertFalse(metric(follower.metrics(clusters.ADMIN), "scheduler_schedule_attempts_total"))

    def test_leader_that_leaves_gives_the_lease_back(self):
        self.nodes("n1")
        leader, _ = self.two()
        self.take_over("before")
        started = time.monotonic()
        self.assertEqual(leader.stop(), 0)
        self.pod("after")
        self.bound("after")
        seconds = time.monotonic() - started
        note(f"leader stopped: the next one bound a pod after {seconds:.1f} s")
        self.assertLess(seconds, LEASE_SECONDS)

    def test_leader_that_loses_its_lease_ends(self):
        self.nodes("n1")
        with TcpProxy(self.cluster.port) as proxy:
            leader = self.start(server=proxy.address)
            self.take_over("before")
            follower = self.start()
            proxy.stalled()
            self.assertEqual(leader.process.wait(RENEW_SECONDS + 25), 1, leader.process.tail())
        self.take_over("after")
        self.assertTrue(self.leads(follower))

    def test_leader_whose_lease_is_taken_ends(self):
        self.nodes("n1")
        leader = self.start()
        self.take_over("before")
        now = datetime.datetime.now(datetime.timezone.utc).isoformat(timespec="microseconds").replace("+00:00", "Z")
        self.admin.patch(LEASE[0], LEASE[1], {"spec": {
            "holderIdentity": "somebody-else", "renewTime": now, "acquireTime": now,
            "leaseDurationSeconds": 60}}, LEASE[2])
        self.assertEqual(leader.process.wait(RENEW_SECONDS + 25), 1, leader.process.tail())

    def test_load_across_a_kill_is_bound_once_and_whole(self):
        self.nodes(*(kube.node(f"n{number}", cpu=32) for number in range(4)))
        leader, follower = self.two()
        self.take_over("before")
        self.admin.create_all([kube.pod(f"p{number}", cpu="100m") for number in range(300)])
        leader.process.kill()
        self.admin.wait_all("Pod", lambda found: all(map(kube.node_of, found)), timeout=60, what="bound")
        self.checker.check(follower, events=False)  # the dead leader took its last events along

    def check(self):
        self.checker.check(events=False)


def _is_served(daemon):
    try:
        return daemon.read("/livez").status == 200
    except OSError:
        return False
