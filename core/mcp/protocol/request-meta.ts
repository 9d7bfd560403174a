/** `_meta` of a request on its way to a server: protocol members by a list, what the operator lets through, and nothing else. */
import { sizes } from '#core/contracts/envelope.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import { traceContextOf } from '#core/kernel/trace-context.ts';
import { globMatches } from '#core/text/matching/glob.ts';
import { type Era, metaKeys, tasksExtension } from './era.ts';
import { invalidParams } from './messages.ts';
import { rootsKey, rootsOf } from './roots.ts';

interface ForwardedMeta {
  /** What the protocol needs: no call means another thing by it. */
  readonly protocol: JsonObject;
  /** What `forwarded_meta` lets through: part of what is decided. */
  readonly governed: JsonObject;
}

/**
 * Notes that clients attach to every call for themselves (Claude Code, VS Code, Codex, ChatGPT, OpenCode, Antigravity, Cursor, Goose):
 * they differ from call to call and stay here. `baggage` may mean anything to a server, so it stays here too.
 */
const clientNotes =
  /^(?:(?:claudecode|claude|codex|openai|cursor|com\.anthropic|com\.openai|com\.cursor|ai\.opencode|antigravity\.google)\/.+|vscode\.(?:conversationId|requestId)|x-codex-[a-z-]+|(?:thread|session|turn|call|toolCall)Id|agent-(?:session-id|working-dir)|baggage)$/;

const levels: ReadonlySet<unknown> = new Set('debug info notice warning error critical alert emergency'.split(' '));
const longestToken = 1024;

/**
 * @param letThrough globs of keys, `forwarded_meta` of the servers that may be asked.
 * @throws RpcFault -32602 for a key that is not known, or a known one that is malformed.
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

/** The value to send; undefined for what stays here. */
function protocolMember(key: string, value: Json, era: Era): Json | 'unknown' | undefined {
  switch (key) {
    case 'progressToken':
      if ((typeof value === 'string' && value.length <= longestToken) || Number.isSafeInteger(value)) return value;
      throw invalidParams(
        `params._meta.progressToken must be a text of at most ${longestToken} characters or a whole number.`,
      );
    case metaKeys.version:
      return era === 'stateless' ? value : undefined;
    case metaKeys.clientInfo:
      return era === 'stateless' ? clientInfoOf(value) : undefined;
    case metaKeys.capabilities:
      return era === 'stateless' ? withoutTasks(declared(value)) : undefined;
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
    case 'traceparent': // below, together
    case 'tracestate':
      return undefined;
    default:
      return clientNotes.test(key) ? undefined : 'unknown';
  }
}

/** Under which a host application passes on the request of the person: for rules on sources, never for the server. */
const promptKey = 'agent-governance-gateway/prompt';

/** @throws RpcFault -32602 for a prompt that is not a text, or a longer one than is taken. */
export function promptOf(meta: Json | undefined): string | undefined {
  const prompt = isObject(meta) ? meta[promptKey] : undefined;
  if (prompt === undefined || (typeof prompt === 'string' && prompt.length <= sizes.promptCharacters)) return prompt;
  throw invalidParams(`params._meta["${promptKey}"] must be a text of at most ${sizes.promptCharacters} characters.`);
}

const unknownKey = (key: string) =>
  invalidParams(
    `params._meta holds ${JSON.stringify(key.slice(0, 100))}, which no rule and no reviewer sees. Allowed are progressToken, traceparent, tracestate and the keys of the protocol. Put what the tool takes into arguments, or have the key listed in forwarded_meta of the server.`,
    { reason: 'unknown_meta', key: key.slice(0, 100) },
  );

const traceMember = /^[a-z0-9][a-z0-9_\-*/@]{0,255}=[\x21-\x2b\x2d-\x3c\x3e-\x7e]{1,256}$/;
const longestState = 512;

/** A malformed trace is dropped. */
function traceOf(traceparent: Json | undefined, tracestate: Json | undefined): JsonObject {
  if (typeof traceparent !== 'string' || !traceContextOf({ traceparent })) return {};
  const fits = typeof tracestate === 'string' && tracestate.length <= longestState;
  const isState = fits && tracestate.split(',').every((each) => traceMember.test(each.trim()));
  return { traceparent, ...(isState && { tracestate }) };
}

const infoMembers = ['name', 'title', 'version', 'description', 'websiteUrl'] as const;

/** What a client calls itself. */
export function clientInfoOf(info: Json | undefined): JsonObject {
  if (!isObject(info)) return {};
  return Object.fromEntries(
    infoMembers.flatMap((name) => (typeof info[name] === 'string' ? [[name, info[name].slice(0, 256)]] : [])),
  );
}

const mediaType = /^[a-z0-9.+-]{1,64}\/[a-z0-9.+-]{1,64}(?:;[a-z0-9.+=-]{1,64})?$/i;
const deepest = 6;

/** Capabilities as a declaration has them: names, yes and no, media types. Texts of its own no client has to declare. */
export function declared(value: Json | undefined, depth = 0): Json | undefined {
  if (typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.filter((each) => typeof each === 'string' && mediaType.test(each));
  if (!isObject(value) || depth > deepest) return undefined;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]) => {
      const kept = declared(member, depth + 1);
      return kept === undefined ? [] : [[name.slice(0, 128), kept]];
    }),
  );
}

/** Tasks are the gateway's own: a server that made one would hand out an id unknown to the gateway. */
function withoutTasks(capabilities: Json | undefined): Json {
  if (!isObject(capabilities)) return {};
  const { extensions, ...others } = capabilities;
  if (!isObject(extensions)) return capabilities;
  const { [tasksExtension]: _ours, ...rest } = extensions;
  return { ...others, extensions: rest };
}
