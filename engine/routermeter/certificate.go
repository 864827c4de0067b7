package routermeter

import (
	"crypto"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/rsa"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"fmt"
	"math/big"
	"time"

	"plimsoll.dev/bench/router"
)

// rsaBits of a key: what certificates of routes usually have.
const rsaBits = 2048

// Certificate that is its own authority, with its key, in PEM; for a configuration to be tried with. It
// is worth nothing, and its dates do not depend on today's. The key is router.RSA or router.ECDSA.
func Certificate(key string, names ...string) (string, error) {
	var signer crypto.Signer
	var err error
	switch key {
	case router.RSA:
		signer, err = rsa.GenerateKey(rand.Reader, rsaBits)
	case router.ECDSA:
		signer, err = ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	default:
		err = fmt.Errorf("%q is no kind of key (%s or %s)", key, router.RSA, router.ECDSA)
	}
	if err != nil {
		return "", err
	}
	made := x509.Certificate{SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "made up by plimsoll"},
		DNSNames: names, IsCA: true, BasicConstraintsValid: true,
		NotBefore: time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC), NotAfter: time.Date(2049, 1, 1, 0, 0, 0, 0, time.UTC)}
	certificate, err := x509.CreateCertificate(rand.Reader, &made, &made, signer.Public(), signer)
	if err != nil {
		return "", err
	}
	private, err := x509.MarshalPKCS8PrivateKey(signer)
	if err != nil {
		return "", err
	}
	return string(pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: certificate})) +
		string(pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: private})), nil
}
