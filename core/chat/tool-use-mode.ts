/** Reads a chat's `tool_use` setting and forced tool, without loading the code that makes decisions on tool calls. */

import type { JsonObject } from '#core/kernel/json.ts';
import { objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import type { ChatCall } from './call.ts';

/** Returns the name of the single tool that the request forces, if the conversation has no tool calls or results. */
export function forcedTool({ dialect, body }: Pick<ChatCall, 'dialect' | 'body'>): string | undefined {
  const tools = objectsOf(body.tools);
  if (tools.length !== 1 || !Array.isArray(body.tools) || body.tools.length !== 1 || hasCalls(body)) return undefined;
  const [tool = {}] = tools;
  const choice = objectOf(body.tool_choice);
  const named = dialect === 'openai' ? objectOf(tool.function) : ownTool(tool);
  const chosen = dialect === 'openai' ? objectOf(choice?.function)?.name : choice?.type === 'tool' && choice.name;
  const name = textOf(named?.name);
  return name !== undefined && name !== '' && name === chosen ? name : undefined;
}

type Setting = Pick<ChatCall, 'operation' | 'snapshot'>;

const toolUse = ({ operation, snapshot: { configuration } }: Setting) =>
  (operation === 'chat.completions' ? configuration.chat_completions : configuration.messages).tool_use;

/** Checks whether the tool policy is applied to the model's calls before the caller sees them. */
export const governsTools = (call: Setting): boolean => toolUse(call) === 'govern';

/**
 * Checks whether calls pass without a decision because the caller, or an agent's hook, requests one before each call
 * runs [messages.provider-run].
 */
export const leavesTools = (call: Setting): boolean => ['pass', 'hook'].includes(toolUse(call));

/**
 * Returns a tool defined by the caller. Tools that the provider defines (`bash_*`, `computer_*`) are run by its client.
 */
const ownTool = (tool: JsonObject): JsonObject | undefined =>
  tool.type === undefined || tool.type === 'custom' ? tool : undefined;

const hasCalls = (body: JsonObject): boolean =>
  objectsOf(body.messages).some(
    ({ role, content, tool_calls }) =>
      role === 'tool' ||
      role === 'function' ||
      objectsOf(tool_calls).length > 0 ||
      objectsOf(content).some(({ type }) => typeof type === 'string' && /tool_(use|result)$/.test(type)),
  );
