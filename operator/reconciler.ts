/** Executes the plans, one Gateway at a time. */
import type { Composition } from './compose.ts';
import { secretNames, secretValue } from './compose.ts';
import { liveVersion, putConfiguration } from './gateway-api.ts';
import { type CustomResource, type KubernetesApi, KubernetesError } from './kubernetes-api.ts';
import type { Leadership } from './leadership.ts';
import type { ObjectCache } from './object-cache.ts';
import { failedOutcome, isDue, type Observed, plan, type ReconcileOutcome } from './plan.ts';
import { finalizer, type Gateway, type Secret } from './resources.ts';
import { type Settlement, settle, settleWithoutGateway } from './settle.ts';

export interface ReconcilerPorts {
  readonly api: KubernetesApi;
  readonly objects: ObjectCache;
  readonly leadership: Leadership;
  /** Returns the address of a Gateway's admin surface. */
  addressOf(gateway: Gateway): string;
  now(): Date;
  log(event: string, fields: Readonly<Record<string, unknown>>): void;
}

/** Maximum number of concurrent requests to the API server. */
const concurrency = 16;

export class Reconciler {
  readonly #ports: ReconcilerPorts;
  readonly #secrets = new Map<string, Secret | undefined>();

  constructor(ports: ReconcilerPorts) {
    this.#ports = ports;
  }

  /**
   * Reconciles every Gateway in the namespace with its objects.
   * @param fresh rereads all secrets; otherwise only missing secrets are read.
   * @returns the outcome of each Gateway, by name.
   * @throws KubernetesError, or a connection error; the next run starts from the state at that time.
   */
  async run(fresh: boolean): Promise<Map<string, ReconcileOutcome>> {
    if (fresh) this.#secrets.clear();
    const { objects, now } = this.#ports;
    const gateways = objects.gateways();
    const outcomes = new Map<string, ReconcileOutcome>();
    for (const gateway of gateways) outcomes.set(gateway.metadata.name, await this.#reconcile(gateway));
    const names = new Set(gateways.map(({ metadata }) => metadata.name));
    const orphans = objects.parts().filter(({ spec }) => !names.has(spec.gateway));
    await this.#write(settleWithoutGateway(orphans, now().toISOString()));
    return outcomes;
  }

  async #reconcile(gateway: Gateway): Promise<ReconcileOutcome> {
    const { api, objects, log } = this.#ports;
    const parts = objects.parts().filter(({ spec }) => spec.gateway === gateway.metadata.name);
    await this.#readSecrets(secretNames({ gateway, parts }));
    const named = gateway.spec.deployment;
    const deployment = named && (await api.deployment(named.name));
    const observed: Observed = { gateway, parts, secrets: this.#secrets, deployment };
    const { claim, apply, composition, outcome: early } = plan(observed);
    await this.#each(claim, (object) =>
      this.#setFinalizers(object, [...(object.metadata.finalizers ?? []), finalizer]),
    );
    if (apply) {
      this.#ports.leadership.assertHeld();
      await api.applyDeployment(apply);
    }
    const outcome = early ?? (await this.#bring(observed, composition!));
    log('reconciled', { gateway: gateway.metadata.name, parts: parts.length, ...outcomeText(outcome) });
    await this.#write(settle(observed, outcome, this.#ports.now().toISOString()));
    return outcome;
  }

  /** Sends the configuration if the gateway has a different one. */
  async #bring({ gateway, secrets }: Observed, composition: Composition): Promise<ReconcileOutcome> {
    const { addressOf, leadership, log } = this.#ports;
    const token = secretValue(gateway.spec.adminToken.secretKeyRef, secrets)!;
    const address = addressOf(gateway);
    const live = await liveVersion(address, token, leadership.signal);
    if ('unreachable' in live)
      return failedOutcome(live.unauthorized ? 'Unauthorized' : 'Unreachable', live.unreachable);
    const { version = 0, warnings = [], composed } = gateway.status ?? {};
    if (!isDue(composition, gateway, live))
      return { stored: true, version, warnings, sha256: live.sha256, composed: composition.composed };
    if (composed === composition.composed)
      log('drift', { gateway: gateway.metadata.name, found: live.version, stored: version });
    leadership.assertHeld();
    return putConfiguration(address, token, composition, leadership.signal);
  }

  async #readSecrets(names: readonly string[]): Promise<void> {
    // Missing secrets are looked up on every run, because the objects that need them are pending.
    const unknown = names.filter((name) => this.#secrets.get(name) === undefined);
    await this.#each(unknown, async (name) => void this.#secrets.set(name, await this.#ports.api.secret(name)));
  }

  async #write({ statuses, release }: Settlement): Promise<void> {
    const { api, objects, leadership } = this.#ports;
    await this.#each(statuses, async ({ object, status }) => {
      leadership.assertHeld();
      objects.put(withKind(object, await api.applyStatus(object, status)));
    });
    await this.#each(release, (object) =>
      this.#setFinalizers(
        object,
        object.metadata.finalizers!.filter((name) => name !== finalizer),
      ),
    );
  }

  async #setFinalizers(object: CustomResource, finalizers: readonly string[]): Promise<void> {
    this.#ports.leadership.assertHeld();
    this.#ports.objects.put(withKind(object, await this.#ports.api.setFinalizers(object, finalizers)));
  }

  /**
   * Runs the work with limited concurrency. Ignores objects that no longer exist; throws the first other fault at the
   * end.
   */
  async #each<Item>(items: readonly Item[], work: (item: Item) => Promise<void>): Promise<void> {
    const queue = items.values();
    const faults: unknown[] = [];
    const worker = async () => {
      for (const item of queue)
        await work(item).catch((fault: unknown) => {
          if (!(fault instanceof KubernetesError && fault.status === 404)) faults.push(fault);
        });
    };
    await Promise.all(Array.from({ length: concurrency }, worker));
    if (faults.length > 0) throw faults[0];
  }
}

const withKind = ({ kind, apiVersion }: CustomResource, answer: CustomResource): CustomResource =>
  ({ ...answer, kind, apiVersion }) as CustomResource;

const outcomeText = (outcome: ReconcileOutcome) =>
  outcome.stored ? { synced: true, version: outcome.version } : { synced: false, reason: outcome.reason };
