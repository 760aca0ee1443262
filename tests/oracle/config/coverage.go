package main

import (
	"fmt"
	"io"
	"regexp"
	"sort"
)

// expected has one pattern for every message that a file can provoke.
var expected = []string{
	// decode
	`^strict decoding error: unknown field "`,
	`^strict decoding error: .*unknown field ".*, unknown field "`,
	`^strict decoding error: yaml: unmarshal errors:\n  line \d+: key "\w+" already set in map`,
	`^strict decoding error: duplicate field "`,
	`^strict decoding error: decoding \.profiles\[\d\]\.pluginConfig\[\d\]: strict decoding error: decoding args for plugin \w+: strict decoding error: unknown field "`,
	`decoding args for plugin \w+: strict decoding error: duplicate field "`,
	`^json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration\.parallelism of type int32`,
	`^json: cannot unmarshal number [\d.e+-]+ into Go struct field KubeSchedulerConfiguration\.`,
	`^json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration\.DebuggingConfiguration\.enableProfiling of type bool`,
	`^json: cannot unmarshal number into Go struct field KubeSchedulerConfiguration\.DebuggingConfiguration\.enableProfiling of type bool`,
	`^json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration\.profiles of type \[\]v1\.KubeSchedulerProfile`,
	`^json: cannot unmarshal string into Go struct field KubeSchedulerConfiguration\.profiles of type v1\.KubeSchedulerProfile`,
	`^json: cannot unmarshal object into Go struct field KubeSchedulerConfiguration\.extenders of type`,
	`^json: cannot unmarshal array into Go struct field KubeSchedulerConfiguration\.leaderElection of type`,
	`of type v1alpha1\.ClientConnectionConfiguration`,
	`\.schedulerName of type string`,
	`of type v1\.Plugin$`,
	`of type v1\.PluginSet$`,
	`^json: cannot unmarshal string into Go struct field Plugin\.profiles\.plugins\.score\.enabled\.weight of type int32`,
	`^json: unsupported value: (\+Inf|NaN)$`,
	`^decoding \.profiles\[\d\]\.pluginConfig\[\d\]: decoding args for plugin \w+: couldn't get version/kind; json parse error: `,
	`^json: cannot unmarshal .* of type float32`,
	`time: invalid duration`,
	`time: missing unit in duration`,
	`time: unknown unit`,
	`^json: cannot unmarshal \w+ into Go struct field LeaderElectionConfiguration\.leaderElection\.leaseDuration of type string`,
	`illegal base64 data`,
	`decoding args for plugin \w+: json: cannot unmarshal`,
	`args for plugin \w+ were not of type`,
	`^no kind "\w+" is registered for version "`,
	`^no kind "KubeSchedulerConfiguration" is registered for version "kubescheduler\.config\.k8s\.io/v1beta3"`,
	`decoding args for plugin \w+: no kind "`,
	`^couldn't decode as KubeSchedulerConfiguration, got kubescheduler\.config\.k8s\.io/v1, Kind=\w+Args: $`,
	`^Object 'Kind' is missing in '`,
	`^Object 'apiVersion' is missing in '`,
	`^couldn't get version/kind; json parse error: `,
	`unexpected GroupVersion string: `,
	`yaml: line \d+: `,
	`^yaml: unknown anchor 'x' referenced$`,
	// validate
	`^clientConnection\.burst: Invalid value: -\d+: must be non-negative$`,
	`^leaderElection\.leaseDuration: Invalid value: "-\w+": must be greater than zero$`,
	`^leaderElection\.renewDeadline: Invalid value: "-\w+": must be greater than zero$`,
	`^leaderElection\.retryPeriod: Invalid value: "-\w+": must be greater than zero$`,
	"^leaderElection\\.leaseDuration: Invalid value: \"[\\w.]+\": must be greater than `RenewDeadline`$",
	`^leaderElection\.resourceLock: Invalid value: "\w+": resourceLock value must be "leases"$`,
	`^parallelism: Invalid value: -?\d+: should be an integer value greater than zero$`,
	`^profiles\[\d\]\.schedulerName: Required value$`,
	`^profiles\[\d\]\.schedulerName: Duplicate value: \{\}$`,
	`^percentageOfNodesToScore: Invalid value: -?\d+: not in valid range \[0-100\]$`,
	`^profiles\[\d\]\.percentageOfNodesToScore: Invalid value: -?\d+: not in valid range \[0-100\]$`,
	`^profiles\[\d\]\.plugins\.\w+\.enabled\[\d\]: Invalid value: "\w+": was invalid in version "v1" \(KubeSchedulerConfiguration is version "kubescheduler\.config\.k8s\.io/v1"\)$`,
	`^profiles\[\d\]\.pluginConfig\[\d\]: Invalid value: "\w+": was invalid in version "v1"`,
	`^profiles\[\d\]\.pluginConfig\[\d\]: Duplicate value: "\w+"$`,
	`^profiles\[0\]\.plugins\.queueSort\.Enabled: Invalid value: 2: only one queue sort plugin can be enabled$`,
	`^profiles\[\d\]\.plugins\.queueSort: Invalid value: .*: must be the same for all profiles$`,
	`^profiles\[\d\]\.pluginConfig\.args: Invalid value: .*: queueSort must be the same for all profiles$`,
	`^podInitialBackoffSeconds: Invalid value: -?\d+: must be greater than 0$`,
	`^podMaxBackoffSeconds: Invalid value: -?\d+: must be greater than or equal to PodInitialBackoffSeconds$`,
	`^extenders\[\d\]\.weight: Invalid value: -?\d: must have a positive weight applied to it$`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: name part must be non-empty$`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: name part must be no more than 63 `,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: name part must consist of`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: prefix part must be non-empty$`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: prefix part a lowercase RFC 1123 subdomain must consist of`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: prefix part must be no more than 253 `,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: a valid label key must consist of`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: is an invalid extended resource name$`,
	`^extenders\[\d\]\.managedResources\[\d\]\.name: Invalid value: .*: duplicate extender managed resource name$`,
	`^extenders: Invalid value: "found \d extenders implementing bind": only one extender can implement bind$`,
	`args\.minCandidateNodesPercentage: Invalid value: -?\d+: not in valid range \[0, 100\]$`,
	`args\.minCandidateNodesAbsolute: Invalid value: -1: not in valid range \[0, inf\)$`,
	`args\.minCandidateNodesPercentage: Invalid value: 0: cannot be zero at the same time as minCandidateNodesAbsolute$`,
	`args\.minCandidateNodesAbsolute: Invalid value: 0: cannot be zero at the same time as minCandidateNodesPercentage$`,
	`args\.hardPodAffinityWeight: Invalid value: -?\d+: not in valid range \[0, 100\]$`,
	`matchExpressions\[\d\]\.operator: Unsupported value: "\w*": supported values: "In", "NotIn", "Exists", "DoesNotExist", "Gt", "Lt"$`,
	`matchExpressions\[\d\]\.values: Invalid value: .*: for 'in', 'notin' operators, values set can't be empty$`,
	`matchExpressions\[\d\]\.values: Invalid value: .*: values set must be empty for exists and does not exist$`,
	`matchExpressions\[\d\]\.values: Invalid value: .*: for 'Gt', 'Lt' operators, exactly one value is required$`,
	`matchExpressions\[\d\]\.values\[\d\]: Invalid value: .*: for 'Gt', 'Lt' operators, the value must be an integer$`,
	`matchExpressions\[\d\]\.key: Invalid value: `,
	`matchExpressions\[\d\]\.values\[\d\]\[\w+\]: Invalid value: .*a valid label must be`,
	`matchExpressions\[\d\]\.values\[\d\]\[\w+\]: Invalid value: .*must be no more than 63 `,
	`matchFields\[\d\]\.values: Invalid value: .*: must have one element$`,
	`matchFields\[\d\]\.operator: Unsupported value: "\w+": supported values: "In", "NotIn"$`,
	`args\.addedAffinity\.requiredDuringSchedulingIgnoredDuringExecution\.`,
	`args\.addedAffinity\.preferredDuringSchedulingIgnoredDuringExecution\[\d\]\.`,
	`args\.resources\[\d\]\.weight: Invalid value: -?\d+: must be 1$`,
	`args\.resources\[\d\]\.name: Duplicate value: "cpu"$`,
	`args\.defaultingType: Unsupported value: "\w+": supported values: "System", "List"$`,
	`args\.defaultingType: Invalid value: "System": when \.defaultConstraints are not empty$`,
	`args\.defaultConstraints\[\d\]\.maxSkew: Invalid value: -?\d: not in valid range \(0, inf\)$`,
	`args\.defaultConstraints\[\d\]\.topologyKey: Required value: can not be empty$`,
	`args\.defaultConstraints\[\d\]\.topologyKey: Invalid value: `,
	`args\.defaultConstraints\[\d\]\.whenUnsatisfiable: Required value: can not be empty$`,
	`args\.defaultConstraints\[\d\]\.whenUnsatisfiable: Unsupported value: "\w+": supported values: "DoNotSchedule", "ScheduleAnyway"$`,
	`args\.defaultConstraints\[\d\]\.labelSelector: Forbidden: constraint must not define a selector, as they deduced for each pod$`,
	`args\.defaultConstraints\[\d\]: Duplicate value: "\{zone, ScheduleAnyway\}"$`,
	`args\.bindTimeoutSeconds: Invalid value: -\d+: invalid BindTimeoutSeconds, should not be a negative value$`,
	"args\\.shape: Invalid value: .*: unexpected field `shape`, remove it or turn on the feature gate StorageCapacityScoring$",
	`args\.shape\[\d\]\.utilization: Invalid value: \d+: values must be sorted in increasing order$`,
	`args\.shape\[\d\]\.utilization: Invalid value: -?\d+: not in valid range \[0, 100\]$`,
	`args\.shape\[\d\]\.score: Invalid value: -?\d+: not in valid range \[0, 10\]$`,
	`args\.filterTimeout: Invalid value: "-\w+": must be zero or positive$`,
	`args\.filterTimeout: Forbidden: DRASchedulingFilterTimeout feature gate is disabled$`,
	`args\.bindingTimeout: Invalid value: "-?\w+": must be at least 1 second$`,
	`args\.bindingTimeout: Forbidden: DRADeviceBindingConditions or DRAResourceClaimDeviceStatus feature gate is disabled$`,
	// profiles
	`^couldn't build extenders: specifying a root certificates file with the insecure flag is not allowed$`,
	`^couldn't build extenders: unable to load root certificates: `,
	`^couldn't build extenders: tls: `,
	`^couldn't build extenders: open /nonexistent/ca\.crt: `,
	`^couldn't build extenders: open /nonexistent/tls\.crt: `,
	`^couldn't build extenders: can't find NodeResourcesFitArgs in plugin config$`,
	`^initializing profiles: creating profile for scheduler name .*: plugin "\w*" already registered as "\w+"$`,
	`^initializing profiles: creating profile for scheduler name .*: \w+Plugin "\w*" does not exist$`,
	`^initializing profiles: creating profile for scheduler name .*: plugin "\w+" does not extend \w+ plugin$`,
	`only one queue sort plugin required for profile with scheduler name ".*", but got 0$`,
	`at least one bind plugin is needed for profile with scheduler name "`,
	`score plugins: total score of Score plugins could overflow$`,
	`initializing plugin "NodeResourcesFit": .*ignoredResources\[\d\]: Invalid value: `,
	`initializing plugin "NodeResourcesFit": .*ignoredResourceGroups\[\d\]: Invalid value: .*: resource group name can't contain '/'`,
	`initializing plugin "NodeResourcesFit": .*ignoredResourceGroups\[\d\]: Invalid value: .*(name|prefix) part|a valid label key`,
	`initializing plugin "NodeResourcesFit": scoringStrategy\.type: Unsupported value: "\w*": supported values: "LeastAllocated", "MostAllocated", "RequestedToCapacityRatio"$`,
	`initializing plugin "NodeResourcesFit": .*scoringStrategy\.resources\[\d\]\.weight: Invalid value: -?\d+: resource weight of cpu not in valid range \(0, 100\]`,
	`initializing plugin "NodeResourcesFit": scoringStrategy\.requestedToCapacityRatio: Required value: must be specified when type is RequestedToCapacityRatio$`,
	`scoringStrategy\.requestedToCapacityRatio: Forbidden: must be nil when type is not RequestedToCapacityRatio`,
	`scoringStrategy\.requestedToCapacityRatio\.shape: Required value: at least one point must be specified$`,
	`scoringStrategy\.requestedToCapacityRatio\.shape\[\d\]\.utilization: Invalid value: \d+: values must be sorted in increasing order`,
	`scoringStrategy\.requestedToCapacityRatio\.shape\[\d\]\.utilization: Invalid value: -?\d+: not in valid range \[0, 100\]`,
	`scoringStrategy\.requestedToCapacityRatio\.shape\[\d\]\.score: Invalid value: -?\d+: not in valid range \[0, 10\]`,
	// later
	`^couldn't create leader elector: renewDeadline must be greater than retryPeriod\*JitterFactor$`,
}

type coverage struct {
	stages, features, mutations map[string]int
	messages                    []int
	patterns                    []*regexp.Regexp
	other                       map[string]int
}

func newCoverage() *coverage {
	c := &coverage{map[string]int{}, map[string]int{}, map[string]int{}, make([]int, len(expected)), nil, map[string]int{}}
	for _, e := range expected {
		c.patterns = append(c.patterns, regexp.MustCompile(`(?s)`+e))
	}
	return c
}

func (c *coverage) add(l *outLine) {
	c.stages[l.Stage]++
	for _, f := range l.Features {
		if f[0] != '!' {
			c.features[f]++
		}
	}
	for name, on := range l.FeatureGates {
		c.features[fmt.Sprintf("gate %s=%v", name, on)]++
	}
	messages := l.Errors
	if l.LeaderElector != "" {
		messages = append(messages, l.LeaderElector)
	}
	for _, m := range messages {
		known := false
		for i, p := range c.patterns {
			if p.MatchString(m) {
				c.messages[i]++
				known = true
			}
		}
		if !known {
			c.other[m]++
		}
	}
}

func (c *coverage) print(w io.Writer) {
	for _, m := range []map[string]int{c.stages, c.features} {
		for _, k := range sortedKeys(m) {
			fmt.Fprintf(w, "%6d  %s\n", m[k], k)
		}
	}
	for i, e := range expected {
		if c.messages[i] > 0 {
			fmt.Fprintf(w, "%6d  %s\n", c.messages[i], e)
		}
	}
	for _, k := range sortedKeys(c.other) {
		fmt.Fprintf(w, "%6d  other: %q\n", c.other[k], k)
	}
	for i, e := range expected {
		if c.messages[i] == 0 {
			fmt.Fprintf(w, "never seen: %s\n", e)
		}
	}
	for _, m := range mutations {
		if c.mutations[m.name] == 0 {
			fmt.Fprintf(w, "never tried: %s\n", m.name)
		}
	}
}

func sortedKeys(m map[string]int) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
