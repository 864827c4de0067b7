// Package health answers what a MachineHealthCheck does: which machines it takes
// for healthy, which it has replaced, when, and why it leaves others alone; what
// is wrong in its manifest; and how a scenario of failing nodes plays out.
//
// A Policy is the operator's reconcile of one check at one instant, by era, pure
// and without a clock. Check judges manifests. Read and Play run scenario scripts on
// a virtual clock, together with what the machine controller and the machine sets
// do to the machines; times are whole seconds, and controllers need no time of
// their own. It talks to no API server, and knows no cloud: how long machines take
// to be made, to join and to be drained is an input.
//
// A script is text of one statement a line, with comments after #:
//
//	title Ten of 25 workers lose power
//	era 4.4
//	check workers selector role=worker maxUnhealthy 40% ready-unknown 300s
//	machines worker-[1-25] role worker set us-east-1a
//	takes provision 2m join 5m drain 1m terminate 1m
//
//	at 10m power worker-[1-10] off
//	until 1h
//
//	expect worker-[1-10] MachineDeleted at 15m41s
//	expect at 15m40s workers healthy 15 unhealthy 10 max 10 allowed
//
// Before the first "at" stands what there is:
//
//	title TEXT                     what the scenario shows
//	era ERA...                     the eras in which the expectations hold, 4.3 to current
//	check file PATH                the MachineHealthChecks of a manifest
//	check NAME WORDS...            a check of its own, with any of the words
//	    selector K=V,...           labels of machines; role, type and set stand for the long keys; everything
//	    maxUnhealthy N             a number, a percentage, or text in quotes; left out it is 100 %
//	    ready-false D, ready-unknown D, condition TYPE=STATUS D
//	                               how long a node may be so
//	    startup D                  nodeStartupTimeout
//	    external, paused           the annotations for external remediation and for a pause
//	machines NAMES WORDS...        machines, with any of the words
//	    role R, set S              their labels, and the machine set that owns and replaces them
//	    owner KIND                 another controller that owns them
//	    label K=V                  a further label
//	    phase Provisioning         they are being made when the scenario begins; Running is the default
//	takes WORDS...                 how long things take, in the scenario or from a moment on
//	    provision D, join D        from a machine's creation until it has an instance, and a node; or never
//	    ready D                    from a node's appearance until it is Ready
//	    drain D, terminate D       to evict the pods of a reachable node, to end an instance
//	    grace D                    without a word of a kubelet until its node is Ready=Unknown
//
// NAMES are names and ranges in brackets, separated by commas: worker-[1-25],infra-1.
// Machines that a set makes are called after it: us-east-1a-r1, us-east-1a-r2 ...
// Then follows what happens, each at a time since the start:
//
//	at D node NAMES TYPE=STATUS... conditions of nodes, Ready=False for example
//	at D node NAMES gone           the node objects are deleted
//	at D power NAMES off           kubelets fall silent; on ends it
//	at D reboot NAMES for D        as off and on; "every D" does one after the other
//	at D machine NAMES failed      the machines' phase becomes Failed; deleted deletes
//	                               them by hand; repaired takes the external annotation
//	                               away; stuck stops their provisioning
//	at D scale SET to N            another number of replicas
//	at D check NAME paused         resumed takes the annotation away; "maxUnhealthy N" edits
//	at D takes WORDS...            as above, for what begins from then on
//	until D                        the end of the scenario
//
// And last, what must come out; expectations that don't hold break the scenario:
//
//	expect NAMES EVENT at D        an event of machines or of a check: MachineDeleted,
//	                               DetectedUnhealthy, RemediationRestricted, ...
//	expect NAMES EVENT never       or "by D", or "after D"
//	expect at D CHECK WORDS...     its status: total N, healthy N, unhealthy N, max N,
//	                               allowed, restricted
//	expect at D NAMES STATE        ready, waiting, due, deleting, provisioning, starting, failed, gone, ...
//	expect count EVENT N           how often it happens
//	expect finding ID              what the simulation finds
//	expect in ERA... WHAT          any of these, for some of the eras only
package health
