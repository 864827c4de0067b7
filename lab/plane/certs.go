package plane

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/hex"
	"encoding/pem"
	"errors"
	"fmt"
	"io/fs"
	"math/big"
	"net"
	"os"
	"path/filepath"
	"time"

	"k8s.io/client-go/tools/clientcmd"
	clientcmdapi "k8s.io/client-go/tools/clientcmd/api"
)

// The files of the folder pki.
const (
	caFile      = "pki/ca.crt"
	serverCert  = "pki/apiserver.crt"
	serverKey   = "pki/apiserver.key"
	accountsKey = "pki/serviceaccounts.key"
	tokenFile   = "pki/tokens.csv"
)

// valid is how long certificates hold: longer than any laboratory.
const valid = 10 * 365 * 24 * time.Hour

// users are those that the plane's token file knows: by name, their groups.
var users = []struct{ name, groups, kubeconfig string }{
	{"admin", "system:masters", "kubeconfig"},
	{"system:kube-controller-manager", "system:masters", "pki/controller-manager.kubeconfig"},
	{"system:kube-scheduler", "", "pki/scheduler.kubeconfig"},
	{"plimsoll:nodes", "system:masters", "pki/nodes.kubeconfig"},
}

// secrets makes the keys, certificates and tokens that are not there yet.
func secrets() error {
	if err := os.MkdirAll("pki", 0o700); err != nil {
		return err
	}
	if _, err := os.Stat(tokenFile); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	ca := &x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "plimsoll-lab"},
		NotBefore: time.Now().Add(-time.Hour), NotAfter: time.Now().Add(valid), IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature}
	server := &x509.Certificate{SerialNumber: big.NewInt(2), Subject: pkix.Name{CommonName: "kube-apiserver"},
		NotBefore: ca.NotBefore, NotAfter: ca.NotAfter, KeyUsage: x509.KeyUsageDigitalSignature,
		ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth},
		DNSNames:    []string{"localhost", "kubernetes.default.svc"},
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1), net.IPv4(10, 96, 0, 1)}}
	key, err := signed(ca, ca, nil, caFile, "") // the key that signs is not kept
	if err != nil {
		return err
	}
	if _, err := signed(server, ca, key, serverCert, serverKey); err != nil {
		return err
	}
	accounts, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return err
	}
	if err := writeKey(accountsKey, accounts); err != nil {
		return err
	}
	return tokens()
}

// signed makes a key and its certificate; without a key to sign with it signs itself.
func signed(cert, parent *x509.Certificate, by *ecdsa.PrivateKey, file, keyFile string) (*ecdsa.PrivateKey, error) {
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		return nil, err
	}
	if by == nil {
		by = key
	}
	der, err := x509.CreateCertificate(rand.Reader, cert, parent, &key.PublicKey, by)
	if err != nil {
		return nil, err
	}
	err = os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}), 0o600)
	if err != nil || keyFile == "" {
		return key, err
	}
	return key, writeKey(keyFile, key)
}

func writeKey(file string, key *ecdsa.PrivateKey) error {
	der, err := x509.MarshalECPrivateKey(key)
	if err != nil {
		return err
	}
	return os.WriteFile(file, pem.EncodeToMemory(&pem.Block{Type: "EC PRIVATE KEY", Bytes: der}), 0o600)
}

// tokens writes the token file, last of all secrets.
func tokens() error {
	var text string
	for i, u := range users {
		b := make([]byte, 24)
		if _, err := rand.Read(b); err != nil {
			return err
		}
		text += fmt.Sprintf("%s,%s,%d", hex.EncodeToString(b), u.name, i)
		if u.groups != "" {
			text += "," + u.groups
		}
		text += "\n"
	}
	return Replace(tokenFile, []byte(text))
}

// kubeconfigs writes one for each user, for the server's address.
func kubeconfigs(url string) error {
	ca, err := os.ReadFile(caFile)
	if err != nil {
		return err
	}
	known, err := readTokens()
	if err != nil {
		return err
	}
	for _, u := range users {
		const name = "plimsoll-lab"
		c := clientcmdapi.NewConfig()
		c.Clusters[name] = &clientcmdapi.Cluster{Server: url, CertificateAuthorityData: ca}
		c.AuthInfos[name] = &clientcmdapi.AuthInfo{Token: known[u.name]}
		c.Contexts[name] = &clientcmdapi.Context{Cluster: name, AuthInfo: name}
		c.CurrentContext = name
		text, err := clientcmd.Write(*c)
		if err != nil {
			return err
		}
		if err := Replace(u.kubeconfig, text); err != nil {
			return err
		}
	}
	return nil
}

// Replace writes a file by rename, for the owner alone.
func Replace(file string, text []byte) error {
	staged := filepath.Join(filepath.Dir(file), "."+filepath.Base(file)+".new")
	if err := os.WriteFile(staged, text, 0o600); err != nil {
		return err
	}
	return os.Rename(staged, file)
}
