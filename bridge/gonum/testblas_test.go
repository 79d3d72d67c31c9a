package tileblas_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	tileblas "github.com/cutile-go/cutile/bridge/gonum"
	"gonum.org/v1/gonum/blas"
	"gonum.org/v1/gonum/blas/testblas"
)

// suite is Gonum's tests of implementations of blas.Float64.
var suite = map[string]func(*testing.T, blas.Float64){
	"TestDgemm":  func(t *testing.T, x blas.Float64) { testblas.TestDgemm(t, x) },
	"DgbmvTest":  func(t *testing.T, x blas.Float64) { testblas.DgbmvTest(t, x) },
	"DgemvTest":  func(t *testing.T, x blas.Float64) { testblas.DgemvTest(t, x) },
	"DgerTest":   func(t *testing.T, x blas.Float64) { testblas.DgerTest(t, x) },
	"DsbmvTest":  func(t *testing.T, x blas.Float64) { testblas.DsbmvTest(t, x) },
	"DspmvTest":  func(t *testing.T, x blas.Float64) { testblas.DspmvTest(t, x) },
	"DsprTest":   func(t *testing.T, x blas.Float64) { testblas.DsprTest(t, x) },
	"Dspr2Test":  func(t *testing.T, x blas.Float64) { testblas.Dspr2Test(t, x) },
	"DsymmTest":  func(t *testing.T, x blas.Float64) { testblas.DsymmTest(t, x) },
	"DsymvTest":  func(t *testing.T, x blas.Float64) { testblas.DsymvTest(t, x) },
	"DsyrTest":   func(t *testing.T, x blas.Float64) { testblas.DsyrTest(t, x) },
	"Dsyr2Test":  func(t *testing.T, x blas.Float64) { testblas.Dsyr2Test(t, x) },
	"Dsyr2kTest": func(t *testing.T, x blas.Float64) { testblas.Dsyr2kTest(t, x) },
	"DsyrkTest":  func(t *testing.T, x blas.Float64) { testblas.DsyrkTest(t, x) },
	"DtbmvTest":  func(t *testing.T, x blas.Float64) { testblas.DtbmvTest(t, x) },
	"DtbsvTest":  func(t *testing.T, x blas.Float64) { testblas.DtbsvTest(t, x) },
	"DtpmvTest":  func(t *testing.T, x blas.Float64) { testblas.DtpmvTest(t, x) },
	"DtpsvTest":  func(t *testing.T, x blas.Float64) { testblas.DtpsvTest(t, x) },
	"DtrmmTest":  func(t *testing.T, x blas.Float64) { testblas.DtrmmTest(t, x) },
	"DtrmvTest":  func(t *testing.T, x blas.Float64) { testblas.DtrmvTest(t, x) },
	"DtrsmTest":  func(t *testing.T, x blas.Float64) { testblas.DtrsmTest(t, x) },
	"DtrsvTest":  func(t *testing.T, x blas.Float64) { testblas.DtrsvTest(t, x) },
	"DtxmvTest":  func(t *testing.T, x blas.Float64) { testblas.DtxmvTest(t, x) },
	"DdotTest":   func(t *testing.T, x blas.Float64) { testblas.DdotTest(t, x) },
	"Dnrm2Test":  func(t *testing.T, x blas.Float64) { testblas.Dnrm2Test(t, x) },
	"DasumTest":  func(t *testing.T, x blas.Float64) { testblas.DasumTest(t, x) },
	"IdamaxTest": func(t *testing.T, x blas.Float64) { testblas.IdamaxTest(t, x) },
	"DswapTest":  func(t *testing.T, x blas.Float64) { testblas.DswapTest(t, x) },
	"DcopyTest":  func(t *testing.T, x blas.Float64) { testblas.DcopyTest(t, x) },
	"DaxpyTest":  func(t *testing.T, x blas.Float64) { testblas.DaxpyTest(t, x) },
	"DrotgTest":  func(t *testing.T, x blas.Float64) { testblas.DrotgTest(t, x, true) },
	"DrotmgTest": func(t *testing.T, x blas.Float64) { testblas.DrotmgTest(t, x) },
	"DrotTest":   func(t *testing.T, x blas.Float64) { testblas.DrotTest(t, x) },
	"DrotmTest":  func(t *testing.T, x blas.Float64) { testblas.DrotmTest(t, x) },
	"DscalTest":  func(t *testing.T, x blas.Float64) { testblas.DscalTest(t, x) },
}

// TestSuite runs Gonum's tests of float64.
func TestSuite(t *testing.T) {
	every(t, func(t *testing.T, x *tileblas.Implementation) {
		for name, test := range suite {
			t.Run(name, func(t *testing.T) { test(t, x) })
		}
	})
}

// products are those of Gonum's tests that call what this package computes.
var products = []string{"TestDgemm", "DsymmTest", "DsyrkTest", "Dsyr2kTest", "DtrmmTest", "DtrsmTest"}

// TestSuiteSingle runs Gonum's tests of float64 on float32.
func TestSuiteSingle(t *testing.T) {
	every(t, func(t *testing.T, x *tileblas.Implementation) {
		for _, name := range products {
			t.Run(name, func(t *testing.T) { suite[name](t, single{t: t, x: x}) })
		}
	})
}

// isDouble finds the tests of float64 among the functions of testblas.
var isDouble = regexp.MustCompile(`^(D[^z]\w*Test|IdamaxTest|TestD\w+)$`)

// TestWholeSuite: no test of float64 in package testblas is left out.
func TestWholeSuite(t *testing.T) {
	dir, err := exec.Command("go", "list", "-f", "{{.Dir}}", "gonum.org/v1/gonum/blas/testblas").Output()
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(strings.TrimSpace(string(dir)), "*.go"))
	if err != nil || len(files) == 0 {
		t.Fatal("no files of testblas: ", err)
	}
	found := 0
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok && fn.Recv == nil && isDouble.MatchString(fn.Name.Name) {
				found++
				if suite[fn.Name.Name] == nil {
					t.Errorf("%s is not run", fn.Name.Name)
				}
			}
		}
	}
	if found != len(suite) {
		t.Errorf("%d tests are in testblas, %d are run", found, len(suite))
	}
}
