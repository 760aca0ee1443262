package main

// The scheduler under test: kube-scheduler's cache, snapshot and framework with the
// default profile, wired as the scheduler wires them, and the calls of one decision.

import (
	"context"

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/dynamic-resource-allocation/resourceslice/tracker"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/apis/config/latest"
	internalcache "k8s.io/kubernetes/pkg/scheduler/backend/cache"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	intree "k8s.io/kubernetes/pkg/scheduler/framework/plugins"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/dynamicresources"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/nodevolumelimits"
	frameworkruntime "k8s.io/kubernetes/pkg/scheduler/framework/runtime"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"k8s.io/kubernetes/pkg/scheduler/util/assumecache"
)

var quiet = logr.Discard()

// nobody is a fwk.PodNominator without nominated pods.
type nobody struct{}

func (nobody) AddNominatedPod(klog.Logger, fwk.PodInfo, *fwk.NominatingInfo) {}
func (nobody) DeleteNominatedPodIfExists(*v1.Pod)                            {}
func (nobody) UpdateNominatedPod(klog.Logger, *v1.Pod, fwk.PodInfo)          {}
func (nobody) NominatedPodsForNode(string) []fwk.PodInfo                     { return nil }
func (nobody) Activate(klog.Logger, map[string]*v1.Pod)                      {}

type scheduler struct {
	ctx      context.Context
	cancel   context.CancelFunc
	factory  informers.SharedInformerFactory
	cache    internalcache.Cache
	snapshot *internalcache.Snapshot
	// By parallelism; both look at the one snapshot.
	frameworks map[int]framework.Framework
	assumed    []*v1.Pod
	order      uint64 // of the placements
}

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func newScheduler(nodes []*v1.Node, placed []*v1.Pod) *scheduler {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), quiet))
	client := fake.NewSimpleClientset()
	s := &scheduler{
		ctx: ctx, cancel: cancel,
		factory:    informers.NewSharedInformerFactory(client, 0),
		cache:      internalcache.New(ctx, nil, false),
		snapshot:   internalcache.NewEmptySnapshot(),
		frameworks: map[int]framework.Framework{},
	}
	claims := assumecache.NewAssumeCache(quiet, s.factory.Resource().V1().ResourceClaims().Informer(), "ResourceClaim", "", nil)
	slices, err := tracker.StartTracker(ctx, tracker.Options{SliceInformer: s.factory.Resource().V1().ResourceSlices(), KubeClient: client})
	must(err)
	configuration, err := latest.Default()
	must(err)
	for _, parallelism := range []int{1, 16} {
		s.frameworks[parallelism], err = frameworkruntime.NewFramework(ctx, intree.NewInTreeRegistry(), &configuration.Profiles[0],
			frameworkruntime.WithInformerFactory(s.factory),
			frameworkruntime.WithClientSet(client),
			frameworkruntime.WithSnapshotSharedLister(s.snapshot),
			frameworkruntime.WithSharedDRAManager(dynamicresources.NewDRAManager(ctx, claims, slices, s.factory)),
			frameworkruntime.WithSharedCSIManager(nodevolumelimits.NewCSIManager(s.factory.Storage().V1().CSINodes().Lister())),
			frameworkruntime.WithPodNominator(nobody{}),
			frameworkruntime.WithPodActivator(nobody{}),
			frameworkruntime.WithWaitingPods(frameworkruntime.NewWaitingPodsMap()),
			frameworkruntime.WithPodsInPreBind(frameworkruntime.NewPodsInPreBindMap()),
			frameworkruntime.WithParallelism(parallelism),
		)
		must(err)
	}
	s.factory.Start(ctx.Done())
	s.factory.WaitForCacheSync(ctx.Done())
	for _, node := range nodes {
		s.cache.AddNode(quiet, node)
	}
	for _, pod := range placed {
		must(s.cache.AddPod(quiet, pod))
	}
	must(s.cache.UpdateSnapshot(quiet, s.snapshot))
	listed, err := s.snapshot.ListNodesInPlacement()
	must(err)
	for i, info := range listed {
		if info.Node().Name != nodes[i].Name {
			panic("the snapshot's order is not that of the nodes' numbers") // which decide relies on
		}
	}
	return s
}

func (s *scheduler) stop() {
	s.cancel()
	s.factory.Shutdown()
}

type onRejection bool

const (
	beSilent onRejection = false
	tellWhy  onRejection = true
)

// decide finds the pod a node and assumes it there, or tells why there is none.
// What it does is what the scheduler's scheduling cycle does with sampling off
// (percentageOfNodesToScore 100): all nodes are filtered and the feasible ones
// scored. Among the best, the scheduler takes a random one; this takes the one
// with the lowest number, so that it can be compared with what Berth does.
func (s *scheduler) decide(pod *v1.Pod, parallelism int, rejection onRejection) {
	must(s.cache.UpdateSnapshot(quiet, s.snapshot))
	nodes, err := s.snapshot.ListNodesInPlacement()
	must(err)
	fw := s.frameworks[parallelism]
	state := framework.NewCycleState()
	diagnosis := framework.Diagnosis{NodeToStatus: framework.NewDefaultNodeToStatus()}

	allowed, status, rejectors := fw.RunPreFilterPlugins(s.ctx, state, pod)
	must(status.AsError())
	if !allowed.AllNodes() {
		panic("no pod of the benchmark is for certain nodes")
	}
	diagnosis.UnschedulablePlugins = rejectors
	statuses := make([]*fwk.Status, len(nodes))
	fw.Parallelizer().Until(s.ctx, len(nodes), func(i int) {
		statuses[i] = fw.RunFilterPluginsWithNominatedPods(s.ctx, state, pod, nodes[i])
	}, metrics.Filter)
	feasible := make([]fwk.NodeInfo, 0, len(nodes))
	for i, status := range statuses {
		if status.IsSuccess() {
			feasible = append(feasible, nodes[i])
			continue
		}
		diagnosis.NodeToStatus.Set(nodes[i].Node().Name, status)
		diagnosis.AddPluginStatus(status)
	}
	if len(feasible) == 0 {
		fit := &framework.FitError{Pod: pod, NumAllNodes: len(nodes), Diagnosis: diagnosis}
		if rejection == tellWhy {
			s.note(fit.Error())
		} else {
			s.note("none")
		}
		return
	}

	must(fw.RunPreScorePlugins(s.ctx, state, pod, feasible).AsError())
	scores, status := fw.RunScorePlugins(s.ctx, state, pod, feasible)
	must(status.AsError())
	best := 0
	for i := range scores {
		if scores[i].TotalScore > scores[best].TotalScore {
			best = i
		}
	}

	assumed := pod.DeepCopy()
	assumed.Spec.NodeName = scores[best].Name
	must(s.cache.AssumePod(quiet, assumed))
	s.assumed = append(s.assumed, assumed)
	s.note(assumed.Spec.NodeName)
}

// note adds an outcome to `order`: FNV-1a over its bytes and a zero.
func (s *scheduler) note(outcome string) {
	for i := range len(outcome) {
		s.order = (s.order ^ uint64(outcome[i])) * 0x100000001B3
	}
	s.order *= 0x100000001B3
}

// takeOff removes the pods assumed since the last call.
func (s *scheduler) takeOff() {
	for _, pod := range s.assumed {
		must(s.cache.ForgetPod(quiet, pod))
	}
	s.assumed = s.assumed[:0]
}
