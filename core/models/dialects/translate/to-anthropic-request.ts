/** Translates a chat completions request into a messages request. `members.ts` has a rule for each member. */
import { chatSizes } from '#core/contracts/chat.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { countOf, isObject, objectOf, objectsOf, textOf } from '#core/kernel/narrow.ts';
import { member, omitMembers } from '../wire.ts';
import {
  cannotCarry,
  crossing,
  membersToAnthropic,
  type Note,
  noteFormat,
  noteRest,
  noteStreamOptions,
} from './members.ts';
import { toAnthropicMessages } from './to-anthropic-messages.ts';

/** Translates the request. @throws GatewayError `invalid_request` if Anthropic's dialect cannot express it. */
export function toAnthropicRequest(body: JsonObject, note: Note = () => {}): JsonObject {
  const crossed = crossing(body, membersToAnthropic, note);
  const { system, messages } = toAnthropicMessages(objectsOf(body.messages), note);
  const offered = chosenTools(body.tool_choice);
  const tools = objectsOf(body.tools)
    .map((tool, index) => toTool(tool, index, note))
    .filter(({ name }) => offered === undefined || offered.includes(name));
  noteSettings(body, tools.length > 0, note);
  const mayThink = canThink(crossed.thinking, messages);
  if (!mayThink) note('thinking');
  const cached = withinBreakpoints({ ...(tools.length > 0 && { tools }), ...member('system', system), messages }, note);
  return {
    ...(mayThink ? crossed : omitMembers(crossed, thinkingMember)),
    model: body.model ?? null,
    max_tokens: countOf(body.max_completion_tokens) ?? countOf(body.max_tokens) ?? chatSizes.defaultMaxTokens,
    ...cached,
    ...member('stop_sequences', toStopSequences(body.stop)),
    ...member('temperature', toTemperature(body.temperature, note)),
    ...member('top_p', body.top_p ?? undefined),
    ...member('stream', body.stream ?? undefined),
    ...member('tool_choice', tools.length > 0 ? toToolChoice(body.tool_choice, body.parallel_tool_calls) : undefined),
    ...member('metadata', toMetadata(body)),
    ...member('output_config', toOutputConfig(objectOf(body.response_format))),
  };
}

const thinkingMember = new Set(['thinking']);

/**
 * Checks whether the model may think with a budget: after a tool result, Anthropic requires the signed thinking from
 * before the call, which a chat completions request cannot contain.
 */
function canThink(thinking: Json | undefined, messages: readonly JsonObject[]): boolean {
  if (objectOf(thinking)?.type !== 'enabled') return true;
  return !objectsOf(messages.at(-1)?.content).some(({ type }) => type === 'tool_result');
}

function noteSettings(body: JsonObject, offersTools: boolean, note: Note): void {
  const choice = body.tool_choice;
  if (!offersTools && (choice === 'required' || objectOf(choice))) note('tool_choice');
  noteRest(objectOf(choice), ['type', 'function', 'allowed_tools'], 'tool_choice', note);
  noteStreamOptions(objectOf(body.stream_options), note);
  noteFormat(objectOf(body.response_format), note);
}

/** Scales the temperature: Anthropic's maximum is 1, OpenAI's is 2. */
function toTemperature(temperature: Json | undefined, note: Note): number | undefined {
  if (typeof temperature !== 'number') return undefined;
  if (temperature > 1) note('temperature above 1');
  return Math.min(1, temperature);
}

function toTool(tool: JsonObject, index: number, note: Note): JsonObject {
  const named = objectOf(tool.function);
  if (tool.type !== 'function' || named === undefined) throw cannotCarry(`tools[${index}]`, 'functions');
  noteRest(named, ['name', 'description', 'parameters', 'strict', 'cache_control'], `tools[${index}].function`, note);
  noteRest(tool, ['type', 'function', 'cache_control'], `tools[${index}]`, note);
  return {
    name: named.name ?? '',
    ...member('description', textOf(named.description)),
    input_schema: schemaOf(objectOf(named.parameters)),
    ...member('strict', typeof named.strict === 'boolean' ? named.strict : undefined),
    ...member('cache_control', tool.cache_control ?? named.cache_control),
  };
}

/** Returns the schema of a tool's input, which Anthropic requires to be of type `object`. */
const schemaOf = (parameters: JsonObject = { properties: {} }): JsonObject =>
  parameters.type === undefined ? { type: 'object', ...parameters } : parameters;

/**
 * Returns the names of the tools that `allowed_tools` permits, or undefined if that member is absent. Other dialects
 * cannot express it.
 */
export function chosenTools(choice: Json | undefined): readonly unknown[] | undefined {
  const allowed = objectOf(objectOf(choice)?.allowed_tools);
  return allowed && objectsOf(allowed.tools).map((tool) => (objectOf(tool.function) ?? tool).name);
}

function toToolChoice(choice: Json | undefined, parallel: Json | undefined): JsonObject | undefined {
  const alone: JsonObject = parallel === false ? { disable_parallel_tool_use: true } : {};
  if (choice === undefined || choice === null) return parallel === false ? { type: 'auto', ...alone } : undefined;
  if (choice === 'none') return { type: 'none' };
  if (choice === 'auto') return { type: 'auto', ...alone };
  if (choice === 'required') return { type: 'any', ...alone };
  const allowed = objectOf(objectOf(choice)?.allowed_tools);
  if (allowed) return toToolChoice(allowed.mode ?? 'auto', parallel);
  const name = textOf(objectOf(objectOf(choice)?.function)?.name);
  if (name !== undefined) return { type: 'tool', name, ...alone };
  throw cannotCarry('tool_choice', 'none, auto, required, a function');
}

function toStopSequences(stop: Json | undefined): Json | undefined {
  if (typeof stop === 'string') return [stop];
  return Array.isArray(stop) && stop.length > 0 ? stop : undefined;
}

function toMetadata(body: JsonObject): JsonObject | undefined {
  const user = textOf(body.user) ?? textOf(body.safety_identifier);
  return user === undefined ? undefined : { user_id: user };
}

function toOutputConfig(format: JsonObject | undefined): JsonObject | undefined {
  if (format === undefined || format.type === 'text') return undefined;
  const schema = objectOf(objectOf(format.json_schema)?.schema);
  // Without this guarantee, a program that parses the answer would sometimes fail.
  if (format.type !== 'json_schema' || !schema)
    throw cannotCarry('response_format', 'text, json_schema with a schema', format.type ?? null);
  return { format: { type: 'json_schema', schema } };
}

const maxCacheMarks = 4;

/**
 * Returns tools, system prompt and messages with only their last breakpoints, which cover the longest prefixes of the
 * request.
 */
function withinBreakpoints(request: JsonObject, note: Note): JsonObject {
  const holders = [request.tools, request.system, ...objectsOf(request.messages).map(({ content }) => content)];
  const marked = holders.flatMap((content) => objectsOf(content).flatMap(breakpoints));
  const excess = new Set(marked.slice(0, Math.max(0, marked.length - maxCacheMarks)));
  if (excess.size === 0) return request;
  note('cache_control');
  return withoutValues(request, excess) as JsonObject;
}

/** Returns the breakpoints of a block. A tool result's own breakpoints come after those of its content. */
const breakpoints = (block: JsonObject): JsonObject[] => [
  ...objectsOf(block.content).flatMap(breakpoints),
  ...(isObject(block.cache_control) ? [block.cache_control] : []),
];

function withoutValues(value: Json, excess: ReadonlySet<Json>): Json {
  if (Array.isArray(value)) return value.map((item) => withoutValues(item, excess));
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, item]) => (excess.has(item) ? [] : [[name, withoutValues(item, excess)]])),
  );
}
