package main

import (
	"encoding/base64"
	"fmt"
	"math"
	"reflect"
	"strconv"
	"strings"
	"time"

	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/apimachinery/pkg/util/intstr"

	"berth.dev/oracle/internal/draw"
)

// A filler sets the fields of API types at random. Its budget is the number of
// leaves it may still set; once it is used up everything optional stays unset.
type filler struct {
	r      draw.R
	budget int
	cov    *coverage
}

func newFiller(r draw.R, cov *coverage) *filler {
	return &filler{r: r, cov: cov, budget: [...]int{15, 50, 130, 350, 900}[r.Weighted(25, 30, 25, 15, 5)]}
}

var (
	typeMetaType  = reflect.TypeFor[metav1.TypeMeta]()
	timeType      = reflect.TypeFor[metav1.Time]()
	microTimeType = reflect.TypeFor[metav1.MicroTime]()
	durationType  = reflect.TypeFor[metav1.Duration]()
	fieldsType    = reflect.TypeFor[metav1.FieldsV1]()
	quantityType  = reflect.TypeFor[resource.Quantity]()
	intstrType    = reflect.TypeFor[intstr.IntOrString]()
	rawType       = reflect.TypeFor[runtime.RawExtension]()
	uidType       = reflect.TypeFor[types.UID]()
)

// fill sets v. hint is the name of the field it is in, optional says that v
// is a plain struct field, which may also keep its zero value.
func (f *filler) fill(v reflect.Value, hint string, optional bool) {
	switch v.Type() {
	case typeMetaType:
		return
	case timeType:
		if !(optional && f.r.Chance(0.3)) {
			v.Set(reflect.ValueOf(f.time()))
		}
	case microTimeType:
		if !(optional && f.r.Chance(0.3)) {
			t := metav1.NewMicroTime(f.time().Add(time.Duration(f.r.IntN(1_000_000)) * time.Microsecond))
			v.Set(reflect.ValueOf(t))
		}
	case durationType:
		v.Set(reflect.ValueOf(metav1.Duration{Duration: time.Duration(f.r.Int64N(int64(100 * time.Hour)))}))
	case fieldsType:
		v.Set(reflect.ValueOf(*metav1.NewFieldsV1(f.managedFields())))
	case quantityType:
		if !(optional && f.r.Chance(0.2)) {
			v.Set(reflect.ValueOf(draw.Quantity(f.r)))
		}
	case intstrType:
		v.Set(reflect.ValueOf(f.intOrString()))
	case rawType:
		v.Set(reflect.ValueOf(runtime.RawExtension{Raw: []byte(f.rawObject(2))}))
	default:
		f.fillKind(v, hint, optional)
		return
	}
	f.budget--
}

func (f *filler) fillKind(v reflect.Value, hint string, optional bool) {
	switch v.Kind() {
	case reflect.Struct:
		f.fillStruct(v)
		return
	case reflect.Pointer:
		if f.budget <= 0 || f.r.Chance(0.4) {
			return
		}
		p := reflect.New(v.Type().Elem())
		f.fill(p.Elem(), hint, false)
		v.Set(p)
		return
	case reflect.Slice:
		if v.Type().Elem().Kind() == reflect.Uint8 {
			if n := f.size(); n > 0 {
				b := make([]byte, f.r.Between(1, 40))
				for i := range b {
					b[i] = byte(f.r.Uint32())
				}
				v.SetBytes(b)
				f.budget--
			}
			return
		}
		n := f.size()
		if n == 0 {
			return
		}
		s := reflect.MakeSlice(v.Type(), n, n)
		for i := range n {
			f.fill(s.Index(i), hint, false)
		}
		v.Set(s)
		return
	case reflect.Map:
		n := f.size()
		if n == 0 {
			return
		}
		m := reflect.MakeMap(v.Type())
		for range n {
			key, value := reflect.New(v.Type().Key()).Elem(), reflect.New(v.Type().Elem()).Elem()
			f.fill(key, hint+"Key", false)
			f.fill(value, hint, false)
			m.SetMapIndex(key, value)
		}
		v.Set(m)
		return
	}
	f.budget--
	if optional && f.r.Chance(0.25) {
		return
	}
	switch v.Kind() {
	case reflect.String:
		v.SetString(f.text(v.Type(), hint))
	case reflect.Bool:
		v.SetBool(f.r.Chance(0.6))
	case reflect.Int32:
		v.SetInt(f.integer(math.MinInt32, math.MaxInt32, hint))
	case reflect.Int64:
		v.SetInt(f.integer(math.MinInt64, math.MaxInt64, hint))
	default:
		panic(fmt.Sprintf("no generator for %v", v.Type()))
	}
}

func (f *filler) fillStruct(v reflect.Value) {
	t := v.Type()
	// Random order: whatever comes last may find the budget used up.
	for _, i := range f.r.Perm(t.NumField()) {
		if !t.Field(i).IsExported() {
			continue
		}
		f.fill(v.Field(i), t.Field(i).Name, true)
		f.cov.field(t, i, !v.Field(i).IsZero())
	}
}

func (f *filler) size() int {
	if f.budget <= 0 {
		return 0
	}
	return f.r.Weighted(38, 32, 20, 10)
}

// time draws a whole second between 1970 and 2100, mostly in recent years.
func (f *filler) time() metav1.Time {
	switch f.r.Weighted(80, 15, 3, 2) {
	case 0:
		return metav1.Unix(1_600_000_000+f.r.Int64N(200_000_000), 0)
	case 1:
		return metav1.Unix(f.r.Int64N(4_102_444_800), 0)
	case 2:
		return metav1.Unix(draw.Pick[int64](f.r, 1, 59, 951782400, 1<<31-1, 1<<31, 4_102_444_799), 0)
	}
	return metav1.Unix(0, 0)
}

func (f *filler) integer(min, max int64, hint string) int64 {
	if f.r.Chance(0.1) {
		return draw.Pick(f.r, min, max, min+1, max-1, 0, -1, 1, 127, 128, 16383, 16384, 1<<31-1, -1<<31)
	}
	switch {
	case strings.Contains(hint, "Port"):
		return int64(f.r.Between(1, 65535))
	case max > math.MaxInt32 && f.r.Chance(0.1):
		return f.r.Int64N(1 << 60)
	}
	return int64(f.r.Between(0, draw.Pick(f.r, 3, 100, 100_000)))
}

func (f *filler) intOrString() intstr.IntOrString {
	if f.r.Chance(0.5) {
		return intstr.FromInt32(int32(f.integer(math.MinInt32, math.MaxInt32, "")))
	}
	return intstr.FromString(draw.Pick(f.r, "25%", "100%", "http", "metrics", "80", "0", "-1%", "", f.plain("Name")))
}

// text draws a string: a value of the type's vocabulary or one that suits the
// field's name, now and then something else entirely.
func (f *filler) text(t reflect.Type, hint string) string {
	if f.r.Chance(0.06) {
		return f.oddText()
	}
	if known := vocabulary[t]; known != nil {
		if t == uidType && f.r.Chance(0.8) {
			return f.uid()
		}
		return draw.Pick(f.r, known...)
	}
	return f.plain(hint)
}

func (f *filler) uid() string {
	h := f.r.Letters(32, "0123456789abcdef")
	return h[:8] + "-" + h[8:12] + "-4" + h[13:16] + "-a" + h[17:20] + "-" + h[20:]
}

func (f *filler) oddText() string {
	switch f.r.Weighted(35, 20, 20, 10, 10, 5) {
	case 0:
		return ""
	case 1:
		return draw.Pick(f.r, "größe", "日本語", "Ω≈ç√∫", "emoji 🚢⚓", "e\u0301", "\u2028line\u2029", "\ufeffbom", "𝔘𝔫𝔦", "null", "true", "12", "\U0010ffff", "\ufffd", "a\u00a0b")
	case 2:
		return draw.Pick(f.r, "a\"b\"c", "back\\slash", "tab\there", "line\nbreak", "<b>&amp;</b>", "\x01\x1f\x7f", "\r\n", "nul\x00byte", "{\"json\":[1,2]}", "/*c*/ // c", "%s %d %%", "\b\f", "'single'")
	case 3:
		return " " + f.plain("Message") + " "
	case 4:
		return f.r.Letters(f.r.Between(1, 3), "abcdefghijklmnopqrstuvwxyz")
	}
	return strings.Repeat(f.plain("Message")+" ", f.r.Between(8, 60))
}

var (
	words      = []string{"alpha", "bravo", "cache", "data", "edge", "front", "gate", "harbor", "index", "jobs", "kite", "log", "mail", "node", "ops", "proxy", "queue", "redis", "store", "web"}
	namespaces = []string{"default", "kube-system", "prod", "staging", "team-a", "team-b", "monitoring"}
	labelKeys  = []string{"app", "tier", "app.kubernetes.io/name", "app.kubernetes.io/instance", "topology.kubernetes.io/zone", "kubernetes.io/hostname", "node.kubernetes.io/instance-type", "pod-template-hash", "example.com/owner"}
)

func (f *filler) word() string { return draw.Pick(f.r, words...) }

func (f *filler) name() string {
	return f.word() + "-" + draw.Pick(f.r, f.word(), strconv.Itoa(f.r.IntN(100)), f.r.Letters(5, "bcdfghjklmnpqrstvwxz2456789"))
}

// plain draws a string that suits a field of this name.
func (f *filler) plain(hint string) string {
	r := f.r
	has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(hint, p) {
				return true
			}
		}
		return false
	}
	switch {
	case hint == "Namespace" || hint == "Namespaces":
		return draw.Pick(r, namespaces...)
	case has("ResourceVersion"):
		return strconv.Itoa(r.Between(1, 90_000_000))
	case hint == "Continue":
		return base64.RawURLEncoding.EncodeToString([]byte(`{"v":"meta.k8s.io/v1","rv":` + strconv.Itoa(r.IntN(1e6)) + `,"start":"` + f.name() + `\u0000"}`))
	case hint == "APIVersion":
		return draw.Pick(r, "v1", "apps/v1", "batch/v1", "example.com/v1alpha1")
	case hint == "Kind":
		return draw.Pick(r, "Pod", "ReplicaSet", "Node", "PersistentVolumeClaim", "Widget")
	case has("LabelsKey", "AnnotationsKey", "SelectorKey", "MatchLabelsKey", "TopologyKey", "LabelKeys") || hint == "Key":
		return draw.Pick(r, labelKeys...)
	case has("Labels", "Selector") || hint == "Value" || hint == "Values":
		return draw.Pick(r, f.word(), f.name(), strconv.Itoa(r.IntN(30)), "", "v1.2.3", "zone-"+r.Letters(1, "abc"))
	case hint == "Image" || has("ImageID", "Images"):
		return draw.Pick(r, "registry.example", "images.example:5000", "localhost") + "/" + f.word() + "/" + f.name() + draw.Pick(r, ":1.2", ":latest", "@sha256:"+r.Letters(64, "0123456789abcdef"), "")
	case has("Expression"):
		return draw.Pick(r, `device.driver == "gpu.example.com"`, `device.attributes["gpu.example.com"].model == "a100" && device.capacity["gpu.example.com"].memory.compareTo(quantity("40Gi")) >= 0`, "true")
	case has("IP", "Address", "Host"):
		return draw.Pick(r, fmt.Sprintf("10.%d.%d.%d", r.IntN(256), r.IntN(256), r.IntN(256)), fmt.Sprintf("fd00::%x", r.IntN(65536)), f.name()+".example.com")
	case has("CIDR"):
		return fmt.Sprintf("10.%d.%d.0/24", r.IntN(256), r.IntN(256))
	case has("Path", "Dir", "File"):
		return "/" + f.word() + "/" + f.name() + draw.Pick(r, "", ".yaml", "/")
	case has("Message", "Note", "Description"):
		var b []string
		for range r.Between(2, 12) {
			b = append(b, f.word())
		}
		return strings.Join(b, " ") + "."
	case has("Reason"):
		return draw.Pick(r, "Unschedulable", "KubeletReady", "MinimumReplicasAvailable", "FailedScheduling", "ContainerCreating", "OOMKilled", "Completed")
	case has("Driver", "Provisioner", "Attacher"):
		return draw.Pick(r, "ebs.csi.aws.com", "gpu.example.com", "dra.example.com", "kubernetes.io/no-provisioner")
	case has("Command", "Args"):
		return draw.Pick(r, "sh", "-c", "--verbose", "exec /bin/"+f.word()+" --port=$(PORT)", "run")
	case has("Annotations"):
		return draw.Pick(r, "true", f.name(), `{"a":"b","n":[1,2,3]}`, "2026-01-02T03:04:05Z", "")
	case has("Name", "Ref", "Claim", "Class", "Pool", "Node"):
		return f.name()
	}
	return draw.Pick(r, f.word(), f.name())
}

// managedFields draws a field set in its JSON form. Like every raw JSON here
// it has none of the characters Go escapes inside strings, as escaping would
// change the bytes in one encoding and not in the other.
func (f *filler) managedFields() string {
	var set func(depth int) string
	set = func(depth int) string {
		if depth == 0 {
			return "{}"
		}
		var parts []string
		if f.r.Chance(0.3) {
			parts = append(parts, `".":{}`)
		}
		for i := range f.r.Between(1, 3) {
			key := fmt.Sprintf("f:%s%d", f.word(), i)
			if f.r.Chance(0.2) {
				key = fmt.Sprintf(`k:{\"name\":\"%s\"}`, f.name())
			}
			parts = append(parts, `"`+key+`":`+set(f.r.IntN(depth)))
		}
		return "{" + strings.Join(parts, ",") + "}"
	}
	return set(f.r.Between(1, 4))
}

// rawObject draws a compact JSON object with distinct keys.
func (f *filler) rawObject(depth int) string {
	var parts []string
	for i, key := range draw.Some(f.r, f.r.IntN(4), words) {
		value := draw.Pick(f.r, "1", "-2.5", "true", "null", `"text"`, "[]", `[1,"two",{"three":3}]`, `"\u00e9\n\"q\""`, "9007199254740993", `"é日"`)
		if depth > 0 && i == 0 {
			value = f.rawObject(depth - 1)
		}
		parts = append(parts, `"`+key+`":`+value)
	}
	return "{" + strings.Join(parts, ",") + "}"
}
