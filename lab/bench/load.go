package main

import (
	"bytes"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	corev1 "k8s.io/api/core/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/client-go/kubernetes"
)

// namespaces take the pods in turn.
const namespaces = 20

// create does one thing n times, so many at once, and returns how long each took, in order of size.
func create(n, flight int, one func(i int) error) ([]time.Duration, error) {
	took := make([]time.Duration, n)
	jobs := make(chan int)
	var all sync.WaitGroup
	var once sync.Once
	var failed error
	for range flight {
		all.Go(func() {
			for i := range jobs {
				began := time.Now()
				if err := one(i); err != nil && !apierrors.IsAlreadyExists(err) {
					once.Do(func() { failed = err })
				}
				took[i] = time.Since(began)
			}
		})
	}
	for i := range n {
		jobs <- i
	}
	close(jobs)
	all.Wait()
	slices.Sort(took)
	return took, failed
}

func milliseconds(d time.Duration) float64 { return d.Seconds() * 1000 }

// running creates pods and waits until all of them run, as the laboratory itself tells.
func (b *bench) running(ctx context.Context, client kubernetes.Interface, s *status) error {
	for i := range namespaces {
		if err := b.namespace(ctx, client, fmt.Sprintf("load-%d", i)); err != nil {
			return err
		}
	}
	began, before := time.Now(), cpu(s.PID)
	_, err := create(b.pods, b.flight, func(i int) error {
		namespace := fmt.Sprintf("load-%d", i%namespaces)
		_, err := client.CoreV1().Pods(namespace).Create(ctx, &corev1.Pod{
			ObjectMeta: metav1.ObjectMeta{Name: fmt.Sprintf("pod-%d", i)},
			Spec:       corev1.PodSpec{Containers: []corev1.Container{{Name: "c", Image: "none"}}}}, metav1.CreateOptions{})
		return err
	})
	if err != nil {
		return err
	}
	b.row("pods created", "291/s", "%.0f/s", float64(b.pods)/time.Since(began).Seconds())
	for started := 0; started < b.pods; time.Sleep(100 * time.Millisecond) {
		truth, err := os.ReadFile(filepath.Join(s.dir, "truth.jsonl"))
		if err != nil || ctx.Err() != nil || time.Since(began) > time.Hour {
			return fmt.Errorf("%d of %d pods ran: %w", started, b.pods, context.Cause(ctx))
		}
		started = bytes.Count(truth, []byte("\n"))
	}
	took := time.Since(began).Seconds()
	b.row(fmt.Sprintf("%d pods running on %d nodes", b.pods, b.nodes), "41 s for 10000 on 2000", "%.0f s, %.0f/s", took,
		float64(b.pods)/took)
	b.row("  CPU for each", "6926 us", "%d us", (cpu(s.PID)-before).Microseconds()/int64(b.pods))
	b.row("  memory then", "2672 MiB", "%d MiB", resident(s.PID))
	return b.gone(ctx, client, s)
}

// gone deletes the namespaces and waits until the last one is gone.
func (b *bench) gone(ctx context.Context, client kubernetes.Interface, s *status) error {
	began, before := time.Now(), cpu(s.PID)
	for i := range namespaces {
		err := client.CoreV1().Namespaces().Delete(ctx, fmt.Sprintf("load-%d", i), metav1.DeleteOptions{})
		if err != nil {
			return err
		}
	}
	for i := range namespaces {
		for ; ; time.Sleep(100 * time.Millisecond) {
			_, err := client.CoreV1().Namespaces().Get(ctx, fmt.Sprintf("load-%d", i), metav1.GetOptions{})
			if apierrors.IsNotFound(err) {
				break
			}
			if err != nil || time.Since(began) > time.Hour {
				return fmt.Errorf("namespace load-%d is not gone: %w", i, err)
			}
		}
	}
	b.row(fmt.Sprintf("%d namespaces with them gone", namespaces), "42 s with 10000; 6300 us", "%.0f s; %d us",
		time.Since(began).Seconds(), (cpu(s.PID)-before).Microseconds()/int64(b.pods))
	return nil
}

// namespace makes one, and waits for the service account without which pods are refused.
func (b *bench) namespace(ctx context.Context, client kubernetes.Interface, name string) error {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}},
		metav1.CreateOptions{})
	if err != nil {
		return err
	}
	for late := time.Now().Add(time.Minute); ; time.Sleep(20 * time.Millisecond) {
		_, err := client.CoreV1().ServiceAccounts(name).Get(ctx, "default", metav1.GetOptions{})
		if err == nil || !apierrors.IsNotFound(err) || time.Now().After(late) {
			return err
		}
	}
}
