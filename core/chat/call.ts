/** Chat call on arrival, with the facts that follow from the configuration: model, limits and permission. */

import type { KeyLimits } from '#core/configuration/identity/identities.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import { type ChatOperation, type ChatRecord, chatSizes, type DialectName } from '#core/contracts/chat.ts';
import type { Tenant } from '#core/contracts/config.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import type { JsonObject } from '#core/kernel/json.ts';
import type { Clock } from '#core/kernel/ports.ts';
import { ownLimitsOf } from '#core/limits/limits-of-key.ts';
import { estimateTokens } from '#core/models/dialects/count-tokens.ts';
import type { Dialect, TextSlot } from '#core/models/dialects/dialect.ts';
import { dialects } from '#core/models/dialects/dialects.ts';
import { isUsageRequested } from '#core/models/dialects/openai/openai.ts';
import { modelMatches } from '#core/models/routing/model-glob.ts';
import { disabledProvidersOf, entriesOf, planRoute, type RoutePlan, resolveModel } from '#core/models/routing/plan.ts';
import { refuseAddresses } from './chat-addresses.ts';
import { refuseChoosing } from './choosing-members.ts';
import type { FormFiles } from './endpoint-form.ts';
import { listedBetas } from './provider-tools.ts';
import { refuseToolUse } from './refuse-tools.ts';
import type { ResponseRetention } from './stored/retention.ts';

export interface ChatRequest {
  readonly dialect: DialectName;
  /** Called endpoint, if it is not the dialect's own. */
  readonly operation?: Exclude<ChatOperation, 'chat.completions' | 'messages'> | undefined;
  readonly body: JsonObject;
  /** Files in a form. The body refers to them by digest. */
  readonly files?: FormFiles | undefined;
  /**
   * Maximum cost of the object, if the provider stores an object instead of responding with an answer
   * [batches.governed].
   */
  readonly storing?: Estimate | undefined;
  readonly principal: Principal;
  readonly sessionId: string;
  readonly requestId: string;
  readonly transport: 'http' | 'ws';
  readonly approvalRef?: string | undefined;
  /** Caller's headers that are forwarded to the provider. */
  readonly passed: Readonly<Record<string, string>>;
  /** Set if the response is to be stored or if it continues a stored response [responses.stored]. */
  readonly keep?: ResponseRetention | undefined;
  /** Names of members that the endpoint's dialect has but chat completions do not. */
  readonly leftOut?: readonly string[] | undefined;
  /** Set by `Cache-Control: no-cache` or `no-store`: the cache is neither read nor written [chat.cache]. */
  readonly noCache?: boolean;
  /** True if the caller parses a stream as events regardless of its status, as client libraries do. */
  readonly readsEvents?: boolean;
  /** Aborts when the caller disconnects. */
  readonly signal: AbortSignal;
}

/** Estimated input tokens and maximum output tokens. */
export interface Estimate {
  readonly inputTokens: number;
  readonly maxTokens: number;
}

export interface ChatCall extends Omit<ChatRequest, 'operation' | 'leftOut'>, Estimate {
  readonly envelopeId: string;
  readonly snapshot: Snapshot;
  readonly tenant: Tenant;
  readonly wire: Dialect;
  readonly operation: ChatRecord['operation'];
  /** Name that the caller sent. */
  readonly model: string;
  /** Name after alias resolution. */
  readonly resolvedModel: string;
  readonly stream: boolean;
  readonly plan: RoutePlan;
  /** Set if the tenant may not use the model: the call is refused and recorded. */
  readonly refusal?: GatewayError;
  /** Names of members that are not sent to any provider. */
  readonly leftOut: readonly string[];
  /** Text of the conversation in `body`. Absent if the request only stores an object. */
  readonly messageTexts?: readonly TextSlot[] | undefined;
}

/**
 * Parses the call without any I/O.
 * @throws GatewayError `invalid_request`, `model_not_found`.
 */
export function openCall(snapshot: Snapshot, request: ChatRequest, envelopeId: string): ChatCall {
  const { configuration } = snapshot;
  const wire = dialects[request.dialect];
  const { body } = request;
  wire.checkRequest(body);
  const model = body.model as string;
  const resolvedModel = resolveModel(configuration, model);
  const tenant = configuration.tenants.find(({ id }) => id === request.principal.tenant);
  if (!tenant)
    throw new GatewayError(
      'forbidden',
      `The tenant ${JSON.stringify(request.principal.tenant)} is not in the configuration; use a key of a tenant that is.`,
    );
  const key = ownLimitsOf(snapshot.identities, request.principal);
  const names = [model, resolvedModel];
  const allowed = mayUse(tenant, key, names);
  const plan = continuing(planRoute(configuration, resolvedModel), request);
  if (!plan && allowed) throw notServed(snapshot, { tenant, key }, model, resolvedModel);
  refuseToolUse(configuration, request, wire);
  refuseAddresses(configuration, request, request.storing === undefined);
  if (plan) refuseChoosing(request.dialect, body, entriesOf(plan));
  const { passed, leftOut } = isBounded(snapshot, request)
    ? listedBetas(configuration.messages, request.passed)
    : { passed: request.passed, leftOut: [] };
  const messageTexts = request.storing ? undefined : wire.messageTexts(body);
  const choices = typeof body.n === 'number' ? body.n : 1;
  return {
    ...request,
    passed,
    leftOut: [...(request.leftOut ?? []), ...leftOut],
    envelopeId,
    snapshot,
    tenant,
    wire,
    operation: request.operation ?? (request.dialect === 'openai' ? 'chat.completions' : 'messages'),
    model,
    resolvedModel,
    stream: body.stream === true,
    messageTexts,
    plan: plan ?? { model: resolvedModel, route: undefined, candidates: [] },
    ...(!allowed && { refusal: notAllowed(tenant, key, names) }),
    ...(request.storing ?? {
      inputTokens: estimateTokens(request.dialect, body, messageTexts) + earlierTokens(request),
      maxTokens: (wire.maxTokens(body) ?? chatSizes.defaultMaxTokens) * choices,
    }),
  };
}

/** Limits the plan to the provider that stores the continued response. @throws GatewayError `conflict` */
function continuing(plan: RoutePlan | undefined, { keep, body }: ChatRequest): RoutePlan | undefined {
  const previous = keep?.previous;
  if (!plan || !previous) return plan;
  const candidates = plan.candidates.filter(
    ({ entry: { name, enabled, keeps_responses } }) => name === previous.provider && enabled && keeps_responses,
  );
  if (candidates.length > 0) return { ...plan, candidates };
  throw new GatewayError(
    'conflict',
    `${previous.id} is kept by the provider ${previous.provider}, which does not serve the model ${JSON.stringify(body.model)} or no longer keeps responses; send the whole input.`,
  );
}

/** Returns the tokens of the earlier conversation, which the model also reads. */
const earlierTokens = ({ keep }: ChatRequest): number =>
  keep?.previous ? keep.previous.input_tokens + keep.previous.output_tokens : 0;

type Key = Pick<KeyLimits, 'allowed_models'> | undefined;

/**
 * Checks whether the tenant and the key may use the model [limit.key].
 * @param names requested name and resolved name; either may be listed.
 */
export const mayUse = ({ allowed_models }: Tenant, key: Key, names: readonly string[]): boolean =>
  matchesModel(allowed_models, names) && matchesModel(key?.allowed_models ?? ['*'], names);

const matchesModel = (patterns: readonly string[], names: readonly string[]): boolean =>
  patterns.some((pattern) => names.some((name) => modelMatches(pattern, name)));

/** Returns the refusal for a model that exists but is not allowed for the tenant or the key. */
function notAllowed({ allowed_models }: Tenant, key: Key, names: readonly string[]): GatewayError {
  const [holder, allowed] = matchesModel(allowed_models, names)
    ? ['key', key?.allowed_models ?? []]
    : ['tenant', allowed_models];
  return new GatewayError(
    'model_not_allowed',
    `The model ${JSON.stringify(names[0])} is not allowed for this ${holder}; allowed: ${allowed.join(', ') || 'none'}.`,
  );
}

/** Returns an error that lists the models this caller may request [models.demo]. */
function notServed(
  { configuration }: Snapshot,
  { tenant, key }: { tenant: Tenant; key: Key },
  model: string,
  resolved: string,
): GatewayError {
  const alias = model === resolved ? '' : ` (an alias of ${JSON.stringify(resolved)})`;
  const names = new Set([
    ...configuration.providers.filter(({ enabled }) => enabled).flatMap(({ models }) => models),
    ...Object.keys(configuration.aliases.models),
  ]);
  const served = [...names].filter((name) => {
    const model = resolveModel(configuration, name);
    return mayUse(tenant, key, [name, model]) && planRoute(configuration, model, new Map()) !== undefined;
  });
  const disabled = disabledProvidersOf(configuration, resolved);
  const off = disabled.length === 0 ? '' : ` (the provider ${disabled.join(', ')} lists it and is disabled)`;
  const named = `allowed: ${served.slice(0, maxNamed).join(', ') || 'none'}${served.length > maxNamed ? ', …' : ''}`;
  return new GatewayError(
    'model_not_found',
    `No provider serves the model ${JSON.stringify(model)}${alias}${off}; ${named}. GET /v1/models lists names.`,
  );
}

const maxNamed = 12;

/** Checks whether the provider receives only listed features. */
const isBounded = ({ configuration }: Snapshot, { dialect }: ChatRequest): boolean =>
  dialect === 'anthropic' && configuration.messages.tool_use !== 'reject';

/** Returns the facts about the call that are needed to translate its reply. */
export const translationContext = ({ model, inputTokens, envelopeId, body }: ChatCall, clock: Clock) => ({
  model,
  inputTokens,
  id: envelopeId,
  createdAt: Math.floor(clock.now() / 1000),
  includeUsage: isUsageRequested(body),
});
