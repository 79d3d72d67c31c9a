module github.com/cutile-go/cutile

go 1.26.0

require (
	github.com/ebitengine/purego v0.11.3
	github.com/gofrs/flock v0.13.1
	golang.org/x/sys v0.49.0
)

require (
	golang.org/x/mod v0.42.0 // indirect
	golang.org/x/sync v0.24.0 // indirect
	golang.org/x/tools v0.52.0
)
