/**
 * Operations for rollouts: create, list, show, pause, resume, roll back. Automatic moves:
 * `core/models/rollouts/advance.ts`.
 */

import { personActor } from '#core/configuration/identity/principal.ts';
import { rolloutSchema } from '#core/contracts/answers/rollouts.ts';
import type { Configuration } from '#core/contracts/config.ts';
import { durationMs, type Rollout } from '#core/contracts/rollout.ts';
import { createRolloutSchema } from '#core/contracts/rollout-schema.ts';
import { membersOf } from '#core/contracts/shape.ts';
import { GatewayError, invalidRequest } from '#core/kernel/errors.ts';
import { notFound } from '#core/kernel/not-found.ts';
import { pickMembers } from '#core/kernel/only.ts';
import { isoTime } from '#core/kernel/ports.ts';
import { commitMove } from '#core/models/rollouts/advance.ts';
import { figuresOf } from '#core/models/rollouts/figures.ts';
import { applyMove, type RolloutMove } from '#core/models/rollouts/moves.ts';
import { planRoute, resolveModel } from '#core/models/routing/plan.ts';
import { type Call, type Operation, parseBySchema } from './operation.ts';

/**
 * Creates a rollout. It applies to all tenants' traffic if the caller is a platform caller, and otherwise to the
 * caller's own tenant [rollout.create].
 */
export const createRollout: Operation = async (call) => {
  const { ports, principal, snapshot } = call;
  const { rollouts: usual } = snapshot.configuration;
  const {
    observation_window = usual.observation_window,
    start_at,
    ...named
  } = parseBySchema(createRolloutSchema, call.body());
  const asked = {
    route_model: named.route_model,
    canary_provider: named.canary_provider,
    stages: named.stages ?? usual.stages,
    error_threshold: named.error_threshold ?? usual.error_threshold,
    latency_p95_threshold: named.latency_p95_threshold ?? usual.latency_p95_threshold,
  };
  const baseline_providers = baselineOf(snapshot.configuration, asked.route_model);
  assertCanary(snapshot.configuration, asked.canary_provider, baseline_providers);
  const now = isoTime(ports.clock.now());
  const waits = start_at !== undefined && Date.parse(start_at) > ports.clock.now();
  const rollout: Rollout = {
    id: ports.ids.uuid(),
    tenant: principal.platform ? '*' : principal.tenant,
    ...asked,
    baseline_providers,
    current_stage: 0,
    current_percentage: waits ? 0 : asked.stages[0]!,
    state: waits ? 'pending' : 'running',
    observation_window_ms: durationMs(observation_window)!,
    ...(start_at !== undefined && { start_at: isoTime(Date.parse(start_at)) }),
    stage_started_at: now,
    created_at: now,
    created_by: principal.person ?? principal.name,
    created_in: principal.tenant,
    observation: 1,
    revision: 1,
  };
  const step = { before: rollout, next: rollout, move: { type: 'create' }, actor: personActor(principal) } as const;
  if (!(await commitMove(ports, step)))
    throw new GatewayError(
      'conflict',
      `The model ${JSON.stringify(asked.route_model)} has an open rollout; wait for its end or roll it back first.`,
    );
  // The sweep checks every open rollout once per minute, even if its timer does not run.
  await ports.rolloutClock.start(rollout.id).catch((fault: Error) => {
    ports.telemetry.log('error', 'the clock of a rollout did not start', { rollout: rollout.id, error: fault.message });
  });
  return { status: 201, body: rolloutAnswer(rollout) };
};

export const listRollouts: Operation = async (call) => {
  const all = await call.ports.rollouts.list();
  return { body: { rollouts: all.filter((rollout) => isVisible(call, rollout)).map(rolloutAnswer) } };
};

export const getRollout: Operation = async (call) => {
  const rollout = await rolloutOf(call);
  const { observations, clock } = call.ports;
  const until = rollout.completed_at === undefined ? clock.now() : Date.parse(rollout.completed_at);
  const { baseline, canary } = await figuresOf(observations, rollout, until);
  return { body: { rollout: rolloutAnswer(rollout), metrics: { baseline, canary } } };
};

export const pauseRollout: Operation = (call) => byHand(call, { type: 'pause' });
export const resumeRollout: Operation = (call) => byHand(call, { type: 'resume' });
export const rollbackRollout: Operation = (call) => byHand(call, { type: 'rollback', reason: 'manual rollback' });

async function byHand(call: Call, move: RolloutMove) {
  const { ports, principal } = call;
  const before = await rolloutOf(call);
  if (before.tenant === '*' && !principal.platform)
    throw new GatewayError(
      'forbidden',
      'This rollout moves the traffic of all tenants; only the admin token or a platform key can change it.',
    );
  const next = applyMove(before, move, isoTime(ports.clock.now()));
  if (!(await commitMove(ports, { before, next, move, actor: personActor(principal) })))
    throw new GatewayError('conflict', `Rollout ${before.id} was changed by another request; read it again.`);
  return { body: rolloutAnswer(next) };
}

async function rolloutOf(call: Call): Promise<Rollout> {
  const id = call.params.id ?? '';
  const rollout = await call.ports.rollouts.get(id);
  if (!rollout || !isVisible(call, rollout)) throw notFound({ noun: 'rollout', list: 'GET /admin/v1/rollouts' }, id);
  return rollout;
}

const isVisible = ({ principal }: Call, { tenant }: Rollout): boolean =>
  principal.platform || tenant === '*' || tenant === principal.tenant;

/** Returns the current providers of a model, or of the route with that pattern. */
function baselineOf(configuration: Configuration, routeModel: string): readonly string[] {
  const route = configuration.routes.find(({ match }) => match.model === routeModel);
  const named = route?.regions?.flatMap(({ providers }) => providers) ?? route?.providers;
  const plan = planRoute(configuration, resolveModel(configuration, routeModel), new Map());
  const names = named ?? plan?.candidates.map(({ entry }) => entry.name) ?? [];
  if (names.length === 0)
    throw invalidRequest(
      `route_model is ${JSON.stringify(routeModel)}, which no provider serves; give a model that is served or the pattern of a route.`,
    );
  return [...new Set(names)];
}

function assertCanary({ providers }: Configuration, canary: string, baseline: readonly string[]): void {
  const enabled = providers.filter((entry) => entry.enabled).map(({ name }) => name);
  if (!enabled.includes(canary))
    throw invalidRequest(
      `canary_provider is ${JSON.stringify(canary)}, which is not an enabled provider; the enabled ones are: ${enabled.join(', ')}.`,
    );
  if (baseline.length === 1 && baseline[0] === canary)
    throw invalidRequest(
      `canary_provider ${JSON.stringify(canary)} is already the only provider of this model; name another one.`,
    );
}

/** Returns a rollout without internal counters. */
const rolloutAnswer = (rollout: Rollout) => pickMembers(rollout, membersOf(rolloutSchema));
