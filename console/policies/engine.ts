/**
 * The playground's engine: evaluates calls against draft policies in the browser, using the gateway's modules
 * [console.playground]. Questions that need the gateway's data are passed to the gateway, with the reason.
 */
import '../evidence/no-eval.ts';
import { findIn, noRulePlaces } from '#core/configuration/store/places.ts';
import { ofTenant } from '#core/configuration/store/tenant-policy.ts';
import { simulateSchema } from '#core/contracts/admin-requests.ts';
import type { OwnPrograms } from '#core/contracts/config/catalog.ts';
import type { ToolCall } from '#core/contracts/envelope.ts';
import { gitEffects } from '#core/effects/git.ts';
import { httpEffects } from '#core/effects/http.ts';
import { readEffects } from '#core/effects/read.ts';
import { shellEffects } from '#core/effects/shell.ts';
import { sqlEffects } from '#core/effects/sql.ts';
import { decidedBy, decidedCalls, difference, type PolicySnapshot } from '#core/operations/decided-calls.ts';
import type { AnswerOf } from '#core/operations/endpoints.ts';
import { parseBySchema } from '#core/operations/operation.ts';
import { loadConfiguration } from '#features/load-configuration.ts';

/** A stored version, and the tenant whose calls it applies to. */
export interface Base extends Pick<AnswerOf<'policyVersion'>, 'version' | 'configuration' | 'places'> {
  readonly tenant: string;
}

export interface Question {
  /** Calls in the format of the `simulate` body. */
  readonly calls: unknown;
  /** Policies in the format of the configuration's `tool_policies`. */
  readonly policies: unknown;
}

type SimulationResult = AnswerOf<'simulate'>;

export type EngineAnswer =
  | { readonly before: SimulationResult; readonly after: SimulationResult }
  /** Why only the gateway can answer, worded to follow «Decided by the gateway.» */
  | { readonly gateway: string }
  | { readonly fault: string };

/** Error thrown if the decision needs data that only the gateway has. */
class NeedsGateway extends Error {}

/** Never rejects. */
export type Engine = (question: Question) => Promise<EngineAnswer>;

export function engineOf(base: Base): Engine {
  const known = knownOf(base);
  return async (question) => {
    try {
      return await answer(base, await known(), question);
    } catch (thrown) {
      if (thrown instanceof NeedsGateway) return { gateway: thrown.message };
      return { fault: thrown instanceof Error ? thrown.message : String(thrown) };
    }
  };
}

type LoadedConfiguration = Awaited<ReturnType<typeof loadConfiguration>>['configuration'];

interface EngineState {
  readonly configuration: LoadedConfiguration;
  readonly evaluated: PolicySnapshot;
}

/**
 * Returns the stored version, read once. If it cannot be read here, for example because it comes from another release,
 * the gateway decides.
 */
function knownOf({ configuration: stored, tenant }: Base): () => Promise<EngineState> {
  let known: Promise<EngineState> | undefined;
  const load = async (): Promise<EngineState> => {
    try {
      const { configuration } = await loadPack(stored, stored.tool_policies);
      return { configuration, evaluated: ofTenant(decidedBy(configuration), tenant) };
    } catch {
      throw new NeedsGateway('This browser cannot read the stored version.');
    }
  };
  return () => {
    known ??= load();
    return known;
  };
}

async function answer(
  { version, tenant, places }: Base,
  known: EngineState,
  { calls, policies }: Question,
): Promise<EngineAnswer> {
  const asked = parseBySchema(simulateSchema, { calls, tool_policies: policies, explain: true });
  const tried = await triedOut(known.configuration, asked.tool_policies ?? {});
  const evaluated = ofTenant(decidedBy(tried.configuration), tenant);
  const place = places ? findIn(places) : noRulePlaces;
  const said = async (by: PolicySnapshot, where: typeof place) => ({
    policy_version: version,
    results: await decidedCalls(ports, by, asked.calls, { place: where, explain: true, caller: { tenant } }),
  });
  return {
    before: asSent(await said(known.evaluated, place)),
    after: asSent({
      ...(await said(evaluated, noRulePlaces)),
      diff: await difference(ports, known.configuration, tried.configuration),
      warnings: tried.warnings,
    }),
  };
}

/** Returns the value in the form of a gateway response: without undefined members. */
const asSent = (answer: unknown): SimulationResult => JSON.parse(JSON.stringify(answer)) as SimulationResult;

/** Returns the stored version with these tool policies, parsed as the gateway does. */
async function triedOut(stored: LoadedConfiguration, tool_policies: Readonly<Record<string, unknown>>) {
  if (typeof tool_policies.pack === 'string')
    throw new NeedsGateway('The policy refers to a pack, and its file is on the gateway.');
  if (tool_policies.require_signed === true || stored.supply_chain.index !== undefined)
    throw new NeedsGateway('The gateway checks the signatures of packs.');
  return loadPack(stored, tool_policies);
}

/**
 * Returns the pack. The stored version's pack was checked when it was stored; another pack is checked now. @throws
 * AtGateway for a pack given only by name, because its file is on the gateway. @throws GatewayError with every problem.
 */
async function loadPack(stored: Base['configuration'], tool_policies: unknown) {
  const { pack } = stored.tool_policies as LoadedConfiguration['tool_policies'];
  let lacking: string | undefined;
  const packs = (name: string): string => {
    if (pack !== null && pack.name === name) return JSON.stringify(pack);
    lacking = name;
    throw new Error('not here');
  };
  try {
    return await loadConfiguration(JSON.stringify({ ...stored, tool_policies }), { packs });
  } catch (thrown) {
    throw lacking === undefined ? thrown : new NeedsGateway(`${lacking} lies there.`);
  }
}

/**
 * Reads the effects. The gateway handles SQL: the grammar is WebAssembly, which the page's content security policy does
 * not allow.
 */
async function effects(call: ToolCall, programs: OwnPrograms) {
  let needed = false;
  const grammar = () => {
    needed = true;
    throw new Error('the browser does not parse SQL');
  };
  const found = readEffects({ shell: shellEffects, sql: sqlEffects(grammar), http: httpEffects, git: gitEffects })(
    call,
    programs,
  );
  if (needed) throw new NeedsGateway("The gateway parses SQL with PostgreSQL's grammar.");
  return found;
}

const ports = { effects, calls: undefined, links: undefined, judges: [], pause: async () => {} };
