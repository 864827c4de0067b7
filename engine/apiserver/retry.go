package apiserver

import (
	"context"
	"errors"
	"net/http"
	"time"
)

// Final says whether the same request would be answered the same again, by the code of the answer.
func Final(code int) bool {
	return code/100 == 4 && code != http.StatusTooManyRequests && code != http.StatusRequestTimeout
}

// BackOff before the next attempt: what the server asks for, else twice as long each time.
func BackOff(err error, try int) time.Duration {
	var e *Error
	if errors.As(err, &e) && e.RetryAfter > 0 {
		return e.RetryAfter
	}
	return 200 * time.Millisecond << try
}

// readAttempts are those at one answer.
const readAttempts = 6

// readCall is how long each is waited for: a server gives up a list after one minute. Source: kube-apiserver,
// --request-timeout.
var readCall = 70 * time.Second

// Read is Do for what changes nothing: it is asked again where the server is busy, or the answer breaks off.
func (c *Client) Read(ctx context.Context, r Request) ([]byte, error) {
	for try := 0; ; try++ {
		text, err := c.once(ctx, r)
		if err == nil || Final(Code(err)) || ctx.Err() != nil || try == readAttempts-1 {
			return text, err
		}
		if Wait(ctx, time.Now().Add(BackOff(err, try))) != nil {
			return nil, err
		}
	}
}

// once is Do, but that no answer is waited for without end.
func (c *Client) once(ctx context.Context, r Request) ([]byte, error) {
	ctx, stop := context.WithTimeout(ctx, readCall)
	defer stop()
	return c.Do(ctx, r)
}

// answered is Read of a path, but that a server that nobody reaches is told at once.
func (c *Client) answered(ctx context.Context, path string) ([]byte, error) {
	r := Request{Method: http.MethodGet, Path: path}
	text, err := c.once(ctx, r)
	if code := Code(err); code == 0 || Final(code) {
		return text, err
	}
	return c.Read(ctx, r)
}
