/** A tool call of a coding agent as the call that policies decide [cli.hook]. */
import { lstatSync, readlinkSync, realpathSync } from 'node:fs';
import { basename, dirname, join, relative, resolve } from 'node:path';
import { capabilityFromName } from '#core/classification/classify-tool.ts';
import { targetFromArguments } from '#core/classification/target.ts';
import { workspaceOf } from '#core/effects/shell/workspace.ts';
import type { CallBody } from './call-options.ts';

type Input = Readonly<Record<string, unknown>>;

/** Where the agent works: paths inside of `workspace` are decided relative to it. */
export interface Place {
  readonly workspace: string;
  readonly cwd: string;
}

/** Tools that change nothing outside of the agent, or whose own tool calls arrive one by one. */
const inner: ReadonlySet<string> = new Set([
  ...['TodoRead', 'TodoWrite', 'Task', 'Agent', 'EnterPlanMode', 'ExitPlanMode', 'AskUserQuestion', 'ToolSearch'],
]);

/** No decision is asked for such a tool. */
export const actsInside = (tool: string): boolean => inner.has(tool);

/** Tools on files: the name that policies know, and the argument that holds the path. */
const onFiles: Readonly<Record<string, { readonly tool: string; readonly path: string }>> = {
  Read: { tool: 'read_file', path: 'file_path' },
  Write: { tool: 'write_file', path: 'file_path' },
  Edit: { tool: 'edit_file', path: 'file_path' },
  MultiEdit: { tool: 'edit_file', path: 'file_path' },
  NotebookEdit: { tool: 'edit_file', path: 'notebook_path' },
  Glob: { tool: 'list_files', path: 'path' },
  Grep: { tool: 'search_files', path: 'path' },
  LS: { tool: 'list_files', path: 'path' },
};

/** Undefined for a tool that needs no decision. A tool that is not listed is decided by its name. */
export function callOfTool(name: string, input: Input, place: Place): CallBody | undefined {
  if (inner.has(name)) return undefined;
  if (name === 'Bash') return shell(input, place);
  if (Object.hasOwn(onFiles, name)) return file(onFiles[name]!, input, place);
  if (name === 'WebFetch') return { ...named('http', 'http.get', input), capability: 'read' };
  return named('mcp', /^mcp__.+?__(.+)$/s.exec(name)?.[1] ?? name, input);
}

const named = (protocol: string, tool: string, parameters: Input): CallBody => ({
  ...{ protocol, tool, parameters, target: targetFromArguments(parameters), capability: capabilityFromName(tool) },
});

/**
 * A command starts in the current folder; where that is not the workspace, policies see it as `cwd`. Absolute paths of the command
 * inside the workspace are read as relative to it.
 * @throws Error for a member that is not known.
 */
function shell(input: Input, { workspace, cwd }: Place): CallBody {
  const { command, description: _, timeout: __, run_in_background: ___, ...others } = input;
  // No rule would see what another member changes, such as one that switches a sandbox off.
  const [unknown] = Object.keys(others).filter((name) => others[name] !== false);
  if (unknown !== undefined)
    throw new Error(
      `Bash has the member ${JSON.stringify(unknown)}; known are command, description, timeout and run_in_background`,
    );
  const folder = inside(workspace, cwd);
  const named = workspaceOf(resolve(workspace));
  const parameters = { command, ...(folder !== '.' && { cwd: folder }), ...(named && { workspace: named }) };
  return { protocol: 'shell', tool: 'shell.run', target: '', capability: 'execute', parameters };
}

function file({ tool, path }: { tool: string; path: string }, input: Input, { workspace, cwd }: Place): CallBody {
  const { [path]: given = '.', ...rest } = input;
  const target = typeof given === 'string' ? inside(workspace, resolve(cwd, given)) : '';
  const parameters = { ...rest, path: typeof given === 'string' ? target : given };
  return { protocol: 'mcp', tool, target, capability: capabilityFromName(tool), parameters };
}

/**
 * The path relative to the workspace; outside of it the path begins with `..`, which packs refuse as climbing out.
 * Links are followed, so a link that leads out is seen as a path that leads out.
 */
function inside(workspace: string, path: string): string {
  return relative(realPath(workspace), realPath(path)) || '.';
}

/** Of a file that does not exist yet, the folders that do are resolved, and so is a link that leads nowhere yet. */
function realPath(path: string): string {
  const entry = lstatSync(path, { throwIfNoEntry: false });
  const parent = dirname(path);
  if (entry?.isSymbolicLink()) return realPath(resolve(realPath(parent), readlinkSync(path)));
  return entry || parent === path ? realpathSync(path) : join(realPath(parent), basename(path));
}
