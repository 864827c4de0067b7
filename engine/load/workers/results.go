package workers

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"plimsoll.dev/engine/apiserver"
	"plimsoll.dev/engine/load"
	"plimsoll.dev/loadmodel"
)

const (
	// workerLabel is the index of the worker that a result is of, partsNote in how many parts it comes.
	workerLabel = "plimsoll.dev/worker"
	partsNote   = "plimsoll.dev/parts"
	// part is how much of a result a ConfigMap takes, in bytes: below 1 MiB in all.
	part = 900 << 10
)

var configMaps = apiserver.Resource{APIVersion: "v1", Kind: "ConfigMap", Name: "configmaps", Namespaced: true}

// leave a result in config maps.
func leave(ctx context.Context, home *apiserver.Client, run string, at Place, result *load.Result) error {
	text, err := loadmodel.Pack(result)
	if err != nil {
		return err
	}
	parts := slices.Collect(slices.Chunk(text, part))
	for i, data := range parts {
		body, err := json.Marshal(map[string]any{"apiVersion": "v1", "kind": "ConfigMap",
			"binaryData": map[string]any{"part": data},
			"metadata": map[string]any{"name": resultName(at.Index, i), "namespace": at.Namespace,
				"labels":      map[string]any{load.RunLabel: run, workerLabel: strconv.Itoa(at.Index)},
				"annotations": map[string]any{partsNote: strconv.Itoa(len(parts))}}})
		if err != nil {
			return err
		}
		err = send(ctx, home, configMaps.Path(at.Namespace), body)
		if err != nil {
			return fmt.Errorf("the result can't be left: %w", err)
		}
	}
	return nil
}

// send posts an object that nobody else makes.
func send(ctx context.Context, c *apiserver.Client, path string, body []byte) error {
	_, err := load.Send(ctx, c, path, body, func(time.Duration) {}, func() []byte { return body })
	return err
}

func resultName(index, part int) string { return fmt.Sprintf("result-%d-%d", index, part) }

// left says in how many parts the results are that have been left as a whole, by worker.
func left(ctx context.Context, home *apiserver.Client, namespace string) (map[int]int, error) {
	text, err := load.Again(ctx, home, apiserver.Request{Method: http.MethodGet, Path: configMaps.Path(namespace),
		Accept: apiserver.AsMetadata, Query: url.Values{"labelSelector": {workerLabel}}})
	if err != nil {
		return nil, err
	}
	var list struct {
		Items []struct {
			Metadata struct{ Labels, Annotations map[string]string }
		}
	}
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, err
	}
	there, parts := map[int]int{}, map[int]int{}
	for _, i := range list.Items {
		worker, err := strconv.Atoi(i.Metadata.Labels[workerLabel])
		if err != nil {
			continue
		}
		there[worker]++
		parts[worker], _ = strconv.Atoi(i.Metadata.Annotations[partsNote])
	}
	for worker, n := range there {
		if n != parts[worker] {
			delete(parts, worker)
		}
	}
	return parts, nil
}

// take the result of a worker.
func take(ctx context.Context, home *apiserver.Client, namespace string, worker, parts int) (*load.Result, error) {
	var text []byte
	for i := range parts {
		answer, err := load.Again(ctx, home, apiserver.Request{Method: http.MethodGet,
			Path: configMaps.Path(namespace) + "/" + resultName(worker, i)})
		var m struct{ BinaryData map[string][]byte }
		if err == nil {
			err = json.Unmarshal(answer, &m)
		}
		if err != nil {
			return nil, err
		}
		text = append(text, m.BinaryData["part"]...)
	}
	var out load.Result
	if err := loadmodel.Unpack(text, &out); err != nil {
		return nil, fmt.Errorf("the result of worker %d can't be read: %w", worker, err)
	}
	return &out, nil
}
