package main

import (
	"embed"
	"io/fs"
	"net/http"
)

//go:embed web
var web embed.FS

// page serves the files of the web page, which needs nothing from elsewhere.
func page() http.Handler {
	files, err := fs.Sub(web, "web")
	if err != nil {
		panic("BUG: " + err.Error())
	}
	next := http.FileServerFS(files)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead {
			w.Header().Set("Allow", "GET, HEAD")
			http.Error(w, "only GET is allowed", http.StatusMethodNotAllowed)
			return
		}
		w.Header().Set("Cache-Control", "no-cache")
		next.ServeHTTP(w, r)
	})
}
