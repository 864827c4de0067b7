package diskmeter

import "testing"

func TestMountOf(t *testing.T) {
	text := "22 1 254:0 / / rw,relatime - ext4 /dev/vda rw\n30 22 0:5 / /dev rw - devtmpfs devtmpfs rw\n" +
		"31 22 254:16 / /var rw,noatime shared:1 - xfs /dev/vdb rw\n"
	if fs, options, device := mountOf(text, 254, 16); fs != "xfs" || options != "rw,noatime" || device != "/dev/vdb" {
		t.Errorf("%s %s %s", fs, options, device)
	}
	for _, bad := range []string{"", "31", "31 22 254:16 / /var rw -", "- xfs a\n - - -"} {
		if fs, _, _ := mountOf(bad, 254, 16); fs != "" {
			t.Errorf("%q: %s", bad, fs)
		}
	}
}
