package completeness_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/tileir"
)

// Folders of packages that have faults, or tests that prove cells.
const (
	textDir     = "tileir/text"
	bytecodeDir = "tileir/bytecode"
	cpuDir      = "internal/engine/cpu"
	laneDir     = "internal/native/lane"
	flowDir     = "internal/native/flow"
	numericsDir = "internal/testing/numerics"
)

// column is a part that must know every operation.
type column struct {
	name string
	dir  string // of the tests
	// The tests, with OP for the operation; rows is for those that stand in no body. Both are empty for the CPU engine,
	// which [engineTests] is for.
	body, rows string
	// faults are the mutants of a cell: what overlay_test.go puts into the part at one operation.
	faults []string
}

var columns = []column{
	{"builder", bytecodeDir, "TestBuilderEachOperation/OP", "TestBuilderEachOperation/OP", []string{"builder"}},
	{"verifier accepts", bytecodeDir, "TestEveryOperation/13.4/OP", "TestRows/13.4/OP", []string{"verifier refuses always"}},
	{"verifier refuses", bytecodeDir, "TestVerifyRefusesEachOperation/OP", "TestVerifyRefusesEachOperation/OP", []string{"verifier accepts always"}},
	{"printer", bytecodeDir, "TestEveryOperation/13.4/OP", "TestRows/13.4/OP", []string{"printer"}},
	{"parser", bytecodeDir, "TestParseEveryOperation/13.4/OP", "TestRows/13.4/OP", []string{"parser"}},
	{"writer", bytecodeDir, "TestEveryOperation/13.4/OP", "TestRows/13.4/OP", []string{"writer"}},
	{"reader", bytecodeDir, "TestEveryOperation/13.4/OP", "TestRows/13.4/OP", []string{"reader"}},
	{"CPU engine", cpuDir, "", "", []string{"engine", wrongResult}},
}

// wrongResult is the fault of the engine that computes something else; the others are errors.
const wrongResult = "engine result"

// engineTests gives the operations that a test proves for the CPU engine. A test that ends in a slash has a subtest for each
// of them. TestStored compares numbers with what an independent reference gave.
var engineTests = map[string]string{
	numericsDir + "/TestStored/": "addf subf mulf divf fma sqrt remf absf negf floor ceil maxf minf cmpf exp exp2 log log2 rsqrt sin cos tan sinh cosh tanh atan2 fpowf fpowi " +
		"addi subi muli mulhii divi remi negi absi maxi mini cmpi shli shri andi ori xori ftof ftoi itof exti trunci bitcast select iota pack unpack mmaf mmai mmaf_scaled",
	cpuDir + "/TestConstants":              "constant",
	cpuDir + "/TestReshape":                "reshape",
	cpuDir + "/TestMovingElements":         "broadcast cat extract insert permute",
	cpuDir + "/TestReduceOrder":            "reduce",
	cpuDir + "/TestScanOrder":              "scan",
	cpuDir + "/TestGridAndParameters":      "get_num_tile_blocks get_tile_block_id entry",
	cpuDir + "/TestGlobalsAndAlloca":       "alloca get_global global",
	cpuDir + "/TestEntriesOfOneModule":     "module",
	cpuDir + "/TestPointerLoadStore":       "load_ptr_tko offset store_ptr_tko",
	cpuDir + "/TestPointerCasts":           "int_to_ptr ptr_to_int ptr_to_ptr",
	cpuDir + "/TestAtomics":                "atomic_red_view_tko atomic_rmw_tko",
	cpuDir + "/TestCompareAndSwapElements": "atomic_cas_tko",
	cpuDir + "/TestViewLoadStore":          "load_view_tko make_partition_view make_tensor_view store_view_tko",
	cpuDir + "/TestViewShapes":             "get_index_space_shape get_tensor_shape make_strided_view",
	cpuDir + "/TestGatherScatter":          "make_gather_scatter_view",
	cpuDir + "/TestTokens/":                "gdc_launch_dependents_tko gdc_wait_tko join_tokens make_token memory_fence_alias_tko",
	cpuDir + "/TestForBounds":              "for",
	cpuDir + "/TestCarriedSwap":            "continue",
	cpuDir + "/TestCollatz":                "break loop",
	cpuDir + "/TestBranchInCombiner":       "if yield",
	cpuDir + "/TestReturnEarly":            "return",
	cpuDir + "/TestAssert":                 "assert",
	cpuDir + "/TestAssume":                 "assume",
	cpuDir + "/TestPrint":                  "print_tko",
}

// noResult are the operations without a result that could be wrong, with the reason. That they are refused is shown.
var noResult = map[string]string{
	"make_token":                "a token has no value",
	"join_tokens":               "a token has no value",
	"memory_fence_alias_tko":    "a token has no value",
	"gdc_wait_tko":              "a token has no value",
	"gdc_launch_dependents_tko": "a token has no value",
	"module":                    "its entries do the computing",
	"entry":                     "its operations do the computing",
	"global":                    "its value is the result of get_global",
}

// cell is an operation in a column.
type cell struct {
	op     *tileir.Info
	column *column
	dir    string // of the test
	test   string // with its subtests
	faults []string
}

// cells gives all of them, operation by operation.
func cells(t *testing.T) []cell {
	t.Helper()
	engine := map[string]string{}
	for test, ops := range engineTests {
		for _, op := range strings.Fields(ops) {
			if engine[op] != "" || tileir.Lookup(op) == nil {
				t.Fatalf("engineTests: %s of %s is named twice or is no operation", op, test)
			}
			engine[op] = test
			if strings.HasSuffix(test, "/") {
				engine[op] += op
			}
		}
	}
	var out []cell
	for _, in := range tileir.Infos() {
		for i := range columns {
			c := cell{op: in, column: &columns[i], dir: columns[i].dir, test: columns[i].body, faults: columns[i].faults}
			if !in.InBody {
				c.test = columns[i].rows
			}
			c.test = strings.Replace(c.test, "OP", in.Mnemonic, 1)
			if c.column.dir == cpuDir {
				c.dir, c.test = cutTest(engine[in.Mnemonic])
				if noResult[in.Mnemonic] != "" {
					c.faults = c.faults[:1]
				}
			}
			out = append(out, c)
		}
	}
	return out
}

// cutTest cuts a folder and a test.
func cutTest(name string) (dir, test string) {
	i := strings.Index(name, "/Test")
	if i < 0 {
		return "", name
	}
	return name[:i], name[i+1:]
}

func (c cell) String() string { return fmt.Sprintf("%s, %s", c.op.Mnemonic, c.column.name) }
