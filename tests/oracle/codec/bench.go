package main

import (
	"encoding/base64"
	"encoding/json"
	"fmt"
	"io"
	"time"

	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/client-go/kubernetes/scheme"
)

type benchOut struct {
	ProtobufPods  float64 `json:"protobufPodsPerSecond"`
	JSONPods      float64 `json:"jsonPodsPerSecond"`
	ProtobufNodes float64 `json:"protobufNodesPerSecond"`
	JSONNodes     float64 `json:"jsonNodesPerSecond"`
}

// bench times client-go's decoders on the pods and nodes of a file.
func bench(w io.Writer, file string, seconds float64) error {
	text, pb := map[string][][]byte{}, map[string][][]byte{}
	err := readLines(file, func(l *objectLine) error {
		if l.Watch || l.APIVersion != "v1" || (l.Kind != "Pod" && l.Kind != "Node") {
			return nil
		}
		b, err := base64.StdEncoding.DecodeString(l.Protobuf)
		if err != nil {
			return err
		}
		text[l.Kind] = append(text[l.Kind], l.JSON)
		pb[l.Kind] = append(pb[l.Kind], b)
		return nil
	})
	if err != nil {
		return err
	}
	if len(text) == 0 {
		return fmt.Errorf("%s has neither pods nor nodes", file)
	}
	factory := scheme.Codecs.WithoutConversion()
	jsonDecoder := factory.DecoderToVersion(jsonInfo.Serializer, coreV1)
	pbDecoder := factory.DecoderToVersion(protobufInfo.Serializer, coreV1)
	limit := time.Duration(seconds * float64(time.Second))
	var out benchOut
	for _, m := range []struct {
		rate *float64
		d    runtime.Decoder
		data [][]byte
	}{{&out.ProtobufPods, pbDecoder, pb["Pod"]}, {&out.JSONPods, jsonDecoder, text["Pod"]}, {&out.ProtobufNodes, pbDecoder, pb["Node"]}, {&out.JSONNodes, jsonDecoder, text["Node"]}} {
		if *m.rate, err = rate(m.d, m.data, limit); err != nil {
			return err
		}
	}
	return json.NewEncoder(w).Encode(out)
}

func rate(d runtime.Decoder, data [][]byte, limit time.Duration) (float64, error) {
	if len(data) == 0 {
		return 0, nil
	}
	n := 0
	start := time.Now()
	for {
		// Look at the clock only now and then.
		for range 32 {
			if _, _, err := d.Decode(data[n%len(data)], nil, nil); err != nil {
				return 0, err
			}
			n++
		}
		if elapsed := time.Since(start); elapsed >= limit {
			return float64(n) / elapsed.Seconds(), nil
		}
	}
}
