package cli

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/audit"
	"plimsoll.dev/place/nova"
	"plimsoll.dev/source/openstack"
)

// stackFlags say which OpenStack cloud is audited, and by which rules.
type stackFlags struct {
	exports, scenario, rules string
}

func (s *stackFlags) flags(c *cobra.Command) {
	c.Flags().StringVar(&s.exports, "openstack", "",
		"audit an OpenStack cloud: a directory of what its clients list as JSON, or a snapshot of it")
	c.Flags().StringVar(&s.scenario, "scenario", "",
		"of an OpenStack cloud: a scenario that says what its hosts are (platform helion), for plan and place")
	c.Flags().StringVar(&s.rules, "rules", "",
		"of an OpenStack cloud: the rules that hold, hcg-4.0, starlingx or nova (default: the scenario's, else nova)")
	mustComplete(c, "rules", ruleSets)
}

// check refuses flags that do not go together.
func (s *stackFlags) check(in *input) error {
	switch {
	case s.exports == "" && *s != (stackFlags{}):
		return errors.New("--scenario and --rules are for an OpenStack cloud: name it with --openstack")
	case s.exports != "" && (in.runs() || in.release != ""):
		return errors.New("--openstack is a cloud, and --snapshot, --context and --release are for clusters: give one")
	case s.rules != "" && !slices.Contains(ruleSets, s.rules):
		return fmt.Errorf("--rules %q is not one of %s", s.rules, strings.Join(ruleSets, ", "))
	}
	return nil
}

// readStack reads the exports of a cloud: a directory, or the file of a snapshot.
func (a *app) readStack(path string, take openstack.Take) (v1alpha1.Seen, error) {
	if info, err := os.Stat(path); err == nil && info.IsDir() {
		root, err := os.OpenRoot(path)
		if err != nil {
			return v1alpha1.Seen{}, err
		}
		defer root.Close()
		return openstack.ReadDir(root.FS(), path, take)
	}
	f, err := openRegular(os.Stat, os.Open, path)
	if err != nil {
		return v1alpha1.Seen{}, err
	}
	defer f.Close()
	text, err := unpacked(f, path)
	if err != nil {
		return v1alpha1.Seen{}, err
	}
	return openstack.ReadSnapshot(text, path, take)
}

// stack audits an OpenStack cloud.
func (x *auditCommand) stack(ctx context.Context, waivers []placedWaiver, before *v1alpha1.Answer) error {
	cloud := audit.NewStack(x.os.exports, time.Now(), nova.Nova)
	seen, err := x.readStack(x.os.exports, func(e *openstack.Export, row map[string]any) {
		text, _ := json.Marshal(row)
		cloud.Add(e.Kind, text)
	})
	if err != nil {
		return x.tellOrSay(err)
	}
	text, _ := json.Marshal(seen)
	cloud.Add(v1alpha1.KindSeen, text)
	in := audit.Input{Cloud: cloud}
	if x.os.scenario != "" {
		if err := x.hosts(ctx, &in); err != nil {
			return err
		}
	}
	if x.os.rules != "" {
		cloud.Stack.Rules = nova.Rules(x.os.rules)
	}
	return x.judge(in, waivers, before)
}

// hosts of a cloud are planned, and its servers placed on them where they are; the loss of each is tried.
func (x *auditCommand) hosts(ctx context.Context, in *audit.Input) error {
	x.in.exports = x.os.exports
	m, err := x.in.read(x.app, x.os.scenario)
	if err != nil {
		return err
	}
	if m.scenario.Platform.Type != platformHelion {
		return badInput(fmt.Errorf("%s: is a scenario of %s; the hosts of an OpenStack cloud are those of helion",
			x.os.scenario, m.scenario.Platform.Type))
	}
	in.Cloud.Stack.Rules = nova.Rules(cmp.Or(x.os.rules, m.scenario.Scheduling.Rules))
	m.scenario.Scheduling.Rules = string(in.Cloud.Stack.Rules)
	in.Plan = m.plan()
	in.Placed, err = (&placeCommand{app: x.app, failures: 1}).placedServers(ctx, m, in.Plan)
	if err == nil {
		in.Cloud.Stack.Try(in.Placed)
	}
	return err
}

// exportFile is where the rows of an export are, as a scenario in dir would name it: a file in the directory of
// exports, or the snapshot that has all; empty where there is none.
func exportFile(dir, exports, name string) string {
	if info, err := os.Stat(exports); err == nil && info.IsDir() {
		exports = filepath.Join(exports, name+".json")
	}
	if _, missing := os.Stat(exports); missing != nil {
		return ""
	}
	if beside, err := filepath.Rel(dir, exports); err == nil {
		return beside
	}
	path, _ := filepath.Abs(exports)
	return path
}
