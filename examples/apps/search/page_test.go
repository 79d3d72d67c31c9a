package main

import (
	"net/http/httptest"
	"os"
	"path/filepath"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/internal/browser"
	"github.com/cutile-go/cutile/examples/apps/internal/minilm"
	"github.com/cutile-go/cutile/examples/apps/search/internal/indexer"
)

// pageServer serves the page: of the index that SEARCH_TEST_PAGE_INDEX names with the real model, or of the texts of tests.
func pageServer(t *testing.T) string {
	t.Helper()
	s := testServer(t, bag{})
	if path := os.Getenv("SEARCH_TEST_PAGE_INDEX"); path != "" {
		model, err := minilm.Open(s.dev, defaultModel())
		if err != nil {
			t.Fatal(err)
		}
		if s, err = newServer(t.Context(), s.dev, indexer.Model(model), path); err != nil {
			t.Fatal(err)
		}
	}
	server := httptest.NewServer(s.handler())
	t.Cleanup(server.Close)
	return server.URL
}

// TestPage types a query in Chromium, walks through the results with keys, and clears them, in light and dark. SEARCH_TEST_SHOTS
// names a folder for pictures.
func TestPage(t *testing.T) {
	for _, scheme := range []string{"light", "dark"} {
		t.Run(scheme, func(t *testing.T) {
			url := pageServer(t)
			p := browser.Open(t, url, scheme, 1100, 820)
			shot := func(name string) {
				if dir := os.Getenv("SEARCH_TEST_SHOTS"); dir != "" {
					p.Screenshot(filepath.Join(dir, name+"-"+scheme+".png"))
				}
			}
			p.Wait(`document.querySelector("#about")?.textContent.includes("passages of")`)
			p.Wait(`document.activeElement.id === "query"`)
			shot("start")
			p.Type("why is the sky blue")
			p.Wait(`document.querySelectorAll("#results article").length > 2`)
			p.Wait(`location.search === "?q=why%20is%20the%20sky%20blue"`)
			p.Wait(`[...document.querySelectorAll("mark")].some(m => m.textContent.toLowerCase() === "blue")`)
			p.Wait(`/^\d+ of [\d,]+ passages, in \d+ ms$/.test(document.querySelector("#status").textContent)`)
			shot("results")
			p.Key("ArrowDown")
			p.Key("ArrowDown")
			p.Wait(`document.activeElement === document.querySelectorAll("#results article")[1]`)
			p.Key("Enter")
			p.Wait(`document.activeElement.getAttribute("aria-expanded") === "true"`)
			shot("open")
			p.Key("ArrowUp")
			p.Key("ArrowUp")
			p.Wait(`document.activeElement.id === "query"`)
			p.Key("Escape")
			p.Wait(`document.querySelectorAll("#results article").length === 0 && document.querySelector("#query").value === "" && !document.querySelector("#intro").hidden`)
			var dark bool
			if p.Eval(`getComputedStyle(document.body).backgroundColor === "rgb(22, 24, 28)"`, &dark); dark != (scheme == "dark") {
				t.Errorf("the page is dark: %v", dark)
			}
			if found := p.Problems(); len(found) > 0 {
				t.Errorf("the page reports %q", found)
			}
		})
	}
}

// TestPageOfQuery opens an address with a query, on a narrow screen.
func TestPageOfQuery(t *testing.T) {
	p := browser.Open(t, pageServer(t)+"/?q=dog%20%3Cb%3Ebarks%3C%2Fb%3E", "light", 390, 800)
	p.Wait(`document.querySelectorAll("#results article").length > 0`)
	p.Wait(`document.querySelector("#query").value === "dog <b>barks</b>" && !document.querySelector("#results b")`)
	p.Wait(`document.documentElement.scrollWidth <= innerWidth`)
	if dir := os.Getenv("SEARCH_TEST_SHOTS"); dir != "" {
		p.Screenshot(filepath.Join(dir, "narrow.png"))
	}
}
