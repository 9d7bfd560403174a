/** A call, or one of its effects, as the finders of signals see it. */
import type { SignalKind } from '#core/contracts/behavior.ts';
import type { BranchWrite } from '#core/effects/git/branches.ts';

export interface Call {
  readonly protocol: string;
  /** Folded in case. */
  readonly tool: string;
  /** The tool's last name: `rm` of `shell.rm`. */
  readonly word: string;
  readonly target: string;
  readonly capability: string;
  readonly parameters: Readonly<Record<string, unknown>>;
  /** Words of a command, program first; empty for anything else. */
  readonly argv: readonly string[];
  /** All text of the call that carries it, as it came: readers of effects leave out what is only text to them. */
  readonly source: string;
  /** The branches that a Git command in a shell writes. */
  readonly branches: readonly BranchWrite[];
}

/** What decides which signals a call gives, ready for use. */
export interface SignalContext {
  readonly isKnownHost: (host: string) => boolean;
  /** Configured besides the usual secrets. */
  readonly isSensitive: (target: string) => boolean;
  readonly isSecretPath: (path: string) => boolean;
}

export interface SignalMatch {
  readonly kind: SignalKind;
  /** What it is about; no contents, no query. */
  readonly object: string;
  readonly weight?: number;
}

export type Finder = (call: Call) => SignalMatch | undefined;

export const wordOf = (tool: string): string => tool.slice(tool.search(/[^./:]*$/));

/** A text parameter under one of the names. */
function textOf({ parameters }: Call, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Names of files a call is about: its target where that is one, and paths in its parameters. */
export function pathsOf(call: Call): string[] {
  const { protocol, target } = call;
  const named = ['path', 'file', 'file_path', 'filePath', 'filename'].flatMap((name) => textOf(call, name) ?? []);
  if (protocol === 'http' || protocol === 'sql') return named;
  return protocol === 'git' ? named : [target, ...named];
}

/** Words of a command line, also where only its text is known. */
export const wordsOf = ({ argv, target, word }: Call): readonly string[] =>
  argv.length > 0 ? argv : [word, ...target.split(/\s+/)];

/** A command that is known to give rights or to destroy, with the first thing it acts on: `kubectl delete namespace/shop`. */
export function riskyOperation({ word, parameters }: Call, wanted: 'rights' | 'destroys'): string | undefined {
  const { risk, operation, objects } = parameters;
  if (risk !== wanted) return undefined;
  const [object] = Array.isArray(objects) ? objects : [];
  return [word, operation, object].filter((each) => typeof each === 'string').join(' ');
}
