module github.com/cutile-go/cutile/bridge/gonum

go 1.26.0

replace github.com/cutile-go/cutile => ../..

require (
	github.com/cutile-go/cutile v0.0.0-00010101000000-000000000000
	gonum.org/v1/gonum v0.17.0
)

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/gofrs/flock v0.13.1 // indirect
	golang.org/x/sys v0.49.0 // indirect
)
