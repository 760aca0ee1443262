package main

import (
	"bytes"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	apiequality "k8s.io/apimachinery/pkg/api/equality"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/runtime"
	kjsonserializer "k8s.io/apimachinery/pkg/runtime/serializer/json"
	"k8s.io/apimachinery/pkg/runtime/serializer/streaming"
	"k8s.io/client-go/kubernetes/scheme"
	restwatch "k8s.io/client-go/rest/watch"
)

type headerLine struct {
	Kind      string `json:"kind"`
	Format    int    `json:"format"`
	Upstream  string `json:"upstream"`
	Seed      uint64 `json:"seed"`
	Mode      string `json:"mode,omitempty"`
	Pods      int    `json:"pods,omitempty"`
	Nodes     int    `json:"nodes,omitempty"`
	Templates int    `json:"templates,omitempty"`
}

// An objectLine is also what -check and -bench read.
type objectLine struct {
	I          int             `json:"i"`
	Watch      bool            `json:"watch,omitempty"`
	APIVersion string          `json:"apiVersion"`
	Kind       string          `json:"kind"`
	JSON       json.RawMessage `json:"json"`
	Protobuf   string          `json:"protobuf"`
}

// The serializers of client-go's scheme; strictJSON also reports unknown and
// duplicate fields.
var (
	jsonInfo     = serializer(runtime.ContentTypeJSON)
	protobufInfo = serializer(runtime.ContentTypeProtobuf)
	strictJSON   = kjsonserializer.NewSerializerWithOptions(kjsonserializer.DefaultMetaFactory, scheme.Scheme, scheme.Scheme, kjsonserializer.SerializerOptions{Strict: true})
)

func serializer(mediaType string) runtime.SerializerInfo {
	info, ok := runtime.SerializerInfoForMediaType(scheme.Codecs.SupportedMediaTypes(), mediaType)
	if !ok {
		panic("no serializer for " + mediaType)
	}
	return info
}

func encode(e runtime.Encoder, o runtime.Object) ([]byte, error) {
	var b bytes.Buffer
	err := e.Encode(o, &b)
	return b.Bytes(), err
}

// encodeBoth encodes an object and makes sure that what comes back from each
// encoding is what went in.
func encodeBoth(o runtime.Object) (text, pb []byte, err error) {
	if text, err = encode(jsonInfo.Serializer, o); err != nil {
		return nil, nil, err
	}
	if pb, err = encode(protobufInfo.Serializer, o); err != nil {
		return nil, nil, err
	}
	fromJSON, _, err := strictJSON.Decode(text, nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("decoding JSON: %w", err)
	}
	fromPB, _, err := protobufInfo.Serializer.Decode(pb, nil, nil)
	if err != nil {
		return nil, nil, fmt.Errorf("decoding protobuf: %w", err)
	}
	if !apiequality.Semantic.DeepEqual(fromJSON, fromPB) {
		return nil, nil, fmt.Errorf("the encodings differ: %s", difference("", fromJSON, fromPB))
	}
	if !apiequality.Semantic.DeepEqual(fromJSON, o) {
		return nil, nil, fmt.Errorf("the decoded object differs: %s", difference("", fromJSON, o))
	}
	if err := unknownFields(pb); err != nil {
		return nil, nil, fmt.Errorf("own protobuf: %w", err)
	}
	return bytes.TrimSpace(text), pb, nil
}

func lineOf(i int, o runtime.Object) (*objectLine, error) {
	text, pb, err := encodeBoth(o)
	if err != nil {
		return nil, err
	}
	apiVersion, kind := o.GetObjectKind().GroupVersionKind().ToAPIVersionAndKind()
	return &objectLine{I: i, APIVersion: apiVersion, Kind: kind, JSON: text, Protobuf: base64.StdEncoding.EncodeToString(pb)}, nil
}

// An event is one change of a watch stream.
type event struct {
	kind   string
	object runtime.Object
}

// watchLine frames events as an API server does: each object in its own
// encoding, inside a WatchEvent, inside a frame.
func watchLine(i int, apiVersion, kind string, events []event) (*objectLine, error) {
	texts := []string{}
	var stream bytes.Buffer
	w := protobufInfo.StreamSerializer.Framer.NewFrameWriter(&stream)
	for _, e := range events {
		text, pb, err := encodeBoth(e.object)
		if err != nil {
			return nil, err
		}
		eventText, err := encode(jsonInfo.StreamSerializer.Serializer, &metav1.WatchEvent{Type: e.kind, Object: runtime.RawExtension{Raw: text}})
		if err != nil {
			return nil, err
		}
		eventBytes, err := encode(protobufInfo.StreamSerializer.Serializer, &metav1.WatchEvent{Type: e.kind, Object: runtime.RawExtension{Raw: pb}})
		if err != nil {
			return nil, err
		}
		texts = append(texts, string(bytes.TrimSuffix(eventText, []byte("\n"))))
		if n, err := w.Write(eventBytes); err != nil || n != len(eventBytes) {
			return nil, errors.Join(err, fmt.Errorf("frame of %d bytes: wrote %d", len(eventBytes), n))
		}
	}
	if err := readBack(stream.Bytes(), protobufInfo, events); err != nil {
		return nil, err
	}
	if err := readBack([]byte(strings.Join(texts, "\n")), jsonInfo, events); err != nil {
		return nil, err
	}
	var list bytes.Buffer
	enc := json.NewEncoder(&list)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(texts); err != nil {
		return nil, err
	}
	return &objectLine{I: i, Watch: true, APIVersion: apiVersion, Kind: kind, JSON: bytes.TrimSpace(list.Bytes()), Protobuf: base64.StdEncoding.EncodeToString(stream.Bytes())}, nil
}

// readBack has client-go read a watch stream and compares the events.
func readBack(stream []byte, info runtime.SerializerInfo, events []event) error {
	frames := info.StreamSerializer.Framer.NewFrameReader(io.NopCloser(bytes.NewReader(stream)))
	d := restwatch.NewDecoder(streaming.NewDecoder(frames, info.StreamSerializer.Serializer), info.Serializer)
	for n, e := range events {
		kind, o, err := d.Decode()
		if err != nil {
			return fmt.Errorf("%s stream, event %d: %w", info.MediaType, n, err)
		}
		if string(kind) != e.kind || !apiequality.Semantic.DeepEqual(o, e.object) {
			return fmt.Errorf("%s stream, event %d: %s %s", info.MediaType, n, kind, difference("", o, e.object))
		}
	}
	if _, _, err := d.Decode(); err != io.EOF {
		return fmt.Errorf("%s stream: expected its end, got %v", info.MediaType, err)
	}
	return nil
}
