package cluster

import (
	"errors"
	"fmt"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrChanged says that an object is not the one that was read any more.
var ErrChanged = errors.New("it has changed")

// ErrRefused says that the API server takes the request of this object from nobody like us, or fails at this one, such
// as by a webhook: for good, whatever others are.
var ErrRefused = errors.New("the API server refuses it")

// Ref names an object as it was read: who changes it means that very one.
type Ref struct{ Namespace, Name, UID, Version string }

// RefOf an object that was read.
func RefOf(o client.Object) Ref {
	return Ref{Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID()), Version: o.GetResourceVersion()}
}

// MostNote is how many bytes of text an event may have (Kubernetes, pkg/apis/core/validation/events.go).
const MostNote = 1024

// Note cuts a text for an event.
func Note(text string) string {
	if len(text) <= MostNote {
		return text
	}
	const more = " ..."
	return strings.ToValidUTF8(text[:MostNote-len(more)], "") + more
}

// Changed tells apart from other errors, which may be over the next time: a conflict, an object that is gone, or one
// that came meanwhile; and a request that is refused for what it is.
func Changed(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return ErrChanged
	}
	if apierrors.IsForbidden(err) || apierrors.IsInvalid(err) || apierrors.IsBadRequest(err) ||
		apierrors.IsMethodNotSupported(err) || apierrors.IsInternalError(err) {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	return err
}
