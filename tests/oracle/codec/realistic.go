package main

import (
	"encoding/json"
	"fmt"
	"io"
	"sort"
	"strconv"
	"strings"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"
	"k8s.io/utils/ptr"

	"berth.dev/oracle/internal/draw"
)

// A cluster draws pods and nodes as an API server of a running cluster
// returns them.
type cluster struct {
	r       draw.R
	f       filler // for its names
	version int
	start   time.Time
}

// A workload is what all pods of one controller have in common.
type workload struct {
	namespace, name, hash string
	owner                 metav1.OwnerReference
	labels, annotations   map[string]string
	spec                  v1.PodSpec
	fields                string
	ordinal               int
}

func realistic(w io.Writer, seed uint64, pods, nodes, templates int, cov *coverage) error {
	c := &cluster{r: draw.New(seed, "codec realistic"), version: 1_000_000, start: time.Date(2026, 3, 1, 8, 0, 0, 0, time.UTC)}
	c.f = filler{r: c.r, cov: cov}
	enc := newEncoder(w)
	header := headerLine{Kind: "codec", Format: 1, Upstream: "v1.36.3", Seed: seed, Mode: "realistic", Pods: pods, Nodes: nodes, Templates: templates}
	if err := enc.Encode(header); err != nil {
		return err
	}
	var workloads []*workload
	for range templates {
		workloads = append(workloads, c.workload())
	}
	for i := range pods + nodes {
		var o runtime.Object
		if i < pods {
			o = c.pod(draw.Pick(c.r, workloads...), max(nodes, 1))
		} else {
			o = c.node(i - pods)
		}
		l, err := lineOf(i, o)
		if err != nil {
			return fmt.Errorf("seed %d line %d: %w", seed, i, err)
		}
		cov.line(l)
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

const suffixLetters = "bcdfghjklmnpqrstvwxz2456789"

func (c *cluster) uid() types.UID { return types.UID(c.f.uid()) }

func (c *cluster) hex(n int) string { return c.r.Letters(n, "0123456789abcdef") }

func (c *cluster) resourceVersion() string {
	c.version += c.r.Between(1, 9)
	return strconv.Itoa(c.version)
}

// moment draws a second of the cluster's life.
func (c *cluster) moment() metav1.Time {
	return metav1.NewTime(c.start.Add(time.Duration(c.r.IntN(20*24*3600)) * time.Second))
}

func later(t metav1.Time, seconds int) metav1.Time {
	return metav1.NewTime(t.Add(time.Duration(seconds) * time.Second))
}

func (c *cluster) workload() *workload {
	r := c.r
	w := &workload{namespace: draw.Pick(r, namespaces...), name: c.f.name() + "-" + c.f.word(), hash: r.Letters(10, suffixLetters)}
	kind := draw.Pick(r, "ReplicaSet", "ReplicaSet", "ReplicaSet", "StatefulSet", "DaemonSet", "Job")
	w.labels = map[string]string{
		"app.kubernetes.io/name":       w.name,
		"app.kubernetes.io/instance":   w.name + "-" + w.namespace,
		"app.kubernetes.io/part-of":    c.f.word(),
		"app.kubernetes.io/managed-by": "Helm",
		"app.kubernetes.io/version":    fmt.Sprintf("%d.%d.%d", r.IntN(5), r.IntN(20), r.IntN(10)),
	}
	w.annotations = map[string]string{
		"checksum/config":      c.hex(64),
		"prometheus.io/scrape": "true",
		"prometheus.io/port":   "9090",
	}
	if r.Chance(0.3) {
		w.annotations["kubectl.kubernetes.io/restartedAt"] = c.moment().UTC().Format(time.RFC3339)
	}
	w.owner = metav1.OwnerReference{APIVersion: "apps/v1", Kind: kind, Name: w.name, UID: c.uid(), Controller: ptr.To(true), BlockOwnerDeletion: ptr.To(true)}
	switch kind {
	case "ReplicaSet":
		w.owner.Name += "-" + w.hash
		w.labels["pod-template-hash"] = w.hash
	case "StatefulSet", "DaemonSet":
		w.labels["controller-revision-hash"] = w.hash
		w.labels["pod-template-generation"] = strconv.Itoa(r.Between(1, 9))
	case "Job":
		w.owner.APIVersion = "batch/v1"
		w.labels["batch.kubernetes.io/job-name"] = w.name
		w.labels["batch.kubernetes.io/controller-uid"] = string(w.owner.UID)
	}
	w.spec = c.spec(w, kind)
	w.fields = managedSpec(w)
	return w
}

func resources(r draw.R) v1.ResourceRequirements {
	cpu, memory := r.Between(1, 40)*50, r.Between(1, 32)*64
	q := func(n int, suffix string) resource.Quantity { return resource.MustParse(strconv.Itoa(n) + suffix) }
	out := v1.ResourceRequirements{
		Requests: v1.ResourceList{v1.ResourceCPU: q(cpu, "m"), v1.ResourceMemory: q(memory, "Mi")},
		Limits:   v1.ResourceList{v1.ResourceMemory: q(memory*draw.Pick(r, 1, 2), "Mi")},
	}
	if r.Chance(0.4) {
		out.Limits[v1.ResourceCPU] = q(cpu*draw.Pick(r, 1, 2), "m")
	}
	if r.Chance(0.2) {
		out.Requests[v1.ResourceEphemeralStorage] = q(r.Between(1, 10), "Gi")
	}
	// As an API server prints them.
	for _, l := range []v1.ResourceList{out.Requests, out.Limits} {
		for k, v := range l {
			v.Add(resource.Quantity{})
			l[k] = resource.MustParse(v.String())
		}
	}
	return out
}

func probe(r draw.R, path string) *v1.Probe {
	p := &v1.Probe{InitialDelaySeconds: int32(r.IntN(30)), TimeoutSeconds: int32(r.Between(1, 5)), PeriodSeconds: 10, SuccessThreshold: 1, FailureThreshold: 3}
	if r.Chance(0.8) {
		p.HTTPGet = &v1.HTTPGetAction{Path: path, Port: intstr.FromString("http"), Scheme: v1.URISchemeHTTP}
	} else {
		p.Exec = &v1.ExecAction{Command: []string{"/bin/check", "--timeout=3s"}}
	}
	return p
}

func (c *cluster) container(name string) v1.Container {
	r := c.r
	out := v1.Container{
		Name:                     name,
		Image:                    "registry.example/" + c.f.word() + "/" + name + ":v" + strconv.Itoa(r.IntN(5)) + "." + strconv.Itoa(r.IntN(30)),
		Args:                     []string{"--log-level=info", "--config=/etc/" + name + "/config.yaml", "--listen=:8080"},
		Ports:                    []v1.ContainerPort{{Name: "http", ContainerPort: 8080, Protocol: v1.ProtocolTCP}, {Name: "metrics", ContainerPort: 9090, Protocol: v1.ProtocolTCP}},
		Resources:                resources(r),
		LivenessProbe:            probe(r, "/healthz"),
		ReadinessProbe:           probe(r, "/readyz"),
		TerminationMessagePath:   "/dev/termination-log",
		TerminationMessagePolicy: v1.TerminationMessageReadFile,
		ImagePullPolicy:          v1.PullIfNotPresent,
	}
	out.Env = []v1.EnvVar{
		{Name: "POD_NAME", ValueFrom: &v1.EnvVarSource{FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.name"}}},
		{Name: "POD_IP", ValueFrom: &v1.EnvVarSource{FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "status.podIP"}}},
		{Name: "DB_PASSWORD", ValueFrom: &v1.EnvVarSource{SecretKeyRef: &v1.SecretKeySelector{LocalObjectReference: v1.LocalObjectReference{Name: name + "-db"}, Key: "password"}}},
	}
	for range r.Between(2, 8) {
		out.Env = append(out.Env, v1.EnvVar{Name: strings.ToUpper(c.f.word()) + "_" + strings.ToUpper(c.f.word()) + "_" + strconv.Itoa(len(out.Env)), Value: draw.Pick(r, "true", "8080", "https://"+c.f.name()+".example.com/api/v1", c.hex(16), "")})
	}
	if r.Chance(0.5) {
		out.SecurityContext = &v1.SecurityContext{
			Capabilities: &v1.Capabilities{Drop: []v1.Capability{"ALL"}}, ReadOnlyRootFilesystem: ptr.To(true), AllowPrivilegeEscalation: ptr.To(false), RunAsNonRoot: ptr.To(true), RunAsUser: ptr.To[int64](65532)}
	}
	out.VolumeMounts = []v1.VolumeMount{{Name: "config", ReadOnly: true, MountPath: "/etc/" + name}, {Name: "tmp", MountPath: "/tmp"}}
	return out
}

func (c *cluster) spec(w *workload, kind string) v1.PodSpec {
	r := c.r
	s := v1.PodSpec{
		RestartPolicy: v1.RestartPolicyAlways, TerminationGracePeriodSeconds: ptr.To[int64](30), DNSPolicy: v1.DNSClusterFirst,
		ServiceAccountName: w.name, DeprecatedServiceAccount: w.name, SecurityContext: &v1.PodSecurityContext{},
		SchedulerName: "default-scheduler", Priority: ptr.To[int32](0), EnableServiceLinks: ptr.To(true), PreemptionPolicy: ptr.To(v1.PreemptLowerPriority),
		Tolerations: []v1.Toleration{
			{Key: "node.kubernetes.io/not-ready", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)},
			{Key: "node.kubernetes.io/unreachable", Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300)},
		},
		Volumes: []v1.Volume{
			{Name: "config", VolumeSource: v1.VolumeSource{ConfigMap: &v1.ConfigMapVolumeSource{LocalObjectReference: v1.LocalObjectReference{Name: w.name}, DefaultMode: ptr.To[int32](420)}}},
			{Name: "tmp", VolumeSource: v1.VolumeSource{EmptyDir: &v1.EmptyDirVolumeSource{}}},
		},
	}
	for i := range r.Weighted(0, 60, 30, 10) {
		name := w.name
		if i > 0 {
			name = draw.Pick(r, "proxy", "exporter", "agent") + "-" + strconv.Itoa(i)
		}
		s.Containers = append(s.Containers, c.container(name))
	}
	if r.Chance(0.25) {
		init := c.container("init")
		init.LivenessProbe, init.ReadinessProbe, init.Ports = nil, nil, nil
		s.InitContainers = []v1.Container{init}
	}
	if r.Chance(0.3) {
		s.PriorityClassName, s.Priority = "business-critical", ptr.To[int32](100000)
	}
	if r.Chance(0.2) {
		s.NodeSelector = map[string]string{"kubernetes.io/os": "linux", "node-pool": c.f.word()}
	}
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app.kubernetes.io/name": w.name}}
	if r.Chance(0.3) {
		s.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{PreferredDuringSchedulingIgnoredDuringExecution: []v1.WeightedPodAffinityTerm{
			{Weight: 100, PodAffinityTerm: v1.PodAffinityTerm{LabelSelector: selector, TopologyKey: "kubernetes.io/hostname"}}}}}
	}
	if r.Chance(0.3) {
		s.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{MaxSkew: 1, TopologyKey: "topology.kubernetes.io/zone", WhenUnsatisfiable: v1.ScheduleAnyway, LabelSelector: selector}}
	}
	switch kind {
	case "DaemonSet":
		for _, key := range []string{"node.kubernetes.io/disk-pressure", "node.kubernetes.io/memory-pressure", "node.kubernetes.io/pid-pressure", "node.kubernetes.io/unschedulable"} {
			s.Tolerations = append(s.Tolerations, v1.Toleration{Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoSchedule})
		}
	case "Job":
		s.RestartPolicy = v1.RestartPolicyOnFailure
	case "StatefulSet":
		s.Subdomain = w.name
	}
	return s
}

// fieldSet turns the JSON form of a value into the field set a manager that
// sets all of it would own.
func fieldSet(v any) string {
	m, ok := v.(map[string]any)
	if !ok || len(m) == 0 {
		return "{}"
	}
	keys := sortedKeys(m)
	parts := []string{}
	for _, k := range keys {
		parts = append(parts, strconv.Quote("f:"+k)+":"+fieldSetOf(m[k]))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

func fieldSetOf(v any) string {
	list, ok := v.([]any)
	if !ok {
		return fieldSet(v)
	}
	parts := []string{`".":{}`}
	for _, e := range list {
		item, ok := e.(map[string]any)
		if !ok {
			return "{}"
		}
		for _, key := range []string{"name", "mountPath", "containerPort", "type", "topologyKey"} {
			if value, ok := item[key]; ok {
				k, _ := json.Marshal(map[string]any{key: value})
				parts = append(parts, strconv.Quote("k:"+string(k))+`:{".":{},`+fieldSet(item)[1:])
				break
			}
		}
	}
	sort.Strings(parts[1:])
	return "{" + strings.Join(parts, ",") + "}"
}

func jsonOf(v any) any {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	var out any
	if err := json.Unmarshal(text, &out); err != nil {
		panic(err)
	}
	return out
}

func metaFields(labels, annotations map[string]string) string {
	return `"f:metadata":{"f:annotations":{".":{},` + fieldSet(jsonOf(annotations))[1:] + `,"f:generateName":{},"f:labels":{".":{},` + fieldSet(jsonOf(labels))[1:] + `,"f:ownerReferences":{".":{},"k:{\"uid\":\"UID\"}":{}}}`
}

// managedSpec is the controller's field set. Of the containers only the first
// is listed, to stay within the size such sets usually have.
func managedSpec(w *workload) string {
	first := w.spec.Containers[0]
	first.Env, first.VolumeMounts = nil, nil
	spec := v1.PodSpec{Containers: []v1.Container{first}, DNSPolicy: w.spec.DNSPolicy, RestartPolicy: w.spec.RestartPolicy, SchedulerName: w.spec.SchedulerName,
		SecurityContext: w.spec.SecurityContext, ServiceAccountName: w.spec.ServiceAccountName, TerminationGracePeriodSeconds: w.spec.TerminationGracePeriodSeconds}
	return "{" + strings.ReplaceAll(metaFields(w.labels, w.annotations), "UID", string(w.owner.UID)) + `,"f:spec":` + fieldSet(jsonOf(spec)) + "}"
}

const statusFields = `{"f:status":{"f:conditions":{"k:{\"type\":\"ContainersReady\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},` +
	`"k:{\"type\":\"Initialized\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}},` +
	`"k:{\"type\":\"Ready\"}":{".":{},"f:lastProbeTime":{},"f:lastTransitionTime":{},"f:status":{},"f:type":{}}},` +
	`"f:containerStatuses":{},"f:hostIP":{},"f:hostIPs":{},"f:phase":{},"f:podIP":{},"f:podIPs":{".":{},"k:{\"ip\":\"IP\"}":{".":{},"f:ip":{}}},"f:startTime":{}}}`

func nodeName(i int) string { return fmt.Sprintf("node-%05d.eu-central.example", i) }

func (c *cluster) pod(w *workload, nodes int) *v1.Pod {
	r := c.r
	p := newObject(coreV1.WithKind("Pod")).(*v1.Pod)
	created := c.moment()
	name := w.owner.Name + "-" + r.Letters(5, suffixLetters)
	if w.owner.Kind == "StatefulSet" {
		name = w.name + "-" + strconv.Itoa(w.ordinal)
		w.ordinal++
	}
	p.ObjectMeta = metav1.ObjectMeta{
		Name: name, GenerateName: w.owner.Name + "-", Namespace: w.namespace, UID: c.uid(), ResourceVersion: c.resourceVersion(), Generation: 1, CreationTimestamp: created,
		Labels: map[string]string{}, Annotations: w.annotations, OwnerReferences: []metav1.OwnerReference{w.owner},
	}
	for k, v := range w.labels {
		p.Labels[k] = v
	}
	if w.owner.Kind == "StatefulSet" {
		p.Labels["statefulset.kubernetes.io/pod-name"] = name
	}
	p.Spec = *w.spec.DeepCopy()
	ip := fmt.Sprintf("10.%d.%d.%d", r.Between(64, 95), r.IntN(256), r.Between(1, 254))
	hostIP := fmt.Sprintf("172.16.%d.%d", r.IntN(256), r.Between(1, 254))
	p.ManagedFields = []metav1.ManagedFieldsEntry{
		{Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &created, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(w.fields)},
		{Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: ptr.To(later(created, 12)), FieldsType: "FieldsV1",
			FieldsV1: metav1.NewFieldsV1(strings.ReplaceAll(statusFields, "IP\\\"}", ip+"\\\"}")), Subresource: "status"},
	}
	token := "kube-api-access-" + r.Letters(5, suffixLetters)
	p.Spec.Volumes = append(p.Spec.Volumes, v1.Volume{Name: token, VolumeSource: v1.VolumeSource{Projected: &v1.ProjectedVolumeSource{DefaultMode: ptr.To[int32](420), Sources: []v1.VolumeProjection{
		{ServiceAccountToken: &v1.ServiceAccountTokenProjection{ExpirationSeconds: ptr.To[int64](3607), Path: "token"}},
		{ConfigMap: &v1.ConfigMapProjection{LocalObjectReference: v1.LocalObjectReference{Name: "kube-root-ca.crt"}, Items: []v1.KeyToPath{{Key: "ca.crt", Path: "ca.crt"}}}},
		{DownwardAPI: &v1.DownwardAPIProjection{Items: []v1.DownwardAPIVolumeFile{{Path: "namespace", FieldRef: &v1.ObjectFieldSelector{APIVersion: "v1", FieldPath: "metadata.namespace"}}}}},
	}}}})
	mount := v1.VolumeMount{Name: token, ReadOnly: true, MountPath: "/var/run/secrets/kubernetes.io/serviceaccount"}
	for _, list := range [][]v1.Container{p.Spec.Containers, p.Spec.InitContainers} {
		for i := range list {
			list[i].VolumeMounts = append(list[i].VolumeMounts, mount)
		}
	}
	p.Spec.NodeName = nodeName(r.IntN(nodes))
	if w.owner.Kind == "StatefulSet" {
		p.Spec.Hostname = name
	}

	ready := later(created, r.Between(5, 60))
	p.Status = v1.PodStatus{
		ObservedGeneration: 1, Phase: v1.PodRunning, HostIP: hostIP, HostIPs: []v1.HostIP{{IP: hostIP}}, PodIP: ip, PodIPs: []v1.PodIP{{IP: ip}}, StartTime: &created, QOSClass: v1.PodQOSBurstable,
	}
	for _, cond := range []struct {
		kind v1.PodConditionType
		at   metav1.Time
	}{{"PodReadyToStartContainers", later(created, 3)}, {v1.PodInitialized, later(created, 3)}, {v1.PodReady, ready}, {v1.ContainersReady, ready}, {v1.PodScheduled, created}} {
		p.Status.Conditions = append(p.Status.Conditions, v1.PodCondition{Type: cond.kind, ObservedGeneration: 1, Status: v1.ConditionTrue, LastTransitionTime: cond.at})
	}
	status := func(ct v1.Container, init bool) v1.ContainerStatus {
		id := "containerd://" + c.hex(64)
		s := v1.ContainerStatus{
			Name: ct.Name, Ready: true, RestartCount: int32(r.Weighted(80, 12, 8)), Image: ct.Image, ImageID: strings.Split(ct.Image, ":")[0] + "@sha256:" + c.hex(64), ContainerID: id,
			Started: ptr.To(!init), AllocatedResources: ct.Resources.Requests.DeepCopy(), Resources: ct.Resources.DeepCopy(),
			User: &v1.ContainerUser{Linux: &v1.LinuxContainerUser{UID: 65532, GID: 65532, SupplementalGroups: []int64{65532}}},
		}
		for _, m := range ct.VolumeMounts {
			s.VolumeMounts = append(s.VolumeMounts, v1.VolumeMountStatus{Name: m.Name, MountPath: m.MountPath, ReadOnly: m.ReadOnly, RecursiveReadOnly: readOnlyMode(m.ReadOnly)})
		}
		if init {
			s.State.Terminated = &v1.ContainerStateTerminated{Reason: "Completed", StartedAt: later(created, 2), FinishedAt: later(created, 3), ContainerID: id}
			return s
		}
		s.State.Running = &v1.ContainerStateRunning{StartedAt: later(created, 4)}
		if s.RestartCount > 0 {
			s.LastTerminationState.Terminated = &v1.ContainerStateTerminated{ExitCode: 137, Reason: "OOMKilled", StartedAt: later(created, 4), FinishedAt: later(created, 900), ContainerID: "containerd://" + c.hex(64)}
		}
		return s
	}
	for _, ct := range p.Spec.InitContainers {
		p.Status.InitContainerStatuses = append(p.Status.InitContainerStatuses, status(ct, true))
	}
	for _, ct := range p.Spec.Containers {
		p.Status.ContainerStatuses = append(p.Status.ContainerStatuses, status(ct, false))
	}
	return p
}

func readOnlyMode(ro bool) *v1.RecursiveReadOnlyMode {
	if !ro {
		return nil
	}
	return ptr.To(v1.RecursiveReadOnlyDisabled)
}

const nodeStatusFields = `{"f:metadata":{"f:annotations":{"f:csi.volume.kubernetes.io/nodeid":{}},"f:labels":{"f:topology.ebs.csi.aws.com/zone":{}}},"f:status":{"f:allocatable":{"f:cpu":{},"f:ephemeral-storage":{},"f:memory":{}},` +
	`"f:capacity":{"f:ephemeral-storage":{}},"f:conditions":{"k:{\"type\":\"DiskPressure\"}":{"f:lastHeartbeatTime":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{}},` +
	`"k:{\"type\":\"MemoryPressure\"}":{"f:lastHeartbeatTime":{}},"k:{\"type\":\"PIDPressure\"}":{"f:lastHeartbeatTime":{}},` +
	`"k:{\"type\":\"Ready\"}":{"f:lastHeartbeatTime":{},"f:lastTransitionTime":{},"f:message":{},"f:reason":{},"f:status":{}}},"f:images":{},"f:nodeInfo":{"f:bootID":{}}}}`

func (c *cluster) node(i int) *v1.Node {
	r := c.r
	n := newObject(coreV1.WithKind("Node")).(*v1.Node)
	name, zone := nodeName(i), "eu-central-1"+r.Letters(1, "abc")
	size := draw.Pick(r, 4, 8, 16, 32, 64)
	flavour := fmt.Sprintf("m%d.%dxlarge", r.Between(5, 7), size/4)
	created, beat := c.moment(), metav1.NewTime(c.start.Add(time.Duration(30*24*3600+r.IntN(300))*time.Second))
	cidr := fmt.Sprintf("10.%d.%d.0/24", r.Between(64, 95), i%256)
	address := fmt.Sprintf("172.16.%d.%d", i/250%256, i%250+2)
	n.ObjectMeta = metav1.ObjectMeta{
		Name: name, UID: c.uid(), ResourceVersion: c.resourceVersion(), CreationTimestamp: created,
		Labels: map[string]string{
			"beta.kubernetes.io/arch": "amd64", "beta.kubernetes.io/instance-type": flavour, "beta.kubernetes.io/os": "linux", "failure-domain.beta.kubernetes.io/region": "eu-central-1",
			"failure-domain.beta.kubernetes.io/zone": zone, "kubernetes.io/arch": "amd64", "kubernetes.io/hostname": name, "kubernetes.io/os": "linux", "node-pool": c.f.word(),
			"node.kubernetes.io/instance-type": flavour, "topology.ebs.csi.aws.com/zone": zone, "topology.kubernetes.io/region": "eu-central-1", "topology.kubernetes.io/zone": zone,
		},
		Annotations: map[string]string{
			"alpha.kubernetes.io/provided-node-ip": address, "csi.volume.kubernetes.io/nodeid": `{"ebs.csi.aws.com":"i-` + c.hex(17) + `"}`,
			"node.alpha.kubernetes.io/ttl": "0", "volumes.kubernetes.io/controller-managed-attach-detach": "true",
		},
		ManagedFields: []metav1.ManagedFieldsEntry{
			{Manager: "kube-controller-manager", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &created, FieldsType: "FieldsV1",
				FieldsV1: metav1.NewFieldsV1(`{"f:metadata":{"f:annotations":{"f:node.alpha.kubernetes.io/ttl":{}}},"f:spec":{"f:podCIDR":{},"f:podCIDRs":{".":{},"v:\"` + cidr + `\"":{}}}}`)},
			{Manager: "kubelet", Operation: metav1.ManagedFieldsOperationUpdate, APIVersion: "v1", Time: &beat, FieldsType: "FieldsV1", FieldsV1: metav1.NewFieldsV1(nodeStatusFields), Subresource: "status"},
		},
	}
	n.Spec = v1.NodeSpec{PodCIDR: cidr, PodCIDRs: []string{cidr}, ProviderID: "aws:///" + zone + "/i-" + c.hex(17)}
	if r.Chance(0.1) {
		n.Spec.Taints = []v1.Taint{{Key: "dedicated", Value: c.f.word(), Effect: v1.TaintEffectNoSchedule}}
	}
	if r.Chance(0.03) {
		n.Spec.Unschedulable = true
		n.Spec.Taints = append(n.Spec.Taints, v1.Taint{Key: v1.TaintNodeUnschedulable, Effect: v1.TaintEffectNoSchedule, TimeAdded: &beat})
	}
	q := resource.MustParse
	ki := size*4*1024*1024 - r.IntN(600_000)
	n.Status = v1.NodeStatus{
		Capacity: v1.ResourceList{v1.ResourceCPU: q(strconv.Itoa(size)), v1.ResourceMemory: q(strconv.Itoa(ki|1) + "Ki"), v1.ResourcePods: q("110"), v1.ResourceEphemeralStorage: q("83873772Ki"),
			"hugepages-1Gi": q("0"), "hugepages-2Mi": q("0")},
		Allocatable: v1.ResourceList{v1.ResourceCPU: q(strconv.Itoa(size*1000-80) + "m"), v1.ResourceMemory: q(strconv.Itoa((ki-1_000_000)|1) + "Ki"), v1.ResourcePods: q("110"), v1.ResourceEphemeralStorage: q("76224326324"),
			"hugepages-1Gi": q("0"), "hugepages-2Mi": q("0")},
		Addresses:       []v1.NodeAddress{{Type: v1.NodeInternalIP, Address: address}, {Type: v1.NodeHostName, Address: name}, {Type: v1.NodeInternalDNS, Address: name}},
		DaemonEndpoints: v1.NodeDaemonEndpoints{KubeletEndpoint: v1.DaemonEndpoint{Port: 10250}},
		NodeInfo: v1.NodeSystemInfo{MachineID: c.hex(32), SystemUUID: string(c.uid()), BootID: string(c.uid()), KernelVersion: "6.12.22-cloud-amd64", OSImage: "Debian GNU/Linux 13 (trixie)",
			ContainerRuntimeVersion: "containerd://2.1.3", KubeletVersion: "v1.36.3", OperatingSystem: "linux", Architecture: "amd64"},
		RuntimeHandlers: []v1.NodeRuntimeHandler{{Features: &v1.NodeRuntimeHandlerFeatures{RecursiveReadOnlyMounts: ptr.To(true), UserNamespaces: ptr.To(true)}},
			{Name: "runc", Features: &v1.NodeRuntimeHandlerFeatures{RecursiveReadOnlyMounts: ptr.To(true), UserNamespaces: ptr.To(true)}}},
		Features: &v1.NodeFeatures{SupplementalGroupsPolicy: ptr.To(true)},
	}
	for _, cond := range []struct {
		kind            v1.NodeConditionType
		status          v1.ConditionStatus
		reason, message string
	}{
		{v1.NodeNetworkUnavailable, v1.ConditionFalse, "CalicoIsUp", "Calico is running on this node"},
		{v1.NodeMemoryPressure, v1.ConditionFalse, "KubeletHasSufficientMemory", "kubelet has sufficient memory available"},
		{v1.NodeDiskPressure, v1.ConditionFalse, "KubeletHasNoDiskPressure", "kubelet has no disk pressure"},
		{v1.NodePIDPressure, v1.ConditionFalse, "KubeletHasSufficientPID", "kubelet has sufficient PID available"},
		{v1.NodeReady, v1.ConditionTrue, "KubeletReady", "kubelet is posting ready status"},
	} {
		n.Status.Conditions = append(n.Status.Conditions, v1.NodeCondition{Type: cond.kind, Status: cond.status, LastHeartbeatTime: beat, LastTransitionTime: later(created, 20), Reason: cond.reason, Message: cond.message})
	}
	for range r.Between(15, 25) {
		image := "registry.example/" + c.f.word() + "/" + c.f.name()
		n.Status.Images = append(n.Status.Images, v1.ContainerImage{Names: []string{image + "@sha256:" + c.hex(64), image + ":v1." + strconv.Itoa(r.IntN(40))}, SizeBytes: int64(r.Between(5_000_000, 900_000_000))})
	}
	sort.SliceStable(n.Status.Images, func(i, j int) bool { return n.Status.Images[i].SizeBytes > n.Status.Images[j].SizeBytes })
	for range r.IntN(4) {
		volume := "kubernetes.io/csi/ebs.csi.aws.com^vol-" + c.hex(17)
		n.Status.VolumesInUse = append(n.Status.VolumesInUse, v1.UniqueVolumeName(volume))
		n.Status.VolumesAttached = append(n.Status.VolumesAttached, v1.AttachedVolume{Name: v1.UniqueVolumeName(volume)})
	}
	return n
}
