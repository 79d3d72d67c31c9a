package npy

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/cutile-go/cutile/internal/names"
)

var (
	// entryRE is an entry of the dictionary with the comma behind it; the descr of structures is a list, which is not read.
	entryRE  = regexp.MustCompile(`^'(\w+)'\s*:\s*('[^']*'|True|False|\([^()]*\)|\[)\s*(,\s*)?`)
	descrRE  = regexp.MustCompile(`^'([<>|=]?)([^']*)'$`)
	extentRE = regexp.MustCompile(`^(-?(?:0|[1-9][0-9]*))L?$`) // Python 2 wrote long numbers with L
)

// parseHeader reads a dictionary with the keys descr, fortran_order and shape, in any order.
func parseHeader(text string) (h Header, err error) {
	text = strings.TrimSpace(text)
	values, err := parseEntries(text)
	if err != nil {
		return h, err
	}
	if values["descr"] == "[" {
		return h, fmt.Errorf("npy: the elements are structures; expected numbers")
	}
	descr, order, shape := descrRE.FindStringSubmatch(values["descr"]), values["fortran_order"], values["shape"]
	if descr == nil || order != "True" && order != "False" || !strings.HasPrefix(shape, "(") {
		return h, fmt.Errorf("npy: the header %q lacks descr, fortran_order or shape", names.Short(text))
	}
	if h.Type = readAs[descr[2]]; h.Type == Invalid {
		return h, fmt.Errorf("npy: elements of %q; expected one of %v, or raw bytes of ml_dtypes", names.Short(descr[1]+descr[2]), Types())
	}
	h.big, h.Fortran = descr[1] == ">" && h.Type.Size() > 1, order == "True"
	if h.Shape, err = parseShape(shape); err != nil {
		return h, err
	}
	_, err = Bytes(h.Type, h.Shape)
	return h, err
}

// parseEntries gives the values of a dictionary as text, up to a list.
func parseEntries(text string) (map[string]string, error) {
	values := map[string]string{}
	rest, open := strings.CutPrefix(text, "{")
	for rest, comma := strings.TrimSpace(rest), true; open && rest != "}"; {
		m := entryRE.FindStringSubmatch(rest)
		if m == nil || !comma {
			open = false
			break
		}
		key, value := m[1], m[2]
		if _, again := values[key]; again {
			return nil, fmt.Errorf("npy: the header %q has %s twice; expected each key once", names.Short(text), key)
		}
		if values[key] = value; value == "[" && key == "descr" {
			return values, nil
		}
		if key != "descr" && key != "fortran_order" && key != "shape" {
			return nil, fmt.Errorf("npy: the header %q has the key %s; expected descr, fortran_order and shape alone", names.Short(text), names.Short(key))
		}
		rest, comma = rest[len(m[0]):], m[3] != ""
	}
	if !open {
		return nil, fmt.Errorf("npy: the header %q is not a dictionary such as {'descr': '<f4', 'fortran_order': False, 'shape': (16,), }", names.Short(text))
	}
	return values, nil
}

// parseShape reads a tuple as Python writes it: one of a single extent has a comma.
func parseShape(tuple string) (shape []int, err error) {
	list := strings.TrimSpace(tuple[1 : len(tuple)-1])
	if list == "" {
		return nil, nil
	}
	words := strings.Split(list, ",")
	if len(words) == 1 {
		return nil, fmt.Errorf("npy: the shape (%s) is not a list of extents: expected (%[1]s,), with a comma, for one extent", names.Short(list))
	}
	if last := len(words) - 1; strings.TrimSpace(words[last]) == "" {
		words = words[:last]
	}
	for _, word := range words {
		m := extentRE.FindStringSubmatch(strings.TrimSpace(word))
		if m == nil || len(shape) == maxRank {
			return nil, fmt.Errorf("npy: the shape %s is not a list of at most %d extents", names.Short(tuple), maxRank)
		}
		n, err := strconv.Atoi(m[1])
		if err != nil {
			return nil, fmt.Errorf("npy: the shape %s: the extent %s is too large", names.Short(tuple), names.Short(m[1]))
		}
		shape = append(shape, n)
	}
	return shape, nil
}
