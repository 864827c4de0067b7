package tuned

import (
	"plimsoll.dev/api/v1alpha1"
	"plimsoll.dev/derive"
	"plimsoll.dev/object"
)

// Where TuneD's behaviour can be read.
var (
	inParser    = []derive.Source{{Code: "TuneD 2.20 source", Section: "utils/config_parser.py, Python's configparser"}}
	inLoader    = []derive.Source{{Code: "TuneD 2.20 source", Section: "profiles/loader.py"}}
	inLocator   = []derive.Source{{Code: "TuneD 2.20 source", Section: "profiles/locator.py"}}
	inMerger    = []derive.Source{{Code: "TuneD 2.20 source", Section: "profiles/merger.py"}}
	inUnit      = []derive.Source{{Code: "TuneD 2.20 source", Section: "profiles/unit.py"}}
	inVariables = []derive.Source{{Code: "TuneD 2.20 source", Section: "profiles/variables.py"}}
	inFunctions = []derive.Source{{Code: "TuneD 2.20 source", Section: "profiles/functions"}}
	inManager   = []derive.Source{{Code: "TuneD 2.20 source", Section: "units/manager.py"}}
	inPlugins   = []derive.Source{{Code: "TuneD 2.20 source", Section: "plugins"}}
	inSysctl    = []derive.Source{{Code: "TuneD 2.20 source", Section: "plugins/plugin_sysctl.py"}}
	supported   = []derive.Source{{Code: "OCP", Section: "4.7"}}
)

const (
	isError   = v1alpha1.Error
	isWarning = v1alpha1.Warning
	isInfo    = v1alpha1.Info
)

// What the parser finds.
var (
	NoSection      = object.Rule{ID: "tuned.noSection", Severity: isError, Title: "a line stands before the first section: the file is refused", Sources: inParser}
	NoValue        = object.Rule{ID: "tuned.noValue", Severity: isError, Title: "a line has no equals sign: the file is refused", Sources: inParser}
	NoKey          = object.Rule{ID: "tuned.noKey", Severity: isError, Title: "a line begins with the equals sign: the file is refused", Sources: inParser}
	NotUTF8        = object.Rule{ID: "tuned.notUTF8", Severity: isError, Title: "the file is not UTF-8: TuneD stops with an error", Sources: inParser}
	TooLarge       = object.Rule{ID: "tuned.tooLarge", Severity: isError, Title: "a profile, or what its variables come to, is larger than anyone means"}
	DefaultSection = object.Rule{ID: "tuned.defaultSection", Severity: isWarning, Title: "a section DEFAULT gives its options to all others", Sources: inParser}
	HeaderRest     = object.Rule{ID: "tuned.headerRest", Severity: isWarning, Title: "text behind the header of a section is dropped, blanks inside it count", Sources: inParser}
	CommentKept    = object.Rule{ID: "tuned.commentKept", Severity: isWarning, Title: "what looks like a comment is part of a value", Sources: inParser}
	Joined         = object.Rule{ID: "tuned.joined", Severity: isWarning, Title: "an indented line continues the value above and sets nothing", Sources: inParser}
	DuplicateKey   = object.Rule{ID: "tuned.duplicateKey", Severity: isWarning, Title: "a key stands twice in a section: the first value is lost", Sources: inParser}
)

// What a single profile shows.
var (
	NotABoolean   = object.Rule{ID: "tuned.notABoolean", Severity: isWarning, Title: "enabled and replace are true only as true, True or 1", Sources: inUnit}
	LostVariable  = object.Rule{ID: "tuned.lostVariable", Severity: isError, Title: "a variable has a name that every section reserves: it is never defined", Sources: inUnit}
	VariableName  = object.Rule{ID: "tuned.variableName", Severity: isError, Title: "the name of a variable has other signs than letters, digits and underscores: it is never defined", Sources: inVariables}
	UnknownPlugin = object.Rule{ID: "tuned.unknownPlugin", Severity: isError, Title: "no plug-in has the type of a section: the section does nothing", Sources: inManager}
	Unsupported   = object.Rule{ID: "tuned.unsupportedPlugin", Severity: isWarning, Title: "the plug-in is not among those that OCP's documents name for custom profiles", Sources: supported}
	UnknownOption = object.Rule{ID: "tuned.unknownOption", Severity: isWarning, Title: "the plug-in doesn't know the option and drops it", Sources: inPlugins}
	BlankInKey    = object.Rule{ID: "tuned.blankInKey", Severity: isError, Title: "the name of a sysctl has blanks: there is no such parameter", Sources: inSysctl}
	Deprecated    = object.Rule{ID: "tuned.deprecatedSysctl", Severity: isError, Title: "TuneD refuses to set the parameter", Sources: inSysctl}
	ScriptPath    = object.Rule{ID: "tuned.scriptPath", Severity: isWarning, Title: "an option named script becomes a path in the directory of the profile, in whatever section it stands", Sources: inLoader}
	Priority      = object.Rule{ID: "tuned.priority", Severity: isError, Title: "the priority of a section is not a whole number: nothing of the profile is applied", Sources: inManager}
)

// What the set of profiles shows.
var (
	ProfileName    = object.Rule{ID: "tuned.profileName", Severity: isError, Title: "the name of the profile has other signs than letters, digits, underscore, dot and hyphen: TuneD drops it", Sources: inLoader}
	NotFound       = object.Rule{ID: "tuned.notFound", Severity: isError, Title: "a profile that is asked for doesn't exist: nothing is loaded", Sources: inLocator}
	Unreadable     = object.Rule{ID: "tuned.unreadable", Severity: isError, Title: "TuneD can't parse a profile that is needed: nothing is loaded", Sources: inLoader}
	NotThere       = object.Rule{ID: "tuned.optionalMissing", Severity: isInfo, Title: "an optional profile doesn't exist and is passed over", Sources: inLocator}
	UnknownInclude = object.Rule{ID: "tuned.unknownInclude", Severity: isWarning, Title: "the node decides which profile is included: it is left out here", Sources: inLoader}
	SecondVisit    = object.Rule{ID: "tuned.secondVisit", Severity: isInfo, Title: "a profile is included a second time, which counts for nothing", Sources: inLocator}
)

// What merging shows.
var (
	DevicesReset = object.Rule{ID: "tuned.devicesReset", Severity: isWarning, Title: "a child without devices makes inherited options hit all devices", Sources: inMerger}
	TypeReset    = object.Rule{ID: "tuned.typeReset", Severity: isError, Title: "a child without type makes the section's name the type", Sources: inMerger}
	EnabledReset = object.Rule{ID: "tuned.enabledReset", Severity: isWarning, Title: "a child without enabled switches a disabled section on", Sources: inMerger}
	Operator     = object.Rule{ID: "tuned.operator", Severity: isWarning, Title: "an operator replaces the parent's value instead of limiting it", Sources: inMerger}
	Replaced     = object.Rule{ID: "tuned.replaced", Severity: isInfo, Title: "replace=1 drops what the section inherits", Sources: inMerger}
	DropUnknown  = object.Rule{ID: "tuned.dropUnknown", Severity: isWarning, Title: "drop names an option that is not inherited", Sources: inMerger}
	ScriptTwice  = object.Rule{ID: "tuned.scriptTwice", Severity: isWarning, Title: "a child's [script] without script runs the parent's scripts twice", Sources: inMerger}
)

// What variables and functions show.
var (
	Undefined        = object.Rule{ID: "tuned.undefined", Severity: isWarning, Title: "a variable is used that nothing defines: its name stays in the value", Sources: inVariables}
	VariablesFile    = object.Rule{ID: "tuned.variablesFile", Severity: isError, Title: "a file of variables is not there", Sources: inVariables}
	UnknownVariables = object.Rule{ID: "tuned.unknownVariables", Severity: isWarning, Title: "a file of variables is not known here: what it decides is left open", Sources: inVariables}
	NumberedName     = object.Rule{ID: "tuned.numberedVariable", Severity: isError, Title: "the name of a variable is a number: TuneD takes it for a count of dollar signs", Sources: inVariables}
	UnknownFunction  = object.Rule{ID: "tuned.unknownFunction", Severity: isError, Title: "no built-in function has the name: the text stays", Sources: inFunctions}
	Arguments        = object.Rule{ID: "tuned.arguments", Severity: isError, Title: "a function gets too few or too many arguments: the text stays", Sources: inFunctions}
	FunctionFails    = object.Rule{ID: "tuned.functionFails", Severity: isWarning, Title: "a function can do nothing with its arguments: the text stays", Sources: inFunctions}
	Braces           = object.Rule{ID: "tuned.braces", Severity: isWarning, Title: "braces don't pair: functions behind them are not worked out", Sources: inFunctions}
	Assertion        = object.Rule{ID: "tuned.assertion", Severity: isError, Title: "an assertion of the profile fails: nothing is loaded", Sources: inFunctions}
	Crash            = object.Rule{ID: "tuned.crash", Severity: isError, Title: "TuneD stops with a Python error that it doesn't catch", Sources: inLoader}
	ApplyFails       = object.Rule{ID: "tuned.applyFails", Severity: isError, Title: "working out the value fails when it is applied: the rest of the section is left undone", Sources: inPlugins}
	NeedsMachine     = object.Rule{ID: "tuned.needsMachine", Severity: isInfo, Title: "a function asks for a fact about the node that is not known: the value is left open", Sources: inFunctions}
	NotRun           = object.Rule{ID: "tuned.notRun", Severity: isWarning, Title: "a profile runs a program for a value; it is not run here", Sources: inFunctions}
	BeyondUs         = object.Rule{ID: "tuned.regex", Severity: isWarning, Title: "a regular expression has what is not understood here: the text stays"}
)

// Rules are all rules of this package.
func Rules() []object.Rule {
	return []object.Rule{
		NoSection, NoValue, NoKey, NotUTF8, TooLarge, DefaultSection, HeaderRest, CommentKept, Joined, DuplicateKey,
		NotABoolean, LostVariable, VariableName, UnknownPlugin, Unsupported, UnknownOption, BlankInKey, Deprecated, ScriptPath, Priority,
		ProfileName, NotFound, Unreadable, NotThere, SecondVisit, UnknownInclude,
		DevicesReset, TypeReset, EnabledReset, Operator, Replaced, DropUnknown, ScriptTwice,
		Undefined, VariablesFile, UnknownVariables, NumberedName, UnknownFunction, Arguments, FunctionFails, Braces, Assertion, Crash, ApplyFails,
		NeedsMachine, NotRun, BeyondUs,
	}
}
