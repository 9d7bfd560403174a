/** Resolves the guard settings of one server. */
import type { Snapshot } from '#core/configuration/store/snapshots.ts';
import type { ToolGuard } from '#core/contracts/config/tool-guard.ts';
import type { ClassifierSettings } from '#core/contracts/config/tool-guard-classifier.ts';
import type { Configuration, McpUpstreamEntry } from '#core/contracts/config.ts';
import type { Classify } from '#core/guard/classifier/ports.ts';
import { resultKinds } from '#core/guard/finding.ts';
import type { GuardSettings, ResultActions } from '#core/guard/results.ts';
import { lazyImport } from '#core/kernel/lazy-import.ts';
import type { McpPorts } from '../ports.ts';
import type { ResultClassifier } from './classify-result.ts';
import type { DefinitionClassifier } from './found-definition.ts';

const logAll = Object.fromEntries(resultKinds.map((kind) => [kind, 'log'])) as unknown as ResultActions;

type GuardConfiguration = Pick<Configuration, 'tool_guard'> & Partial<Pick<Configuration, 'catalog'>>;

/** Returns the guard for results, or undefined if it is off. @param method method of the answered request. */
export function resultGuard(
  { tool_guard, catalog }: GuardConfiguration,
  { guard }: McpUpstreamEntry,
  method = 'tools/call',
): GuardSettings | undefined {
  if (guard === 'off') return undefined;
  return {
    actions: guard === 'log' ? logAll : tool_guard.results,
    prompt: method === 'prompts/get',
    ...(catalog && { secretFiles: catalog.secret_files }),
  };
}

type Ports = Pick<McpPorts, 'classifiers'>;
type ActiveSnapshot = Pick<Snapshot, 'configuration' | 'identities' | 'version'>;
interface Caller {
  readonly tenant: string;
  readonly key_id: string;
}

const classifier = lazyImport(() => import('#core/guard/classifier/classify.ts'));

/** Returns the classifier that runs after the guard's rules, or undefined if none applies. */
export function resultClassifier(
  ports: Ports,
  snapshot: ActiveSnapshot,
  { guard }: McpUpstreamEntry,
  caller: Caller,
  method = 'tools/call',
): ResultClassifier | undefined {
  const { classifier: settings, results } = snapshot.configuration.tool_guard;
  if (guard === 'off' || method === 'prompts/get' || !settings?.looks_at.includes('results')) return undefined;
  const ask = asking(ports, snapshot, settings, caller);
  return guard === 'log'
    ? { ask, action: 'log', onError: 'log' }
    : { ask, action: results.classified, onError: settings.on_error };
}

/** Returns the classifier for new and changed definitions, or undefined if none applies. */
export function definitionClassifier(
  ports: Ports,
  snapshot: ActiveSnapshot,
  { guard }: McpUpstreamEntry,
  caller: Caller,
): DefinitionClassifier | undefined {
  const { classifier: settings } = snapshot.configuration.tool_guard;
  if (guard !== 'on' || !settings?.looks_at.includes('definitions')) return undefined;
  return { ask: asking(ports, snapshot, settings, caller), settings, version: snapshot.version };
}

const asking =
  (ports: Ports, snapshot: ActiveSnapshot, settings: ClassifierSettings, { tenant, key_id }: Caller): Classify =>
  async (text, signal) => {
    const [{ classify }, given] = await Promise.all([classifier(), ports.classifiers?.()]);
    return classify(given, { settings, snapshot, caller: { tenant, key_id } }, text, signal);
  };

/** Actions and checks for tool definitions. */
export interface DefinitionGuard {
  readonly actions: ToolGuard['definitions'];
  readonly changes: ToolGuard['changes'];
  /** Action for arguments that do not fit the schema. */
  readonly schema: ToolGuard['arguments_schema'];
  /** Files containing secrets that the configuration adds to the catalog. */
  readonly secretFiles?: readonly string[];
  /** Classifies new and changed definitions. Absent for code that only reads stored marks. */
  readonly classifier?: DefinitionClassifier | undefined;
  readonly look: typeof import('#core/guard/changes.ts') &
    typeof import('#core/guard/definitions.ts') &
    typeof import('#core/guard/shadowing.ts');
}

const look = lazyImport(async (): Promise<DefinitionGuard['look']> => {
  const [changes, definitions, shadowing] = await Promise.all([
    import('#core/guard/changes.ts'),
    import('#core/guard/definitions.ts'),
    import('#core/guard/shadowing.ts'),
  ]);
  return { ...changes, ...definitions, ...shadowing };
});

/** Returns the guard for definitions, loaded on first use, or undefined if the server's guard is off. */
export async function definitionGuard(
  { tool_guard, catalog }: GuardConfiguration,
  { guard }: McpUpstreamEntry,
): Promise<DefinitionGuard | undefined> {
  if (guard !== 'on') return undefined;
  return {
    actions: tool_guard.definitions,
    changes: tool_guard.changes,
    schema: tool_guard.arguments_schema,
    ...(catalog && { secretFiles: catalog.secret_files }),
    look: await look(),
  };
}

/** Returns the guard with its classifier, for recording definitions. */
export async function notingGuard(
  ports: Ports,
  snapshot: ActiveSnapshot,
  entry: McpUpstreamEntry,
  caller: Caller,
): Promise<DefinitionGuard | undefined> {
  const guard = await definitionGuard(snapshot.configuration, entry);
  return guard && { ...guard, classifier: definitionClassifier(ports, snapshot, entry, caller) };
}
