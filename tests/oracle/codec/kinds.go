package main

import (
	"fmt"
	"reflect"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/kubernetes/scheme"
)

var (
	coreV1       = schema.GroupVersion{Version: "v1"}
	storageV1    = schema.GroupVersion{Group: "storage.k8s.io", Version: "v1"}
	policyV1     = schema.GroupVersion{Group: "policy", Version: "v1"}
	schedulingV1 = schema.GroupVersion{Group: "scheduling.k8s.io", Version: "v1"}
	appsV1       = schema.GroupVersion{Group: "apps", Version: "v1"}
	batchV1      = schema.GroupVersion{Group: "batch", Version: "v1"}
	resourceV1   = schema.GroupVersion{Group: "resource.k8s.io", Version: "v1"}
	coordV1      = schema.GroupVersion{Group: "coordination.k8s.io", Version: "v1"}
	eventsV1     = schema.GroupVersion{Group: "events.k8s.io", Version: "v1"}
)

// A kindInfo is one kind of object; list is its list kind, "" if it has none.
type kindInfo struct {
	gvk    schema.GroupVersionKind
	list   string
	isList bool
}

// allKinds has every kind, then every list kind, in a fixed order.
var allKinds = func() []kindInfo {
	var out []kindInfo
	add := func(gv schema.GroupVersion, kinds ...string) {
		for _, k := range kinds {
			list := k + "List"
			if k == "Binding" || k == "Status" {
				list = ""
			}
			out = append(out, kindInfo{gvk: gv.WithKind(k), list: list})
		}
	}
	add(coreV1, "Pod", "Node", "Namespace", "PersistentVolume", "PersistentVolumeClaim", "Service", "ReplicationController", "Binding", "Status",
		"LimitRange", "ResourceQuota", "Event")
	add(storageV1, "StorageClass", "CSINode", "CSIDriver", "CSIStorageCapacity", "VolumeAttachment")
	add(policyV1, "PodDisruptionBudget")
	add(schedulingV1, "PriorityClass")
	add(appsV1, "ReplicaSet", "Deployment", "StatefulSet", "DaemonSet")
	add(batchV1, "Job")
	add(resourceV1, "ResourceClaim", "ResourceSlice", "DeviceClass")
	add(coordV1, "Lease")
	add(eventsV1, "Event")
	for _, k := range out {
		if k.list != "" {
			out = append(out, kindInfo{gvk: k.gvk.GroupVersion().WithKind(k.list), isList: true})
		}
	}
	return out
}()

func newObject(gvk schema.GroupVersionKind) runtime.Object {
	o, err := scheme.Scheme.New(gvk)
	if err != nil {
		panic(err)
	}
	o.GetObjectKind().SetGroupVersionKind(gvk)
	return o
}

// selectKinds keeps the kinds named; none means all.
func selectKinds(names []string) ([]kindInfo, error) {
	if len(names) == 0 {
		return allKinds, nil
	}
	var out []kindInfo
	for _, n := range names {
		found := false
		for _, k := range allKinds {
			if k.gvk.Kind == n {
				out, found = append(out, k), true
			}
		}
		if !found {
			return nil, fmt.Errorf("unknown kind %q", n)
		}
	}
	return out, nil
}

func structOf(o runtime.Object) reflect.Value { return reflect.ValueOf(o).Elem() }
