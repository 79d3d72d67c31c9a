package compile_test

import (
	"errors"
	"fmt"
	"sort"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/cutile-go/cutile/tile"
)

// wrongGo are the kernels below: Go that a program on the host may use, and a kernel cannot.
var wrongGo = []any{
	usesErrors, usesStrconv, usesStrings, usesMutex, usesTime, sortsSlice, hostTable, forgetsState, hostFunc, hostStruct, hostChanged,
	hostPointer, hostMap, channelLoop, channelReceive, closesChannel, deletesKey, printsBuiltin, typeAssertOK, mapRange,
	stringAdd, stringSliced, runeLoop, textReturned, interfaceMethod, interfaceInLoop, interfaceOfNothing, methodExpression, variadicRuntime, recursiveStruct,
	gotoLoop, selectDefault, goClosure, deferInLoop, makesError,
}

var (
	errHost   = errors.New("no")
	hostList  = []float32{1, 2, 3}
	hostGelu  = func(x v16) v16 { return x * 2 }
	hostPair  = struct{ scale float32 }{2}
	hostCount = 0
	hostAt    = &hostCount
	hostNames = map[string]int{"a": 1}
	hostLock  sync.Mutex
	forgotten = tile.Table[float32](1, 2, 3) // without the line that it needs
)

func forgetsState(z tile.Out[v16]) {
	z.Store(v16(tile.Gather[tile.F32](forgotten, tile.I32(1), true, 0))) // want 36 "forgotten is a host variable, which a kernel cannot read: //cutile:state above its declaration makes it the kernel's own, as tile.Global and tile.Table are; otherwise pass it as a parameter"
}

func usesErrors(z tile.Out[v16]) {
	if errHost != nil { // want 5 "errHost is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
		z.Store(1)
	}
}

func usesStrconv(z tile.Out[v16]) {
	z.Store(v16(len(strconv.Itoa(3)))) // want 18 "strconv.Itoa cannot be used in a kernel: package strconv has no registered source"
}

func usesStrings(z tile.Out[v16]) {
	z.Store(v16(len(strings.Repeat("a", 3)))) // want 18 "strings.Repeat cannot be used in a kernel: package strings has no registered source: of the standard library, a kernel can use only package math"
}

func usesMutex(z tile.Out[v16]) {
	hostLock.Lock() // want 2 "hostLock is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
	z.Store(1)
}

func usesTime(z tile.Out[v16]) {
	z.Store(v16(time.Now().Unix())) // want 14 "time.Now cannot be used in a kernel: package time has no registered source"
}

func sortsSlice(z tile.Out[v16]) {
	s := []int{3, 1, 2}
	sort.Ints(s) // want 2 "sort.Ints cannot be used in a kernel: package sort has no registered source"
	z.Store(v16(s[0]))
}

func hostTable(n int, z tile.Out[v16]) {
	z.Store(v16(hostList[1])) // want 14 "hostList is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
}

func hostFunc(x tile.In[v16], z tile.Out[v16]) {
	z.Store(hostGelu(x.Load(0))) // want 10 "hostGelu is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
}

func hostStruct(x tile.In[v16], z tile.Out[v16]) {
	z.Store(x.Load(0) * v16(hostPair.scale)) // want 26 "hostPair is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
}

func hostChanged(z tile.Out[v16]) {
	hostCount++ // want 2 "hostCount is a host variable: a kernel cannot write it"
	z.Store(1)
}

func hostPointer(z tile.Out[v16]) {
	*hostAt = 3 // want 3 "hostAt is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
	z.Store(1)
}

func hostMap(z tile.Out[v16]) {
	z.Store(v16(hostNames["a"])) // want 14 "hostNames is a host variable, which a kernel cannot read: pass it as a parameter or make it a constant"
}

func channelLoop(done chan int) {} // want 18 "parameter done: a kernel cannot take a value of type chan int: it takes tile.In, Out, InOut, Persistent, Ptr and Size, numbers, truth values and functions, and structs and arrays of these"

func channelReceive(z tile.Out[v16]) {
	var c chan int // want 6 "a variable of type chan int cannot start at zero in a kernel"
	z.Store(v16(<-c))
}

func closesChannel(z tile.Out[v16]) {
	close(make(chan int)) // want 2 "a kernel cannot call the built-in close"
	z.Store(1)
}

func deletesKey(z tile.Out[v16]) {
	m := map[int]int{} // want 7 "a value of type map[int]int cannot live on the device"
	delete(m, 1)       // want 2 "a kernel cannot call the built-in delete"
	z.Store(1)
}

func printsBuiltin(n int, z tile.Out[v16]) {
	println(n) // want 2 "a kernel cannot call the built-in println: use tile.Print"
	z.Store(1)
}

func typeAssertOK(x tile.In[v16], z tile.Out[v16]) {
	var v any = x.Load(0)
	w, ok := v.(v32)
	if !ok {
		w = v.(v32) // want 7 "this is of type compile_test.v16, not compile_test.v32"
	}
	_ = w
	z.Store(1)
}

func mapRange(z tile.Out[v16]) {
	var m map[int]int  // want 6 "a variable of type map[int]int cannot start at zero in a kernel"
	for k := range m { // want 17 "a kernel cannot range over map[int]int"
		z.Store(v16(k))
	}
}

func stringAdd(n int, z tile.Out[v16]) {
	s := "a"
	for range n {
		s += "b" // want 3 "s is a text: it cannot change inside a loop or branch; keep a number, and choose the text where it is printed"
	}
	z.Store(v16(len(s)))
}

func stringSliced(n int, z tile.Out[v16]) {
	z.Store(v16(len("tile"[n:]))) // want 25 "the bound of a slice must be known when the kernel is compiled"
}

func runeLoop(z tile.Out[v16]) {
	for _, r := range "tile" { // want 20 "a kernel cannot range over string"
		z.Store(v16(r))
	}
}

func textReturned(n int, z tile.Out[v16]) {
	name := func() string {
		if n > 3 { // want 3 "result is a text: it cannot change inside a loop or branch"
			return "a"
		}
		return "b"
	}
	z.Store(v16(len(name())))
}

type scaler interface{ scaled(v16) v16 }

type twice struct{}

func (twice) scaled(x v16) v16 { return 2 * x }

type thrice struct{}

func (thrice) scaled(x v16) v16 { return 3 * x }

func interfaceMethod(x tile.In[v16], n int, z tile.Out[v16]) {
	var s scaler = twice{}
	if n > 3 { // want 2 "s is an interface that holds compile_test.thrice on one path and compile_test.twice on the other: it cannot change its type inside a loop or branch"
		s = thrice{}
	}
	z.Store(s.scaled(x.Load(0)))
}

func interfaceInLoop(x tile.In[v16], n int, z tile.Out[v16]) {
	var s scaler = twice{}
	for range n {
		s = thrice{} // want 3 "s is an interface that holds structs of different types: it cannot change inside a loop or branch; keep a number, and switch on it"
	}
	z.Store(s.scaled(x.Load(0)))
}

func interfaceOfNothing(x tile.In[v16], z tile.Out[v16]) {
	var s scaler
	z.Store(s.scaled(x.Load(0))) // want 10 "this interface holds nothing"
}

func methodExpression(x tile.In[v16], z tile.Out[v16]) {
	f := scaler.scaled // want 7 "a kernel cannot use scaler.scaled as a function: call the method of a value"
	z.Store(f(twice{}, x.Load(0)))
}

func variadicRuntime(n int, z tile.Out[v16]) {
	total := func(xs ...int) int { return xs[n] } // want 43 "the index must be known when the kernel is compiled"
	z.Store(v16(total(1, 2)))
}

type chain struct {
	next *chain
	n    int
}

func recursiveStruct(n int, z tile.Out[v16]) {
	var head *chain
	for i := range n {
		head = &chain{head, i} // want 3 "head is a pointer, nil on one path: it cannot change inside a loop or branch; keep a number, and choose among the variables by it"
	}
	z.Store(v16(head.n))
}

func gotoLoop(n int, z tile.Out[v16]) {
again:
	n--
	if n > 0 {
		goto again // want 3 "a kernel cannot have a goto statement: use a loop, or break and continue with a label"
	}
	z.Store(v16(n))
}

func selectDefault(z tile.Out[v16]) {
	select { // want 2 "a kernel cannot have a select statement: blocks share only memory, see the atomic operations"
	default:
	}
	z.Store(1)
}

func goClosure(x tile.In[v16], z tile.Out[v16]) {
	v := x.Load(0)
	go func() { z.Store(v) }() // want 2 "a kernel cannot have a go statement: the blocks of a launch already run in parallel"
}

func deferInLoop(n int, z tile.Out[v16]) {
	for range n {
		defer z.Store(1) // want 3 "a kernel cannot have a defer statement: write the call at the end of the function"
	}
}

func makesError(n int, z tile.Out[v16]) {
	if n < 0 {
		_ = fmt.Errorf("n is %d", n) // want 7 "fmt.Errorf cannot be used in a kernel: package fmt has no registered source: use tile.Assert to stop the kernel"
	}
	z.Store(1)
}
