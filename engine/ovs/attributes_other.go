//go:build !linux

package ovs

import "syscall"

func attributes() *syscall.SysProcAttr { return nil }
