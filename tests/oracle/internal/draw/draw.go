// Package draw has the random generators the oracles share.
package draw

import (
	"hash/fnv"
	"math/rand/v2"
)

// R is a reproducible source of randomness.
type R struct{ *rand.Rand }

// New returns the source for a seed. Different programs pass different names
// so that they do not draw the same numbers.
func New(seed uint64, name string) R {
	h := fnv.New64a()
	h.Write([]byte(name))
	return R{rand.New(rand.NewPCG(seed, h.Sum64()))}
}

// Chance is true with probability p.
func (r R) Chance(p float64) bool { return r.Float64() < p }

// Between draws from lo..hi, both included.
func (r R) Between(lo, hi int) int { return lo + r.IntN(hi-lo+1) }

// Pick draws one of the values.
func Pick[T any](r R, values ...T) T { return values[r.IntN(len(values))] }

// Weighted draws an index with probability in proportion to its weight.
func (r R) Weighted(weights ...int) int {
	sum := 0
	for _, w := range weights {
		sum += w
	}
	n := r.IntN(sum)
	for i, w := range weights {
		if n -= w; n < 0 {
			return i
		}
	}
	panic("no weights")
}

// Shuffled returns a permuted copy.
func Shuffled[T any](r R, values []T) []T {
	out := append([]T(nil), values...)
	r.Shuffle(len(out), func(i, j int) { out[i], out[j] = out[j], out[i] })
	return out
}

// Some returns n distinct values in random order (all of them if there are fewer).
func Some[T any](r R, n int, values []T) []T {
	out := Shuffled(r, values)
	if n < len(out) {
		out = out[:n]
	}
	return out
}

// Letters draws n characters of the alphabet.
func (r R) Letters(n int, alphabet string) string {
	b := make([]byte, n)
	for i := range b {
		b[i] = alphabet[r.IntN(len(alphabet))]
	}
	return string(b)
}
