/**
 * Translates a responses request into a chat completions request, which every provider and policy of the gateway can
 * read [responses.create]. Members that a chat completion cannot express are refused if the response would change, or
 * listed in `leftOut` if they are settings or optional tools.
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { objectOf, textOf } from '#core/kernel/narrow.ts';
import { refuseOtherEndpoint } from '../check-request.ts';
import { noteRest, noteStreamOptions } from '../translate/members.ts';
import { member } from '../wire.ts';
import { itemsLeftOut, messagesOf } from './input.ts';
import { flatName, offeredTools, toolsOfNamespace } from './namespaces.ts';

/** Translates the request. @throws GatewayError `invalid_request`. */
export function readResponsesRequest(body: JsonObject) {
  // A prompt given as an object is a template specific to this endpoint.
  const { prompt, ...others } = body;
  refuseOtherEndpoint(objectOf(prompt) ? others : body, 'input');
  refuseKept(body);
  refuseLogprobs(body);
  const leftOut = [
    ...Object.keys(body).filter((name) => !understoodMembers.has(name) && body[name] !== null),
    ...partsLeftOut(body),
    ...itemsLeftOut(body.input),
  ];
  const tools = toolsOf(body, leftOut);
  const text = objectOf(body.text);
  const chat: JsonObject = {
    ...member('model', body.model),
    messages: messagesOf(body.instructions, body.input),
    ...Object.fromEntries(unchangedMembers.flatMap((name) => (body[name] === undefined ? [] : [[name, body[name]]]))),
    ...(body.stream === true && { stream_options: { include_usage: true } }),
    ...member('max_completion_tokens', body.max_output_tokens ?? undefined),
    ...member('reasoning_effort', objectOf(body.reasoning)?.effort ?? undefined),
    ...member('verbosity', text?.verbosity ?? undefined),
    ...member('response_format', formatOf(objectOf(text?.format))),
    ...(tools.length > 0 && { tools, ...member('tool_choice', choiceOf(body.tool_choice)) }),
    ...(tools.length > 0 && member('parallel_tool_calls', body.parallel_tool_calls ?? undefined)),
  };
  if (tools.length === 0 && objectOf(body.tool_choice))
    throw invalidMember(
      'tool_choice',
      'names a tool that the request does not define',
      'give the tool, or leave tool_choice out',
    );
  if (tools.length === 0 && body.tool_choice === 'required') {
    const without = leftOut.filter((name) => /^(input\[\d+\]\.)?tools\[/.test(name)).join(', ') || 'none';
    throw invalidMember(
      'tool_choice',
      `is required, but no tool remains (left out: ${without})`,
      'auto, or a function or custom tool',
    );
  }
  return { body: chat, leftOut };
}

/** Members with the same meaning in both APIs. */
const unchangedMembers = [
  'stream',
  'temperature',
  'top_p',
  'user',
  'safety_identifier',
  'prompt_cache_key',
  'service_tier',
];

/** Members that are translated, echoed in the response, or read elsewhere. */
const understoodMembers: ReadonlySet<string> = new Set([
  ...['model', 'input', 'instructions', 'tools', 'tool_choice', 'parallel_tool_calls', 'max_output_tokens', 'text'],
  ...['reasoning', 'metadata', 'store', 'include', 'truncation', 'stream_options', 'background', 'conversation'],
  ...['previous_response_id', 'prompt', 'top_logprobs', ...unchangedMembers],
]);

/** Refuses background runs, and objects that a provider stores without a known owner. */
function refuseKept(body: JsonObject): void {
  for (const name of ['conversation', 'prompt'])
    if (body[name] !== undefined && body[name] !== null)
      throw invalidMember(
        name,
        'names data that a provider keeps outside of the gateway',
        'send the whole input, or continue a response by previous_response_id',
      );
  if (body.background === true)
    throw invalidMember(
      'background',
      'is true, but no response runs without its caller',
      'leave it out; stream the response instead',
    );
}

/** Returns the ignored parts of members that are otherwise read. */
function partsLeftOut({ include, truncation, reasoning, text: given, stream_options }: JsonObject): string[] {
  const names: string[] = [];
  const note = (name: string) => names.push(name);
  const text = objectOf(given);
  noteStreamOptions(objectOf(stream_options), note);
  if (Array.isArray(include) && include.length > 0) note('include');
  if (truncation === 'auto') note('truncation');
  noteRest(objectOf(reasoning), ['effort'], 'reasoning', note);
  noteRest(text, ['format', 'verbosity'], 'text', note);
  noteRest(objectOf(text?.format), ['type', 'name', 'schema', 'strict', 'description'], 'text.format', note);
  return names;
}

/** Refuses log probabilities, because the response would lack data that a program reads. */
function refuseLogprobs({ top_logprobs, include }: JsonObject): void {
  const says =
    'log probabilities are available only with chat completions: logprobs and top_logprobs of /v1/chat/completions';
  if (typeof top_logprobs === 'number' && top_logprobs > 0)
    throw invalidMember('top_logprobs', `is ${top_logprobs}`, `0; ${says}`);
  if (Array.isArray(include) && include.some((name) => typeof name === 'string' && name.endsWith('logprobs')))
    throw invalidMember('include', 'names logprobs', `other members; ${says}`);
}

/** The provider's optional tools; a model can still answer without them. */
const optional = /^(web_search(_preview)?(_\d{4}_\d\d_\d\d)?|image_generation|tool_search)$/;

function toolsOf(body: JsonObject, leftOut: string[]): JsonObject[] {
  const offered = offeredTools(body);
  const read = offered.flatMap(({ path, tool, later }) => {
    const given = objectOf(tool);
    const type = textOf(given?.type) ?? '';
    if (given && (type === 'function' || type === 'custom')) {
      noteTool(given, path, leftOut);
      return [{ later, tool: type === 'custom' ? customOf(given) : functionOf(given) }];
    }
    if (given && type === 'namespace') return groupOf(given, path, leftOut).map((each) => ({ later, tool: each }));
    if (!optional.test(type))
      throw invalidMember(
        path,
        `is of type ${JSON.stringify(type.slice(0, 64))}`,
        'function and custom tools: the provider or its client runs others without a decision by the gateway',
      );
    leftOut.push(`${path} ${type.slice(0, 64)}`);
    return [];
  });
  const tools = newestOf(read);
  const names = tools.map(nameOf);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  // If two tools had the same name, a call in the response would be ambiguous.
  if (twice !== undefined && offered.some(({ tool }) => objectOf(tool)?.type === 'namespace'))
    throw invalidMember(
      'tools',
      `has ${JSON.stringify(String(twice).slice(0, 64))} twice`,
      'only one tool per name, including <namespace>__<name>',
    );
  return tools;
}

const nameOf = (tool: JsonObject): Json | undefined => objectOf(tool.function)?.name ?? objectOf(tool.custom)?.name;

/** Returns the tools without those that an item of the input defines again later in the conversation. */
function newestOf(read: readonly { readonly later: boolean; readonly tool: JsonObject }[]): JsonObject[] {
  const last = new Map(read.flatMap(({ later, tool }, at) => (later ? [[nameOf(tool), at] as const] : [])));
  return read.flatMap(({ tool }, at) => ((last.get(nameOf(tool)) ?? at) <= at ? [tool] : []));
}

/** Returns the tools of a namespace as separate tools. */
function groupOf(group: JsonObject, path: string, leftOut: string[]): JsonObject[] {
  return toolsOfNamespace(group).flatMap(({ flat, tool, fits }) => {
    if (fits) noteTool(tool, path, leftOut);
    if (fits) return [tool.type === 'custom' ? customOf(tool) : functionOf(tool)];
    leftOut.push(`${path} ${flat.slice(0, 128)}`);
    return [];
  });
}

function noteTool(tool: JsonObject, path: string, leftOut: string[]): void {
  const own = tool.type === 'custom' ? ['format'] : ['parameters', 'strict'];
  noteRest(tool, ['type', 'name', 'description', ...own], path, (name) => leftOut.push(name));
}

const functionOf = ({ name, description, parameters, strict }: JsonObject): JsonObject => ({
  type: 'function',
  function: {
    name: name ?? '',
    ...member('description', description ?? undefined),
    ...member('parameters', parameters ?? undefined),
    ...member('strict', strict ?? undefined),
  },
});

function customOf({ name, description, format }: JsonObject): JsonObject {
  const given = objectOf(format);
  const { type: _, ...grammar } = given ?? {};
  const written = given?.type === 'grammar' ? { type: 'grammar', grammar } : given;
  return {
    type: 'custom',
    custom: { name: name ?? '', ...member('description', description), ...member('format', written) },
  };
}

function choiceOf(choice: Json | undefined): Json | undefined {
  if (choice === undefined || choice === null) return undefined;
  if (choice === 'auto' || choice === 'none' || choice === 'required') return choice;
  const { type, name: own, namespace } = objectOf(choice) ?? {};
  const name = flatName(namespace, own);
  if (type === 'function' && name !== '') return { type, function: { name } };
  if (type === 'custom' && name !== '') return { type, custom: { name } };
  throw invalidMember(
    'tool_choice',
    'is of an unsupported kind',
    'auto, none, required, a function or a custom tool by name',
  );
}

function formatOf(format: JsonObject | undefined): JsonObject | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  if (format.type !== 'json_schema') return format;
  const { type, ...json_schema } = format;
  return { type, json_schema };
}

const invalidMember = (path: string, found: string, allowed: string) =>
  invalidRequest(`${path} ${found}; allowed: ${allowed}.`, { param: path });
