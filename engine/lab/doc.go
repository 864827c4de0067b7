// Package lab starts, watches and stops the laboratory cluster: a process of its own that
// keeps everything in one folder. It writes what the process is to run (lab.json,
// nodes.json), finds its program or has it built, and asks its API how it is.
//
// It runs no Kubernetes itself; the module in the folder lab of the repository does, which
// shares nothing with this one but the layout of the folder.
//
//	f := lab.Folder{Dir: dir}
//	up, err := f.Up(ctx, lab.Start{Program: program, Config: config, Nodes: lab.Plain(100, t)})
//	err = f.Down(ctx, false)
package lab
