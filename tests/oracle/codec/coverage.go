package main

import (
	"fmt"
	"io"
	"reflect"
	"sort"
)

// coverage counts the lines of each kind and remembers which struct fields
// have been set at least once.
type coverage struct {
	kinds, events map[string]int
	sizes         map[string]int
	fields        map[string]bool
}

func newCoverage() *coverage {
	return &coverage{map[string]int{}, map[string]int{}, map[string]int{}, map[string]bool{}}
}

func (c *coverage) field(t reflect.Type, i int, set bool) {
	if t.Field(i).Type == typeMetaType {
		return
	}
	name := t.PkgPath() + "." + t.Name() + "." + t.Field(i).Name
	c.fields[name] = c.fields[name] || set
}

func (c *coverage) line(l *objectLine) {
	kind := l.Kind
	if l.Watch {
		kind = "watch " + kind
	}
	c.kinds[kind]++
	c.sizes["JSON bytes"] += len(l.JSON)
	c.sizes["largest JSON"] = max(c.sizes["largest JSON"], len(l.JSON))
	c.sizes["protobuf base64 bytes"] += len(l.Protobuf)
}

func (c *coverage) print(w io.Writer) {
	for _, m := range []map[string]int{c.kinds, c.events, c.sizes} {
		for _, k := range sortedKeys(m) {
			fmt.Fprintf(w, "%10d  %s\n", m[k], k)
		}
	}
	if len(c.fields) == 0 {
		return // the filler was not used
	}
	unset := 0
	for _, k := range sortedKeys(c.fields) {
		if !c.fields[k] {
			unset++
			fmt.Fprintf(w, "never set: %s\n", k)
		}
	}
	fmt.Fprintf(w, "%d of %d fields seen were set\n", len(c.fields)-unset, len(c.fields))
	var missing []string
	for t := range reachable() {
		if t.NumField() > 0 && !seenType(c, t) {
			missing = append(missing, t.PkgPath()+"."+t.Name())
		}
	}
	sort.Strings(missing)
	for _, m := range missing {
		fmt.Fprintf(w, "never reached: %s\n", m)
	}
}

func seenType(c *coverage, t reflect.Type) bool {
	for i := range t.NumField() {
		if t.Field(i).Type == typeMetaType || !t.Field(i).IsExported() {
			continue
		}
		if _, ok := c.fields[t.PkgPath()+"."+t.Name()+"."+t.Field(i).Name]; ok {
			return true
		}
	}
	return false
}

// reachable has every struct type a file can contain.
func reachable() map[reflect.Type]bool {
	out := map[reflect.Type]bool{}
	var walk func(t reflect.Type)
	walk = func(t reflect.Type) {
		switch t {
		case typeMetaType, timeType, microTimeType, durationType, fieldsType, quantityType, intstrType, rawType:
			return
		}
		switch t.Kind() {
		case reflect.Struct:
			if out[t] {
				return
			}
			out[t] = true
			for i := range t.NumField() {
				walk(t.Field(i).Type)
			}
		case reflect.Pointer, reflect.Slice:
			walk(t.Elem())
		case reflect.Map:
			walk(t.Key())
			walk(t.Elem())
		}
	}
	for _, k := range allKinds {
		if !k.isList {
			walk(structOf(newObject(k.gvk)).Type())
		}
	}
	return out
}

func sortedKeys[V any](m map[string]V) []string {
	keys := make([]string, 0, len(m))
	for k := range m {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	return keys
}
