/** Translates a messages request into a chat completions request. `members.ts` has a rule for each member. */
import { chatSizes } from '#core/contracts/chat.ts';
import { sha256 } from '#core/kernel/canonical.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { countOf, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { member } from '../wire.ts';
import {
  assertAnswer,
  assertToolChoice,
  cannotCarry,
  crossing,
  membersToOpenai,
  type Note,
  noteRest,
} from './members.ts';
import { toOpenaiMessages } from './to-openai-messages.ts';

/** Translates the request. @throws GatewayError `invalid_request` if OpenAI's dialect cannot express it. */
export function toOpenaiRequest(body: JsonObject, note: Note = () => {}): JsonObject {
  assertAnswer(body);
  const crossed = crossing(body, membersToOpenai, note);
  const tools = objectsOf(body.tools).map((tool, index) => toTool(tool, index, note));
  const output = objectOf(body.output_config);
  noteRest(output, ['format'], 'output_config', note);
  noteRest(objectOf(output?.format), ['type', 'schema'], 'output_config.format', note);
  noteRest(objectOf(body.output_format), ['type', 'schema'], 'output_format', note);
  assertToolChoice(body.tool_choice, Object.keys(choices).concat('tool'));
  const choice = objectOf(body.tool_choice);
  noteRest(choice, ['type', 'name', 'disable_parallel_tool_use'], 'tool_choice', note);
  if (tools.length === 0 && (choice?.type === 'any' || choice?.type === 'tool')) note('tool_choice');
  noteRest(objectOf(body.metadata), ['user_id'], 'metadata', note);
  const stops = Array.isArray(body.stop_sequences) && body.stop_sequences.length > 0 ? body.stop_sequences : undefined;
  return {
    ...crossed,
    model: body.model ?? null,
    messages: toOpenaiMessages(body, note),
    [maxTokensMember(textOf(body.model) ?? '')]: countOf(body.max_tokens) ?? chatSizes.defaultMaxTokens,
    ...member('stop', stops),
    ...member('temperature', body.temperature ?? undefined),
    ...member('top_p', body.top_p ?? undefined),
    ...member('stream', body.stream ?? undefined),
    ...(body.stream === true && { stream_options: { include_usage: true } }),
    ...(tools.length > 0 && { tools, ...toToolChoice(choice) }),
    ...member('user', toUser(textOf(objectOf(body.metadata)?.user_id))),
    ...member('response_format', toResponseFormat(objectOf(output?.format) ?? objectOf(body.output_format))),
  };
}

/**
 * Returns the name of the maximum tokens member: reasoning models accept only the newer name, most servers of this
 * dialect only the older one.
 */
const maxTokensMember = (model: string): string =>
  /(^|\/)(o\d|gpt-[5-9])/.test(model) ? 'max_completion_tokens' : 'max_tokens';

const toolMembers = ['type', 'name', 'description', 'input_schema', 'strict', 'cache_control'];

function toTool(tool: JsonObject, index: number, note: Note): JsonObject {
  if (tool.type !== undefined && tool.type !== null && tool.type !== 'custom')
    throw cannotCarry(`tools[${index}].type`, 'tools with an input_schema, which the caller runs', tool.type);
  noteRest(tool, toolMembers, 'tools', note);
  return {
    type: 'function',
    function: {
      name: tool.name ?? '',
      ...member('description', textOf(tool.description)),
      parameters: objectOf(tool.input_schema) ?? { type: 'object', properties: {} },
      ...member('strict', typeof tool.strict === 'boolean' ? tool.strict : undefined),
    },
  };
}

const choices: Readonly<Record<string, string>> = { auto: 'auto', any: 'required', none: 'none' };

function toToolChoice(choice: JsonObject | undefined): JsonObject {
  if (choice === undefined) return {};
  const named = choice.type === 'tool' ? { type: 'function', function: { name: choice.name ?? '' } } : undefined;
  return {
    ...member('tool_choice', named ?? choices[textOf(choice.type) ?? '']),
    ...(choice.disable_parallel_tool_use === true && { parallel_tool_calls: false }),
  };
}

const longestUser = 64;

/**
 * Returns a user id of at most 64 characters, OpenAI's limit. A longer id is replaced with its digest, which is also
 * unique per user.
 */
const toUser = (id: string | undefined): string | undefined =>
  id !== undefined && id.length > longestUser ? sha256(id) : id;

function toResponseFormat(format: JsonObject | undefined): JsonObject | undefined {
  if (format === undefined) return undefined;
  const schema = objectOf(format.schema);
  if (format.type !== 'json_schema' || !schema)
    throw cannotCarry('output_config.format', 'json_schema with a schema', format.type ?? null);
  return { type: 'json_schema', json_schema: { name: 'output', schema } };
}
