#!/bin/sh
# Writes the tables of fields and the records that package tune/kubeletconfig is tested
# with. It needs the Go module proxy; nothing else needs this.
set -eu
cd "$(dirname "$0")"
kubelet=../../tune/kubeletconfig
work=$(mktemp -d)
trap 'rm -r "$work"' EXIT
record() { # release modfile base seed flags...
	release=$1 mod=$2 base=$3 seed=$4
	shift 4
	go build -modfile="$mod" -o "$work/merge" .
	"$work/merge" -fields >"$kubelet/fields/${release%-*}.tsv"
	"$work/merge" -base "$kubelet/base/$base.yaml" -seed "$seed" "$@" | gzip -9n >"$kubelet/testdata/oracle/$release.jsonl.gz"
}
record 4.3 go-4.3.mod 4.3 43 -n "${N:-500}"
record 4.4 go-4.4.mod 4.4 44 -n "${N:-500}"
record 4.5 go-4.5.mod 4.4 45 -n "${N:-500}"
record current-worker go.mod current-worker 46 -yaml -n "${N:-500}"
record current-master go.mod current-master 47 -yaml -n "${N:-500}"
