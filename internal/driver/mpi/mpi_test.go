package mpi

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/cutile-go/cutile/internal/driver/shlib"
	"github.com/cutile-go/cutile/internal/testing/testenv"
)

// names has the name in C of each handle.
var names = [numHandles]string{"MPI_COMM_WORLD", "MPI_ERRORS_RETURN", "MPI_INFO_NULL",
	"MPI_INT8_T", "MPI_INT16_T", "MPI_INT32_T", "MPI_INT64_T", "MPI_UINT8_T", "MPI_UINT16_T", "MPI_UINT32_T", "MPI_UINT64_T", "MPI_FLOAT", "MPI_DOUBLE",
	"MPI_SUM", "MPI_PROD", "MPI_MAX", "MPI_MIN"}

// TestConstants compares the tables with the headers of both families.
func TestConstants(t *testing.T) {
	for family, name := range map[Family]string{OpenMPI: "openmpi", MPICH: "mpich"} {
		t.Run(name, func(t *testing.T) {
			cc, err := exec.LookPath("mpicc." + name)
			if err != nil {
				testenv.Missing(t, name, fmt.Errorf("its headers (Debian: libopenmpi-dev, libmpich-dev): %w", err))
			}
			var c strings.Builder
			c.WriteString("#define _GNU_SOURCE\n#include <mpi.h>\n#include <dlfcn.h>\n#include <stdio.h>\n#include <stdint.h>\nint main(void) {\n")
			for i, row := range handles {
				fmt.Fprintf(&c, "\tif (dlsym(RTLD_DEFAULT, %q)) printf(\"%d %%d\\n\", dlsym(RTLD_DEFAULT, %q) == (void *)(uintptr_t)%s);\n", row.symbol, i, row.symbol, names[i])
				fmt.Fprintf(&c, "\telse printf(\"%d %%d\\n\", (uintptr_t)%s == (uintptr_t)%d);\n", i, names[i], row.number)
			}
			n := constants[family]
			fmt.Fprintf(&c, "\tprintf(\"%%d%%d%%d%%d\\n\", (uintptr_t)MPI_IN_PLACE == (uintptr_t)%dull, MPI_COMM_TYPE_SHARED == %d,",
				n.inPlace, n.commTypeShared)
			fmt.Fprintf(&c, " MPI_THREAD_MULTIPLE == %d, MPI_MAX_LIBRARY_VERSION_STRING <= %d && MPI_MAX_ERROR_STRING <= %d && sizeof(MPI_Status) <= %d && MPI_SUCCESS == %d);\n}\n",
				threadMultiple, textBytes, textBytes, len(status{})*8, success)
			folder := t.TempDir()
			file, program := filepath.Join(folder, "c.c"), filepath.Join(folder, "c")
			if err := os.WriteFile(file, []byte(c.String()), 0o600); err != nil {
				t.Fatal(err)
			}
			if out, err := exec.Command(cc, "-w", "-o", program, file, "-ldl").CombinedOutput(); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			out, err := exec.Command(program).CombinedOutput()
			if err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var want strings.Builder
			for i := range handles {
				fmt.Fprintf(&want, "%d 1\n", i)
			}
			if want.WriteString("1111\n"); string(out) != want.String() {
				t.Errorf("the header agrees with the rows that say 1:\n%s", out)
			}
		})
	}
}

// TestLoad: what is no MPI is refused with the reason, and another may be tried afterwards.
func TestLoad(t *testing.T) {
	if runtime.GOOS != "linux" {
		_, err := Start(MPICH)
		if want := "no MPI: this module uses MPI on Linux (amd64, arm64), not on " + runtime.GOOS; err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
		return
	}
	for path, want := range map[string]string{
		"libnone.so.1": "libnone.so.1: cannot open shared object file: No such file or directory (tried libnone.so.1): install MPICH, whose launcher started this program, or set CUTILE_LIBMPI to its library",
		"libc.so.6":    "no MPI: it has no MPI_Initialized (tried libc.so.6): set CUTILE_LIBMPI to the library of an MPI of version 3 or later",
	} {
		t.Setenv(LibraryEnv, path)
		var load *shlib.LoadError
		if _, err := Start(MPICH); !errors.As(err, &load) || !strings.Contains(err.Error(), want) {
			t.Errorf("error %v, want %q", err, want)
		}
	}
}
