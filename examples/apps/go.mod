module github.com/cutile-go/cutile/examples/apps

go 1.26.0
