package draw

import (
	"math/big"
	"strconv"
	"strings"

	"k8s.io/apimachinery/pkg/api/resource"
)

var (
	decimalSuffixes = []string{"n", "u", "m", "", "k", "M", "G", "T", "P", "E"}
	binarySuffixes  = []string{"Ki", "Mi", "Gi", "Ti", "Pi", "Ei"}
)

// quantityClass is one way to draw a quantity's text. Texts of a tame class
// have a small exponent, so arithmetic with them is quick.
type quantityClass struct {
	name   string
	weight int
	tame   bool
	draw   func(R) string
}

var quantityClasses = []quantityClass{
	{"everyday", 6, true, everydayQuantity},
	{"decimal", 6, true, func(r R) string {
		return sign(r) + digits(r, r.Between(1, 19)) + fraction(r, 6) + Pick(r, decimalSuffixes...)
	}},
	{"binary", 6, true, func(r R) string {
		return sign(r) + digits(r, r.Between(1, 17)) + fraction(r, 4) + Pick(r, binarySuffixes...)
	}},
	{"exponent", 5, true, func(r R) string {
		return sign(r) + digits(r, r.Between(1, 19)) + fraction(r, 5) + exponent(r, Pick(r, 3, 12, 25))
	}},
	{"leadingZeros", 2, true, func(r R) string {
		return sign(r) + strings.Repeat("0", r.Between(1, 25)) + digits(r, r.Between(0, 19)) + fraction(r, 4) + anySuffix(r)
	}},
	{"trailingZeros", 3, true, func(r R) string {
		f := ""
		if r.Chance(0.4) {
			f = "." + digits(r, r.IntN(3)) + strings.Repeat("0", r.Between(1, 9))
		}
		return sign(r) + digits(r, r.Between(1, 5)) + strings.Repeat("0", r.Between(0, 18)) + f + anySuffix(r)
	}},
	{"fine", 4, true, func(r R) string {
		whole := digits(r, r.Between(0, 4))
		return sign(r) + whole + "." + strings.Repeat("0", r.IntN(14)) + digits(r, r.Between(1, 25)) + anySuffix(r)
	}},
	{"huge", 3, true, func(r R) string {
		return sign(r) + digits(r, Pick(r, 18, 19, 20, 25, 40, r.Between(20, 80), r.Between(100, 400))) + fraction(r, 12) + anySuffix(r)
	}},
	{"border", 8, true, borderQuantity},
	{"powerOfTwo", 3, true, func(r R) string {
		n := new(big.Int).Lsh(big.NewInt(int64(r.Between(1, 9))), uint(r.IntN(70)))
		if r.Chance(0.3) {
			n.Add(n, big.NewInt(int64(r.Between(-1, 1))))
		}
		return sign(r) + n.String() + Pick(r, "", "", "Ki", "Mi", "Gi", "k", "m")
	}},
	{"farExponent", 2, false, func(r R) string {
		return sign(r) + digits(r, r.Between(1, 20)) + fraction(r, 3) + exponent(r, Pick(r, 60, 330, 2000))
	}},
	{"cutExponent", 1, false, func(r R) string {
		e := int64(r.Between(-12, 20)) + Pick[int64](r, 1<<32, -1<<32, 3<<32, 1<<40)
		return sign(r) + digits(r, r.Between(1, 6)) + "e" + strconv.FormatInt(e, 10)
	}},
	{"odd", 4, false, func(r R) string {
		return Pick(r, ".", "+", "-", "+.", "-.", "5.", "+5", "-5.", ".5", "-.5", "1.G", "1.Ki", ".Ki", ".e3", ".n", "1E", "1e0", "1E0", "1e+0", "1e-0",
			"00", "-0", "+0", "+0.0", "0.0", "0Ki", "0m", "0e3", "0e-12", "0e400", "-0e400", "0E", "0Ei", "0n", "-0Ki", "000.000", "1e2147483647",
			"1E+3", "1E-3", "1e+10", "1E19", "1e18", "1e19", "0.1m", "0.1n", "0.9n", "1.1n", "-0.1n", "1000E", "999E", "1000Ei", "8Ei", "7Ei", "9Ei", "-8Ei", "-9Ei",
			"0.5Ki", "0.0001Ki", "0.5", "0.001Ki", "1.5Ki", "1.0001Ki", "1023", "1024", "1025", "1000k", "1000m", "1001m", "1500m", "1.500", "1.50", "1.5e3",
			"100000000000000000000", "0.000000000000000001", "1e-9", "1e-10", "12345e-10", "1e-19", ".e-10", "-.e-10", "+.0e-10", "100Ki", "1023Ki", "1024Ki", "8Ki", "16Ki")
	}},
	{"invalid", 6, false, invalidQuantity},
}

func sign(r R) string { return [...]string{"", "-", "+"}[r.Weighted(14, 5, 1)] }

func digits(r R, n int) string {
	if n == 0 {
		return ""
	}
	return r.Letters(1, "123456789") + r.Letters(n-1, "0123456789")
}

func fraction(r R, max int) string {
	if !r.Chance(0.4) {
		return ""
	}
	return "." + r.Letters(r.Between(0, max), "0123456789")
}

func exponent(r R, max int) string {
	e := r.Between(-max, max)
	text := strconv.Itoa(e)
	if e >= 0 && r.Chance(0.3) {
		text = "+" + text
	}
	if r.Chance(0.1) {
		text = strings.Replace(text, strconv.Itoa(max), "00"+strconv.Itoa(max), 1)
	}
	return Pick(r, "e", "E") + text
}

func anySuffix(r R) string {
	switch r.Weighted(3, 3, 3, 1) {
	case 0:
		return ""
	case 1:
		return Pick(r, decimalSuffixes...)
	case 2:
		return Pick(r, binarySuffixes...)
	}
	return exponent(r, 12)
}

func everydayQuantity(r R) string {
	switch r.IntN(6) {
	case 0:
		return strconv.Itoa(r.Between(1, 64))
	case 1:
		return strconv.Itoa(r.Between(1, 40)*50) + "m"
	case 2:
		return strconv.Itoa(r.Between(1, 2048)) + Pick(r, "Mi", "Gi", "Ki", "Ti")
	case 3:
		return strconv.Itoa(r.Between(1, 999)) + Pick(r, "M", "G", "k")
	case 4:
		return Pick(r, "0", "0", "100m", "200Mi", "1Gi", "4", "110", "250m", "1500m", "0.5", "1.5Gi", "7910Mi", "16Gi", "61255492Ki", "18242267924", "2e3")
	}
	return strconv.Itoa(r.Between(1<<20, 1<<31-1)) + Pick(r, "", "Ki")
}

// borderQuantity draws near the limits of int64, of milli values in an int64,
// of exactly representable float64 and of the parser's fast path.
func borderQuantity(r R) string {
	n, _ := new(big.Int).SetString(Pick(r, "9223372036854775807", "9223372036854775808", "9223372036854775", "9223372036854776", "9223372036854", "9007199254740992",
		"18446744073709551615", "18446744073709551616", "18446744073709551", "999999999999999999", "1000000000000000000", "9007199254740993", "922337203685477580", "92233720368547758070"), 10)
	n.Add(n, big.NewInt(int64(r.Between(-2, 2))))
	s := n.String()
	suffix := Pick(r, "", "", "m", "k", "n", "u", "M", "G", "E")
	switch r.IntN(5) {
	case 0: // the same number, with a binary suffix
		shift := r.Between(1, 6)
		n.Rsh(n, uint(10*shift))
		n.Add(n, big.NewInt(int64(r.Between(-1, 1))))
		s, suffix = n.String(), binarySuffixes[shift-1]
	case 1: // the same digits with a point in between
		at := r.Between(0, len(s))
		s = s[:at] + "." + s[at:]
	case 2: // the same number, with an exponent
		zeros := r.Between(1, 6)
		if len(s) > zeros {
			s, suffix = s[:len(s)-zeros], "e"+strconv.Itoa(zeros+Pick(r, 0, 0, 0, 1, -1))
		}
	}
	return sign(r) + s + suffix
}

func invalidQuantity(r R) string {
	valid := strconv.Itoa(r.Between(0, 5000)) + Pick(r, "", "Ki", "m", "e3", ".5", ".25Gi")
	switch r.IntN(6) {
	case 0: // one foreign byte or character inserted
		at := r.IntN(len(valid) + 1)
		return valid[:at] + Pick(r, " ", "x", "i", "K", "-", "+", ".", "e", "é", "１", "\t", "\n", "\x00", "_", ",", "µ", "\u00a0", "b", "B", "y", "Z") + valid[at:]
	case 1: // a suffix that does not exist
		return strconv.Itoa(r.Between(0, 99)) + Pick(r, "K", "ki", "mi", "MI", "Kii", "Ee", "eE", "ee3", "i", "e", "e+", "e-", "E+", "Ki3", "k1", "m5", "Ki-3", "nn", "um", "KiKi", "kM",
			"e1.5", "e9223372036854775808", "e99999999999999999999", "Zi", "Z", "da", "uu", "E3E", "em", "e3m", "3i")
	case 2:
		return strings.Repeat(Pick(r, "a", "1x", "é", " ", "Ki", "e", "1.1."), r.Between(1, 400))
	case 3:
		return digits(r, r.Between(100, 300)) + Pick(r, "x", "KiB", "Kib", " ", ".1.")
	}
	return Pick(r, "", " ", "1 ", " 1", "1Ki1", "1e", "1.5.2", "0x1", "1k1", "1,5", "--1", "+-1", "1-", "1+", "NaN", "Inf", "-Inf", "null", "true", "１２", "1\n", "1\u00a0Gi",
		"Ki", "m", "e3", "i", "k", "E", "-Ki", "1..", "..1", "..", "1.5.Ki", "1ki", "1kI", "1KB", "1MB", "1GiB", "0b1", "1_000", "1e1e1", "\"1\"", "½", "١", "1k ", "1 k", "-", "+Gi", "0x", "0o7", "1m1m", "Infinity", "1e\x00", "\xff", "1\xc3")
}

// QuantityText draws the text of a quantity, which may be invalid. The second
// result names the class it is from, the third says whether it is tame.
func QuantityText(r R) (text, class string, tame bool) {
	total := 0
	for _, c := range quantityClasses {
		total += c.weight
	}
	n := r.IntN(total)
	for _, c := range quantityClasses {
		if n -= c.weight; n < 0 {
			return c.draw(r), c.name, c.tame
		}
	}
	panic("no class")
}

// TameQuantityText draws the text of a valid quantity with a small exponent.
func TameQuantityText(r R) string {
	for {
		text, _, tame := QuantityText(r)
		if !tame {
			continue
		}
		if _, err := resource.ParseQuantity(text); err == nil {
			return text
		}
	}
}

// Quantity draws a quantity that prints as it was parsed, mostly everyday ones.
func Quantity(r R) resource.Quantity {
	text := everydayQuantity(r)
	if r.Chance(0.4) {
		text = TameQuantityText(r)
	}
	for {
		q, err := resource.ParseQuantity(text)
		if err != nil {
			panic(err)
		}
		if q.String() == text {
			return q
		}
		text = q.String()
	}
}
