package main

// The queue under test, and the calls of it that the scenarios are made of: the
// counterpart of bench/queue/driver.h.

import (
	"context"
	"time"
	_ "unsafe" // for linkname

	"github.com/go-logr/logr"
	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes/fake"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/backend/queue"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/framework/plugins/queuesort"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	testingclock "k8s.io/utils/clock/testing"
)

//go:linkname flushBackoffQCompleted k8s.io/kubernetes/pkg/scheduler/backend/queue.(*PriorityQueue).flushBackoffQCompleted
func flushBackoffQCompleted(p *queue.PriorityQueue, logger klog.Logger)

var quiet = logr.Discard()

// virtualClock is the testing clock without its lock and its search for waiters
// at every step: nobody waits here, and the queue should not be charged for it.
type virtualClock struct {
	*testingclock.FakeClock
	now time.Time
}

func (c *virtualClock) Now() time.Time                  { return c.now }
func (c *virtualClock) Since(t time.Time) time.Duration { return c.now.Sub(t) }

const (
	profile       = "default-scheduler"
	fit           = "NodeResourcesFit" // asks about new nodes
	affinity      = "InterPodAffinity" // asks about pods that got a node
	volumeBinding = "VolumeBinding"    // asks about new claims, and rejects nobody
)

type driver struct {
	pq    *queue.PriorityQueue
	clock *virtualClock
	ctx   context.Context
	stop  context.CancelFunc
	order uint64
	// The sets of rejecting plugins that a scheduling attempt would have made,
	// made before anything is timed.
	fits, affinities []sets.Set[string]
}

// newDriver makes a queue with kube-scheduler's defaults and three plugins, and
// rejections for this many failures.
func newDriver(failures int) *driver {
	ctx, cancel := context.WithCancel(klog.NewContext(context.Background(), quiet))
	start := time.Unix(1_700_000_000, 0)
	d := &driver{clock: &virtualClock{testingclock.NewFakeClock(start), start}, ctx: ctx, stop: cancel}
	hints := queue.QueueingHintMap{}
	for plugin, event := range map[string]fwk.ClusterEvent{
		fit:           {Resource: fwk.Node, ActionType: fwk.Add},
		affinity:      {Resource: fwk.Pod, ActionType: fwk.Add},
		volumeBinding: {Resource: fwk.PersistentVolumeClaim, ActionType: fwk.Add},
	} {
		hints[event] = []*queue.QueueingHintFunction{{PluginName: plugin, QueueingHintFn: hint}}
	}
	factory := informers.NewSharedInformerFactory(fake.NewSimpleClientset(), 0)
	d.pq = queue.NewPriorityQueue((&queuesort.PrioritySort{}).Less, factory,
		queue.WithClock(d.clock),
		queue.WithPodLister(factory.Core().V1().Pods().Lister()),
		queue.WithQueueingHintMapPerProfile(queue.QueueingHintMapPerProfile{profile: hints}),
		queue.WithMetricsRecorder(metrics.NewMetricsAsyncRecorder(1000, time.Second, ctx.Done())),
	)
	for range failures {
		d.fits = append(d.fits, sets.New(fit))
		d.affinities = append(d.affinities, sets.New(affinity))
	}
	return d
}

func (d *driver) pass(t time.Duration) { d.clock.now = d.clock.now.Add(t) }

func (d *driver) add(pod *v1.Pod) {
	d.pass(time.Microsecond)
	d.pq.Add(d.ctx, pod)
}

func (d *driver) pop() *framework.QueuedPodInfo {
	info, err := d.pq.Pop(quiet)
	if err != nil {
		panic(err)
	}
	d.order = (d.order ^ first8(info.Pod.UID)) * 0x100000001B3
	return info
}

func first8(uid types.UID) uint64 {
	return uint64(uid[0]) | uint64(uid[1])<<8 | uint64(uid[2])<<16 | uint64(uid[3])<<24 |
		uint64(uid[4])<<32 | uint64(uid[5])<<40 | uint64(uid[6])<<48 | uint64(uid[7])<<56
}

func (d *driver) done(pod *v1.Pod) { d.pq.Done(pod.UID) }

// take uses up one of the prepared sets.
func take(prepared *[]sets.Set[string]) sets.Set[string] {
	last := len(*prepared) - 1
	set := (*prepared)[last]
	*prepared = (*prepared)[:last]
	return set
}

func (d *driver) fail(info *framework.QueuedPodInfo, rejectors sets.Set[string]) {
	d.pass(time.Microsecond)
	info.ClearRejectorPlugins()
	info.UnschedulablePlugins = rejectors
	if err := d.pq.AddUnschedulableIfNotPresent(quiet, info, d.pq.SchedulingCycle()); err != nil {
		panic(err)
	}
}

func (d *driver) nodeAdded(node *v1.Node) {
	d.pq.MoveAllToActiveOrBackoffQueue(quiet, fwk.ClusterEvent{Resource: fwk.Node, ActionType: fwk.Add}, nil, node, nil)
}

func (d *driver) claimAdded(claim *v1.PersistentVolumeClaim) {
	event := fwk.ClusterEvent{Resource: fwk.PersistentVolumeClaim, ActionType: fwk.Add}
	d.pq.MoveAllToActiveOrBackoffQueue(quiet, event, nil, claim, nil)
}

func (d *driver) podAssigned(pod *v1.Pod) {
	d.pq.MoveAllToActiveOrBackoffQueue(quiet, framework.EventAssignedPodAdd, nil, pod, nil)
}

func (d *driver) flushBackoff() { flushBackoffQCompleted(d.pq, quiet) }
