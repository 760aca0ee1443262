package main

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strconv"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"

	"berth.dev/oracle/internal/draw"
)

func newEncoder(w io.Writer) *json.Encoder {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	return enc
}

// generate writes one file of random objects and watch streams, evenly mixed.
func generate(w io.Writer, seed uint64, objects, watches int, kinds []kindInfo, cov *coverage) error {
	r := draw.New(seed, "codec")
	enc := newEncoder(w)
	if err := enc.Encode(headerLine{Kind: "codec", Format: 1, Upstream: "v1.36.3", Seed: seed}); err != nil {
		return err
	}
	var watched []kindInfo
	for _, k := range kinds {
		if k.list != "" {
			watched = append(watched, k)
		}
	}
	if len(watched) == 0 {
		watches = 0
	}
	next := int(seed) * 7 // so that short files of different seeds start with different kinds
	nextWatch := int(seed) * 3
	for i, streams := 0, 0; i < objects+watches; i++ {
		var l *objectLine
		var err error
		if streams < watches && streams*(objects+watches) <= i*watches && (i > 0 || objects == 0) {
			k := watched[nextWatch%len(watched)]
			nextWatch, streams = nextWatch+1, streams+1
			l, err = drawWatch(r, i, k, cov)
		} else {
			k := kinds[next%len(kinds)]
			next++
			l, err = lineOf(i, drawObject(newFiller(r, cov), k))
		}
		if err != nil {
			return fmt.Errorf("seed %d line %d: %w", seed, i, err)
		}
		cov.line(l)
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return nil
}

func drawObject(f *filler, k kindInfo) runtime.Object {
	o := newObject(k.gvk)
	v := structOf(o)
	if !k.isList {
		f.fill(v, k.gvk.Kind, false)
		return o
	}
	f.fill(v.FieldByName("ListMeta"), "ListMeta", false)
	items := v.FieldByName("Items")
	n := f.r.IntN(5)
	items.Set(reflect.MakeSlice(items.Type(), n, n))
	for i := range n {
		item := newFiller(f.r, f.cov)
		item.budget = min(item.budget, 130)
		item.fill(items.Index(i), "Items", false)
	}
	return o
}

func drawWatch(r draw.R, i int, k kindInfo, cov *coverage) (*objectLine, error) {
	var events []event
	version := r.Between(1, 1_000_000)
	object := func() runtime.Object {
		f := newFiller(r, cov)
		f.budget = min(f.budget, 130)
		o := drawObject(f, k)
		version += r.Between(1, 50)
		o.(metav1.Object).SetResourceVersion(strconv.Itoa(version))
		return o
	}
	for range r.IntN(7) {
		switch r.Weighted(30, 40, 15, 15) {
		case 0:
			events = append(events, event{"ADDED", object()})
		case 1:
			events = append(events, event{"MODIFIED", object()})
		case 2:
			events = append(events, event{"DELETED", object()})
		case 3:
			o := newObject(k.gvk)
			version += r.Between(1, 50)
			o.(metav1.Object).SetResourceVersion(strconv.Itoa(version))
			if r.Chance(0.4) {
				o.(metav1.Object).SetAnnotations(map[string]string{metav1.InitialEventsAnnotationKey: "true"})
			}
			events = append(events, event{"BOOKMARK", o})
		}
	}
	if r.Chance(0.25) {
		s := newObject(coreV1.WithKind("Status")).(*metav1.Status)
		s.Status = metav1.StatusFailure
		switch r.IntN(3) {
		case 0:
			s.Code, s.Reason, s.Message = 410, metav1.StatusReasonExpired, fmt.Sprintf("too old resource version: %d (%d)", version-r.IntN(1000), version)
		case 1:
			s.Code, s.Reason, s.Message = 504, metav1.StatusReasonTimeout, "Timeout: Too large resource version: 9, current: 3"
			s.Details = &metav1.StatusDetails{RetryAfterSeconds: 1, Causes: []metav1.StatusCause{{Type: metav1.CauseTypeResourceVersionTooLarge, Message: "Too large resource version"}}}
		default:
			f := newFiller(r, cov)
			f.fill(structOf(s), "Status", false)
		}
		events = append(events, event{"ERROR", s})
	}
	for _, e := range events {
		cov.events[e.kind]++
	}
	apiVersion, kind := k.gvk.ToAPIVersionAndKind()
	return watchLine(i, apiVersion, kind, events)
}
