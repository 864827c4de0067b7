package neutron

import (
	"fmt"
	"strconv"
	"strings"

	"plimsoll.dev/api/v1alpha1"
)

// IMIX is the frame size that stands for a mix of sizes.
const IMIX = "imix"

// The sizes that an Ethernet frame can have, in bytes with the checksum. The larger
// is the most that the scenario takes; jumbo frames have some 9,000.
const (
	minFrame = 64
	maxFrame = 65535
)

// ParseFrame reads a frame size in bytes, checksum included: a number from 64 on, or
// "imix", whose mean the caller knows; empty is imix too. It returns an error that
// says what would be right for anything else.
func ParseFrame(text string, imix float64) (float64, error) {
	t := strings.TrimSpace(text)
	if t == "" || strings.EqualFold(t, IMIX) {
		return imix, nil
	}
	n, err := strconv.Atoi(t)
	if err != nil {
		return 0, fmt.Errorf("%q is no frame size (write imix, or bytes such as 512)", text)
	}
	if n < minFrame || n > maxFrame {
		return 0, fmt.Errorf("a frame of %d bytes: Ethernet has %d to %d with the checksum", n, minFrame, maxFrame)
	}
	return float64(n), nil
}

// MeanFrame is the mean size in bytes of a mix: frames of each size by their number.
func MeanFrame(sizes, numbers []float64) float64 {
	bytes, frames := 0.0, 0.0
	for i, n := range numbers {
		bytes += n * sizes[i]
		frames += n
	}
	if frames == 0 {
		return 0
	}
	return bytes / frames
}

// LineRate is how many frames a second fill a line of bitRate bit/s in one
// direction: bit/s over 8 times frame and gap, both in bytes; the gap is preamble,
// delimiter and pause, 20 bytes on Ethernet (RFC 5180, appendix A).
func LineRate(bitRate, frame, gap float64) float64 { return bitRate / (8 * (frame + gap)) }

// FrameShare is the share of a line's bits that are frames, the rest being gaps.
func FrameShare(frame, gap float64) float64 { return frame / (frame + gap) }

// Packets is how many packets a second cross the vSwitch for one port: each packet
// that the port receives or sends crosses it once, so what passes through a VM, in at
// one port and out at another, crosses twice. The port says its packets, received
// and sent together, or its bandwidth in each direction, which its frames fill.
func Packets(port v1alpha1.Port, frame, gap float64) float64 {
	if port.PacketsPerSecond > 0 {
		return port.PacketsPerSecond
	}
	return 2 * LineRate(float64(port.Bandwidth), frame, gap)
}

// LineBits is the line rate in bit/s that one port takes in each direction, gaps
// between frames included: its bandwidth, or else half its packets as frames.
func LineBits(port v1alpha1.Port, frame, gap float64) float64 {
	if port.Bandwidth > 0 {
		return float64(port.Bandwidth)
	}
	return port.PacketsPerSecond / 2 * 8 * (frame + gap)
}

// Cores is how many cores of ghz GHz switch so many packets a second at so many
// cycles each when no core may be busier than utilisation (0.8); crossed of the
// packets cross NUMA nodes and cost factor times as much. It is not rounded.
func Cores(packets, crossed, factor, cycles, ghz, utilisation float64) float64 {
	return (packets + (factor-1)*crossed) * cycles / (ghz * 1e9 * utilisation)
}
