package main

// The same nodes and pods as bench/decide/cluster.cc makes.

import (
	"fmt"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/utils/ptr"
)

const (
	apps        = 50
	zones       = 3
	podsPerNode = 10
	maxSkew     = 5
)

// kinds are what a pod demands of where it goes; of mixed, see kindOf.
var kinds = []string{"plain", "spread", "affine", "anti-affine", "mixed"}

// kindOf tells the kind of one pod. Mixed is by turns 2 plain, 1 spread, 1
// anti-affine, 1 affine; an app has always the same.
func kindOf(kind string, app int) string {
	if kind != "mixed" {
		return kind
	}
	return []string{"plain", "plain", "spread", "anti-affine", "affine"}[app%5]
}

func makeNode(number int) *v1.Node {
	name := fmt.Sprintf("node-%d", number)
	capacity := v1.ResourceList{
		v1.ResourceCPU:    resource.MustParse("32"),
		v1.ResourceMemory: resource.MustParse("128Gi"),
		v1.ResourcePods:   resource.MustParse("110"),
	}
	return &v1.Node{
		ObjectMeta: metav1.ObjectMeta{
			Name:   name,
			UID:    types.UID("uid-" + name),
			Labels: map[string]string{v1.LabelHostname: name, v1.LabelTopologyZone: fmt.Sprintf("zone-%d", number%zones)},
		},
		Status: v1.NodeStatus{Capacity: capacity, Allocatable: capacity},
	}
}

// makePod makes a pod without a node. Its own app is what it spreads over, and is
// drawn to or kept away from.
func makePod(name, app, kind, cpu string) *v1.Pod {
	selector := &metav1.LabelSelector{MatchLabels: map[string]string{"app": app}}
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:              name,
			Namespace:         "default",
			UID:               types.UID("uid-" + name),
			CreationTimestamp: metav1.NewTime(time.Unix(1_700_000_000, 0)),
			Labels:            map[string]string{"app": app},
		},
		Spec: v1.PodSpec{
			Containers: []v1.Container{{
				Name:  "server",
				Image: "example.com/server:v1",
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
					v1.ResourceCPU:    resource.MustParse(cpu),
					v1.ResourceMemory: resource.MustParse("512Mi"),
				}},
			}},
			RestartPolicy: v1.RestartPolicyAlways,
			SchedulerName: v1.DefaultSchedulerName,
			Priority:      ptr.To[int32](0),
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
	switch kind {
	case "spread":
		pod.Spec.TopologySpreadConstraints = []v1.TopologySpreadConstraint{{
			MaxSkew: maxSkew, TopologyKey: v1.LabelTopologyZone, WhenUnsatisfiable: v1.DoNotSchedule, LabelSelector: selector,
		}}
	case "affine":
		pod.Spec.Affinity = &v1.Affinity{PodAffinity: &v1.PodAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: v1.LabelTopologyZone}},
		}}
	case "anti-affine":
		pod.Spec.Affinity = &v1.Affinity{PodAntiAffinity: &v1.PodAntiAffinity{
			RequiredDuringSchedulingIgnoredDuringExecution: []v1.PodAffinityTerm{{LabelSelector: selector, TopologyKey: v1.LabelHostname}},
		}}
	}
	return pod
}

func appName(app int) string { return fmt.Sprintf("app-%d", app) }

// placedPod is pod `number` of those that are there before anything is decided: of
// the same kind as those to be decided, and no two of an app on one node.
func placedPod(number int, kind string, perNode int) *v1.Pod {
	app := number % apps
	pod := makePod(fmt.Sprintf("placed-%d", number), appName(app), kindOf(kind, app), "250m")
	pod.Spec.NodeName = fmt.Sprintf("node-%d", number/perNode)
	pod.Status.Phase = v1.PodRunning
	return pod
}

// seenPods are of the apps that are there already.
func seenPods(kind string, count int) []*v1.Pod {
	var pods []*v1.Pod
	for i := range count {
		app := i % apps
		pods = append(pods, makePod(fmt.Sprintf("seen-%d", i), appName(app), kindOf(kind, app), "250m"))
	}
	return pods
}

// newPods have an app each that nobody else has.
func newPods(kind string, count int) []*v1.Pod {
	var pods []*v1.Pod
	for i := range count {
		pods = append(pods, makePod(fmt.Sprintf("new-%d", i), fmt.Sprintf("unique-%d", i), kindOf(kind, i%apps), "250m"))
	}
	return pods
}

// rejectedPods are replicas of one app that no node has enough CPU for.
func rejectedPods(kind string, count int) []*v1.Pod {
	var pods []*v1.Pod
	for i := range count {
		pods = append(pods, makePod(fmt.Sprintf("rejected-%d", i), appName(0), kindOf(kind, 0), "64"))
	}
	return pods
}
