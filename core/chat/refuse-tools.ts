/** Checks which tools a chat call may contain [chat.tool-use]. */

import type { ChatOperation, DialectName } from '#core/contracts/chat.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { invalidRequest } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { objectsOf } from '#core/kernel/narrow.ts';
import type { Dialect } from '#core/models/dialects/dialect.ts';
import { refuseProviderRun } from './provider-tools.ts';

/** Parts of a call that determine which tools it may contain. */
interface ChatRequestBody {
  readonly dialect: DialectName;
  /** Called endpoint, if it is not the dialect's own. */
  readonly operation?: Exclude<ChatOperation, 'chat.completions' | 'messages'> | undefined;
  readonly body: JsonObject;
}

/** Refuses tools that the settings do not allow. @throws GatewayError `invalid_request` */
export function refuseToolUse(configuration: Configuration, asked: ChatRequestBody, wire: Dialect): void {
  const { dialect, operation, body } = asked;
  if (dialect === 'anthropic' || operation === 'responses') refuseOnMessages(configuration, asked, wire);
  else if (operation === undefined) refuseOnCompletions(configuration, body, wire);
}

function refuseOnMessages(
  { messages }: Configuration,
  { dialect, operation, body }: ChatRequestBody,
  wire: Dialect,
): void {
  if (messages.tool_use === 'reject' && wire.usesTools(body))
    throw toolUseRejected(operation ?? 'messages', 'messages');
  if (messages.tool_use !== 'reject' && dialect === 'anthropic') refuseProviderRun(messages, body);
}

/**
 * Refuses all tools under `reject`; under `govern`, refuses tools whose calls the gateway could not make decisions on.
 */
function refuseOnCompletions({ chat_completions }: Configuration, body: JsonObject, wire: Dialect): void {
  const { tool_use } = chat_completions;
  if (tool_use === 'reject' && wire.usesTools(body)) throw toolUseRejected('chat/completions', 'chat_completions');
  if (tool_use !== 'govern') return;
  const undecided = ['functions', 'function_call', 'web_search_options'].find((name) => body[name] !== undefined);
  if (undecided !== undefined)
    throw invalidRequest(
      `Found ${undecided}, whose calls cannot be evaluated under chat_completions.tool_use: govern; send tools of type function or custom.`,
      { param: undecided },
    );
  const types = objectsOf(body.tools).map(({ type }) => type);
  const at = types.findIndex((type) => type !== 'function' && type !== 'custom');
  if (at >= 0)
    throw invalidRequest(
      `tools[${at}].type is ${JSON.stringify(types[at] ?? null).slice(0, 64)}; chat_completions.tool_use: govern allows function and custom.`,
      { param: `tools[${at}].type` },
    );
}

const toolUseRejected = (path: string, key: string) =>
  invalidRequest(
    `Tool use on /v1/${path} is rejected: leave out tools and tool blocks, or have ${key}.tool_use set to govern.`,
  );
