package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"berth.dev/oracle/internal/draw"
)

// A document is a tree of *dict, []any, string, int, bool, nil, verbatim,
// anchor and alias.
type dict struct {
	keys   []string
	values map[string]any
	extra  []pair // entries written in addition, to repeat a key
}

type pair struct {
	key   string
	value any
}

// verbatim is a scalar written as it stands.
type verbatim string

// anchor names its value so that an alias can repeat it.
type anchor struct {
	name  string
	value any
}

type alias struct{ name string }

func newDict(pairs ...any) *dict {
	d := &dict{values: map[string]any{}}
	for i := 0; i < len(pairs); i += 2 {
		d.set(pairs[i].(string), pairs[i+1])
	}
	return d
}

func (d *dict) set(key string, value any) {
	if _, ok := d.values[key]; !ok {
		d.keys = append(d.keys, key)
	}
	d.values[key] = value
}

func (d *dict) remove(key string) {
	delete(d.values, key)
	for i, k := range d.keys {
		if k == key {
			d.keys = append(d.keys[:i], d.keys[i+1:]...)
			return
		}
	}
}

// at returns the dictionary under key, adding it if there is none.
func (d *dict) at(key string) *dict {
	if v, ok := d.values[key].(*dict); ok {
		return v
	}
	v := newDict()
	d.set(key, v)
	return v
}

func (d *dict) list(key string) []any {
	l, _ := d.values[key].([]any)
	return l
}

func (d *dict) add(key string, values ...any) { d.set(key, append(d.list(key), values...)) }

// A writer turns a tree into YAML, in varying style.
type writer struct {
	r        draw.R
	b        strings.Builder
	step     int
	indented bool // lists are indented under their key
	comments bool
	flow     float64
}

func toYAML(r draw.R, root *dict) string {
	w := &writer{r: r, step: draw.Pick(r, 2, 2, 2, 4), indented: r.Chance(0.4), comments: r.Chance(0.2), flow: draw.Pick(r, 0, 0, 0.15, 0.5)}
	if r.Chance(0.1) {
		w.b.WriteString("---\n")
	}
	w.dict(root, 0, false)
	if r.Chance(0.03) {
		w.b.WriteString("...\n")
	}
	return w.b.String()
}

func (w *writer) endLine() {
	if w.comments && w.r.Chance(0.1) {
		w.b.WriteString(draw.Pick(w.r, " # a comment", "  # key: value", " #"))
	}
	w.b.WriteByte('\n')
}

func (w *writer) dict(d *dict, indent int, inList bool) {
	first := true
	entry := func(k string, v any) {
		if !first || !inList {
			if w.comments && w.r.Chance(0.05) {
				w.b.WriteString(draw.Pick(w.r, "# comment", strings.Repeat(" ", indent)+"# - comment: 'x", "") + "\n")
			}
			w.b.WriteString(strings.Repeat(" ", indent))
		}
		first = false
		w.b.WriteString(w.key(k) + ":")
		w.value(v, indent, true)
	}
	for _, k := range d.keys {
		entry(k, d.values[k])
	}
	for _, p := range d.extra {
		entry(p.key, p.value)
	}
}

// value writes what follows a key or a dash.
func (w *writer) value(v any, indent int, underKey bool) {
	if a, ok := v.(anchor); ok {
		w.b.WriteString(" &" + a.name)
		v = a.value
	}
	switch t := v.(type) {
	case *dict:
		if len(t.keys)+len(t.extra) > 0 && !w.small(v) {
			if underKey {
				w.endLine()
				w.dict(t, indent+w.step, false)
			} else {
				w.b.WriteByte(' ')
				w.dict(t, indent+2, true)
			}
			return
		}
	case []any:
		if len(t) > 0 && !w.small(v) && underKey {
			w.endLine()
			at := indent
			if w.indented {
				at += w.step
			}
			for _, e := range t {
				w.b.WriteString(strings.Repeat(" ", at) + "-")
				w.value(e, at, false)
			}
			return
		}
	}
	w.b.WriteString(" " + w.inline(v))
	w.endLine()
}

// small decides whether to write a collection in flow style.
func (w *writer) small(v any) bool { return w.r.Chance(w.flow) && len(w.inline(v)) < 100 }

func (w *writer) inline(v any) string {
	switch t := v.(type) {
	case *dict:
		var parts []string
		for _, k := range t.keys {
			parts = append(parts, w.key(k)+": "+w.inline(t.values[k]))
		}
		for _, p := range t.extra {
			parts = append(parts, w.key(p.key)+": "+w.inline(p.value))
		}
		return "{" + strings.Join(parts, ", ") + "}"
	case []any:
		var parts []string
		for _, e := range t {
			parts = append(parts, w.inline(e))
		}
		return "[" + strings.Join(parts, ", ") + "]"
	case string:
		return w.text(t)
	case verbatim:
		return string(t)
	case alias:
		return "*" + t.name
	case anchor:
		return "&" + t.name + " " + w.inline(t.value)
	case nil:
		return draw.Pick(w.r, "null", "~", "Null", "null")
	case bool:
		if t {
			return draw.Pick(w.r, "true", "true", "True")
		}
		return draw.Pick(w.r, "false", "false", "False")
	case int:
		return strconv.Itoa(t)
	}
	panic(fmt.Sprintf("no YAML for %T", v))
}

var (
	safeText  = regexp.MustCompile(`^[A-Za-z/][A-Za-z0-9._/-]*$`)
	wordTexts = map[string]bool{"true": true, "false": true, "yes": true, "no": true, "on": true, "off": true, "y": true, "n": true, "null": true}
	durations = regexp.MustCompile(`^-?[0-9]+(\.[0-9]+)?(ms|s|m|h)$`)
)

func (w *writer) key(k string) string {
	if w.r.Chance(0.02) && safeText.MatchString(k) {
		return `"` + k + `"`
	}
	if safeText.MatchString(k) && !wordTexts[strings.ToLower(k)] {
		return k
	}
	return strconv.Quote(k)
}

func (w *writer) text(s string) string {
	plain := (safeText.MatchString(s) || durations.MatchString(s)) && !wordTexts[strings.ToLower(s)]
	if plain && w.r.Chance(0.8) {
		return s
	}
	printable := true
	for _, c := range s {
		printable = printable && c >= ' ' && c < 127
	}
	if printable && w.r.Chance(0.4) {
		return "'" + strings.ReplaceAll(s, "'", "''") + "'"
	}
	q, err := json.Marshal(s)
	if err != nil {
		panic(err)
	}
	return string(q)
}

// toJSON writes a tree as JSON, which has no anchors.
func toJSON(root *dict, indent bool) string {
	var b bytes.Buffer
	anchored := map[string]any{}
	var write func(v any)
	write = func(v any) {
		switch t := v.(type) {
		case *dict:
			b.WriteByte('{')
			n := 0
			entry := func(k string, v any) {
				if n++; n > 1 {
					b.WriteByte(',')
				}
				b.WriteString(strconv.Quote(k) + ":")
				write(v)
			}
			for _, k := range t.keys {
				entry(k, t.values[k])
			}
			for _, p := range t.extra {
				entry(p.key, p.value)
			}
			b.WriteByte('}')
		case []any:
			b.WriteByte('[')
			for i, e := range t {
				if i > 0 {
					b.WriteByte(',')
				}
				write(e)
			}
			b.WriteByte(']')
		case verbatim:
			b.WriteString(string(t))
		case anchor:
			anchored[t.name] = t.value
			write(t.value)
		case alias:
			write(anchored[t.name])
		default:
			text, err := json.Marshal(v)
			if err != nil {
				panic(err)
			}
			b.Write(text)
		}
	}
	write(root)
	if !indent {
		return b.String()
	}
	var out bytes.Buffer
	if err := json.Indent(&out, b.Bytes(), "", "  "); err != nil {
		return b.String() // verbatim scalars need not be JSON
	}
	return out.String()
}
