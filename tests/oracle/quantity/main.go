// Command quantity writes texts of resource quantities with everything
// Kubernetes' own Quantity type says about them. See README.md.
package main

import (
	"bufio"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sort"
	"strconv"
	"unicode/utf8"

	"k8s.io/apimachinery/pkg/api/resource"
	kjson "sigs.k8s.io/json"

	"berth.dev/oracle/internal/draw"
)

type headerLine struct {
	Kind     string `json:"kind"`
	Format   int    `json:"format"`
	Upstream string `json:"upstream"`
	Seed     uint64 `json:"seed"`
}

type int64Out struct {
	Value string `json:"value"`
	OK    bool   `json:"ok"`
}

type outLine struct {
	Text                 *string   `json:"text,omitempty"`
	JSONNumber           bool      `json:"jsonNumber,omitempty"`
	JSON                 string    `json:"json,omitempty"`
	Op                   string    `json:"op,omitempty"`
	A                    string    `json:"a,omitempty"`
	B                    string    `json:"b,omitempty"`
	Scale                *int      `json:"scale,omitempty"`
	Error                string    `json:"error,omitempty"`
	Result               *int      `json:"result,omitempty"`
	Exact                *bool     `json:"exact,omitempty"`
	Canonical            string    `json:"canonical,omitempty"`
	Recomputed           string    `json:"recomputed,omitempty"`
	Value                string    `json:"value,omitempty"`
	MilliValue           string    `json:"milliValue,omitempty"`
	Sign                 *int      `json:"sign,omitempty"`
	AsInt64              *int64Out `json:"asInt64,omitempty"`
	AsApproximateFloat64 string    `json:"asApproximateFloat64,omitempty"`
	Notation             string    `json:"notation,omitempty"`
	Class                string    `json:"class,omitempty"`
}

func main() {
	seed := flag.Uint64("seed", 1, "seed of the (first) file")
	lines := flag.Int("lines", 2000, "lines per file, not counting the header")
	out := flag.String("out", "", "file to write (directory with -count); default is standard output")
	count := flag.Int("count", 0, "write this many files, with consecutive seeds, into the directory -out")
	summary := flag.Bool("summary", false, "print what the lines cover to standard error")
	flag.Parse()

	cov := coverage{}
	err := run(*seed, *lines, *count, *out, cov)
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if *summary {
		cov.print(os.Stderr)
	}
}

func run(seed uint64, lines, count int, out string, cov coverage) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case lines < 0:
		return errors.New("-lines must not be negative")
	case count < 0:
		return errors.New("-count must not be negative")
	case count > 0 && out == "":
		return errors.New("-count needs a directory: -out")
	case count > 0:
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
		for s := seed; s < seed+uint64(count); s++ {
			if err := writeFile(filepath.Join(out, fmt.Sprintf("quantity-%04d.jsonl", s)), s, lines, cov); err != nil {
				return err
			}
		}
		return nil
	case out == "":
		return generate(os.Stdout, seed, lines, cov)
	}
	return writeFile(out, seed, lines, cov)
}

func writeFile(path string, seed uint64, lines int, cov coverage) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := generate(f, seed, lines, cov); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func generate(w io.Writer, seed uint64, lines int, cov coverage) error {
	r := draw.New(seed, "quantity")
	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(headerLine{"quantity", 1, "v1.36.3", seed}); err != nil {
		return err
	}
	for range lines {
		l := drawLine(r)
		cov.add(l)
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return b.Flush()
}

func drawLine(r draw.R) *outLine {
	for {
		var l *outLine
		switch r.Weighted(60, 6, 5, 29) {
		case 0:
			l = textLine(r)
		case 1:
			l = numberLine(r)
		case 2:
			l = rawLine(r)
		default:
			l = opLine(r)
		}
		if l != nil {
			return l
		}
	}
}

// textLine is nil for a text that a JSON file cannot hold.
func textLine(r draw.R) *outLine {
	text, class, _ := draw.QuantityText(r)
	if !utf8.ValidString(text) {
		return nil
	}
	l := &outLine{Text: &text, Class: class}
	q, err := resource.ParseQuantity(text)
	describe(l, q, err)
	return l
}

// numberLine gives a JSON number as it stands. nil if the text drawn is none.
func numberLine(r draw.R) *outLine {
	text, class, _ := draw.QuantityText(r)
	if !json.Valid([]byte(text)) || text == "null" || text == "true" || text[0] == '"' {
		return nil
	}
	l := &outLine{Text: &text, JSONNumber: true, Class: class}
	q, err := fromJSON(text)
	describe(l, q, err)
	return l
}

// rawLine gives any JSON value.
func rawLine(r draw.R) *outLine {
	text, _, _ := draw.QuantityText(r)
	if !utf8.ValidString(text) {
		return nil
	}
	quoted, err := json.Marshal(text)
	if err != nil {
		panic(err)
	}
	raw := string(quoted)
	switch r.IntN(5) {
	case 0:
		raw = draw.Pick(r, "null", "true", "false", "{}", "[]", "[1]", `{"a":1}`, `""`, `" "`, `"\u0031"`, `"1\u0020"`, `"\t1"`, `"1\n"`, `"\"1\""`, `"1\/2"`, "0", "-0", "1", "1e3", "-1.5", "1E-4", "12345678901234567890")
	case 1:
		raw = `"` + draw.Pick(r, " ", "  ", "\u00a0", "\u0085", "\u2003", "\u3000") + raw[1:]
	case 2:
		raw = raw[:len(raw)-1] + draw.Pick(r, " ", "   ", "\u00a0", "\u2028", "\u200b") + `"`
	}
	if !json.Valid([]byte(raw)) {
		return nil
	}
	l := &outLine{JSON: raw, Class: "raw"}
	q, err := fromJSON(raw)
	describe(l, q, err)
	return l
}

// fromJSON decodes a field as client-go does.
func fromJSON(raw string) (resource.Quantity, error) {
	var doc struct {
		Q resource.Quantity `json:"q"`
	}
	err := kjson.UnmarshalCaseSensitivePreserveInts([]byte(`{"q":`+raw+`}`), &doc)
	return doc.Q, err
}

func describe(l *outLine, q resource.Quantity, err error) {
	if err != nil {
		l.Error = err.Error()
		return
	}
	// Some methods change the receiver's representation: always ask a copy.
	ask := func() *resource.Quantity { c := q.DeepCopy(); return &c }
	l.Canonical = ask().String()
	number, suffix := ask().CanonicalizeBytes(nil)
	if s := string(number) + string(suffix); s != l.Canonical {
		l.Recomputed = s
	}
	l.Value = strconv.FormatInt(ask().Value(), 10)
	l.MilliValue = strconv.FormatInt(ask().MilliValue(), 10)
	sign := ask().Sign()
	l.Sign = &sign
	v, ok := ask().AsInt64()
	l.AsInt64 = &int64Out{strconv.FormatInt(v, 10), ok}
	l.AsApproximateFloat64 = strconv.FormatFloat(ask().AsApproximateFloat64(), 'g', -1, 64)
	l.Notation = string(q.Format)
}

func opLine(r draw.R) *outLine {
	op := draw.Pick(r, "add", "add", "sub", "sub", "cmp", "cmp", "neg", "roundUp")
	l := &outLine{Op: op, A: draw.TameQuantityText(r)}
	a := resource.MustParse(l.A)
	if op == "add" || op == "sub" || op == "cmp" {
		l.B = draw.TameQuantityText(r)
		if r.Chance(0.15) { // the same number, perhaps printed differently
			l.B = a.String()
		}
		if r.Chance(0.05) {
			l.B = "0"
		}
		if r.Chance(0.05) {
			l.A = draw.Pick(r, "0", "0Ki", "0.0", "0e1")
			a = resource.MustParse(l.A)
		}
	}
	switch op {
	case "add":
		a.Add(resource.MustParse(l.B))
	case "sub":
		a.Sub(resource.MustParse(l.B))
	case "neg":
		a.Neg()
	case "cmp":
		result := a.Cmp(resource.MustParse(l.B))
		l.Result = &result
		return l
	case "roundUp":
		scale := draw.Pick(r, 0, 0, -3, -3, -6, -9, 3, 6, 9, 1, -1, 2, 12)
		exact := a.RoundUp(resource.Scale(scale))
		l.Scale, l.Exact = &scale, &exact
	}
	ask := func() *resource.Quantity { c := a.DeepCopy(); return &c }
	l.Canonical = ask().String()
	l.Value = strconv.FormatInt(ask().Value(), 10)
	l.MilliValue = strconv.FormatInt(ask().MilliValue(), 10)
	v, ok := ask().AsInt64()
	l.AsInt64 = &int64Out{strconv.FormatInt(v, 10), ok}
	l.Notation = string(a.Format)
	return l
}

// coverage counts lines by what they show.
type coverage map[string]int

func (c coverage) add(l *outLine) {
	switch {
	case l.Op != "":
		c["op "+l.Op]++
		if l.AsInt64 != nil && !l.AsInt64.OK {
			c["op result not an int64"]++
		}
		return
	case l.JSONNumber:
		c["input: JSON number"]++
	case l.JSON != "":
		c["input: JSON value"]++
	default:
		c["input: text"]++
	}
	c["class "+l.Class]++
	if l.Error != "" {
		c["error: "+l.Error]++
		return
	}
	c["notation "+l.Notation]++
	if l.Recomputed != "" {
		c["prints the text it was given, not the canonical one"]++
	}
	if l.AsInt64.OK {
		c["is an int64"]++
	}
	if *l.Sign != 0 && l.Value == "0" {
		c["Value() is 0 but the sign is not"]++
	}
	if l.MilliValue != "0" && (l.MilliValue[0] == '-') != (*l.Sign < 0) {
		c["MilliValue() has the wrong sign"]++
	}
	switch f := l.AsApproximateFloat64; f {
	case "+Inf", "-Inf", "NaN":
		c["float "+f]++
	}
}

func (c coverage) print(w io.Writer) {
	keys := make([]string, 0, len(c))
	for k := range c {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Fprintf(w, "%8d  %s\n", c[k], k)
	}
}
