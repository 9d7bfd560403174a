// Starts etcd and the API server of Kubernetes in one process, on loopback. The first argument is the folder of the store;
// all others are those of kube-apiserver.
package main

import (
	"context"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"syscall"

	"go.etcd.io/etcd/server/v3/embed"
	"k8s.io/kubernetes/cmd/kube-apiserver/app"
)

func main() {
	if err := run(os.Args[1], os.Args[2:]); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(folder string, arguments []string) error {
	store, err := startStore(folder)
	if err != nil {
		return fmt.Errorf("etcd did not start: %w", err)
	}
	defer store.Close()
	server := app.NewAPIServerCommand()
	server.SetArgs(append(arguments, "--etcd-servers="+store.Clients[0].Addr().String()))
	ended, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	return server.ExecuteContext(ended)
}

func startStore(folder string) (*embed.Etcd, error) {
	settings := embed.NewConfig()
	settings.Dir = folder
	settings.LogLevel = "error"
	// Commits need not survive this process, and disks of test machines are slow.
	settings.UnsafeNoFsync = true
	clients, peers := loopback(), loopback()
	settings.ListenClientUrls, settings.AdvertiseClientUrls = clients, clients
	settings.ListenPeerUrls, settings.AdvertisePeerUrls = peers, peers
	settings.InitialCluster = settings.InitialClusterFromName(settings.Name)
	store, err := embed.StartEtcd(settings)
	if err != nil {
		return nil, err
	}
	<-store.Server.ReadyNotify()
	return store, nil
}

// A port that was free a moment ago; the peer's is never dialled, because the store has one member.
func loopback() []url.URL {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		panic(err)
	}
	defer listener.Close()
	return []url.URL{{Scheme: "http", Host: listener.Addr().String()}}
}
