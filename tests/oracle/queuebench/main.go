// Command queuebench measures kube-scheduler's own scheduling queue on the
// operations that bench-queue (bench/queue) measures Berth's on: same pods, same
// calls, same clock. bench/queue/run runs both and prints the ratios.
//
// Included: the queue's calls with its locks, its metrics (registered, with the
// asynchronous recorder) and its log statements, whose output is discarded.
// Not included: making pods, making the sets of rejecting plugins, and garbage
// that was there before a measurement (collected first; the collector stays on).
package main

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"syscall"
	"time"
	"unsafe"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/framework"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
)

const (
	podsInFlight = 8
	mixRounds    = 100
	eventRounds  = 20
	// An event that every one of 1,000,000 parked pods is asked about takes about a second.
	maxPodsBesideEvents = 100_000
)

func main() {
	maxPods := flag.Int("max-pods", 1_000_000, "leave larger workloads out")
	quick := flag.Bool("quick", false, "repeat less")
	flag.Parse()
	runtime.LockOSThread()
	klog.SetLogger(quiet)
	metrics.Register()

	podsPerItem := 300_000
	if *quick {
		podsPerItem = 10_000
	}
	var even, uneven []*v1.Pod
	for _, count := range []int{1_000, 10_000, 100_000, 1_000_000} {
		if count > *maxPods {
			break
		}
		times := min(max(podsPerItem/count, 1), 30)
		even = makePods(even, count+mixRounds, false)
		addAndPop(even, count, times)
		cycle(even, count, times)
		if count <= maxPodsBesideEvents {
			steadyMix(even, count, min(times, 2))
		}
	}
	memoryPerPod(even, min(*maxPods, 100_000))
	even = nil
	for _, count := range []int{1_000, 10_000, 100_000} {
		if count > min(*maxPods, maxPodsBesideEvents) {
			break
		}
		uneven = makePods(uneven, count, true)
		events(uneven, count, *quick)
	}
	memoryInFlight(uneven[0], 100_000)
	allocations(uneven)
}

func reportSpeed(item string, pods, calls int, best time.Duration, order uint64) {
	fmt.Printf("{\"item\":%q,\"pods\":%d,\"calls\":%d,\"ns\":%d,\"order\":\"%016x\"}\n", item, pods, calls, best.Nanoseconds(), order)
}

func reportValue(item string, pods int, value float64) {
	fmt.Printf("{\"item\":%q,\"pods\":%d,\"value\":%.3f}\n", item, pods, value)
}

// timed returns the shorter of `best` and the processor time that `work` takes in this
// thread: what else the machine does disturbs little, and what the garbage collector
// does in other threads is not charged.
func timed(best time.Duration, work func()) time.Duration {
	start := threadTime()
	work()
	return min(best, threadTime()-start)
}

func threadTime() time.Duration {
	const clockThreadCPUTime = 3 // CLOCK_THREAD_CPUTIME_ID
	var t syscall.Timespec
	if _, _, errno := syscall.Syscall(syscall.SYS_CLOCK_GETTIME, clockThreadCPUTime, uintptr(unsafe.Pointer(&t)), 0); errno != 0 {
		panic(errno)
	}
	return time.Duration(t.Nano())
}

func addAndPop(pods []*v1.Pod, count, times int) {
	adding, popping := time.Duration(math.MaxInt64), time.Duration(math.MaxInt64)
	var order uint64
	for range times {
		d := newDriver(0)
		runtime.GC()
		adding = timed(adding, func() {
			for _, pod := range pods[:count] {
				d.add(pod)
			}
		})
		runtime.GC()
		popping = timed(popping, func() {
			for range count {
				d.done(d.pop().Pod)
			}
		})
		order = d.order
		d.stop()
	}
	reportSpeed("add", count, count, adding, 0)
	reportSpeed("pop, done", count, 2*count, popping, order)
}

// cycle: every pod is added, tried, rejected, woken by one event, flushed out of
// backoff, tried again and done.
func cycle(pods []*v1.Pod, count, times int) {
	node := makeNode("*")
	best := time.Duration(math.MaxInt64)
	var order uint64
	for range times {
		d := newDriver(count)
		runtime.GC()
		best = timed(best, func() {
			for _, pod := range pods[:count] {
				d.add(pod)
			}
			for range count {
				d.fail(d.pop(), take(&d.fits))
			}
			d.nodeAdded(node)
			d.pass(12 * time.Second)
			d.flushBackoff()
			for range count {
				d.done(d.pop().Pod)
			}
		})
		order = d.order
		d.stop()
	}
	reportSpeed("add, pop, fail, wake, flush, pop, done", count, 5*count+2, best, order)
}

func (d *driver) park(pod *v1.Pod, rejectors sets.Set[string]) {
	d.add(pod)
	d.fail(d.pop(), rejectors)
}

// mixedRejectors: one class in ten was rejected by InterPodAffinity, the others by
// NodeResourcesFit.
func (d *driver) mixedRejectors(number int) sets.Set[string] {
	if classOf(number, false)%10 == 0 {
		return take(&d.affinities)
	}
	return take(&d.fits)
}

// steadyMix: with `count` pods parked, pods come, a quarter is rejected, the others
// get a node, which is an event of its own; now and then a node appears that wakes a
// class. A few pods are always in flight.
func steadyMix(pods []*v1.Pod, count, times int) {
	var nodes []*v1.Node
	for c := range classes {
		nodes = append(nodes, makeNode(className(c)))
	}
	best := time.Duration(math.MaxInt64)
	var order uint64
	calls := 0
	for range times {
		d := newDriver(count + mixRounds)
		for number, pod := range pods[:count] {
			d.park(pod, d.mixedRejectors(number))
		}
		d.pass(60 * time.Second)
		var inFlight []*framework.QueuedPodInfo
		calls = 0
		runtime.GC()
		best = timed(best, func() {
			for round := range mixRounds {
				d.pass(10 * time.Millisecond)
				d.add(pods[count+round])
				inFlight = append(inFlight, d.pop())
				calls += 2
				if len(inFlight) > podsInFlight {
					info := inFlight[0]
					inFlight = inFlight[1:]
					if round%4 == 0 {
						d.fail(info, d.mixedRejectors(round))
						calls++
					} else {
						d.podAssigned(info.Pod)
						d.done(info.Pod)
						calls += 2
					}
				}
				if round%20 == 10 {
					d.nodeAdded(nodes[1+round/20])
					calls++
				}
				if round%50 == 49 {
					d.flushBackoff()
					calls++
				}
			}
		})
		order = d.order
		d.stop()
	}
	reportSpeed("steady mix beside parked pods", count, calls, best, order)
}

func events(pods []*v1.Pod, count int, quick bool) {
	rounds := eventRounds
	d := newDriver(count + 10*rounds)
	defer d.stop()
	for _, pod := range pods[:count] {
		d.park(pod, take(&d.fits))
	}
	d.pass(12 * time.Second)
	measure := func(item string, rounds int, event, again func()) {
		best := time.Duration(math.MaxInt64)
		runtime.GC()
		for range rounds {
			best = timed(best, event)
			again()
		}
		reportSpeed(item, count, 1, best, d.order)
	}
	fewer := rounds
	if quick {
		fewer = 5
	}
	claim := &v1.PersistentVolumeClaim{}
	measure("event of a plugin that rejected nobody", fewer, func() { d.claimAdded(claim) }, func() {})
	nobody := makeNode("nobody")
	measure("event that all 100 classes skip", fewer, func() { d.nodeAdded(nobody) }, func() {})
	wanted := makeNode(className(0))
	measure("event that wakes 10 pods", rounds, func() { d.nodeAdded(wanted) }, func() {
		for range 10 {
			d.fail(d.pop(), take(&d.fits))
		}
		if len(d.pq.UnschedulablePods()) != count {
			panic("pods are missing")
		}
		d.pass(12 * time.Second)
	})
}
