// Command config writes KubeSchedulerConfiguration files with what
// kube-scheduler makes of them. See README.md.
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
	"reflect"
	"sort"

	"k8s.io/klog/v2"
	"k8s.io/kubernetes/pkg/scheduler/metrics"
	"sigs.k8s.io/yaml"

	"berth.dev/oracle/internal/draw"
)

type headerLine struct {
	Kind     string `json:"kind"`
	Format   int    `json:"format"`
	Upstream string `json:"upstream"`
	Seed     uint64 `json:"seed"`
}

type outLine struct {
	I            int             `json:"i"`
	YAML         string          `json:"yaml"`
	YAMLSyntax   bool            `json:"yamlSyntax,omitempty"`
	FeatureGates map[string]bool `json:"featureGates,omitempty"`
	*verdict
	Features []string `json:"features,omitempty"`
}

func main() {
	seed := flag.Uint64("seed", 1, "seed of the (first) file")
	configs := flag.Int("configs", 100, "configurations per file")
	out := flag.String("out", "", "file to write (directory with -count); default is standard output")
	count := flag.Int("count", 0, "write this many files, with consecutive seeds, into the directory -out")
	summary := flag.Bool("summary", false, "print what the files cover to standard error")
	flag.Parse()
	quiet()
	metrics.Register()

	cov := newCoverage()
	if err := run(*seed, *configs, *count, *out, cov); err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if *summary {
		cov.print(os.Stderr)
	}
}

func run(seed uint64, configs, count int, out string, cov *coverage) error {
	switch {
	case flag.NArg() > 0:
		return fmt.Errorf("unexpected argument %q", flag.Arg(0))
	case configs < 0 || count < 0:
		return errors.New("-configs and -count must not be negative")
	case count > 0 && out == "":
		return errors.New("-count needs a directory: -out")
	case count > 0:
		if err := os.MkdirAll(out, 0o755); err != nil {
			return err
		}
		for s := seed; s < seed+uint64(count); s++ {
			if err := writeFile(filepath.Join(out, fmt.Sprintf("config-%04d.jsonl", s)), s, configs, cov); err != nil {
				return err
			}
		}
		return nil
	case out == "":
		return generate(os.Stdout, seed, configs, cov)
	}
	return writeFile(out, seed, configs, cov)
}

func writeFile(path string, seed uint64, configs int, cov *coverage) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := generate(f, seed, configs, cov); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}

func generate(w io.Writer, seed uint64, configs int, cov *coverage) error {
	r := draw.New(seed, "config")
	byPoint, err := implementers()
	if err != nil {
		return err
	}
	names := map[string]bool{}
	for _, list := range byPoint {
		for _, n := range list {
			names[n] = true
		}
	}
	var all []string
	for n := range names {
		all = append(all, n)
	}
	sort.Strings(all)

	b := bufio.NewWriter(w)
	enc := json.NewEncoder(b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(headerLine{"config", 1, "v1.36.3", seed}); err != nil {
		return err
	}
	next := int(seed) * 37 // mutations come in turn; another seed starts elsewhere
	for i := range configs {
		d := &drawing{r: r, byPoint: byPoint, all: all}
		d.valid()
		if n := r.Weighted(40, 42, 12, 6); n > 0 {
			chosen := []mutation{mutations[next%len(mutations)]}
			next++
			for _, m := range draw.Some(r, n-1, mutations) {
				if m.name != chosen[0].name {
					chosen = append(chosen, m)
				}
			}
			// An alias must find its anchor: nothing may change it afterwards.
			sort.SliceStable(chosen, func(i, j int) bool { return chosen[i].name != "alias" && chosen[j].name == "alias" })
			for _, m := range chosen {
				d.used("! %s", m.name)
				cov.mutations[m.name]++
				m.apply(d)
			}
		}
		text, err := d.write()
		if err != nil {
			return fmt.Errorf("seed %d line %d: %w", seed, i, err)
		}
		l := outLine{I: i, YAML: text, YAMLSyntax: d.syntax, FeatureGates: d.gates, Features: d.features}
		if l.verdict, err = settled(text, d.gates); err != nil {
			return fmt.Errorf("seed %d line %d: %w\n%s", seed, i, err, text)
		}
		cov.add(&l)
		if err := enc.Encode(l); err != nil {
			return err
		}
	}
	return b.Flush()
}

// write turns the drawing into text and makes sure that the text says what
// the tree does.
func (d *drawing) write() (string, error) {
	if d.text != nil {
		return *d.text, nil
	}
	want, tree := toJSON(d.root, false), any(nil)
	if d.asJSON || (!d.plain && json.Valid([]byte(want)) && d.r.Chance(0.08)) {
		return toJSON(d.root, d.r.Chance(0.5)), nil
	}
	text := toYAML(d.r, d.root)
	if json.Unmarshal([]byte(want), &tree) == nil && !d.repeats() {
		var got any
		if err := yaml.Unmarshal([]byte(text), &got); err != nil {
			return "", fmt.Errorf("own YAML: %w\n%s", err, text)
		}
		if !reflect.DeepEqual(got, tree) {
			return "", fmt.Errorf("own YAML reads differently\n%s\n%s", text, want)
		}
	}
	if d.finish != nil {
		text = d.finish(text)
	}
	return text, nil
}

// repeats says whether some key is written twice.
func (d *drawing) repeats() bool {
	var in func(v any) bool
	in = func(v any) bool {
		switch t := v.(type) {
		case *dict:
			if len(t.extra) > 0 {
				return true
			}
			for _, k := range t.keys {
				if in(t.values[k]) {
					return true
				}
			}
		case []any:
			for _, e := range t {
				if in(e) {
					return true
				}
			}
		}
		return false
	}
	return in(d.root)
}

// settled evaluates several times and fails if the answers differ: the
// generator must avoid what upstream decides by chance.
func settled(text string, gates map[string]bool) (*verdict, error) {
	first, err := evaluate(text, gates)
	if err != nil {
		return nil, err
	}
	again := 1
	if first.Stage == "validate" || first.Stage == "profiles" {
		again = 4
	}
	for range again {
		v, err := evaluate(text, gates)
		if err != nil {
			return nil, err
		}
		if !reflect.DeepEqual(v, first) {
			return nil, fmt.Errorf("the answer depends on chance: %v or %v", first.Errors, v.Errors)
		}
	}
	return first, nil
}

// quiet silences klog.
func quiet() {
	fs := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(fs)
	for k, v := range map[string]string{"logtostderr": "false", "stderrthreshold": "FATAL"} {
		if err := fs.Set(k, v); err != nil {
			panic(err)
		}
	}
	klog.SetOutput(io.Discard)
}
