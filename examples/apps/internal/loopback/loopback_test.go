package loopback_test

import (
	"net"
	"net/http"
	"net/http/httptest"
	"testing"

	"github.com/cutile-go/cutile/examples/apps/internal/loopback"
)

// TestGuard sends requests with hosts and origins to servers at addresses of this machine and of a network.
func TestGuard(t *testing.T) {
	ok := http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusOK) })
	for _, c := range []struct {
		addr, host, origin string
		want               int
	}{
		{"127.0.0.1", "127.0.0.1:8080", "", 200},
		{"127.0.0.1", "localhost:8080", "http://localhost:8080", 200},
		{"127.0.0.1", "localhost", "http://127.0.0.1", 200},
		{"::1", "[::1]:8080", "http://[::1]:8080", 200},
		{"127.0.0.1", "evil.example:8080", "", 403},
		{"127.0.0.1", "localhost.evil.example", "", 403},
		{"127.0.0.1", "", "", 403},
		{"127.0.0.1", "127.0.0.1:8080", "http://evil.example", 403},
		{"127.0.0.1", "127.0.0.1:8080", "null", 403},
		{"192.0.2.1", "search.example", "http://other.example", 200},
		{"0.0.0.0", "192.0.2.1", "", 200},
	} {
		r := httptest.NewRequest(http.MethodGet, "/", nil)
		r.Host = c.host
		if c.origin != "" {
			r.Header.Set("Origin", c.origin)
		}
		w := httptest.NewRecorder()
		loopback.Guard(ok, &net.TCPAddr{IP: net.ParseIP(c.addr), Port: 8080}).ServeHTTP(w, r)
		if w.Code != c.want {
			t.Errorf("at %s, host %q and origin %q: status %d, expected %d", c.addr, c.host, c.origin, w.Code, c.want)
		}
	}
}
