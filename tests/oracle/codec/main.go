// Command codec writes random Kubernetes objects in both encodings of the API,
// checks what another implementation wrote, and times Go's own decoders. See
// README.md.
package main

import (
	"bufio"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

func main() {
	seed := flag.Uint64("seed", 1, "seed of the (first) file")
	objects := flag.Int("objects", 200, "objects per file")
	watches := flag.Int("watches", 20, "watch streams per file")
	kinds := flag.String("kinds", "", "only these kinds, separated by commas")
	mode := flag.String("mode", "random", "random or realistic")
	pods := flag.Int("pods", 1000, "mode realistic: number of pods")
	nodes := flag.Int("nodes", 100, "mode realistic: number of nodes")
	templates := flag.Int("templates", 50, "mode realistic: number of workloads the pods come from")
	out := flag.String("out", "", "file to write (directory with -count); default is standard output")
	count := flag.Int("count", 0, "write this many files, with consecutive seeds, into the directory -out")
	summary := flag.Bool("summary", false, "print what the files cover to standard error")
	checking := flag.Bool("check", false, "instead of generating, check the files given as arguments")
	against := flag.String("against", "", "with -check: the file with the original objects")
	benchFile := flag.String("bench", "", "instead of generating, time Go's decoders on the pods and nodes of this file")
	seconds := flag.Float64("seconds", 2, "with -bench: time for each measurement")
	flag.Parse()
	files := flag.Args()
	if *checking && len(files) > 2 && files[len(files)-2] == "-against" { // flags after the files
		*against, files = files[len(files)-1], files[:len(files)-2]
	}

	cov := newCoverage()
	err := func() error {
		write := func(w io.Writer, s uint64) error { return nil }
		selected, err := selectKinds(strings.FieldsFunc(*kinds, func(c rune) bool { return c == ',' }))
		switch {
		case err != nil:
			return err
		case *checking:
			n, err := check(files, *against)
			if err == nil {
				fmt.Println(n, "objects ok")
			}
			return err
		case len(files) > 0:
			return fmt.Errorf("unexpected argument %q", files[0])
		case *against != "":
			return errors.New("-against goes with -check")
		case *benchFile != "":
			if *seconds <= 0 {
				return errors.New("-seconds must be positive")
			}
			return bench(os.Stdout, *benchFile, *seconds)
		case *objects < 0 || *watches < 0 || *pods < 0 || *nodes < 0 || *count < 0 || *templates < 1:
			return errors.New("-objects, -watches, -pods, -nodes and -count must not be negative, -templates must be positive")
		case *mode == "random":
			write = func(w io.Writer, s uint64) error { return generate(w, s, *objects, *watches, selected, cov) }
		case *mode == "realistic":
			write = func(w io.Writer, s uint64) error { return realistic(w, s, *pods, *nodes, *templates, cov) }
		default:
			return fmt.Errorf("unknown -mode %q", *mode)
		}
		switch {
		case *count > 0 && *out == "":
			return errors.New("-count needs a directory: -out")
		case *count > 0:
			if err := os.MkdirAll(*out, 0o755); err != nil {
				return err
			}
			for s := *seed; s < *seed+uint64(*count); s++ {
				if err := writeFile(filepath.Join(*out, fmt.Sprintf("codec-%04d.jsonl", s)), s, write); err != nil {
					return err
				}
			}
			return nil
		case *out == "":
			return buffered(os.Stdout, *seed, write)
		}
		return writeFile(*out, *seed, write)
	}()
	if err != nil {
		fmt.Fprintln(os.Stderr, "error:", err)
		os.Exit(1)
	}
	if *summary {
		cov.print(os.Stderr)
	}
}

func buffered(w io.Writer, seed uint64, write func(io.Writer, uint64) error) error {
	b := bufio.NewWriterSize(w, 1<<20)
	if err := write(b, seed); err != nil {
		return err
	}
	return b.Flush()
}

func writeFile(path string, seed uint64, write func(io.Writer, uint64) error) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	if err := buffered(f, seed, write); err != nil {
		return errors.Join(err, f.Close())
	}
	return f.Close()
}
