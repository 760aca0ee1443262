// Prints the names of all fields of the kinds that Berth reads, as Kubernetes' Go types have them, in the form of
// berth/codec/known_fields.inc: see README.md.
package main

import (
	"fmt"
	"reflect"
	"sort"
	"strings"

	appsv1 "k8s.io/api/apps/v1"
	batchv1 "k8s.io/api/batch/v1"
	coordinationv1 "k8s.io/api/coordination/v1"
	corev1 "k8s.io/api/core/v1"
	eventsv1 "k8s.io/api/events/v1"
	policyv1 "k8s.io/api/policy/v1"
	resourcev1 "k8s.io/api/resource/v1"
	schedulingv1 "k8s.io/api/scheduling/v1"
	storagev1 "k8s.io/api/storage/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/util/intstr"
)

const maxLine = 118

type root struct {
	apiVersion string
	object     any
}

var roots = []root{
	{"v1", corev1.Pod{}}, {"v1", corev1.Node{}}, {"v1", corev1.Namespace{}}, {"v1", corev1.Service{}},
	{"v1", corev1.Binding{}}, {"v1", corev1.PersistentVolume{}}, {"v1", corev1.PersistentVolumeClaim{}},
	{"v1", corev1.ReplicationController{}}, {"v1", corev1.Event{}}, {"v1", corev1.LimitRange{}},
	{"v1", corev1.ResourceQuota{}}, {"v1", corev1.ConfigMap{}}, {"v1", metav1.Status{}},
	{"apps/v1", appsv1.ReplicaSet{}}, {"apps/v1", appsv1.Deployment{}}, {"apps/v1", appsv1.StatefulSet{}},
	{"apps/v1", appsv1.DaemonSet{}},
	{"batch/v1", batchv1.Job{}},
	{"policy/v1", policyv1.PodDisruptionBudget{}},
	{"scheduling.k8s.io/v1", schedulingv1.PriorityClass{}},
	{"storage.k8s.io/v1", storagev1.StorageClass{}}, {"storage.k8s.io/v1", storagev1.CSINode{}},
	{"storage.k8s.io/v1", storagev1.CSIDriver{}}, {"storage.k8s.io/v1", storagev1.CSIStorageCapacity{}},
	{"storage.k8s.io/v1", storagev1.VolumeAttachment{}},
	{"resource.k8s.io/v1", resourcev1.ResourceClaim{}}, {"resource.k8s.io/v1", resourcev1.ResourceClaimTemplate{}},
	{"resource.k8s.io/v1", resourcev1.ResourceSlice{}}, {"resource.k8s.io/v1", resourcev1.DeviceClass{}},
	{"coordination.k8s.io/v1", coordinationv1.Lease{}},
	{"events.k8s.io/v1", eventsv1.Event{}},
}

// Types that write themselves.
var ownForm = map[reflect.Type]string{
	reflect.TypeFor[metav1.Time]():          "time",
	reflect.TypeFor[metav1.MicroTime]():     "time",
	reflect.TypeFor[metav1.Duration]():      "duration",
	reflect.TypeFor[resource.Quantity]():    "quantity",
	reflect.TypeFor[intstr.IntOrString]():   "intOrString",
	reflect.TypeFor[runtime.RawExtension](): "any",
	reflect.TypeFor[metav1.FieldsV1]():      "any",
}

// Struct types by their name without the package; a name that several packages have is told apart by the package.
type names struct {
	types map[string][]reflect.Type
}

func (n *names) collect(t reflect.Type) {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array, reflect.Map:
		n.collect(t.Elem())
		return
	case reflect.Struct:
	default:
		return
	}
	if ownForm[t] != "" {
		return
	}
	for _, known := range n.types[t.Name()] {
		if known == t {
			return
		}
	}
	n.types[t.Name()] = append(n.types[t.Name()], t)
	for i := range t.NumField() {
		n.collect(t.Field(i).Type)
	}
}

func (n *names) of(t reflect.Type) string {
	if len(n.types[t.Name()]) == 1 {
		return t.Name()
	}
	path := strings.Split(t.PkgPath(), "/")
	return path[len(path)-2] + "." + t.Name()
}

func (n *names) form(t reflect.Type) string {
	if form := ownForm[t]; form != "" {
		return form
	}
	switch t.Kind() {
	case reflect.Pointer:
		return n.form(t.Elem())
	case reflect.Slice:
		if t.Elem().Kind() == reflect.Uint8 {
			return "bytes"
		}
		return "[]" + n.form(t.Elem())
	case reflect.Map:
		return "{}" + n.form(t.Elem())
	case reflect.Struct:
		return n.of(t)
	case reflect.String:
		return "string"
	case reflect.Bool:
		return "bool"
	case reflect.Int, reflect.Int8, reflect.Int16, reflect.Int32, reflect.Int64, reflect.Uint8, reflect.Uint16, reflect.Uint32:
		return "int"
	case reflect.Float32, reflect.Float64:
		return "number"
	case reflect.Interface:
		return "any"
	}
	panic("what is a " + t.String() + " in JSON?")
}

func (n *names) fields(t reflect.Type) []string {
	var out []string
	for i := range t.NumField() {
		field := t.Field(i)
		name, options, _ := strings.Cut(field.Tag.Get("json"), ",")
		if field.Anonymous && name == "" || strings.Contains(options, "inline") {
			embedded := field.Type
			if embedded.Kind() == reflect.Pointer {
				embedded = embedded.Elem()
			}
			out = append(out, n.fields(embedded)...)
			continue
		}
		if name == "-" || !field.IsExported() {
			continue
		}
		// "bytes,3,opt,name=..."
		if parts := strings.Split(field.Tag.Get("protobuf"), ","); len(parts) > 1 {
			name += "#" + parts[1]
		}
		if form := n.form(field.Type); form != "string" {
			name += ":" + form
		}
		out = append(out, name)
	}
	sort.Strings(out)
	return out
}

func printWrapped(words []string) {
	line := words[0]
	for _, word := range words[1:] {
		if len(line)+1+len(word) > maxLine {
			fmt.Println(line)
			line = " "
		}
		line += " " + word
	}
	fmt.Println(line)
}

func main() {
	n := &names{types: map[string][]reflect.Type{}}
	for _, r := range roots {
		n.collect(reflect.TypeOf(r.object))
	}
	var kinds []string
	for _, r := range roots {
		t := reflect.TypeOf(r.object)
		kinds = append(kinds, fmt.Sprintf("= %s %s %s", r.apiVersion, t.Name(), n.of(t)))
	}
	sort.Strings(kinds)
	var types []reflect.Type
	for _, each := range n.types {
		types = append(types, each...)
	}
	sort.Slice(types, func(i, j int) bool { return n.of(types[i]) < n.of(types[j]) })

	fmt.Println("// Generated by tests/oracle/fields from k8s.io/api; see known_fields.h. Do not edit.")
	fmt.Println(`R"fields(`)
	for _, kind := range kinds {
		fmt.Println(kind)
	}
	for _, t := range types {
		if t.Name() == "TypeMeta" {
			continue
		}
		printWrapped(append([]string{n.of(t)}, n.fields(t)...))
	}
	fmt.Println(`)fields"`)
}
