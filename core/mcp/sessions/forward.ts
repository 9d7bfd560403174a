/**
 * Limits requests to servers to known members, so that they are sent exactly as evaluated by policy. An unknown member
 * is rejected, since no rule, reviewer or evidence entry has seen it (decision 0036).
 */
import type { JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { Era } from '../protocol/era.ts';
import { invalidParams, type RpcOutcome } from '../protocol/messages.ts';
import { forwardedMeta } from '../protocol/request-meta.ts';

/** Members in revisions with `input_required`: the server's state, and the client's answers to its questions. */
const answers = ['requestState', 'inputResponses'] as const;

const members: Readonly<Record<string, readonly string[]>> = {
  'tools/call': ['name', 'arguments', 'task'],
  'tools/list': ['cursor'],
  'prompts/list': ['cursor'],
  'resources/list': ['cursor'],
  'resources/templates/list': ['cursor'],
  'prompts/get': ['name', 'arguments'],
  'resources/read': ['uri'],
  'resources/subscribe': ['uri'],
  'resources/unsubscribe': ['uri'],
  'completion/complete': ['ref', 'argument', 'context'],
  'logging/setLevel': ['level'],
};
const asking: ReadonlySet<string> = new Set(['tools/call', 'prompts/get', 'resources/read']);

/** Known members of nested objects. */
const inner: Readonly<Record<string, readonly string[]>> = {
  ref: ['type', 'name', 'uri', 'title'],
  argument: ['name', 'value'],
  context: ['arguments'],
  task: ['ttl'],
};

/**
 * Returns a method's parameters for its server. `_meta` is filtered separately.
 * @throws RpcFault -32602 for an unknown member.
 */
export function forwardable(method: string, params: JsonObject, era: Era): JsonObject {
  assertKnown(method, params, era);
  const { _meta: meta, ...rest } = params;
  const { protocol } = forwardedMeta(meta, era);
  return { ...rest, ...(Object.keys(protocol).length > 0 && { _meta: protocol }) };
}

/**
 * Checks that a request names its prompt or resource with a string: a server might interpret any other value as a name
 * that was never checked by a rule. @throws RpcFault -32602
 */
export function assertNamed(method: string, { uri, name, arguments: args, ref, argument }: JsonObject): void {
  if (method === 'prompts/get') {
    assertText(name, 'params.name');
    if (!isObject(args ?? {})) throw invalidParams('params.arguments must be an object.');
  } else if (method !== 'completion/complete') assertText(uri, 'params.uri');
  else {
    if (!isObject(ref) || !['ref/prompt', 'ref/resource'].includes(ref.type as string))
      throw invalidParams('params.ref.type must be ref/prompt or ref/resource.');
    if (ref.type === 'ref/prompt') assertText(ref.name, 'params.ref.name');
    else assertText(ref.uri, 'params.ref.uri');
    if (!isObject(argument) || typeof argument.name !== 'string' || typeof argument.value !== 'string')
      throw invalidParams('params.argument must have a name and a value, both strings.');
  }
}

function assertText(value: unknown, place: string): void {
  if (typeof value !== 'string' || value === '') throw invalidParams(`${place} must be a string that is not empty.`);
}

/** Rejects unknown members. @throws RpcFault -32602 */
export function assertKnown(method: string, params: JsonObject, era: Era): void {
  const own = Object.hasOwn(members, method) ? members[method]! : [];
  const allowed = [...own, ...(era === 'stateless' && asking.has(method) ? answers : [])];
  const unknown = Object.keys(params).find((name) => name !== '_meta' && !allowed.includes(name));
  if (unknown !== undefined) throw unknownMember('params', unknown, [...allowed, '_meta']);
  for (const [name, known] of Object.entries(inner)) {
    const value = allowed.includes(name) && Object.hasOwn(params, name) ? params[name] : undefined;
    if (value === undefined) continue;
    if (!isObject(value)) throw invalidParams(`params.${name} must be an object.`);
    const other = Object.keys(value).find((member) => !known.includes(member));
    if (other !== undefined) throw unknownMember(`params.${name}`, other, known);
    if (name === 'task' && value.ttl !== undefined && !(typeof value.ttl === 'number' && value.ttl >= 0))
      throw invalidParams('params.task.ttl must be a number of milliseconds, at least 0.');
  }
}

const unknownMember = (where: string, name: string, allowed: readonly string[]) =>
  invalidParams(
    `${where} contains ${JSON.stringify(name.slice(0, 100))}; allowed are ${allowed.join(', ')}. Put the input of a tool or prompt into arguments.`,
    { reason: 'unknown_member', member: name.slice(0, 100) },
  );

/** Members of a client's response to elicitation, sampling and roots requests. */
const answerMembers = ['action', 'content', 'role', 'model', 'stopReason', 'roots'];

/** Returns a client's response to a server's request, without unknown members. */
export const answerForServer = (outcome: RpcOutcome): RpcOutcome =>
  'error' in outcome ? outcome : { result: pickNamed(outcome.result, answerMembers) };

const notifications: Readonly<Record<string, readonly string[]>> = {
  'notifications/roots/list_changed': [],
  'notifications/progress': ['progressToken', 'progress', 'total', 'message'],
  'notifications/cancelled': ['requestId', 'reason'],
};

/** Returns the parameters of a client's notification, or undefined if it is not forwarded. */
export function notificationForServer(method: string, params: JsonObject | undefined): JsonObject | undefined {
  return Object.hasOwn(notifications, method) ? pickNamed(params ?? {}, notifications[method]!) : undefined;
}

/** Returns the user's answers sent with a call, without unknown members. */
export function answersForServer(responses: unknown): JsonObject {
  if (!isObject(responses)) throw invalidParams('params.inputResponses must be an object.');
  return Object.fromEntries(
    Object.entries(responses).map(([key, value]) => {
      if (!isObject(value)) throw invalidParams(`params.inputResponses[${JSON.stringify(key)}] must be an object.`);
      return [key, pickNamed(value, answerMembers)];
    }),
  );
}

const pickNamed = (object: JsonObject, names: readonly string[]): JsonObject =>
  Object.fromEntries(Object.entries(object).filter(([name]) => names.includes(name)));
