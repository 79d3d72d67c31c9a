module github.com/cutile-go/cutile/models

go 1.26.0

require (
	github.com/cutile-go/cutile v0.0.0
	golang.org/x/text v0.44.0
)

replace github.com/cutile-go/cutile => ..
