package cluster

import (
	"errors"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	"sigs.k8s.io/controller-runtime/pkg/client"
)

// ErrChanged says that an object is not the one that was read any more.
var ErrChanged = errors.New("it has changed")

// Ref names an object as it was read: who changes it means that very one.
type Ref struct{ Namespace, Name, UID, Version string }

// RefOf an object that was read.
func RefOf(o client.Object) Ref {
	return Ref{Namespace: o.GetNamespace(), Name: o.GetName(), UID: string(o.GetUID()), Version: o.GetResourceVersion()}
}

// Changed tells a conflict, an object that is gone, or one that came meanwhile from other errors.
func Changed(err error) error {
	if apierrors.IsConflict(err) || apierrors.IsNotFound(err) || apierrors.IsAlreadyExists(err) {
		return ErrChanged
	}
	return err
}
