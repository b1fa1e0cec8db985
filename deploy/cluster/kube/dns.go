package main

import (
	"context"
	"net"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/net/dns/dnsmessage"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/informers"
	"k8s.io/client-go/kubernetes"
	listers "k8s.io/client-go/listers/core/v1"
	"k8s.io/client-go/tools/clientcmd"
)

const zone = ".svc.cluster.local."

// newServiceDNSCommand answers the names of Services with their cluster addresses, over UDP. It replaces CoreDNS in a
// cluster without access to other networks. It knows no names of pods and no external names.
func newServiceDNSCommand() *cobra.Command {
	var kubeconfig, listen string
	command := &cobra.Command{
		Use: "service-dns",
		RunE: func(command *cobra.Command, _ []string) error {
			config, err := clientcmd.BuildConfigFromFlags("", kubeconfig)
			if err != nil {
				return err
			}
			client, err := kubernetes.NewForConfig(config)
			if err != nil {
				return err
			}
			return serveNames(command.Context(), client, listen)
		},
	}
	command.Flags().StringVar(&kubeconfig, "kubeconfig", "", "file with the credentials of the cluster")
	command.Flags().StringVar(&listen, "listen", "127.0.0.1:53", "address to answer at")
	return command
}

func serveNames(ctx context.Context, client kubernetes.Interface, listen string) error {
	factory := informers.NewSharedInformerFactory(client, 10*time.Minute)
	services := factory.Core().V1().Services().Lister()
	factory.Start(ctx.Done())
	factory.WaitForCacheSync(ctx.Done())
	socket, err := net.ListenPacket("udp", listen)
	if err != nil {
		return err
	}
	defer socket.Close()
	buffer := make([]byte, 1500)
	for {
		length, from, err := socket.ReadFrom(buffer)
		if err != nil {
			return err
		}
		if answer := answerTo(buffer[:length], services); answer != nil {
			_, _ = socket.WriteTo(answer, from)
		}
	}
}

func answerTo(question []byte, services listers.ServiceLister) []byte {
	var message dnsmessage.Message
	if err := message.Unpack(question); err != nil || len(message.Questions) != 1 {
		return nil
	}
	asked := message.Questions[0]
	message.Header.Response, message.Header.Authoritative, message.Header.RecursionAvailable = true, true, true
	message.Answers, message.Authorities, message.Additionals = nil, nil, nil
	address, known := addressOf(asked.Name.String(), services)
	if !known {
		message.Header.RCode = dnsmessage.RCodeNameError
	} else if asked.Type == dnsmessage.TypeA && address.To4() != nil {
		message.Answers = []dnsmessage.Resource{{
			Header: dnsmessage.ResourceHeader{Name: asked.Name, Type: dnsmessage.TypeA, Class: dnsmessage.ClassINET, TTL: 5},
			Body:   &dnsmessage.AResource{A: [4]byte(address.To4())},
		}}
	}
	packed, err := message.Pack()
	if err != nil {
		return nil
	}
	return packed
}

func addressOf(name string, services listers.ServiceLister) (net.IP, bool) {
	parts, within := strings.CutSuffix(strings.ToLower(name), zone)
	labels := strings.Split(parts, ".")
	if !within || len(labels) != 2 {
		return nil, false
	}
	service, err := services.Services(labels[1]).Get(labels[0])
	if err != nil || service.Spec.ClusterIP == metav1.NamespaceNone {
		return nil, false
	}
	return net.ParseIP(service.Spec.ClusterIP), true
}
