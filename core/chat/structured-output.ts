/**
 * Structured output by a tool that never runs: client libraries (LangChain, instructor) offer one tool, force the model to call
 * it, and read its arguments as the answer. Such a call is data [messages.structured-output].
 */

import { openEnvelope } from '#core/actions/envelope.ts';
import { evaluateCall } from '#core/actions/evaluate-call.ts';
import type { EvaluationPorts } from '#core/actions/ports.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { objectOf, objectsOf, textOf } from '#core/dialects/wire.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { IdsPort } from '#core/kernel/ports.ts';
import type { ChatCall } from './call.ts';

type Asked = Pick<ChatCall, 'dialect' | 'body' | 'snapshot'>;

/** The name of the one tool that the request forces, where the conversation holds no call and no result of any tool. */
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

/** Whether the tool policy decides the calls of the model before the caller sees them. */
export const governsTools = (call: Setting): boolean => toolUse(call) === 'govern';

/** Whether nothing is decided here: the caller, or the hook of an agent, asks for each call before it runs [messages.hook-mode]. */
export const leavesTools = (call: Setting): boolean => ['pass', 'hook'].includes(toolUse(call));

/** A tool of the caller's own; what the provider defines (`bash_*`, `computer_*`) is run by its client. */
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

/**
 * Whether a call of the model is such an answer. The policy must know nothing of it: a rule that names the tool, an effect
 * that its arguments come to, and a text that cannot be read with certainty all make it an action like any other.
 * @param input the arguments, already parsed.
 */
export async function isStructuredOutput(
  ports: EvaluationPorts & IdsPort,
  call: Asked & Pick<ChatCall, 'principal' | 'sessionId'>,
  request: Parameters<typeof openEnvelope>[0],
): Promise<boolean> {
  const { messages } = call.snapshot.configuration;
  if (messages.structured_output !== 'data' || forcedTool(call) !== request.tool) return false;
  const envelope = openEnvelope(request, call.principal, call.sessionId, ports.ids.uuid());
  const effects = await ports.effects(envelope);
  if (effects.parts.length > 0 || effects.unclear !== undefined) return false;
  const { decision, matched_rule } = await evaluateCall(
    ports,
    ofTenant(call.snapshot, envelope.tenant),
    envelope,
    effects,
  );
  return decision === 'review' && matched_rule === 'default';
}
