/**
 * Reports plugin installs, removals and refusals. Stores reports that the gateway has not accepted yet
 * [supply-chain.in-force].
 */

import type { Cli } from '#agentctl/command.ts';
import { exitCodes, Failure } from '#agentctl/failure.ts';
import { oneLineText } from '#agentctl/output.ts';
import { authorize } from '#core/configuration/identity/authorize.ts';
import type { Principal } from '#core/configuration/identity/principal.ts';
import type { PluginEntry } from '#core/configuration/supply-chain/documents.ts';
import { SupplyChainRefusal } from '#core/configuration/supply-chain/refusal.ts';
import type { PluginAct } from '#core/contracts/plugin-act.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { fields, text } from '#core/kernel/json-fields.ts';
import { endpointsOf } from '#core/operations/endpoint.ts';
import { recordPluginAct } from '../endpoint.ts';
import type { PluginStore } from './store.ts';

/** Facts about a plugin at the time of a refusal. Later steps add more. */
export interface KnownPlugin {
  entry?: Pick<PluginEntry, 'name' | 'version' | 'kind' | 'sha256'>;
  /** Key id of the publisher, set once the publisher's signature is verified. */
  signer?: string;
}

/**
 * Checks, before anything is written, that the key may record the action. If the gateway is unreachable or fails, the
 * action is stored until a gateway accepts it.
 * @throws Failure if the gateway rejects the key, or if the key's role, kind or scope is insufficient.
 */
export async function assertMayRecord(cli: Cli, act: 'install' | 'remove'): Promise<void> {
  let caller: unknown;
  try {
    caller = (await cli.api().call('whoami', { keyOf: 'recordPluginAct' })).json;
  } catch (fault) {
    if (mayPass(fault)) return;
    throw notDone(act, fault as Error);
  }
  try {
    authorize(endpointsOf({ recordPluginAct })[0]!, caller as Principal);
  } catch (fault) {
    if (!(fault instanceof GatewayError)) throw fault;
    throw notDone(act, fault);
  }
}

/**
 * Checks whether the same command may succeed later with the same key, because the gateway is only unreachable or
 * overloaded.
 */
const mayPass = (fault: unknown): boolean =>
  fault instanceof Failure &&
  (fault.exitCode === exitCodes.unreachable || fault.status === 429 || (fault.status ?? 0) >= 500);

const allowed =
  'use the admin token, or a key of a human or service with role admin and platform: true (--key or AGENTCTL_KEY)';

function notDone(act: 'install' | 'remove', cause: Error): Failure {
  const done = act === 'install' ? 'installed' : 'removed';
  const message = `nothing was ${done}, because this key may not record it as evidence: ${cause.message}`;
  const body = cause instanceof Failure ? cause.body : undefined;
  return new Failure(exitCodes.negative, message, { hint: allowed, body, cause });
}

/**
 * Records an action as evidence, after any actions stored by earlier commands.
 * @returns the hash of the entry, or undefined if the gateway did not accept the action, which is then stored for the
 * next command.
 */
export async function report(cli: Cli, store: PluginStore, act: PluginAct): Promise<string | undefined> {
  await reportKept(cli, store);
  try {
    return await send(cli, act);
  } catch (fault) {
    await store.keepAct({ ...act, done_at: new Date().toISOString() });
    cli.out.note(
      `not recorded as evidence yet (${(fault as Error).message}); the next plugin command reports it again`,
    );
    return undefined;
  }
}

/** Runs the work. If it is refused, reports the refusal before the command ends. */
export async function refusalsReported<Result>(
  cli: Cli,
  store: PluginStore,
  wanted: string,
  work: (known: KnownPlugin) => Promise<Result>,
): Promise<Result> {
  const known: KnownPlugin = {};
  try {
    return await work(known);
  } catch (fault) {
    if (fault instanceof SupplyChainRefusal) await report(cli, store, await refusalAct(wanted, known, fault));
    throw fault;
  }
}

async function refusalAct(
  wanted: string,
  { entry, signer }: KnownPlugin,
  fault: SupplyChainRefusal,
): Promise<PluginAct> {
  const { oneLine } = await import('#core/contracts/plugin-act.ts');
  const [name = '', version] = wanted.split('@');
  const asked = version ? { version: oneLine(version, 32) } : {};
  return {
    act: 'refuse',
    ...(entry
      ? { name: entry.name, version: entry.version, kind: entry.kind, sha256: entry.sha256 }
      : { name: oneLine(name, 64) || '?', ...asked }),
    ...(signer !== undefined && { signer }),
    reason: fault.reason,
    message: oneLine(fault.message, 500),
  };
}

/** Reports stored actions in order. Actions that are still not accepted stay stored, with the reason. */
async function reportKept(cli: Cli, store: PluginStore): Promise<void> {
  for (const { id, act } of await store.keptActs())
    try {
      await send(cli, act);
      await store.forgetAct(id);
    } catch (fault) {
      if (fault instanceof Failure && fault.exitCode === exitCodes.unreachable) return;
      const { act: kind, name } = fields(act);
      cli.out.note(
        `an earlier act is still not recorded as evidence: ${oneLineText(kind)} of ${oneLineText(name)} (${(fault as Error).message})`,
      );
      if (fault instanceof Failure && (fault.status === 401 || fault.status === 403)) {
        cli.out.note(`to record the earlier acts, ${allowed}`);
        return;
      }
    }
}

async function send(cli: Cli, act: unknown): Promise<string | undefined> {
  return text(fields((await cli.api().call('recordPluginAct', { body: act })).json).evidence_hash);
}
