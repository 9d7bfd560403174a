/** A tool call of a coding agent as the call that policies decide [cli.hook]. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { workspaceOf } from '#core/effects/shell/workspace.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { targetFromArguments } from '#core/policy/classification/target.ts';
import { isPlace } from '#core/policy/rules/parameter-places.ts';
import type { CallBody } from './call-options.ts';

export type Input = Readonly<Record<string, unknown>>;

/** Where the agent works: paths inside of `workspace` are decided relative to it. */
export interface Place {
  readonly workspace: string;
  readonly cwd: string;
}

/** Reads the input of a tool as the calls that policies decide. @throws Error for an input it cannot read. */
export type ReadTool = (input: Input, place: Place) => readonly CallBody[];

/** An agent's own tools by name. A tool that is not listed is decided by its name. */
type ToolTable = Readonly<Record<string, ReadTool>>;

export interface AgentTools {
  /** Tools that change nothing outside of the agent, or whose own tool calls arrive one by one. They need no decision. */
  readonly inner: readonly string[];
  readonly tools: ToolTable;
}

export function callsOfTool(
  { inner, tools }: AgentTools,
  name: string,
  input: Input,
  place: Place,
): readonly CallBody[] {
  if (inner.includes(name)) return [];
  if (Object.hasOwn(tools, name)) return tools[name]!(input, place);
  return [named('mcp', /^(?:mcp__.+?__|MCP:)(.+)$/s.exec(name)?.[1] ?? name, relativePaths(input, place))];
}

/**
 * Paths that lie in the workspace become relative to it, and a path in it whose link leads out begins with `..`. Others stay:
 * `/docs` may be a path of a server elsewhere.
 */
function relativePaths(input: Input, place: Place): Input {
  const relativePath = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => relativePath(name, item));
    if (typeof value === 'object' && value !== null) return relativePaths(value as Input, place);
    if (typeof value !== 'string' || !isPlace('path-named', name) || value.includes('://')) return value;
    return pathOfServer(value, place);
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, relativePath(name, value)]));
}

function pathOfServer(value: string, { workspace, cwd }: Place): string {
  const path = resolve(cwd, value.replace(/^~(?=\/|$)/, homedir()));
  try {
    const within = [workspace, realPath(workspace)].some((root) => path === root || path.startsWith(`${root}/`));
    const target = inside(workspace, path);
    if (target === '..' || target.startsWith('../')) return within ? target : value;
    return /^[/~]/.test(value) ? target : value;
  } catch {
    // Not a path of this machine, such as a text that is too long for one.
    return value;
  }
}

const named = (protocol: string, tool: string, parameters: Input): CallBody => ({
  protocol,
  tool,
  parameters,
  target: targetFromArguments(parameters),
  capability: capabilityFromName(tool),
});

/** A page that is fetched. */
export const page: ReadTool = (input) => [{ ...named('http', 'http.get', input), capability: 'read' }];

/** Members of a tool for commands, beside `command`. */
interface CommandMembers {
  /** Those that change nothing about the command. */
  readonly plain: readonly string[];
  /** Those that may name the folder that the command starts in; without one it is the folder of the event. */
  readonly folders?: readonly string[];
}

/**
 * A command starts in the current folder; where that is not the workspace, policies see it as `cwd`. Absolute paths of the command
 * inside the workspace are read as relative to it.
 * @throws Error for a member that is not known: no rule would see what it changes, such as one that switches a sandbox off.
 */
export const command =
  ({ plain, folders = [] }: CommandMembers): ReadTool =>
  (input, { workspace, cwd }) => {
    const members = ['command', ...plain, ...folders];
    const unknown = Object.keys(input).find((name) => !members.includes(name) && input[name] !== false);
    if (unknown !== undefined)
      throw new Error(`the command has the member ${JSON.stringify(unknown)}; known are ${members.join(', ')}`);
    const [begins = '', second] = folders.map((name) => input[name]).filter((value) => value !== undefined);
    if (typeof begins !== 'string' || second !== undefined)
      throw new Error(`the folder of the command must be one text, as ${folders.join(' or ')}`);
    const from = inside(workspace, resolve(cwd, begins));
    const root = workspaceOf(resolve(workspace));
    const parameters = { command: input.command, ...(from !== '.' && { cwd: from }), ...(root && { workspace: root }) };
    const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute' as const, parameters };
    return [call, ...leavingByLinks(call, workspace)];
  };

/** Files that the line reads or writes through a link that leads out of the workspace; policies see each as a path that leads out. */
function leavingByLinks(call: ToolCall, workspace: string): CallBody[] {
  const place = { workspace, cwd: workspace };
  return shellEffects(call).parts.flatMap(({ target, capability }) => {
    if (target === '' || /^(?:[/~]|\.\.(?:\/|$))/.test(target)) return [];
    const path = pathOfServer(target, place);
    return path === target ? [] : [fileCall(capability === 'read' ? 'read_file' : 'write_file', target, {}, place)];
  });
}

/** A tool on a file: the name that policies know, and the arguments of which one holds the path. @throws Error where none or several do. */
export const file =
  (tool: string, ...paths: readonly string[]): ReadTool =>
  (input, place) => {
    const [name, second] = paths.filter((path) => input[path] !== undefined);
    if (name === undefined) throw new Error(`the tool names no file; expected is ${paths.join(' or ')}`);
    if (second !== undefined) throw new Error(`the tool names its file twice, as ${name} and ${second}`);
    const { [name]: path, ...rest } = input;
    return [fileCall(tool, path, rest, place)];
  };

/** The same for a tool on a folder, which is the current one where none is named. */
export const folder =
  (tool: string, ...paths: readonly string[]): ReadTool =>
  (input, place) =>
    paths.some((path) => input[path] !== undefined)
      ? file(tool, ...paths)(input, place)
      : [fileCall(tool, '.', input, place)];

export function fileCall(tool: string, path: unknown, rest: Input, { workspace, cwd }: Place): CallBody {
  const target = typeof path === 'string' ? inside(workspace, resolve(cwd, path)) : '';
  const parameters = { ...rest, path: typeof path === 'string' ? target : path };
  return { protocol: 'mcp', tool, target, capability: capabilityFromName(tool), parameters };
}

/**
 * The path relative to the workspace; outside of it the path begins with `..`, which packs refuse as climbing out.
 * Links are followed, so a link that leads out is seen as a path that leads out.
 */
function inside(workspace: string, path: string): string {
  return relative(realPath(workspace), realPath(path)) || '.';
}

/** For a file that does not exist yet, the existing folders of its path are resolved, and so is a link without a target. */
function realPath(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  const parent = dirname(path);
  if (entry?.isSymbolicLink()) return realPath(resolve(realPath(parent), readlinkSync(path)));
  return entry || parent === path ? realpathSync(path) : join(realPath(parent), basename(path));
}
