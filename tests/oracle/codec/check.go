package main

import (
	"bufio"
	"bytes"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"sort"
	"strconv"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/conversion"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

// readLines calls fn for every line of a file that is not a header.
func readLines(path string, fn func(*objectLine) error) error {
	f, err := os.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<20)
	for n := 1; ; n++ {
		line, err := in.ReadBytes('\n')
		if err != nil && err != io.EOF {
			return err
		}
		if len(bytes.TrimSpace(line)) > 0 {
			var head struct {
				Kind   string `json:"kind"`
				Format int    `json:"format"`
			}
			var l objectLine
			if err := json.Unmarshal(line, &head); err != nil {
				return fmt.Errorf("%s line %d: %w", path, n, err)
			}
			if !(n == 1 && head.Format != 0) {
				if err := json.Unmarshal(line, &l); err != nil {
					return fmt.Errorf("%s line %d: %w", path, n, err)
				}
				if err := fn(&l); err != nil {
					return fmt.Errorf("%s line %d (i %d, %s): %w", path, n, l.I, l.Kind, err)
				}
			}
		}
		if err == io.EOF {
			return nil
		}
	}
}

// decodeBoth decodes the two encodings of a line, strictly.
func decodeBoth(l *objectLine) (fromJSON, fromPB runtime.Object, err error) {
	var compact bytes.Buffer // white space inside raw JSON fields means nothing
	if err := json.Compact(&compact, l.JSON); err != nil {
		return nil, nil, fmt.Errorf("json: %w", err)
	}
	fromJSON, gvk, err := strictJSON.Decode(compact.Bytes(), nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("json: %w", err)
	}
	if v, k := gvk.ToAPIVersionAndKind(); v != l.APIVersion || k != l.Kind {
		return nil, nil, fmt.Errorf("json: is %s %s, the line says %s %s", v, k, l.APIVersion, l.Kind)
	}
	pb, err := base64.StdEncoding.DecodeString(l.Protobuf)
	if err != nil {
		return nil, nil, fmt.Errorf("protobuf: %w", err)
	}
	fromPB, gvk, err = protobufInfo.Serializer.Decode(pb, nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("protobuf: %w", err)
	}
	if v, k := gvk.ToAPIVersionAndKind(); v != l.APIVersion || k != l.Kind {
		return nil, nil, fmt.Errorf("protobuf: the envelope says %s %s, the line %s %s", v, k, l.APIVersion, l.Kind)
	}
	if err := unknownFields(pb); err != nil {
		return nil, nil, fmt.Errorf("protobuf: %w", err)
	}
	return fromJSON, fromPB, nil
}

// semantic compares as the API server does, and raw JSON by what it says: how a string is escaped means nothing.
var semantic = func() conversion.Equalities {
	e := apiequality.Semantic.Copy()
	if err := e.AddFunc(func(a, b runtime.RawExtension) bool {
		x, errX := jsonValue(a.Raw)
		y, errY := jsonValue(b.Raw)
		return errX == nil && errY == nil && reflect.DeepEqual(x, y)
	}); err != nil {
		panic(err)
	}
	return e
}()

func jsonValue(raw []byte) (v any, err error) {
	if len(raw) == 0 {
		return nil, nil
	}
	d := json.NewDecoder(bytes.NewReader(raw))
	d.UseNumber()
	err = d.Decode(&v)
	return v, err
}

func check(files []string, against string) (int, error) {
	if len(files) == 0 {
		return 0, errors.New("-check needs files")
	}
	originals := map[int]runtime.Object{}
	if against != "" {
		err := readLines(against, func(l *objectLine) error {
			if l.Watch {
				return nil
			}
			o, _, err := decodeBoth(l)
			originals[l.I] = o
			return err
		})
		if err != nil {
			return 0, err
		}
	}
	n := 0
	for _, file := range files {
		err := readLines(file, func(l *objectLine) error {
			if l.Watch {
				return nil
			}
			a, b, err := decodeBoth(l)
			if err != nil {
				return err
			}
			if !semantic.DeepEqual(a, b) {
				return fmt.Errorf("json and protobuf differ: %s", difference("", a, b))
			}
			if against != "" {
				o := originals[l.I]
				if o == nil {
					return errors.New("no such object in the file given with -against")
				}
				if !semantic.DeepEqual(a, o) {
					return fmt.Errorf("differs from the original (second): %s", difference("", a, o))
				}
			}
			n++
			return nil
		})
		if err != nil {
			return n, err
		}
	}
	return n, nil
}

// difference describes the first place where two values differ.
func difference(path string, a, b any) string {
	return differ(path, reflect.ValueOf(a), reflect.ValueOf(b))
}

func differ(path string, a, b reflect.Value) string {
	show := func(v reflect.Value) string {
		if !v.IsValid() {
			return "nothing"
		}
		text, err := json.Marshal(v.Interface())
		if err != nil {
			return fmt.Sprintf("%#v", v.Interface())
		}
		return string(text)
	}
	here := func() string { return fmt.Sprintf("%s: %s != %s", path, show(a), show(b)) }
	if a.Type() != b.Type() {
		return fmt.Sprintf("%s: type %v != %v", path, a.Type(), b.Type())
	}
	switch a.Type() {
	case timeType, microTimeType, durationType, fieldsType, quantityType, intstrType, rawType:
		return here()
	}
	same := func(x, y reflect.Value) bool { return semantic.DeepEqual(x.Interface(), y.Interface()) }
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if !a.IsNil() && !b.IsNil() {
			return differ(path, a.Elem(), b.Elem())
		}
	case reflect.Struct:
		for i := range a.NumField() {
			if !a.Type().Field(i).IsExported() || same(a.Field(i), b.Field(i)) {
				continue
			}
			name, _, _ := strings.Cut(a.Type().Field(i).Tag.Get("json"), ",")
			if name == "" { // inlined
				return differ(path, a.Field(i), b.Field(i))
			}
			return differ(path+"."+name, a.Field(i), b.Field(i))
		}
	case reflect.Slice:
		for i := range min(a.Len(), b.Len()) {
			if !same(a.Index(i), b.Index(i)) {
				return differ(path+"["+strconv.Itoa(i)+"]", a.Index(i), b.Index(i))
			}
		}
		if a.Len() != b.Len() {
			return fmt.Sprintf("%s: %d elements != %d elements", path, a.Len(), b.Len())
		}
	case reflect.Map:
		keys := a.MapKeys()
		for _, k := range b.MapKeys() {
			if !a.MapIndex(k).IsValid() {
				keys = append(keys, k)
			}
		}
		sort.Slice(keys, func(i, j int) bool { return keys[i].String() < keys[j].String() })
		for _, k := range keys {
			x, y := a.MapIndex(k), b.MapIndex(k)
			at := path + "[" + strconv.Quote(k.String()) + "]"
			if !x.IsValid() || !y.IsValid() {
				return fmt.Sprintf("%s: %s != %s", at, show(x), show(y))
			}
			if !same(x, y) {
				return differ(at, x, y)
			}
		}
	}
	return here()
}

// unknownFields finds field numbers that Go's decoders would skip. The Go
// types' struct tags say which numbers exist.
func unknownFields(pb []byte) error {
	if !bytes.HasPrefix(pb, []byte("k8s\x00")) {
		return errors.New("no k8s\\0 prefix")
	}
	var unknown runtime.Unknown
	if err := unknown.Unmarshal(pb[4:]); err != nil {
		return err
	}
	if err := scan("envelope", pb[4:], reflect.TypeFor[runtime.Unknown](), 0); err != nil {
		return err
	}
	o, err := scheme.Scheme.New(unknown.GroupVersionKind())
	if err != nil {
		return err
	}
	return scan(unknown.Kind, unknown.Raw, reflect.TypeOf(o).Elem(), 0)
}

type pbField struct {
	name string
	t    reflect.Type // of a message; nil for anything else
	m    reflect.Type // of a map
}

var pbFields = map[reflect.Type]map[uint64]pbField{}

func fieldsOf(t reflect.Type) map[uint64]pbField {
	if known := pbFields[t]; known != nil {
		return known
	}
	out := map[uint64]pbField{}
	switch t {
	case timeType, microTimeType:
		t = reflect.TypeFor[metav1.Timestamp]()
	case quantityType:
		return map[uint64]pbField{1: {name: "string"}}
	case durationType:
		return map[uint64]pbField{1: {name: "duration"}}
	}
	for i := range t.NumField() {
		parts := strings.Split(t.Field(i).Tag.Get("protobuf"), ",")
		if len(parts) < 2 {
			continue
		}
		n, err := strconv.ParseUint(parts[1], 10, 32)
		if err != nil {
			panic(fmt.Sprintf("%v.%s: %v", t, t.Field(i).Name, err))
		}
		f := pbField{name: t.Field(i).Name}
		inner := t.Field(i).Type
		for inner.Kind() == reflect.Pointer || inner.Kind() == reflect.Slice {
			inner = inner.Elem()
		}
		switch inner.Kind() {
		case reflect.Struct:
			f.t = inner
		case reflect.Map:
			f.m = inner
		}
		out[n] = f
	}
	pbFields[t] = out
	return out
}

func scan(path string, data []byte, t reflect.Type, depth int) error {
	if depth > 100 {
		return fmt.Errorf("%s: nested too deep", path)
	}
	known := fieldsOf(t)
	return eachField(path, data, func(number uint64, wire int, body []byte) error {
		f, ok := known[number]
		if !ok {
			return fmt.Errorf("%s: field number %d is unknown in %s", path, number, t.Name())
		}
		at := path + "." + f.name
		switch {
		case f.t != nil && wire == 2:
			return scan(at, body, f.t, depth+1)
		case f.m != nil && wire == 2:
			return eachField(at, body, func(number uint64, wire int, value []byte) error {
				if number != 1 && number != 2 {
					return fmt.Errorf("%s: field number %d in a map entry", at, number)
				}
				if number == 2 && f.m.Elem().Kind() == reflect.Struct {
					return scan(at, value, f.m.Elem(), depth+1)
				}
				return nil
			})
		}
		return nil
	})
}

func eachField(path string, data []byte, fn func(number uint64, wire int, body []byte) error) error {
	for len(data) > 0 {
		tag, n := binary.Uvarint(data)
		if n <= 0 {
			return fmt.Errorf("%s: bad field tag", path)
		}
		data = data[n:]
		var body []byte
		switch wire := int(tag & 7); wire {
		case 0:
			_, n := binary.Uvarint(data)
			if n <= 0 {
				return fmt.Errorf("%s: bad varint", path)
			}
			body, data = data[:n], data[n:]
		case 1, 5:
			size := 8
			if wire == 5 {
				size = 4
			}
			if len(data) < size {
				return fmt.Errorf("%s: cut short", path)
			}
			body, data = data[:size], data[size:]
		case 2:
			size, n := binary.Uvarint(data)
			if n <= 0 || size > uint64(len(data)-n) {
				return fmt.Errorf("%s: bad length", path)
			}
			body, data = data[n:n+int(size)], data[n+int(size):]
		default:
			return fmt.Errorf("%s: wire type %d", path, wire)
		}
		if err := fn(tag>>3, int(tag&7), body); err != nil {
			return err
		}
	}
	return nil
}
