/** The supported coding agents: hook events, tools, and response formats [cli.hook]. */

import { parseStrict } from '#core/kernel/json.ts';
import { type Fields, text } from '#core/kernel/json-fields.ts';
import { type AgentTools, command, file, folder, globbed, page } from './coding-tool.ts';
import { patchCalls } from './patch.ts';

type Permission = 'allow' | 'deny' | 'ask';

export interface PermissionAnswer {
  readonly permission: Permission;
  readonly reason: string;
}

export interface CodingAgent extends AgentTools {
  /** The agent's name, as used in evidence and policies. */
  readonly name: string;
  readonly title: string;
  /** Event sent before a tool runs. */
  readonly before: string;
  readonly after: readonly string[];
  /** Events sent by earlier agent versions, converted to `before` events. No outcome is recorded for them. */
  readonly earlier?: Readonly<Record<string, (event: Fields) => Fields>>;
  /** True if its events contain a `tool_use_id` that identifies the call. */
  readonly givesIds: boolean;
  /** Event member with the session id. */
  readonly session: string;
  /** Folder that the agent works in. If undefined, the event's folder is used. */
  readonly workspace: (event: Fields) => string | undefined;
  /** True if the agent can ask the person at its terminal for permission. */
  readonly asks: boolean;
  /** The answer in the agent's format, or undefined if the agent continues without one. */
  readonly document: (answer: PermissionAnswer) => object | undefined;
  /** Adds a sentence for the model to a call's result, in response to the event with this name. */
  readonly beside: (event: string, sentence: string) => object;
}

const contextBeside = (hookEventName: string, additionalContext: string) => ({
  hookSpecificOutput: { hookEventName, additionalContext },
});

const claudeDocument = ({ permission, reason }: PermissionAnswer) => ({
  hookSpecificOutput: {
    hookEventName: 'PreToolUse',
    permissionDecision: permission,
    permissionDecisionReason: reason,
  },
});

/** Parses arguments, which earlier versions of Cursor send as JSON text. */
const objectIn = (input: unknown): unknown => {
  const written = text(input);
  return written === undefined ? input : parseStrict(written);
};

const firstRoot = ({ workspace_roots }: Fields): string | undefined =>
  Array.isArray(workspace_roots) ? text(workspace_roots[0]) : undefined;

export const codingAgents = {
  'claude-code': {
    name: 'claude-code',
    title: 'Claude Code',
    before: 'PreToolUse',
    after: ['PostToolUse', 'PostToolUseFailure'],
    givesIds: true,
    session: 'session_id',
    workspace: () => process.env.CLAUDE_PROJECT_DIR,
    asks: true,
    document: claudeDocument,
    beside: contextBeside,
    inner: [
      ...['TodoRead', 'TodoWrite', 'TaskCreate', 'TaskGet', 'TaskList', 'TaskUpdate', 'TaskOutput', 'TaskStop'],
      // Earlier names of the last two tools above.
      ...['BashOutput', 'KillShell', 'KillBash'],
      ...['Task', 'Agent', 'EnterPlanMode', 'ExitPlanMode', 'AskUserQuestion', 'ToolSearch', 'ReportFindings'],
    ],
    tools: {
      Bash: command({ plain: ['description', 'timeout', 'run_in_background'] }),
      Read: file('read_file', 'file_path'),
      Write: file('write_file', 'file_path'),
      Edit: file('edit_file', 'file_path'),
      MultiEdit: file('edit_file', 'file_path'),
      NotebookEdit: file('edit_file', 'notebook_path'),
      Glob: globbed('pattern', 'path'),
      Grep: folder('search_files', 'path'),
      LS: folder('list_files', 'path'),
      WebFetch: page,
    },
  },
  codex: {
    name: 'codex',
    title: 'Codex CLI',
    before: 'PreToolUse',
    after: ['PostToolUse'],
    givesIds: true,
    session: 'session_id',
    workspace: () => undefined,
    asks: false,
    // Codex reads only refusals, so permissions are not written.
    document: (answer) => (answer.permission === 'allow' ? undefined : claudeDocument(answer)),
    beside: contextBeside,
    inner: ['update_plan', 'get_goal', 'create_goal', 'update_goal', 'request_user_input'],
    tools: {
      Bash: command({ plain: ['description', 'timeout'], folders: ['workdir'] }),
      apply_patch: patchCalls,
      view_image: file('read_file', 'path'),
    },
  },
  gemini: {
    name: 'gemini-cli',
    title: 'Gemini CLI',
    before: 'BeforeTool',
    after: ['AfterTool'],
    givesIds: false,
    session: 'session_id',
    workspace: () => process.env.GEMINI_PROJECT_DIR,
    asks: false,
    document: ({ permission, reason }) =>
      permission === 'allow' ? { decision: 'allow' } : { decision: 'deny', reason },
    beside: contextBeside,
    inner: ['write_todos', 'update_topic', 'enter_plan_mode', 'exit_plan_mode', 'ask_user', 'invoke_agent'],
    tools: {
      run_shell_command: command({
        plain: ['description', 'is_background', 'delay_ms', 'wait_for_previous'],
        folders: ['dir_path', 'directory'],
      }),
      read_file: file('read_file', 'file_path', 'absolute_path', 'path'),
      write_file: file('write_file', 'file_path'),
      replace: file('edit_file', 'file_path'),
      list_directory: folder('list_files', 'dir_path', 'path'),
      glob: globbed('pattern', 'dir_path', 'path'),
      grep_search: folder('search_files', 'dir_path', 'path'),
      search_file_content: folder('search_files', 'dir_path', 'path'),
    },
  },
  cursor: {
    name: 'cursor',
    title: 'Cursor',
    before: 'preToolUse',
    after: ['postToolUse', 'postToolUseFailure'],
    // Up to version 2.3, Cursor has no event that covers all tools.
    earlier: {
      beforeShellExecution: ({ command: line, ...event }) => ({
        ...event,
        tool_name: 'Shell',
        tool_input: { command: line },
      }),
      beforeReadFile: ({ file_path, ...event }) => ({ ...event, tool_name: 'Read', tool_input: { file_path } }),
      beforeMCPExecution: ({ tool_name, tool_input, ...event }) => ({
        ...event,
        tool_name: `MCP:${text(tool_name) ?? ''}`,
        tool_input: objectIn(tool_input),
      }),
    },
    givesIds: true,
    session: 'conversation_id',
    workspace: firstRoot,
    asks: false,
    document: ({ permission, reason }) => ({
      permission,
      ...(permission !== 'allow' && { user_message: reason, agent_message: reason }),
    }),
    beside: (_, additional_context) => ({ additional_context }),
    inner: ['Task', 'TodoWrite'],
    tools: {
      Shell: command({ plain: ['description', 'timeout', 'block_until_ms'], folders: ['working_directory'] }),
      Read: file('read_file', 'file_path', 'path', 'target_file'),
      Write: file('write_file', 'file_path', 'path', 'target_file'),
      StrReplace: file('edit_file', 'file_path', 'path', 'target_file'),
      Delete: file('delete_file', 'file_path', 'path', 'target_file'),
      Grep: folder('search_files', 'path'),
      Glob: globbed('glob_pattern', 'target_directory', 'path'),
    },
  },
} as const satisfies Readonly<Record<string, CodingAgent>>;

export type CodingAgentName = keyof typeof codingAgents;
