package cutile

import "testing"

func TestPackageOf(t *testing.T) {
	for function, want := range map[string]string{
		"main.init":                                  "main",
		"main.main.func1":                            "main",
		"github.com/a/b.init":                        "github.com/a/b",
		"github.com/a/b%2ego.init.0":                 "github.com/a/b.go",
		"gopkg.in/yaml%2ev3.init":                    "gopkg.in/yaml.v3",
		"github.com/a/b_test.init":                   "github.com/a/b_test",
		"github.com/a/b%2etest.TestX":                "github.com/a/b.test",
		"example.com/v2.(*T).m":                      "example.com/v2",
		"example.com/p.F[...]":                       "example.com/p",
		"example.com/p.F[go.shape.struct { x/y.T }]": "example.com/p",
		"example.com/50%25.init":                     "example.com/50%",
		"example.com/%c3%a9.init":                    "example.com/\u00e9",
		"example.com/100%.init":                      "example.com/100%",
	} {
		if got := packageOf(function); got != want {
			t.Errorf("%s is of %s, want %s", function, got, want)
		}
	}
}
