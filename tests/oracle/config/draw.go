package main

import (
	"fmt"
	"strconv"

	"berth.dev/oracle/internal/draw"
)

// caPEM is a root certificate, in base64, that extenders may be given. Its key
// has been thrown away.
const caPEM = "LS0tLS1CRUdJTiBDRVJUSUZJQ0FURS0tLS0tCk1JSUJnekNDQVNtZ0F3SUJBZ0lVUFNwdEVQeEJQUUppUWFNTER3enNiRlJlaEtjd0NnWUlLb1pJemowRUF3" +
	"SXcKRmpFVU1CSUdBMVVFQXd3TFpYaDBaVzVrWlhJdFkyRXdJQmNOTWpZeE1URTFNakUwT1RVd1doZ1BNakV5TmpFdwpNakl5TVRRNU5UQmFNQll4RkRBU0Jn" +
	"TlZCQU1NQzJWNGRHVnVaR1Z5TFdOaE1Ga3dFd1lIS29aSXpqMENBUVlJCktvWkl6ajBEQVFjRFFnQUUyZys3STBaVjlUVzdrN3hxNFh4azVyQ0RXMVNzWHM0" +
	"L0NJdmxCZGhzUERFTnNIaUkKL0REY1N5RWxqNlA0UHM2aUltdlJzczVtVFUybm1JRituQko2dTZOVE1GRXdIUVlEVlIwT0JCWUVGRW02cjVDMApCaktoUjRt" +
	"STJBdkttTURCUE9ndU1COEdBMVVkSXdRWU1CYUFGRW02cjVDMEJqS2hSNG1JMkF2S21NREJQT2d1Ck1BOEdBMVVkRXdFQi93UUZNQU1CQWY4d0NnWUlLb1pJ" +
	"emowRUF3SURTQUF3UlFJaEFPQnlrSStvR3FPVmFvemwKa0RaLzNnd2pJMEZQNnRCMHgzZUF4Z2d4MEJuZUFpQndxZVZYTERiaURtUzlvbHIwWnd2SksraURk" +
	"MEhoZWVHNwpZOSs4b2oxdTJBPT0KLS0tLS1FTkQgQ0VSVElGSUNBVEUtLS0tLQo="

const apiVersion = "kubescheduler.config.k8s.io/v1"

var points = []string{"preEnqueue", "queueSort", "preFilter", "filter", "postFilter", "preScore", "score", "reserve", "permit", "preBind", "bind", "postBind", "placementGenerate", "placementScore"}

// gateSets are the combinations of feature gates that matter to configuration.
var gateSets = []map[string]bool{
	{"StorageCapacityScoring": true},
	{"StorageCapacityScoring": true},
	{"DRASchedulerFilterTimeout": false},
	{"DRADeviceBindingConditions": false},
	{"DRADeviceBindingConditions": false, "DRAResourceClaimDeviceStatus": false, "DRAResourceClaimGranularStatusAuthorization": false},
	{"GenericWorkload": true},
	{"GenericWorkload": true, "GangScheduling": true},
	{"GenericWorkload": true, "GangScheduling": true, "WorkloadAwarePreemption": true},
	{"GenericWorkload": true, "TopologyAwareWorkloadScheduling": true},
	{"GenericWorkload": true, "GangScheduling": true, "TopologyAwareWorkloadScheduling": true},
	{"NodeDeclaredFeatures": false, "RestartAllContainersOnContainerExits": false, "InPlacePodLevelResourcesVerticalScaling": false, "InPlacePodVerticalScalingInitContainers": false, "ExtendWebSocketsToKubelet": false},
}

// A drawing is one configuration under construction.
type drawing struct {
	r        draw.R
	root     *dict
	gates    map[string]bool
	features []string
	byPoint  map[string][]string // plugins that implement an extension point
	all      []string
	plain    bool                // write as plain YAML, so that line numbers are telling
	asJSON   bool                // write as JSON
	finish   func(string) string // changes the text at last
	syntax   bool                // the text is broken YAML
	text     *string             // the text, if there is no tree at all
}

func (d *drawing) used(format string, args ...any) {
	d.features = append(d.features, fmt.Sprintf(format, args...))
}

func (d *drawing) gate(name string) bool {
	v, ok := d.gates[name]
	if !ok {
		return gateDefaults[name]
	}
	return v
}

func (d *drawing) profiles() []*dict {
	var out []*dict
	for _, p := range d.root.list("profiles") {
		if p, ok := p.(*dict); ok { // a mutation may have put anything there
			out = append(out, p)
		}
	}
	return out
}

// profile returns any profile, adding one if there is none.
func (d *drawing) profile() *dict {
	if len(d.profiles()) == 0 {
		d.root.add("profiles", newDict())
	}
	return draw.Pick(d.r, d.profiles()...)
}

// args returns the arguments of a plugin in a profile, adding them if needed.
func (d *drawing) args(profile *dict, plugin string) *dict {
	for _, c := range profile.list("pluginConfig") {
		if c := c.(*dict); c.values["name"] == plugin {
			return c.at("args")
		}
	}
	a := newDict()
	profile.add("pluginConfig", newDict("name", plugin, "args", a))
	return a
}

func (d *drawing) plugins(profile *dict, point string) *dict { return profile.at("plugins").at(point) }

func plugin(name string, weight ...int) *dict {
	p := newDict("name", name)
	if len(weight) > 0 {
		p.set("weight", weight[0])
	}
	return p
}

// valid draws a configuration that should be accepted.
func (d *drawing) valid() {
	r := d.r
	if r.Chance(0.35) {
		d.gates = draw.Pick(r, gateSets...)
	}
	c := newDict("apiVersion", apiVersion, "kind", "KubeSchedulerConfiguration")
	d.root = c
	maybe := func(p float64, name string, fn func()) {
		if r.Chance(p) {
			d.used("%s", name)
			fn()
		}
	}
	maybe(0.3, "parallelism", func() { c.set("parallelism", r.Between(1, 64)) })
	maybe(0.4, "leaderElection", d.leaderElection)
	maybe(0.35, "clientConnection", func() {
		cc := c.at("clientConnection")
		for _, set := range draw.Some(r, r.IntN(6), []func(){
			func() { cc.set("kubeconfig", draw.Pick(r, "/etc/kubernetes/scheduler.conf", "", "relative/path.conf")) },
			func() {
				cc.set("acceptContentTypes", draw.Pick(r, "application/json", "application/vnd.kubernetes.protobuf,application/json", ""))
			},
			func() {
				cc.set("contentType", draw.Pick(r, "application/json", "application/vnd.kubernetes.protobuf", ""))
			},
			func() {
				cc.set("qps", verbatim(draw.Pick(r, "50", "0", "12.5", "1000", "-1", "0.1", "33.333333", "1e3", "100.0", "16777217", "1e21", "1e-7")))
			},
			func() { cc.set("burst", draw.Pick(r, 0, 100, 1, 2147483647)) },
		}) {
			set()
		}
	})
	maybe(0.2, "enableProfiling", func() { c.set("enableProfiling", r.Chance(0.5)) })
	maybe(0.15, "enableContentionProfiling", func() { c.set("enableContentionProfiling", r.Chance(0.5)) })
	maybe(0.3, "percentageOfNodesToScore", func() { c.set("percentageOfNodesToScore", draw.Pick(r, 0, 1, 50, 99, 100)) })
	maybe(0.2, "podInitialBackoffSeconds", func() { c.set("podInitialBackoffSeconds", r.Between(1, 10)) })
	maybe(0.2, "podMaxBackoffSeconds", func() { c.set("podMaxBackoffSeconds", draw.Pick(r, 10, 11, 60, 9223372036)) })
	maybe(0.1, "delayCacheUntilActive", func() { c.set("delayCacheUntilActive", r.Chance(0.5)) })
	if n := r.Weighted(20, 45, 25, 10); n > 0 {
		d.used("profiles %d", n)
		names := draw.Some(r, n, []string{"default-scheduler", "batch", "gpu-scheduler", "ml.example.com", "x"})
		for i := range n {
			p := newDict()
			if n > 1 || r.Chance(0.6) {
				p.set("schedulerName", names[i])
			}
			d.drawProfile(p)
			c.add("profiles", p)
		}
		maybe(0.12, "queueSort", func() {
			set := newDict("enabled", []any{plugin("PrioritySort")})
			if r.Chance(0.5) {
				set.set("disabled", []any{plugin(draw.Pick(r, "*", "PrioritySort"))})
			}
			for _, p := range d.profiles() {
				p.at("plugins").set("queueSort", set)
			}
		})
	}
	maybe(0.3, "extenders", func() {
		for range r.Between(1, 3) {
			c.add("extenders", d.extender(len(c.list("extenders"))))
		}
	})
	maybe(0.05, "nulls", func() {
		for _, k := range draw.Some(r, 2, []string{"parallelism", "profiles", "extenders", "leaderElection", "percentageOfNodesToScore"}) {
			if _, ok := c.values[k]; !ok {
				c.set(k, nil)
			}
		}
	})
	maybe(0.1, "scalar spellings", func() {
		c.set("parallelism", verbatim(draw.Pick(r, "0x10", "017", "0b101", "1_6", "+7", "0o17", "1e1", "16.0")))
		c.set("enableProfiling", verbatim(draw.Pick(r, "yes", "No", "on", "OFF", "y", "n", "TRUE", "False")))
	})
	if r.Chance(0.7) {
		d.shuffle(c)
	}
}

// shuffle puts the keys below the first two in random order.
func (d *drawing) shuffle(c *dict) {
	c.keys = append(append([]string{}, c.keys[:2]...), draw.Shuffled(d.r, c.keys[2:])...)
}

func (d *drawing) leaderElection() {
	r := d.r
	le := d.root.at("leaderElection")
	for _, set := range draw.Some(r, r.IntN(6), []func(){
		func() { le.set("leaderElect", r.Chance(0.6)) },
		func() {
			t := draw.Pick(r, [3]string{"15s", "10s", "2s"}, [3]string{"1m", "45s", "10s"}, [3]string{"2h45m30s", "1h", "500ms"}, [3]string{"30s", "20.5s", "1.5s"}, [3]string{"100ms", "10ms", "1us"}, [3]string{"0s", "0", "0h0m0s"})
			le.set("leaseDuration", t[0])
			le.set("renewDeadline", t[1])
			le.set("retryPeriod", t[2])
		},
		func() { le.set("resourceLock", draw.Pick(r, "leases", "leases", "")) },
		func() { le.set("resourceName", draw.Pick(r, "kube-scheduler", "other", "")) },
		func() { le.set("resourceNamespace", draw.Pick(r, "kube-system", "other", "")) },
	}) {
		set()
	}
}

func (d *drawing) drawProfile(p *dict) {
	r := d.r
	if r.Chance(0.3) {
		d.used("profile percentageOfNodesToScore")
		p.set("percentageOfNodesToScore", draw.Pick(r, 0, 5, 100))
	}
	if r.Chance(0.6) {
		d.drawPlugins(p)
	}
	if r.Chance(0.6) {
		for _, name := range draw.Some(r, r.Between(1, 4), argsKinds) {
			d.used("args %s", name)
			a := newDict()
			if r.Chance(0.4) {
				a = newDict("apiVersion", apiVersion, "kind", name+"Args")
			}
			d.drawArgs(name, a)
			p.add("pluginConfig", newDict("name", name, "args", a))
		}
		if r.Chance(0.1) {
			d.used("args of a plugin that does not exist")
			p.add("pluginConfig", newDict("name", "Coscheduling", "args", newDict("permitWaitingTimeSeconds", 10, "nested", newDict("list", []any{1, "two", nil}))))
		}
		if r.Chance(0.1) {
			d.used("args of a plugin without args kind")
			p.add("pluginConfig", newDict("name", draw.Pick(r, "NodeName", "ImageLocality", "TaintToleration"), "args", newDict("anything", draw.Pick[any](r, 1, "x", true))))
		}
	}
}

func (d *drawing) drawPlugins(p *dict) {
	r := d.r
	weight := func(name string) *dict {
		if r.Chance(0.5) {
			return plugin(name)
		}
		return plugin(name, draw.Pick(r, 1, 2, 3, 5, 10, 100, 0, 2147483647))
	}
	if r.Chance(0.45) {
		d.used("multiPoint")
		set := d.plugins(p, "multiPoint")
		switch r.IntN(4) {
		case 0: // only what is listed
			d.used("multiPoint disabled *")
			set.add("disabled", plugin("*"))
			names := append(draw.Some(r, r.Between(1, 12), without(d.all, "PrioritySort", "DefaultBinder")), "PrioritySort", "DefaultBinder")
			for _, n := range draw.Shuffled(r, names) {
				set.add("enabled", weight(n))
			}
		case 1:
			for _, n := range draw.Some(r, r.Between(1, 4), without(d.all, "PrioritySort", "DefaultBinder")) {
				set.add("disabled", plugin(n))
			}
		case 2:
			for _, n := range draw.Some(r, r.Between(1, 4), d.all) {
				set.add("enabled", weight(n))
			}
		case 3: // disabled and enabled again: moves to the end
			for _, n := range draw.Some(r, r.Between(1, 3), d.all) {
				set.add("disabled", plugin(n))
				set.add("enabled", weight(n))
			}
		}
	}
	for _, point := range draw.Some(r, r.IntN(5), points) {
		names := d.byPoint[point]
		if len(names) == 0 || point == "queueSort" {
			continue
		}
		d.used("plugins %s", point)
		set := d.plugins(p, point)
		n := r.Between(1, min(4, len(names)))
		switch r.IntN(5) {
		case 0:
			set.add("disabled", plugin("*"))
			if point == "bind" || r.Chance(0.7) {
				for _, name := range draw.Some(r, n, names) {
					set.add("enabled", weight(name))
				}
			}
		case 1:
			if point != "bind" {
				for _, name := range draw.Some(r, n, names) {
					set.add("disabled", plugin(name))
				}
			}
			set.add("disabled", plugin(draw.Pick(r, "NoSuchPlugin", "NodeName")))
		case 2, 3:
			for _, name := range draw.Some(r, n, names) {
				set.add("enabled", weight(name))
			}
		case 4:
			for _, name := range draw.Some(r, n, names) {
				set.add("disabled", plugin(name))
				set.add("enabled", weight(name))
			}
		}
	}
}

func without(list []string, names ...string) []string {
	var out []string
next:
	for _, l := range list {
		for _, n := range names {
			if l == n {
				continue next
			}
		}
		out = append(out, l)
	}
	return out
}

var argsKinds = []string{"DefaultPreemption", "InterPodAffinity", "NodeAffinity", "NodeResourcesBalancedAllocation", "NodeResourcesFit", "PodTopologySpread", "VolumeBinding", "DynamicResources"}

func (d *drawing) drawArgs(name string, a *dict) {
	r := d.r
	switch name {
	case "DefaultPreemption":
		if r.Chance(0.7) {
			a.set("minCandidateNodesPercentage", draw.Pick(r, 0, 1, 10, 100))
		}
		if r.Chance(0.7) {
			a.set("minCandidateNodesAbsolute", draw.Pick(r, 1, 100, 2147483647))
		}
	case "InterPodAffinity":
		if r.Chance(0.8) {
			a.set("hardPodAffinityWeight", draw.Pick(r, 0, 1, 50, 100))
		}
		if r.Chance(0.5) {
			a.set("ignorePreferredTermsOfExistingPods", r.Chance(0.5))
		}
	case "NodeAffinity":
		if r.Chance(0.9) {
			d.addedAffinity(a)
		}
	case "NodeResourcesBalancedAllocation":
		if r.Chance(0.8) {
			for _, name := range draw.Some(r, r.Between(1, 3), []string{"cpu", "memory", "ephemeral-storage", "example.com/gpu"}) {
				spec := newDict("name", name)
				if r.Chance(0.6) {
					spec.set("weight", draw.Pick(r, 1, 1, 0))
				}
				a.add("resources", spec)
			}
		}
	case "NodeResourcesFit":
		d.fitArgs(a)
	case "PodTopologySpread":
		if r.Chance(0.6) {
			a.set("defaultingType", "List")
			if r.Chance(0.8) {
				for _, key := range draw.Some(r, r.Between(1, 2), []string{"topology.kubernetes.io/zone", "kubernetes.io/hostname", "rack"}) {
					c := newDict("maxSkew", r.Between(1, 5), "topologyKey", key, "whenUnsatisfiable", draw.Pick(r, "DoNotSchedule", "ScheduleAnyway"))
					if r.Chance(0.2) {
						c.set("minDomains", r.Between(1, 3))
					}
					if r.Chance(0.2) {
						c.set("nodeAffinityPolicy", draw.Pick(r, "Honor", "Ignore"))
						c.set("nodeTaintsPolicy", draw.Pick(r, "Honor", "Ignore"))
					}
					if r.Chance(0.1) {
						c.set("matchLabelKeys", []any{"app"})
					}
					a.add("defaultConstraints", c)
				}
			}
		} else if r.Chance(0.6) {
			a.set("defaultingType", draw.Pick(r, "System", ""))
		}
	case "VolumeBinding":
		if r.Chance(0.7) {
			a.set("bindTimeoutSeconds", draw.Pick(r, 0, 1, 600, 9223372036854775807))
		}
		if d.gate("StorageCapacityScoring") && r.Chance(0.6) {
			a.set("shape", d.shape())
		}
	case "DynamicResources":
		if d.gate("DRASchedulerFilterTimeout") && r.Chance(0.7) {
			a.set("filterTimeout", draw.Pick[any](r, "0s", "5s", "1m", "250ms", nil))
		}
		if d.gate("DRADeviceBindingConditions") && r.Chance(0.6) {
			a.set("bindingTimeout", draw.Pick(r, "1s", "10m", "600s", "1h1m1.5s"))
		}
	}
}

func (d *drawing) shape() []any {
	x := 0
	var out []any
	for range d.r.Between(1, 4) {
		out = append(out, newDict("utilization", x, "score", d.r.IntN(11)))
		x += d.r.Between(1, 30)
	}
	return out
}

func (d *drawing) fitArgs(a *dict) {
	r := d.r
	if r.Chance(0.3) {
		a.set("ignoredResources", []any{draw.Pick(r, "example.com/foo", "cpu")})
	}
	if r.Chance(0.3) {
		a.set("ignoredResourceGroups", []any{draw.Pick(r, "example.com", "vendor.io")})
	}
	if !r.Chance(0.7) {
		return
	}
	s := a.at("scoringStrategy")
	kind := draw.Pick(r, "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio")
	s.set("type", kind)
	if r.Chance(0.6) {
		for _, name := range draw.Some(r, r.Between(1, 3), []string{"cpu", "memory", "example.com/gpu"}) {
			spec := newDict("name", name)
			if r.Chance(0.7) {
				spec.set("weight", draw.Pick(r, 1, 3, 100, 0))
			}
			s.add("resources", spec)
		}
	}
	if kind == "RequestedToCapacityRatio" {
		s.at("requestedToCapacityRatio").set("shape", d.shape())
	}
}

func (d *drawing) requirement() *dict {
	r := d.r
	op := draw.Pick(r, "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt")
	q := newDict("key", draw.Pick(r, "node-pool", "example.com/rack", "cores"), "operator", op)
	switch op {
	case "In", "NotIn":
		q.set("values", draw.Some(r, r.Between(1, 2), []any{"a", "b.c", "", "x_y-1"}))
	case "Gt", "Lt":
		q.set("values", []any{strconv.Itoa(r.IntN(100))})
	}
	return q
}

func (d *drawing) term() *dict {
	r := d.r
	t := newDict()
	if r.Chance(0.8) {
		for range r.Between(1, 2) {
			t.add("matchExpressions", d.requirement())
		}
	}
	if r.Chance(0.3) {
		t.add("matchFields", newDict("key", "metadata.name", "operator", draw.Pick(r, "In", "NotIn"), "values", []any{"node-1"}))
	}
	return t
}

func (d *drawing) addedAffinity(a *dict) {
	r := d.r
	added := a.at("addedAffinity")
	if r.Chance(0.7) {
		required := added.at("requiredDuringSchedulingIgnoredDuringExecution")
		for range r.Between(1, 2) {
			required.add("nodeSelectorTerms", d.term())
		}
	}
	if r.Chance(0.5) {
		for range r.Between(1, 2) {
			added.add("preferredDuringSchedulingIgnoredDuringExecution", newDict("weight", draw.Pick(r, 1, 50, 100, 0), "preference", d.term()))
		}
	}
}

func (d *drawing) extender(i int) *dict {
	r := d.r
	e := newDict("urlPrefix", fmt.Sprintf("http://extender-%d.example.com:8080/v1", i))
	for _, set := range draw.Some(r, r.IntN(12), []func(){
		func() { e.set("filterVerb", "filter") },
		func() { e.set("preemptVerb", "preempt") },
		func() { e.set("prioritizeVerb", "prioritize"); e.set("weight", draw.Pick(r, 1, 5, 1000000)) },
		func() {
			if i == 0 {
				e.set("bindVerb", "bind")
			}
		},
		func() { e.set("enableHTTPS", r.Chance(0.5)) },
		func() { e.set("httpTimeout", draw.Pick(r, "0s", "100ms", "30s", "1m30s", "-1s")) },
		func() { e.set("nodeCacheCapable", r.Chance(0.7)) },
		func() { e.set("ignorable", r.Chance(0.7)) },
		func() { e.set("tlsConfig", newDict("insecure", true)) },
		func() { e.set("tlsConfig", newDict("serverName", "extender.example.com")) },
		func() { e.set("tlsConfig", newDict("caData", caPEM, "insecure", false)) },
		func() {
			e.set("managedResources", []any{newDict("name", fmt.Sprintf("example.com/r%d", i)), newDict("name", fmt.Sprintf("vendor.io/r-%d_x", i), "ignoredByScheduler", r.Chance(0.5))})
		},
	}) {
		set()
	}
	if r.Chance(0.15) {
		e.set("weight", draw.Pick(r, 0, -1, 3))
		if _, ok := e.values["prioritizeVerb"]; ok {
			e.set("weight", 2)
		}
	}
	return e
}
