/** Runs an allowed call at its server, and reads stored results. */
import { type CallWork, isLarge } from '#core/actions/call-work.ts';
import { readResult, type ShownResult } from '#core/actions/kept-result.ts';
import type { GovernPorts } from '#core/actions/ports.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { KeptResult } from '#core/contracts/approval.ts';
import type { McpUpstreamEntry } from '#core/contracts/config.ts';
import type { ActionEnvelope } from '#core/contracts/envelope.ts';
import type { IssuedCredential } from '#core/execution/credentials/ports.ts';
import { secretsOf } from '#core/execution/credentials/redact-values.ts';
import { type ExecutionFaultKind, hints, UpstreamError, unknownHint } from '#core/execution/executors/fault.ts';
import type { ExecuteOptions, Executor } from '#core/execution/executors/ports.ts';
import type { Classification } from '#core/guard/classifier/ports.ts';
import type { GuardSettings, InspectedResult, ResultFinding } from '#core/guard/results.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isObject, withoutNulls } from '#core/kernel/narrow.ts';
import { UpstreamFault, type UpstreamFaultKind } from '../ports.ts';
import { mcpCodes, type RequestId, type RpcError, RpcFault, type RpcOutcome } from '../protocol/messages.ts';
import { paramHeaders } from '../protocol/param-headers.ts';
import { ask, type Conversation, type Conversations, type RequestContext } from '../sessions/conversations.ts';
import { toServer } from '../sessions/relay.ts';
import { upstreamError } from '../sessions/upstream-errors.ts';
import { forwardMessage } from './bounded-message.ts';
import type { ClassifiedResult, ResultClassifier } from './classify-result.ts';
import { resultClassifier, resultGuard } from './guard-settings.ts';
import type { inspectResult } from './inspect-result.ts';
import { toolsOf, withEnvelope } from './inventory.ts';
import { type PlacingPorts, placeToolCall, servesProtocol } from './placement.ts';

/** One call to a server and its outcome. The client receives more of the outcome than is recorded in evidence. */
export interface Run {
  readonly conversation: Conversation;
  readonly entry: McpUpstreamEntry;
  /** Name used by the server. */
  readonly tool: string;
  /** Method to call; `tools/call` by default. */
  readonly method?: string;
  /** Members of `_meta` needed by the protocol. */
  readonly meta: JsonObject;
  readonly id: RequestId;
  signal: AbortSignal;
  readonly onMessage: (message: JsonObject) => void;
  readonly onEvents?: () => void;
  readonly passed?: Readonly<Record<string, string>>;
  /** Worker that scans large results. If absent, they are scanned on the main thread. */
  readonly calls?: CallWork | undefined;
  /** Guard for results. Absent if the guard is off for the server. */
  readonly guard?: GuardSettings | undefined;
  /** Classifier that runs on results after the guard. Absent if none is configured. */
  readonly classifier?: ResultClassifier | undefined;
  /**
   * Checks whether the tool's definition was found to need acceptance while the decision on the call was being made.
   */
  readonly held?: () => Promise<boolean>;
  /** Set when the response has arrived, with secrets redacted. */
  outcome?: RpcOutcome;
}

/** Returns the executor of one call. */
export const runExecutor = (run: Run): Executor => ({
  name: `MCP server ${run.entry.name}`,
  handles: () => true,
  execute: (envelope, credential, { signal, onNotes } = {}) => {
    if (signal) run.signal = signal; // combines the caller's signal, the function's deadline and a cancellation
    return execute(run, paramsOf(envelope, run.meta), credential, onNotes);
  },
});

/** Returns the executor for a single read of a resource or prompt, which uses the method's own parameters. */
export const readExecutor = (run: Run): Executor => ({
  name: `MCP server ${run.entry.name}`,
  handles: () => true,
  execute: ({ parameters, sent_with = {} }, credential, { onNotes } = {}) => {
    const meta = Object.keys(run.meta).length > 0 && { _meta: run.meta };
    return execute(run, { ...parameters, ...sent_with, ...meta } as JsonObject, credential, onNotes);
  },
});

/** Returns the parameters for the server's `tools/call`: those that were evaluated, and the protocol members. */
function paramsOf(
  { tool, upstream_tool, parameters, sent_with = {} }: ActionEnvelope,
  protocol: JsonObject,
): JsonObject {
  const { _meta: governed, ...others } = sent_with as JsonObject;
  const meta = { ...(isObject(governed) && governed), ...protocol };
  return {
    name: upstream_tool ?? tool,
    arguments: parameters as JsonObject,
    ...others,
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
}

/** Failures after which the call may have taken effect, mapped to execution fault kinds. */
const uncertain: Readonly<Partial<Record<UpstreamFaultKind, ExecutionFaultKind>>> = {
  timeout: 'timeout',
  aborted: 'cancelled',
  broken: 'cut',
  garbage: 'malformed',
  'too-large': 'too_large',
};

const looking = lazyImport(() => import('./inspect-result.ts'));
const classifying = lazyImport(() => import('./classify-result.ts'));

async function execute(
  run: Run,
  params: JsonObject,
  credential: IssuedCredential | undefined,
  onNotes: ExecuteOptions['onNotes'],
): Promise<unknown> {
  const { conversation, entry, method = 'tools/call', onMessage, calls, guard, classifier: _, held, ...asking } = run;
  const heard: ResultFinding[] = [];
  const secrets = credential ? secretsOf(credential) : [];
  const { inspectResult: look, withoutMarks } = await looking();
  if (await held?.()) throw waitingError(run);
  let outcome: RpcOutcome;
  let sent = false;
  try {
    run.signal.throwIfAborted();
    await conversation.link(entry);
    // If the server is lost, the call ends as well.
    const refuse = (id: RequestId, answer: RpcOutcome) => void toServer({ conversation }, id, answer).catch(() => {});
    sent = true;
    outcome = await ask(conversation, entry, method, params, {
      ...asking,
      onMessage: (message) =>
        forwardMessage(message, secrets, calls, {
          look,
          guard: guard && withoutMarks(guard),
          hand: onMessage,
          refuse,
          noted: (found) => void heard.push(...found),
        }),
      bearer: credential?.secret,
    });
  } catch (fault) {
    const error = upstreamError(run.tool, entry, fault, sent);
    run.outcome = { error };
    // The server rejects the minted credential: this counts as a refused login (core/actions/execute-action.ts).
    if (sent && credential && fault instanceof UpstreamFault && fault.status === 401) {
      const { message } = error;
      const named = { tool: run.tool, upstream: entry.name, hint: hints.unauthorized, status: 401 };
      throw new UpstreamError(message, { ...named, kind: 'unauthorized', effect: 'none' });
    }
    const kind = sent ? doubtAfter(run, fault) : undefined;
    throw kind ? unknownOutcome(run, error.message, kind, fault) : new Error(error.message, { cause: fault });
  }
  const {
    outcome: seen,
    findings: found,
    judged,
  } = await classifyResult(run, await lookedOver(run, outcome, secrets, look));
  const findings = [...heard, ...found];
  const withheld = seen === undefined;
  if (findings.length > 0 || withheld || judged) onNotes?.({ findings, judged, withheld });
  if (withheld) {
    run.outcome = { error: withheldError(run.tool, findings, judged) };
    return {};
  }
  if ('error' in seen) {
    const error = upstreamError(run.tool, entry, seen.error as unknown as RpcError, true);
    run.outcome = { error };
    throw new Error(error.message);
  }
  const result = readableResult(seen.result as JsonObject);
  run.outcome = { result };
  return result;
}

/** Leaves out members of null, because strict clients would refuse the result of a call that took effect. */
function readableResult(result: JsonObject): JsonObject {
  const whole = withoutNulls(result);
  if (!Array.isArray(whole.content)) return whole;
  return { ...whole, content: whole.content.map((item) => (isObject(item) ? withoutNulls(item) : item)) };
}

const doubtAfter = ({ signal }: Run, fault: unknown): ExecutionFaultKind | undefined =>
  fault instanceof UpstreamFault ? uncertain[fault.kind] : signal.aborted ? 'cancelled' : undefined;

const unknownOutcome = ({ tool, entry }: Run, message: string, kind: ExecutionFaultKind, cause: unknown) =>
  new UpstreamError(message, { tool, upstream: entry.name, kind, effect: 'unknown', hint: unknownHint, cause });

/** Returns the error for a held definition. The call was not sent. */
function waitingError(run: Run): Error {
  const message = `The definition of ${run.tool} at ${run.entry.name} has changed in a way that matters; a human has to accept it. Nothing was sent.`;
  run.outcome = { error: { code: mcpCodes.block, message, data: { tool: run.tool, upstream: run.entry.name } } };
  return new Error(message);
}

/**
 * Returns the error for a withheld result. The error states that the call ran, and names the findings without repeating
 * text [guard.results].
 */
function withheldError(tool: string, findings: readonly ResultFinding[], judged: Classification | undefined): RpcError {
  // Text that could not be removed causes the result to be withheld, as if blocked.
  const blocking = findings.filter(
    ({ action, kind }) => action === 'block' || (kind === 'classified' && action === 'strip'),
  );
  const kinds = [...new Set(blocking.map(({ kind }) => kind))];
  const failed = judged && 'error' in judged ? judged : undefined;
  const why =
    kinds.length > 0
      ? `the tool guard found ${kinds.join(', ')} in it`
      : failed
        ? `the classifier ${failed.classifier} of the tool guard could not check it (${failed.error})`
        : 'the tool guard could not check it';
  return {
    code: mcpCodes.upstreamFailed,
    message: `${tool} was carried out, and its result is withheld: ${why}. Do not repeat the call to get it.`,
    data: {
      tool,
      outcome: 'executed',
      reason: 'tool_guard',
      findings: blocking.map(({ kind, where }) => ({ kind, where })),
      ...(failed && { classifier: { name: failed.classifier, error: failed.error } }),
    },
  };
}

/**
 * Scans a response, using a worker if it is large [limit.hostile].
 * @throws UpstreamError with unknown effect if this takes too long.
 */
async function lookedOver(
  run: Run,
  outcome: RpcOutcome,
  secrets: readonly string[],
  look: typeof inspectResult,
): Promise<InspectedResult> {
  if (!run.calls || !isLarge(outcome)) return look(outcome as JsonObject, secrets, run.guard);
  try {
    return await run.calls.lookOver(outcome as JsonObject, secrets, run.guard);
  } catch (cause) {
    const fault = new UpstreamFault(
      'too-large',
      `its response could not be checked: ${(cause as Error).message.replace(/\.$/, '')}`,
    );
    const error = upstreamError(run.tool, run.entry, fault, true);
    run.outcome = { error };
    throw unknownOutcome(run, error.message, 'too_large', cause);
  }
}

async function classifyResult({ classifier, signal }: Run, looked: InspectedResult): Promise<ClassifiedResult> {
  if (!classifier || looked.outcome === undefined) return looked;
  return (await classifying()).classifyResult(looked, classifier, signal);
}

/**
 * Returns an execution's full stored result. `max_result_bytes` bounds its size.
 * @throws RpcFault -32000 if it is not available; the call ran, so it must not be repeated.
 */
export async function keptResult(
  ports: Pick<GovernPorts, 'results' | 'telemetry'>,
  tool: string,
  { result_withheld: why, ...kept }: KeptResult,
): Promise<JsonObject> {
  const stored = why === undefined || why === 'too_large' ? kept : { ...kept, result_withheld: why };
  const { result, result_withheld } = await readResult(ports, stored, Number.POSITIVE_INFINITY);
  if (result_withheld !== undefined) throw notAtHand(tool, result_withheld, kept);
  return isObject(result)
    ? (result as JsonObject)
    : { content: [{ type: 'text', text: JSON.stringify(result ?? null) }] };
}

function notAtHand(tool: string, reason: string, { result_sha256, result_bytes }: ShownResult): RpcFault {
  const message = `${tool} was carried out, and its result is not available (${reason}). Do not repeat the call to get it.`;
  const digest = result_sha256 === undefined ? {} : { result_sha256, result_bytes: result_bytes ?? 0 };
  return new RpcFault(mcpCodes.upstreamFailed, message, { data: { tool, outcome: 'executed', reason, ...digest } });
}

/**
 * Returns the executor for calls without a connected MCP client: test actions, and approved calls run by the state
 * machine.
 */
export function mcpExecutor(ports: PlacingPorts, conversations: Conversations, snapshot: Snapshot): Executor {
  const entries = snapshot.configuration.upstreams.mcp;
  const entryOf = ({ upstream }: ActionEnvelope) => entries.find(({ name }) => name === upstream);
  const conversationOf = (envelope: ActionEnvelope) => conversations.ofKey(envelope, 'session', '2025-11-25', entries);
  return {
    name: 'MCP',
    place: (envelope, fresh) => placeToolCall(ports, conversationOf(envelope), snapshot, envelope, fresh),
    handles: (envelope) => {
      const entry = entryOf(envelope);
      return entry !== undefined && servesProtocol(entry, envelope.protocol);
    },
    execute: async (envelope, credential, { signal = new AbortController().signal, onNotes } = {}) => {
      const entry = entryOf(envelope);
      if (!entry) throw new Error(`no MCP server serves ${envelope.tool}`);
      const conversation = conversationOf(envelope);
      const own = envelope.upstream_tool ?? envelope.tool;
      const args = envelope.parameters as JsonObject;
      const params = withEnvelope(conversation, paramsOf(envelope, {}));
      const asking = { id: ports.ids.uuid(), signal };
      const passed = await headersFor(ports, conversation, { entry, own }, args, asking);
      const run: Run = {
        ...asking,
        calls: ports.calls,
        guard: resultGuard(snapshot.configuration, entry),
        classifier: resultClassifier(ports, snapshot, entry, envelope),
        conversation,
        entry,
        tool: own,
        meta: {},
        passed,
        onMessage: () => {},
      };
      return execute(run, params, credential, onNotes);
    },
  };
}

/**
 * Returns the `Mcp-Param-*` headers, which only stateless servers need. Errors are ignored here, because the call
 * itself will fail.
 */
async function headersFor(
  ports: Pick<GovernPorts, 'clock'>,
  conversation: Conversation,
  { entry, own }: { readonly entry: McpUpstreamEntry; readonly own: string },
  args: JsonObject,
  asking: RequestContext,
): Promise<Readonly<Record<string, string>>> {
  const link = await conversation.link(entry).catch(() => undefined);
  if (link?.era !== 'stateless') return {};
  const list = await toolsOf(ports, conversation, entry, asking).catch(() => undefined);
  return paramHeaders(list?.tools.find(({ definition }) => definition.name === own)?.definition ?? {}, args);
}
