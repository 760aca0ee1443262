"""Between the scheduler and its API server everything goes wrong once: afterwards the world is as if nothing had."""

import time

import kube
from proxy import Fault, HttpProxy, TcpProxy
from world import BerthTest, configuration, note

PODS = r"/api/v1/pods\?"
WATCH = r"GET \S*[?&]watch=(true|1)"
BINDING = r"POST /api/v1/namespaces/default/pods/{}/binding"
RECOVERY_SECONDS = 45
FOUND_AGAIN_SECONDS = 15  # usually a tenth of a second; what grows from restart to restart is past this at the fourth


class Connections(BerthTest):
    """Faults of the connection itself; the proxy knows nothing of what it passes on."""

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

    def tearDown(self):
        self.proxy.passing()
        super().tearDown()

    def works(self, name, timeout=RECOVERY_SECONDS):
        """A new pod on a new node: so both watches are up to date. Returns the seconds that it took."""
        started = time.monotonic()
        node = f"node-of-{name}"
        self.nodes(kube.node(node, labels={"for": name}))
        self.pod(name, nodeSelector={"for": name})
        self.bound(name, node, timeout=timeout)
        return time.monotonic() - started

    def test_connections_that_are_reset_are_made_again(self):
        self.works("before")
        for round_number in range(3):
            self.proxy.cut()
            self.works(f"after-{round_number}")

    def test_server_that_refuses_is_tried_until_it_does_not(self):
        self.works("before")
        self.proxy.refusing()
        self.nodes("meanwhile")
        self.pod("waits", nodeSelector={"kubernetes.io/hostname": "meanwhile"})
        self.stays_pending("waits", 4)
        self.proxy.passing()
        self.bound("waits", "meanwhile", timeout=RECOVERY_SECONDS)

    def test_what_was_deleted_while_nobody_looked_is_gone(self):
        self.nodes(kube.node("n1", cpu=1))
        self.pod("old", cpu=1)
        self.bound("old", "n1")
        self.proxy.refusing()
        self.admin.delete("Pod", "old")
        self.pod("new", cpu=1)
        self.nodes("n2")
        self.admin.delete("Node", "n2")
        self.proxy.passing()
        self.bound("new", "n1", timeout=RECOVERY_SECONDS)

    def test_half_open_connection_is_noticed(self):
        self.works("before")
        self.proxy.stalled()
        self.nodes(kube.node("meanwhile"))
        self.pod("waits", nodeSelector={"kubernetes.io/hostname": "meanwhile"})
        self.stays_pending("waits", 3)
        # Old connections never move again; new ones work. Nothing but the scheduler itself can end the old ones.
        self.proxy.abandon()
        started = time.monotonic()
        self.bound("waits", "meanwhile", timeout=90)
        note(f"half-open connection: noticed after {time.monotonic() - started:.1f} s")

    def test_truncated_and_garbled_answers_are_not_believed(self):
        self.works("before")
        for step, breaks in enumerate((lambda: self.proxy.truncate(1), lambda: self.proxy.truncate(700),
                                       self.proxy.garble)):
            breaks()
            self.works(f"after-{step}")

    def test_delay_makes_it_late_and_not_wrong(self):
        self.proxy.delaying(0.15)
        for number in range(3):
            self.works(f"late-{number}")

    def test_slow_connection_with_a_new_handshake(self):
        self.proxy.slow(20_000)
        self.proxy.cut()
        self.works("slow")
        self.proxy.passing()
        self.works("quick")

    def test_burst_across_cuts_is_bound_whole(self):
        self.nodes(*(kube.node(f"n{number}", cpu=32) for number in range(4)))
        pods = [kube.pod(f"p{number}", cpu="100m") for number in range(300)]
        for start in range(0, 300, 100):
            self.admin.create_all(pods[start:start + 100])
            self.proxy.cut()
        self.admin.wait_all("Pod", lambda found: all(map(kube.node_of, found)), timeout=90, what="bound")


class Answers(BerthTest):
    """Answers that a server may give, and those that get lost."""

    starts_daemon = False

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        cls.proxy = HttpProxy(cls.cluster.port, cls.cluster.authority.certificate,
                              (cls.cluster.folder / "server.crt", cls.cluster.folder / "server.key"))
        cls.daemon = cls.start_daemon(server=cls.proxy.address)

    @classmethod
    def tearDownClass(cls):
        cls.proxy.clear()
        try:
            super().tearDownClass()
        finally:
            cls.proxy.__exit__(None, None, None)

    def tearDown(self):
        self.proxy.clear()
        super().tearDown()

    def test_bind_whose_answer_is_lost_is_not_done_twice(self):
        self.nodes("n1", "n2", "n3")
        fault = self.proxy.add(Fault(BINDING.format("p"), "lose"))
        self.pod("p")
        self.bound("p")
        self.assertEqual(fault.hits, 1)
        self.events_of("p", "Scheduled", timeout=RECOVERY_SECONDS)
        # The place is taken once: what is left of the nodes is as it should be.
        self.pod("big", cpu=4)
        self.bound("big")

    def test_bind_that_never_arrived_is_done_again(self):
        self.nodes("n1")
        fault = self.proxy.add(Fault(BINDING.format("p"), "drop", count=2))
        self.pod("p")
        self.bound("p", timeout=RECOVERY_SECONDS)
        self.assertGreaterEqual(fault.hits, 1)

    def test_bind_that_fails_frees_its_place(self):
        self.nodes(kube.node("n1", cpu=1))
        fault = self.proxy.add(Fault(BINDING.format("unlucky"), "answer", count=None, status=500))
        self.pod("unlucky", cpu=1)
        self.admin.wait_for("Pod", "unlucky", lambda _: fault.hits >= 1, what="tried")
        self.admin.delete("Pod", "unlucky")
        self.pod("lucky", cpu=1)
        self.bound("lucky", "n1")

    def test_bind_that_fails_is_tried_again(self):
        self.nodes("n1")
        for status in (500, 503, 409):
            with self.subTest(status=status):
                fault = self.proxy.add(Fault(BINDING.format(f"p{status}"), "answer", count=2, status=status))
                self.pod(f"p{status}")
                self.bound(f"p{status}", timeout=RECOVERY_SECONDS)
                self.assertGreaterEqual(fault.hits, 1)

    def test_server_that_is_busy_is_given_the_time_it_asks_for(self):
        self.nodes("n1")
        self.proxy.add(Fault(BINDING.format("p"), "answer", count=2, status=429, headers={"Retry-After": "1"}))
        self.pod("p")
        self.bound("p", timeout=RECOVERY_SECONDS)

    def test_pod_that_is_gone_when_it_is_bound_is_forgotten(self):
        self.nodes(kube.node("n1", cpu=1))
        hold = self.proxy.add(Fault(BINDING.format("p"), "wait", seconds=1.5))
        self.pod("p", cpu=1)
        self.admin.wait_for("Pod", "p", lambda _: hold.hits, what="being bound")
        self.admin.delete("Pod", "p")
        self.pod("next", cpu=1)
        self.bound("next", "n1")

    def test_expired_watch_is_replaced_by_a_list(self):
        self.nodes("n1")
        for event in ("expire", "answer"):
            with self.subTest(event=event):
                fault = self.proxy.add(Fault(WATCH, event, count=6, status=410))
                self.cut_watches()
                self.nodes(f"new-{event}")
                self.pod(f"p-{event}", nodeSelector={"kubernetes.io/hostname": f"new-{event}"})
                self.bound(f"p-{event}", f"new-{event}", timeout=RECOVERY_SECONDS)
                self.assertGreaterEqual(fault.hits, 1)
                self.proxy.clear()

    def test_watches_and_lists_that_fail_are_tried_again(self):
        for status in (500, 503, 429):
            with self.subTest(status=status):
                headers = {"Retry-After": "1"} if status == 429 else {}
                # Few, since who fails often waits for long: client-go, and so Berth, up to half a minute.
                self.proxy.add(Fault(r"GET /api/v1/(pods|nodes)", "answer", count=2, status=status, headers=headers))
                self.cut_watches()
                self.nodes(f"new-{status}")
                self.pod(f"p-{status}", nodeSelector={"kubernetes.io/hostname": f"new-{status}"})
                self.bound(f"p-{status}", f"new-{status}", timeout=RECOVERY_SECONDS)
                self.proxy.clear()

    def test_list_that_breaks_off_is_not_taken_for_the_whole(self):
        self.nodes("n1", "n2")
        self.pod("there", cpu=4)
        self.bound("there")
        self.proxy.add(Fault(WATCH, "answer", count=8, status=410),
                       Fault(r"GET /api/v1/(pods|nodes)", "truncate", count=4, size=200))
        self.cut_watches()
        self.nodes("n3")
        self.pod("p", nodeSelector={"kubernetes.io/hostname": "n3"})
        self.bound("p", "n3", timeout=RECOVERY_SECONDS)
        self.pod("other", cpu=4)
        self.bound("other")  # the checker knows whether it is on the free node

    def test_status_that_cannot_be_written_is_written_later(self):
        self.nodes(kube.node("n1", cpu=1))
        self.proxy.add(Fault(r"PATCH /api/v1/namespaces/default/pods/p/status", "answer", count=2, status=503))
        self.pod("p", cpu=2)
        self.pending("p", "Insufficient cpu", timeout=RECOVERY_SECONDS)

    def test_events_that_fail_do_not_hold_binds_up(self):
        self.nodes(*(kube.node(f"n{number}") for number in range(4)))
        self.proxy.add(Fault(r"POST /apis/events.k8s.io/\S*events", "wait", count=5, seconds=2))
        started = time.monotonic()
        self.admin.create_all([kube.pod(f"p{number}") for number in range(100)])
        self.admin.wait_all("Pod", lambda found: all(map(kube.node_of, found)), timeout=30, what="bound")
        self.assertLess(time.monotonic() - started, 15)

    def test_eviction_that_fails_is_tried_again(self):
        self.nodes(kube.node("n1", cpu=2))
        self.pod("victim", cpu=2, priority="low")
        self.bound("victim")
        self.proxy.add(Fault(r"DELETE /api/v1/namespaces/default/pods/victim", "answer", status=500))
        self.pod("important", cpu=2, priority="high")
        self.bound("important", "n1", timeout=RECOVERY_SECONDS)

    def cut_watches(self):
        """Ends the watches that are there, so that the next requests are new ones."""
        self.proxy.hang_up()


class Servers(BerthTest):
    """API server and etcd die and come back, under load."""

    config = configuration(podMaxBackoffSeconds=2)

    def load(self, prefix, count=150):
        self.admin.create_all([kube.pod(f"{prefix}-{number}", cpu="50m") for number in range(count)])

    def all_bound(self, what):
        started = time.monotonic()
        self.admin.wait_all("Pod", lambda found: all(map(kube.node_of, found)), timeout=90, what="bound")
        note(f"{what}: all pods bound {time.monotonic() - started:.1f} s after it was ready")

    def test_api_server_is_killed_and_comes_back(self):
        self.nodes(*(kube.node(f"n{number}", cpu=16) for number in range(5)))
        self.load("before")
        self.cluster.apiserver.kill()
        self.cluster.start_apiserver()
        self.load("after")
        self.all_bound("API server killed")

    def test_api_server_that_is_restarted_again_and_again_is_found_again_soon(self):
        """kube-scheduler waits longer each time, for up to a minute in the end."""
        self.only_berth()
        self.nodes(kube.node("n1", cpu=16))
        took = []
        for number in range(4):
            self.cluster.apiserver.kill()
            self.cluster.start_apiserver()
            started = time.monotonic()
            self.cluster.client().create(kube.pod(f"p{number}"))  # whose connection is not of before
            self.bound(f"p{number}", "n1", timeout=FOUND_AGAIN_SECONDS)
            took.append(time.monotonic() - started)
        note("API server restarted: next pod bound after " + ", ".join(f"{seconds:.1f}" for seconds in took) + " s")

    def test_api_server_is_stopped_gently_and_comes_back(self):
        self.nodes(*(kube.node(f"n{number}", cpu=16) for number in range(5)))
        self.load("before")
        self.cluster.apiserver.stop(grace=5)
        time.sleep(2)
        self.cluster.start_apiserver()
        self.load("after")
        self.all_bound("API server stopped")

    def test_etcd_is_killed_and_comes_back(self):
        self.nodes(*(kube.node(f"n{number}", cpu=16) for number in range(5)))
        self.load("before")
        self.cluster.etcd.kill()
        time.sleep(2)
        self.cluster.start_etcd()
        self.cluster.wait_ready()
        self.load("after")
        self.all_bound("etcd killed")
