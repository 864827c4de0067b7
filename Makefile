# Short names for people who have make. The work is done by the scripts, which
# need nothing but Go and git.

.PHONY: help lint build test test-bare bench bench-lab bench-network bench-interrupts bench-pack load-files load-interrupts heal kill-agent fuzz random generate fmt setup oracle oracle-check oracle-ovs-check oracle-bench oracle-nova oracle-nova-check oracle-nova-bench oracle-tuned oracle-tuned-check oracle-tuned-bench oracle-kubelet-merge oracle-crd apply-test kill-apply kill-write release release-check extremes mutate

help: ## list the targets
	@sed -n 's/^\([a-z-]*\):.*## /\1\t/p' $(MAKEFILE_LIST)

build: ## build the static binary bin/plimsoll
	CGO_ENABLED=0 go build -trimpath -o bin/plimsoll ./cmd/plimsoll

test: ## set up what the tests need and run them all
	./scripts/test

test-bare: ## prove in a bare Debian that the tests install what they need (root; half an hour)
	./scripts/bare

apply-test: ## apply profiles to simulated nodes with the real TuneD, and take them back
	./scripts/apply-test

bench: ## run the benchmarks, each against a peer in the same run
	./scripts/bench

bench-lab: ## measure the laboratory cluster, beside what was measured on a quiet machine (some minutes)
	./scripts/bench-lab

load-files: ## run every configuration of Cluster Loader in examples on a laboratory cluster (some minutes)
	cd lab && CGO_ENABLED=0 PLIMSOLL_LOAD_FILES=all go test -count=1 -timeout 60m -run TestLoad/files -v .

load-interrupts: ## end plimsoll load at a hundred random moments; nothing may be left in the cluster (some minutes)
	cd lab && CGO_ENABLED=0 PLIMSOLL_KILLS=100 go test -count=1 -timeout 60m -run TestLoad/interrupted -v .

heal: ## have a thousand machines fail on a laboratory cluster, with a hundred faults around two health controllers (some minutes)
	cd lab && CGO_ENABLED=0 PLIMSOLL_MACHINES=1000 PLIMSOLL_FAULTS=100 PLIMSOLL_IDLE=120 go test -count=1 -timeout 60m -run 'TestHealing$$' -v .

kill-agent: ## kill the agent of a node at a hundred random moments (some minutes)
	cd lab && CGO_ENABLED=0 PLIMSOLL_KILLS=100 go test -count=1 -timeout 60m -run TestAgentKilled -v .

bench-interrupts: ## end bench network and bench ovs at a hundred random moments each; nothing may be left (some minutes)
	CGO_ENABLED=0 PLIMSOLL_KILLS=100 go test -count=1 -run TestInterrupts -v ./engine/netmeter ./engine/ovs

bench-network: ## the meter of the network beside netperf, neper and sockperf, in turns
	./scripts/bench-network

bench-pack: ## measure the node mix against its bars, on random, published and real instances
	go run ./tools/benchpack -bases 10

oracle: ## record anew what Kubernetes itself decides (SEED=n for other scenarios; half an hour)
	cd oracle && CGO_ENABLED=0 go run . kubelet record -sessions 54 $(if $(SEED),-seed $(SEED))
	cd oracle && CGO_ENABLED=0 go run . kubeletconf record $(if $(SEED),-seed $(SEED))
	cd oracle && CGO_ENABLED=0 go run . scheduler record $(if $(SEED),-seed $(SEED))
	cd oracle && CGO_ENABLED=0 go run . scheduler record-files -draw 6 $(if $(SEED),-seed $(SEED)) ../place/testdata/snapshots/*.json

oracle-check: build ## compare with Kubernetes itself on fresh random scenarios (SEED=n), without writing
	cd oracle && CGO_ENABLED=0 go run . kubelet check -sessions 200 $(if $(SEED),-seed $(SEED))
	cd oracle && CGO_ENABLED=0 go run . scheduler check -sessions 60 $(if $(SEED),-seed $(SEED))
	cd oracle && CGO_ENABLED=0 go run . scheduler check-files -files 60 -binary ../bin/plimsoll $(if $(SEED),-seed $(SEED))

oracle-ovs-check: ## trace 5,000 fresh random packets with Open vSwitch itself and compare (SEED=n, TRACES=n)
	SEED=$(or $(SEED),2) PLIMSOLL_TRACES=$(or $(TRACES),5000) CGO_ENABLED=0 go test -count=1 -v -run TestOracle ./engine/ovs

oracle-bench: ## the speed of the engines against Kubernetes itself, in the same run
	cd oracle && CGO_ENABLED=0 go run . kubelet bench
	cd oracle && CGO_ENABLED=0 go run . scheduler bench

oracle-nova: ## record anew what Nova itself decides (SEED=n for other requests; some 20 minutes)
	oracle/nova/run.sh record $(if $(SEED),--seed $(SEED))

oracle-nova-check: ## compare with Nova itself on fresh random requests (SEED=n), without writing
	oracle/nova/run.sh check --seed $(or $(SEED),1) | go run ./tools/benchnova -check
	mkdir -p out && oracle/nova/run.sh choose --seed $(or $(SEED),1) > out/choices.jsonl
	go test ./place/cloud -run TestOracle -recorded $(CURDIR)/out/choices.jsonl

oracle-tuned: ## record anew what TuneD itself makes of random profiles (SEED=n for others)
	oracle/tuned/run.sh record $(if $(SEED),--seed $(SEED))

oracle-tuned-check: ## compare with TuneD itself on fresh random profiles (SEED=n), without writing
	mkdir -p out && oracle/tuned/run.sh check --seed $(or $(SEED),2) > out/trees.jsonl
	go test ./tune/tuned -run TestOracle -recorded $(CURDIR)/out/trees.jsonl

oracle-tuned-bench: ## the speed of the profile language against TuneD itself
	oracle/tuned/run.sh bench

oracle-kubelet-merge: ## record anew how the operators' libraries merge KubeletConfigs
	oracle/kubeletmerge/record.sh

oracle-crd: ## record anew what a real API server refuses, and run OpenShift's suites (CHECKOUTS=dir, see tools/crdgen)
	go run ./tools/crdgen $(CHECKOUTS)
	mkdir -p out/crds && go run ./tools/crdgen $(CHECKOUTS) out/crds
	go test ./tune/crd -run TestVerdicts -cases $(CURDIR)/out/cases.jsonl
	cd lab && go run ./verdicts ../out/crds < ../out/cases.jsonl | gzip -9 -n > ../out/verdicts.jsonl.gz
	mv out/verdicts.jsonl.gz tune/crd/testdata/
	go test ./tune/crd
	go run ./tools/crdsuites $(CHECKOUTS)/api

oracle-nova-bench: ## the speed of the engine against Nova itself, in the same run
	go run ./tools/benchnova

random: ## run the tests that draw at random with fresh seeds, ten times as often (CHECKS=n)
	./scripts/random

lint: ## what staticcheck finds, vet of the laboratory, and the vulnerabilities that are known (needs the network)
	cd lab && CGO_ENABLED=0 go vet ./... # not in CI: facts about Kubernetes take two minutes of CPU where nothing is cached
	go run honnef.co/go/tools/cmd/staticcheck@latest ./...
	go run golang.org/x/vuln/cmd/govulncheck@latest ./...

fuzz: ## run each fuzz target for 30 seconds (FUZZTIME=5m for longer)
	./scripts/fuzz

generate: ## write the generated files anew
	go generate ./...

fmt: ## format the Go files
	gofmt -w $$(git ls-files --cached --others --exclude-standard '*.go' | grep -v /testdata/)

setup: ## install what the tests need beside Go
	./scripts/setup

extremes: ## set each number of each example to each extreme (TRIALS=n for fewer; hours)
	PLIMSOLL_TRIALS=$(or $(TRIALS),100000) go test -count=1 -timeout 0 -run TestAllExtremes -v ./cli

mutate: ## give 10,000 changed files to all readers (TRIALS=n for fewer; half an hour)
	PLIMSOLL_TRIALS=$(or $(TRIALS),100000) go test -count=1 -timeout 0 -run TestMutated -v ./cli

kill-write: ## kill ten runs of --write a hundred times while somebody else writes there, too (seconds)
	PLIMSOLL_KILLS=100 go test -count=1 -run TestWriteKilled -v ./sink/manifest

kill-apply: ## end tune apply a hundred times in each of five ways, on a simulated node and in a network of its own (half an hour)
	PLIMSOLL_KILLS=100 go test -count=1 -timeout 90m -run 'AlwaysPutBack' -v ./test/apply

release: ## make the files of a release in out/release, from a clean checkout (minutes)
	CGO_ENABLED=0 go run ./tools/release -o out/release

release-check: ## make the release twice in other directories, once without cache, and compare the bytes (a quarter of an hour)
	CGO_ENABLED=0 go run ./tools/release -check
