/** Converts a coding agent's tool call into the calls that policies evaluate [cli.hook]. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, relative, resolve } from 'node:path';
import type { CallBody } from '#agentctl/call-options.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { otherProgramOf } from '#core/effects/shell/carrying-tool.ts';
import { workspaceOf } from '#core/effects/shell/workspace.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { capabilityFromName } from '#core/policy/classification/classify-tool.ts';
import { targetFromArguments } from '#core/policy/classification/target.ts';
import { isPlace } from '#core/policy/rules/parameter-places.ts';

export type Input = Readonly<Record<string, unknown>>;

/** The folders in which an agent works. Policies see paths inside `workspace` as relative to it. */
export interface WorkingFolders {
  readonly workspace: string;
  readonly cwd: string;
}

/** Converts a tool's input into the calls that policies evaluate. @throws Error for unreadable input. */
export type ReadTool = (input: Input, place: WorkingFolders) => readonly CallBody[];

/** An agent's own tools, by name. For a tool not listed, policies only see its name. */
type ToolTable = Readonly<Record<string, ReadTool>>;

export interface AgentTools {
  /**
   * Tools that change nothing outside the agent, or whose own tool calls arrive individually. They do not need a
   * decision.
   */
  readonly inner: readonly string[];
  readonly tools: ToolTable;
}

export function callsOfTool(
  { inner, tools }: AgentTools,
  name: string,
  input: Input,
  place: WorkingFolders,
): readonly CallBody[] {
  if (inner.includes(name)) return [];
  if (Object.hasOwn(tools, name)) return tools[name]!(input, place);
  return [callBodyOf('mcp', toolOfServer(name), relativePaths(input, place))];
}

/**
 * Returns the tool's name on its server. It is prefixed with the server's name if that indicates where the tool runs:
 * `ssh.exec`.
 */
function toolOfServer(name: string): string {
  const [, server = '', tool = name] = /^(?:mcp__(.+?)__|MCP:)(.+)$/s.exec(name) ?? [];
  return otherProgramOf(server) === undefined ? tool : `${server}.${tool}`;
}

/**
 * Makes paths inside the workspace relative to it. A path that leaves it through a link begins with `..`. Other paths
 * are unchanged, because `/docs` may be a path on another server.
 */
function relativePaths(input: Input, place: WorkingFolders): Input {
  const relativePath = (name: string, value: unknown): unknown => {
    if (Array.isArray(value)) return value.map((item) => relativePath(name, item));
    if (typeof value === 'object' && value !== null) return relativePaths(value as Input, place);
    if (typeof value !== 'string' || !isPlace('path-named', name) || value.includes('://')) return value;
    return pathOfServer(value, place);
  };
  return Object.fromEntries(Object.entries(input).map(([name, value]) => [name, relativePath(name, value)]));
}

function pathOfServer(value: string, { workspace, cwd }: WorkingFolders): string {
  const path = resolve(cwd, value.replace(/^~(?=\/|$)/, homedir()));
  try {
    const within = [workspace, realPath(workspace)].some((root) => path === root || path.startsWith(`${root}/`));
    const target = pathInWorkspace(workspace, path);
    if (target === '..' || target.startsWith('../')) return within ? target : value;
    return /^[/~]/.test(value) ? target : value;
  } catch {
    // Not a path on this machine, for example because it is too long.
    return value;
  }
}

const callBodyOf = (protocol: string, tool: string, parameters: Input): CallBody => ({
  protocol,
  tool,
  parameters,
  target: targetFromArguments(parameters),
  capability: capabilityFromName(tool),
});

/** Reads a tool that fetches a page. */
export const page: ReadTool = (input) => [{ ...callBodyOf('http', 'http.get', input), capability: 'read' }];

/** Members of a command tool, in addition to `command`. */
interface CommandMembers {
  /** Members that do not affect the command. */
  readonly plain: readonly string[];
  /** Members that may name the folder in which the command starts. By default, it is the event's folder. */
  readonly folders?: readonly string[];
}

/**
 * Reads a tool that runs commands. If the start folder is not the workspace, policies see it as `cwd`. Absolute paths
 * inside the workspace are treated as relative to it.
 * @throws Error for an unknown member, such as one that disables a sandbox, because no rule would see its effect.
 */
export const command =
  ({ plain, folders = [] }: CommandMembers): ReadTool =>
  (input, { workspace, cwd }) => {
    const members = ['command', ...plain, ...folders];
    const unknown = Object.keys(input).find((name) => !members.includes(name) && input[name] !== false);
    if (unknown !== undefined)
      throw new Error(
        `the command has the unknown member ${JSON.stringify(unknown)}; allowed are ${members.join(', ')}`,
      );
    const [begins = '', second] = folders.map((name) => input[name]).filter((value) => value !== undefined);
    if (typeof begins !== 'string' || second !== undefined)
      throw new Error(`the folder of the command must be one string, in ${folders.join(' or ')}`);
    const from = pathInWorkspace(workspace, resolve(cwd, begins));
    const root = workspaceOf(resolve(workspace));
    const parameters = { command: input.command, ...(from !== '.' && { cwd: from }), ...(root && { workspace: root }) };
    const call = { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute' as const, parameters };
    return [call, ...leavingByLinks(call, workspace)];
  };

/**
 * Returns calls for files outside the workspace that the command line reaches through links, with the paths they lead
 * to.
 */
function leavingByLinks(call: ToolCall, workspace: string): CallBody[] {
  const place = { workspace, cwd: workspace };
  return shellEffects(call).parts.flatMap(({ target, capability }) => {
    if (target === '' || /^(?:[/~]|\.\.(?:\/|$))/.test(target)) return [];
    const path = pathOfServer(target, place);
    return path === target ? [] : [fileCall(capability === 'read' ? 'read_file' : 'write_file', target, {}, place)];
  });
}

/**
 * Reads a tool that works on one file, under the tool name that policies use.
 * @throws Error unless exactly one argument contains a path.
 */
export const file =
  (tool: string, ...paths: readonly string[]): ReadTool =>
  (input, place) => {
    const [name, second] = paths.filter((path) => input[path] !== undefined);
    if (name === undefined) throw new Error(`the tool names no file; expected ${paths.join(' or ')}`);
    if (second !== undefined) throw new Error(`the tool names its file twice, as ${name} and ${second}`);
    const { [name]: path, ...rest } = input;
    return [fileCall(tool, path, rest, place)];
  };

/**
 * Matches parts of a glob that may lead out of its folder: a root, a home folder, or a parent folder, including as one
 * of several alternatives in braces.
 */
const outside = /(?:^|[{,])(?:[/~]|[A-Za-z]:)|(?:^|[{,/\\])\.\.(?:[,}/\\]|$)/;

/**
 * Reads a tool that lists the files matching a glob, which may specify its own folder.
 * @param glob name of the argument that contains the glob.
 */
export const globbed =
  (glob: string, ...paths: readonly string[]): ReadTool =>
  (input, place) => {
    const pattern = input[glob];
    if (typeof pattern !== 'string' || !outside.test(pattern)) return folder('list_files', ...paths)(input, place);
    const [named = ''] = /^[^*?{}[\]]*\//.exec(pattern) ?? [];
    if (outside.test(pattern.slice(named.length)))
      throw new Error(
        `the pattern ${JSON.stringify(pattern)} may lead out of the workspace; put its folder before the first wildcard`,
      );
    const name = paths.find((path) => input[path] !== undefined);
    const from = name === undefined ? place.cwd : resolve(place.cwd, String(input[name]));
    return [fileCall('list_files', resolve(from, named.replace(/^~(?=\/)/, homedir())), input, place)];
  };

/** Reads a tool that works on a folder in the same way. By default, it is the current folder. */
export const folder =
  (tool: string, ...paths: readonly string[]): ReadTool =>
  (input, place) =>
    paths.some((path) => input[path] !== undefined)
      ? file(tool, ...paths)(input, place)
      : [fileCall(tool, '.', input, place)];

export function fileCall(tool: string, path: unknown, rest: Input, { workspace, cwd }: WorkingFolders): CallBody {
  const target = typeof path === 'string' ? pathInWorkspace(workspace, resolve(cwd, path)) : '';
  const parameters = { ...rest, path: typeof path === 'string' ? target : path };
  return { protocol: 'mcp', tool, target, capability: capabilityFromName(tool), parameters };
}

/**
 * Returns the path relative to the workspace. A path outside it begins with `..`, which packs refuse. Links are
 * followed, so a link leading outside yields an outside path.
 */
function pathInWorkspace(workspace: string, path: string): string {
  return relative(realPath(workspace), realPath(path)) || '.';
}

/** Resolves a path. For a missing file, resolves its existing folders, as well as links without a target. */
function realPath(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  const parent = dirname(path);
  if (entry?.isSymbolicLink()) return realPath(resolve(realPath(parent), readlinkSync(path)));
  return entry || parent === path ? realpathSync(path) : join(realPath(parent), basename(path));
}
