/**
 * Filters the `_meta` of a request to a server: only listed protocol members and keys allowed by the operator remain.
 */
import { sizes } from '#core/contracts/envelope.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { traceContextOf } from '#core/kernel/trace-context.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { type Era, metaKeys, tasksExtension } from './era.ts';
import { invalidParams } from './messages.ts';
import { rootsKey, rootsOf } from './roots.ts';

interface ForwardedMeta {
  /** Protocol members. They do not change the meaning of a call. */
  readonly protocol: JsonObject;
  /** Keys that `forwarded_meta` allows. They are part of the call that policy evaluates. */
  readonly governed: JsonObject;
}

/**
 * Client-specific keys (Claude Code, VS Code, Codex, ChatGPT, OpenCode, Antigravity, Cursor, Goose). They differ from
 * call to call and are not forwarded. Neither is `baggage`, which a server may interpret in any way.
 */
const clientNotes =
  /^(?:(?:claudecode|claude|codex|openai|cursor|com\.anthropic|com\.openai|com\.cursor|ai\.opencode|antigravity\.google)\/.+|vscode\.(?:conversationId|requestId)|x-codex-[a-z-]+|(?:thread|session|turn|call|toolCall)Id|agent-(?:session-id|working-dir)|baggage)$/;

const levels: ReadonlySet<unknown> = new Set('debug info notice warning error critical alert emergency'.split(' '));
const longestToken = 1024;

/**
 * Splits `_meta` into protocol and governed members.
 * @param letThrough key globs: the `forwarded_meta` of the servers that may be called.
 * @throws RpcFault -32602 for an unknown key, or a malformed value of a known one.
 */
export function forwardedMeta(meta: Json | undefined, era: Era, letThrough: readonly string[] = []): ForwardedMeta {
  const protocol: JsonObject = {};
  const governed: JsonObject = {};
  if (meta === undefined) return { protocol, governed };
  if (!isObject(meta)) throw invalidParams('params._meta must be an object.');
  for (const [key, value] of Object.entries(meta)) {
    const own = protocolMember(key, value, era);
    if (own === 'unknown' && letThrough.some((pattern) => globMatches(pattern, key))) governed[key] = value;
    else if (own === 'unknown') throw unknownKey(key);
    else if (own !== undefined) protocol[key] = own;
  }
  const { traceparent, tracestate } = meta;
  return { protocol: { ...protocol, ...traceOf(traceparent, tracestate) }, governed };
}

/** Returns the token under which a request's sender wants to receive progress notifications, if any. */
export function progressTokenOf({ _meta: meta }: JsonObject): string | number | undefined {
  const token = isObject(meta) ? meta.progressToken : undefined;
  return typeof token === 'string' || typeof token === 'number' ? token : undefined;
}

/** Returns the value to forward, or undefined for a member that is not forwarded. */
function protocolMember(key: string, value: Json, era: Era): Json | 'unknown' | undefined {
  switch (key) {
    case 'progressToken':
      if ((typeof value === 'string' && value.length <= longestToken) || Number.isSafeInteger(value)) return value;
      throw invalidParams(
        `params._meta.progressToken must be a string of at most ${longestToken} characters or a whole number.`,
      );
    case metaKeys.version:
      return era === 'stateless' ? value : undefined;
    case metaKeys.clientInfo:
      return era === 'stateless' ? clientInfoOf(value) : undefined;
    case metaKeys.capabilities:
      return era === 'stateless' ? withoutTasks(declaredCapabilities(value)) : undefined;
    case metaKeys.logLevel:
      if (!levels.has(value)) throw invalidParams(`params._meta["${key}"] must be one of ${[...levels].join(', ')}.`);
      return era === 'stateless' ? value : undefined;
    case promptKey:
      promptOf({ [promptKey]: value });
      return undefined;
    case rootsKey:
      rootsOf(value);
      return undefined;
    case metaKeys.relatedTask:
    case 'traceparent': // handled together below
    case 'tracestate':
      return undefined;
    default:
      return clientNotes.test(key) ? undefined : 'unknown';
  }
}

/**
 * Key under which a host application sends the user's prompt. The prompt is used by rules on sources and is never
 * forwarded.
 */
const promptKey = 'agent-governance-gateway/prompt';

/** Returns the prompt. @throws RpcFault -32602 if the prompt is not a string or is too long. */
export function promptOf(meta: Json | undefined): string | undefined {
  const prompt = isObject(meta) ? meta[promptKey] : undefined;
  if (prompt === undefined || (typeof prompt === 'string' && prompt.length <= sizes.promptCharacters)) return prompt;
  throw invalidParams(`params._meta["${promptKey}"] must be a string of at most ${sizes.promptCharacters} characters.`);
}

const unknownKey = (key: string) =>
  invalidParams(
    `params._meta contains ${JSON.stringify(key.slice(0, 100))}, which neither rules nor reviewers see. Allowed are progressToken, traceparent, tracestate and the keys of the protocol. Put the input of the tool into arguments, or have the key listed in forwarded_meta of the server.`,
    { reason: 'unknown_meta', key: key.slice(0, 100) },
  );

const traceMember = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;
const longestState = 512;

/** Returns the trace members. Drops a malformed trace. */
function traceOf(traceparent: Json | undefined, tracestate: Json | undefined): JsonObject {
  if (typeof traceparent !== 'string' || !traceContextOf({ traceparent })) return {};
  const fits = typeof tracestate === 'string' && tracestate.length <= longestState;
  const isState = fits && tracestate.split(',').every((each) => traceMember.test(each.trim()));
  return { traceparent, ...(isState && { tracestate }) };
}

const infoMembers = ['name', 'title', 'version', 'description', 'websiteUrl'] as const;

/** Returns the name and version of a client. */
export function clientInfoOf(info: Json | undefined): JsonObject {
  if (!isObject(info)) return {};
  return Object.fromEntries(
    infoMembers.flatMap((name) => (typeof info[name] === 'string' ? [[name, info[name].slice(0, 256)]] : [])),
  );
}

const mediaType = /^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}(?:;[a-z0-9.+=-]{1,64})?$/i;
const deepest = 6;

/**
 * Returns declared capabilities: names, booleans and media types. Drops free text, which a declaration does not need.
 */
export function declaredCapabilities(value: Json | undefined, depth = 0): Json | undefined {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string' && mediaType.test(each));
  if (!isObject(value) || depth > deepest) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const kept = declaredCapabilities(member, depth + 1);
      return kept === undefined ? [] : [[name.slice(0, 128), kept]];
    }),
  );
}

/** Removes task capabilities: a server that created a task would return an id unknown to the gateway. */
function withoutTasks(capabilities: Json | undefined): Json {
  if (!isObject(capabilities)) return {};
  const { extensions, ...others } = capabilities;
  if (!isObject(extensions)) return capabilities;
  const { [tasksExtension]: _ours, ...rest } = extensions;
  return { ...others, extensions: rest };
}
