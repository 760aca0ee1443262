package main

// The same pods, nodes and hints as bench/queue/pods.cc makes.

import (
	"fmt"
	"strconv"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/klog/v2"
	fwk "k8s.io/kube-scheduler/framework"
	"k8s.io/utils/ptr"
)

const classes = 100

// mix is SplitMix64.
func mix(word uint64) uint64 {
	word += 0x9E3779B97F4A7C15
	word = (word ^ (word >> 30)) * 0xBF58476D1CE4E5B9
	word = (word ^ (word >> 27)) * 0x94D049BB133111EB
	return word ^ (word >> 31)
}

func makeUID(number int) types.UID {
	high, low := mix(2*uint64(number)), mix(2*uint64(number)+1)
	return types.UID(fmt.Sprintf("%08x-%04x-4%03x-8%03x-%012x", high>>32, high>>16&0xFFFF, high&0xFFF, low>>48&0xFFF, low&0xFFFFFFFFFFFF))
}

func templateHash(class int) string { return fmt.Sprintf("%09x", mix(1_000_000+uint64(class))>>28) }

func className(class int) string { return fmt.Sprintf("class-%03d", class) }

// classOf tells the class of a pod; with firstHasTen, class 0 has 10 pods and
// the others about the same number each.
func classOf(number int, firstHasTen bool) int {
	if !firstHasTen {
		return number % classes
	}
	if number < 10 {
		return 0
	}
	return 1 + number%(classes-1)
}

func makePods(pods []*v1.Pod, count int, firstHasTen bool) []*v1.Pod {
	for number := len(pods); number < count; number++ {
		pods = append(pods, makePod(number, classOf(number, firstHasTen)))
	}
	return pods
}

func makePod(number, class int) *v1.Pod {
	service := fmt.Sprintf("service-%d", class)
	hash := templateHash(class)
	pod := &v1.Pod{
		ObjectMeta: metav1.ObjectMeta{
			Name:              fmt.Sprintf("%s-%s-%06x", service, hash, (uint64(number)*0x9E3779B1+12345)&0xFFFFFF),
			UID:               makeUID(number),
			ResourceVersion:   strconv.Itoa(1_000_000 + number),
			Namespace:         fmt.Sprintf("team-%d", class%10),
			CreationTimestamp: metav1.NewTime(time.Unix(1_700_000_000, 0)),
			Labels: map[string]string{
				"app.kubernetes.io/name":     service,
				"app.kubernetes.io/instance": service + "-prod",
				"bench/class":                className(class),
				"pod-template-hash":          hash,
			},
		},
		Spec: v1.PodSpec{
			Containers: []v1.Container{{
				Name:  "server",
				Image: "example.com/" + service + ":v1",
				Resources: v1.ResourceRequirements{Requests: v1.ResourceList{
					v1.ResourceCPU:    *resource.NewMilliQuantity(int64(100+10*class), resource.DecimalSI),
					v1.ResourceMemory: *resource.NewQuantity(1<<28, resource.BinarySI),
				}},
			}},
			RestartPolicy:      v1.RestartPolicyAlways,
			SchedulerName:      profile,
			ServiceAccountName: service,
			Priority:           ptr.To([]int32{0, 0, 0, 1000, 1_000_000}[class%5]),
		},
		Status: v1.PodStatus{Phase: v1.PodPending},
	}
	for _, key := range []string{"node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"} {
		pod.Spec.Tolerations = append(pod.Spec.Tolerations, v1.Toleration{
			Key: key, Operator: v1.TolerationOpExists, Effect: v1.TaintEffectNoExecute, TolerationSeconds: ptr.To[int64](300),
		})
	}
	return pod
}

// makeNode makes a node whose appearance wakes one class of pods, all ("*") or none ("nobody").
func makeNode(wakes string) *v1.Node {
	return &v1.Node{ObjectMeta: metav1.ObjectMeta{
		Name:   "node-" + wakes,
		Labels: map[string]string{"bench/wakes": wakes, "kubernetes.io/os": "linux"},
	}}
}

func hint(_ klog.Logger, pod *v1.Pod, _, newObj interface{}) (fwk.QueueingHint, error) {
	object, ok := newObj.(metav1.Object)
	if !ok {
		return fwk.Queue, nil
	}
	who, ok := object.GetLabels()["bench/wakes"]
	if ok && (who == "*" || pod.Labels["bench/class"] == who) {
		return fwk.Queue, nil
	}
	return fwk.QueueSkip, nil
}
