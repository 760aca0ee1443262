package main

// How much memory the queue takes for a pod and for events that happen while a pod
// is in flight, and how often its calls allocate.

import (
	"fmt"
	"runtime"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/util/sets"
	"k8s.io/kubernetes/pkg/scheduler/framework"
)

func heapBytes() float64 {
	runtime.GC()
	runtime.GC()
	var stats runtime.MemStats
	runtime.ReadMemStats(&stats)
	return float64(stats.HeapAlloc)
}

// memoryPerPod includes the sets of rejecting plugins, which the queue keeps for a
// pod, and leaves the pods themselves out. Upstream makes no difference between
// shared and distinct templates.
func memoryPerPod(pods []*v1.Pod, count int) {
	node := makeNode("*")
	measure := func(place string, fill func(*driver)) {
		d := newDriver(0)
		before := heapBytes()
		fill(d)
		reportValue(fmt.Sprintf("bytes per pod, %s, shared templates", place), count, (heapBytes()-before)/float64(count))
		runtime.KeepAlive(d)
		d.stop()
	}
	measure("active", func(d *driver) {
		for _, pod := range pods[:count] {
			d.add(pod)
		}
	})
	measure("backoff", func(d *driver) {
		for _, pod := range pods[:count] {
			d.add(pod)
			info := d.pop()
			d.nodeAdded(node) // while it is in flight, so that it goes to backoff
			d.fail(info, sets.New(fit))
		}
	})
	measure("parked", func(d *driver) {
		for _, pod := range pods[:count] {
			d.park(pod, sets.New(fit))
		}
	})
	runtime.KeepAlive(pods)
}

func memoryInFlight(pod *v1.Pod, events int) {
	node := makeNode("nobody")
	d := newDriver(0)
	d.add(pod)
	info := d.pop()
	before := heapBytes()
	for range events {
		d.nodeAdded(node)
	}
	reportValue("bytes held for events in flight", events, heapBytes()-before)
	d.done(info.Pod)
	reportValue("bytes held after the flight", events, heapBytes()-before)
	runtime.KeepAlive(d)
	d.stop()
}

func allocations(pods []*v1.Pod) {
	const count = 10_000
	if len(pods) < count {
		return
	}
	d := newDriver(2 * count)
	defer d.stop()
	var adds, pops, dones, fails uint64
	mallocs := func() uint64 {
		var stats runtime.MemStats
		runtime.ReadMemStats(&stats)
		return stats.Mallocs
	}
	// The first round fills the maps, the second counts. Reading the statistics stops
	// the world, so it is done per phase; pops are counted where nothing else is.
	for _, counts := range []bool{false, true} {
		counted := func(into *uint64, phase func()) {
			before := mallocs()
			phase()
			if counts {
				*into += mallocs() - before
			}
		}
		counted(&adds, func() {
			for _, pod := range pods[:count] {
				d.add(pod)
			}
		})
		infos := make([]*framework.QueuedPodInfo, 0, count)
		counted(&pops, func() {
			for range count {
				infos = append(infos, d.pop())
			}
		})
		counted(&fails, func() {
			for _, info := range infos {
				d.fail(info, take(&d.fits))
			}
		})
		d.nodeAdded(makeNode("*"))
		d.pass(12 * time.Second)
		d.flushBackoff()
		infos = infos[:0]
		counted(&pops, func() {
			for range count {
				infos = append(infos, d.pop())
			}
		})
		counted(&dones, func() {
			for _, info := range infos {
				d.done(info.Pod)
			}
		})
	}
	reportValue("allocations per add", count, float64(adds)/count)
	reportValue("allocations per pop", count, float64(pops)/(2*count))
	reportValue("allocations per done", count, float64(dones)/count)
	reportValue("allocations per fail", count, float64(fails)/count)
}
