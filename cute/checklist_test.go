package cute_test

import (
	"fmt"
	"testing"
)

// checklist holds a test for each behaviour of the SIMT level that is listed by number.
var checklist = map[int]struct {
	name string
	test func(t *testing.T)
}{}

// add notes tests.
func add(number int, name string, test func(t *testing.T)) struct{} {
	if _, twice := checklist[number]; twice {
		panic(fmt.Sprintf("two tests for number %d", number))
	}
	checklist[number] = struct {
		name string
		test func(t *testing.T)
	}{name, test}
	return struct{}{}
}

func TestChecklist(t *testing.T) {
	for n := range 100 {
		if c, ok := checklist[n]; ok {
			t.Run(fmt.Sprintf("%d %s", n, c.name), c.test)
		}
	}
}
