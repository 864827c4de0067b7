package main

import (
	"bytes"
	"encoding/json"

	"github.com/imdario/mergo"
	"k8s.io/apimachinery/pkg/runtime"
	"k8s.io/apimachinery/pkg/runtime/serializer"
	"k8s.io/apimachinery/pkg/util/yaml"
	kubelet "k8s.io/kubelet/config/v1beta1"
)

// merge puts a KubeletConfig's part over a kubelet.conf, with the libraries and
// the options that the operator uses.
func merge(base, part []byte, asYAML bool) ([]byte, error) {
	into, err := decode(base)
	if err != nil {
		panic(err)
	}
	from, err := decode(part)
	if err != nil {
		return nil, err
	}
	if err := mergo.Merge(into, from, mergo.WithOverride); err != nil {
		return nil, err
	}
	return encode(into, asYAML)
}

func decode(text []byte) (*kubelet.KubeletConfiguration, error) {
	c := &kubelet.KubeletConfiguration{}
	return c, yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), len(text)).Decode(c)
}

func encode(c *kubelet.KubeletConfiguration, asYAML bool) ([]byte, error) {
	scheme := runtime.NewScheme()
	if err := kubelet.AddToScheme(scheme); err != nil {
		return nil, err
	}
	codecs := serializer.NewCodecFactory(scheme)
	media := runtime.ContentTypeJSON
	if asYAML {
		media = runtime.ContentTypeYAML
	}
	info, _ := runtime.SerializerInfoForMediaType(codecs.SupportedMediaTypes(), media)
	out, err := runtime.Encode(codecs.EncoderForVersion(info.Serializer, kubelet.SchemeGroupVersion), c)
	if err != nil || asYAML {
		return out, err
	}
	var pretty bytes.Buffer
	err = json.Indent(&pretty, out, "", "  ")
	return pretty.Bytes(), err
}
