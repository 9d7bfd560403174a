/**
 * Guards server text that has no place for a mark: instructions, lists of prompts and resources, completions, log
 * messages, progress and requests to the client. Text that would be marked in a result is removed, and an item whose
 * name or URI contains it is omitted [guard.results].
 */
import type { CallWork } from '#core/actions/call-work.ts';
import type { GovernPorts } from '#core/actions/ports.ts';
import type { GuardSettings, ResultFinding } from '#core/guard/results.ts';
import type { Json, JsonObject } from '#core/kernel/json.ts';
import { isObject } from '#core/kernel/narrow.ts';
import type { RpcOutcome } from '../protocol/messages.ts';
import type { Caller } from '../sessions/caller.ts';
import { toServer } from '../sessions/relay.ts';
import { forwardMessage } from './bounded-message.ts';
import { resultGuard } from './guard-settings.ts';
import { inspectResult, withoutMarks } from './inspect-result.ts';

type Ports = Pick<GovernPorts, 'telemetry' | 'pause'> & { readonly calls?: Pick<CallWork, 'lookOver'> | undefined };
type MessageContext = Pick<Caller, 'conversation' | 'snapshot'>;

/**
 * Returns the strictest guard of all servers, because a message does not name its server. Returns undefined if all
 * guards are off.
 */
function guardOf({ conversation, snapshot }: MessageContext): GuardSettings | undefined {
  const entries = conversation.entries.filter(({ guard }) => guard !== 'off');
  const entry = entries.find(({ guard }) => guard === 'on') ?? entries[0];
  const guard = entry && resultGuard(snapshot.configuration, entry);
  return guard && withoutMarks(guard);
}

const count = ({ telemetry }: Pick<GovernPorts, 'telemetry'>, findings: readonly ResultFinding[]): void => {
  for (const { kind, action } of findings)
    telemetry.count('svc_tool_guard_findings_total', { place: 'server', kind, action });
};

/** Forwards server messages that are sent outside of calls. */
export function heardBy(
  ports: Ports,
  caller: MessageContext,
  hand: (message: JsonObject) => void,
): (message: JsonObject) => void {
  const guard = guardOf(caller);
  if (!guard) return hand;
  return (message) =>
    forwardMessage(message, [], ports.calls, {
      look: inspectResult,
      guard,
      hand,
      refuse: (id, answer) => void toServer(caller, id, answer).catch(() => {}),
      noted: (findings) => count(ports, findings),
    });
}

const members: ReadonlyMap<string, string> = new Map(
  Object.entries({
    'prompts/list': 'prompts',
    'resources/list': 'resources',
    'resources/templates/list': 'resourceTemplates',
  }),
);
const turnThings = 64;

/** Inspects the response to a method other than a tool call. */
export async function withoutFound(
  ports: Ports,
  caller: MessageContext,
  method: string,
  outcome: RpcOutcome,
): Promise<RpcOutcome> {
  const guard = guardOf(caller);
  if (!guard) return outcome;
  if ('error' in outcome)
    return (inspectOutcome(ports, guard, outcome as unknown as JsonObject) ?? outcome) as RpcOutcome;
  const { result } = outcome;
  const look = (value: JsonObject): JsonObject | undefined => {
    const seen = inspectOutcome(ports, guard, { result: value });
    return isObject(seen?.result) ? seen.result : undefined;
  };
  const member = members.get(method);
  if (member !== undefined && Array.isArray(result[member])) {
    const kept: Json[] = [];
    for (const [at, thing] of result[member].entries()) {
      const seen = isObject(thing) && isNamedPlainly(guard, thing) ? look(thing) : undefined;
      if (seen) kept.push(seen);
      if (at % turnThings === turnThings - 1) await ports.pause(0);
    }
    return { result: { ...result, [member]: kept } };
  }
  if (typeof result.instructions === 'string') {
    const { instructions, ...rest } = result;
    return { result: { ...rest, ...look({ instructions }) } };
  }
  if (isObject(result.completion) && Array.isArray(result.completion.values)) {
    const values = result.completion.values.filter((value) => isPlain(guard, value));
    return { result: { ...result, completion: { ...result.completion, values } } };
  }
  return outcome;
}

function inspectOutcome(ports: Ports, guard: GuardSettings, outcome: JsonObject): JsonObject | undefined {
  const seen = inspectResult(outcome, [], guard);
  count(ports, seen.findings);
  return seen.outcome;
}

/** Checks names and URIs. They must be sent back unchanged, so text cannot be removed from them. */
const isNamedPlainly = (guard: GuardSettings, { name, uri, uriTemplate }: JsonObject): boolean =>
  [name, uri, uriTemplate].every((each) => each === undefined || isPlain(guard, each));

const isPlain = (guard: GuardSettings, value: Json): boolean => {
  const { outcome, findings } = inspectResult({ result: { value } }, [], guard);
  return outcome !== undefined && findings.every(({ action }) => action === 'log');
};
