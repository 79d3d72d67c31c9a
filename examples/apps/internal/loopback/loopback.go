// Package loopback keeps the pages of other sites away from servers that only this machine can reach. A browser connects to them for any
// page: by a form or a script, or under the page's own name, after that has come to mean 127.0.0.1 (DNS rebinding).
package loopback

import (
	"fmt"
	"net"
	"net/http"
	"net/url"
)

// Guard answers requests at a loopback address with status 403, unless their Host is an address of this machine, or localhost, and
// their Origin, if they have one, is one of these as well. Servers at other addresses are for others: their requests go on to h.
func Guard(h http.Handler, addr net.Addr) http.Handler {
	tcp, ok := addr.(*net.TCPAddr)
	if !ok || !tcp.IP.IsLoopback() {
		return h
	}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if !local(r.Host) {
			refuse(w, "Host", r.Host)
			return
		}
		if origin := r.Header.Get("Origin"); origin != "" {
			if u, err := url.Parse(origin); err != nil || !local(u.Host) {
				refuse(w, "Origin", origin)
				return
			}
		}
		h.ServeHTTP(w, r)
	})
}

// local reports whether a host, with a port or without, is this machine by a name that needs no lookup.
func local(host string) bool {
	if name, _, err := net.SplitHostPort(host); err == nil {
		host = name
	}
	if len(host) > 1 && host[0] == '[' && host[len(host)-1] == ']' {
		host = host[1 : len(host)-1]
	}
	ip := net.ParseIP(host)
	return host == "localhost" || ip != nil && ip.IsLoopback()
}

func refuse(w http.ResponseWriter, header, value string) {
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(http.StatusForbidden)
	fmt.Fprintf(w, `{"error": {"message": %q}}`+"\n", fmt.Sprintf("the header %s is %q: this server answers localhost alone; listen at an address of a network for others", header, value))
}
