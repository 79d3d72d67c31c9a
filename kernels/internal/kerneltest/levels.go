package kerneltest

import _ "github.com/cutile-go/cutile/internal/testing/levels" // each launch runs at each level
