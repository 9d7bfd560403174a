/** One tool call described by command options, shared by test-action and simulate. */
import { readFileSync } from 'node:fs';
import type { Command } from 'commander';
import { parseStrict, parseStrictBytes } from '#core/kernel/json.ts';
import { fileTrouble, UsageError } from './failure.ts';

export interface CallOptions {
  readonly protocol?: string;
  readonly tool?: string;
  readonly target?: string;
  readonly capability?: string;
  readonly upstream?: string;
  readonly params?: string;
  readonly param?: readonly string[];
}

export interface CallBody {
  readonly protocol: string;
  readonly tool: string;
  readonly target: string;
  readonly capability: string;
  readonly upstream?: string;
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export function addCallOptions(command: Command): Command {
  return command
    .option('--protocol <name>', 'git, shell, sql, http, mcp')
    .option('--tool <name>', 'dotted name, such as scm.create_pull_request')
    .option('--target <what>', 'repository or path the tool acts on')
    .option('--capability <name>', 'read, write, execute, delete')
    .option('--upstream <name>', 'MCP server or HTTP service that serves the call')
    .option('--params <json>', 'parameters as JSON, from a file with @file, from stdin with @-')
    .option(
      '--param <name=text>',
      'one parameter (repeatable); name:=json for a value that is not text',
      collectValues,
    );
}

export const collectValues = (word: string, before: readonly string[] = []): readonly string[] => [...before, word];

/** Builds a tool call from the options. @throws UsageError naming the missing options. */
export function buildCall(options: CallOptions): CallBody {
  const { protocol, tool, target, capability, upstream } = options;
  if (protocol === undefined || tool === undefined || target === undefined || capability === undefined) {
    const missing = (['protocol', 'tool', 'target', 'capability'] as const).filter(
      (name) => options[name] === undefined,
    );
    throw new UsageError(`missing ${missing.map((name) => `--${name}`).join(', ')}`);
  }
  const parameters = parametersOf(options);
  return {
    protocol,
    tool,
    target,
    capability,
    ...(upstream !== undefined && { upstream }),
    ...(parameters && { parameters }),
  };
}

/** Returns the parameters, or undefined if none are given. @throws UsageError */
export function parametersOf({ params, param = [] }: CallOptions): CallBody['parameters'] | undefined {
  if (params === undefined && param.length === 0) return undefined;
  const whole = params === undefined ? {} : jsonArgument('--params', params);
  if (typeof whole !== 'object' || whole === null || Array.isArray(whole))
    throw new UsageError('--params must be a JSON object');
  // fromEntries defines own members, so a parameter called __proto__ is safe.
  return Object.fromEntries([...Object.entries(whole), ...param.map(pair)]);
}

function pair(word: string): [string, unknown] {
  const at = word.indexOf('=');
  if (at < 1) throw new UsageError(`--param must look like name=text or name:=json, got ${JSON.stringify(word)}`);
  const [name, value] = [word.slice(0, at), word.slice(at + 1)];
  if (!name.endsWith(':')) return [name, value];
  return [name.slice(0, -1), parsedArgument(`--param ${name}=`, () => parseStrict(value))];
}

/** Parses JSON given inline, by `@file`, or by `@-` from stdin. */
function jsonArgument(option: string, given: string): unknown {
  return given.startsWith('@') ? jsonFile(option, given.slice(1)) : parsedArgument(option, () => parseStrict(given));
}

export function jsonFile(option: string, file: string): unknown {
  const bytes = fileBytes(file);
  return parsedArgument(`${option} ${file}`, () => parseStrictBytes(bytes));
}

/** Reads a file; `-` is stdin. */
export function fileBytes(file: string): Buffer<ArrayBuffer> {
  try {
    return readFileSync(file === '-' ? process.stdin.fd : file);
  } catch (cause) {
    throw fileTrouble('read', file, cause);
  }
}

/** Parses the argument strictly, so that a repeated key is an error. */
function parsedArgument(what: string, parse: () => unknown): unknown {
  try {
    return parse();
  } catch (cause) {
    throw new UsageError(`${what}: ${(cause as Error).message.replace(/^The body/, 'the value')}`, cause);
  }
}
