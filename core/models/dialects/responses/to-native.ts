/**
 * Translates a filtered chat completions request into a request for a provider's own `/responses` endpoint, the reverse
 * of `request.ts` [responses.stored].
 */
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { member } from '../wire.ts';

/** Members with the same meaning in both APIs. */
const unchangedMembers = [
  ...['temperature', 'top_p', 'user', 'safety_identifier', 'prompt_cache_key', 'service_tier', 'metadata'],
  'parallel_tool_calls',
];

/**
 * Translates the request.
 * @param instructions number of leading messages that apply to this response only.
 */
export function toNative(body: JsonObject, instructions: number): JsonObject {
  const messages = objectsOf(body.messages);
  const first = messages.slice(0, instructions).map(({ content }) => plainText(content));
  const format = formatOf(objectOf(body.response_format));
  const text = { ...member('verbosity', body.verbosity), ...member('format', format) };
  const tools = objectsOf(body.tools).map(toolOf);
  return {
    ...(first.length > 0 && { instructions: first.join('\n\n') }),
    input: messages.slice(instructions).flatMap(itemsOf),
    ...Object.fromEntries(unchangedMembers.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]!]]))),
    ...member('max_output_tokens', body.max_completion_tokens),
    ...(body.reasoning_effort !== undefined && { reasoning: { effort: body.reasoning_effort } }),
    ...(Object.keys(text).length > 0 && { text }),
    ...(tools.length > 0 && { tools, ...member('tool_choice', choiceOf(body.tool_choice)) }),
  };
}

function itemsOf({ role, content, tool_calls, tool_call_id }: JsonObject): JsonObject[] {
  if (role === 'tool')
    return [{ type: 'function_call_output', call_id: tool_call_id ?? '', output: outputOf(content) }];
  const said = content === null || content === undefined || content === '' ? [] : [content];
  return [
    ...said.map((each) => ({
      type: 'message',
      role: role ?? 'user',
      content: responsesContent(each, role === 'assistant'),
    })),
    ...objectsOf(tool_calls).map(itemFromToolCall),
  ];
}

function itemFromToolCall({ id, function: given, custom }: JsonObject): JsonObject {
  const own = objectOf(custom);
  if (own) return { type: 'custom_tool_call', call_id: id ?? '', name: own.name ?? '', input: own.input ?? '' };
  const { name, arguments: text } = objectOf(given) ?? {};
  return { type: 'function_call', call_id: id ?? '', name: name ?? '', arguments: text ?? '' };
}

const responsesContent = (content: Json, spoken: boolean): Json =>
  Array.isArray(content) ? content.filter(isObject).map((part) => partOf(part, spoken)) : content;

const outputOf = (content: Json | undefined): Json =>
  Array.isArray(content) ? content.filter(isObject).map((part) => partOf(part, false)) : (content ?? '');

function partOf(part: JsonObject, spoken: boolean): JsonObject {
  switch (part.type) {
    case 'text':
      return { type: spoken ? 'output_text' : 'input_text', text: part.text ?? '' };
    case 'image_url': {
      const { url, detail } = objectOf(part.image_url) ?? {};
      return { type: 'input_image', image_url: url ?? '', detail: detail ?? 'auto' };
    }
    case 'file':
      return { type: 'input_file', ...objectOf(part.file) };
    default:
      return part; // refusals and audio have the same form in both APIs
  }
}

const plainText = (content: Json | undefined): string =>
  typeof content === 'string'
    ? content
    : objectsOf(content)
        .map(({ text }) => textOf(text) ?? '')
        .join('\n\n');

function toolOf(tool: JsonObject): JsonObject {
  const custom = objectOf(tool.custom);
  if (!custom) return { type: 'function', parameters: null, strict: false, ...objectOf(tool.function) };
  const { grammar, ...format } = objectOf(custom.format) ?? {};
  return {
    type: 'custom',
    ...custom,
    ...(custom.format !== undefined && { format: { ...format, ...objectOf(grammar) } }),
  };
}

function choiceOf(choice: Json | undefined): Json | undefined {
  const given = objectOf(choice);
  if (!given) return choice;
  return { type: given.type ?? 'function', name: (objectOf(given.function) ?? objectOf(given.custom))?.name ?? '' };
}

function formatOf(format: JsonObject | undefined): JsonObject | undefined {
  if (format?.type !== 'json_schema') return format;
  return { type: 'json_schema', ...objectOf(format.json_schema) };
}
