/** A call, or one of its effects, as seen by the signal finders. */
import type { SignalKind } from '#core/contracts/behavior.ts';
import type { Network } from '#core/contracts/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import type { BranchWrite } from '#core/effects/git/branches.ts';

export interface Call extends Pick<ToolCall, 'protocol' | 'target' | 'capability' | 'parameters'> {
  /** Case-folded tool name. */
  readonly tool: string;
  /** Last part of the tool name, such as `rm` in `shell.rm`. */
  readonly word: string;
  /** Words of a command, starting with the program. Empty if the call is not a command. */
  readonly argv: readonly string[];
  /** Unchanged text of the call that carries this one. Effect readers omit parts that they treat as plain text. */
  readonly source: string;
  /** Branches to which a Git command in a shell writes. */
  readonly branches: readonly BranchWrite[];
}

/** Context that determines a call's signals. */
export interface SignalContext {
  readonly isKnownHost: (host: string) => boolean;
  /** Matches targets that are configured as sensitive, in addition to the default secrets. */
  readonly isSensitive: (target: string) => boolean;
  readonly isSecretPath: (path: string) => boolean;
  readonly networkOfHost: (host: string) => Network | undefined;
}

export interface SignalMatch {
  readonly kind: SignalKind;
  /** Object of the signal, without contents or query string. */
  readonly object: string;
  readonly weight?: number;
}

export type Finder = (call: Call) => SignalMatch | undefined;

export const wordOf = (tool: string): string => tool.slice(tool.search(/[^./:]*$/));

function firstTextParameter({ parameters }: Call, ...names: string[]): string | undefined {
  for (const name of names) {
    const value = Object.hasOwn(parameters, name) ? parameters[name] : undefined;
    if (typeof value === 'string' && value !== '') return value;
  }
  return undefined;
}

/** Returns the file names in a call: its target, if that is a file, and the paths in its parameters. */
export function pathsOf(call: Call): string[] {
  const { protocol, target } = call;
  const named = ['path', 'file', 'file_path', 'filePath', 'filename'].flatMap(
    (name) => firstTextParameter(call, name) ?? [],
  );
  if (protocol === 'http' || protocol === 'sql') return named;
  return protocol === 'git' ? named : [target, ...named];
}

/** Returns the words of a command line, even if only its text is available. */
export const commandWords = ({ argv, target, word }: Call): readonly string[] =>
  argv.length > 0 ? argv : [word, ...target.split(/\s+/)];

/**
 * Returns an operation known to grant privileges or destroy data, with the first object it acts on, such as `kubectl
 * delete namespace/shop`.
 */
export function riskyOperation({ word, parameters }: Call, wanted: 'rights' | 'destroys'): string | undefined {
  const { risk, operation, objects } = parameters;
  if (risk !== wanted) return undefined;
  const [object] = Array.isArray(objects) ? objects : [];
  return [word, operation, object].filter((each) => typeof each === 'string').join(' ');
}
