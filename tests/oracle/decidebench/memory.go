package main

// What a cluster takes in memory. Nodes and pods are decoded from their protobuf
// encoding, as from a watch: each has its own strings.

import (
	"fmt"
	"os"
	"runtime/debug"
	"strconv"
	"strings"

	v1 "k8s.io/api/core/v1"
)

type message interface {
	Marshal() ([]byte, error)
	Unmarshal([]byte) error
}

func decoded[T message](object, into T) T {
	bytes, err := object.Marshal()
	must(err)
	must(into.Unmarshal(bytes))
	return into
}

func measureMemory(nodeCount, perNode int) {
	const kind = "mixed"
	var nodes []*v1.Node
	for number := range nodeCount {
		nodes = append(nodes, decoded(makeNode(number), &v1.Node{}))
	}
	var placed []*v1.Pod
	for number := range nodeCount * perNode {
		placed = append(placed, decoded(placedPod(number, kind, perNode), &v1.Pod{}))
	}
	s := newScheduler(nodes, placed)
	for _, pod := range seenPods(kind, apps) {
		s.decide(pod, 16, beSilent)
	}
	// As it is between collections, and with everything given back that can be.
	report := func(item, field string) {
		fmt.Printf("{\"item\":%q,\"nodes\":%d,\"pods\":%d,\"value\":%.1f}\n", item, nodeCount, len(placed), residentMegabytes(field))
	}
	report("resident MB", "VmRSS:")
	report("resident MB, peak", "VmHWM:")
	debug.FreeOSMemory()
	report("resident MB, after giving back", "VmRSS:")
	s.takeOff()
	s.stop()
}

func residentMegabytes(field string) float64 {
	text, err := os.ReadFile("/proc/self/status")
	must(err)
	for line := range strings.Lines(string(text)) {
		if words := strings.Fields(line); len(words) == 3 && words[0] == field {
			kilobytes, err := strconv.Atoi(words[1])
			must(err)
			return float64(kilobytes) / 1024
		}
	}
	panic("no " + field)
}
