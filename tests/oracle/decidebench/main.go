// Command decidebench measures kube-scheduler's own decisions, in process and
// without an API server, on the pods and nodes that bench-decide (bench/decide)
// measures Berth's on. bench/decide/run runs both and prints the ratios.
//
// A decision: update the snapshot, run PreFilter, filter all nodes, run PreScore,
// score the feasible nodes, choose, copy the pod and assume it there. The pods of a
// round are taken off again after it. Included: what the framework does with its locks
// and metrics (of plugins none: the scheduler samples those), logging discarded.
// Not included: the queue, Reserve, binding, preemption, making pods and nodes, and
// garbage that was there before a measurement (collected first; the collector stays on).
//
// v1.36 can also skip filtering and scoring (OpportunisticBatching) for a pod like the
// one before it if that one filled its node. No pod here fills a node.
package main

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

// effort is how much is measured in a cluster of a size.
type effort struct {
	decisions int // in a round
	rounds    int // the fastest counts
}

func effortFor(nodes int, quick bool) effort {
	switch {
	case quick && nodes > 1_000:
		return effort{5, 1}
	case quick:
		return effort{20, 1}
	case nodes <= 100:
		return effort{100, 5}
	case nodes <= 1_000:
		return effort{50, 2}
	case nodes <= 5_000:
		return effort{15, 2}
	default:
		return effort{6, 1}
	}
}

func main() {
	sizes := flag.String("nodes", "100,1000,5000,20000", "sizes of clusters, by commas")
	only := flag.String("kinds", strings.Join(kinds, ","), "kinds of pods, by commas")
	quick := flag.Bool("quick", false, "repeat less")
	memory := flag.Bool("memory", false, "tell what 5,000 nodes with 150,000 pods take in memory, and nothing else")
	flag.Parse()
	klog.SetLogger(quiet)
	metrics.Register()
	if *memory {
		measureMemory(5_000, 30)
		return
	}
	for _, text := range strings.Split(*sizes, ",") {
		nodes, err := strconv.Atoi(text)
		must(err)
		for _, kind := range strings.Split(*only, ",") {
			if !slices.Contains(kinds, kind) {
				panic("no such kind: " + kind)
			}
			measure(nodes, kind, effortFor(nodes, *quick))
		}
	}
}

func measure(nodeCount int, kind string, e effort) {
	var nodes []*v1.Node
	for number := range nodeCount {
		nodes = append(nodes, makeNode(number))
	}
	var placed []*v1.Pod
	for number := range nodeCount * podsPerNode {
		placed = append(placed, placedPod(number, kind, podsPerNode))
	}
	s := newScheduler(nodes, placed)
	defer s.stop()

	for _, item := range []struct {
		name        string
		parallelism int
		onRejection onRejection
		pods        []*v1.Pod
	}{
		{"seen", 1, beSilent, seenPods(kind, e.decisions)},
		{"seen", 16, beSilent, seenPods(kind, e.decisions)},
		{"new", 1, beSilent, newPods(kind, e.decisions)},
		{"rejected", 1, beSilent, rejectedPods(kind, e.decisions)},
		{"rejected and told", 1, tellWhy, rejectedPods(kind, e.decisions)},
	} {
		best := time.Duration(math.MaxInt64)
		for range e.rounds {
			s.order = 0
			best = min(best, timed(item.parallelism, func() {
				for _, pod := range item.pods {
					s.decide(pod, item.parallelism, item.onRejection)
				}
			}))
			s.takeOff()
		}
		fmt.Printf("{\"item\":%q,\"kind\":%q,\"nodes\":%d,\"goroutines\":%d,\"decisions\":%d,\"ns\":%d,\"order\":\"%016x\"}\n",
			item.name, kind, nodeCount, item.parallelism, len(item.pods), best.Nanoseconds(), s.order)
	}
}

// timed tells how long `work` takes. Of one goroutine it is the lesser of the wall
// clock's time and the processor time: what else the machine does disturbs little, and
// garbage collected on another processor is not charged. Of several it is the wall's.
func timed(parallelism int, work func()) time.Duration {
	runtime.GC()
	start, startCPU := time.Now(), processorTime()
	work()
	wall, cpu := time.Since(start), processorTime()-startCPU
	if parallelism == 1 {
		return min(wall, cpu)
	}
	return wall
}

// processorTime of the whole process.
func processorTime() time.Duration {
	var usage syscall.Rusage
	must(syscall.Getrusage(syscall.RUSAGE_SELF, &usage))
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}
