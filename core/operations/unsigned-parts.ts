/** Records parts that were refused because of `tool_policies.require_signed` [supply-chain.require-signed]. */

import type { UnsignedPart } from '#core/configuration/supply-chain/in-force.ts';
import { actionOf, oneLine } from '#core/contracts/plugin-act.ts';
import { GatewayError } from '#core/kernel/errors.ts';
import { type Actor, recordAct } from './record.ts';

/** Runs the work. If a configuration is refused because of unsigned parts, records an entry for each part. */
export async function refusedPartsRecorded<Result>(
  actor: Actor | (() => Promise<Actor>),
  work: () => Promise<Result>,
): Promise<Result> {
  try {
    return await work();
  } catch (fault) {
    const parts = unsignedIn(fault);
    const known = parts.length === 0 ? undefined : typeof actor === 'function' ? await actor() : actor;
    for (const { name, kind, sha256, reason } of parts)
      await recordAct(known!, actionOf({ act: 'refuse' }), {
        name: oneLine(name, 64),
        kind,
        reason: 'unsigned',
        message: oneLine(reason, 500),
        ...(sha256 !== null && { sha256 }),
      });
    throw fault;
  }
}

const unsignedIn = (fault: unknown): readonly UnsignedPart[] =>
  fault instanceof GatewayError ? ((fault.data?.unsigned as readonly UnsignedPart[] | undefined) ?? []) : [];
