/** Finds the shell text of a call: its target, `command` and similar parameters, and argument vectors. */

import { isShell } from '#core/catalog/program-kind.ts';
import { shells } from '#core/catalog/program-words.ts';
import { carriers } from '#core/catalog/tool-names.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { wordSet } from '#core/kernel/word-set.ts';
import { wordsIn } from '#core/policy/classification/tool-words.ts';
import { foldCase } from '#core/text/matching/fold-unicode.ts';
import { otherParameter, otherProgramOf } from './carrying-tool.ts';
import type { Situation } from './invocation.ts';
import { type Arg, argOf } from './words.ts';
import { workspaceOf } from './workspace.ts';

interface CarriedCommand extends Situation {
  readonly carrier: boolean;
  readonly cwd: string;
  /** Absolute path. Set only for calls to the shell itself, where the caller also states the working directory. */
  readonly workspace?: string;
  /** Lines, and argument vectors that bypass the shell. */
  readonly texts: readonly (string | readonly Arg[])[];
  readonly unclear?: string;
  /** Reason why more than the line may run. A reason found within the line takes precedence. */
  readonly besides?: string | undefined;
  /** Program that runs the text instead of the local shell. */
  readonly otherProgram?: string | undefined;
}

const lineTools = wordSet(`${carriers.lines} ${shells.read}`);
const runningWords = wordSet(`${carriers.running} ${shells.read}`);
const otherGrammars = new Set(['sql', 'http', 'git']);
const lineKeys = ['command', 'cmd', 'script', 'line', 'commands', 'command_line', 'commandLine', 'shell_command'];
const vectorKeys = ['args', 'argv', 'arguments'];
const cwdKeys = [
  ...['cwd', 'workdir', 'work_dir', 'working_directory', 'workingDirectory', 'working_dir', 'workingDir'],
  ...['directory', 'dir', 'dir_path', 'folder'],
];
const situationKeys = ['stdin', 'input', 'env', 'environment', 'shell', 'workspace'];
const readKeys: ReadonlySet<string> = new Set([...lineKeys, ...vectorKeys, ...cwdKeys, ...situationKeys]);
/** Calls of the shell itself may also be the effects of a line. */
const shellKeys: ReadonlySet<string> = new Set([...readKeys, 'shows']);

/** Returns the shell text of a call, or undefined if it has none. */
export function lineOf(call: ToolCall): CarriedCommand | undefined {
  const protocol = foldCase(call.protocol).trim();
  const tool = foldCase(call.tool).trim();
  const isNamed = protocol === 'shell' && tool.startsWith('shell.');
  if (isNamed || (protocol === 'shell' && !isServerTool(call))) return ofShell(call, tool.replace(/^shell\./, ''));
  if (otherGrammars.has(protocol)) return undefined;
  const carrier = runsLines(call.tool);
  const found = carrier ? commandTexts(call.parameters) : commandsIn(call.parameters);
  if (found.texts.length === 0 && found.unclear === undefined) return undefined;
  const line = { ...situationOf(call), ...found, carrier };
  if (!carrier) return line;
  return {
    ...line,
    besides: otherParameter(call, readKeys),
    otherProgram: otherProgramOf(call.tool) ?? otherProgramOf(call.upstream ?? ''),
  };
}

/**
 * Returns the command lines in a call whose tool name does not suggest running commands. The tool may still run them:
 * `search_logs {command: …}`.
 */
function commandsIn(parameters: Readonly<Record<string, unknown>>): ReturnType<typeof commandTexts> {
  const keys = Object.keys(parameters).filter((key) => namesCommand(wordsIn(key)));
  const found = keys.map((key) => commandTexts({ command: parameters[key] }));
  const unclear = found.find((each) => each.unclear !== undefined)?.unclear;
  return { texts: found.flatMap(({ texts }) => texts), ...(unclear !== undefined && { unclear }) };
}
const namesCommand = (words: readonly string[]): boolean =>
  ['cmd', 'command'].includes(words.at(-1) ?? '') || ['bash', 'command_line', 'powershell'].includes(words.join('_'));

/** Checks for a tool on a server, such as `files.run_command`, as opposed to a command name. */
const isServerTool = ({ tool, parameters }: ToolCall): boolean =>
  runsLines(tool) && [...lineKeys, ...vectorKeys].some((key) => Object.hasOwn(parameters, key));

/** Checks for a word such as `run` or `shell` in the tool's name: `runCommand`, `files.run_command`. */
const runsLines = (tool: string): boolean =>
  foldCase(tool.replace(/([a-z0-9])([A-Z])/g, '$1_$2'))
    .split(/[^a-z]/)
    .some((word) => runningWords.has(word));

function ofShell(call: ToolCall, name: string): CarriedCommand {
  const carrier = lineTools.has(name);
  const found = commandTexts(call.parameters, carrier ? (isShell(name) ? name : undefined) : name);
  const texts = [...found.texts];
  const { target } = call;
  // If there is a line, the target is only a label, unless it may itself be a line.
  const isLabel = texts.length > 0 && !/[\s;&|<>$`()]/.test(target);
  if (!isLabel) texts.push(...ofTarget(target, name, carrier));
  const { workspace: named } = call.parameters;
  const workspace = Object.hasOwn(call.parameters, 'workspace') ? workspaceOf(named) : undefined;
  const unclear =
    workspace === undefined && Object.hasOwn(call.parameters, 'workspace')
      ? { unclear: 'the parameter workspace is not the absolute path of a folder in plain form' }
      : {};
  const besides = otherParameter(call, shellKeys);
  return { ...situationOf(call), ...found, ...unclear, texts, carrier, besides, ...(workspace && { workspace }) };
}

function ofTarget(target: string, name: string, carrier: boolean): (string | readonly Arg[])[] {
  const command = /^\s*(\S+)/.exec(target)?.[1] ?? '';
  if (carrier && !(isShell(name) && target.startsWith('-'))) return target === '' ? [] : [target];
  // A tool named git accepts both `git status` and `status`.
  if (/\s/.test(target.trim()) && foldCase(command).split('/').at(-1) === name.split('/').at(-1)) return [target];
  return [`${name} ${target}`];
}

/** @param name the command that argument vectors apply to, if the tool names one. */
function commandTexts(
  parameters: Readonly<Record<string, unknown>>,
  name?: string,
): { texts: (string | readonly Arg[])[]; unclear?: string } {
  const own = (key: string): unknown => (Object.hasOwn(parameters, key) ? parameters[key] : undefined);
  const texts: (string | readonly Arg[])[] = [];
  const vectors: (readonly Arg[])[] = [];
  const lines: string[] = [];
  let unclear: string | undefined;
  for (const key of vectorKeys) {
    const value = own(key);
    if (value === undefined) continue;
    const vector = vectorOf(value);
    if (vector) vectors.push(vector);
    else if (typeof value === 'string') lines.push(value);
    else unclear = `the parameter ${key} is no list of texts`;
  }
  for (const key of lineKeys) {
    const value = own(key);
    if (value === undefined) continue;
    const list = vectorOf(value);
    if (typeof value === 'string') {
      // A program with separate arguments. It is also parsed as a command line in its own right.
      for (const vector of vectors) texts.push([...value.trim().split(/\s+/).map(argOf), ...vector]);
      texts.push(value, ...lines.map((line) => `${value} ${line}`));
    } else if (list && key === 'commands') texts.push(...list.map((arg) => arg.text));
    else if (list) texts.push(list);
    else unclear = `the parameter ${key} is neither text nor a list of texts`;
  }
  if (!lineKeys.some((key) => typeof own(key) === 'string')) {
    texts.push(...lines.map((line) => (name === undefined ? line : `${name} ${line}`)));
    for (const vector of vectors)
      texts.push(name === undefined || vector[0]?.text === name ? vector : [argOf(name), ...vector]);
  }
  const shell = own('shell');
  if (typeof shell === 'string' && !isShell(shell)) unclear = 'the line is for a shell that is not supported';
  // Some tools join a vector into one line.
  const joined = texts.flatMap((text) =>
    typeof text !== 'string' && /\s/.test(text[0]?.text ?? '') ? joinedText(text) : [],
  );
  return { texts: [...texts, ...joined], ...(unclear !== undefined && { unclear }) };
}

const joinedText = (vector: readonly Arg[]): string => vector.map((arg) => arg.text).join(' ');

const vectorOf = (value: unknown): readonly Arg[] | undefined =>
  Array.isArray(value) && value.every((item) => typeof item === 'string' || typeof item === 'number')
    ? value.map((item) => argOf(String(item)))
    : undefined;

function situationOf({ parameters }: ToolCall): Situation & { cwd: string } {
  const own = (key: string): unknown => (Object.hasOwn(parameters, key) ? parameters[key] : undefined);
  const cwd = cwdKeys.map(own).find((value) => typeof value === 'string');
  const input = own('stdin') ?? own('input');
  const env = own('env') ?? own('environment');
  return {
    cwd: typeof cwd === 'string' ? cwd : '',
    stdin: typeof input === 'string' ? { kind: 'text', text: input } : { kind: 'inherited' },
    env: Object.fromEntries(
      env !== null && typeof env === 'object' ? Object.entries(env).map(([name, value]) => [name, String(value)]) : [],
    ),
  };
}
