/**
 * Handles `tools/call`: finds the tool, builds the action, governs it, runs it at its server and responds in JSON-RPC.
 * The decision uses the common flow (core/actions/govern.ts).
 */
import { decideCall } from '#core/actions/assess-call.ts';
import { type GovernedRequest, openEnvelope } from '#core/actions/envelope.ts';
import { executeAction } from '#core/actions/execute-action.ts';
import { govern } from '#core/actions/govern.ts';
import type { GovernPorts, RecordPorts, SourcePorts } from '#core/actions/ports.ts';
import { withSources } from '#core/actions/value-sources.ts';
import { callDigest } from '#core/approvals/call-digest.ts';
import type { DecisionResult } from '#core/contracts/envelope.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import { isoTime } from '#core/kernel/ports.ts';
import type { McpPorts } from '../ports.ts';
import { invalidParams, mcpCodes, type RpcOutcome, type RpcRequest } from '../protocol/messages.ts';
import { checkParamHeaders, paramHeaders } from '../protocol/param-headers.ts';
import { forwardedMeta, promptOf } from '../protocol/request-meta.ts';
import type { Caller, Exchange } from '../sessions/caller.ts';
import { declaredRoots } from '../sessions/client-roots.ts';
import { answersForServer, assertKnown } from '../sessions/forward.ts';
import { complete } from '../sessions/translate.ts';
import {
  immediateOutcome,
  inputRequired,
  opensAddresses,
  type RepeatedCall,
  readRepeatedCall,
  stateKeysIfAny,
} from '../waiting/input-required.ts';
import { stateToClient, stateToServer } from '../waiting/request-state.ts';
import { clientWaiting } from '../waiting/waiting.ts';
import { actionOf, argumentsOf, placementIn, type Tool } from './action.ts';
import { checkDrift } from './drift.ts';
import { keptResult, type Run, runExecutor } from './executor.ts';
import { findHold, findTool, placedAgain } from './find-tool.ts';
import { definitionGuard, resultClassifier, resultGuard } from './guard-settings.ts';
import { policyName } from './tool-names.ts';

/**
 * Handles one `tools/call`.
 * @throws RpcFault, GatewayError `rate_limit_error`, `forbidden`, `session_blocked`, `service_unavailable`.
 */
export async function callTool(
  ports: McpPorts,
  caller: Caller,
  request: RpcRequest,
  exchange: Exchange,
): Promise<RpcOutcome> {
  assertKnown(request.method, request.params, caller.era);
  const back = await readRepeatedCall(ports, caller, request.params);
  return back
    ? make(ports, back.caller, { ...request, params: back.params }, exchange, back)
    : make(ports, caller, request, exchange);
}

/** Governs and runs the call. @param back the state that a client returns with its answer. */
async function make(
  ports: McpPorts,
  caller: Caller,
  { id, params }: RpcRequest,
  exchange: Exchange,
  back?: RepeatedCall,
): Promise<RpcOutcome> {
  if (typeof params.name !== 'string' || params.name === '') throw invalidParams('params.name must name a tool.');
  const args = argumentsOf(params);
  const keys = opensAddresses(caller, params) ? stateKeysIfAny(ports, caller) : undefined;
  const named = params.name;
  const notings: Promise<void>[] = [];
  const tool = await findTool(ports, caller, named, exchange, notings).catch(async (fault: unknown) => {
    const { refuseUnplaced } = await import('./refuse-unplaced.ts');
    return refuseUnplaced(ports, caller, named, args, fault);
  });
  if (caller.era === 'stateless') checkParamHeaders(tool.definition, args, caller.passed);
  const meta = forwardedMeta(params._meta, caller.era, tool.entry.forwarded_meta);
  const sent = sentWith(params, meta.governed);
  const prompt = promptOf(params._meta);
  const { networks } = caller.snapshot.configuration.catalog;
  const name = await nameFor(ports, caller, tool, { args, sent_with: sent, prompt });
  const governed = await actionOf(tool, name, args, networks);
  const placement = await placementIn(tool, governed.tool, args);
  const action: GovernedRequest = {
    ...governed,
    placement,
    sent_with: sent,
    ...(prompt !== undefined && { prompt }),
    rootLists: declaredRoots(caller, params._meta),
    actor: { agent: caller.agent },
    earlierSessions: caller.earlier,
    ...(back && { approval_ref: back.state.approval }),
  };
  const digest = () => callDigest(openEnvelope(action, caller.principal, caller.sessionId, '', placement));
  const stands = back && (await immediateOutcome(ports, back, digest()));
  if (stands) return stands;

  const guard = await definitionGuard(caller.snapshot.configuration, tool.entry);
  if (await checkDrift(ports.mcpStore, tool, guard))
    return answer(ports, await refuseDrift(ports, caller, action, tool), undefined);
  const misfit = guard?.schema === 'refuse' ? await misfitIn(tool, args) : undefined;
  if (misfit !== undefined) return answer(ports, await refuseMisfit(ports, caller, action, misfit), undefined);

  const signing = await keys;
  const waiting = clientWaiting(caller, params, exchange, { asks: signing !== undefined, isRetry: back !== undefined });
  const run: Run = {
    conversation: caller.conversation,
    entry: tool.entry,
    id,
    passed: paramHeaders(tool.definition, args),
    tool: tool.own,
    meta: meta.protocol,
    signal: exchange.signal,
    onMessage: waiting.send,
    onEvents: exchange.streams,
    calls: ports.calls,
    guard: resultGuard(caller.snapshot.configuration, tool.entry),
    classifier: resultClassifier(ports, caller.snapshot, tool.entry, caller.principal),
    ...(notings.length > 0 && guard && { held: () => findHold(ports, tool, guard, notings) }),
  };
  const executors = () => [runExecutor(run)];
  const { signal } = exchange;
  const result = await govern(ports, caller.principal, caller.sessionId, action, {
    wait: {
      ...waiting.wait,
      placed: () => placedAgain(ports, caller, tool, { name: governed.tool, args, signal }),
    },
    carry: (given, allowed, hash, approval) =>
      executeAction({ ...given, executors }, allowed, hash, approval, { signal }),
  });
  const task =
    waiting.way === 'task' &&
    (await (await import('../waiting/tasks.ts')).taskFor(ports, caller, result, run.outcome, params));
  if (task) return { result: task };
  const asked =
    signing && result.decision === 'review'
      ? inputRequired(ports, caller, signing, { ...result, params, digest: digest(), round: back?.state.round ?? 0 })
      : undefined;
  return asked ?? answer(ports, result, run, caller);
}

/** Client input in addition to the tool's name. */
interface CallArguments {
  readonly args: JsonObject;
  readonly sent_with: JsonObject | undefined;
  readonly prompt: string | undefined;
}

/**
 * Chooses the tool's name for policies. Both names are evaluated together with the sources of the values, so that a
 * rule on sources is not mistaken for the default decision.
 */
const nameFor = (
  ports: Pick<GovernPorts, 'calls'> & SourcePorts,
  { snapshot, principal, sessionId }: Caller,
  tool: Tool,
  { args, sent_with, prompt }: CallArguments,
) =>
  policyName(tool, async (name) => {
    const action = {
      ...(await actionOf(tool, name, args, snapshot.configuration.catalog.networks)),
      sent_with,
      tenant: principal.tenant,
      key_id: principal.key_id,
    };
    const call = { ...action, actor: { agent: '', session: sessionId } };
    return decideCall(ports, snapshot, await withSources(ports, snapshot, call, { parts: [] }, { prompt }));
  });

/**
 * Returns input, in addition to the arguments, that may change the meaning of a call: a server's state, answers to its
 * questions, and the metadata that the operator allows.
 */
export function sentWith(params: JsonObject, meta: JsonObject): JsonObject | undefined {
  const { requestState, inputResponses } = stateToServer(params);
  const sent: JsonObject = {
    ...(requestState !== undefined && { requestState }),
    ...(inputResponses !== undefined && { inputResponses: answersForServer(inputResponses) }),
    ...(Object.keys(meta).length > 0 && { _meta: meta }),
  };
  return Object.keys(sent).length > 0 ? sent : undefined;
}

/** Records a block caused by the tool's definition rather than by a rule. */
async function refuseDrift(
  ports: Pick<GovernPorts, 'evidence'> & RecordPorts,
  caller: Caller,
  request: GovernedRequest,
  { own, entry, exposed }: Tool,
): Promise<DecisionResult> {
  const { recordBlock } = await import('./record-block.ts');
  return recordBlock(ports, caller, request, {
    matched_rule: `drift:${exposed}`,
    reason: `The definition of ${own} at ${entry.name} is new or has changed since it was accepted; a human has to accept it.`,
  });
}

const schema = lazyImport(() => import('#core/guard/schema.ts'));

/** Describes arguments that do not fit the tool's schema. Returns undefined if all of them fit [guard.arguments]. */
async function misfitIn({ own, entry, definition }: Tool, args: JsonObject): Promise<string | undefined> {
  const { schemaViolations } = await schema();
  const misfits = schemaViolations(definition.inputSchema, args).map(({ where, problem }) => `${where} ${problem}`);
  if (misfits.length === 0) return undefined;
  return `The arguments do not fit the inputSchema of ${own} at ${entry.name}: ${misfits.join('; ')}. Nothing was sent; call it again with arguments that fit.`;
}

async function refuseMisfit(
  ports: Pick<GovernPorts, 'evidence'> & RecordPorts,
  caller: Caller,
  request: GovernedRequest,
  reason: string,
) {
  const { recordBlock } = await import('./record-block.ts');
  return recordBlock(ports, caller, request, { matched_rule: 'tool_guard:schema', reason });
}

/** Returns the decision as JSON-RPC: the server's response, or an error. */
export async function answer(
  ports: Pick<GovernPorts, 'results' | 'telemetry' | 'clock'>,
  decided: DecisionResult,
  run: Run | undefined,
  caller?: Caller,
): Promise<RpcOutcome> {
  const { decision, error, envelope_id } = decided;
  const own = error && {
    error: {
      code: error.code,
      message: messageOf(error, isoTime(ports.clock.now())),
      data: { ...(error.data as JsonObject), envelope_id },
    },
  };
  if (decision !== 'allow' && own) return own;
  if (run?.outcome) return 'result' in run.outcome ? { result: stateToClient(run.outcome.result) } : run.outcome;
  if (own) return own;
  const result = await keptResult(ports, run?.tool ?? 'The call', decided);
  return { result: caller?.era === 'stateless' ? complete('tools/call', result) : result };
}

/** Adds the approval's URL and the next step, because many clients show their model only the message. */
function messageOf({ code, message, data }: NonNullable<DecisionResult['error']>, now: string): string {
  if (code !== mcpCodes.approvalRequired) return message;
  const waits = String(data.expires_at ?? '') > now;
  return waits
    ? `${message} It can be approved or denied at ${data.approval_url}; send the same call again after that.`
    : `${message} Send the same call again to open a new request.`;
}
