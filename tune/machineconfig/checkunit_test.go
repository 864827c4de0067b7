package machineconfig

import (
	"fmt"
	"strings"
	"testing"

	"plimsoll.dev/release"
)

// unitsOf is a MachineConfig with units, and more of its Ignition configuration.
func unitsOf(name, units, more string) string {
	return fmt.Sprintf("---\nkind: MachineConfig\n"+
		"metadata: {name: %s, uid: u, labels: {machineconfiguration.openshift.io/role: worker}}\nspec:\n"+
		"  config: {ignition: {version: 3.2.0}, systemd: {units: [%s]}%s}\n", name, units, more)
}

// bare is an enabled unit without [Install].
func bare(name string) string {
	return fmt.Sprintf(`{name: %s, enabled: true, contents: "[Unit]\nDescription=x\n[Service]\nExecStart=/bin/true\n"}`,
		name)
}

func TestUnitThatOthersStart(t *testing.T) {
	const asks = `{name: kubelet.service, dropins: [{name: 20-x.conf, contents: "[Unit]\n%s\nAfter=a.service\n"}]}`
	for _, c := range []struct {
		name, text string
		warns      bool
	}{
		{"nobody", unitsOf("50-a", bare("a.service"), ""), true},
		{"after is no wish", unitsOf("50-a", bare("a.service")+", "+fmt.Sprintf(asks, "Before=b.service"), ""), true},
		{"drop-in wants", unitsOf("50-a", bare("a.service")+", "+fmt.Sprintf(asks, "Wants=a.service"), ""), false},
		{"drop-in requires, among others",
			unitsOf("50-a", bare("a.service")+", "+fmt.Sprintf(asks, "Requires = b.service a.service"), ""), false},
		{"over two lines", unitsOf("50-a", bare("a.service")+", "+fmt.Sprintf(asks, `Wants=b.service \\\n a.service`), ""),
			false},
		{"another MachineConfig", unitsOf("50-a", bare("a.service"), "") +
			unitsOf("60-b", fmt.Sprintf(asks, "BindsTo=a.service"), ""), false},
		{"timer of that name", unitsOf("50-a", bare("a.service")+`, {name: a.timer, enabled: true, contents: `+
			`"[Timer]\nOnBootSec=1\n[Install]\nWantedBy=timers.target\n"}`, ""), false},
		{"timer that names it", unitsOf("50-a", bare("a.service")+`, {name: b.timer, enabled: true, contents: `+
			`"[Timer]\nUnit=a.service\n[Install]\nWantedBy=timers.target\n"}`, ""), false},
		{"socket for instances", unitsOf("50-a", bare("a@.service")+`, {name: a.socket, enabled: true, contents: `+
			`"[Socket]\nAccept=yes\n[Install]\nWantedBy=sockets.target\n"}`, ""), false},
		{"path", unitsOf("50-a", bare("a.service")+`, {name: a.path, enabled: true, contents: `+
			`"[Path]\nPathExists=/x\n[Install]\nWantedBy=multi-user.target\n"}`, ""), false},
		{"instance is wanted", unitsOf("50-a", bare("a@.service")+", "+fmt.Sprintf(asks, "Wants=a@1.service"), ""), false},
		{"also enabled with another", unitsOf("50-a", bare("a.service")+`, {name: b.service, enabled: true, contents: `+
			`"[Service]\nExecStart=/b\n[Install]\nWantedBy=multi-user.target\nAlso=a.service\n"}`, ""), false},
		{"drop-in has it", unitsOf("50-a", strings.Replace(bare("a.service"), "enabled: true",
			`enabled: true, dropins: [{name: 10-i.conf, contents: "[Install]\nWantedBy=multi-user.target\n"}]`, 1), ""), false},
		{
			"a file is the drop-in",
			unitsOf("50-a", bare("a.service"), `, storage: {files: [{path: /etc/systemd/system/crio.service.d/x.conf, `+
				`contents: {source: "data:,%5BUnit%5D%0AWants%3Da.service%0A"}}]}`), false,
		},
		{"drop-ins only", unitsOf("50-a",
			`{name: a.service, enabled: true, dropins: [{name: x.conf, contents: "[Service]\nNice=1\n"}]}`, ""), false},
		{"masked", unitsOf("50-a", strings.Replace(bare("a.service"), "enabled: true", "enabled: true, mask: true", 1), ""),
			false},
		{"not enabled", unitsOf("50-a", strings.Replace(bare("a.service"), "enabled: true", "enabled: false", 1), ""), false},
	} {
		found := Check(split(t, c.text), release.Current)
		wellSaid(t, found)
		if got := len(found) == 1 && found[0].ID == unitRule.ID &&
			strings.Contains(found[0].Message, "no [Install] section"); got != c.warns || len(found) > 1 {
			t.Errorf("%s: %v", c.name, found)
		}
	}
}

// What Ignition can't read is told with its line.
func TestUnreadableUnits(t *testing.T) {
	for text, want := range map[string]string{
		"": "", "[Unit]\nDescription=a\\\n b\n; c\n": "",
		"[Unit]\nA=b\nfoo\nC=d\n": `unexpected newline encountered while parsing option name: line 3, "foo"`,
		"[Unit]\nA=b\nfoo":        `no = stands in it: line 3, "foo"`,
		"# x\n[Unit\nA=b\n":       `unable to find end of section: line 2, "[Unit"`,
	} {
		if got := unitProblem(text); got != want {
			t.Errorf("%q: %s, want %s", text, got, want)
		}
	}
}
