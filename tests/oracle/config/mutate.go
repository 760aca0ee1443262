package main

import (
	"regexp"
	"strings"

	"berth.dev/oracle/internal/draw"
)

// A mutation breaks one thing in a drawing.
type mutation struct {
	name  string
	apply func(*drawing)
}

// needGates sets the feature gates a mutation needs.
func (d *drawing) needGates(gates map[string]bool) { d.gates = gates }

// setRoot sets a field of the document.
func setRoot(name, key string, values ...any) mutation {
	return mutation{name, func(d *drawing) { d.root.set(key, draw.Pick(d.r, values...)) }}
}

// inArgs changes the arguments of a plugin in some profile.
func inArgs(name, plugin string, fn func(d *drawing, a *dict)) mutation {
	return mutation{name, func(d *drawing) { fn(d, d.args(d.profile(), plugin)) }}
}

func setArg(name, plugin, key string, values ...any) mutation {
	return inArgs(name, plugin, func(d *drawing, a *dict) { a.set(key, draw.Pick(d.r, values...)) })
}

// fit gives NodeResourcesFit a scoring strategy.
func fit(name string, fn func(d *drawing, s *dict)) mutation {
	return inArgs(name, "NodeResourcesFit", func(d *drawing, a *dict) {
		s := newDict("type", "LeastAllocated")
		a.set("scoringStrategy", s)
		fn(d, s)
	})
}

func ratio(d *drawing, s *dict, shape ...any) {
	s.set("type", "RequestedToCapacityRatio")
	s.set("requestedToCapacityRatio", newDict("shape", shape))
}

func point(utilization, score int) any {
	return newDict("utilization", utilization, "score", score)
}

// spread gives PodTopologySpread a list with one good constraint and one to break.
func spread(name string, fn func(d *drawing, c *dict)) mutation {
	return inArgs(name, "PodTopologySpread", func(d *drawing, a *dict) {
		c := newDict("maxSkew", 1, "topologyKey", "zone", "whenUnsatisfiable", "ScheduleAnyway")
		fn(d, c)
		list := []any{newDict("maxSkew", 1, "topologyKey", "rack", "whenUnsatisfiable", "DoNotSchedule"), c}
		a.set("defaultConstraints", list[d.r.IntN(2):])
		a.set("defaultingType", "List")
	})
}

// affinity gives NodeAffinity a requirement, required or preferred.
func affinity(name, list string, fn func(d *drawing, q *dict)) mutation {
	return inArgs(name, "NodeAffinity", func(d *drawing, a *dict) {
		q := newDict("key", "pool", "operator", "In", "values", []any{"a"})
		fn(d, q)
		term := newDict(list, []any{q})
		if d.r.Chance(0.3) {
			term.add(list, newDict("key", "pool", "operator", "Nope"))
		}
		if d.r.Chance(0.5) {
			a.set("addedAffinity", newDict("requiredDuringSchedulingIgnoredDuringExecution", newDict("nodeSelectorTerms", []any{d.term(), term})))
		} else {
			a.set("addedAffinity", newDict("preferredDuringSchedulingIgnoredDuringExecution", []any{newDict("weight", 3, "preference", term)}))
		}
	})
}

func leader(name string, fn func(d *drawing, le *dict)) mutation {
	return mutation{name, func(d *drawing) {
		le := d.root.at("leaderElection")
		if v, ok := le.values["leaderElect"].(bool); ok && !v {
			le.set("leaderElect", true)
		}
		fn(d, le)
	}}
}

func addExtender(name string, fn func(d *drawing, e *dict)) mutation {
	return mutation{name, func(d *drawing) {
		e := newDict("urlPrefix", "https://broken.example.com")
		fn(d, e)
		d.root.add("extenders", e)
	}}
}

func managed(name string, resources ...string) mutation {
	return addExtender(name, func(d *drawing, e *dict) {
		e.add("managedResources", newDict("name", draw.Pick(d.r, resources...)))
	})
}

// twoProfiles makes sure there are at least two profiles.
func (d *drawing) twoProfiles() []*dict {
	names := []string{"first", "second"}
	for len(d.profiles()) < 2 {
		d.root.add("profiles", newDict())
	}
	for i, p := range d.profiles()[:2] {
		if _, ok := p.values["schedulerName"]; !ok {
			p.set("schedulerName", names[i])
		}
	}
	return d.profiles()
}

// textual replaces the document.
func textual(name string, syntax bool, texts ...string) mutation {
	return mutation{name, func(d *drawing) {
		t := draw.Pick(d.r, texts...)
		d.text, d.syntax = &t, syntax
	}}
}

const head = "apiVersion: " + apiVersion + "\nkind: KubeSchedulerConfiguration\n"

var long = strings.Repeat("x", 64)

var badLabels = []string{"-a", "a b", "a/b/c", "/a", "a/", "é", "a_", long, "UPPER.case/ok", "x..y/z", "_x/y"}

var mutations = []mutation{
	// Top level.
	{"burst negative", func(d *drawing) { d.root.at("clientConnection").set("burst", draw.Pick(d.r, -1, -2147483648)) }},
	setRoot("parallelism not positive", "parallelism", 0, -1),
	setRoot("percentageOfNodesToScore range", "percentageOfNodesToScore", -1, 101, 2147483647),
	setRoot("podInitialBackoffSeconds not positive", "podInitialBackoffSeconds", 0, -5),
	{"podMaxBackoffSeconds below initial", func(d *drawing) {
		d.root.set("podInitialBackoffSeconds", 20)
		d.root.set("podMaxBackoffSeconds", draw.Pick(d.r, 19, 0, -1))
	}},
	{"podInitialBackoffSeconds above default maximum", func(d *drawing) {
		d.root.set("podInitialBackoffSeconds", 11)
		d.root.remove("podMaxBackoffSeconds")
	}},
	leader("leaseDuration negative", func(d *drawing, le *dict) { le.set("leaseDuration", "-1s") }),
	leader("renewDeadline negative", func(d *drawing, le *dict) { le.set("renewDeadline", "-5m") }),
	leader("retryPeriod negative", func(d *drawing, le *dict) { le.set("retryPeriod", draw.Pick(d.r, "-1ns", "-2s")) }),
	leader("leaseDuration not above renewDeadline", func(d *drawing, le *dict) {
		le.set("leaseDuration", draw.Pick(d.r, "9s", "10s"))
		le.set("renewDeadline", draw.Pick(d.r, "10s", "1m0.5s"))
	}),
	leader("resourceLock", func(d *drawing, le *dict) {
		le.set("resourceLock", draw.Pick(d.r, "endpoints", "configmapsleases", "Leases"))
	}),
	leader("renewDeadline too close to retryPeriod", func(d *drawing, le *dict) {
		le.set("leaseDuration", "15s")
		le.set("renewDeadline", "12s")
		le.set("retryPeriod", draw.Pick(d.r, "10s", "11s", "9999999999ns"))
	}),
	{"leader election off, nothing checked", func(d *drawing) {
		d.root.set("leaderElection", newDict("leaderElect", false, "leaseDuration", "-1s", "resourceLock", "nonsense"))
	}},

	// Profiles.
	{"schedulerName empty", func(d *drawing) { d.profile().set("schedulerName", "") }},
	{"schedulerName missing among several", func(d *drawing) {
		draw.Pick(d.r, d.twoProfiles()...).remove("schedulerName")
	}},
	{"schedulerName repeated", func(d *drawing) {
		for _, p := range d.twoProfiles() {
			p.set("schedulerName", "same")
		}
	}},
	{"schedulerName repeated three times", func(d *drawing) {
		d.twoProfiles()
		d.root.add("profiles", newDict())
		for _, p := range d.profiles() {
			p.set("schedulerName", "same")
		}
	}},
	{"profile percentageOfNodesToScore range", func(d *drawing) { d.profile().set("percentageOfNodesToScore", draw.Pick(d.r, -1, 101)) }},
	{"removed plugin enabled", func(d *drawing) {
		set := d.plugins(d.profile(), draw.Pick(d.r, "filter", "preFilter", "score", "preEnqueue", "bind", "postBind", "permit"))
		for _, n := range draw.Some(d.r, d.r.Between(1, 3), []string{"AzureDiskLimits", "CinderLimits", "EBSLimits", "GCEPDLimits"}) {
			set.add("enabled", plugin(n))
		}
	}},
	{"removed plugin in multiPoint", func(d *drawing) { d.plugins(d.profile(), "multiPoint").add("enabled", plugin("EBSLimits")) }},
	{"removed plugin in placementScore", func(d *drawing) { d.plugins(d.profile(), "placementScore").add("enabled", plugin("EBSLimits")) }},
	{"removed plugin configured", func(d *drawing) {
		d.profile().add("pluginConfig", newDict("name", draw.Pick(d.r, "AzureDiskLimits", "CinderLimits"), "args", newDict("a", 1)))
	}},
	{"args repeated", func(d *drawing) {
		p := d.profile()
		name := draw.Pick(d.r, "InterPodAffinity", "DefaultPreemption", "Coscheduling", "NodeName")
		p.add("pluginConfig", newDict("name", name, "args", newDict()), newDict("name", name, "args", newDict()))
	}},
	{"args without args", func(d *drawing) {
		d.profile().add("pluginConfig", newDict("name", draw.Pick(d.r, "DefaultPreemption", "NodeAffinity", "VolumeBinding", "Coscheduling", "NodeName")))
	}},
	{"args null", func(d *drawing) {
		d.profile().add("pluginConfig", newDict("name", draw.Pick(d.r, "InterPodAffinity", "NodeResourcesFit", "Coscheduling"), "args", nil))
	}},
	{"queueSort twice in the first profile", func(d *drawing) {
		d.profile()
		d.plugins(d.profiles()[0], "queueSort").set("enabled", []any{plugin("PrioritySort"), plugin(draw.Pick(d.r, "Other", "PrioritySort", "DefaultBinder"))})
	}},
	{"queueSort differs", func(d *drawing) {
		p := d.twoProfiles()
		d.plugins(p[0], "queueSort").set("enabled", []any{plugin("PrioritySort")})
		if d.r.Chance(0.5) {
			d.plugins(p[1], "queueSort").set("enabled", []any{plugin("Other", 3)})
		} else {
			p[1].at("plugins").set("queueSort", newDict("disabled", []any{plugin("*")}))
		}
	}},
	{"queueSort args differ", func(d *drawing) {
		for i, p := range d.twoProfiles() {
			d.plugins(p, "queueSort").set("enabled", []any{plugin("PrioritySort")})
			if i < 2 {
				p.add("pluginConfig", newDict("name", "PrioritySort", "args", newDict("order", i)))
			}
		}
	}},
	{"queueSort args only in the second", func(d *drawing) {
		for i, p := range d.twoProfiles() {
			d.plugins(p, "queueSort").set("enabled", []any{plugin("PrioritySort")})
			if i == 1 {
				p.add("pluginConfig", newDict("name", "PrioritySort", "args", newDict("order", i)))
			}
		}
	}},

	// Extenders.
	addExtender("extender weight not positive", func(d *drawing, e *dict) {
		e.set("prioritizeVerb", "prioritize")
		if d.r.Chance(0.5) {
			e.set("weight", draw.Pick(d.r, 0, -1))
		}
	}),
	{"two extenders bind", func(d *drawing) {
		for _, u := range []string{"http://a", "http://b", "http://c"}[:d.r.Between(2, 3)] {
			d.root.add("extenders", newDict("urlPrefix", u, "bindVerb", "bind"))
		}
	}},
	managed("managed resource empty", ""),
	managed("managed resource not a name", "a b", "-x", "<b>&", "é"),
	managed("managed resource with several parts", "a/b/c", "a//b"),
	managed("managed resource prefix", "é/x", "UPPER/x", "-a/x", "a..b/x"),
	managed("managed resource part empty", "/x", "x/", "/"),
	managed("managed resource name long", long, "example.com/"+long),
	managed("managed resource prefix long", strings.Repeat("a.", 127)+"b/x"),
	managed("managed resource not extended", "cpu", "memory", "kubernetes.io/foo", "my.kubernetes.io/foo", "requests.example.com/foo", strings.Repeat("a", 250)+"/x"),
	addExtender("managed resource repeated", func(d *drawing, e *dict) {
		e.add("managedResources", newDict("name", "example.com/twice"), newDict("name", "example.com/twice", "ignoredByScheduler", true))
	}),
	addExtender("extender root certificate with insecure", func(d *drawing, e *dict) { e.set("tlsConfig", newDict("caData", caPEM, "insecure", true)) }),
	addExtender("extender root certificate unreadable", func(d *drawing, e *dict) { e.set("tlsConfig", newDict("caData", "bm90IHBlbQ==")) }),
	addExtender("extender certificate unreadable", func(d *drawing, e *dict) {
		e.set("tlsConfig", newDict("certData", "bm90IHBlbQ==", "keyData", "bm90IHBlbQ=="))
	}),
	addExtender("extender certificate without key", func(d *drawing, e *dict) { e.set("tlsConfig", newDict("certData", caPEM)) }),
	addExtender("extender root certificate file missing", func(d *drawing, e *dict) { e.set("tlsConfig", newDict("caFile", "/nonexistent/ca.crt")) }),
	addExtender("extender certificate file missing", func(d *drawing, e *dict) {
		e.set("tlsConfig", newDict("certFile", "/nonexistent/tls.crt", "keyFile", "/nonexistent/tls.key"))
	}),
	addExtender("extender certificate data not base64", func(d *drawing, e *dict) {
		e.set("tlsConfig", newDict("caData", draw.Pick(d.r, "%%%", "abc", "a b c d")))
	}),
	addExtender("ignored resource without NodeResourcesFit", func(d *drawing, e *dict) {
		e.add("managedResources", newDict("name", "example.com/ignored", "ignoredByScheduler", true))
		p := d.profile()
		set := newDict("disabled", []any{plugin("NodeResourcesFit")})
		p.set("plugins", newDict("multiPoint", set))
		p.remove("pluginConfig")
	}),

	// Plugin arguments.
	setArg("minCandidateNodesPercentage range", "DefaultPreemption", "minCandidateNodesPercentage", -1, 101),
	setArg("minCandidateNodesAbsolute negative", "DefaultPreemption", "minCandidateNodesAbsolute", -1),
	inArgs("minCandidateNodes both zero", "DefaultPreemption", func(d *drawing, a *dict) {
		a.set("minCandidateNodesPercentage", 0)
		a.set("minCandidateNodesAbsolute", 0)
	}),
	setArg("hardPodAffinityWeight range", "InterPodAffinity", "hardPodAffinityWeight", -1, 101),
	affinity("added affinity operator", "matchExpressions", func(d *drawing, q *dict) { q.set("operator", draw.Pick(d.r, "in", "", "Equals")) }),
	affinity("added affinity In without values", "matchExpressions", func(d *drawing, q *dict) {
		q.set("operator", draw.Pick(d.r, "In", "NotIn"))
		q.remove("values")
	}),
	affinity("added affinity Exists with values", "matchExpressions", func(d *drawing, q *dict) { q.set("operator", draw.Pick(d.r, "Exists", "DoesNotExist")) }),
	affinity("added affinity Gt with two values", "matchExpressions", func(d *drawing, q *dict) {
		q.set("operator", draw.Pick(d.r, "Gt", "Lt"))
		q.set("values", draw.Pick(d.r, []any{"1", "2"}, []any{}))
	}),
	affinity("added affinity Gt not an integer", "matchExpressions", func(d *drawing, q *dict) {
		q.set("operator", draw.Pick(d.r, "Gt", "Lt"))
		q.set("values", []any{draw.Pick(d.r, "x", "1.5", "9223372036854775808", "")})
	}),
	affinity("added affinity key", "matchExpressions", func(d *drawing, q *dict) { q.set("key", draw.Pick(d.r, badLabels...)) }),
	affinity("added affinity key empty", "matchExpressions", func(d *drawing, q *dict) { q.set("key", "") }),
	affinity("added affinity value", "matchExpressions", func(d *drawing, q *dict) {
		q.set("values", []any{"fine", draw.Pick(d.r, "a b", "-x", "é", "<x>")})
	}),
	affinity("added affinity value long", "matchExpressions", func(d *drawing, q *dict) { q.set("values", []any{long}) }),
	affinity("added affinity field values", "matchFields", func(d *drawing, q *dict) {
		q.set("key", "metadata.name")
		q.set("values", draw.Pick(d.r, []any{"a", "b"}, []any{}))
	}),
	affinity("added affinity field operator", "matchFields", func(d *drawing, q *dict) { q.set("operator", draw.Pick(d.r, "Exists", "Gt")) }),
	affinity("added affinity field key", "matchFields", func(d *drawing, q *dict) { q.set("key", "metadata.namespace") }),
	inArgs("added affinity empty", "NodeAffinity", func(d *drawing, a *dict) {
		a.set("addedAffinity", draw.Pick[any](d.r, nil, newDict(), newDict("requiredDuringSchedulingIgnoredDuringExecution", newDict("nodeSelectorTerms", []any{})),
			newDict("requiredDuringSchedulingIgnoredDuringExecution", newDict("nodeSelectorTerms", nil)), newDict("requiredDuringSchedulingIgnoredDuringExecution", newDict("nodeSelectorTerms", []any{newDict()}))))
	}),
	inArgs("added affinity of weight 0 is not parsed", "NodeAffinity", func(d *drawing, a *dict) {
		a.set("addedAffinity", newDict("preferredDuringSchedulingIgnoredDuringExecution", []any{newDict("weight", 0, "preference", newDict("matchExpressions", []any{newDict("key", "a b", "operator", "Nope")}))}))
	}),
	inArgs("balanced allocation weight", "NodeResourcesBalancedAllocation", func(d *drawing, a *dict) {
		a.set("resources", []any{newDict("name", "cpu", "weight", draw.Pick(d.r, 2, -1, 101)), newDict("name", "memory", "weight", 1)})
	}),
	inArgs("balanced allocation resource repeated", "NodeResourcesBalancedAllocation", func(d *drawing, a *dict) {
		a.set("resources", []any{newDict("name", "cpu"), newDict("name", "memory"), newDict("name", "cpu", "weight", draw.Pick(d.r, 1, 2))})
	}),
	inArgs("fit ignored resource", "NodeResourcesFit", func(d *drawing, a *dict) { a.set("ignoredResources", []any{draw.Pick(d.r, badLabels...)}) }),
	inArgs("fit ignored resource group with slash", "NodeResourcesFit", func(d *drawing, a *dict) {
		a.set("ignoredResourceGroups", []any{"ok.com", draw.Pick(d.r, "a/b", "example.com/x")})
	}),
	inArgs("fit ignored resource group", "NodeResourcesFit", func(d *drawing, a *dict) { a.set("ignoredResourceGroups", []any{draw.Pick(d.r, badLabels...)}) }),
	fit("fit strategy type", func(d *drawing, s *dict) { s.set("type", draw.Pick(d.r, "Balanced", "", "leastAllocated")) }),
	fit("fit strategy type missing", func(d *drawing, s *dict) { s.remove("type") }),
	fit("fit resource weight", func(d *drawing, s *dict) {
		s.set("resources", []any{newDict("name", "cpu", "weight", draw.Pick(d.r, -1, 101)), newDict("name", "memory")})
	}),
	fit("fit ratio missing", func(d *drawing, s *dict) { s.set("type", "RequestedToCapacityRatio") }),
	fit("fit ratio unexpected", func(d *drawing, s *dict) { s.set("requestedToCapacityRatio", newDict("shape", []any{point(0, 0)})) }),
	fit("fit shape empty", func(d *drawing, s *dict) { ratio(d, s) }),
	fit("fit shape not sorted", func(d *drawing, s *dict) { ratio(d, s, point(50, 1), point(draw.Pick(d.r, 50, 10), 2), point(5, 3)) }),
	fit("fit shape utilization", func(d *drawing, s *dict) { ratio(d, s, point(-1, 1), point(101, 2)) }),
	fit("fit shape score", func(d *drawing, s *dict) { ratio(d, s, point(0, -1), point(100, 11)) }),
	inArgs("fit: many things", "NodeResourcesFit", func(d *drawing, a *dict) {
		a.set("ignoredResources", []any{"a b", "c d"})
		a.set("scoringStrategy", newDict("type", "X", "resources", []any{newDict("name", "cpu", "weight", 101)}, "requestedToCapacityRatio", newDict()))
	}),
	setArg("spread defaulting type", "PodTopologySpread", "defaultingType", "system", "None"),
	inArgs("spread system with constraints", "PodTopologySpread", func(d *drawing, a *dict) {
		a.set("defaultConstraints", []any{newDict("maxSkew", 1, "topologyKey", "zone", "whenUnsatisfiable", "ScheduleAnyway")})
		if d.r.Chance(0.5) {
			a.set("defaultingType", "System")
		} else {
			a.remove("defaultingType")
		}
	}),
	spread("spread maxSkew", func(d *drawing, c *dict) { c.set("maxSkew", draw.Pick(d.r, 0, -1)) }),
	spread("spread maxSkew missing", func(d *drawing, c *dict) { c.remove("maxSkew") }),
	spread("spread topologyKey empty", func(d *drawing, c *dict) { c.set("topologyKey", "") }),
	spread("spread topologyKey", func(d *drawing, c *dict) { c.set("topologyKey", draw.Pick(d.r, badLabels...)) }),
	spread("spread whenUnsatisfiable empty", func(d *drawing, c *dict) { c.remove("whenUnsatisfiable") }),
	spread("spread whenUnsatisfiable", func(d *drawing, c *dict) { c.set("whenUnsatisfiable", draw.Pick(d.r, "Never", "donotschedule")) }),
	spread("spread labelSelector", func(d *drawing, c *dict) {
		c.set("labelSelector", draw.Pick(d.r, newDict(), newDict("matchLabels", newDict("a", "b"))))
	}),
	inArgs("spread constraint repeated", "PodTopologySpread", func(d *drawing, a *dict) {
		a.set("defaultingType", "List")
		a.set("defaultConstraints", []any{newDict("maxSkew", 1, "topologyKey", "zone", "whenUnsatisfiable", "ScheduleAnyway"), newDict("maxSkew", 2, "topologyKey", "zone", "whenUnsatisfiable", "ScheduleAnyway")})
	}),
	setArg("bindTimeoutSeconds negative", "VolumeBinding", "bindTimeoutSeconds", -1, -600),
	inArgs("volume shape without the gate", "VolumeBinding", func(d *drawing, a *dict) {
		d.needGates(nil)
		a.set("shape", draw.Pick(d.r, []any{point(0, 10), point(100, 0)}, []any{point(0, 99)}))
	}),
	inArgs("volume shape empty", "VolumeBinding", func(d *drawing, a *dict) {
		d.needGates(draw.Pick(d.r, nil, map[string]bool{"StorageCapacityScoring": true}))
		a.set("shape", []any{})
	}),
	inArgs("volume shape not sorted", "VolumeBinding", func(d *drawing, a *dict) {
		d.needGates(map[string]bool{"StorageCapacityScoring": true})
		a.set("shape", []any{point(10, 1), point(10, 2)})
	}),
	inArgs("volume shape range", "VolumeBinding", func(d *drawing, a *dict) {
		d.needGates(map[string]bool{"StorageCapacityScoring": true})
		a.set("shape", []any{point(-1, 0), point(50, -1), point(60, 11), point(101, 3)})
	}),
	setArg("filterTimeout negative", "DynamicResources", "filterTimeout", "-1s", "-10ms"),
	inArgs("filterTimeout without the gate", "DynamicResources", func(d *drawing, a *dict) {
		d.needGates(map[string]bool{"DRASchedulerFilterTimeout": false})
		a.set("filterTimeout", draw.Pick(d.r, "1s", "0s"))
	}),
	setArg("bindingTimeout too short", "DynamicResources", "bindingTimeout", "999ms", "0s", "-5s"),
	inArgs("bindingTimeout without the gate", "DynamicResources", func(d *drawing, a *dict) {
		d.needGates(draw.Pick(d.r, map[string]bool{"DRADeviceBindingConditions": false}, map[string]bool{"DRADeviceBindingConditions": false, "DRAResourceClaimDeviceStatus": false, "DRAResourceClaimGranularStatusAuthorization": false}))
		a.set("bindingTimeout", "10s")
	}),

	// Construction of profiles.
	{"unknown plugin", func(d *drawing) {
		d.plugins(d.profile(), draw.Pick(d.r, append(without(points, "queueSort"), "multiPoint")...)).add("enabled", plugin(draw.Pick(d.r, "NoSuchPlugin", "nodename", "")))
	}},
	{"plugin at a point it does not extend", func(d *drawing) {
		p := draw.Pick(d.r, without(points, "queueSort")...)
		d.plugins(d.profile(), p).add("enabled", plugin(draw.Pick(d.r, without(d.all, d.byPoint[p]...)...)))
	}},
	{"plugin twice at a point", func(d *drawing) {
		set := d.plugins(d.profile(), "filter")
		set.add("enabled", plugin("NodeName"), plugin("NodePorts"), plugin("NodeName"))
	}},
	{"plugin twice in multiPoint", func(d *drawing) {
		d.plugins(d.profile(), "multiPoint").add("enabled", plugin("ImageLocality", 2), plugin("ImageLocality", 3))
	}},
	{"no queue sort plugin", func(d *drawing) {
		for _, p := range append(d.profiles(), d.profile()) {
			p.at("plugins").set("queueSort", newDict("disabled", []any{plugin(draw.Pick(d.r, "*", "*", "PrioritySort"))}))
		}
	}},
	{"no bind plugin", func(d *drawing) {
		d.profile().at("plugins").set("bind", newDict("disabled", []any{plugin(draw.Pick(d.r, "*", "DefaultBinder"))}))
	}},
	{"everything disabled", func(d *drawing) {
		d.profile().set("plugins", newDict("multiPoint", newDict("disabled", []any{plugin("*")})))
	}},
	{"score weight negative", func(d *drawing) {
		d.plugins(d.profile(), "score").add("enabled", plugin(draw.Pick(d.r, "ImageLocality", "NodeAffinity"), draw.Pick(d.r, -1, -2147483648)))
	}},
	{"multiPoint weight negative", func(d *drawing) {
		d.plugins(d.profile(), "multiPoint").add("enabled", plugin(draw.Pick(d.r, "TaintToleration", "ImageLocality", "NodeName", "DefaultBinder"), -3))
	}},
	{"weight on a disabled plugin", func(d *drawing) {
		d.plugins(d.profile(), "score").add("disabled", plugin("ImageLocality", 7))
	}},

	// Decoding.
	{"unknown field", func(d *drawing) { d.root.set(draw.Pick(d.r, "foo", "Parallelism", "algorithmSource"), 1) }},
	{"unknown fields, several", func(d *drawing) {
		d.root.set("zzz", 1)
		d.root.set("aaa", newDict("b", 1))
		d.root.at("leaderElection").set("bar", "x")
		d.profile().set("weight", 3)
	}},
	{"unknown field in a profile", func(d *drawing) { d.profile().set(draw.Pick(d.r, "name", "SchedulerName"), "x") }},
	{"unknown field in plugins", func(d *drawing) { d.profile().at("plugins").set(draw.Pick(d.r, "unreserve", "Filter"), newDict()) }},
	{"unknown field in a plugin", func(d *drawing) {
		d.plugins(d.profile(), "filter").add("enabled", newDict("name", "NodeName", "args", 1))
	}},
	setArg("unknown field in args", "DefaultPreemption", "minCandidateNodes", 1),
	{"unknown fields in several args", func(d *drawing) {
		p := d.profile()
		d.args(p, "InterPodAffinity").set("x", 1)
		d.args(p, "NodeResourcesFit").at("scoringStrategy").set("y", 1)
	}},
	{"unknown field and unknown field in args", func(d *drawing) {
		d.root.set("foo", 1)
		d.args(d.profile(), "NodeAffinity").set("foo", 1)
	}},
	{"duplicate field", func(d *drawing) {
		d.plain = true
		d.root.set("parallelism", 3)
		d.root.extra = append(d.root.extra, pair{"parallelism", draw.Pick(d.r, 3, 4)})
	}},
	{"duplicate fields", func(d *drawing) {
		d.plain = true
		p := d.profile()
		p.set("schedulerName", "a")
		p.extra = append(p.extra, pair{"schedulerName", "b"})
		d.root.set("kind", "KubeSchedulerConfiguration")
		d.root.extra = append(d.root.extra, pair{"kind", "KubeSchedulerConfiguration"})
	}},
	{"duplicate field in JSON", func(d *drawing) {
		d.asJSON = true
		d.root.set("podMaxBackoffSeconds", 20)
		d.root.extra = append(d.root.extra, pair{"podMaxBackoffSeconds", 30}, pair{"podMaxBackoffSeconds", 40})
	}},
	{"duplicate field in JSON args", func(d *drawing) {
		d.asJSON = true
		a := d.args(d.profile(), "InterPodAffinity")
		a.set("hardPodAffinityWeight", 2)
		a.extra = append(a.extra, pair{"hardPodAffinityWeight", 3})
	}},
	{"duplicate and unknown", func(d *drawing) {
		d.plain = true
		d.root.set("foo", 1)
		d.root.set("parallelism", 3)
		d.root.extra = append(d.root.extra, pair{"parallelism", 4})
	}},
	setRoot("type: text for a number", "parallelism", "16", "many"),
	setRoot("type: fraction for an integer", "percentageOfNodesToScore", verbatim("1.5"), verbatim("1e-3")),
	setRoot("type: integer out of range", "parallelism", verbatim("2147483648"), verbatim("99999999999999999999")),
	setRoot("type: integer out of 64 bits", "podMaxBackoffSeconds", verbatim("9223372036854775808"), verbatim("1e30")),
	setRoot("type: text for a boolean", "enableProfiling", "yes", "1"),
	setRoot("type: number for a boolean", "enableProfiling", 1, 0),
	setRoot("type: text for a list", "profiles", "default"),
	setRoot("type: object for a list", "extenders", newDict("urlPrefix", "x")),
	setRoot("type: list for an object", "leaderElection", []any{1}),
	setRoot("type: text for an object", "clientConnection", "x"),
	{"type: list element", func(d *drawing) { d.root.set("profiles", []any{"x", 3}) }},
	{"type: number for text", func(d *drawing) { d.profile().set("schedulerName", draw.Pick[any](d.r, 7, true)) }},
	{"type: plugin as text", func(d *drawing) { d.plugins(d.profile(), "filter").set("enabled", []any{"NodeName"}) }},
	{"type: weight as text", func(d *drawing) {
		d.plugins(d.profile(), "score").set("enabled", []any{newDict("name", "ImageLocality", "weight", "5")})
	}},
	{"type: plugin set as list", func(d *drawing) { d.profile().at("plugins").set("filter", []any{newDict("name", "NodeName")}) }},
	{"type: several", func(d *drawing) {
		d.root.set("parallelism", "x")
		d.root.set("enableProfiling", "y")
		d.root.set("foo", 1)
	}},
	{"type: duration", func(d *drawing) {
		d.root.at("leaderElection").set("leaseDuration", draw.Pick[any](d.r, 15, true, []any{}, newDict()))
	}},
	{"duration malformed", func(d *drawing) {
		d.root.at("leaderElection").set(draw.Pick(d.r, "leaseDuration", "retryPeriod"), draw.Pick(d.r, "abc", "", ".s", "1s2", "--1s", "9999999h", "3000000h", "1.2.3s"))
	}},
	{"duration without unit", func(d *drawing) { d.root.at("leaderElection").set("renewDeadline", draw.Pick(d.r, "15", "1.5", "-3")) }},
	{"duration with unknown unit", func(d *drawing) {
		d.root.at("leaderElection").set("leaseDuration", draw.Pick(d.r, "1 s", "1d", "2S", "3sec"))
	}},
	{"type: qps", func(d *drawing) {
		d.root.at("clientConnection").set("qps", draw.Pick[any](d.r, "50", verbatim("1e39"), verbatim(".inf"), verbatim(".nan")))
	}},
	setArg("type in args", "DefaultPreemption", "minCandidateNodesAbsolute", "x", verbatim("1.5")),
	setArg("type in args: duration", "DynamicResources", "filterTimeout", 10, "ten"),
	{"args as text", func(d *drawing) {
		d.profile().add("pluginConfig", newDict("name", draw.Pick(d.r, "NodeAffinity", "Coscheduling"), "args", draw.Pick[any](d.r, "x", 5, []any{1}, true)))
	}},
	{"args of another kind", func(d *drawing) {
		a := d.args(d.profile(), "NodeAffinity")
		a.keys, a.values = nil, map[string]any{}
		a.set("apiVersion", apiVersion)
		a.set("kind", draw.Pick(d.r, "InterPodAffinityArgs", "KubeSchedulerConfiguration"))
	}},
	{"args of unknown kind", func(d *drawing) {
		a := d.args(d.profile(), "DefaultPreemption")
		a.set("apiVersion", apiVersion)
		a.set("kind", "Foo")
	}},
	{"args of unknown version", func(d *drawing) {
		a := d.args(d.profile(), "DefaultPreemption")
		a.set("kind", "DefaultPreemptionArgs")
		a.set("apiVersion", draw.Pick(d.r, "kubescheduler.config.k8s.io/v1beta3", "other/v1", "v1"))
	}},
	setRoot("apiVersion unknown", "apiVersion", "kubescheduler.config.k8s.io/v1beta3", "kubescheduler.config.k8s.io/v1beta2", "kubescheduler.config.k8s.io/v2", "v1", "a/b/c", "kubescheduler.config.k8s.io/"),
	setRoot("kind unknown", "kind", "KubeletConfiguration", "kubeschedulerconfiguration", "Policy"),
	setRoot("kind of args", "kind", "DefaultPreemptionArgs"),
	{"kind of args, nothing else", func(d *drawing) {
		d.root = newDict("apiVersion", apiVersion, "kind", draw.Pick(d.r, "DefaultPreemptionArgs", "NodeAffinityArgs"))
	}},
	setRoot("apiVersion of the wrong type", "apiVersion", 1, newDict()),
	{"kind missing", func(d *drawing) { d.onlyHead(); d.root.remove("kind") }},
	{"apiVersion missing", func(d *drawing) { d.onlyHead(); d.root.remove("apiVersion") }},
	{"apiVersion and kind missing", func(d *drawing) { d.onlyHead(); d.root.remove("kind"); d.root.remove("apiVersion") }},
	{"apiVersion empty", func(d *drawing) { d.onlyHead(); d.root.set("apiVersion", "") }},
	textual("empty document", false, "", "\n", "# only a comment\n", "---\n", "{}", "null\n", "   \n"),
	textual("document is no object", false, "- a\n- b\n", "text\n", "5\n", "[]", "\"x\"\n", "true\n"),
	textual("two documents", false, head+"---\n"+head+"parallelism: 3\n", head+"parallelism: 2\n---\nfoo: bar\n"),
	textual("only head", false, head, "{\"apiVersion\":\""+apiVersion+"\",\"kind\":\"KubeSchedulerConfiguration\"}", head+"profiles: []\n", head+"profiles:\n- {}\n", head+"profiles:\n- schedulerName: null\n", "%YAML 1.1\n---\n"+head),
	textual("keys that are not text", false, head+"1: 2\n", head+"true: x\n", head+"null: x\n", head+"1.5: x\n"),
	textual("tab indentation", true, head+"leaderElection:\n\tleaderElect: true\n"),
	textual("broken YAML", true, head+"parallelism: [1\n", head+"parallelism: 'x\n", head+"a: b: c\n", head+"  parallelism: 3\n", head+"profiles:\n- schedulerName: a\n schedulerName: b\n", head+"? [a, b]\n: 3\n", head+"foo: @x\n", head+"foo: `x\n", "{\"apiVersion\": \"x\",}", "{\"kind\": ", head+"foo: !!binary x\n", head+"foo: \"\\q\"\n", head+"parallelism\n"),
	textual("unknown alias", true, head+"parallelism: *x\n"),
	textual("broken JSON", true, "{\"apiVersion\":\""+apiVersion+"\",\"kind\":\"KubeSchedulerConfiguration\"", "{\"apiVersion\":\""+apiVersion+"\" \"kind\":\"x\"}", "{\"apiVersion\":\""+apiVersion+"\",\"kind\":\"KubeSchedulerConfiguration\"} x", "{'kind':'x'}"),
	textual("merge keys", false, head+"leaderElection: &le\n  leaderElect: false\nclientConnection:\n  <<: {burst: 7}\n  qps: 3\n", head+"x: &a {burst: 3}\nclientConnection:\n  <<: *a\n"),
	{"alias", func(d *drawing) {
		p := d.twoProfiles()
		p[0].set("pluginConfig", anchor{"cfg", []any{newDict("name", "InterPodAffinity", "args", newDict("hardPodAffinityWeight", draw.Pick(d.r, 5, 500)))}})
		p[1].set("pluginConfig", alias{"cfg"})
		d.plain = true
	}},
	{"cut off", func(d *drawing) {
		d.plain = true
		d.finish = func(s string) string { return s[:len(s)*d.r.Between(30, 95)/100] }
		d.syntax = true
	}},
	{"line endings", func(d *drawing) {
		d.plain = true
		d.finish = func(s string) string { return strings.ReplaceAll(s, "\n", "\r\n") }
	}},
	{"byte order mark", func(d *drawing) {
		d.plain = true
		d.finish = func(s string) string { return "\ufeff" + s }
	}},
	{"indentation broken", func(d *drawing) {
		d.plain, d.syntax = true, true
		d.root.set("leaderElection", newDict("leaderElect", true, "resourceName", "x"))
		d.finish = func(s string) string {
			return regexp.MustCompile(`(?m)^ +resourceName`).ReplaceAllString(s, " resourceName")
		}
	}},
}

// onlyHead reduces the document, for errors that quote all of it.
func (d *drawing) onlyHead() {
	d.root = newDict("apiVersion", apiVersion, "kind", "KubeSchedulerConfiguration", "parallelism", 3)
}
