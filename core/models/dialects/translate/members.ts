/**
 * What becomes of each top-level member of a request that crosses to the other dialect, one row a member [chat.translated-members].
 * What no row names is carried untouched. A member whose loss would make another answer is refused; one whose loss leaves the
 * answer what it is, is left out by name.
 */
import { invalidRequest } from '#core/kernel/errors.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject, objectOf, objectsOf } from '#core/kernel/narrow.ts';

type Treatment =
  /** Put into the other dialect's words by the translation. */
  | 'translated'
  /** A setting of the provider's own dialect that a caller of the other may name: it says nothing to the model. */
  | 'carried'
  | 'left out'
  | 'refused';

interface Member {
  readonly is: Treatment;
  /** Of a refused one, what is allowed. */
  readonly allowed?: string;
  /** Values that ask for nothing: they go without a word. */
  readonly asksNothing?: (value: Json) => boolean;
}

export type Members = Readonly<Record<string, Member>>;
/** Takes the name of what is left out. */
export type Note = (name: string) => void;

export const translated: Member = { is: 'translated' };
const carried: Member = { is: 'carried' };
export const leftOut: Member = { is: 'left out' };
export const unless = (...values: Json[]): Pick<Member, 'asksNothing'> => ({
  asksNothing: (value) => values.includes(value),
});
const refused = (allowed: string, more: Pick<Member, 'asksNothing'> = {}): Member => ({
  is: 'refused',
  allowed,
  ...more,
});
const none = 'leave it out';
export const each = (names: readonly string[], member: Member): Members =>
  Object.fromEntries(names.map((name) => [name, member]));

/** What both directions refuse of OpenAI's members: the answer would lack what was asked for, or hold what was ruled out. */
export const askedOfOpenai: Members = {
  n: refused('1', unless(1)),
  functions: refused('tools', { asksNothing: (value) => Array.isArray(value) && value.length === 0 }),
  logprobs: refused('false', unless(false)),
  top_logprobs: refused('0', unless(0)),
  logit_bias: refused('an empty object', {
    asksNothing: (value) => isObject(value) && Object.keys(value).length === 0,
  }),
  audio: refused(none),
  modalities: refused('["text"]', {
    asksNothing: (value) => Array.isArray(value) && value.every((kind) => kind === 'text'),
  }),
  web_search_options: refused(none),
};

/** OpenAI's members whose loss changes the sample, the cost or the speed, and not what the answer is. */
export const hintsOfOpenai: Members = {
  ...each(['reasoning_effort', 'verbosity', 'seed', 'metadata', 'moderation', 'prediction'], leftOut),
  ...each(['prompt_cache_key', 'prompt_cache_options', 'prompt_cache_retention'], leftOut),
  frequency_penalty: { ...leftOut, ...unless(0) },
  presence_penalty: { ...leftOut, ...unless(0) },
  service_tier: { ...leftOut, ...unless('auto', 'default') },
  store: { ...leftOut, ...unless(false) },
};

const ofAnthropic: Members = {
  ...each(['context_management', 'cache_control', 'diagnostics', 'betas', 'user_profile_id', 'workspace_id'], leftOut),
  ...each(['anthropic_version', 'anthropic_beta'], leftOut),
  thinking: { ...leftOut, asksNothing: (value) => isObject(value) && value.type === 'disabled' },
  top_k: leftOut,
  speed: { ...leftOut, ...unless('standard') },
  service_tier: hintsOfOpenai.service_tier!,
  mcp_servers: refused('tools', { asksNothing: (value) => Array.isArray(value) && value.length === 0 }),
  container: refused(none),
  // Where the provider computes is a promise to the people the data is about.
  inference_geo: refused(none),
};

/** Chat completions → messages. */
export const membersToAnthropic: Members = {
  ...ofAnthropic,
  ...hintsOfOpenai,
  ...askedOfOpenai,
  ...each(['model', 'messages', 'stream', 'stream_options', 'stop', 'temperature', 'top_p', 'max_tokens'], translated),
  ...each(['max_completion_tokens', 'tools', 'tool_choice', 'parallel_tool_calls', 'function_call'], translated),
  ...each(['user', 'safety_identifier', 'response_format'], translated),
  ...each(['top_k', 'thinking'], carried),
  // Would reach the model, or shape the answer, unseen by what reads chat completions.
  system: refused('a system message'),
  stop_sequences: refused('stop'),
  output_config: refused('response_format'),
  output_format: refused('response_format'),
};

/** Messages → chat completions. */
export const membersToOpenai: Members = {
  ...hintsOfOpenai,
  ...askedOfOpenai,
  ...ofAnthropic,
  ...each(
    ['model', 'messages', 'stream', 'system', 'stop_sequences', 'temperature', 'top_p', 'max_tokens'],
    translated,
  ),
  ...each(['tools', 'tool_choice', 'metadata', 'output_config', 'output_format'], translated),
  ...each(['seed', 'frequency_penalty', 'presence_penalty', 'logit_bias', 'reasoning_effort', 'verbosity'], carried),
  ...each(['user', 'safety_identifier', 'stream_options'], leftOut),
  stop: refused('stop_sequences'),
  max_completion_tokens: refused('max_tokens'),
  response_format: refused('output_config'),
  parallel_tool_calls: refused('tool_choice.disable_parallel_tool_use', unless(true)),
  function_call: refused('tool_choice'),
};

/**
 * The members that cross as they are; each that does not is noted.
 * @throws GatewayError `invalid_request` with `reason: unsupported_parameter`.
 */
export function crossing(body: JsonObject, members: Members, note: Note): JsonObject {
  const crossed: JsonObject = {};
  for (const [name, value] of Object.entries(body)) {
    const { is, allowed, asksNothing } = (Object.hasOwn(members, name) && members[name]) || carried;
    if (is === 'carried') crossed[name] = value;
    else if (is !== 'translated' && value !== null && !asksNothing?.(value)) {
      if (is === 'refused') throw cannotCarry(name, allowed!, typeof value === 'string' ? undefined : value);
      note(name);
    }
  }
  return crossed;
}

/** Members of a part of the request that no rule reads, by path. */
export function noteRest(part: JsonObject | undefined, read: readonly string[], path: string, note: Note): void {
  for (const [name, value] of Object.entries(part ?? {}))
    if (value !== null && !read.includes(name) && !(emptyLists.has(name) && isEmptyList(value)))
      note(`${path}.${name}`);
}

/** Lists that providers send empty, and clients return. */
const emptyLists: ReadonlySet<string> = new Set(['annotations', 'citations', 'logprobs', 'tool_calls']);
const isEmptyList = (value: Json): boolean => Array.isArray(value) && value.length === 0;

/** Notes what no rule reads of a call in a chat completion. */
export function noteCall(call: JsonObject, note: Note): void {
  const path = 'messages.tool_calls';
  noteRest(call, ['id', 'type', 'index', 'function', 'custom'], path, note);
  noteRest(objectOf(call.function), ['name', 'arguments'], `${path}.function`, note);
  noteRest(objectOf(call.custom), ['name', 'input'], `${path}.custom`, note);
}

/** Notes what no rule reads of a part of a chat completion's content. @param read members that the provider has a place for. */
export function notePart(part: JsonObject, read: readonly string[], note: Note): void {
  const path = 'messages.content';
  noteRest(part, ['type', 'text', 'refusal', 'image_url', 'file', ...read], path, note);
  noteRest(objectOf(part.file), ['file_data', 'filename'], `${path}.file`, note);
  const { detail = 'auto', ...image } = objectOf(part.image_url) ?? {};
  noteRest(image, ['url'], `${path}.image_url`, note);
  if (detail !== 'auto' && detail !== null) note('image_url.detail');
}

/** Members of Anthropic's blocks that translations read. Marks of a cache are treated apart. */
const ofBlocks: Readonly<Record<string, readonly string[]>> = {
  text: ['text'],
  image: ['source'],
  document: ['source', 'title', 'context', 'citations'],
  search_result: ['source', 'title', 'content', 'citations'],
  tool_use: ['id', 'name', 'input'],
  tool_result: ['tool_use_id', 'content', 'is_error'],
  thinking: ['thinking', 'signature'],
  redacted_thinking: ['data'],
};

/** Notes what no rule reads of a block of Anthropic's; blocks of other types are refused, or noted as a whole. */
export function noteBlock(block: JsonObject, path: string, note: Note): void {
  const read = typeof block.type === 'string' && Object.hasOwn(ofBlocks, block.type) ? ofBlocks[block.type] : undefined;
  if (!read) return;
  noteRest(block, ['type', 'cache_control', ...read], path, note);
  for (const inner of objectsOf(block.content)) noteBlock(inner, `${path}.content`, note);
}

/** Padding of a stream that is not asked for needs no name. */
export function noteStreamOptions(options: JsonObject | undefined, note: Note): void {
  const padding = options?.include_obfuscation === false ? ['include_obfuscation'] : [];
  noteRest(options, ['include_usage', ...padding], 'stream_options', note);
}

/** Notes what no rule reads of a response format: its name is a label, and both values of `strict` are kept by a guaranteed schema. */
export function noteFormat(format: JsonObject | undefined, note: Note): void {
  noteRest(format, ['type', 'json_schema'], 'response_format', note);
  noteRest(objectOf(format?.json_schema), ['name', 'schema', 'strict'], 'response_format.json_schema', note);
}

/**
 * The refusal of a member that the provider of the model has no form for: what was found, what is allowed. Of what was found
 * numbers, switches and types alone: anything else may hold a prompt or a secret.
 */
export function cannotCarry(param: string, allowed: string, found?: Json) {
  const value =
    found === undefined || typeof found === 'object' ? '' : ` (${JSON.stringify(found).slice(0, maxShown)})`;
  return invalidRequest(`${param}${value} cannot be carried to the provider of this model; allowed: ${allowed}.`, {
    param,
    reason: 'unsupported_parameter',
  });
}

const maxShown = 64;

/** @throws GatewayError `invalid_request` for a role that the provider's dialect has no form for: it is not taken for another. */
export function assertRole(message: JsonObject, path: string, allowed: readonly string[]): void {
  const { role } = message;
  if (typeof role !== 'string' || !allowed.includes(role))
    throw cannotCarry(`${path}.role`, allowed.join(', '), role ?? null);
}

/** @throws GatewayError `invalid_request` for a block that is not a text: a place of texts alone would lose it. */
export function assertTexts(content: Json | undefined, path: string): void {
  const blocks = Array.isArray(content) ? content : [];
  for (const [at, block] of blocks.entries())
    if (objectOf(block)?.type !== 'text')
      throw cannotCarry(`${path}[${at}]`, 'blocks of type text', objectOf(block)?.type ?? null);
}

/** @throws GatewayError `invalid_request` for a choice of a messages request that has another type, or none. */
export function assertToolChoice(choice: Json | undefined, allowed: readonly string[]): void {
  if (choice === undefined || choice === null) return;
  const given = objectOf(choice);
  if (!given) throw cannotCarry('tool_choice', `an object with the type ${allowed.join(', ')}`);
  if (typeof given.type !== 'string' || !allowed.includes(given.type))
    throw cannotCarry('tool_choice.type', allowed.join(', '), given.type ?? null);
}

/** Roles of messages in Anthropic's dialect. */
export const rolesOfAnthropic = ['user', 'assistant', 'system'] as const;
/** Roles of messages in chat completions. */
export const rolesOfOpenai = ['system', 'developer', 'user', 'assistant', 'tool', 'function'] as const;
